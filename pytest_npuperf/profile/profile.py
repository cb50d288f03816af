"""A profile: its lanes, and each table as a DataFrame, read once and checked before it is used."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import checks, runs
from pytest_npuperf.profile.layouts import TableFile, Unit, find_units
from pytest_npuperf.profile.reader import read_header, read_table, stacked
from pytest_npuperf.profile.tables import BY_NAME

ALWAYS = {
    "op_summary": (
        *("device_id", "step_id", "infer_id", "op_type", "task_type"),
        *("task_start_ns", "task_duration_us"),
    ),
    "task_time": (
        *("device_id", "kernel_type", "stream_id", "task_id"),
        *("task_start_ns", "task_time_us"),
    ),
}
"""What is read of the large tables whatever is wanted; the others are read whole."""

_KEYS = ("stream_id", "task_id")
"""What tells the rows of an op_summary apart in task_time."""


@dataclass(frozen=True)
class Lane:
    """One rank or process on one device; ``key`` names it."""

    key: str
    unit: int
    """Which of the profile's units it belongs to."""
    device: str


def open_profile(path: Path, one_run: bool = False) -> Profile:
    """Return the profile at a path: a folder that msprof or a framework wrote, or a table.

    With ``one_run``, all that lies there is known to come from one start of the app. Otherwise
    several ``PROF_*`` folders must overlap in time to be taken for processes of one run.
    Raises ProfileError.
    """
    profile = Profile(path, find_units(path))
    if not one_run:
        runs.refuse_several(path, profile.units, profile.unit_rows)
    return profile


class Profile:
    """One run's data. Tables are attributes: ``profile.op_summary``, ``profile.step_trace`` ...

    Columns end in their unit (``task_duration_us``); start times are int64 ns; a missing value is
    absent and never zero. Every table has the columns ``lane`` and ``device_id``.
    """

    def __init__(self, path: Path, units: Sequence[Unit]) -> None:
        self.path = path
        self.units = tuple(units)
        self._columns: dict[tuple[int, str], frozenset[str]] = {}
        self._frames: dict[tuple[int, str], pd.DataFrame] = {}
        self._checked: set[int] = set()

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in BY_NAME:
            raise AttributeError(f"a profile has no table {name}; it may have {', '.join(BY_NAME)}")
        return self.table(name)

    def table(self, name: str) -> pd.DataFrame:
        """Return all columns of a table, all lanes. Raises ProfileError where it is not there."""
        units = [index for index, unit in enumerate(self.units) if unit.of(name)]
        if not units:
            raise ProfileError(f"{self.path}: no table {name}; there is {', '.join(self.tables)}")
        frames = [self._with_lane(unit, self.unit_rows(unit, name, None)) for unit in units]
        return pd.concat(frames, ignore_index=True)

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that are there."""
        return tuple(name for name in BY_NAME if any(unit.of(name) for unit in self.units))

    @cached_property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes in order; a single one has the key ``0``, several ``rank/device``."""
        found = [
            (unit, device) for unit in range(len(self.units)) for device in self._devices(unit)
        ]
        if len(found) == 1:
            return (Lane("0", *found[0]),)
        ranks = [unit.rank or str(index) for index, unit in enumerate(self.units)]
        return tuple(Lane(f"{ranks[unit]}/{device}", unit, device) for unit, device in found)

    def _devices(self, unit: int) -> list[str]:
        for table in ("op_summary", "op_statistic", "step_trace", "step_trace_time"):
            if self.units[unit].of(table):
                found = set(self.unit_rows(unit, table, ("device_id",))["device_id"])
                return sorted(found - {"host"}, key=int)
        return ["0"]

    def _with_lane(self, unit: int, frame: pd.DataFrame) -> pd.DataFrame:
        keys = {lane.device: lane.key for lane in self.lanes if lane.unit == unit}
        framed = frame.copy(deep=False)
        framed.insert(0, "lane", frame["device_id"].astype(object).map(keys))
        return framed

    def columns(self, unit: int, table: str) -> frozenset[str]:
        """Return the columns that every file of a unit's table has."""
        if (unit, table) not in self._columns:
            files = self.units[unit].of(table)
            headers = [frozenset(read_header(file.path, file.table).names) for file in files]
            self._columns[unit, table] = frozenset.intersection(*headers) if headers else frozenset()
        return self._columns[unit, table]

    def lane_rows(
        self, lane: Lane, table: str, columns: Collection[str] = ()
    ) -> pd.DataFrame | None:
        """Return the rows of one lane with at least these columns, where the file has them.

        None: the lane's unit has no such table. Raises ProfileError, also where tables of the
        unit contradict each other.
        """
        if not self.units[lane.unit].of(table):
            return None
        if table in ("op_summary", "op_statistic"):
            self._check(lane.unit)
        frame = self.unit_rows(lane.unit, table, columns)
        if sum(other.unit == lane.unit for other in self.lanes) == 1:
            return frame
        return frame[(frame["device_id"] == lane.device).to_numpy()]

    def _check(self, unit: int) -> None:
        """Compare the tables that say the same thing, once."""
        if unit in self._checked:
            return
        self._checked.add(unit)
        statistic = self._source(unit, "op_statistic")
        # The files of single steps have shares of their own.
        if statistic is not None and len(self.units[unit].of("op_statistic")) == 1:
            checks.inside_op_statistic(statistic)
        summary = self._source(unit, "op_summary")
        if summary is None:
            return
        if statistic is not None:
            checks.against_op_statistic(summary, statistic)
        task_time = self._source(unit, "task_time")
        if task_time is not None:
            keyed = checks.Source(summary.path, self.unit_rows(unit, "op_summary", _KEYS))
            checks.against_task_time(keyed, task_time)

    def _source(self, unit: int, table: str) -> checks.Source | None:
        files = self.units[unit].of(table)
        return checks.Source(files[0].path, self.unit_rows(unit, table)) if files else None

    def unit_rows(
        self, unit: int, table: str, columns: Collection[str] | None = ()
    ) -> pd.DataFrame:
        """Return a unit's table with at least these columns (None: all) where the file has them.

        What was read before is not read again. Raises ProfileError.
        """
        there = self.columns(unit, table)
        always = there if columns is None else ALWAYS.get(table, there)
        wanted = there.intersection({*always, *(columns or ())})
        known = self._frames.get((unit, table))
        missing = wanted.difference(() if known is None else known.columns)
        if known is None:
            known = self._read(unit, table, missing)
        elif missing:
            more = self._read(unit, table, missing)
            known = pd.concat([known, more[sorted(missing)]], axis=1)
        self._frames[unit, table] = known
        return known

    def _read(self, unit: int, table: str, columns: Collection[str]) -> pd.DataFrame:
        return stacked(
            [
                _with_device(file, read_table(file.path, file.table, {*columns, "device_id"}))
                for file in self.units[unit].of(table)
            ]
        )


def _with_device(file: TableFile, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their device; where no column says it, the file's name does."""
    if "device_id" not in frame or bool(frame["device_id"].isna().all()):
        device = file.device or "0"
        return frame.assign(device_id=pd.Categorical([device]).repeat(len(frame)))
    absent = frame["device_id"].isna().to_numpy()
    if absent.any():
        line = int(absent.argmax()) + 2
        raise ProfileError(f"{file.path}:{line}: the row has no Device_id, other rows have one")
    return frame
