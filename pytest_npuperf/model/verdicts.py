"""What is said of what was measured: the verdict of each limit, and of the case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from pytest_npuperf.model.limits import Limit
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
        return list(Verdict).index(self)


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

    @property
    def warned(self) -> bool:
        """Return whether it is over a limit that only warns."""
        return self.verdict is Verdict.FAILED and self.limit.on_fail == "warn"

    @property
    def counts_as(self) -> Verdict:
        """Return what it adds to the verdict of its case: a warned failure is no failure."""
        return Verdict.PASSED if self.warned else self.verdict


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
    blocks: bool = False
    """Whether the test fails by this result."""
