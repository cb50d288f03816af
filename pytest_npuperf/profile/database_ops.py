"""The ops of a database, kernels and collectives, in the rows and columns of op_summary."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database_collectives, database_steps
from pytest_npuperf.profile.database_rows import Names, Ops, in_order, there
from pytest_npuperf.profile.sqlite import NONE, Database, Floats, Integers, places, places_in_order
from pytest_npuperf.profile.tables import Kind, Table
from pytest_npuperf.text import many

_TASK: Names = {
    "device_id": ("deviceId",),
    "model_id": ("modelId",),
    "task_id": ("taskId",),
    "stream_id": ("streamId",),
    "context_id": ("contextId",),
}
_KERNEL: Names = {
    "op_name": ("name",),
    "op_type": ("opType",),
    "op_state": ("opState",),
    "task_type": ("taskType",),
    # Beside blockNum, since 2026, blockDim is something else.
    "block_num": ("blockNum", "blockDim", "block_dim"),
    "mix_block_num": ("mixBlockNum", "mixBlockDim"),
    "hf32_eligible": ("hf32Eligible",),
    "input_shapes": ("inputShapes",),
    "input_data_types": ("inputDataTypes",),
    "input_formats": ("inputFormats",),
    "output_shapes": ("outputShapes",),
    "output_data_types": ("outputDataTypes",),
    "output_formats": ("outputFormats",),
}

_ALWAYS = ("device_id", "task_start_ns", "task_duration_us")

_PMU_ROWS = 100_000
"""Among so many rows all counters of a collection are found: each task has each of them."""


def is_there(database: Database) -> bool:
    """Return whether the database has kernels; a viewer makes tables that have no rows.

    Collectives alone are not enough: without what ran beside them, no kernel took any time.
    """
    return not database.is_empty("TASK") and not database.is_empty("COMPUTE_TASK_INFO")


def column_names(database: Database, table: Table) -> tuple[str, ...]:
    """Return the columns of op_summary that the database can give."""
    found = {
        *_ALWAYS,
        *there(database, "TASK", _TASK),
        *there(database, "COMPUTE_TASK_INFO", _KERNEL),
        *database_collectives.column_names(database),
    }
    if not database.is_empty("STEP_TIME"):
        found.add("step_id")
    ours = (column.name for column in table.columns if column.name in found)
    return (*ours, *_pmu_columns(database, table))


def read(database: Database, table: Table, wanted: Collection[str]) -> pd.DataFrame:
    """Return the wanted columns of all ops, each device in the order of time."""
    ops = in_order([_kernels(database, wanted), database_collectives.read(database, wanted)])
    elapsed = database.elapsed_ns(ops.starts, ops.ends, "an op")
    strings = {**database.strings, database_collectives.TASK_TYPE: "COMMUNICATION"}
    columns: dict[str, Any] = {}
    for column in table.columns:
        if column.name not in wanted:
            continue
        if column.name == "task_start_ns":
            columns[column.name] = pd.arrays.IntegerArray(ops.starts, ops.starts == NONE)
        elif column.name == "task_duration_us":
            columns[column.name] = elapsed / 1000
        elif column.name == "step_id":
            steps = database_steps.of_starts(database, ops.starts)
            columns[column.name] = database.category(column, steps)
        else:
            texts = strings if column.kind in (Kind.TEXT, Kind.CORE) else None
            columns[column.name] = database.category(column, ops.cells[column.name], texts)
    return pd.DataFrame({**columns, **_pmu(database, table, wanted, ops.tasks)}, copy=False)


# --- rows -------------------------------------------------------------------------------------


def _kernels(database: Database, wanted: Collection[str]) -> Ops:
    of_task, of_info = (
        {name: column for name, column in there(database, table, names).items() if name in wanted}
        for table, names in (("TASK", _TASK), ("COMPUTE_TASK_INFO", _KERNEL))
    )
    of_task["device_id"] = "deviceId"
    key = "globalTaskId"
    tasks = database.whole("TASK", key, "startNs", "endNs", *of_task.values())
    infos = database.whole("COMPUTE_TASK_INFO", key, *of_info.values())
    _refuse_lost_tasks(database, infos[key], tasks[key])
    _refuse_same_kernels(database, infos[key])
    _refuse_lost_kernels(database)
    place = places(infos[key], tasks[key])
    ran = place != NONE
    cells = {name: tasks[column][ran] for name, column in of_task.items()}
    cells |= {name: infos[column][place[ran]] for name, column in of_info.items()}
    return Ops(tasks[key][ran], tasks["startNs"][ran], tasks["endNs"][ran], cells)


def _refuse_lost_tasks(database: Database, kernels: Integers, tasks: Integers) -> None:
    """Refuse kernels without the task that says when they ran: they would take no time."""
    lost = int((~np.isin(kernels, tasks)).sum())
    if lost:
        raise ProfileError(
            f"{database.path}: {lost} of {many(len(kernels), 'kernel')} in COMPUTE_TASK_INFO "
            "without a row in TASK; the database was cut or edited, export it again"
        )


def _refuse_same_kernels(database: Database, kernels: Integers) -> None:
    """Refuse an id of two kernels: nobody knows which of them the task is."""
    ids, times = np.unique(kernels, return_counts=True)
    twice = ids[(times > 1) & (ids != NONE)]
    if len(twice):
        raise ProfileError(
            f"{database.path}: COMPUTE_TASK_INFO has globalTaskId {twice[0]} twice; "
            "the database was edited, export it again"
        )


def _refuse_lost_kernels(database: Database) -> None:
    """Refuse kernels that only their counters know: they would not be there at all."""
    if not database.has("TASK_PMU_INFO", "globalTaskId"):
        return
    # In SQL: a kernel has some thirty rows of counters.
    unknown = (
        f"WHERE globalTaskId <> {NONE} AND globalTaskId NOT IN (SELECT globalTaskId FROM "
        "COMPUTE_TASK_INFO WHERE globalTaskId IS NOT NULL) GROUP BY globalTaskId"
    )
    blocks = database.rows("TASK_PMU_INFO", ("globalTaskId",), unknown)
    lost = [task for block in blocks for (task,) in block]
    if lost:
        first = database.whole_cells("TASK_PMU_INFO.globalTaskId", lost[:1])[0]
        raise ProfileError(
            f"{database.path}: {many(len(lost), 'kernel')} in TASK_PMU_INFO without a row in "
            f"COMPUTE_TASK_INFO, first globalTaskId {first}; the database was cut or edited, "
            "export it again"
        )


# --- counters ---------------------------------------------------------------------------------


def _pmu_columns(database: Database, table: Table) -> dict[str, tuple[int, float]]:
    """Return by our name the id of each counter, and what its values are worth in our unit."""
    if not database.has("TASK_PMU_INFO"):
        return {}
    ids: set[int] = set()
    for block in database.rows("TASK_PMU_INFO", ("name",), at_most=_PMU_ROWS):
        cells = database.whole_cells("TASK_PMU_INFO.name", [name for (name,) in block])
        ids |= set(cells.tolist()) - {NONE}
    headers = {_pmu_header(database.strings.get(number, "")): number for number in sorted(ids)}
    return {
        table.column(header).name: (number, 1000 if header.endswith("(us)") else 1)
        for header, number in headers.items()
        if header
    }


def _pmu_header(name: str) -> str:
    """Return the header of op_summary for a counter, whose times are in ns in a database."""
    name = name.removesuffix("_extra")
    if name in ("total_time", "aic_total_time"):
        return "aicore_time(us)"
    if name == "aiv_total_time":
        return "aiv_time(us)"
    for part, unit in (("time", "(us)"), ("bw", "(GB/s)"), ("datas", "(KB)")):
        if part in name:
            return name if name.endswith(unit) else name + unit
    return name


def _pmu(
    database: Database, table: Table, wanted: Collection[str], tasks: Integers
) -> dict[str, Floats]:
    """Return the wanted counters of each op; NaN where it has none, or more than one value."""
    there = _pmu_columns(database, table)
    counters = {name: counter for name, counter in there.items() if name in wanted}
    # A task that ran several times has one id, so that nobody knows which run was counted.
    known, which, runs = np.unique(tasks, return_inverse=True, return_counts=True)
    columns = {number: np.full(len(known), np.nan) for number, _ in counters.values()}
    times = {number: runs.copy() - 1 for number in columns}
    for ids, names, values in _counted(database, tuple(columns)):
        place = places_in_order(known, ids)
        for number, column in columns.items():
            mine = (names == number) & (place != NONE)
            column[place[mine]] = values[mine]
            np.add.at(times[number], place[mine], 1)
    return {
        name: np.where(times[number] == 1, columns[number], np.nan)[which] / unit
        for name, (number, unit) in counters.items()
    }


def _counted(
    database: Database, counters: tuple[int, ...]
) -> Iterator[tuple[Integers, Integers, Floats]]:
    """Yield task, counter and value of the rows of some counters, block by block."""
    if not counters:
        return
    columns = ("globalTaskId", "name", "value")
    chosen = f"WHERE name IN ({', '.join(map(str, counters))})"
    for block in database.rows("TASK_PMU_INFO", columns, chosen):
        ids, names, values = zip(*block, strict=True)
        yield (
            database.whole_cells("TASK_PMU_INFO.globalTaskId", ids),
            database.whole_cells("TASK_PMU_INFO.name", names),
            database.number_cells("TASK_PMU_INFO.value", values),
        )
