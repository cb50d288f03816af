"""What ``npuperf show`` prints, as plain aligned text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_npuperf.commands.area import LANE, Area, Cell, Field
from pytest_npuperf.commands.show import Scopes, Shown
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.text import clipped, padded, printable, wrapped
from pytest_npuperf.units import show

LABEL = 9
"""The width of the labels of the facts at the top."""


def plain(shown: Shown, width: int) -> str:
    """Return the text for a pipe or a simple terminal, no line wider where that can be."""
    parts = [[*gap, *_area(area, width)] for gap, area in spaced(shown)]
    lines = (facts(shown, width), *parts, missing(shown, width))
    return "".join(f"{line}\n" for part in lines for line in part)


def facts(shown: Shown, width: int) -> list[str]:
    """Return the lines on the profile as a whole; on single areas only what is to be known."""
    whole = [] if shown.scopes is None else _whole(shown, shown.scopes, width)
    lost, notes = (("lost", text) for text in shown.lost), (("note", text) for text in shown.notes)
    return [line for fact in (*whole, *lost, *notes) for line in _labelled(*fact, width)]


def _whole(shown: Shown, scopes: Scopes, width: int) -> list[tuple[str, str]]:
    return [
        ("profile", clipped(printable(str(shown.path)), width - LABEL)),
        ("scope", _scope(scopes)),
        ("tables", ", ".join(shown.tables)),
        ("not read", ", ".join(map(printable, shown.unread))),
    ]


def _scope(scopes: Scopes) -> str:
    """Return what the totals are of; empty where there is nothing that has some."""
    names = {"the op tables": scopes.ops, "the timeline": scopes.timeline}
    single = [name for name, scope in names.items() if scope == "step"]
    if single:
        hold = "hold" if "the op tables" in single else "holds"
        return (
            f"step: {' and '.join(single)} {hold} single steps of a longer run, and no totals of it"
        )
    return "run: the tables hold the whole run" if any(names.values()) else ""


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    for index, line in enumerate(wrapped(text, width - LABEL)):
        yield padded("" if index else label, LABEL) + line


def spaced(shown: Shown) -> Iterator[tuple[list[str], Area]]:
    """Return each area with the blank line above it; empty ones follow each other closely.

    Of a whole profile, those are left out for which it has no table.
    """
    is_alone = shown.scopes is None and not (shown.lost or shown.notes)
    begins, is_empty = is_alone, False
    for area in shown.areas:
        if shown.scopes is None or not area.is_missing:
            yield ([] if begins or (is_empty and area.reason) else [""]), area
            begins, is_empty = False, bool(area.reason)


def missing(shown: Shown, width: int) -> list[str]:
    """Return the lines that say which areas of a whole profile are left out, and what they need."""
    left_out = [area.spec for area in shown.areas if area.is_missing]
    if shown.scopes is None or not left_out:
        return []
    names = (f"{spec.key} ({' or '.join(spec.needs)})" for spec in left_out)
    return ["", *wrapped(f"not shown for want of a table: {', '.join(names)}", width)]


def reason(area: Area, width: int) -> list[str]:
    """Return the lines that say why an area has nothing."""
    return wrapped(f"{area.spec.title}: {area.reason}", width)


def rest(area: Area) -> list[str]:
    """Return the line that says how much is left out."""
    return [f"... and {area.more} more with a larger --top"] if area.more else []


def _area(area: Area, width: int) -> list[str]:
    if area.reason:
        return reason(area, width)
    fields, rows = cells(area)
    return [area.spec.title, *_table(fields, rows, width), *rest(area)]


def _table(fields: Sequence[Field], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Return the lines of a table; sentences stand below their row, since they fit no column."""
    places = [index for index, field in enumerate(fields) if not field.is_prose]
    heads = [_column(fields[index]) for index in places]
    head, *lines = lay_out(heads, [[row[index] for index in places] for row in rows], width)
    yield head
    for line, row in zip(lines, rows, strict=True):
        yield line
        for text, field in zip(row, fields, strict=True):
            if field.is_prose:
                yield from (f"  {part}" for part in wrapped(text, width - 2))


def _column(field: Field) -> Column:
    return Column(field.heading, field.dimension is not None, field.drop, field.least)


def cells(area: Area) -> tuple[tuple[Field, ...], list[list[str]]]:
    """Return the columns that are shown, and the texts of their cells."""
    kept = [index for index in range(len(area.fields)) if not _says_nothing(area, index)]
    fields = tuple(area.fields[index] for index in kept)
    return fields, [[_text(area.fields[index], row[index]) for index in kept] for row in area.rows]


def _says_nothing(area: Area, index: int) -> bool:
    """Return whether a column of texts may be left out: no cell has one, or there is one lane."""
    field, found = area.fields[index], {row[index] for row in area.rows}
    if field is LANE:
        return found == {"0"}
    return field.drop > 0 and field.dimension is None and found == {None}


def _text(field: Field, cell: Cell) -> str:
    if cell is None:
        return "-"
    if field.dimension is None or isinstance(cell, str):
        return printable(str(cell))
    if field.decimals:
        return f"{float(cell):.{field.decimals}f}"
    return show(cell, field.dimension)
