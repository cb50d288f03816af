"""Several profile folders side by side: processes of one run, or different runs mixed up."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.layouts import Unit

Rows = Callable[[int, str, Collection[str]], pd.DataFrame]

_TIMED = (("op_summary", "task_duration_us"), ("task_time", "task_time_us"))


def refuse_several(path: Path, units: Sequence[Unit], rows: Rows) -> None:
    """Raise ProfileError unless all folders can come from one start of the app.

    Ranks of a framework are told apart by their number. Processes under msprof must have run at
    the same time, since nothing in their names says that they belong together.
    """
    kinds = {unit.kind for unit in units}
    if len(units) == 1 or kinds == {"framework"}:
        return
    if len(kinds) > 1:
        raise ProfileError(f"{path}: profiles of different kinds: {_names(units)}; keep one")
    found = [(_window(index, unit, rows), unit) for index, unit in enumerate(units)]
    windows = sorted(found, key=lambda each: (each[0], each[1].path))
    for (window, unit), (other, copy) in combinations(windows, 2):
        if window == other:
            _refuse_copy(unit, copy)
    last = windows[0][0][1]
    for (start, end), unit in windows:
        if start > last:
            raise ProfileError(
                f"{path}: different runs side by side: {unit.path.name} began after the others "
                f"had ended ({_names(units)}); keep one, or put rounds into round_1, round_2, ..."
            )
        last = max(last, end)


def _window(index: int, unit: Unit, rows: Rows) -> tuple[int, int]:
    """Return the first start and the last end of a unit's tasks, ns."""
    for table, duration in _TIMED:
        if unit.of(table):
            frame = rows(index, table, ("task_start_ns", duration))
            if {"task_start_ns", duration} <= set(frame):
                timed = frame[["task_start_ns", duration]].dropna()
                if len(timed):
                    starts = timed["task_start_ns"].to_numpy(dtype="int64")
                    ends = starts + us_to_ns(timed[duration].to_numpy())
                    return int(starts.min()), int(ends.max())
    raise ProfileError(
        f"{unit.path}: one of several profile folders, without start times that tell whether "
        "they are one run; keep one"
    )


def _refuse_copy(unit: Unit, copy: Unit) -> None:
    """Refuse a folder with the same files: two processes never write the same times."""
    for table, _ in _TIMED:
        files, others = unit.of(table), copy.of(table)
        if files and len(files) == len(others) and all(map(_is_same, files, others)):
            raise ProfileError(f"{copy.path} is a copy of {unit.path}; keep one")


def _is_same(file: TableFile, other: TableFile) -> bool:
    return filecmp.cmp(file.path, other.path, shallow=False)


def _names(units: Sequence[Unit]) -> str:
    return ", ".join(unit.path.name for unit in units)
