"""Tables that say the same thing must agree: a contradiction means that one was cut or changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, LEFT_OUT
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.text import printable

_ROUNDING_NS = 1
"""Each printed duration may be off by half of its last digit, a total by as much for each row."""

_NEAR_NS = 1000
"""Ends of one task may be told by different clocks."""

_KERNELS = (*AI_CORES, "KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV")
"""Compute kernels as task_time calls them; at profiling level 0 by their hardware names."""

_TASK_TIME = ("kernel_type", "task_time_us")

_EDITED = "one of the two was cut or edited, record again"


@dataclass(frozen=True)
class Source:
    """The rows of a table, and the file to name when they are wrong."""

    path: Path
    rows: pd.DataFrame
    says_device: bool
    """Whether the device of a row is known from the table, not taken to be the only one."""

    def has(self, *columns: str) -> bool:
        """Return whether the table has all these columns."""
        return set(columns) <= set(self.rows)

    def require(self, *columns: str) -> None:
        """Raise ProfileError where a column is lacking: without it nothing could be compared."""
        for name in columns:
            if not self.has(name):
                there = ", ".join(printable(str(column)) for column in self.rows)
                raise ProfileError(
                    f"{self.path}: no column for {name}, with which op_summary is checked; "
                    f"there is {there}; export again, or leave the file out"
                )


# --- op_statistic -----------------------------------------------------------------------------


def with_op_statistic(summary: Source, statistic: Source) -> None:
    """Raise ProfileError unless count and total of each op type and core are the same.

    Communication stands only in the op table; op_statistic leaves out ops without a type.
    """
    key = ["op_type", "task_type"]
    if summary.says_device and statistic.says_device:
        key = ["device_id", *key]
    statistic.require(*key, "count", "total_time_us")
    if not summary.has(*key, "task_duration_us"):
        return
    ours = _work(summary.rows, key)
    groups = ours.groupby(key, observed=True)
    mine = groups.agg(rows=("ns", "size"), ns=("ns", "sum"), absent=("absent", "sum"))
    theirs = _work(statistic.rows, key).groupby(key, observed=True)[["count", "total_time_us"]]
    both = mine.join(theirs.sum(), how="outer").fillna(0)
    off = np.abs(both["ns"] - us_to_ns(both["total_time_us"].to_numpy(dtype=np.float64)))
    # A total of which a part is absent is told by what needs it.
    wrong_time = (off > _ROUNDING_NS * (both["rows"] + 1)) & (both["absent"] == 0)
    bad = both[(both["rows"] != both["count"]) | wrong_time].reset_index()
    if len(bad):
        _refuse_statistic(summary.path, statistic.path, bad.iloc[0])


def _work(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the rows that both tables count."""
    kept = rows[key].notna().all(axis=1) & ~_is(rows["task_type"], COMMUNICATION + LEFT_OUT)
    work = rows if kept.all() else rows[kept]
    if "task_duration_us" not in work:
        return work
    times = work["task_duration_us"].to_numpy(dtype=np.float64)
    absent = np.isnan(times)
    ns = us_to_ns(np.where(absent, 0, times))
    return work[key].assign(ns=ns, absent=absent)


def _refuse_statistic(path: Path, other: Path, bad: pd.Series[Any]) -> None:
    raise ProfileError(
        f"{path}: {int(bad['rows'])} calls of {printable(bad['op_type'])} on "
        f"{printable(bad['task_type'])}, {_us(bad['ns'])} us in all, but {other.name} has "
        f"{int(bad['count'])} calls, {bad['total_time_us']:.3f} us; {_EDITED}"
    )


# --- task_time --------------------------------------------------------------------------------


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
        kernels = theirs[_is(theirs["kernel_type"], _KERNELS)]
        _compare_counts(summary.path, ours, task_time.path, kernels, device)
        timed = {"task_start_ns", "task_duration_us"} <= set(ours)
        if timed and "task_start_ns" in theirs:
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
            source.rows[_is(source.rows["device_id"], (device,))] for source in (summary, other)
        )
        yield device, ours, theirs


def _compare_counts(
    path: Path, ours: pd.DataFrame, other: Path, kernels: pd.DataFrame, device: str
) -> None:
    cores = ours["task_type"]
    # op_summary leaves out the small kernels inside of collectives, and task_time does not.
    if _is(cores, COMMUNICATION).any():
        return
    # At level 0 op_summary has no task types: any row may be the kernel.
    count = int((cores.isna().to_numpy() | _is(cores, AI_CORES)).sum())
    if len(kernels) > count:
        raise ProfileError(
            f"{path}: {count} compute kernels on device {device}, but "
            f"{other.name} has {len(kernels)}; {_EDITED}"
        )


