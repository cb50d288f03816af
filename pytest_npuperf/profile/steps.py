"""How many steps a lane's op table covers: a release exports the whole run, or one step of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.text import many

Scope = Literal["run", "step"]
Rows = Callable[[str], "pd.DataFrame | None"]
"""Returns the rows of a lane in a table; None where there is no such table."""


@dataclass(frozen=True)
class StepCount:
    """The number of steps behind the totals of a lane; None with the reason where it is unknown."""

    count: int | None
    scope: Scope = "run"
    """``step``: the op table holds single steps of a longer run, so plain totals mean little."""
    reason: str = ""


def count_steps(files: Sequence[TableFile], rows: Rows, options: StepOptions) -> StepCount:
    """Return how many steps the op table of a lane covers; ``files`` are those of this table.

    Raises ProfileError.
    """
    if any(file.steps for file in files):
        return _named(files, options.model)
    ops = rows("op_summary")
    if _has(ops, "infer_id"):
        return _distinct(ops, "infer_id", "step")
    trace = iterations(rows("step_trace"), options.model)
    if trace is not None and len(trace):
        return _traced(ops, trace)
    found = StepCount(None, reason="the profile does not say how many steps it holds")
    if _has(ops, "step_id"):
        found = _distinct(ops, "step_id", "run")
    if found.count is not None:
        return found
    if options.steps is not None:
        return StepCount(options.steps)
    return StepCount(None, reason=f"{found.reason}; add `steps = N`")


def iterations(trace: pd.DataFrame | None, model: int | None) -> pd.DataFrame | None:
    """Return the step_trace rows of one model: the given one, else the one with most iterations."""
    if trace is None or "model_id" not in trace or trace["model_id"].isna().all():
        return trace
    models = trace["model_id"].astype(object)
    if model is None:
        # Of models that iterate equally often the smallest id, as msprof itself decides.
        counts = models.value_counts()
        model = min(int(name) for name in counts[counts == counts.max()].index)
    return trace.loc[(models == str(model)).to_numpy()]


def _named(files: Sequence[TableFile], model: int | None) -> StepCount:
    """Return the iterations that the names of the files say, of the model with most of them."""
    counts: dict[int | None, set[int]] = {}
    for file in files:
        counts.setdefault(file.model, set()).update(file.steps)
    if model is not None:
        steps = len(counts.get(model, ()))
        return StepCount(steps or None, "step", f"no file holds an iteration of model {model}")
    return StepCount(max(map(len, counts.values())), "step")


def _has(rows: pd.DataFrame | None, column: str) -> bool:
    return rows is not None and column in rows and bool(rows[column].notna().any())


def _distinct(rows: pd.DataFrame | None, column: str, scope: Scope) -> StepCount:
    assert rows is not None
    ids: pd.Series[Any] = rows[column]
    absent = int(ids.isna().sum())
    if absent:
        ops = many(len(rows), "row")
        return StepCount(None, scope, f"no step id in {absent} of {ops} of the op table")
    return StepCount(int(ids.nunique()), scope)


def _traced(rows: pd.DataFrame | None, trace: pd.DataFrame) -> StepCount:
    """Return the iterations in which an op started: chips of the 310 series export only one."""
    needed = {"iteration_end_ns", "iteration_time_us"}
    if rows is None or "task_start_ns" not in rows or not needed <= set(trace):
        return StepCount(len(trace))
    timed = trace[sorted(needed)].dropna()
    ends = timed["iteration_end_ns"].to_numpy(dtype=np.int64)
    begins = ends - us_to_ns(timed["iteration_time_us"].to_numpy(dtype=np.float64))
    starts = np.sort(rows["task_start_ns"].dropna().to_numpy(dtype=np.int64))
    inside = np.searchsorted(starts, ends) > np.searchsorted(starts, begins)
    touched = int(inside.sum())
    # None at all: the two tables count time from different zeros, and nothing can be compared.
    if len(timed) < len(trace) or touched in (0, len(trace)):
        return StepCount(len(trace))
    return StepCount(touched, "step")
