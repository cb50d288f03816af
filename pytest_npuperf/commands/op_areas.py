"""The areas about operators: by type, by core, and single ones by their longest run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

import pandas as pd

from pytest_npuperf.catalogue import COMMUNICATION, OP_TABLES
from pytest_npuperf.commands.area import (
    CUT,
    Area,
    Field,
    Found,
    Row,
    Spec,
    first,
    lane_by_lane,
)
from pytest_npuperf.commands.frames import grouped, number, text, texts, times, whole
from pytest_npuperf.measure.rows import NotMeasuredError, OpRows
from pytest_npuperf.measure.totals import Totals, op_totals
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.units import Dimension

Ints: TypeAlias = "pd.Series[Any]"
"""A column of Int64."""

_TYPE = Field("type", "op type", least=CUT)
_CORE = Field("core", "core", drop=1)
_NUMBERS = (
    Field("count", "count", Dimension.COUNT),
    Field("total_ns", "total", Dimension.TIME),
    Field("share", "share", Dimension.SHARE),
    Field("mean_ns", "mean", Dimension.TIME, drop=2),
    Field("max_ns", "max", Dimension.TIME, drop=3),
)

TYPES = Spec("op_types", "op types by total time", OP_TABLES, (_TYPE, _CORE, *_NUMBERS))
CORES = Spec(
    "cores", "cores by total time", OP_TABLES, (Field("core", "core", least=CUT), *_NUMBERS)
)
OPS = Spec(
    "ops",
    "single ops by their longest run",
    ("op_summary",),
    (
        Field("name", "op", least=CUT),
        Field("type", "op type", drop=2, least=CUT),
        Field("core", "core", drop=1),
        Field("count", "runs", Dimension.COUNT, drop=4),
        Field("start_ns", "start", Dimension.TIME, drop=3),
        Field("duration_ns", "duration", Dimension.TIME),
    ),
)


def op_types(profile: Profile, top: int) -> Area:
    """Return op types on each core, those with most time first. Raises ProfileError."""
    return lane_by_lane(TYPES, profile, top, _types)


def cores(profile: Profile, top: int) -> Area:
    """Return task types, those with most time first. Raises ProfileError."""
    return lane_by_lane(CORES, profile, top, _cores)


def ops(profile: Profile, top: int) -> Area:
    """Return the longest run of each op, with its start. Raises ProfileError."""
    return lane_by_lane(OPS, profile, top, _ops)


def _types(profile: Profile, lane: Lane, top: int) -> Found | None:
    return _groups(profile, lane, top, ("type", "core"))


def _cores(profile: Profile, lane: Lane, top: int) -> Found | None:
    return _groups(profile, lane, top, ("core",))


def _groups(profile: Profile, lane: Lane, top: int, keys: tuple[str, ...]) -> Found | None:
    """Return the calls of a lane summed up by some of their texts, the core the last of them."""
    calls = _calls(profile, lane)
    if calls is None:
        return None
    frame, kernel_time = calls
    rows: list[Row] = []
    for row in grouped(frame[[*keys, "count", "total", "max"]], keys, "max").itertuples():
        names = [text(getattr(row, key)) for key in keys]
        rows.append((*names, *_numbers(row, names[-1], kernel_time)))
    return first(rows, top)


def _numbers(row: Any, core: str | None, kernel_time: int | None) -> Row:
    """Return count, total, share, mean and max of a group; communication is no part of kernels."""
    count, total = number(row.count), number(row.total)
    share = mean = None
    if total is not None and kernel_time and core not in COMMUNICATION:
        share = Fraction(total, kernel_time)
    if total is not None and count:
        mean = Fraction(total, count)
    return count, total, share, mean, number(row.max)


def _calls(profile: Profile, lane: Lane) -> tuple[pd.DataFrame, int | None] | None:
    """Return the calls of a lane, and the time of its kernels; None where it has no op table.

    The columns are type, core, and count, total and max as Int64, times in ns. A row is one call
    of an op_summary, or all those of one kind of an op_statistic.
    """
    summary = _op_summary(profile, lane)
    if summary is not None:
        frame = _frame_of(summary)
        duration = times(frame, "task_duration_us")
        one = pd.Series(1, index=frame.index, dtype="Int64")
        return _calls_of(frame, one, duration, duration), _kernel_time(summary)
    statistic = profile.lane_rows(lane, "op_statistic")
    if statistic is None:
        return None
    totals = op_totals(statistic)
    frame = totals.frame
    numbers = (whole(frame, "count"), times(frame, "total_time_us"), times(frame, "max_time_us"))
    return _calls_of(frame, *numbers), _kernel_time(totals)


def _calls_of(frame: pd.DataFrame, count: Ints, total: Ints, longest: Ints) -> pd.DataFrame:
    names = {"type": texts(frame, "op_type"), "core": texts(frame, "task_type")}
    return pd.DataFrame({**names, "count": count, "total": total, "max": longest})


def _kernel_time(table: OpRows | Totals) -> int | None:
    """Return the metric kernel_time, also of a profile that holds single steps."""
    try:
        if isinstance(table, OpRows):
            return int(table.durations(table.kernels).sum())
        return int(table.total(table.kernels).value)
    except NotMeasuredError:
        return None


def _op_summary(profile: Profile, lane: Lane) -> OpRows | None:
    # At level 0 nothing but its name tells a collective.
    frame = profile.lane_rows(lane, "op_summary", ("op_name",))
    return None if frame is None else OpRows(frame, profile.units[lane.unit].of("op_summary"))


def _frame_of(rows: OpRows) -> pd.DataFrame:
    """Return the rows that are work."""
    return pd.DataFrame({name: rows.column(name) for name in sorted(rows.columns)})


def _ops(profile: Profile, lane: Lane, top: int) -> Found | None:
    summary = _op_summary(profile, lane)
    if summary is None:
        return None
    rows = _frame_of(summary)
    names = {"name": "op_name", "type": "op_type", "core": "task_type"}
    frame = pd.DataFrame({key: texts(rows, name) for key, name in names.items()})
    start = whole(rows, "task_start_ns")
    frame["start"], frame["duration"] = start - start.min(), times(rows, "task_duration_us")
    # An op runs once in each step: a line for each run would be the same op over and over.
    frame["count"] = frame.groupby(list(names), observed=True, dropna=False)["type"].transform(
        "size"
    )
    longest = frame.sort_values("duration", ascending=False, kind="stable").drop_duplicates(names)
    found = [
        (*map(text, row[:3]), *map(number, row[3:]))
        for row in longest.head(top)[[*names, "count", "start", "duration"]].itertuples(index=False)
    ]
    return Found(found, len(longest))
