"""Say whether a number is worse than its baseline, or whether noise hides it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from typing import Literal

from pytest_npuperf.judge.statistics import (
    FEWEST_TO_PREDICT,
    Estimate,
    leads,
    prediction_limits,
    relative_shift,
    shift,
)
from pytest_npuperf.model import ENOUGH_ROUNDS
from pytest_npuperf.text import many

ALPHA = 0.05
"""How often each bound of a comparison may be wrong, over all its looks."""
WIDENING = 1.5
"""By how many times the noise between sessions a limit is widened where few sessions show it."""

Outcome = Literal["worse", "within", "undecided"]


@dataclass(frozen=True)
class Rule:
    """What counts as worse.

    ``max_regression`` and ``session_noise`` are relative, 0.05 is 5 %; with ``in_points``
    ``max_regression`` is a difference on the number's own scale, as ``min_effect`` always is.
    """

    max_regression: float
    in_points: bool = False
    better: Literal["lower", "higher"] = "lower"
    exact: bool = False
    """Counts and sizes have no noise: every round counts, and the worst of each side decides."""
    min_effect: float = 0.0
    session_noise: float = 0.0
    """Zero where both sides are of one session."""
    alpha: float = ALPHA
    """How often each bound may be wrong at this look: ALPHA over the number of looks."""


@dataclass(frozen=True)
class Wider:
    """The limit that is in force instead of the one of the rule, for noise between sessions."""

    limit: float
    """In the scale of ``max_regression``, and more than that."""
    why: str
    """``with 1 session of 5 needed``."""
    decides: bool
    """Whether the change is beyond ``max_regression``, and not beyond this."""


@dataclass(frozen=True)
class Change:
    """How a number differs from its baseline, and what follows from it."""

    baseline: float
    """The median of the baseline's rounds; of an exact number the worst of its newest session."""
    change: float
    """As measured, 0.2 is 20 % more; in points a difference."""
    low: float | None
    """The change is at least this, and wrongly so as rarely as alpha says.

    None where there are too few rounds to say it, and for an exact number.
    """
    high: float | None
    """The change is at most this."""
    verdict: Outcome
    improved: bool
    """It is better, by the rule that says worse, turned round."""
    remark: str
    wider: Wider | None = None
    """None where the limit of the rule is in force."""


def compare(now: Sequence[float], sessions: Sequence[Sequence[float]], rule: Rule) -> Change:
    """Compare the rounds of now with those of the sessions of a baseline, the newest last.

    Raises ValueError for no rounds, a round that is not finite, and one that nothing is relative
    to: a negative number, and in a baseline zero unless the rule is exact.
    """
    _check("now", now, rule, zero=True)
    if not sessions:
        raise ValueError("the baseline has no session")
    for number, session in enumerate(sessions, 1):
        _check(f"session {number} of the baseline", session, rule, zero=rule.exact)
    if rule.exact:
        return _compare_exact(now, sessions[-1], rule)
    return _compare_noisy(now, sessions, rule)


def _check(side: str, rounds: Sequence[float], rule: Rule, zero: bool) -> None:
    if not len(rounds):
        raise ValueError(f"{side} has no rounds")
    for number, value in enumerate(rounds, 1):
        if not math.isfinite(value):
            raise ValueError(f"round {number} of {side} is {value}, not a finite number")
        if not rule.in_points and (value < 0 or (value == 0 and not zero)):
            words = "nothing is relative to that"
            raise ValueError(f"round {number} of {side} is {value:g}, and {words}")


def _compare_exact(now: Sequence[float], before: Sequence[float], rule: Rule) -> Change:
    worst = max if rule.better == "lower" else min
    value, baseline = float(worst(now)), float(worst(before))
    if rule.in_points:
        change = value - baseline
    elif baseline:
        change = value / baseline - 1
    else:
        change = math.inf if value else 0.0
    worse_by = _worse(rule) * change
    verdict: Outcome = "worse" if _exceeds(worse_by, rule.max_regression) else "within"
    improved = _exceeds(-worse_by, rule.max_regression)
    return Change(baseline, change, None, None, verdict, improved, "")


def _compare_noisy(now: Sequence[float], sessions: Sequence[Sequence[float]], rule: Rule) -> Change:
    found = _Found.of(now, sessions, rule)
    verdict = found.outcome(_worse(rule))
    improved = found.outcome(-_worse(rule)) == "worse"
    baseline, change = found.baseline, found.change
    remark = "; ".join(found.remarks(_worse(rule)))
    wider = found.wider(_worse(rule))
    bounds = change.low, change.high
    return Change(baseline, change.middle, *bounds, verdict, improved, remark, wider)


def _worse(rule: Rule) -> int:
    """Return the sign of a change for the worse."""
    return 1 if rule.better == "lower" else -1


def _exceeds(value: float, limit: float) -> bool:
    """Return whether a value is above a limit by more than the rounding of binary numbers."""
    return value > limit and not math.isclose(value, limit, rel_tol=1e-9)


