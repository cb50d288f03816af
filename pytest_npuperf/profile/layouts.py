"""Recognise a directory: which processes or ranks it holds, and which files are their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import envelopes, opprof
from pytest_npuperf.profile.exports import apart, newest
from pytest_npuperf.profile.files import DEVICE, TableFile, claimed, is_claimed
from pytest_npuperf.profile.folders import (
    FRAMEWORK,
    MERGED,
    files_in,
    folder_at,
    folders_below,
    folders_in,
    is_own_file,
    listing,
    refuse_links,
    refuse_no_files,
    refuse_no_place,
)
from pytest_npuperf.profile.ranks import is_rank, rank_of, without_number
from pytest_npuperf.text import printable

_DEPTH = 4
"""How far below the given folder a profile may lie: round, framework folder, PROF, output."""


@dataclass(frozen=True)
class Lost:
    """A file of a table that cannot be had, since the export of the table or of a part failed."""

    file: TableFile
    cause: Path
    """The file that says so."""
    reason: str

    @property
    def error(self) -> str:
        """Return the one line for what needs the table."""
        return f"{self.cause}: {self.reason}"

    @property
    def note(self) -> str:
        """Return the same for people who know which profile is meant."""
        return printable(f"{self.cause.name}: {self.reason}")


@dataclass(frozen=True)
class Unit:
    """What one process wrote: a ``PROF_*`` folder, one rank of a framework, or bare tables."""

    path: Path
    kind: str
    """``msprof``, ``framework``, ``msprof op`` or ``tables``."""
    rank: str | None
    files: tuple[TableFile, ...]
    """The files to read: of each table the newest export, all its slices and steps."""
    twins: tuple[TableFile, ...] = ()
    """Tables of a database that say what a text beside it says, and must agree with it."""
    lost: tuple[Lost, ...] = ()
    """Of tables whose export failed; the others can be read without them."""
    unknown: tuple[str, ...] = ()
    """Names of files that no table claims."""

    def of(self, table: str) -> tuple[TableFile, ...]:
        """Return the files of one table, in order."""
        return tuple(file for file in self.files if file.table.name == table)

    def twin(self, table: str) -> tuple[TableFile, ...]:
        """Return the database that holds a table once more."""
        return tuple(file for file in self.twins if file.table.name == table)

    def failed(self, table: str) -> tuple[Lost, ...]:
        """Return the files of one table that are lost."""
        return tuple(lost for lost in self.lost if lost.file.table.name == table)


def find_units(path: Path) -> tuple[Unit, ...]:
    """Return what the processes at a path wrote, in order of rank and name. Raises ProfileError."""
    if path.is_file():
        return (_single_file(path),)
    if not path.is_dir():
        refuse_no_place(path)
    units = sorted(_units(path, _DEPTH), key=lambda unit: (int(unit.rank or -1), unit.path))
    if not units:
        raise ProfileError(
            _failed_export(files_in(path))
            or f"{path}: not a profile: no PROF_*, *_ascend_pt or *_ascend_ms folder and no table "
            f"such as op_summary_*.csv in it; {_inventory(path)}"
        )
    for unit in units:
        if not unit.files:
            raise ProfileError(_no_tables(unit))
    _refuse_same_rank(units)
    return tuple(units)


def _single_file(path: Path) -> Unit:
    found, _ = claimed([path])
    files, lost = _readable(found)
    if lost:
        raise ProfileError(lost[0].error)
    if not files:
        why = "there is none in it" if is_claimed(path) else "by its name"
        raise ProfileError(
            _failed_export([path])
            or f"{path}: not a table, timeline or database that this version reads, {why}; "
            "docs/tables.md lists them"
        )
    return Unit(path, "tables", None, files)


def _units(path: Path, depth: int) -> Iterator[Unit]:
    found = list(_any_units(path, depth))
    if is_rank(path) and not any(unit.files or unit.lost for unit in found):
        # Not to be passed over: the other ranks would be judged without it.
        unknown = tuple(name for unit in found for name in unit.unknown)
        yield Unit(path, "framework", rank_of(path), (), unknown=unknown)
        return
    yield from found


def _any_units(path: Path, depth: int) -> Iterator[Unit]:
    unit = _framework_unit(path) or _msprof_unit(path) or _opprof_unit(path)
    if unit is not None:
        yield unit
        return
    bare = _unit(path, "tables", None, [path])
    if bare.files or bare.lost:
        yield bare
    if depth:
        yield from _units_below(path, depth - 1)


def _units_below(path: Path, depth: int) -> Iterator[Unit]:
    found = {child: list(_units(child, depth)) for child in folders_in(path)}
    ranks = {without_number(child.name) for child, units in found.items() if units} - {None}
    for child, units in found.items():
        if not units and without_number(child.name) in ranks:
            # Only its name tells, and that of a rank beside it.
            units = [Unit(child, "framework", rank_of(child), ())]
        yield from units


def _framework_unit(path: Path) -> Unit | None:
    if path.name == FRAMEWORK:
        return _unit(path, "framework", rank_of(path.parent), [path])
    # It wins over the PROF_* beside it, from which it was made.
    output = folder_at(path / FRAMEWORK)
    return _unit(path, "framework", rank_of(path), output) if output else None


def _msprof_unit(path: Path) -> Unit | None:
    if path.name == MERGED:
        return _unit(path, "msprof", None, [path])
    devices = [child for child in folders_in(path) if DEVICE.fullmatch(child.name)]
    if DEVICE.fullmatch(path.name) and _exports(path):
        devices = [path]
    merged = folder_at(path / MERGED)
    if not merged and not devices and not path.name.startswith("PROF_"):
        return None
    databases = [file for file in listing(path) if file.suffix == ".db"]
    # Releases of 2023-09 to 2024-03 wrote both places: the same rows must not count twice.
    if merged:
        unit = _unit(path, "msprof", None, merged, databases)
        if unit.files or unit.lost:
            return unit
    homes = [*devices, *folder_at(path / "host")]
    exports = [folder for home in homes for folder in _exports(home)] or _exports(path)
    unit = _unit(path, "msprof", None, exports, databases)
    _refuse_lost_device(unit, devices)
    return unit


def _refuse_lost_device(unit: Unit, devices: list[Path]) -> None:
    """Refuse a device that was recorded and not exported, as another was: it would be left out."""
    files = [*unit.files, *(lost.file for lost in unit.lost)]
    told = {f"device_{file.folder_device}" for file in files if file.folder_device}
    for device in devices:
        if told and device.name not in told:
            raise ProfileError(
                f"{device}: a device without tables, and {min(told)} beside it has some; export "
                f"it with `msprof --export=on --output={unit.path}`, or remove the folder if "
                "nothing ran there"
            )


def _opprof_unit(path: Path) -> Unit | None:
    if not path.name.startswith("OPPROF_"):
        return None
    folders = [path, *folders_below(path, 3)]
    unit = _unit(path, "msprof op", None, folders)
    opprof.refuse_holes(unit.files, folders)
    return unit


def _exports(home: Path) -> list[Path]:
    """Return where the tables and timelines of a device or the host lie."""
    return [*folder_at(home / "summary"), *folder_at(home / "timeline")]


def _unit(
    path: Path, kind: str, rank: str | None, folders: Iterable[Path], files: Iterable[Path] = ()
) -> Unit:
    listed = [*files, *(file for folder in folders for file in listing(folder))]
    named = [file for file in listed if is_claimed(file)]
    refuse_links(named)
    refuse_no_files(named)
    found, unknown = claimed(filter(is_own_file, listed))
    read, twins = apart(found)
    there, lost = _readable(newest(read))
    return Unit(path, kind, rank, there, newest(twins), lost, unknown)


def _readable(files: Iterable[TableFile]) -> tuple[tuple[TableFile, ...], tuple[Lost, ...]]:
    """Return the files that hold data, and those of tables of which one says why it has none.

    What is left of such a table is lost, too: less than all of it would be judged.
    """
    causes: dict[tuple[str, str], tuple[Path, str]] = {}
    for file in files:
        reason = envelopes.failure(file.path) if file.path.suffix == ".json" else None
        if reason is not None:
            causes.setdefault(file.source, (file.path, reason))
    there = tuple(file for file in files if file.source not in causes)
    lost = (Lost(file, *causes[file.source]) for file in files if file.source in causes)
    return there, tuple(lost)


def _refuse_same_rank(units: list[Unit]) -> None:
    ranks = [unit for unit in units if unit.kind == "framework"]
    for before, unit in pairwise(ranks):
        # Without a rank it comes first, and could be the same as any of the others.
        if before.rank in (None, unit.rank):
            raise ProfileError(
                f"{unit.path}: {_name_rank(unit)}, and {_name_rank(before)} in {before.path.name} "
                "beside it; keep one run in a recording, rounds in folders round_1, round_2, ..."
            )


def _name_rank(unit: Unit) -> str:
    return "an unknown rank" if unit.rank is None else f"rank {unit.rank}"


def _failed_export(files: Iterable[Path]) -> str | None:
    """Return why there is no table, where a JSON file of another name says it."""
    for file in files:
        reason = envelopes.failure(file) if file.suffix == ".json" else None
        if reason is not None:
            return f"{file}: {reason}"
    return None


def _no_tables(unit: Unit) -> str:
    if unit.lost:
        return unit.lost[0].error
    if unit.kind == "framework":
        text = f"{unit.path}: a rank without tables; run analyse() of the framework's profiler, "
        text += "or remove the folder"
    else:
        text = f"{unit.path}: a profile without tables; export it with "
        text += "`msprof --export=on --output=DIR` and look for errors there"
    return text + (f"; there is {_listing(list(unit.unknown))}" if unit.unknown else "")


def _inventory(path: Path) -> str:
    names = [child.name for child in listing(path)]
    if not names:
        return "the folder is empty"
    return f"there is {_listing(names)}"


def _listing(names: list[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
