"""Of the exports that lie side by side: which files are read, and which contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise, permutations

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.files import Form, TableFile

_BELIEVED: Mapping[Form, int] = {"csv": 0, "records": 0, "advice": 0, "trace": 1, "database": 2}
"""How a file can hold a table, by the order in which it is believed: a text before a database."""

_NEIGHBOURS = timedelta(seconds=30)
"""Slices of one export are written one after the other and may differ by seconds."""


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
    _refuse_lost_iterations(chosen)
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


# --- iterations that only some devices have ---------------------------------------------------

_Iterations = dict["int | None", list[range]]
"""Of a device in one kind of file, by model and in order."""


def _refuse_lost_iterations(files: list[TableFile]) -> None:
    """Refuse files of a device that lack iterations of another's: less of it would be judged.

    msprof exports the same ones of each device. Devices without any model in common run different
    graphs, and tell nothing of each other.
    """
    kinds: dict[tuple[object, ...], list[TableFile]] = {}
    for file in files:
        if file.once_per == "step" and file.device is not None and _named(file):
            kinds.setdefault((file.source, file.device), []).append(file)
    found = [(own[0], own, _iterations(own)) for own in kinds.values()]
    for (file, own, steps), (other, _, others) in permutations(found, 2):
        if _are_alike(file, other) and steps.keys() & others.keys():
            _refuse_lacking(own, steps, other, others)


def _are_alike(file: TableFile, other: TableFile) -> bool:
    """Return whether the other should hold what the file does: single ops, where sums are there."""
    tables = (file.table.name, other.table.name)
    return file.source == other.source or tables == ("op_statistic", "op_summary")


def _iterations(files: list[TableFile]) -> _Iterations:
    found: _Iterations = {}
    for file in sorted(files, key=lambda file: _named(file).start):
        found.setdefault(file.model, []).append(_named(file))
    return found


def _named(file: TableFile) -> range:
    """Return the iterations in a name; that of single ops has one, and no model before it."""
    return range(file.ids[1], file.ids[1] + 1) if len(file.ids) == 2 else file.steps


def _refuse_lacking(
    files: list[TableFile], found: _Iterations, other: TableFile, others: _Iterations
) -> None:
    for model, steps in found.items():
        lacking = _first_lacking(steps, others.get(model, []))
        if lacking is not None:
            file = next(file for file in files if file.model == model and lacking in _named(file))
            which = "" if model is None else f" of model {model}"
            raise ProfileError(
                f"{file.path}: iteration {lacking}{which}, of which there is no {other.stem} of "
                f"device {other.device}; export the same iterations of every device and table"
            )


def _first_lacking(steps: list[range], others: list[range]) -> int | None:
    if steps == others:
        return None  # As almost always, of however many files.
    for each in steps:
        at = each.start
        for other in others:
            if at in other:
                at = other.stop
        if at in each:
            return at
    return None
