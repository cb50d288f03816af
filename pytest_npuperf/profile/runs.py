"""Several profile folders side by side: processes of one run, or different runs mixed up."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Collection, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import SINCE_1970_NS, us_to_ns
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.layouts import Unit
from pytest_npuperf.profile.ranks import cann_of
from pytest_npuperf.text import named

Rows = Callable[[int, str, Collection[str]], pd.DataFrame]

Window = tuple[int, int]

_TIMED = (("op_summary", "task_duration_us"), ("task_time", "task_time_us"))
_TELLING = ("op_summary", "task_time", "step_trace_time")
"""The tables with times that no two processes have alike, the one to be believed first."""

_HOUR_NS = 3600 * 10**9
"""Clocks of hosts that work together do not differ by as much."""


def refuse_several(path: Path, units: Sequence[Unit], rows: Rows) -> None:
    """Raise ProfileError unless all folders can come from one start of the app.

    Ranks of a framework are told apart by their number. Processes under msprof must have run at
    the same time, since nothing in their names says that they belong together.
    """
    kinds = {unit.kind for unit in units}
    if len(units) == 1:
        return
    if len(kinds) > 1:
        raise ProfileError(f"{path}: profiles of different kinds: {_names(units)}; keep one")
    _refuse_copies(units)
    if kinds == {"framework"}:
        _refuse_other_jobs(path, units, rows)
    else:
        _refuse_other_runs(path, units, rows)


def _refuse_other_runs(path: Path, units: Sequence[Unit], rows: Rows) -> None:
    """Refuse processes that did not run at the same time."""
    found = [(_window(index, unit, rows), unit) for index, unit in enumerate(units)]
    for window, unit in found:
        if window is None:
            raise ProfileError(
                f"{unit.path}: one of several profile folders, without start times that tell "
                "whether they are one run; keep one"
            )
    late = _after_a_gap([(window, unit) for window, unit in found if window], 0)
    if late:
        unit, _ = late
        raise ProfileError(
            f"{path}: different runs side by side: {unit.path.name} began after the others "
            f"had ended ({_names(units)}); keep one, or put rounds into round_1, round_2, ..."
        )


def _refuse_other_jobs(path: Path, units: Sequence[Unit], rows: Rows) -> None:
    """Refuse ranks of which what they hold proves that they are of different jobs.

    Ranks need not run at the very same time, and the clocks of hosts may differ.
    """
    releases = [(unit, cann) for unit in units if (cann := cann_of(unit.path))]
    for (unit, release), (other, another) in pairwise(releases):
        if another != release:
            raise ProfileError(
                f"{path}: ranks of different jobs side by side: {unit.path.name} was recorded "
                f"with CANN {named(release)}, {other.path.name} with CANN {named(another)}; "
                "keep the ranks of one"
            )
    found = [(_window(index, unit, rows), unit) for index, unit in enumerate(units)]
    # Times since the boot of one host say nothing of another.
    dated = [(window, unit) for window, unit in found if window and window[0] > SINCE_1970_NS]
    late = _after_a_gap(dated, _HOUR_NS)
    if late:
        unit, gap = late
        raise ProfileError(
            f"{path}: ranks of different jobs side by side: {unit.path.name} began "
            f"{gap // _HOUR_NS} h after the others had ended ({_names(units)}); "
            "keep the ranks of one"
        )


def _after_a_gap(found: Sequence[tuple[Window, Unit]], gap: int) -> tuple[Unit, int] | None:
    """Return the first that began more than a gap, ns, after those before it ended, and by what."""
    windows = sorted(found, key=lambda each: (each[0], each[1].path))
    last = windows[0][0][1] if windows else 0
    for (start, end), unit in windows:
        if start - last > gap:
            return unit, start - last
        last = max(last, end)
    return None


def _window(index: int, unit: Unit, rows: Rows) -> Window | None:
    """Return the first start and the last end of a unit's tasks, ns; None where nothing tells."""
    for table, duration in _TIMED:
        if unit.of(table):
            frame = rows(index, table, ("task_start_ns", duration))
            if {"task_start_ns", duration} <= set(frame):
                timed = frame[["task_start_ns", duration]].dropna()
                if len(timed):
                    starts = timed["task_start_ns"].to_numpy(dtype="int64")
                    ends = starts + us_to_ns(timed[duration].to_numpy())
                    return int(starts.min()), int(ends.max())
    return None


def _refuse_copies(units: Sequence[Unit]) -> None:
    """Refuse a folder with the same files: two processes never write the same times."""
    for unit, copy in combinations(units, 2):
        table = next((table for table in _TELLING if unit.of(table)), "")
        files, others = unit.of(table), copy.of(table)
        if files and len(files) == len(others) and all(map(_is_same, files, others)):
            raise ProfileError(f"{copy.path} is a copy of {unit.path}; keep one")


def _is_same(file: TableFile, other: TableFile) -> bool:
    return filecmp.cmp(file.path, other.path, shallow=False)


def _names(units: Sequence[Unit]) -> str:
    return ", ".join(unit.path.name for unit in units)
