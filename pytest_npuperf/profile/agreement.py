"""Tables that say the same thing must agree: a contradiction means that one was cut or changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.catalogue import COMMUNICATION, LEFT_OUT
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.text import many, printable

ROUNDING_NS = 1
"""Each printed duration may be off by half of its last digit, a total by as much for each row."""

NEAR_NS = 1000
"""Ends of one task may be told by different clocks."""

_HIDING = re.compile(r"(hcom|hccl)_.*|.*aicpu.*", re.IGNORECASE)
"""Kernels of the AI CPU that run collectives inside of other kernels (MC2), such as
``MatmulAllReduceMc2AicpuKernel``: the timeline shows these collectives, and no table of ops does.
At level 0, where an op has no core, a collective may be told by its name alone."""

EDITED = "one of the two was cut or edited, record again"


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
    wrong_time = (off > ROUNDING_NS * (both["rows"] + 1)) & (both["absent"] == 0)
    bad = both[(both["rows"] != both["count"]) | wrong_time].reset_index()
    if len(bad):
        _refuse_statistic(summary.path, statistic.path, bad.iloc[0])


def _work(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the rows that both tables count."""
    kept = rows[key].notna().all(axis=1) & ~is_one_of(rows["task_type"], COMMUNICATION + LEFT_OUT)
    work = rows if kept.all() else rows[kept]
    if "task_duration_us" not in work:
        return work
    times = work["task_duration_us"].to_numpy(dtype=np.float64)
    absent = np.isnan(times)
    ns = us_to_ns(np.where(absent, 0, times))
    return work[key].assign(ns=ns, absent=absent)


def _refuse_statistic(path: Path, other: Path, bad: pd.Series[Any]) -> None:
    raise ProfileError(
        f"{path}: {many(int(bad['rows']), 'call')} of {printable(bad['op_type'])} on "
        f"{printable(bad['task_type'])}, {us(bad['ns'])} us in all, but {other.name} has "
        f"{many(int(bad['count']), 'call')}, {bad['total_time_us']:.3f} us; {EDITED}"
    )


# --- collectives ------------------------------------------------------------------------------


def with_communication_statistic(
    summary: Source, statistic: Source, named: Callable[[], Source]
) -> None:
    """Raise ProfileError where a type of collectives has calls there, and no row here.

    No recording tells whether the numbers of calls are always the same. ``named`` gives the ops
    with their names, which only few profiles need.
    """
    statistic.require("op_type", "count")
    called = statistic.rows.loc[(statistic.rows["count"] > 0).to_numpy(), ["op_type", "count"]]
    rows = summary.rows[are_collectives(summary)]
    if summary.has("op_type") and rows["op_type"].notna().all():
        called = called[~is_one_of(called["op_type"], set(rows["op_type"]))]
    elif len(rows):
        return
    if len(called) and not may_hide_collectives(named()):
        lost = called.iloc[0]
        raise ProfileError(
            f"{summary.path}: no {printable(str(lost['op_type']))}, of which {statistic.path.name} "
            f"has {many(int(lost['count']), 'call')}; {EDITED}"
        )


def are_collectives(ops: Source) -> npt.NDArray[np.bool_]:
    """Return which rows are collectives; none where nothing tells it."""
    if not ops.has("task_type"):
        return np.zeros(len(ops.rows), dtype=np.bool_)
    return is_one_of(ops.rows["task_type"], COMMUNICATION)


def may_hide_collectives(ops: Source) -> bool:
    """Return whether there may be more collectives than the table of ops shows."""
    if not ops.has("op_name", "task_type"):
        return False
    cores = ops.rows["task_type"]
    rows = ops.rows[is_one_of(cores, ("AI_CPU",)) | cores.isna().to_numpy()]
    return any(_HIDING.fullmatch(name) for name in rows["op_name"].dropna().unique())


# --- for all of them --------------------------------------------------------------------------


def is_one_of(texts: pd.Series[Any], names: Iterable[str]) -> npt.NDArray[np.bool_]:
    """Return which texts are among some names; one that is absent is not."""
    return texts.isin(list(names)).to_numpy()


def us(ns: int) -> str:
    """Return ns in us, exactly: the time of day has more digits than a double."""
    return f"{int(ns) // 1000}.{int(ns) % 1000:03d}"
