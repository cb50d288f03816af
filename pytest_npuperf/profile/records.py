"""A table as a JSON list with an object for each row, as ``--summary-format=json`` writes it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import envelopes
from pytest_npuperf.profile.cells import BadCellError
from pytest_npuperf.profile.columns import of_texts
from pytest_npuperf.profile.envelopes import kind
from pytest_npuperf.profile.reader import file_header
from pytest_npuperf.profile.schema import Column, Table
from pytest_npuperf.text import many, shown

_Row = dict[str, object]


def read_table(path: Path, table: Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns that the file has (None: all), one row for each of its objects.

    The types are those of the same table as CSV. Raises ProfileError: names the row and the key,
    what was found and what was wanted.
    """
    rows = _rows(path)
    columns = zip(rows[0], file_header(path, table, list(rows[0])).columns, strict=True)
    typed = {
        column.name: _typed(path, rows, key, column)
        for key, column in columns
        if wanted is None or column.name in wanted
    }
    return pd.DataFrame(typed, pd.RangeIndex(len(rows)), copy=False)


def _rows(path: Path) -> list[_Row]:
    """Return the objects of a file, all with the same keys."""
    found = envelopes.content(path)
    if isinstance(found, dict) and "table" in found:
        found = _counted(path, found)
    if not isinstance(found, list):
        keys = ", ".join(map(shown, list(found)[:5])) if isinstance(found, dict) else ""
        raise ProfileError(
            f"{path}: {kind(found)}{keys and f' of {keys}'} where a list of rows is wanted; "
            "export it as CSV, or leave the file out"
        )
    if not found:
        raise ProfileError(f"{path}: the table has no rows; nothing was recorded")
    for number, row in enumerate(found, start=1):
        _refuse_odd_row(path, number, row, found[0])
    return found


def _counted(path: Path, found: _Row) -> object:
    """Return the rows of 2020, which stood one level deeper, with their number beside them."""
    rows, said = found["table"], found.get("total_count")
    if isinstance(rows, list) and isinstance(said, str) and said != str(len(rows)):
        raise ProfileError(
            f"{path}: {many(len(rows), 'row')}, but total_count is {shown(said)}; "
            "the file was cut or edited, export it again"
        )
    return rows


def _refuse_odd_row(path: Path, number: int, row: object, first: object) -> None:
    if not isinstance(row, dict) or not row:
        found = "an empty object" if row == {} else kind(row)
        raise ProfileError(
            f"{path}: row {number} is {found}; an object with a value for each column is wanted"
        )
    assert isinstance(first, dict)
    if row.keys() != first.keys():
        odd = next(iter(row.keys() ^ first.keys()))
        fault = "has no" if odd in first else "alone has"
        raise ProfileError(
            f"{path}: row {number} {fault} {shown(odd)}, unlike row 1; "
            "the file is damaged, export it again"
        )


def _typed(path: Path, rows: list[_Row], key: str, column: Column) -> Any:
    cells = [_cell(path, number, key, row[key]) for number, row in enumerate(rows, start=1)]
    try:
        return of_texts(np.array(cells, dtype=object), column)
    except BadCellError as err:
        raise ProfileError(
            f"{path}: row {err.row + 1}, {shown(key)}: {shown(err.text)} is not {err.wanted}"
        ) from None


def _cell(path: Path, number: int, key: str, value: object) -> str:
    """Return what a CSV file would hold; null is an empty cell there."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ProfileError(
            f"{path}: row {number}, {shown(key)}: {kind(value)} where a text or number is wanted"
        )
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise ProfileError(
            f"{path}: row {number}, {shown(key)}: {shown(value)} has half of a character; "
            "the file is damaged, export it again"
        )
    return value
