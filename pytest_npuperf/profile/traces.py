"""The tables in a trace: the timeline, which is its events summed up, and the steps it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import NO_ID
from pytest_npuperf.profile.events import Event, arguments, duration_ns, events, place, start_ns
from pytest_npuperf.profile.files import stem_of
from pytest_npuperf.profile.schema import Table
from pytest_npuperf.profile.timeline import Names, sums_of

_ITERATION = re.compile(r"Iteration ([0-9]{1,10})")
_MODEL = re.compile(r"(?:Step Trace\()?Model ID:([0-9]{1,10})\)?")
_TIMES = {"Iteration Time(us)": 1000, "Iteration Time(ns)": 1}
"""Arguments with the time of an iteration, and ns per unit; the second until 2023-11-23."""

OnBytes = Callable[[int], None]


def column_names(path: Path, table: Table) -> tuple[str, ...]:  # noqa: ARG001 - as of all forms
    """Return the DataFrame names of the columns, which all traces have."""
    return tuple(column.name for column in table.columns)


def read_table(
    path: Path, table: Table, wanted: Collection[str] | None = None, on_bytes: OnBytes | None = None
) -> pd.DataFrame:
    """Return the wanted columns (None: all) of the timeline, or of the steps, in a trace.

    ``timeline`` has a row for each device, layer, thread and name. Its times are NaN where one of
    its events has none; without a name are those that there was no room for. ``device_id`` is
    missing in a file that does not number its device. ``on_bytes`` is told how many bytes have
    been read. Raises ProfileError.
    """
    if table.name == "step_trace":
        columns = _step_trace(path, on_bytes)
    else:
        columns = _timeline(path, on_bytes)
    chosen = {name: columns[name] for name in columns if wanted is None or name in wanted}
    return pd.DataFrame(chosen, copy=False)


def _timeline(path: Path, on_bytes: OnBytes | None) -> dict[str, Any]:
    sums = sums_of(path, events(path, on_bytes))
    times = np.array([each.times_us() for each in sums.values()], dtype=np.float64).reshape(-1, 3)
    return {
        "device_id": _categories([key.device for key in sums]),
        "source": _categories([stem_of(path)] * len(sums)),
        "file": _categories([path.name] * len(sums)),
        "layer": _categories([key.layer for key in sums]),
        "thread": _categories([key.thread for key in sums]),
        "name": _categories([key.name for key in sums]),
        "count": np.array([each.count for each in sums.values()], dtype=np.float64),
        "total_time_us": times[:, 0],
        "min_time_us": times[:, 1],
        "max_time_us": times[:, 2],
    }


@dataclass(frozen=True)
class _Iteration:
    """An event that is an iteration, if its thread is that of a model."""

    pid: str
    tid: str
    id: str
    time_ns: int | None
    end_ns: int | None


def _step_trace(path: Path, on_bytes: OnBytes | None) -> dict[str, Any]:
    names = Names(path)
    found = list(_iterations(path, names, on_bytes))
    threads = [names.thread(each.pid, each.tid) or "" for each in found]
    models = [match and match[1] for match in map(_MODEL.fullmatch, threads)]
    steps = [each for each, model in zip(found, models, strict=True) if model]
    if not steps:
        raise ProfileError(
            f"{path}: no iterations, events Iteration N of a thread Model ID:N; "
            "nothing was recorded"
        )
    devices = names.devices({each.pid for each in steps})
    ends = [each.end_ns for each in steps]
    return {
        "device_id": _categories([devices[each.pid] for each in steps]),
        "iteration_id": _categories([each.id for each in steps]),
        "iteration_time_us": np.array(
            [np.nan if each.time_ns is None else each.time_ns / 1000 for each in steps]
        ),
        "iteration_end_ns": pd.array(ends, dtype="Int64"),
        "model_id": _categories([None if id_ in NO_ID else id_ for id_ in models if id_]),
    }


def _iterations(path: Path, names: Names, on_bytes: OnBytes | None) -> Iterator[_Iteration]:
    """Yield what may be iterations, and let the names learn; they may come last."""
    for number, event in enumerate(events(path, on_bytes), start=1):
        if event["ph"] == "M":
            names.learn(number, event)
        elif event["ph"] == "X":
            pid, tid, name = place(path, number, event)
            if match := _ITERATION.fullmatch(name):
                time_ns = _time_ns(path, number, event)
                yield _Iteration(pid, tid, match[1], time_ns, _end_ns(path, number, event))


def _time_ns(path: Path, number: int, event: Event) -> int | None:
    args = arguments(path, number, event)
    for key, ns_per_unit in _TIMES.items():
        if key in args:
            return duration_ns(path, number, args, key, ns_per_unit)
    return None


def _end_ns(path: Path, number: int, event: Event) -> int | None:
    """Return when an event ended; the argument Iteration End does not say its unit."""
    start, duration = start_ns(path, number, event), duration_ns(path, number, event)
    return None if start is None or duration is None else start + duration


def _categories(texts: Sequence[str | None]) -> pd.Categorical:
    codes, kept = pd.factorize(np.array(texts, dtype=object), sort=True)
    return pd.Categorical.from_codes(codes, categories=pd.Index(kept, dtype=object))
