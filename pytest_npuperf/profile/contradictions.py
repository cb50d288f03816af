"""Which tables of a unit say the same thing, and must agree before one of them is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from pytest_npuperf.profile import agreement, iterations, step_agreement, step_sums, twins
from pytest_npuperf.profile.agreement import Source
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.layouts import Unit
from pytest_npuperf.profile.task_agreement import with_task_time


class _Sources(Protocol):
    """Gives the rows of a table, with columns that are not read of it anyhow."""

    def __call__(self, table: str, columns: Sequence[str] = (), /) -> Source: ...


_Compare = Callable[[Source, Source, Callable[[], Source]], None]
"""Raises ProfileError where the second contradicts the first; the third is that with names."""

CHECKED = {
    "op_summary": "op_summary",
    "op_statistic": "op_summary",
    "api_statistic": "api_statistic",
    "step_trace": "step_trace",
    "step_trace_time": "step_trace_time",
}
"""The tables that are checked before they are used, and which of them is compared with others."""

_STEPS, _TRACE, _CALLS = "step_trace_time", "step_trace", "api_statistic"
_ALONE: Mapping[str, Callable[[Source], None]] = {
    _STEPS: step_sums.refuse_wrong,
    _TRACE: iterations.refuse_late_start,
}
"""What a table must agree on with itself, all of its files together."""

_NAMES = ("op_name", "model_id")
_WITH_OPS: Mapping[str, _Compare] = {
    "op_statistic": lambda ops, other, _: agreement.with_op_statistic(ops, other),
    "task_time": lambda ops, other, _: with_task_time(ops, other),
    "communication_statistic": agreement.with_communication_statistic,
    _STEPS: step_agreement.refuse_cut,
    _TRACE: iterations.refuse_lost,
}
_WITH_DATABASE: Mapping[str, Callable[[Source, Source], None]] = {
    "op_summary": twins.refuse_other_ops,
    "api_statistic": twins.refuse_other_calls,
}


def refuse(unit: Unit, table: str, source: _Sources, twin: _Sources) -> None:
    """Raise ProfileError where a table contradicts others of its unit.

    ``twin`` gives the rows that a database has of it beside a text.
    """
    if table in _ALONE:
        _ALONE[table](source(table))
        return
    ops = unit.of("op_summary")
    if not ops:
        return
    if table == "op_summary":
        for other, compare in _WITH_OPS.items():
            if _of_same_steps(unit, other):
                compare(source(table), source(other), partial(source, table, _NAMES))
    if not unit.twin(table) or ops[0].form == "database" or _steps(unit.of(table)) != {()}:
        return
    # A database always holds the whole run; of a text its ops tell whether it does, too.
    if twins.is_of_whole_run(source("op_summary")):
        _WITH_DATABASE[table](source(table), twin(table))


def doubts(unit: Unit, source: _Sources) -> Iterator[str]:
    """Yield what people should know of tables that differ, though neither need be wrong."""
    if unit.of("op_summary") and _of_same_steps(unit, _STEPS):
        yield from step_agreement.doubts(source("op_summary"), source(_STEPS))
    if unit.of(_CALLS) and unit.of(_TRACE):
        yield from iterations.doubts(source(_CALLS), source(_TRACE))


def _of_same_steps(unit: Unit, other: str) -> bool:
    """Return whether there is a table that has something to agree on with the ops."""
    files = unit.of(other)
    return bool(files) and _steps(files) in ({()}, _steps(unit.of("op_summary")))


def _steps(files: Sequence[TableFile]) -> set[tuple[object, ...]]:
    """Return the device, model and iterations of each file; nothing where none says a step."""
    return {(file.device, file.model, file.steps) if file.steps else () for file in files}
