"""What is said of what was measured: the verdict of each limit, and of the case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from pytest_npuperf.model.limits import InForce, Limit
from pytest_npuperf.model.measured import Measurement


class Verdict(str, Enum):
    """The outcome of a limit or a case, worst first."""

    ERROR = "ERROR"
    FAILED = "FAILED"
    NOT_MEASURED = "NOT_MEASURED"
    INCONCLUSIVE = "INCONCLUSIVE"
    NEW = "NEW"
    PASSED = "PASSED"
    SKIPPED = "SKIPPED"

    def __str__(self) -> str:
        return self.value

    @property
    def rank(self) -> int:
        """Return 0 for the worst."""
        return _RANKS[self]


_RANKS = {verdict: rank for rank, verdict in enumerate(Verdict)}

_FROM_NOTHING = Fraction(10**9)


@dataclass(frozen=True)
class Comparison:
    """How a number differs from what it was before, or from the other side."""

    baseline: Fraction
    """The median of the other side's rounds."""
    change: Fraction | None
    """Now over before, less one; a difference where the limit is in points. Plus is more.

    None where it was zero before."""
    low: Fraction | None
    """The change is not less than this, nor more than ``high``, each with 95 % confidence."""
    high: Fraction | None
    """None, both, where there are too few rounds to tell."""
    improved: bool
    """Whether it is better by more than it may be worse."""
    source: str
    """What it was compared with, in words: ``baseline of 3 sessions``, ``resnet50_fp16``."""
    in_force: InForce | None = None
    """What holds instead of ``max_regression``; None where that does."""

    @property
    def is_between(self) -> bool:
        """Return whether it is beyond the limit as written, and not beyond the one in force."""
        return self.in_force is not None and self.in_force.decides

    def worse(self, limit: Limit) -> Fraction:
        """Return the change in the worse direction; whatever comes of nothing is a huge one."""
        return limit.for_the_worse(_FROM_NOTHING if self.change is None else self.change)

    def show_beside(self, limit: Limit) -> tuple[str, str, str]:
        """Return the change, what is allowed, and what is in force instead; all told apart.

        ``+9.6 %``, ``+5.0 %`` and ``9.5 % in force with 1 session of 5 needed``, which is empty
        where the limit holds as it is written.
        """
        change, allowed, *wider = limit.show_apart((self.change, *self._limits(limit)))
        in_force = f"{wider[0].lstrip('+-')} in force " if wider else ""
        return change, allowed, in_force + (self.in_force.why if self.in_force else "")

    def show_bounds(self, limit: Limit) -> str:
        """Return between what the change is: ``surely +5.9 % to +8.1 %``; empty if that is open."""
        if self.low is None or self.high is None:
            return ""
        limits = self._limits(limit)
        low, high = (limit.show_apart((end, *limits))[0] for end in (self.low, self.high))
        return f"surely {low} to {high}"

    def _limits(self, limit: Limit) -> list[Fraction]:
        """Return the changes that are allowed, as they are written and as they are in force."""
        wider = [limit.for_the_worse(self.in_force.value)] if self.in_force else []
        return [limit.allowed or Fraction(0), *wider]


@dataclass(frozen=True)
class Judged:
    """A limit with its verdict on the worst lane."""

    limit: Limit
    verdict: Verdict
    lane: str
    value: Fraction | None
    samples: int
    coverage: Fraction
    reason: str
    """One line for people: both numbers told apart, or what is missing."""
    remark: str = ""
    """The part of the reason that is no number: what is missing, or why it is not judged."""
    comparison: Comparison | None = None
    """The change, where the limit has ``max_regression`` and there is something to compare."""

    @property
    def excess(self) -> Fraction:
        """Return how far the value is beyond the bound that decides; zero is within it.

        Where there is no bound, how far the change is beyond what is allowed.
        """
        bound = None if self.value is None else self.limit.nearest(self.value)
        if bound is not None and self.value is not None:
            return bound.excess(self.value)
        if self.comparison is None or self.limit.max_regression is None:
            return Fraction(0)
        return self.comparison.worse(self.limit) - self.limit.max_regression.value

    @property
    def is_by_change(self) -> bool:
        """Return whether the verdict is that on the change, and not on a bound."""
        if self.comparison is None:
            return False
        bound = None if self.value is None else self.limit.nearest(self.value)
        return bound is None or self.value is None or bound.excess(self.value) <= 0

    @property
    def has_changed(self) -> bool:
        """Return whether it is told from noise that the number is better or worse than before."""
        is_better = self.comparison is not None and self.comparison.improved
        return is_better or (self.is_by_change and self.verdict is Verdict.FAILED)

    @property
    def tolerated(self) -> bool:
        """Return whether it is worse than is written, and passes as a wider limit is in force."""
        passed = self.verdict is Verdict.PASSED
        return passed and self.comparison is not None and self.comparison.is_between

    @property
    def warned(self) -> bool:
        """Return whether it is over a limit that only warns."""
        return self.verdict is Verdict.FAILED and self.limit.on_fail == "warn"

    @property
    def counts_as(self) -> Verdict:
        """Return what it adds to the verdict of its case: a warned failure is no failure."""
        return Verdict.PASSED if self.warned else self.verdict


class CauseKind(str, Enum):
    """What became of one kind of op."""

    MOVED = "moved"
    NEW = "new"
    VANISHED = "vanished"
    MORE_CALLS = "more calls"
    FEWER_CALLS = "fewer calls"
    SLOWER = "slower"
    FASTER = "faster"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Cause:
    """One part of a change: the ops of one type, core, shapes and data types on both sides."""

    kind: CauseKind
    type: str
    core: str
    shapes: str
    dtypes: str
    before_count: int
    count: int
    before_total: int
    """ns, as is ``total``."""
    total: int
    from_core: str = ""
    """Where it ran before; empty unless it moved."""

    @property
    def delta(self) -> int:
        """Return what it adds to the change, ns."""
        return self.total - self.before_total


@dataclass(frozen=True)
class OtherSide:
    """What a case was compared with in one session."""

    title: str
    """The name of the other case, or its app."""
    profiles: tuple[str, ...] = ()
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    rounds: tuple[Measurement, ...] = ()


@dataclass(frozen=True)
class CaseResult:
    """Everything that a report says of one case."""

    case: str
    test: str
    verdict: Verdict
    mode: str
    """``run`` or ``replay``; empty when nothing was collected."""
    reason: str = ""
    """Why it is ERROR or SKIPPED; empty otherwise."""
    profiles: tuple[str, ...] = ()
    recorded: str = ""
    """The date of a replayed profile."""
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    rounds: tuple[Measurement, ...] = ()
    limits: tuple[Judged, ...] = ()
    notes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """What files about a quantised model say beside their numbers."""
    causes: Mapping[str, tuple[Cause, ...]] = field(default_factory=dict)
    """By lane: where a changed time comes from; worst first, and they sum to the change."""
    against: OtherSide | None = None
    blocks: bool = False
    """Whether the test fails by this result."""
