"""The frozen values that cross from one stage to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from pytest_npuperf.units import Dimension

JSON = Any
"""What crosses a process or a file: dicts, lists, strings, numbers, booleans and None."""


@dataclass(frozen=True)
class Selector:
    """Which rows a rule means; each field holds globs (``*`` and ``?``), empty means any."""

    name: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    task_type: tuple[str, ...] = ()
    not_name: tuple[str, ...] = ()
    not_type: tuple[str, ...] = ()
    api_level: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """Return the fields that choose something, as plain data."""
        return {key: list(globs) for key, globs in vars(self).items() if globs}


@dataclass(frozen=True)
class Wanted:
    """One number that a limit asks for."""

    metric: str
    """A name of the catalogue, ``ops``, ``apis`` or ``custom.NAME``."""
    statistic: str | None = None
    """``p95``, ``total_per_step`` ...; the key, such as a layer, of a metric that has one for
    each; None for a scalar metric."""
    select: Selector = Selector()
    column: str | None = None
    """The PMU column of an ``ops`` rule's ``pmu`` limit, unit suffix left out."""

    def title(self) -> str:
        """Return what a person calls it: ``step_time p95``, ``ops type=Conv2D max``."""
        chosen = [f"{key}={','.join(globs)}" for key, globs in self.select.as_dict().items()]
        parts = [self.metric, *chosen, self.statistic, self.column]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class StepOptions:
    """How the steps of a profile are counted and timed."""

    warmup_steps: int | None = None
    """Steps dropped at the start; None: 1 where there is more than one."""
    model: int | None = None
    """The model id whose steps count; None: the one with most iterations."""
    steps: int | None = None
    """How many steps the app ran, used where the profile does not say."""


OnFail = Literal["fail", "warn"]
BoundKind = Literal["at_most", "at_least", "equal"]


@dataclass(frozen=True)
class Bound:
    """One side of a limit, in the unit of its dimension."""

    kind: BoundKind
    value: Fraction

    def excess(self, measured: Fraction) -> Fraction:
        """Return how far a value is beyond the bound; zero, at the bound, is within it."""
        if self.kind == "at_least":
            return self.value - measured
        if self.kind == "at_most":
            return measured - self.value
        return abs(measured - self.value)


@dataclass(frozen=True)
class Limit:
    """One bound on one number, with the place in the settings that says it."""

    wanted: Wanted
    dimension: Dimension
    at_most: Fraction | None = None
    at_least: Fraction | None = None
    equal: Fraction | None = None
    max_regression: Fraction | None = None
    on_fail: OnFail = "fail"
    why: str = ""
    where: str = ""
    """``pyproject.toml:12``, ``tests/test_speed.py::test_it (marker)`` ..."""
    better: Literal["lower", "higher"] = "lower"
    unit: str = ""
    """What the test counts a number of its own in; the other dimensions know theirs."""

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Return the absolute bounds that are set."""
        named: tuple[tuple[BoundKind, Fraction | None], ...] = (
            ("at_most", self.at_most),
            ("at_least", self.at_least),
            ("equal", self.equal),
        )
        return tuple(Bound(kind, value) for kind, value in named if value is not None)

    def nearest(self, measured: Fraction) -> Bound | None:
        """Return the bound that a value is furthest beyond or, within all, closest to."""
        return max(self.bounds, key=lambda bound: bound.excess(measured), default=None)


@dataclass(frozen=True)
class Value:
    """One measured number, or the reason why there is none. Absent is never zero."""

    value: Fraction | None
    samples: int = 1
    """How many rows or steps the number was made from."""
    coverage: Fraction = Fraction(1)
    """Share of the selected rows that had the value."""
    reason: str = ""
    """Why there is no value; empty where there is one."""
    data: tuple[int, ...] = ()
    """The single steps of a distribution in order, ns: percentiles pool them over rounds."""


@dataclass(frozen=True)
class OpRow:
    """All rows of one op type on one core: count, and total time in ns."""

    type: str
    core: str
    count: int
    total: int
    shapes: str = ""
    dtypes: str = ""


@dataclass(frozen=True)
class LongOp:
    """The longest run of the op of one name, ns; a cell that the profile lacks is empty."""

    name: str
    type: str
    core: str
    duration: int


@dataclass(frozen=True)
class LaneMeasurement:
    """What was measured on one lane in one round."""

    values: Mapping[Wanted, Value]
    ops: tuple[OpRow, ...] = ()
    longest: tuple[LongOp, ...] = ()
    """The longest ops that each failed limit is about; of the worst limit first."""


@dataclass(frozen=True)
class Measurement:
    """One round: a lane measurement for each lane key, in order; ``notes`` are for people."""

    lanes: Mapping[str, LaneMeasurement]
    notes: tuple[str, ...] = ()


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


# --- what is asked for ------------------------------------------------------------------------

Mode = Literal["auto", "run", "replay", "off"]


@dataclass(frozen=True)
class Msprof:
    """How the profiler is started."""

    command: str = "msprof"
    options: Mapping[str, str] = field(default_factory=dict)
    timeout_s: Fraction = Fraction(600)


@dataclass(frozen=True)
class Case:
    """One gated measurement, with every setting resolved."""

    name: str
    app: tuple[str, ...] = ()
    """The program and its arguments; empty where there is only a recording."""
    collector: Literal["msprof", "app"] = "msprof"
    cwd: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    recording: Path | None = None
    rounds: int = 1
    steps: StepOptions = StepOptions()
    soc: str | None = None
    """A glob over the hardware that the numbers hold for."""
    msprof: Msprof = Msprof()
    limits: tuple[Limit, ...] = ()
    mode: Mode = "auto"
    when_unavailable: Literal["skip", "fail"] = "skip"
    inconclusive: Literal["warn", "fail"] = "warn"
    strict: bool = False
    devices: tuple[int, ...] | None = None
    """The NPUs that may be used; None: those that are found."""
    record: bool = False
    """Save what was collected at ``recording``."""


@dataclass(frozen=True)
class Collected:
    """Where the profiles of a case are: one folder for each round."""

    rounds: tuple[Path, ...]
    mode: Literal["run", "replay"]
    recorded: str = ""
    """The date of a recording, ``2026-01-31``; empty for a live run."""
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    """What is known of the hardware and software: ``soc``, ``cann`` ..."""
    log: Path | None = None


@dataclass(frozen=True)
class Unavailable:
    """Neither an NPU for the app nor a recording; ``reason`` says so in one line."""

    reason: str
