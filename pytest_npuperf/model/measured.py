"""What was measured: a value for each number that was wanted, and the ops behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.model.limits import Wanted


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
class Reported:
    """A number that the test reported itself."""

    value: Fraction
    unit: str = ""
    against: Fraction | None = None
    """The same of what the case is compared with, where the test said it."""


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
    """The longest ops that each failed limit is about, of the worst limit first; where a report
    lists them, those of any limit before."""


@dataclass(frozen=True)
class Measurement:
    """One round: a lane measurement for each lane key, in order; ``notes`` are for people."""

    lanes: Mapping[str, LaneMeasurement]
    notes: tuple[str, ...] = ()
