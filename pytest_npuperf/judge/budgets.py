"""Judge every limit of a budget on its worst lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from pytest_npuperf.catalogue import enough_samples
from pytest_npuperf.globs import matches
from pytest_npuperf.judge.reasons import compared, joined, partial, sentence, some_lane, worst_lane
from pytest_npuperf.judge.rounds import Missing, Observed, observe
from pytest_npuperf.model import Bound, Case, Judged, Limit, Measurement, Verdict

Remark = tuple[Verdict, str]
"""A verdict, and what must be said beside the numbers; that may be empty."""


def judge(
    case: Case, rounds: Sequence[Measurement], fingerprint: Mapping[str, str]
) -> tuple[Judged, ...]:
    """Judge each limit of a case, in their order; ``rounds`` are the runs it was measured in."""
    lanes = list(dict.fromkeys(lane for measured in rounds for lane in measured.lanes))
    hardware = _hardware(case, fingerprint)
    return tuple(_judge_limit(limit, lanes, rounds, hardware) for limit in case.limits)


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


def nothing_can_fail(case: Case) -> str:
    """Say in one line why no limit of a case could ever fail; empty when one can."""
    if any(limit.bounds for limit in case.limits):
        return ""
    if case.limits:
        found = "the budget has only max_regression, which this version does not compare yet"
    else:
        found = "the budget has no limit"
    return f'{found}, so nothing can fail; add a bound, such as kernel_time = "2 ms"'


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


def _judge_limit(
    limit: Limit, lanes: Sequence[str], rounds: Sequence[Measurement], hardware: Remark | None
) -> Judged:
    if not lanes:
        missing = Missing("the profile has no lane")
        return _not_measured(limit, missing, "", 1, hardware)
    judged = []
    for lane in lanes:
        seen = observe(limit, lane, rounds)
        if isinstance(seen, Missing):
            judged.append(_not_measured(limit, seen, lane, len(lanes), hardware))
        else:
            judged.append(_judge_value(limit, seen, lane, len(lanes), hardware))
    return min(judged, key=_severity)


def _severity(judged: Judged) -> tuple[int, int, Fraction]:
    """Order lanes, worst first; where only warned of, being over hides nothing that can fail."""
    bound = None if judged.value is None else judged.limit.nearest(judged.value)
    excess = bound.excess(judged.value) if bound and judged.value is not None else Fraction(0)
    return judged.counts_as.rank, judged.verdict.rank, -excess


def _not_measured(
    limit: Limit, missing: Missing, lane: str, lanes: int, hardware: Remark | None
) -> Judged:
    verdict, words = hardware or (Verdict.NOT_MEASURED, "")
    remark = joined(missing.reason, words)
    place = some_lane(lane, lanes) + missing.how
    reason = sentence(f"{limit.wanted.title()} not measured{place}: {remark}", "", "")
    return Judged(limit, verdict, lane, None, 0, Fraction(0), reason, remark)


def _judge_value(
    limit: Limit, seen: Observed, lane: str, lanes: int, hardware: Remark | None
) -> Judged:
    bound = limit.nearest(seen.value)
    verdict, words = hardware or _outcome(limit, bound, seen)
    remark = joined(partial(seen.coverage), words)
    place = worst_lane(lane, lanes) + seen.how
    reason = sentence(compared(limit, bound, seen.value) + place, remark, limit.why)
    return Judged(limit, verdict, lane, seen.value, seen.samples, seen.coverage, reason, remark)


def _outcome(limit: Limit, bound: Bound | None, seen: Observed) -> Remark:
    if bound is None and limit.max_regression is None:
        return Verdict.NOT_MEASURED, "there is no bound to compare it with"
    if bound is not None and bound.excess(seen.value) > 0:
        return Verdict.FAILED, ""
    enough = enough_samples(limit.wanted.metric, limit.wanted.statistic)
    if seen.samples < enough:
        words = f"{seen.samples} samples are too few for {limit.wanted.statistic}, {enough} needed"
        return Verdict.INCONCLUSIVE, words
    if limit.max_regression is not None:
        return Verdict.NEW, "there is no baseline to compare it with"
    return Verdict.PASSED, ""
