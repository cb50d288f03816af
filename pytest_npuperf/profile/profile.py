"""A profile: its lanes, and each table as a DataFrame, read once and checked before it is used."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile import agreement, checks, contradictions, forms, runs
from pytest_npuperf.profile.devices import devices_of
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.layouts import Unit, find_units
from pytest_npuperf.profile.reader import stacked
from pytest_npuperf.profile.steps import Scope, StepCount, count_steps
from pytest_npuperf.profile.tables import BY_NAME

ALWAYS = {
    "op_summary": (
        *("device_id", "step_id", "infer_id", "op_type", "task_type"),
        *("task_start_ns", "task_duration_us"),
    ),
    "task_time": ("device_id", "kernel_type", "task_start_ns", "task_time_us"),
}
"""What is read of the large tables whatever is wanted; the others are read whole."""

_APART = ("stream_id", "task_id", "context_id", "op_name", "task_wait_us")
"""What tells tasks of an op_summary apart that start together and take equally long.

At level 0 there are no ids; but a task that starts with the one before it waited for nothing.
"""


@dataclass(frozen=True)
class Lane:
    """One rank or process on one device; ``key`` names it."""

    key: str
    unit: int
    """Which of the profile's units it belongs to."""
    device: str


def open_profile(
    path: Path, one_run: bool = False, on_bytes: forms.OnBytes | None = None
) -> Profile:
    """Return the profile at a path: a folder that msprof or a framework wrote, or a table.

    With ``one_run``, all that lies there is known to come from one start of the app. Otherwise
    several ``PROF_*`` folders must overlap in time to be taken for processes of one run.
    ``on_bytes`` is told of timelines that are read. Raises ProfileError.
    """
    try:
        units = find_units(path)
    except OSError as err:
        raise ProfileError(f"{err.filename or path}: cannot be read: {err.strerror}") from err
    profile = Profile(path, units, on_bytes)
    if not one_run:
        runs.refuse_several(path, profile.units, profile.unit_rows)
    return profile


