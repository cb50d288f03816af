"""The durations of single steps, from the table that times them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.measure.rows import NotMeasuredError
from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.steps import iterations
from pytest_npuperf.profile.tables import BY_NAME
from pytest_npuperf.text import many


def step_times(profile: Profile, lane: Lane, options: StepOptions) -> tuple[int, ...]:
    """Return the duration of each step in order, ns, warm-up left out.

    Raises NotMeasuredError where no table times the steps, or a step has no time.
    """
    times = _timed(profile, lane, options)
    warmup = options.warmup_steps
    if warmup is None:
        warmup = 1 if len(times) > 1 else 0
    if warmup >= len(times):
        steps = many(len(times), "step")
        raise NotMeasuredError(f"{steps}, {warmup} of them warm-up: none is left")
    return times[warmup:]


def _timed(profile: Profile, lane: Lane, options: StepOptions) -> tuple[int, ...]:
    trace = iterations(profile.lane_rows(lane, "step_trace"), options.model)
    if trace is not None:
        if not len(trace):
            which = "" if options.model is None else f" of model {options.model}"
            raise NotMeasuredError(f"step_trace has no iteration{which}")
        return _durations(_in_order(trace, "iteration_id"), "step_trace", "iteration_time_us")
    framework = profile.lane_rows(lane, "step_trace_time")
    if framework is not None:
        return _stages(framework)
    raise NotMeasuredError("the profile has neither step_trace nor step_trace_time")


def _stages(rows: pd.DataFrame) -> tuple[int, ...]:
    """Return torch_npu's stages; the last one ends with its last task, not with the next step."""
    if "step" not in rows or rows["step"].isna().any():
        raise NotMeasuredError("step_trace_time has no step ids; the app marks no steps")
    times = _durations(_in_order(rows, "step"), "step_trace_time", "stage_us")
    if len(times) < 2:
        raise NotMeasuredError(
            "step_trace_time has one step, whose end is not marked by a next one"
        )
    return times[:-1]


def _in_order(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the rows in the order of their ids; as they stand where one has none."""
    if column not in rows or rows[column].isna().any():
        return rows
    ids = rows[column].astype(object).astype(int).to_numpy()
    return rows.iloc[np.argsort(ids, kind="stable")]


def _durations(rows: pd.DataFrame, table: str, name: str) -> tuple[int, ...]:
    if name not in rows:
        raise NotMeasuredError(f'{table} has no column "{BY_NAME[table].header_of(name)}"')
    times: pd.Series[Any] = rows[name]
    absent = times.isna().to_numpy()
    if absent.any():
        row = int(times.index[int(absent.argmax())]) + 1
        raise NotMeasuredError(f"{table} has no time in row {row}")
    found = us_to_ns(times.to_numpy(dtype=np.float64))
    if not found.all():
        row = int(times.index[int((found == 0).argmax())]) + 1
        raise NotMeasuredError(f"{table} has 0 in row {row}, and a step takes time")
    return tuple(found.tolist())
