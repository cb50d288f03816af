"""How many steps a lane's op table covers: a release exports the whole run, or one step of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.profile import Lane, Profile

Scope = Literal["run", "step"]


@dataclass(frozen=True)
class StepCount:
    """The number of steps behind the totals of a lane; None with the reason where it is unknown."""

    count: int | None
    scope: Scope = "run"
    """``step``: the op table holds single steps of a longer run, so plain totals mean little."""
    reason: str = ""


def count_steps(profile: Profile, lane: Lane, options: StepOptions) -> StepCount:
    """Return how many steps the op table of a lane covers. Raises ProfileError."""
    files = profile.units[lane.unit].files
    single = {file.step for file in files if file.step and not file.table.whole_run}
    if single:
        return StepCount(len(single), "step")
    rows = profile.lane_rows(lane, "op_summary")
    if rows is not None and "infer_id" in rows and rows["infer_id"].notna().any():
        return _distinct(rows, "infer_id", "step")
    trace = iterations(profile, lane, options.model)
    if trace is not None and len(trace):
        return _traced(rows, trace)
    if rows is not None and "step_id" in rows and rows["step_id"].notna().any():
        return _distinct(rows, "step_id", "run")
    if options.steps is not None:
        return StepCount(options.steps)
    return StepCount(
        None, reason="the profile does not say how many steps it holds; add `steps = N`"
    )


def iterations(profile: Profile, lane: Lane, model: int | None) -> pd.DataFrame | None:
    """Return the step_trace rows of one model: the given one, else the one with most iterations.

    None: there is no step_trace.
    """
    rows = profile.lane_rows(lane, "step_trace")
    if rows is None or "model_id" not in rows:
        return rows
    models = rows["model_id"].astype(object).where(rows["model_id"].notna(), "N/A")
    if model is not None:
        return rows[(models == str(model)).to_numpy()]
    # Of models that iterate equally often the smallest id, as msprof itself decides.
    counts = models.value_counts()
    most = min(counts[counts == counts.max()].index, key=lambda name: (len(name), name))
    return rows[(models == most).to_numpy()]


def _distinct(rows: pd.DataFrame, column: str, scope: Scope) -> StepCount:
    absent = int(rows[column].isna().sum())
    if absent:
        return StepCount(None, scope, f"{absent} of {len(rows)} rows of op_summary have no step id")
    return StepCount(int(rows[column].nunique()), scope)


def _traced(rows: pd.DataFrame | None, trace: pd.DataFrame) -> StepCount:
    """Return the iterations in which an op started: chips of the 310 series export only one."""
    needed = {"iteration_end_ns", "iteration_time_us"}
    if rows is None or "task_start_ns" not in rows or not needed <= set(trace):
        return StepCount(len(trace))
    timed = trace[sorted(needed)].dropna()
    ends = timed["iteration_end_ns"].to_numpy(dtype=np.int64)
    begins = ends - us_to_ns(timed["iteration_time_us"].to_numpy())
    starts = np.sort(rows["task_start_ns"].dropna().to_numpy(dtype=np.int64))
    inside = np.searchsorted(starts, ends) > np.searchsorted(starts, begins)
    touched = int(inside.sum())
    # None at all: the two tables count time from different zeros, and nothing can be compared.
    if len(timed) < len(trace) or touched in (0, len(trace)):
        return StepCount(len(trace))
    return StepCount(touched, "step")
