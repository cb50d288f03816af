"""What the names of files say: which table, device, step, slice and export they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database
from pytest_npuperf.profile.tables import BY_FILE, BY_TRACE, Table

DEVICE = re.compile(r"device_([0-9]+)")

_FILE = re.compile(
    r"(?P<stem>[a-z][a-z0-9_]*?)(?P<ids>(?:_[0-9]{1,10}){0,4})"
    r"(?:_slice_(?P<slice>[0-9]{1,6}))?(?:_(?P<time>[0-9]{14}))?\.(?P<suffix>csv|csv\.gz|json)"
)
_OPPROF = re.compile(r"(?P<stem>[A-Z][A-Za-z0-9]*)(?:_(?P<time>[0-9]{17}))?\.csv")
_KERNEL_DEVICE = re.compile(r"device([0-9]+)")
_DATABASE = re.compile(
    r"msprof_(?P<time>[0-9]{1,20})\.db|ascend_(pytorch|mindspore)_profiler(_[0-9]{1,9})?\.db"
    r"|analysis\.db"
)
_PEEK = 2**16

Form = Literal["csv", "records", "advice", "trace", "database"]
_BELIEVED: Mapping[Form, int] = {"csv": 0, "records": 0, "advice": 0, "trace": 1, "database": 2}
"""How a file can hold a table, by the order in which it is believed: a text before a database."""

_NEIGHBOURS = timedelta(seconds=30)
"""Slices of one export are written one after the other and may differ by seconds."""


@dataclass(frozen=True)
class TableFile:
    """One file of a table, with what its name says."""

    path: Path
    table: Table
    ids: tuple[int, ...]
    """Device, then model, first and last iteration where the release writes them."""
    slice: int | None
    time: str
    """Fourteen digits, or empty."""
    folder_device: str | None = None
    """N of the ``device_N`` folder that holds it."""
    form: Form = "csv"
    stem: str = ""
    """What the file is called without ids, slice and time."""
    kernel: str = ""
    """``NAME/N`` where `msprof op` measured several kernels."""

    @property
    def once_per(self) -> Literal["step", "model", "device"]:
        """Return which files differ: a timeline does as the table of its name."""
        return BY_FILE.get(self.stem, self.table).once_per

    @property
    def device(self) -> str | None:
        """Return the device that the file name or its folder says."""
        return str(self.ids[0]) if self.ids else self.folder_device

    @property
    def source(self) -> tuple[str, str]:
        """Return what files of one kind have in common; several kinds of timeline are one table."""
        return self.table.name, self.stem if self.form == "trace" else ""

    @property
    def model(self) -> int | None:
        """Return the model where the file holds steps of a graph."""
        return self.ids[1] if len(self.ids) >= 3 else None

    @property
    def steps(self) -> range:
        """Return the iterations of the model that the file holds; empty: it does not say."""
        return range(self.ids[2], self.ids[-1] + 1) if len(self.ids) >= 3 else range(0)


def stem_of(path: Path) -> str:
    """Return what a file is called without ids, slice and time, which its name may have."""
    match = _FILE.fullmatch(path.name)
    return match["stem"] if match else path.stem


def is_claimed(path: Path) -> bool:
    """Return whether a name is that of a table; a link of that name would have been read."""
    match = _FILE.fullmatch(path.name)
    match = match or _OPPROF.fullmatch(path.name)
    known = match is not None and (match["stem"] in BY_FILE or match["stem"] in BY_TRACE)
    return known or _DATABASE.fullmatch(path.name) is not None


def claimed(paths: Iterable[Path]) -> tuple[tuple[TableFile, ...], tuple[str, ...]]:
    """Return the files that are tables, and the names of the others. Raises ProfileError."""
    files: list[TableFile] = []
    unknown = []
    for path in paths:
        found = list(_tables_of(path))
        files += found
        if not found:
            empty = " (without a table that is read)" if is_claimed(path) else ""
            unknown.append(path.name + empty)
    return tuple(files), tuple(unknown)


def _tables_of(path: Path) -> Iterator[TableFile]:
    if match := _DATABASE.fullmatch(path.name):
        for table in database.tables_in(path):
            yield TableFile(path, table, (), None, match["time"] or "", form="database")
        return
    if (match := _OPPROF.fullmatch(path.name)) and match["stem"] in BY_FILE:
        yield _of_kernel(path, BY_FILE[match["stem"]], match["time"] or "")
        return
    match = _FILE.fullmatch(path.name)
    if match is None:
        return
    folder = DEVICE.fullmatch(path.parent.parent.name)
    for table, form in _named(path, match["stem"], match["suffix"]):
        yield TableFile(
            path,
            table,
            tuple(int(number) for number in match["ids"].split("_")[1:]),
            None if match["slice"] is None else int(match["slice"]),
            match["time"] or "",
            folder[1] if folder else None,
            form,
            match["stem"],
        )


def _of_kernel(path: Path, table: Table, time: str) -> TableFile:
    """Return a table of `msprof op`: right in its folder, or in [deviceN/]NAME/N."""
    number, name, device = (folder.name for folder in path.parents[:3])
    if not number.isdigit():
        return TableFile(path, table, (), None, time)
    match = _KERNEL_DEVICE.fullmatch(device)
    return TableFile(
        path, table, (), None, time, match[1] if match else None, kernel=f"{name}/{number}"
    )


def _named(path: Path, stem: str, suffix: str) -> Iterator[tuple[Table, Form]]:
    """Yield the tables in a file of this name; of JSON, names do not tell rows from events."""
    table = BY_FILE.get(stem)
    if suffix != "json":
        if table is not None:
            yield table, "csv"
    elif stem in BY_TRACE and (table is None or _has_events(path)):
        for each in BY_TRACE[stem]:
            yield each, "trace"
    elif table is not None:
        yield table, "advice" if stem == "prof_rule" else "records"


def _has_events(path: Path) -> bool:
    """Return whether a JSON file begins with trace events, which have a phase."""
    try:
        with path.open("rb") as file:
            return b'"ph"' in file.read(_PEEK)
    except OSError as err:
        raise ProfileError(f"{path}: cannot be read: {err.strerror}") from err


def apart(files: Iterable[TableFile]) -> tuple[list[TableFile], list[TableFile]]:
    """Return the files to read, and those of databases that say the same once more."""
    by_table: dict[str, list[TableFile]] = {}
    for file in files:
        by_table.setdefault(file.table.name, []).append(file)
    read, twins = [], []
    for group in by_table.values():
        first = min(_BELIEVED[file.form] for file in group)
        read += [file for file in group if _BELIEVED[file.form] == first]
        twins += [
            file for file in group if file.form == "database" and first < _BELIEVED["database"]
        ]
    return read, twins


def newest(files: Iterable[TableFile]) -> tuple[TableFile, ...]:
    """Return of each table and step the newest export; older ones stay beside it for ever.

    Times of different tables are never compared. Raises ProfileError.
    """
    groups: dict[tuple[object, ...], list[TableFile]] = {}
    for file in files:
        groups.setdefault((file.source, file.path.parent, file.ids), []).append(file)
    chosen = [file for group in groups.values() for file in _newest_export(group)]
    chosen = list(_once(sorted(chosen, key=lambda file: (file.table.name, file.ids))))
    _refuse_same_step(chosen)
    _refuse_whole_and_parts(chosen)
    return tuple(chosen)


def _newest_export(group: list[TableFile]) -> list[TableFile]:
    newest = max(file.time for file in group)
    whole = [file for file in group if file.slice is None and file.time == newest]
    if len(whole) > 1:
        _refuse_both(whole[0], whole[1])
    slices = _slices(group, newest)
    exports = [*slices, *(file for file in group if file.time == newest)]
    for file in exports:
        if file.form != exports[0].form:
            _refuse_both(exports[0], file)
    _refuse_hole(slices)
    # Python's writer leaves the last, short part without a slice number.
    return [*slices, *whole]


def _refuse_both(file: TableFile, other: TableFile) -> None:
    raise ProfileError(f"{file.path}: {other.path.name} beside it holds the same table; keep one")


def _slices(group: list[TableFile], newest: str) -> list[TableFile]:
    by_number: dict[int, TableFile] = {}
    for file in sorted(group, key=lambda file: file.time, reverse=True):
        if file.slice is not None and _is_close(file.time, newest):
            by_number.setdefault(file.slice, file)
    return [by_number[number] for number in sorted(by_number)]


def _is_close(time: str, newest: str) -> bool:
    if time == newest:
        return True
    try:
        moments = [datetime.strptime(text, "%Y%m%d%H%M%S") for text in (time, newest)]
    except ValueError:
        return False
    return moments[1] - moments[0] <= _NEIGHBOURS


def _refuse_hole(slices: list[TableFile]) -> None:
    for wanted, file in enumerate(slices):
        if file.slice != wanted:
            raise ProfileError(
                f"{file.path}: slice {wanted} of {file.table.name} is missing before it; "
                "record or export the profile again"
            )


def _once(files: list[TableFile]) -> Iterator[TableFile]:
    """Leave the first of several exports that repeat what the table says of the whole run."""
    first: dict[tuple[object, ...], tuple[int, ...]] = {}
    for file in files:
        model = file.model if file.once_per == "model" else None
        ids = first.setdefault((file.source, file.device, model), file.ids)
        if file.once_per == "step" or ids == file.ids:
            yield file


def _refuse_same_step(files: list[TableFile]) -> None:
    """Refuse exports of one step and of a range of steps with it: its rows would count twice."""
    stepped = [file for file in files if file.steps]
    ordered = sorted(stepped, key=lambda file: (_graph(file), file.steps.start, file.steps.stop))
    for before, file in pairwise(ordered):
        same = _graph(before) == _graph(file) and before.ids != file.ids
        if same and file.steps.start < before.steps.stop:
            raise ProfileError(
                f"{file.path}: iteration {file.steps.start} of model {file.model} is in "
                f"{before.path.name} too; keep one"
            )


def _refuse_whole_and_parts(files: list[TableFile]) -> None:
    """Refuse a file of all devices and steps beside files of some: rows would count twice."""
    first: dict[tuple[object, ...], TableFile] = {}
    for file in files:
        other = first.setdefault((file.source, file.path.parent), file)
        if bool(other.ids) != bool(file.ids):
            _refuse_both(other, file)


def _graph(file: TableFile) -> tuple[str, str, int]:
    return file.table.name, file.device or "", file.model or 0