class Profile:
    """One run's data. Tables are attributes: ``profile.op_summary``, ``profile.step_trace`` ...

    Columns end in their unit (``task_duration_us``); start times are int64 ns; a missing value is
    absent and never zero. Every table has the columns ``lane`` and ``device_id``.
    """

    def __init__(
        self, path: Path, units: Sequence[Unit], on_bytes: forms.OnBytes | None = None
    ) -> None:
        self.path = path
        self._on_bytes = on_bytes
        self.units = tuple(units)
        self._columns: dict[tuple[int, str], frozenset[str]] = {}
        self._frames: dict[tuple[int, str], pd.DataFrame] = {}
        self._checked: set[tuple[int, str]] = set()
        self._without_device: set[tuple[int, str]] = set()
        """Tables of which a file says no device: it is taken to be the only one."""

    def __getattr__(self, name: str) -> pd.DataFrame:
        if name not in BY_NAME:
            raise AttributeError(f"a profile has no table {name}; it may have {', '.join(BY_NAME)}")
        return self.table(name)

    def table(self, name: str) -> pd.DataFrame:
        """Return all columns of a table, all lanes. Raises ProfileError where it is not there."""
        units = [index for index, unit in enumerate(self.units) if unit.of(name)]
        if lost := [lost for unit in self.units for lost in unit.failed(name)]:
            raise ProfileError(lost[0].error)
        if not units:
            raise ProfileError(f"{self.path}: no table {name}; there is {', '.join(self.tables)}")
        frames = [self._with_lane(unit, self.unit_rows(unit, name, None)) for unit in units]
        # pandas 2.2 warns of those without rows.
        filled = [frame for frame in frames if len(frame)]
        return pd.concat(filled, ignore_index=True) if filled else frames[0]

    @property
    def tables(self) -> tuple[str, ...]:
        """Return the names of the tables that are there."""
        return tuple(name for name in BY_NAME if any(unit.of(name) for unit in self.units))

    @property
    def lost(self) -> tuple[str, ...]:
        """Return what to say of the tables whose export failed."""
        return tuple(dict.fromkeys(lost.note for unit in self.units for lost in unit.lost))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Return what to say of tables that differ, though neither need be wrong.

        Raises ProfileError.
        """
        units = enumerate(self.units)
        found = (contradictions.doubts(unit, partial(self._source, index)) for index, unit in units)
        return tuple(dict.fromkeys(text for texts in found for text in texts))

    @cached_property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes in order; a single one has the key ``0``, several ``rank/device``."""
        found = [
            (index, device)
            for index, unit in enumerate(self.units)
            for device in devices_of(unit, partial(self._source, index))
        ]
        if len(found) == 1:
            return (Lane("0", *found[0]),)
        ranks = [unit.rank or str(index) for index, unit in enumerate(self.units)]
        return tuple(Lane(f"{ranks[unit]}/{device}", unit, device) for unit, device in found)

    @property
    def scope(self) -> Scope:
        """Return whether the op tables hold the whole run, or single steps of it."""
        scopes = [self.steps(lane).scope for lane in self.lanes]
        return "step" if "step" in scopes else "run"

    def steps(self, lane: Lane, options: StepOptions | None = None) -> StepCount:
        """Return how many steps the op table of a lane covers. Raises ProfileError."""
        unit = self.units[lane.unit]
        files = unit.of("op_summary") or unit.of("op_statistic")
        own = [file for file in files if file.device in (None, lane.device)]
        return count_steps(own, lambda table: self.lane_rows(lane, table), options or StepOptions())

    def _with_lane(self, unit: int, frame: pd.DataFrame) -> pd.DataFrame:
        keys = {lane.device: lane.key for lane in self.lanes if lane.unit == unit}
        lanes = frame["device_id"].astype(object).map(keys)
        if len(keys) == 1:
            # A table that names no device, or another number for it, is of the only one.
            lanes[:] = next(iter(keys.values()))
        return pd.concat(
            [lanes.rename("lane"), frame.drop(columns="lane", errors="ignore")], axis=1
        )

    def columns(self, unit: int, table: str) -> frozenset[str]:
        """Return the columns that every file of a unit's table has."""
        if (unit, table) not in self._columns:
            files = self.units[unit].of(table)
            headers = [forms.column_names(file) for file in files if not forms.is_whole(file)]
            if len(headers) < len(files):
                self._frames[unit, table] = frame = self._first_read(unit, table, None)
                headers = [frozenset(map(str, frame))]
            self._columns[unit, table] = (
                frozenset.intersection(*headers) if headers else frozenset()
            )
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
        if table in contradictions.CHECKED:
            self._check(lane.unit, contradictions.CHECKED[table])
        frame = self.unit_rows(lane.unit, table, columns)
        if sum(other.unit == lane.unit for other in self.lanes) == 1:
            return frame
        # What stands for the host belongs to the process, and so to each of its devices.
        return frame.loc[frame["device_id"].isin([lane.device, "host"]).to_numpy()]

    def _check(self, unit: int, table: str) -> None:
        """Compare a table with those that say the same thing, once."""
        if (unit, table) in self._checked:
            return
        self._checked.add((unit, table))
        if table == "op_summary" and self.units[unit].of(table):
            self._refuse_doubled_rows(unit)
        contradictions.refuse(
            self.units[unit], table, partial(self._source, unit), partial(self._twin, unit)
        )

    def _refuse_doubled_rows(self, unit: int) -> None:
        rows = self.unit_rows(unit, "op_summary")
        if len(checks.candidates(rows)):
            rows = self.unit_rows(unit, "op_summary", _APART)
            keys = [name for name in (*_APART, "op_type", "task_type") if name in rows]
            checks.refuse_doubled_rows(self.units[unit].of("op_summary")[0].path, rows, keys)

    def _source(self, unit: int, table: str, columns: Sequence[str] = ()) -> agreement.Source:
        files = self.units[unit].of(table)
        rows = self.unit_rows(unit, table, columns)
        return agreement.Source(files[0].path, rows, (unit, table) not in self._without_device)

    def _twin(self, unit: int, table: str) -> agreement.Source:
        files = self.units[unit].twin(table)
        rows, says_device = _read(files, ALWAYS.get(table))
        return agreement.Source(files[0].path, rows, says_device)

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
            known = self._first_read(unit, table, missing)
        elif missing:
            more, _ = _read(self.units[unit].of(table), missing)
            known = pd.concat([known, more[sorted(missing)]], axis=1)
        self._frames[unit, table] = known
        return known

    def _first_read(self, unit: int, table: str, columns: Collection[str] | None) -> pd.DataFrame:
        rows, says_device = _read(self.units[unit].of(table), columns, self._on_bytes)
        if not says_device:
            self._without_device.add((unit, table))
        return rows


def _read(
    files: Sequence[TableFile],
    columns: Collection[str] | None,
    on_bytes: forms.OnBytes | None = None,
) -> tuple[pd.DataFrame, bool]:
    """Return columns of all files of a table, and whether rows or names say the device.

    None: the columns that every file has.
    """
    frames, says_device = [], True
    for file in files:
        frame = forms.read(file, None if columns is None else {*columns, "device_id"}, on_bytes)
        if "device_id" not in frame or bool(frame["device_id"].isna().all()):
            says_device &= file.device is not None
            device = pd.Categorical([file.device or "0"])
            frame = frame.assign(device_id=device.repeat(len(frame)))
        if file.kernel:
            frame = frame.assign(kernel=pd.Categorical([file.kernel]).repeat(len(frame)))
        checks.check_table(checks.Place(file.path, file.table.name), frame)
        frames.append(frame)
    if columns is None:
        shared = [name for name in frames[0] if all(name in frame for frame in frames)]
        frames = [frame[shared] for frame in frames]
    return stacked(frames), says_device
