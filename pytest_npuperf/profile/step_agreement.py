"""What the steps of a framework hold must be among the ops: what only the steps have was cut.

torch_npu makes ``step_trace_time`` of a text from the timeline: of the union of all collectives,
and of that of all kernels, each interval of which counts in the step in which it begins. That of
a database it makes of the ops which begin in a step, and two steps may share some.

Only more than there is gets refused. Less is no sign of a cut: old releases leave out what begins
with the step, and Computing is without some kernels of collectives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database_steps
from pytest_npuperf.profile.agreement import (
    EDITED,
    NEAR_NS,
    ROUNDING_NS,
    Source,
    are_collectives,
    is_one_of,
    may_hide_collectives,
    us,
)
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.sqlite import opened
from pytest_npuperf.text import many

_COARSE_NS = 250
"""Until 2024 start times passed through a double of us, which tells quarters of a us apart."""

_TIMES = ["task_start_ns", "task_duration_us"]
_USED = ["device_id", *_TIMES]

Ns = npt.NDArray[np.int64]


def refuse_cut(ops: Source, steps: Source, named: Callable[[], Source]) -> None:
    """Raise ProfileError where steps and ops cannot be of one run, or ops are missing.

    ``named`` gives the ops with their names, which only few profiles need.
    """
    _refuse_strange(ops, steps)
    if steps.path.suffix == ".db":
        _refuse_more_in_a_step(ops, steps)
    else:
        _refuse_empty_step(ops, steps)
        _refuse_lost_collectives(ops, steps, named)


def doubts(ops: Source, steps: Source) -> Iterator[str]:
    """Yield what to tell people where all kernels together are not the Computing of a text.

    That is no error: msprof takes some kernels of collectives for computing, and others not.
    """
    if steps.path.suffix == ".db" or not steps.has("computing_us"):
        return
    kernels = ops.rows[~are_collectives(ops)]
    if not _are_timed(kernels):
        return
    took, theirs = _in_steps(kernels, steps), round(steps.rows["computing_us"].sum() * 1000)
    if theirs and abs(theirs - took) > _slack(kernels):
        yield (
            f"all kernels of {ops.path.name} together take {us(took)} us, but "
            f"{steps.path.name} has {us(theirs)} us of computing; rows may be missing"
        )


# --- which steps there are --------------------------------------------------------------------


def _refuse_strange(ops: Source, steps: Source) -> None:
    """Refuse an op that belongs to no step of the framework, or outlasts all of them."""
    if not steps.has("step", "stage_us") or steps.rows["stage_us"].isna().any():
        return
    rows = ops.rows
    if ops.has("step_id") and steps.rows["step"].notna().all():
        strange = set(rows["step_id"].dropna()) - set(steps.rows["step"])
        if strange:
            raise ProfileError(
                f"{ops.path}: rows of step {min(strange)}, which {steps.path.name} "
                f"does not have; {EDITED}"
            )
        rows = rows[rows["step_id"].notna()]
    if not ops.has("task_duration_us") or not len(rows):
        return
    longest, whole = rows["task_duration_us"].max(), steps.rows["stage_us"].sum()
    if longest > whole + NEAR_NS / 1000:
        raise ProfileError(
            f"{ops.path}: a task of {longest:.3f} us, but all steps of {steps.path.name} "
            f"took {whole:.3f} us; {EDITED}"
        )


# --- steps of a text --------------------------------------------------------------------------


def _refuse_empty_step(ops: Source, steps: Source) -> None:
    """Refuse a step that has computing, but no op at all: its rows were lost."""
    if ops.path.suffix == ".db" or not ops.has("step_id") or ops.rows["step_id"].isna().all():
        return
    if not steps.has("step", "computing_us"):
        return
    worked = steps.rows[(steps.rows["computing_us"] > NEAR_NS / 1000) & steps.rows["step"].notna()]
    empty = worked[~is_one_of(worked["step"], set(ops.rows["step_id"].dropna()))]
    if len(empty):
        step = empty.iloc[0]
        raise ProfileError(
            f"{ops.path}: no row of step {step['step']}, of which {steps.path.name} has "
            f"{step['computing_us']:.3f} us of computing; {EDITED}"
        )


def _refuse_lost_collectives(ops: Source, steps: Source, named: Callable[[], Source]) -> None:
    if not steps.has("communication_us"):
        return
    rows = ops.rows[are_collectives(ops)]
    if not _are_timed(rows):
        return
    took, theirs = _in_steps(rows, steps), round(steps.rows["communication_us"].sum() * 1000)
    if theirs > took + _slack(rows) and not may_hide_collectives(named()):
        raise ProfileError(
            f"{ops.path}: {many(len(rows), 'collective')} of {us(took)} us together, but "
            f"{steps.path.name} has {us(theirs)} us of communication; {EDITED}"
        )


# --- steps of a database ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Work:
    """What a step is said to have, and the ops that are it."""

    column: str
    kind: str
    op: str
    rows: pd.DataFrame

    @cached_property
    def by_step(self) -> dict[str, pd.DataFrame]:
        """The rows of each step; of two in which one begins it has the first."""
        steps = self.rows["step_id"]
        return {str(step): own for step, own in self.rows[_USED].groupby(steps, observed=True)}


def _refuse_more_in_a_step(ops: Source, steps: Source) -> None:
    """Refuse a step that has more of something than the ops in it took together."""
    collective = are_collectives(ops)
    both = [_Work("communication_us", "communication", "collective", ops.rows[collective])]
    # A text leaves out kernels that the database beside it counts.
    if ops.path.suffix == ".db":
        both.append(_Work("computing_us", "computing", "kernel", ops.rows[~collective]))
    ranges = _Ranges(ops.path)
    for work in both:
        if steps.has("step", work.column) and _are_timed(work.rows):
            names = steps.rows["step"].astype(object).fillna("")
            for step, time in steps.rows[work.column].groupby(names).sum().items():
                _refuse_more(ops, steps, work, str(step), round(time * 1000), ranges)


def _refuse_more(
    ops: Source, steps: Source, work: _Work, step: str, theirs: int, ranges: _Ranges
) -> None:
    if not step or not ops.has("step_id"):
        own = work.rows
    elif theirs <= _allowed(work.by_step.get(step, work.rows[:0])):
        return
    elif ops.path.suffix == ".db":
        own = ranges.within(step, work.rows)
    else:  # a text does not say when its steps began, and what is in two of them has one
        own = work.rows
    if theirs > _allowed(own):
        raise ProfileError(
            f"{ops.path}: {many(len(own), work.op)} of {us(_covered_ns(own))} us together, but "
            f"{steps.path.name} has {us(theirs)} us of {work.kind}"
            f"{step and f' in step {step}'}; {EDITED}"
        )


class _Ranges:
    """When the steps of a database begin and end, read once they are needed."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _all(self) -> list[tuple[int, int, int]]:
        with opened(self._path) as database:
            return database_steps.ranges(database)

    def within(self, step: str, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that begin in a step, be they in another as well."""
        starts = rows["task_start_ns"].to_numpy(dtype=np.int64)
        inside = np.zeros(len(rows), dtype=np.bool_)
        for number, begin, end in self._all:
            if str(number) == step:
                inside |= (begin <= starts) & (starts <= end)
        return rows[inside]


# --- how long ops take together ---------------------------------------------------------------


def _are_timed(rows: pd.DataFrame) -> bool:
    """Return whether each op has its times; what needs those that are absent tells it."""
    return set(_TIMES) <= set(rows) and bool(rows[_TIMES].notna().all(axis=None))


def _in_steps(rows: pd.DataFrame, steps: Source) -> int:
    """Return how long ops take together, ns, but for what begins outside of all steps."""
    if "step_id" in rows and steps.has("step") and steps.rows["step"].notna().all():
        return _covered_ns(rows, rows["step_id"].notna().to_numpy())
    return _covered_ns(rows)


def _allowed(rows: pd.DataFrame) -> int:
    return _covered_ns(rows) + _slack(rows)


def _covered_ns(rows: pd.DataFrame, counted: npt.NDArray[np.bool_] | None = None) -> int:
    """Return the length of the union of ops on each device.

    ``counted`` are the rows of which an interval of the union counts that begins with one.
    """
    starts = rows["task_start_ns"].to_numpy(dtype=np.int64)
    ends = starts + us_to_ns(rows["task_duration_us"].to_numpy(dtype=np.float64))
    every = np.ones(len(rows), dtype=np.bool_) if counted is None else counted
    devices = rows["device_id"].cat.codes.to_numpy()
    on_each = [devices == device for device in np.unique(devices)]
    return sum(_union_ns(starts[own], ends[own], every[own]) for own in on_each)


def _union_ns(starts: Ns, ends: Ns, counted: npt.NDArray[np.bool_]) -> int:
    order = np.argsort(starts, kind="stable")
    begins, reach = starts[order], np.maximum.accumulate(ends[order])
    first = np.flatnonzero(np.append(True, begins[1:] > reach[:-1]))
    lengths = np.append(reach[first[1:] - 1], reach[-1]) - begins[first]
    return int(lengths[counted[order][first]].sum())


def _slack(rows: pd.DataFrame) -> int:
    """Return by how many ns the union of so many rows may be off."""
    starts = rows["task_start_ns"].to_numpy(dtype=np.int64)
    return NEAR_NS + (ROUNDING_NS if (starts % 100).any() else _COARSE_NS) * len(rows)