def _compare_durations(path: Path, ours: pd.DataFrame, other: Path, kernels: pd.DataFrame) -> None:
    """Compare the tasks of which nothing but the start must be known to find them in both."""
    starts, times = _alone(ours, "task_duration_us")
    other_starts, other_times = _alone(kernels, "task_time_us")
    if not len(other_starts):
        return
    place = np.searchsorted(other_starts, starts).clip(max=len(other_starts) - 1)
    off = (other_starts[place] == starts) & (np.abs(other_times[place] - times) > _ROUNDING_NS)
    if off.any():
        row = int(off.argmax())
        raise ProfileError(
            f"{path}: the task that starts at {_us(starts[row])} us took "
            f"{_us(times[row])} us, but {_us(other_times[place[row]])} us in "
            f"{other.name}; {_EDITED}"
        )


def _alone(
    rows: pd.DataFrame, duration: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return sorted starts that only one row has, and the durations of these rows, ns."""
    timed = rows[["task_start_ns", duration]].dropna()
    starts, first, many = np.unique(
        timed["task_start_ns"].to_numpy(dtype=np.int64), return_index=True, return_counts=True
    )
    times = us_to_ns(timed[duration].to_numpy(dtype=np.float64)[first])
    return starts[many == 1], times[many == 1]


def _refuse_late_end(path: Path, ours: pd.DataFrame, other: Path, tasks: pd.DataFrame) -> None:
    """Refuse a kernel that ends after all tasks: its duration is not true."""
    work = ours[~_is(ours["task_type"], COMMUNICATION)]
    starts, ends = _interval(work, "task_duration_us")
    other_starts, other_ends = _interval(tasks, "task_time_us")
    if not len(starts) or not len(other_starts):
        return
    last = int(other_ends.max())
    # Otherwise the two count time from different zeros.
    same_clock = other_starts.min() - _NEAR_NS <= starts.min() <= last
    if same_clock and ends.max() > last + _NEAR_NS:
        raise ProfileError(
            f"{path}: a task ends at {_us(ends.max())} us, but the last one of {other.name} "
            f"at {_us(last)} us; {_EDITED}"
        )


def _interval(
    rows: pd.DataFrame, duration: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    timed = rows[["task_start_ns", duration]].dropna()
    starts = timed["task_start_ns"].to_numpy(dtype=np.int64)
    return starts, starts + us_to_ns(timed[duration].to_numpy(dtype=np.float64))


# --- step_trace_time --------------------------------------------------------------------------


def with_step_trace_time(summary: Source, steps: Source) -> None:
    """Raise ProfileError where an op belongs to no step of torch_npu, or outlasts all of them.

    And where a step has more communication than there is.
    """
    _refuse_lost_collectives(summary, steps)
    if not steps.has("step", "stage_us") or steps.rows["stage_us"].isna().any():
        return
    rows = summary.rows
    if summary.has("step_id") and steps.rows["step"].notna().all():
        strange = set(rows["step_id"].dropna()) - set(steps.rows["step"])
        if strange:
            raise ProfileError(
                f"{summary.path}: rows of step {min(strange)}, which {steps.path.name} "
                f"does not have; {_EDITED}"
            )
        rows = rows[rows["step_id"].notna()]
    if not summary.has("task_duration_us") or not len(rows):
        return
    longest, whole = rows["task_duration_us"].max(), steps.rows["stage_us"].sum()
    if longest > whole + _NEAR_NS / 1000:
        raise ProfileError(
            f"{summary.path}: a task of {longest:.3f} us, but all steps of {steps.path.name} "
            f"took {whole:.3f} us; {_EDITED}"
        )


def _refuse_lost_collectives(summary: Source, steps: Source) -> None:
    """Refuse a step of a database with more communication than the collectives there took.

    torch_npu makes it of COMMUNICATION_OP. One collective may count in two steps, so that only
    the longest is compared. In text it is made of a timeline, which knows of collectives inside
    of kernels that op_summary does not have.
    """
    if {summary.path.suffix, steps.path.suffix} != {".db"} or not steps.has("communication_us"):
        return
    collectives = summary.rows[_is(summary.rows["task_type"], COMMUNICATION)]
    took = collectives["task_duration_us"].sum(skipna=False)
    longest = steps.rows["communication_us"].max()
    if longest > took + _NEAR_NS / 1000:
        raise ProfileError(
            f"{summary.path}: {len(collectives)} collectives of {took:.3f} us in all, but a step "
            f"of {steps.path.name} has {longest:.3f} us of communication; {_EDITED}"
        )


def _is(texts: pd.Series[Any], names: Iterable[str]) -> npt.NDArray[np.bool_]:
    return texts.isin(list(names)).to_numpy()


def _us(ns: int) -> str:
    """Return ns in us, exactly: the time of day has more digits than a double."""
    return f"{int(ns) // 1000}.{int(ns) % 1000:03d}"
