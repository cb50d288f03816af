"""Tables that say the same thing must agree: a contradiction means that one was cut or changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, LEFT_OUT
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.text import printable

ROUNDING_NS = 1
"""Each printed duration may be off by half of its last digit, a total by as much for each row."""

_KERNELS = (*AI_CORES, "KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV")
"""Compute kernels as task_time calls them; at profiling level 0 by their hardware names."""

_KEY = ["device_id", "op_type", "task_type"]


@dataclass(frozen=True)
class Source:
    """The rows of a table and the file to name when they are wrong."""

    path: Path
    rows: pd.DataFrame


def against_op_statistic(summary: Source, statistic: Source) -> None:
    """Raise ProfileError unless count and total of each op type and core are the same.

    Communication stands only in the op table; op_statistic leaves out ops without a type.
    """
    if not {*_KEY, "task_duration_us"} <= set(summary.rows):
        return
    if not {*_KEY, "count", "total_time_us"} <= set(statistic.rows):
        return
    ours = _totals(summary.rows)
    theirs = statistic.rows.groupby(_KEY, observed=True)[["count", "total_time_us"]].sum()
    theirs = theirs[~_is(theirs.index.get_level_values("task_type"), COMMUNICATION)]
    both = ours.join(theirs, how="outer").fillna(0)
    counts = both["rows"] != both["count"]
    off = np.abs(both["ns"] - us_to_ns(both["total_time_us"].to_numpy()))
    bad = both[counts | (off > ROUNDING_NS * (both["rows"] + 1))]
    if len(bad):
        _refuse_statistic(summary, statistic, bad.iloc[0])


def _totals(rows: pd.DataFrame) -> pd.DataFrame:
    typed = rows[rows["op_type"].notna() & rows["task_type"].notna()]
    typed = typed[~_is(typed["task_type"], COMMUNICATION + LEFT_OUT)]
    typed = typed.assign(ns=us_to_ns(typed["task_duration_us"].fillna(0).to_numpy()))
    groups = typed.groupby(_KEY, observed=True)["ns"]
    return groups.agg(rows="size", ns="sum")


def _is(texts: pd.Series | pd.Index, names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    return np.asarray(texts.isin(names))


def _refuse_statistic(summary: Source, statistic: Source, bad: pd.Series) -> None:
    _, op_type, core = bad.name
    raise ProfileError(
        f"{summary.path}: {int(bad['rows'])} calls of {printable(op_type)} on {printable(core)}, "
        f"{bad['ns'] / 1000:.3f} us in all, but {statistic.path.name} has {int(bad['count'])} "
        f"calls, {bad['total_time_us']:.3f} us; one of the two was cut or edited, record again"
    )


def inside_op_statistic(statistic: Source) -> None:
    """Raise ProfileError unless each row's total lies between its calls' min and max.

    The shares add up to 100 % for each device and model, so that a lost row shows.
    """
    rows = statistic.rows
    if {"count", "total_time_us", "min_time_us", "max_time_us"} <= set(rows):
        slack = 0.001 * (rows["count"] + 1)
        low = rows["count"] * rows["min_time_us"] - slack > rows["total_time_us"]
        high = rows["count"] * rows["max_time_us"] + slack < rows["total_time_us"]
        bad = (low | high).to_numpy()
        if bad.any():
            row = rows.iloc[int(bad.argmax())]
            raise ProfileError(
                f"{statistic.path}:{int(bad.argmax()) + 2}: {int(row['count'])} calls of "
                f"{row['min_time_us']:.3f} to {row['max_time_us']:.3f} us cannot make "
                f"{row['total_time_us']:.3f} us; the file was edited, record again"
            )
    if "ratio_percent" in rows and rows["ratio_percent"].notna().all():
        _refuse_lost_share(statistic)


def _refuse_lost_share(statistic: Source) -> None:
    by = [name for name in ("device_id", "model_name") if name in statistic.rows]
    shares = statistic.rows.groupby(by, observed=True, dropna=False)["ratio_percent"]
    for total, count in zip(shares.sum(), shares.size(), strict=True):
        if abs(total - 100) > 0.001 * (count + 1):
            raise ProfileError(
                f"{statistic.path}: the Ratio(%) of {count} rows add up to {total:.3f}, not 100; "
                "rows are missing or changed, record again"
            )


def against_task_time(summary: Source, task_time: Source) -> None:
    """Raise ProfileError when task_time has compute kernels that op_summary lacks or times apart.

    task_time has further rows (events, copies) and leaves out sub tasks, so only the kernels that
    it has must be found.
    """
    needed = {"device_id", "kernel_type", "task_time_us"}
    if not needed <= set(task_time.rows) or "task_type" not in summary.rows:
        return
    kernels = task_time.rows[_is(task_time.rows["kernel_type"], _KERNELS)]
    typed = summary.rows["task_type"]
    # At level 0 op_summary has no task types: any row may be the kernel.
    work = summary.rows[typed.isna() | _is(typed, AI_CORES)]
    _compare_counts(summary.path, work, task_time.path, kernels)
    _compare_durations(summary, task_time.path, kernels)


def _compare_counts(
    path: Path, work: pd.DataFrame, other: Path, kernels: pd.DataFrame
) -> None:
    ours, theirs = work["device_id"].value_counts(), kernels["device_id"].value_counts()
    for device, count in theirs.items():
        if count > ours.get(device, 0):
            raise ProfileError(
                f"{path}: {ours.get(device, 0)} compute kernels on device {device}, but "
                f"{other.name} has {count}; one of the two was cut or edited, record again"
            )


def _compare_durations(summary: Source, other: Path, kernels: pd.DataFrame) -> None:
    key = ["device_id", "stream_id", "task_id", "task_start_ns"]
    if not set(key) <= set(summary.rows) or not set(key) <= set(kernels):
        return
    pairs = summary.rows.merge(kernels[[*key, "task_time_us"]], on=key)
    ours = pairs["task_duration_us"].fillna(pairs["task_time_us"]).to_numpy()
    theirs = pairs["task_time_us"].fillna(pairs["task_duration_us"]).to_numpy()
    off = np.abs(ours - theirs) > 0.0015
    if off.any():
        row = pairs.iloc[int(off.argmax())]
        raise ProfileError(
            f"{summary.path}: task {row['task_id']} on stream {row['stream_id']} took "
            f"{row['task_duration_us']:.3f} us, but {row['task_time_us']:.3f} us in {other.name}; "
            "one of the two was cut or edited, record again"
        )
