"""What the events of a trace took, summed up by device, layer, thread and name."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.events import Event, arguments, duration_ns, fault, place

ROOM = 64 * 2**20
"""Bytes for names and their sums: more than 100,000 names of 200 letters."""

_SUM = 400
"""Bytes that a sum takes beside the letters of its name."""

_NPU = re.compile(r"NPU ([0-9]{1,4})")
_TEXT_OF = {"process_name": "name", "process_labels": "labels", "thread_name": "name"}
"""The metadata events that we need, and the argument of each that holds the text."""


_BEGINNINGS = ("B", "b", "S")
"""Events whose end is another event. msprof writes none, and how long they took is not known."""


class Key(NamedTuple):
    """Whose events are summed up; what is None has no name."""

    device: str | None
    layer: str | None
    thread: str | None
    name: str | None


@dataclass(slots=True)
class Sum:
    """What events took, ns; ``absent`` of them do not say it."""

    count: int = 0
    absent: int = 0
    total: int = 0
    least: int = 2**63
    most: int = 0

    def add(self, other: Sum) -> None:
        """Take in the events of another sum."""
        self.count += other.count
        self.absent += other.absent
        self.total += other.total
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)

    def times_us(self) -> tuple[float, float, float]:
        """Return total, least and most; some of the events cannot stand for all: NaN."""
        if self.absent:
            return math.nan, math.nan, math.nan
        return self.total / 1000, self.least / 1000, self.most / 1000


def sums_of(path: Path, stream: Iterable[Event]) -> Mapping[Key, Sum]:
    """Return the sums of the events of a trace that take time. Raises ProfileError.

    Once there is no room for more names, new ones have one sum for each thread, without a name.
    """
    names, sums = Names(path), _Sums(path)
    for number, event in enumerate(stream, start=1):
        phase = event["ph"]
        if phase == "X":
            sums.add(*place(path, number, event), duration_ns(path, number, event))
        elif phase in _BEGINNINGS:
            sums.add(*place(path, number, event), None)
        elif phase == "M":
            names.learn(number, event)
    rows: dict[Key, Sum] = {}
    devices = names.devices({pid for pid, _, _ in sums.by_id})
    for (pid, tid, name), each in sums.by_id.items():
        # Processes and threads of one name are one row: their ids mean nothing to people.
        key = Key(devices[pid], names.layer(pid), names.thread(pid, tid), name)
        rows.setdefault(key, Sum()).add(each)
    return rows


class _Sums:
    """Sums by process, thread and name, in a room that does not grow with the file."""

    def __init__(self, path: Path) -> None:
        self.by_id: dict[tuple[str, str, str | None], Sum] = {}
        self._path = path
        self._room = ROOM

    def add(self, pid: str, tid: str, name: str, time_ns: int | None) -> None:
        """Take in an event."""
        found = self.by_id.get((pid, tid, name)) or self._sum_of(pid, tid, name)
        found.count += 1
        if time_ns is None:
            found.absent += 1
            return
        found.total += time_ns
        if time_ns < found.least:
            found.least = time_ns
        if time_ns > found.most:
            found.most = time_ns

    def _sum_of(self, pid: str, tid: str, name: str) -> Sum:
        """Return the sum of a new name, or of those for which there is no room."""
        has_room = len(name) + _SUM <= self._room
        key = (pid, tid, name if has_room else None)
        if key not in self.by_id:
            self._room -= _SUM + len(name if has_room else "")
            if self._room < -ROOM:
                raise ProfileError(f"{self._path}: too many threads for a timeline of msprof")
        return self.by_id.setdefault(key, Sum())


class Names:
    """What the metadata of a trace calls processes and threads, before or after their events."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._texts: dict[tuple[str, str, str], str] = {}

    def learn(self, number: int, event: Event) -> None:
        """Keep what a metadata event says. Raises ProfileError."""
        what = event.get("name")
        if what not in _TEXT_OF:
            return
        text = arguments(self._path, number, event).get(_TEXT_OF[what])
        pid, tid = event.get("pid"), event.get("tid", "")
        if not isinstance(text, str) or not isinstance(pid, str) or not isinstance(tid, str):
            raise fault(self._path, number, f"has no {what}, or none of a process")
        self._texts[what, pid, tid if what == "thread_name" else ""] = text
        if len(self._texts) * _SUM > ROOM:
            raise ProfileError(f"{self._path}: too many threads for a timeline of msprof")

    def layer(self, pid: str) -> str | None:
        """Return the name of a process; without one, an id that is a text is its name."""
        return self._texts.get(("process_name", pid, "")) or _id_as_name(pid)

    def thread(self, pid: str, tid: str) -> str | None:
        """Return the name of a thread, or its id as with a process."""
        return self._texts.get(("thread_name", pid, tid)) or _id_as_name(tid)

    def devices(self, pids: Collection[str]) -> dict[str, str | None]:
        """Return the device of each process; None for all where the file is of one device.

        Until 2023 the labels were NPU without a number, or not there.
        """
        found = {pid: self._device(pid) for pid in pids}
        if None not in found.values():
            return found
        is_numbered = any(device not in (None, "host") for device in found.values())
        return {pid: (found[pid] or "host") if is_numbered else None for pid in pids}

    def _device(self, pid: str) -> str | None:
        label = self._texts.get(("process_labels", pid, ""), "")
        if match := _NPU.fullmatch(label):
            return match[1]
        return "host" if label == "CPU" else None


def _id_as_name(text: str) -> str | None:
    return None if text.lstrip("-").isdecimal() else text or None
