"""Recognise a directory: which processes or ranks it holds, and which files are their tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.tables import BY_FILE, Table
from pytest_npuperf.text import printable

MERGED = "mindstudio_profiler_output"
FRAMEWORK = "ASCEND_PROFILER_OUTPUT"

_DEPTH = 4
"""How far below the given folder a profile may lie: round, framework folder, PROF, output."""

_DEVICE = re.compile(r"device_([0-9]+)")
_RANK = re.compile(r"rank[_-]?([0-9]+)", re.IGNORECASE)
_FILE = re.compile(
    r"(?P<stem>[a-z][a-z0-9_]*?)(?P<ids>(?:_[0-9]{1,10}){0,4})"
    r"(?:_slice_(?P<slice>[0-9]+))?(?:_(?P<time>[0-9]{14}))?\.csv(?:\.gz)?"
)

_NEIGHBOURS_S = 30
"""Slices of one export are written one after the other and may differ by seconds."""


@dataclass(frozen=True)
class TableFile:
    """One CSV file, with what its name says."""

    path: Path
    table: Table
    ids: tuple[int, ...]
    """Device, then model and iteration where the release writes them."""
    slice: int | None
    time: str
    """Fourteen digits, or empty."""
    folder_device: str | None = None
    """N of the ``device_N`` folder that holds it."""

    @property
    def device(self) -> str | None:
        """Return the device that the file name or its folder says."""
        return str(self.ids[0]) if self.ids else self.folder_device

    @property
    def step(self) -> tuple[int, ...] | None:
        """Return model and iteration where the file holds one step of a graph."""
        return self.ids[1:] if len(self.ids) >= 3 else None


@dataclass(frozen=True)
class Unit:
    """What one process wrote: a ``PROF_*`` folder, one rank of a framework, or bare tables."""

    path: Path
    kind: str
    """``msprof``, ``framework`` or ``tables``."""
    rank: str | None
    files: tuple[TableFile, ...]
    """The files to read: of each table the newest export, all its slices and steps."""
    unknown: tuple[str, ...] = ()
    """Names of files that no table claims."""

    def of(self, table: str) -> tuple[TableFile, ...]:
        """Return the files of one table, in order."""
        return tuple(file for file in self.files if file.table.name == table)


def find_units(path: Path) -> tuple[Unit, ...]:
    """Return what the processes at a path wrote, in order of rank and name. Raises ProfileError."""
    if path.is_file():
        return (_single_file(path),)
    if not path.is_dir():
        raise ProfileError(f"{path}: there is no such profile")
    units = sorted(_units(path, _DEPTH), key=lambda unit: (int(unit.rank or -1), unit.path))
    if not units:
        raise ProfileError(
            _failed_export(path)
            or f"{path}: not a profile: no PROF_*, *_ascend_pt or *_ascend_ms folder and no table "
            f"such as op_summary_*.csv in it; {_inventory(path)}"
        )
    empty = next((unit for unit in units if not unit.files), None)
    if empty is not None:
        raise ProfileError(
            f"{empty.path}: a profile without tables; export it with "
            "`msprof --export=on --output=DIR` and look for errors there"
        )
    _refuse_same_rank(units)
    return tuple(units)


def _single_file(path: Path) -> Unit:
    files, _ = _claimed([path])
    if not files and (fault := _failed_export(path.parent)):
        raise ProfileError(fault)
    if not files:
        known = ", ".join(sorted(BY_FILE))
        raise ProfileError(
            f"{path}: not a table this version reads ({known}; .csv or .csv.gz)"
        )
    return Unit(path, "tables", None, files)


def _units(path: Path, depth: int) -> Iterator[Unit]:
    unit = _framework_unit(path) or _msprof_unit(path) or _bare_unit(path)
    if unit is not None:
        yield unit
    elif depth:
        for child in _folders(path):
            yield from _units(child, depth - 1)


def _framework_unit(path: Path) -> Unit | None:
    output = path if path.name == FRAMEWORK else path / FRAMEWORK
    # It wins over the PROF_* beside it, from which it was made.
    if not output.is_dir() or output.is_symlink():
        return None
    home = output.parent
    return _unit(home, "framework", _rank(home), [output])


def _msprof_unit(path: Path) -> Unit | None:
    if path.name == MERGED:
        return _unit(path, "msprof", None, [path])
    devices = [child for child in _folders(path) if _DEVICE.fullmatch(child.name)]
    if _DEVICE.fullmatch(path.name) and (path / "summary").is_dir():
        devices = [path]
    merged = [path / MERGED] if (path / MERGED).is_dir() else []
    if not merged and not devices and not path.name.startswith("PROF_"):
        return None
    # Releases of 2023-09 to 2024-03 wrote both places: the same rows must not count twice.
    if merged:
        unit = _unit(path, "msprof", None, merged)
        if unit.files:
            return unit
    summaries = [child / "summary" for child in [*devices, path / "host"]]
    return _unit(path, "msprof", None, [s for s in summaries if s.is_dir()])


def _bare_unit(path: Path) -> Unit | None:
    unit = _unit(path, "tables", None, [path])
    return unit if unit.files else None


def _unit(path: Path, kind: str, rank: str | None, folders: Iterable[Path]) -> Unit:
    files, unknown = _claimed(file for folder in folders for file in _files(folder))
    return Unit(path, kind, rank, _newest(files), unknown)


def _rank(home: Path) -> str | None:
    """Return the rank that torch_npu or MindSpore wrote beside its output."""
    for info in sorted(home.glob("profiler_info*.json")):
        try:
            rank = int(json.loads(info.read_text(encoding="utf-8"))["rank_id"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if rank >= 0:
            return str(rank)
    match = _RANK.search(home.name)
    return str(int(match[1])) if match else None


def _refuse_same_rank(units: list[Unit]) -> None:
    framework = [unit for unit in units if unit.kind == "framework"]
    if len(framework) < 2:
        return
    seen: dict[str | None, Unit] = {}
    for unit in framework:
        other = seen.setdefault(unit.rank, unit)
        if other is not unit:
            rank = "an unknown rank" if unit.rank is None else f"rank {unit.rank}"
            raise ProfileError(
                f"{unit.path}: {rank}, and so is {other.path.name} beside it; "
                "keep one run in a recording, rounds in folders round_1, round_2, ..."
            )


# --- files ------------------------------------------------------------------------------------


def _folders(path: Path) -> list[Path]:
    """Return the real folders in a folder: a symbolic link could lead out of the profile."""
    return [child for child in _listed(path) if child.is_dir() and not child.is_symlink()]


def _files(path: Path) -> list[Path]:
    return [child for child in _listed(path) if child.is_file() and not child.is_symlink()]


def _listed(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except OSError as err:
        raise ProfileError(f"{path}: cannot be listed: {err.strerror}") from err


def _claimed(paths: Iterable[Path]) -> tuple[tuple[TableFile, ...], tuple[str, ...]]:
    files, unknown = [], []
    for path in paths:
        file = _table_file(path)
        if file is None:
            unknown.append(path.name)
        else:
            files.append(file)
    return tuple(files), tuple(unknown)


def _table_file(path: Path) -> TableFile | None:
    match = _FILE.fullmatch(path.name)
    if match is None or match["stem"] not in BY_FILE:
        return None
    folder = _DEVICE.fullmatch(path.parent.parent.name)
    return TableFile(
        path,
        BY_FILE[match["stem"]],
        tuple(int(number) for number in match["ids"].split("_")[1:]),
        None if match["slice"] is None else int(match["slice"]),
        match["time"] or "",
        folder[1] if folder else None,
    )


def _newest(files: tuple[TableFile, ...]) -> tuple[TableFile, ...]:
    """Return of each table and step the newest export; older ones stay beside it for ever."""
    groups: dict[tuple[str, str | None, tuple[int, ...]], list[TableFile]] = {}
    for file in files:
        groups.setdefault((file.table.name, file.folder_device, file.ids), []).append(file)
    chosen = [file for group in groups.values() for file in _newest_export(group)]
    return tuple(_once_per_run(chosen))


def _newest_export(group: list[TableFile]) -> list[TableFile]:
    newest = max(file.time for file in group)
    whole = [file for file in group if file.slice is None and file.time == newest]
    slices = _slices(group, newest)
    if whole and not any(file.time == newest for file in slices):
        slices = []
    _refuse_hole(slices)
    # Python's writer leaves the last, short part without a slice number.
    return [*slices, *whole]


def _slices(group: list[TableFile], newest: str) -> list[TableFile]:
    by_number: dict[int, TableFile] = {}
    for file in sorted(group, key=lambda file: file.time, reverse=True):
        if file.slice is not None and _close(file.time, newest):
            by_number.setdefault(file.slice, file)
    return [by_number[number] for number in sorted(by_number)]


def _close(time: str, newest: str) -> bool:
    return time == newest or (bool(time) and _seconds(newest) - _seconds(time) <= _NEIGHBOURS_S)


def _seconds(time: str) -> int:
    """Return a 14-digit local time as seconds, near enough to compare within a minute."""
    day, hour, minute, second = int(time[:8]), *(int(time[i : i + 2]) for i in (8, 10, 12))
    return ((day * 24 + hour) * 60 + minute) * 60 + second


def _refuse_hole(slices: list[TableFile]) -> None:
    for wanted, file in enumerate(slices):
        if file.slice != wanted:
            raise ProfileError(
                f"{file.path}: slice {wanted} of {file.table.name} is missing before it; "
                "record or export the profile again"
            )


def _once_per_run(files: list[TableFile]) -> Iterator[TableFile]:
    """Leave one file of a table that repeats the whole run in the file of each step."""
    seen = set()
    for file in sorted(files, key=lambda file: (file.table.name, file.path)):
        key = (file.table.name, file.device)
        if file.table.whole_run and key in seen:
            continue
        seen.add(key)
        yield file


def _failed_export(path: Path) -> str | None:
    """Return the fault that an export of 2020 wrote into its JSON files instead of data."""
    for file in _files(path):
        if file.suffix == ".json" and file.stat().st_size < 2**16:
            try:
                envelope = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError):
                continue
            if isinstance(envelope, dict) and envelope.get("status") == 1:
                info = printable(str(envelope.get("info", "no reason given")))
                return f'{file}: the export failed: "{info}"; export the profile again'
    return None


def _inventory(path: Path) -> str:
    names = [child.name for child in _listed(path)]
    if not names:
        return "the folder is empty"
    shown = ", ".join(printable(name) for name in names[:5])
    return f"there is {shown}" + (f" and {len(names) - 5} more" if len(names) > 5 else "")
