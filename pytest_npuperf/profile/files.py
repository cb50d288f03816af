"""What the names of files say: which table, device, step, slice and export they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database
from pytest_npuperf.profile.tables import BY_FILE, BY_TRACE, Table

DEVICE = re.compile(r"device_([0-9]+)")

# What `msprof op` makes where it measures several kernels: [deviceN/]NAME/N.
KERNEL_DEVICE = re.compile(r"device([0-9]+)")
KERNEL_NUMBER = re.compile(r"[0-9]{1,9}")

_FILE = re.compile(
    r"(?P<stem>[a-z][a-z0-9_]*?)(?P<ids>(?:_[0-9]{1,10}){0,4})"
    r"(?:_slice_(?P<slice>[0-9]{1,6}))?(?:_(?P<time>[0-9]{14}))?\.(?P<suffix>csv|csv\.gz|json)"
)
_OPPROF = re.compile(r"(?P<stem>[A-Z][A-Za-z0-9]*)(?:_(?P<time>[0-9]{17}))?\.csv")
_DATABASE = re.compile(
    r"msprof_(?P<time>[0-9]{1,20})\.db|ascend_(pytorch|mindspore)_profiler(_[0-9]{1,9})?\.db"
    r"|analysis\.db"
)
_PEEK = 2**16

Form = Literal["csv", "records", "advice", "trace", "database"]


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
    if not KERNEL_NUMBER.fullmatch(number):
        return TableFile(path, table, (), None, time)
    match = KERNEL_DEVICE.fullmatch(device)
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
