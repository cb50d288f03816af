"""Which tables of a unit say the same thing, and must agree before one of them is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_npuperf.profile import agreement, twins
from pytest_npuperf.profile.agreement import Source
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.layouts import Unit

_Sources = Callable[[str], Source]
"""Gives the rows of a table."""

_Compare = Callable[[Source, Source], None]
"""Raises ProfileError where the second contradicts the first."""

CHECKED = {
    "op_summary": "op_summary",
    "op_statistic": "op_summary",
    "api_statistic": "api_statistic",
}
"""The tables that are checked before they are used, and which of them is compared with others."""

_WITH_OPS: Mapping[str, _Compare] = {
    "op_statistic": agreement.with_op_statistic,
    "task_time": agreement.with_task_time,
    "step_trace_time": agreement.with_step_trace_time,
}
_WITH_DATABASE: Mapping[str, _Compare] = {
    "op_summary": twins.refuse_other_ops,
    "api_statistic": twins.refuse_other_calls,
}


def refuse(unit: Unit, table: str, source: _Sources, twin: _Sources) -> None:
    """Raise ProfileError where a table contradicts others of its unit.

    ``twin`` gives the rows that a database has of it beside a text.
    """
    ops = unit.of("op_summary")
    if not ops:
        return
    if table == "op_summary":
        for other, compare in _WITH_OPS.items():
            # Tables of different steps have nothing to agree on.
            if unit.of(other) and _steps(unit.of(other)) in ({()}, _steps(ops)):
                compare(source(table), source(other))
    if not unit.twin(table) or ops[0].form == "database" or _steps(unit.of(table)) != {()}:
        return
    # A database always holds the whole run; of a text its ops tell whether it does, too.
    if twins.is_of_whole_run(source("op_summary")):
        _WITH_DATABASE[table](source(table), twin(table))


def _steps(files: Sequence[TableFile]) -> set[tuple[object, ...]]:
    """Return the device, model and iterations of each file; nothing where none says a step."""
    return {(file.device, file.model, file.steps) if file.steps else () for file in files}
