"""The areas about the run: its lanes, the layers of its timeline, its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pytest_npuperf.catalogue import METRICS, OP_TABLES
from pytest_npuperf.commands.area import (
    CUT,
    Area,
    Field,
    Found,
    Row,
    Spec,
    first,
    lane_by_lane,
    of_metrics,
)
from pytest_npuperf.commands.frames import grouped, number, text, texts, times, whole
from pytest_npuperf.measure import measure
from pytest_npuperf.measure.stepcounts import steps_in
from pytest_npuperf.model import StepOptions, Wanted
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.steps import Scope, StepCount, iterations
from pytest_npuperf.units import Dimension

_TIMED = METRICS["step_time"].needs
_STATISTICS = ("count", "p50", "p95", "max")

LANES = Spec(
    "lanes",
    "lanes",
    (*OP_TABLES, *_TIMED),
    (
        Field("device", "device"),
        Field("steps", "steps", Dimension.COUNT),
        Field("kernel_count", "kernels", Dimension.COUNT, drop=5),
        Field("kernel_time_ns", "kernel time", Dimension.TIME),
        Field("kernel_time_per_step_ns", "per step", Dimension.TIME, drop=4),
        Field("compute_time_ns", "compute", Dimension.TIME, drop=3),
        Field("window_time_ns", "window", Dimension.TIME, drop=1),
        Field("idle_share", "idle", Dimension.SHARE, drop=2),
    ),
)
LAYERS = Spec(
    "layers",
    "timeline by layer",
    ("timeline",),
    (
        Field("source", "file", drop=2),
        Field("layer", "layer", least=CUT),
        Field("steps", "steps", Dimension.COUNT, drop=3),
        Field("count", "events", Dimension.COUNT, drop=4),
        Field("total_ns", "total", Dimension.TIME),
        Field("max_ns", "max", Dimension.TIME, drop=5),
        Field("longest_name", "most time in", drop=1, least=CUT),
    ),
)
STEP_TIME = Spec(
    "step_time",
    "step time, warm-up left out",
    _TIMED,
    (
        Field("count", "steps", Dimension.COUNT),
        *(Field(f"{name}_ns", name, Dimension.TIME) for name in _STATISTICS[1:]),
    ),
)
STEPS = Spec(
    "steps",
    "longest steps",
    _TIMED,
    (
        Field("step", "step"),
        Field("model", "model", drop=1),
        Field("time_ns", "time", Dimension.TIME),
    ),
)


def lanes(profile: Profile, _: int) -> Area:
    """Return the totals of each lane, whatever ``--top`` says. Raises ProfileError."""
    if not set(LANES.needs) & set(profile.tables):
        return Area(LANES, reason=LANES.missing())
    names = [field.key.removesuffix("_ns") for field in LANES.fields[2:]]
    measured = measure(profile, map(Wanted, names)).lanes
    rows = []
    for lane in profile.lanes:
        values = [value.value for value in measured[lane.key].values.values()]
        rows.append((lane.key, lane.device, profile.steps(lane).count, *values))
    return Area(LANES, tuple(rows))


def layers(profile: Profile, top: int) -> Area:
    """Return the layers of the timeline, those with most time first. Raises ProfileError."""
    return lane_by_lane(LAYERS, profile, top, _layers)


def _layers(profile: Profile, lane: Lane, top: int) -> Found | None:
    rows = profile.lane_rows(lane, "timeline")
    if rows is None:
        return None
    frame = pd.DataFrame(
        {
            **{name: texts(rows, name) for name in ("source", "layer", "name")},
            "count": whole(rows, "count"),
            "total": times(rows, "total_time_us"),
            "max": times(rows, "max_time_us"),
        }
    )
    keys = ["source", "layer"]
    names = grouped(frame, (*keys, "name"), "max").drop_duplicates(keys)
    most = {(text(row.source), text(row.layer)): text(row.name) for row in names.itertuples()}
    steps = _steps_by_source(profile, lane)
    found: list[Row] = []
    for row in grouped(frame.drop(columns="name"), keys, "max").itertuples():
        layer = (text(row.source), text(row.layer))
        numbers = (number(cell) for cell in (row.count, row.total, row.max))
        found.append((*layer, steps[layer[0]].count, *numbers, most[layer]))
    return first(found, top)


def timeline_scope(profile: Profile) -> Scope | None:
    """Return whether the timeline holds the whole run, or single steps of it; None without one.

    Raises ProfileError.
    """
    scopes = {
        steps.scope for lane in profile.lanes for steps in _steps_by_source(profile, lane).values()
    }
    return "step" if "step" in scopes else "run" if scopes else None


def _steps_by_source(profile: Profile, lane: Lane) -> Mapping[str | None, StepCount]:
    """Return how many steps the files of each kind of timeline cover, as the gate counts them."""
    files: dict[str | None, list[TableFile]] = {}
    for file in profile.units[lane.unit].of("timeline"):
        files.setdefault(file.stem, []).append(file)
    return {stem: steps_in(own, profile, lane, StepOptions()) for stem, own in files.items()}


def step_time(profile: Profile, _: int) -> Area:
    """Return statistics of the step times, as a budget limits them. Raises ProfileError."""
    return of_metrics(STEP_TIME, profile, [Wanted("step_time", name) for name in _STATISTICS])


def steps(profile: Profile, top: int) -> Area:
    """Return the longest steps, the warm-up too. Raises ProfileError."""
    return lane_by_lane(STEPS, profile, top, _steps)


def _steps(profile: Profile, lane: Lane, top: int) -> Found | None:
    trace = iterations(profile.lane_rows(lane, "step_trace"), None)
    if trace is not None:
        return _longest(trace, ("iteration_id", "model_id", "iteration_time_us"), top)
    stages = profile.lane_rows(lane, "step_trace_time")
    return None if stages is None else _longest(stages, ("step", "model_id", "stage_us"), top)


def _longest(rows: pd.DataFrame, names: Sequence[str], top: int) -> Found:
    step, model, time = names
    frame = pd.DataFrame(
        {"step": texts(rows, step), "model": texts(rows, model), "time": times(rows, time)}
    ).sort_values("time", ascending=False, kind="stable")
    found = [
        (text(row.step), text(row.model), number(row.time)) for row in frame.head(top).itertuples()
    ]
    return Found(found, len(frame))
