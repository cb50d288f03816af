"""The areas about the host and the whole process: APIs, fusion, memory, msprof's own advice."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from pytest_npuperf.catalogue import needed_tables
from pytest_npuperf.commands.area import (
    CUT,
    Area,
    Field,
    Found,
    Row,
    Spec,
    first,
    of_metrics,
    process_by_process,
)
from pytest_npuperf.commands.frames import number, text, texts, times, whole
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.units import Dimension

_PEAKS = {
    "memory_peak": "process",
    "allocated_memory_peak": "allocated",
    "reserved_memory_peak": "reserved",
}
"""The metrics of memory, and what they are of."""

APIS = Spec(
    "apis",
    "host APIs by total time",
    needed_tables("apis"),
    (
        Field("level", "level", drop=3),
        Field("name", "API", least=CUT),
        Field("count", "count", Dimension.COUNT),
        Field("total_ns", "total", Dimension.TIME),
        Field("mean_ns", "mean", Dimension.TIME, drop=2),
        Field("max_ns", "max", Dimension.TIME, drop=1),
    ),
)
FUSION = Spec("fusion", "fusion", ("fusion_op",), (Field("fused_count", "fused", Dimension.COUNT),))
MEMORY = Spec(
    "memory",
    "memory peaks",
    ("npu_mem", "memory_record"),
    tuple(Field(f"{name}_bytes", heading, Dimension.SIZE) for name, heading in _PEAKS.items()),
)
ADVICE = Spec(
    "advice",
    "advice of msprof",
    ("prof_rule",),
    (
        Field("rule_type", "rule", least=CUT),
        Field("rule_subtype", "kind", drop=2, least=CUT),
        Field("suggestion", "suggestion", is_prose=True),
        Field("op_names", "ops", drop=1, least=CUT),
    ),
)


def apis(profile: Profile, top: int) -> Area:
    """Return the calls of the host, those with most time first. Raises ProfileError."""
    return process_by_process(APIS, profile, top, _apis)


def _apis(profile: Profile, lane: Lane, top: int) -> Found | None:
    for table in APIS.needs:
        if profile.units[lane.unit].of(table):
            return first(_calls(profile.unit_rows(lane.unit, table)), top)
    return None


def _calls(rows: pd.DataFrame) -> list[Row]:
    frame = pd.DataFrame(
        {
            "level": texts(rows, "api_level"),
            "name": texts(rows, "name"),
            "count": whole(rows, "count"),
            "total": times(rows, "total_time_us"),
            "max": times(rows, "max_time_us"),
        }
    ).sort_values("total", ascending=False, kind="stable")
    found: list[Row] = []
    for row in frame.itertuples():
        count, total, longest = (number(cell) for cell in (row.count, row.total, row.max))
        mean = Fraction(total, count) if count and total is not None else None
        found.append((text(row.level), text(row.name), count, total, mean, longest))
    return found


def fusion(profile: Profile, _: int) -> Area:
    """Return how many ops were made by fusion on each lane. Raises ProfileError."""
    return of_metrics(FUSION, profile, [Wanted("fused_count")])


def memory(profile: Profile, _: int) -> Area:
    """Return the most memory that each lane took at one time. Raises ProfileError."""
    return of_metrics(MEMORY, profile, [Wanted(name) for name in _PEAKS])


def advice(profile: Profile, top: int) -> Area:
    """Return what msprof itself suggests. Raises ProfileError."""
    return process_by_process(ADVICE, profile, top, _advice)


def _advice(profile: Profile, lane: Lane, top: int) -> Found | None:
    if not profile.units[lane.unit].of("prof_rule"):
        return None
    rows = profile.unit_rows(lane.unit, "prof_rule")
    columns = (texts(rows, field.key) for field in ADVICE.fields)
    return first([tuple(map(text, cells)) for cells in zip(*columns, strict=True)], top)
