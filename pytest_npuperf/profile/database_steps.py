"""The step of a framework to which each op of a database belongs, as kernel_details has it."""

from __future__ import annotations

import numpy as np

from pytest_npuperf.profile.sqlite import NONE, Database, Integers, places

_NODE = 10000
"""In CANN_API.type the level of the calls that launch kernels."""


def of_starts(database: Database, starts: Integers) -> Integers:
    """Return the id of the step in which each op starts; NONE for one outside of all."""
    order = np.argsort(starts, kind="stable")
    in_order = starts[order]
    found = np.full(len(starts), NONE)
    # Backwards: an op that starts within two steps belongs to the first.
    for step, begin, end in reversed(ranges(database)):
        found[order[_between(in_order, begin, end)]] = step
    return found


def ranges(database: Database) -> list[tuple[int, int, int]]:
    """Return the id of each step, and when it begins and ends on the device, in their order.

    STEP_TIME holds the steps of the host. On the device a step begins with the first task that
    was launched in it, and ends with the last one or on the host, whichever is later.
    """
    steps = database.whole("STEP_TIME", "id", "startNs", "endNs")
    launches, tasks = _launched(database)
    found = []
    for step in np.argsort(steps["startNs"], kind="stable"):
        begin, end = steps["startNs"][step], steps["endNs"][step]
        own = tasks[_between(launches[:, 0], begin, end)]
        own = own[launches[_between(launches[:, 0], begin, end), 1] <= end]
        if len(own):
            begin, end = own[:, 0].min(), max(own[:, 1].max(), end)
        found.append((int(steps["id"][step]), int(begin), int(end)))
    return found


def _launched(database: Database) -> tuple[Integers, Integers]:
    """Return start and end of calls in their order, and those of the task that each launched."""
    if not database.has("CANN_API", "connectionId") or not database.has("TASK", "connectionId"):
        return np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    calls = database.whole("CANN_API", "startNs", "endNs", "type", "connectionId")
    tasks = database.whole("TASK", "startNs", "endNs", "connectionId")
    ids = np.where(calls["type"] == _NODE, calls["connectionId"], NONE)
    place = places(ids, tasks["connectionId"])
    own = (place != NONE) & (tasks["startNs"] != NONE)
    launches = np.column_stack([calls["startNs"], calls["endNs"]])[place[own]]
    order = np.argsort(launches[:, 0], kind="stable")
    return launches[order], np.column_stack([tasks["startNs"], tasks["endNs"]])[own][order]


def _between(times: Integers, begin: int, end: int) -> slice:
    """Return the part of sorted times that lies within two, both included."""
    return slice(np.searchsorted(times, begin), np.searchsorted(times, end, side="right"))
