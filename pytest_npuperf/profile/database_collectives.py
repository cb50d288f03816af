"""The collectives of a database: those that are recorded, and those that only their tasks name.

COMMUNICATION_OP has a row for each collective, and COMMUNICATION_TASK_INFO one for each of its
tasks, which names it by its opId: msprof makes both of the same data, so that none of the tasks
can be of a collective that is not there. Other tables that know of communication are no measure:

- OVERLAP_ANALYSIS is written by a viewer, when it likes, and its numbers for kinds differ by who
  wrote it.
- The calls in CANN_API at the level of HCCL are not one for each collective, and some of those that
  are named after one lead to none: a recording has four of hcom_broadcast_, and no broadcast.
- Of the tasks on the device in TASK, Notify Wait and the like are not those of collectives alone.
- STEP_TIME says nothing of communication. StepTraceTime does: see ``step_agreement``.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.database_rows import Names, Ops, there
from pytest_npuperf.profile.sqlite import NONE, Database, Integers, places
from pytest_npuperf.text import many

TASK_TYPE = -2
"""No id of a database: it stands for the task type of collectives, which no database names."""

_OPS, _TASKS = "COMMUNICATION_OP", "COMMUNICATION_TASK_INFO"

_NAMES: Names = {"op_name": ("opName",), "op_type": ("opType",)}
_MADE = ("task_type", "block_num")
_KNOWN_TO_TASKS = ("opId", "globalTaskId", "name")


def column_names(database: Database) -> frozenset[str]:
    """Return the columns of op_summary that collectives have; none where there are none."""
    if not database.is_empty(_OPS):
        return frozenset({*_MADE, *there(database, _OPS, _NAMES)})
    return frozenset(("op_name", *_MADE) if len(_named_by_tasks(database)) else ())


def read(database: Database, wanted: Collection[str]) -> Ops:
    """Return all collectives with the wanted columns.

    A viewer was seen to empty COMMUNICATION_OP. Then the times of collectives are absent, but
    they are not: what needs them cannot be measured, and the kernels can. Raises ProfileError.
    """
    if database.is_empty(_OPS):
        return _without_times(database)
    _refuse_lost(database)
    names = {
        name: column for name, column in there(database, _OPS, _NAMES).items() if name in wanted
    }
    of_device = "deviceId" if database.has(_OPS, "deviceId") else "connectionId"
    rows = database.whole(_OPS, "startNs", "endNs", of_device, *names.values())
    devices = rows[of_device]
    if of_device == "connectionId":
        devices = _devices(database, "connectionId", devices)
    cells = {name: rows[column] for name, column in names.items()}
    return Ops(
        np.full(len(devices), NONE),
        rows["startNs"],
        rows["endNs"],
        {**cells, "device_id": devices, **_made(len(devices))},
    )


def _without_times(database: Database) -> Ops:
    """Return the collectives that tasks name; all of them have the name of their collective."""
    ids = _named_by_tasks(database)
    absent = np.full(len(ids), NONE)
    cells = {"device_id": absent}
    if len(ids):
        tasks = database.whole(_TASKS, *_KNOWN_TO_TASKS)
        first = places(tasks["opId"], ids)
        cells = {
            "op_name": tasks["name"][first],
            "device_id": _devices(database, "globalTaskId", tasks["globalTaskId"][first]),
        }
    return Ops(absent, absent, absent, {**cells, **_made(len(ids))})


def _made(rows: int) -> dict[str, Integers]:
    """Return what op_summary says of every collective."""
    values = (np.full(rows, TASK_TYPE), np.zeros(rows, dtype=np.int64))
    return dict(zip(_MADE, values, strict=True))


def _refuse_lost(database: Database) -> None:
    """Refuse collectives that only their tasks know: they would take no time."""
    named = _named_by_tasks(database)
    if not len(named) or not database.has(_OPS, "opId"):
        return
    lost = named[~np.isin(named, database.whole(_OPS, "opId")["opId"])]
    if len(lost):
        raise ProfileError(
            f"{database.path}: {len(lost)} of {many(len(named), 'collective')} in {_TASKS} without "
            f"a row in {_OPS}, first opId {lost[0]}; the database was cut or edited, export it "
            "again"
        )


def _named_by_tasks(database: Database) -> Integers:
    """Return the ids of the collectives of which there are tasks."""
    if not database.has(_TASKS, *_KNOWN_TO_TASKS):
        return np.empty(0, dtype=np.int64)
    ids = database.whole(_TASKS, "opId")["opId"]
    return np.unique(ids[ids != NONE])


def _devices(database: Database, key: str, ids: Integers) -> Integers:
    """Return the device of the tasks that have these ids."""
    tasks = database.whole("TASK", key, "deviceId")
    if len(devices := np.unique(tasks["deviceId"])) == 1:
        return np.full(len(ids), devices[0])
    place = places(tasks[key], ids)
    return np.where(place == NONE, NONE, tasks["deviceId"][place])
