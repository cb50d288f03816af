"""Judge how a number has changed: against its baseline, or against the other side of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pytest_npuperf.judge.attribution import explain, middle_ops
from pytest_npuperf.judge.comparison import ALPHA, Change, Rule, Wider, compare
from pytest_npuperf.judge.rounds import value_in
from pytest_npuperf.judge.scales import other_scale
from pytest_npuperf.model import (
    Cause,
    Comparison,
    InForce,
    Judged,
    Limit,
    Measurement,
    Noise,
    Regression,
    Verdict,
)
from pytest_npuperf.units import Dimension

_VERDICTS = {
    "worse": Verdict.FAILED,
    "undecided": Verdict.INCONCLUSIVE,
    "within": Verdict.PASSED,
}
_DIGITS = 9


@dataclass(frozen=True)
class Before:
    """What a case is compared with."""

    sessions: tuple[tuple[Measurement, ...], ...] = ()
    """The rounds of each session, the newest last; none where there is nothing yet."""
    source: str = ""
    """What it is, in words: ``baseline of 3 sessions``."""
    obstacle: str = ""
    """Why it cannot be compared with, as other hardware; empty where it can."""
    noise: Noise = field(default_factory=Noise)
    is_stored: bool = True
    """Whether it is a baseline, and not the other side of the same session."""
    looks: int = 1
    """How many times a run is judged, with more rounds each time."""
    file: str = ""
    """Where a baseline is kept, as it is shown."""


NOTHING_BEFORE = Before()


@dataclass(frozen=True)
class Compared:
    """What a comparison adds to a limit."""

    verdict: Verdict
    remark: str = ""
    comparison: Comparison | None = None


def judge_change(
    limit: Limit, regression: Regression, lane: str, rounds: Sequence[Measurement], before: Before
) -> Compared:
    """Judge one lane of a limit that has ``max_regression``; each round has its number."""
    if before.obstacle:
        return Compared(Verdict.INCONCLUSIVE, before.obstacle)
    if not before.sessions:
        return Compared(Verdict.NEW, "there is no baseline to compare it with")
    if not any(lane in measured.lanes for session in before.sessions for measured in session):
        return Compared(Verdict.INCONCLUSIVE, f"{before.source} has no lane {lane}")
    now = _numbers(limit, lane, rounds)
    sessions = [(_numbers(limit, lane, session), session) for session in before.sessions]
    known = [numbers for numbers, session in sessions if len(numbers) == len(session)]
    if not known:
        return _lacking(limit, lane, before)
    if why := other_scale(limit, now, known):
        return Compared(Verdict.NOT_MEASURED, why)
    rule = _rule(limit, regression, before)
    if not rule.in_points and (why := _no_share(now, known, rule, before)):
        return Compared(Verdict.NOT_MEASURED, why)
    return _told(compare(now, known, rule), _source(before, len(known)))


def _source(before: Before, known: int) -> str:
    """Say what a number is compared with: of a baseline only those sessions that have it."""
    every = len(before.sessions)
    return before.source if known == every else f"{known} of {every} sessions of the baseline"


def _no_share(
    now: Sequence[float], known: Sequence[Sequence[float]], rule: Rule, before: Before
) -> str:
    """Say why a change would be a share of nothing; empty where it is one."""
    if min(map(min, known)) <= 0 and not rule.exact:
        return f"{before.source} has 0, and nothing is a share of 0"
    if min(now) < 0:
        return "a change to less than 0 is no share; write max_regression in points"
    return ""


def explain_changes(
    limits: Iterable[Judged], rounds: Sequence[Measurement], before: Before
) -> dict[str, tuple[Cause, ...]]:
    """Return by lane where a time that became worse, or better, comes from."""
    lanes = {judged.lane for judged in limits if _is_to_be_explained(judged)}
    return _causes((lane for lane in rounds[0].lanes if lane in lanes), rounds, before)


def causes_by_lane(rounds: Sequence[Measurement], before: Before) -> dict[str, tuple[Cause, ...]]:
    """Return by lane the parts of the difference that its ops make, whatever that means.

    None of a lane whose ops one side does not tell: absent is not zero.
    """
    return _causes(rounds[0].lanes, rounds, before)


def _causes(
    lanes: Iterable[str], rounds: Sequence[Measurement], before: Before
) -> dict[str, tuple[Cause, ...]]:
    sides = ([each for session in before.sessions for each in session], rounds)
    ops = {lane: [middle_ops(side, lane) for side in sides] for lane in lanes}
    return {lane: explain(*both) for lane, both in ops.items() if all(both)}


def _is_to_be_explained(judged: Judged) -> bool:
    changed = judged.comparison is not None and (
        judged.comparison.improved or judged.verdict is Verdict.FAILED
    )
    return changed and judged.limit.dimension is Dimension.TIME


def _numbers(limit: Limit, lane: str, rounds: Sequence[Measurement]) -> list[float]:
    values = (value_in(limit.wanted, lane, measured).value for measured in rounds)
    return [float(value) for value in values if value is not None]


def _lacking(limit: Limit, lane: str, before: Before) -> Compared:
    """Say that there is no number before; only the other side of a session tells why."""
    if before.is_stored:
        return Compared(Verdict.NEW, f"{before.file or before.source} does not have it yet")
    rounds = [measured for session in before.sessions for measured in session]
    reasons = (value_in(limit.wanted, lane, each).reason for each in rounds)
    why = next((f": {reason}" for reason in reasons if reason), "")
    return Compared(Verdict.NOT_MEASURED, f"{before.source} does not have it{why}")


def _rule(limit: Limit, regression: Regression, before: Before) -> Rule:
    is_time = limit.dimension is Dimension.TIME
    return Rule(
        max_regression=float(regression.value),
        in_points=regression.in_points,
        better=limit.better,
        exact=limit.dimension.is_exact,
        min_effect=float(before.noise.min_effect) if is_time else 0.0,
        session_noise=float(before.noise.between_sessions),
        alpha=ALPHA / before.looks,
    )


def _told(change: Change, source: str) -> Compared:
    comparison = Comparison(
        baseline=_exact(change.baseline) or Fraction(0),
        change=_exact(change.change),
        low=_exact(change.low),
        high=_exact(change.high),
        improved=change.improved,
        source=source,
        in_force=_in_force(change.wider),
    )
    return Compared(_VERDICTS[change.verdict], change.remark, comparison)


def _in_force(wider: Wider | None) -> InForce | None:
    if wider is None:
        return None
    return InForce(Fraction(str(round(wider.limit, _DIGITS))), wider.why, wider.decides)


def _exact(number: float | None) -> Fraction | None:
    """Return a number as what its first digits say; None for an infinite one, over nothing."""
    if number is None or number in (float("inf"), float("-inf")):
        return None
    return Fraction(str(round(number, _DIGITS)))
