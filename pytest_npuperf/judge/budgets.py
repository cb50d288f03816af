"""Judge every limit of a budget on its worst lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.catalogue import enough_samples
from pytest_npuperf.globs import matches
from pytest_npuperf.judge.reasons import (
    changed,
    compared,
    joined,
    partial,
    sentence,
    some_lane,
    worst_lane,
)
from pytest_npuperf.judge.relative import NOTHING_BEFORE, Before, Compared, judge_change
from pytest_npuperf.judge.rounds import Missing, Observed, observe
from pytest_npuperf.judge.scales import off_scale
from pytest_npuperf.judge.speedup import wanted_for_speedups
from pytest_npuperf.model import Bound, Case, Judged, Limit, Measurement, Verdict
from pytest_npuperf.text import many, named

Remark = tuple[Verdict, str]
"""A verdict, and what must be said beside the numbers; that may be empty."""


@dataclass(frozen=True)
class _Evidence:
    """What every limit of a case is judged by."""

    rounds: Sequence[Measurement]
    hardware: Remark | None
    before: Before

    def lanes(self, limit: Limit) -> list[str]:
        """Return the lanes to judge a limit on; one that is gone since the baseline is missed."""
        rounds = list(self.rounds)
        if limit.max_regression and self.before.sessions and not self.before.obstacle:
            rounds += self.before.sessions[-1]
        return list(dict.fromkeys(lane for measured in rounds for lane in measured.lanes))


def judge(
    case: Case,
    rounds: Sequence[Measurement],
    fingerprint: Mapping[str, str],
    before: Before = NOTHING_BEFORE,
) -> tuple[Judged, ...]:
    """Judge each limit of a case, in their order.

    ``rounds`` are the runs it was measured in, ``before`` is what the limits with
    ``max_regression`` are compared with.
    """
    evidence = _Evidence(rounds, _hardware(case, fingerprint), before)
    return tuple(_judge_limit(limit, evidence) for limit in case.limits)


def worst(judged: Iterable[Judged]) -> Verdict:
    """Return the verdict of a case by its limits; without any, nothing was measured."""
    return min((each.counts_as for each in judged), key=_rank, default=Verdict.NOT_MEASURED)


def blocks(case: Case, verdict: Verdict) -> bool:
    """Return whether a case with this verdict fails its test."""
    if verdict is Verdict.INCONCLUSIVE:
        return case.strict or case.inconclusive == "fail"
    if verdict is Verdict.SKIPPED:
        return case.strict or case.when_unavailable == "fail"
    if verdict is Verdict.NEW:
        return case.strict
    return verdict is not Verdict.PASSED


def undecided(judged: Iterable[Judged]) -> bool:
    """Return whether more rounds could tell: noise hides a change, and nothing has failed yet."""
    limits = tuple(judged)
    failed = any(each.counts_as.rank <= Verdict.NOT_MEASURED.rank for each in limits)
    hidden = any(each.verdict is Verdict.INCONCLUSIVE and each.comparison for each in limits)
    return hidden and not failed


def nothing_can_fail(case: Case) -> str:
    """Say in one line why no limit of a case could ever fail or be compared; empty when one can."""
    if case.against and not (case.compares or wanted_for_speedups(case)):
        return (
            "against is said, but no limit has max_regression, so nothing is compared; "
            'add one, such as kernel_time = { max_regression = "5 %" }'
        )
    if any(limit.bounds or limit.max_regression for limit in case.limits):
        return ""
    return (
        "the budget has no limit, so nothing can fail; "
        'add one, such as kernel_time = "2 ms" or kernel_time = { max_regression = "5 %" }'
    )


def _rank(verdict: Verdict) -> int:
    return verdict.rank


def _hardware(case: Case, fingerprint: Mapping[str, str]) -> Remark | None:
    """Return what to say of every limit when the numbers do not hold for this hardware."""
    if case.soc is None:
        return None
    soc = fingerprint.get("soc")
    if not soc:
        words = f"the profile does not say its SoC, and the budget holds for {case.soc}"
        return Verdict.NOT_MEASURED, f"not judged: {words}"
    if matches(soc, (case.soc,)):
        return None
    words = f"measured on {soc}, and the budget holds for {case.soc}"
    return Verdict.INCONCLUSIVE, f"not judged: {words}"


def _judge_limit(limit: Limit, evidence: _Evidence) -> Judged:
    lanes = evidence.lanes(limit)
    if not lanes:
        missing = Missing("the profile has no lane")
        return _not_measured(limit, missing, "", 1, evidence.hardware)
    judged = []
    for lane in lanes:
        seen = _observed(limit, lane, evidence)
        if isinstance(seen, Missing):
            judged.append(_not_measured(limit, seen, lane, len(lanes), evidence.hardware))
        else:
            judged.append(_judge_value(limit, seen, lane, len(lanes), evidence))
    return min(judged, key=_severity)


def _observed(limit: Limit, lane: str, evidence: _Evidence) -> Observed | Missing:
    if any(lane in measured.lanes for measured in evidence.rounds):
        seen = observe(limit, lane, evidence.rounds)
        wrong = "" if isinstance(seen, Missing) else off_scale(limit, seen.value)
        return Missing(wrong) if wrong else seen
    found = ", ".join(evidence.rounds[0].lanes) or "none"
    return Missing(f"{evidence.before.source} has it, and the profile has {found}")


def _severity(judged: Judged) -> tuple[int, int, bool, Fraction]:
    """Order lanes, worst first; where only warned of, being over hides nothing that can fail."""
    return judged.counts_as.rank, judged.verdict.rank, not judged.tolerated, -judged.excess


def _not_measured(
    limit: Limit, missing: Missing, lane: str, lanes: int, hardware: Remark | None
) -> Judged:
    verdict, words = hardware or (Verdict.NOT_MEASURED, "")
    remark = joined(missing.reason, words)
    place = some_lane(lane, lanes) + missing.how
    reason = sentence(f"{named(limit.wanted.title())} not measured{place}: {remark}", "", "")
    return Judged(limit, verdict, lane, None, 0, Fraction(0), reason, remark)


def _judge_value(
    limit: Limit, seen: Observed, lane: str, lanes: int, evidence: _Evidence
) -> Judged:
    bound = limit.nearest(seen.value)
    verdict, words = evidence.hardware or _within_bounds(limit, bound, seen)
    change = None if evidence.hardware else _change(limit, lane, evidence)
    comparison = change.comparison if change else None
    if change is not None and (bound is None or _says_more(change, verdict)):
        verdict = min(verdict, change.verdict, key=_rank)
        numbers = changed(limit, comparison, seen.value)
    else:
        numbers = compared(limit, bound, seen.value)
    remark = joined(partial(seen.coverage), words, change.remark if change else "")
    place = worst_lane(lane, lanes) + seen.how
    return Judged(
        limit=limit,
        verdict=verdict,
        lane=lane,
        value=seen.value,
        samples=seen.samples,
        coverage=seen.coverage,
        reason=sentence(numbers + place, remark, limit.why),
        remark=remark,
        comparison=comparison,
    )


def _says_more(change: Compared, verdict: Verdict) -> bool:
    """Return whether a change is more to be told than that a number is within its bounds."""
    if change.verdict.rank < verdict.rank:
        return True
    is_between = change.comparison is not None and change.comparison.is_between
    return is_between and verdict is Verdict.PASSED


def _change(limit: Limit, lane: str, evidence: _Evidence) -> Compared | None:
    if limit.max_regression is None:
        return None
    return judge_change(limit, limit.max_regression, lane, evidence.rounds, evidence.before)


def _within_bounds(limit: Limit, bound: Bound | None, seen: Observed) -> Remark:
    if bound is None and limit.max_regression is None:
        return Verdict.NOT_MEASURED, "there is no bound to compare it with"
    if bound is not None and bound.excess(seen.value) > 0:
        return Verdict.FAILED, ""
    enough = enough_samples(limit.wanted.metric, limit.wanted.statistic)
    if seen.samples < enough:
        samples = many(seen.samples, "sample is", "samples are")
        words = f"{samples} too few for {limit.wanted.statistic}, {enough} needed"
        return Verdict.INCONCLUSIVE, words
    return Verdict.PASSED, ""
