"""The iterations of models must be all that the ops and calls of the run tell of.

msprof writes an iteration from the start of a model to its end, as the device reports them, and
all of a device into one table. Where the profile was cut, it has fewer than there were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.agreement import EDITED, NEAR_NS, Source
from pytest_npuperf.text import many

_MODEL = ["device_id", "model_id"]
_ENDS = ["model_id", "iteration_end_ns"]
_RUNS = ["model_id", "op_name", "task_start_ns"]
_CALL = re.compile(r"aclmdlExecute(V2|Async|AsyncV2)?")
"""Calls that execute a model once."""

Ns = npt.NDArray[np.int64]


def refuse_late_start(trace: Source) -> None:
    """Raise ProfileError where the iterations of a model do not begin with the first.

    msprof counts those that it finds from 1, whenever the recording began. The steps of a user,
    which have no model, have numbers of their own.
    """
    if not trace.has("iteration_id", "model_id") or trace.rows["model_id"].isna().any():
        return
    for (_, model), ids in trace.rows.groupby(_MODEL, observed=True)["iteration_id"]:
        if min(ids.dropna().astype(object).astype(int), default=0) > 1:
            raise ProfileError(
                f"{trace.path}: iteration 1 is missing of model {model}; "
                "the file was cut or edited, record again"
            )


def refuse_lost(ops: Source, trace: Source, named: Callable[[], Source]) -> None:
    """Raise ProfileError where all ops of a model ran again after its last iteration.

    What is still running when the recording stops has no iteration, but has not run whole either.
    ``named`` gives the ops with their models and names, which are read where some begin late.
    """
    if not trace.has(*_ENDS) or not ops.has("task_start_ns"):
        return
    timed = trace.rows[trace.rows[_ENDS].notna().all(axis=1)]
    models = timed.groupby(_MODEL, observed=True)
    last = models["iteration_end_ns"].max()
    if not len(last) or not (ops.rows["task_start_ns"] > int(last.min())).any():
        return
    found = named()
    if not found.has(*_RUNS):
        return
    rows = found.rows[found.rows[_RUNS].notna().all(axis=1)]
    for (device, model), own in models:
        ran = rows[(rows["model_id"] == model) & (rows["device_id"] == device)]
        if again := _runs_after(ran, own["iteration_end_ns"].to_numpy(dtype=np.int64)):
            raise ProfileError(
                f"{trace.path}: {many(len(own), 'iteration')} of model {model}, but in "
                f"{ops.path.name} all of its ops ran {many(again, 'time')} more after the last "
                f"one; {EDITED}"
            )


def _runs_after(ran: pd.DataFrame, ends: Ns) -> int:
    """Return how many times all that ran in each iteration of a model ran after the last one."""
    place = np.searchsorted(np.sort(ends) + NEAR_NS, ran["task_start_ns"].to_numpy(dtype=np.int64))
    late = place == len(ends)
    names = ran["op_name"].astype(object)
    # Of some releases the ops of one iteration alone are there.
    in_each = pd.crosstab(names[~late], place[~late])
    always = in_each[(in_each > 0).all(axis=1)]
    after = names[late].value_counts().reindex(always.index, fill_value=0)
    return int((after // always.max(axis=1)).min()) if len(always) else 0


def doubts(calls: Source, trace: Source) -> Iterator[str]:
    """Yield what to tell people where models were executed more often than they iterated.

    That is no error: a call may fail, or the device may be at it when the recording stops.
    """
    if not calls.has("name", "count") or not trace.has("model_id"):
        return
    if trace.rows["model_id"].isna().any():
        return
    names = [name for name in calls.rows["name"].dropna().unique() if _CALL.fullmatch(name)]
    called = calls.rows.loc[calls.rows["name"].isin(names).to_numpy(), "count"].sum()
    if called > len(trace.rows):
        yield (
            f"{calls.path.name} has {many(int(called), 'call')} that execute a model, but "
            f"{trace.path.name} has {many(len(trace.rows), 'iteration')}; rows may be missing"
        )
