"""The areas about kernels that ``msprof op`` measured: how long each took, and on which cores."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from pytest_npuperf.commands.area import CUT, Area, Field, Found, Row, Spec, first, lane_by_lane
from pytest_npuperf.commands.frames import number, text, texts, times
from pytest_npuperf.percentiles import median
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.opprof_tables import CORE_TABLES, KERNEL_TABLE
from pytest_npuperf.units import Dimension

_KERNEL = Field("kernel", "kernel", drop=1, least=CUT)
"""Which of several kernels; nothing where there is one."""

KERNELS = Spec(
    "kernels",
    "kernels by duration",
    (KERNEL_TABLE,),
    (
        _KERNEL,
        Field("name", "op", least=CUT),
        Field("kind", "kind", drop=3),
        Field("blocks", "blocks", Dimension.COUNT),
        Field("mix_blocks", "mix blocks", Dimension.COUNT, drop=4),
        Field("duration_ns", "duration", Dimension.TIME),
        Field("clock_mhz", "MHz", Dimension.NUMBER, drop=2),
        Field("rated_clock_mhz", "rated MHz", Dimension.NUMBER, drop=5),
    ),
)
KERNEL_CORES = Spec(
    "kernel_cores",
    "cores of each kernel, slowest first",
    CORE_TABLES,
    (
        _KERNEL,
        Field("core", "core"),
        Field("count", "cores", Dimension.COUNT, drop=5),
        Field("median_ns", "median", Dimension.TIME, drop=4),
        Field("max_ns", "max", Dimension.TIME),
        Field("max_above_median", "above", Dimension.SHARE, drop=2),
        Field("slowest", "slowest", drop=3),
        Field("pipe", "pipe"),
        Field("pipe_share", "busy", Dimension.SHARE),
    ),
)

_PREFIXES = {"cube": "aic", "vector": "aiv", None: "aic"}
"""What the columns of a kind of core begin with; chips of one kind do not name it."""


def kernels(profile: Profile, top: int) -> Area:
    """Return the kernels, the longest first. Raises ProfileError."""
    return lane_by_lane(KERNELS, profile, top, _kernels)


def kernel_cores(profile: Profile, top: int) -> Area:
    """Return how evenly the cores of each kernel worked, and on what. Raises ProfileError."""
    return lane_by_lane(KERNEL_CORES, profile, top, _kernel_cores)


def _kernels(profile: Profile, lane: Lane, top: int) -> Found | None:
    rows = profile.lane_rows(lane, KERNEL_TABLE)
    if rows is None:
        return None
    names = {"kernel": "kernel", "name": "op_name", "kind": "op_kind"}
    blocks = {"blocks": "block_num", "mix_blocks": "mix_block_num"}
    clocks = {"clock": "current_freq", "rated": "rated_freq"}
    frame = pd.DataFrame(
        {
            **{key: texts(rows, name) for key, name in (names | blocks).items()},
            "duration": times(rows, "task_duration_us"),
            **{key: _floats(rows, name) for key, name in clocks.items()},
        }
    ).sort_values("duration", ascending=False, kind="stable")
    found: list[Row] = [
        (
            *(text(getattr(row, name)) for name in names),
            *(_whole(getattr(row, name)) for name in blocks),
            number(row.duration),
            *(_clock(getattr(row, name)) for name in clocks),
        )
        for row in frame.itertuples()
    ]
    return first(found, top)


def _kernel_cores(profile: Profile, lane: Lane, top: int) -> Found | None:
    # Each of the tables has the time of each core; only the first one has the pipes.
    table = next((name for name in CORE_TABLES if profile.units[lane.unit].of(name)), "")
    rows = profile.lane_rows(lane, table) if table else None
    if rows is None:
        return None
    places: dict[tuple[str | None, str | None], list[int]] = {}
    for place, cells in enumerate(
        zip(texts(rows, "kernel"), texts(rows, "sub_block_id"), strict=True)
    ):
        kernel, core = map(text, cells)
        places.setdefault((kernel, core and core.rstrip("0123456789")), []).append(place)
    found = [(*key, *_cores(rows.iloc[own], key[1])) for key, own in places.items()]
    return first(sorted(found, key=_longest, reverse=True), top)


def _longest(row: Row) -> int:
    time_ns = row[4]
    return time_ns if isinstance(time_ns, int) else -1


def _cores(rows: pd.DataFrame, kind: str | None) -> Row:
    """Return the cells of the cores of one kind that ran a kernel."""
    prefix = _PREFIXES.get(kind)
    time_ns = times(rows, f"{prefix}_time_us")
    if time_ns.isna().any():
        # One of the others may have been the slowest.
        return len(rows), None, None, None, None, None, None
    each = [int(ns) for ns in time_ns]
    middle, longest = median(each), max(each)
    above = longest / middle - 1 if middle else None
    slowest = _core_name(rows.iloc[each.index(longest)])
    return len(rows), middle, longest, above, slowest, *_busiest(rows, f"{prefix}", sum(each))


def _core_name(row: Any) -> str | None:
    parts = [text(row.get(name)) for name in ("block_id", "sub_block_id")]
    return "/".join(part for part in parts if part) or None


def _busiest(rows: pd.DataFrame, prefix: str, whole_ns: int) -> tuple[str | None, Fraction | None]:
    """Return the pipe on which the cores spent most time, and its share of their time.

    A pipe that is absent on each core is one that they do not have; on some: nobody knows.
    """
    totals: dict[str, int] = {}
    for name, pipe in _pipes(rows, prefix):
        time_ns = times(rows, name)
        if time_ns.isna().all():
            continue
        if time_ns.isna().any():
            return None, None
        totals[pipe] = int(time_ns.sum())
    if not totals or not whole_ns:
        return None, None
    busiest = max(totals, key=lambda pipe: totals[pipe])
    return busiest, Fraction(totals[busiest], whole_ns)


def _pipes(rows: pd.DataFrame, prefix: str) -> Sequence[tuple[str, str]]:
    """Return columns and pipes; longer names, as scalar_wait, are parts of what a pipe does."""
    pattern = re.compile(rf"{prefix}_([a-z0-9]+)_time_us")
    matches = [pattern.fullmatch(str(name)) for name in rows]
    return [(match[0], match[1]) for match in matches if match]


def _floats(rows: pd.DataFrame, name: str) -> pd.Series[Any]:
    return rows[name] if name in rows else pd.Series(float("nan"), index=rows.index)


def _clock(cell: Any) -> Fraction | None:
    """Return a clock; where it is not known, msprof op has -1 for it."""
    return None if pd.isna(cell) or cell <= 0 else Fraction(str(cell))


def _whole(cell: object) -> int | None:
    return int(cell) if isinstance(cell, str) else None