@dataclass(frozen=True)
class _Found:
    """What the rounds say, before a direction is asked: 1 looks for more, -1 for less."""

    now: Sequence[float]
    sessions: Sequence[Sequence[float]]
    rule: Rule
    baseline: float
    change: Estimate
    effect: Estimate
    """The same change on the number's own scale."""

    @classmethod
    def of(cls, now: Sequence[float], sessions: Sequence[Sequence[float]], rule: Rule) -> _Found:
        rounds = list(chain.from_iterable(sessions))
        few = min(len(now), len(rounds)) < ENOUGH_ROUNDS
        # Nothing bounds a change surely: with no risk allowed, there are no bounds.
        alpha = 0.0 if few else rule.alpha
        change = (shift if rule.in_points else relative_shift)(now, rounds, alpha)
        same = rule.in_points or not rule.min_effect  # in sign, which is all that zero asks
        effect = change if same else shift(now, rounds, alpha)
        return cls(now, sessions, rule, float(median(rounds)), change, effect)

    @property
    def few(self) -> bool:
        """Whether the rounds are too few to tell noise from change."""
        return self.change.low is None

    @property
    def predicts(self) -> bool:
        """Whether the sessions themselves show what to expect of one more."""
        return len(self.sessions) >= FEWEST_TO_PREDICT and not self.few

    @property
    def session_noise(self) -> float:
        """The noise assumed between sessions, in points where the change is."""
        return self.rule.session_noise * (abs(self.baseline) if self.rule.in_points else 1)

    @property
    def widening(self) -> float:
        """By how much the limit is wider than it says, for noise between sessions."""
        return 0.0 if self.predicts else WIDENING * self.session_noise

    def outcome(self, sign: int) -> Outcome:
        """Judge the change in one direction."""
        (low, middle, high), (_, effect, most) = (
            _towards(each, sign) for each in (self.change, self.effect)
        )
        limit, least = self.rule.max_regression + self.widening, self.rule.min_effect
        beyond = _exceeds(middle, limit) and _exceeds(effect, least)
        if beyond and (low > 0 or self.clear(sign)):
            return "undecided" if self.expected(sign) else "worse"
        return "undecided" if _exceeds(high, limit) and _exceeds(most, least) else "within"

    def clear(self, sign: int) -> bool:
        """Return whether more of the best rounds are of the better side than chance explains.

        Two outliers among the five rounds of a baseline hide any change from its bounds.
        """
        worse = _worse(self.rule)
        now = [worse * value for value in self.now]
        before = [worse * value for value in chain.from_iterable(self.sessions)]
        one, other = (before, now) if sign == worse else (now, before)
        return leads(one, other, self.rule.alpha)

    def expected(self, sign: int) -> bool:
        """Return whether the sessions vary as much among themselves, as far as they show."""
        return self.predicts and self.room(sign) >= 0

    def room(self, sign: int) -> float:
        """Return how far now is from what the sessions do not predict; a logarithm, or points."""
        scale = float if self.rule.in_points else _log
        medians = [scale(median(session)) for session in self.sessions]
        low, high = prediction_limits(medians, self.session_noise)
        value = scale(median(self.now))
        return high - value if sign > 0 else value - low

    def wider(self, sign: int) -> Wider | None:
        """Return the limit that is in force where it is not the one of the rule."""
        written, worse_by = self.rule.max_regression, sign * self.change.middle
        limit = self.predicted(sign) if self.predicts else written + self.widening
        if not (math.isfinite(limit) and _exceeds(limit, written)):
            return None
        counts = _exceeds(sign * self.effect.middle, self.rule.min_effect)
        decides = counts and _exceeds(worse_by, written) and not _exceeds(worse_by, limit)
        return Wider(limit, self.why, decides)

    def predicted(self, sign: int) -> float:
        """Return the change, for the worse, up to which the sessions predict what now is."""
        room = self.room(sign)
        if self.rule.in_points:
            return sign * self.change.middle + room
        if not math.isfinite(room):
            return math.inf  # now is nothing, of which no prediction is a share
        return sign * ((1 + self.change.middle) * math.exp(sign * room) - 1)

    @property
    def why(self) -> str:
        """Say why a limit is wider than it is written."""
        count = len(self.sessions)
        if self.predicts:
            return f"by the noise between {count} sessions"
        if count < FEWEST_TO_PREDICT:
            return f"with {many(count, 'session')} of {FEWEST_TO_PREDICT} needed"
        return f"with fewer than {ENOUGH_ROUNDS} rounds on a side"

    def remarks(self, sign: int) -> Iterator[str]:
        """Say in words what the numbers of a change do not."""
        worse_by = sign * self.change.middle
        if self.few:
            rounds = sum(map(len, self.sessions))
            now = many(len(self.now), "round")
            yield f"{now} against {rounds} cannot tell noise from change"
        if not _exceeds(worse_by, self.rule.max_regression):
            return
        if not _exceeds(sign * self.effect.middle, self.rule.min_effect):
            yield "the change is within min_effect"
        if _towards(self.change, sign)[0] <= 0 and self.clear(sign):
            yield "the best rounds of all are of the baseline"


def _towards(estimate: Estimate, sign: int) -> tuple[float, float, float]:
    """Return low bound, middle and high bound in one direction; without bounds, all the middle."""
    ends = (estimate.middle if end is None else end for end in (estimate.low, estimate.high))
    low, high = sorted(sign * end for end in ends)
    return low, sign * estimate.middle, high


def _log(value: float) -> float:
    return math.log(value) if value else -math.inf
