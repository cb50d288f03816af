"""Chrome traces as msprof writes them, in the forms of its releases."""

from __future__ import annotations

import json
from collections.abc import Sequence

Event = dict[str, object]


def complete(
    name: str, dur: object = 1.0, pid: object = 3, tid: object = 2, **more: object
) -> Event:
    """Return an event with a duration, us."""
    return {"name": name, "pid": pid, "tid": tid, "ts": "1.000", "dur": dur, "ph": "X", **more}


def metadata(what: str, text: object, pid: object = 3, tid: object = 0) -> Event:
    """Return an event that names a process or thread, or labels a process."""
    key = "labels" if what == "process_labels" else "name"
    return {"name": what, "pid": pid, "tid": tid, "args": {key: text}, "ph": "M"}


def process(name: str, label: str | None = None, pid: object = 3) -> list[Event]:
    """Return the events that name a process and say where it ran."""
    labels = [] if label is None else [metadata("process_labels", label, pid)]
    return [metadata("process_name", name, pid), *labels]


def iteration(
    number: int,
    dur: object = 10.5,
    args: Event | None = None,
    tid: object = 70002,
    ts: object = "1000.250",
) -> Event:
    """Return the event of a step; ``args`` are those of the current release unless given."""
    more = {"Iteration ID": number, "Iteration Time(us)": dur} if args is None else args
    return complete(f"Iteration {number}", dur, tid=tid, ts=ts, args=more, cat="Iteration Time")


def step_trace_json(*events: Event, thread: str = "Model ID:2") -> str:
    """Return the trace of the steps of one model."""
    first = [*process("Step Trace"), metadata("thread_name", thread, tid=70002)]
    return trace([*first, *events])


def trace(events: Sequence[object]) -> str:
    """Return a trace on one line, as msprof writes it."""
    return json.dumps(events)
