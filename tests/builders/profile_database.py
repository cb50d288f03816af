"""Write small databases as msprof and torch_npu do, with the numbers that a test gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

FIRST_NS = 1_784_177_503_947_983_147

Row = Mapping[str, object]
Tables = Mapping[str, Sequence[Row]]


class Text(str):
    """A cell that a database holds as an id in STRING_IDS."""


@dataclass(frozen=True)
class Kernel:
    """One execution of an operator; times are in ns, the start since the first one."""

    type: str = "Conv2D"
    core: str = "AI_CORE"
    start: int = 0
    duration: int = 1000
    device: int = 0
    task: Row = field(default_factory=dict)
    """Cells of TASK that are not the usual ones."""
    info: Row = field(default_factory=dict)
    """Cells of COMPUTE_TASK_INFO that are not the usual ones."""


def kernels(*ops: Kernel) -> dict[str, list[Row]]:
    """Return TASK and COMPUTE_TASK_INFO.

    The globalTaskId of an op is its place, its connectionId 100 more than that.
    """
    return {
        "TASK": [_task(number, op) for number, op in enumerate(ops)],
        "COMPUTE_TASK_INFO": [_info(number, op) for number, op in enumerate(ops)],
    }


def _task(number: int, op: Kernel) -> Row:
    start = FIRST_NS + op.start
    return {
        "startNs": start,
        "endNs": start + op.duration,
        "deviceId": op.device,
        "connectionId": 100 + number,
        "globalTaskId": number,
        "taskType": Text("KERNEL_AICORE"),
        "contextId": 4294967295,
        "streamId": 2,
        "taskId": number,
        "modelId": 4294967295,
        **op.task,
    }


def _info(number: int, op: Kernel) -> Row:
    return {
        "name": Text(f"{op.type}_{number}"),
        "globalTaskId": number,
        "blockNum": 4,
        "mixBlockNum": 0,
        "taskType": Text(op.core),
        "opType": Text(op.type),
        "inputShapes": Text('"1,3;64,3"'),
        "opState": Text("N/A"),
        **op.info,
    }


def collective(start: int = 0, duration: int = 1000, **cells: object) -> Row:
    """Return a row of COMMUNICATION_OP."""
    return {
        "opName": Text("hcom_allReduce__1_0_1"),
        "startNs": FIRST_NS + start,
        "endNs": FIRST_NS + start + duration,
        "connectionId": 100,
        "opId": 0,
        "opType": Text("hcom_allReduce_"),
        **cells,
    }


def task_of_collective(task: object, of: object = 0, **cells: object) -> Row:
    """Return a row of COMMUNICATION_TASK_INFO: a task by its globalTaskId, and whose it is."""
    return {
        "name": Text("hcom_allReduce__1_0_1"),
        "globalTaskId": task,
        "taskType": Text("Memcpy"),
        "opId": of,
        **cells,
    }


def memory_sample(event: str = "app", ddr: object = 0, hbm: object = 0, **cells: object) -> Row:
    """Return a row of NPU_MEM; sizes are bytes."""
    return {
        "type": Text(event),
        "ddr": ddr,
        "hbm": hbm,
        "timestampNs": FIRST_NS,
        "deviceId": 0,
        **cells,
    }


def memory_record(component: str = "PTA", **cells: object) -> Row:
    """Return a row of MEMORY_RECORD; sizes are bytes."""
    return {
        "component": Text(component),
        "timestamp": FIRST_NS,
        "totalAllocated": 0,
        "totalReserved": 0,
        "totalActive": 0,
        "streamPtr": 187651,
        "deviceId": 0,
        **cells,
    }


def call(
    name: str = "launch", level: int = 10000, start: int = 0, duration: int = 10, **cells: object
) -> Row:
    """Return a row of CANN_API."""
    return {
        "startNs": FIRST_NS + start,
        "endNs": FIRST_NS + start + duration,
        "type": level,
        "connectionId": 1,
        "name": Text(name),
        **cells,
    }


LEVELS: Tables = {
    "ENUM_API_TYPE": [{"id": 10000, "name": "node"}, {"id": 20000, "name": "acl"}],
}


def write(path: Path, *parts: Tables, strings: bool = True) -> Path:
    """Write a database with these tables, whose columns are those of their first rows.

    No column has a type, so that a cell of any type can be put into it.
    """
    tables = {name: rows for part in parts for name, rows in part.items()}
    ids: dict[str, int] = {}
    with closing(sqlite3.connect(path)) as connection:
        for name, rows in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(rows[0])})")
            marks = ", ".join("?" for _ in rows[0])
            cells = [tuple(_cell(cell, ids) for cell in row.values()) for row in rows]
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)
        if strings:
            connection.execute("CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT)")
            texts = [(number, text) for text, number in ids.items()]
            connection.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", texts)
        connection.commit()
    return path


def _cell(cell: object, ids: dict[str, int]) -> object:
    return ids.setdefault(str(cell), len(ids)) if isinstance(cell, Text) else cell
