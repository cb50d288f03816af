"""The tasks of task_time must be those of op_summary: as many, at the same times, as long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.agreement import EDITED, NEAR_NS, ROUNDING_NS, Source, is_one_of, us
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.text import many

SAME_START_NS = 2
"""The two tables may round the start of a task each in its own way."""

_KERNELS = (*AI_CORES, "KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV")
"""Compute kernels as task_time calls them; at profiling level 0 by their hardware names."""

_TASK_TIME = ("kernel_type", "task_time_us")


def with_task_time(summary: Source, task_time: Source) -> None:
    """Raise ProfileError when task_time has compute kernels that op_summary lacks or times apart.

    task_time has further rows (events, copies) and leaves out sub tasks, so only the kernels that
    it has must be found.
    """
    # The first chips of the 310 series write sums by op into this file instead.
    if not any(task_time.has(name) for name in _TASK_TIME):
        return
    task_time.require(*_TASK_TIME)
    if not summary.has("task_type"):
        return
    for device, ours, theirs in _by_device(summary, task_time):
        kernels = theirs[is_one_of(theirs["kernel_type"], _KERNELS)]
        _compare_counts(summary.path, ours, task_time.path, kernels, device)
        timed = {"task_start_ns", "task_duration_us"} <= set(ours)
        if timed and "task_start_ns" in theirs:
            _find_kernels(summary.path, ours, task_time.path, theirs)
            _compare_durations(summary.path, ours, task_time.path, kernels)
            _refuse_late_end(summary.path, ours, task_time.path, theirs)


def _by_device(summary: Source, other: Source) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Yield the rows of each device in two tables; all of them where one does not say."""
    said = [source for source in (summary, other) if source.says_device] or [summary]
    devices = sorted({device for source in said for device in source.rows["device_id"]}, key=int)
    if len(said) < 2 or len(devices) == 1:
        yield ", ".join(devices), summary.rows, other.rows
        return
    for device in devices:
        ours, theirs = (
            source.rows[is_one_of(source.rows["device_id"], (device,))]
            for source in (summary, other)
        )
        yield device, ours, theirs


def _compare_counts(
    path: Path, ours: pd.DataFrame, other: Path, kernels: pd.DataFrame, device: str
) -> None:
    cores = ours["task_type"]
    # op_summary leaves out the small kernels inside of collectives, and task_time does not.
    if is_one_of(cores, COMMUNICATION).any():
        return
    # At level 0 op_summary has no task types: any row may be the kernel.
    count = int((cores.isna().to_numpy() | is_one_of(cores, AI_CORES)).sum())
    if len(kernels) > count:
        raise ProfileError(
            f"{path}: {many(count, 'compute kernel')} on device {device}, but "
            f"{other.name} has {len(kernels)}; {EDITED}"
        )


def _compare_durations(path: Path, ours: pd.DataFrame, other: Path, kernels: pd.DataFrame) -> None:
    """Compare the tasks of which nothing but the start must be known to find them in both."""
    starts, times = _alone(ours, "task_duration_us")
    other_starts, other_times = _alone(kernels, "task_time_us")
    if not len(other_starts):
        return
    place, is_same = _nearest(other_starts, starts)
    off = is_same & (np.abs(other_times[place] - times) > ROUNDING_NS)
    if off.any():
        row = int(off.argmax())
        raise ProfileError(
            f"{path}: the task that starts at {us(starts[row])} us took "
            f"{us(times[row])} us, but {us(other_times[place[row]])} us in "
            f"{other.name}; {EDITED}"
        )


def _find_kernels(path: Path, ours: pd.DataFrame, other: Path, tasks: pd.DataFrame) -> None:
    """Refuse a kernel of the one table whose start the other has not, or has only once for two.

    Only where most starts are the same: otherwise the two count time from different zeros.
    """
    kernels = tasks[is_one_of(tasks["kernel_type"], _KERNELS)]
    starts, other_starts = (
        np.sort(rows["task_start_ns"].dropna().to_numpy(dtype=np.int64)) for rows in (ours, kernels)
    )
    if not len(starts) or not len(other_starts):
        return
    _, is_there = _nearest(starts, other_starts)
    if 2 * is_there.sum() <= len(other_starts):
        return
    # op_summary leaves out the small kernels inside of collectives, and task_time does not.
    if not is_there.all() and not is_one_of(ours["task_type"], COMMUNICATION).any():
        lost = other_starts[int((~is_there).argmax())]
        raise ProfileError(
            f"{path}: no task starts at {us(lost)} us, where {other.name} has a kernel; {EDITED}"
        )
    twice = starts[1:][np.diff(starts) == 0]
    place, is_kernel = _nearest(other_starts, twice)
    is_once = np.searchsorted(other_starts, other_starts[place], "right") - place == 1
    if (is_kernel & is_once).any():
        start = twice[int((is_kernel & is_once).argmax())]
        raise ProfileError(
            f"{path}: two tasks start at {us(start)} us, where {other.name} has one; {EDITED}"
        )


def _nearest(
    starts: npt.NDArray[np.int64], wanted: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return where in sorted starts, of which there are some, each wanted one is, and if it is."""
    after = np.searchsorted(starts, wanted - SAME_START_NS)
    place = after.clip(max=len(starts) - 1)
    return place, np.abs(starts[place] - wanted) <= SAME_START_NS


def _alone(
    rows: pd.DataFrame, duration: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return sorted starts that only one row has, and the durations of these rows, ns."""
    timed = rows[["task_start_ns", duration]].dropna()
    starts, first, times_there = np.unique(
        timed["task_start_ns"].to_numpy(dtype=np.int64), return_index=True, return_counts=True
    )
    times = us_to_ns(timed[duration].to_numpy(dtype=np.float64)[first])
    return starts[times_there == 1], times[times_there == 1]


def _refuse_late_end(path: Path, ours: pd.DataFrame, other: Path, tasks: pd.DataFrame) -> None:
    """Refuse a kernel that ends after all tasks: its duration is not true."""
    work = ours[~is_one_of(ours["task_type"], COMMUNICATION)]
    starts, ends = _interval(work, "task_duration_us")
    other_starts, other_ends = _interval(tasks, "task_time_us")
    if not len(starts) or not len(other_starts):
        return
    last = int(other_ends.max())
    # Otherwise the two count time from different zeros.
    same_clock = other_starts.min() - NEAR_NS <= starts.min() <= last
    if same_clock and ends.max() > last + NEAR_NS:
        raise ProfileError(
            f"{path}: a task ends at {us(ends.max())} us, but the last one of {other.name} "
            f"at {us(last)} us; {EDITED}"
        )


def _interval(
    rows: pd.DataFrame, duration: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    timed = rows[["task_start_ns", duration]].dropna()
    starts = timed["task_start_ns"].to_numpy(dtype=np.int64)
    return starts, starts + us_to_ns(timed[duration].to_numpy(dtype=np.float64))
