"""An area of ``npuperf show``: what its columns are called, and its rows as exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.units import Dimension

Cell = str | int | Fraction | None
"""A text or a number in the unit of its dimension; None where the profile does not say."""
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Field:
    """A column of an area."""

    key: str
    """What JSON calls it; a time ends in ``_ns``, a size in ``_bytes``."""
    heading: str
    dimension: Dimension | None = None
    """None: a text."""
    drop: int = 0
    """Columns with the highest number go first where there is little room; those with 0 stay."""
    least: int = 0
    """How narrow its text may be cut; 0: it is never cut."""
    is_prose: bool = False
    """A sentence, which is broken into lines and never cut."""
    decimals: int = 0
    """How many a number is shown with; 0: three significant digits, whatever its size."""


LANE = Field("lane", "lane")
CUT = 16
"""The least width of every text that may be cut: less of a name says nothing."""


@dataclass(frozen=True)
class Spec:
    """What an area is about."""

    key: str
    """What JSON calls it."""
    title: str
    needs: tuple[str, ...]
    """The tables that can give it; any one is enough."""
    fields: tuple[Field, ...]
    """Its columns, the lane left out."""
    has_lanes: bool = True
    """Whether its rows are of lanes; files about a quantised model know none."""

    def missing(self) -> str:
        """Return what to say where the profile has none of its tables."""
        return f"needs {' or '.join(self.needs)}"


@dataclass(frozen=True)
class Area:
    """What a profile says about it."""

    spec: Spec
    rows: tuple[Row, ...] = ()
    """The lane first, where there are lanes, then a cell for each field."""
    more: int = 0
    """How many rows are left out, for the sake of brevity."""
    reason: str = ""
    """Why there is no row; empty where there is one."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return all columns, the lane first where there are lanes."""
        return (LANE, *self.spec.fields) if self.spec.has_lanes else self.spec.fields

    @property
    def is_missing(self) -> bool:
        """Return whether the profile has none of the tables that could give it."""
        return self.reason == self.spec.missing()


@dataclass(frozen=True)
class Found:
    """The first rows of one lane, and how many there are in all."""

    rows: Sequence[Row]
    count: int


OfLane = Callable[[Profile, Lane, int], Found | None]
"""Returns at most so many rows of a lane; None where it has none of the tables."""


def first(rows: Sequence[Row], top: int) -> Found:
    """Return the first rows of a lane."""
    return Found(rows[:top], len(rows))


def lane_by_lane(spec: Spec, profile: Profile, top: int, of_lane: OfLane) -> Area:
    """Return an area with the first rows of each lane. Raises ProfileError."""
    return _joined(spec, [(lane.key, of_lane(profile, lane, top)) for lane in profile.lanes])


def process_by_process(spec: Spec, profile: Profile, top: int, of_lane: OfLane) -> Area:
    """Return an area about the host, whose rows belong to each lane of a process alike.

    Raises ProfileError.
    """
    found = []
    for unit in range(len(profile.units)):
        lanes = [lane for lane in profile.lanes if lane.unit == unit]
        key = lanes[0].key if len(lanes) == 1 else f"{lanes[0].key.partition('/')[0]}/*"
        found.append((key, of_lane(profile, lanes[0], top)))
    return _joined(spec, found)


def of_metrics(spec: Spec, profile: Profile, wanted: Sequence[Wanted]) -> Area:
    """Return an area with a row for each lane: its fields are metrics, as a budget limits them.

    A lane of which nothing is measured has no row. Raises ProfileError.
    """
    if not set(spec.needs) & set(profile.tables):
        return Area(spec, reason=spec.missing())
    rows, reasons = [], []
    for key, lane in measure(profile, wanted).lanes.items():
        found = [lane.values[number] for number in wanted]
        if any(value.value is not None for value in found):
            rows.append((key, *(value.value for value in found)))
        reasons += [value.reason for value in found]
    return Area(spec, tuple(rows), reason="" if rows else reasons[0])


def _joined(spec: Spec, parts: Sequence[tuple[str, Found | None]]) -> Area:
    there = [(key, found) for key, found in parts if found is not None]
    if not there:
        return Area(spec, reason=spec.missing())
    rows = tuple((key, *row) for key, found in there for row in found.rows)
    more = sum(found.count - len(found.rows) for _, found in there)
    return Area(spec, rows, more, "" if rows else "the table has no row")
