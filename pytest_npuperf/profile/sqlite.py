"""A database of a profile, opened so that nothing is written, and its columns as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import LONGEST_US, BadCellError
from pytest_npuperf.profile.columns import of_texts
from pytest_npuperf.profile.sqlite_files import CUT_OFF, read_only_uri
from pytest_npuperf.profile.tables import Column
from pytest_npuperf.text import clipped, printable

if TYPE_CHECKING:
    from sqlite3 import Connection

NONE = -1
"""Stands for NULL among whole numbers; as an id, frameworks and viewers write it themselves."""

_ROWS = 5_000
"""How many rows are Python objects at a time; more no longer fit the caches, and take longer."""

_PATIENCE_S = 2.0
"""How long to wait for a program that is writing the database."""

_LONGEST_NS = LONGEST_US * 1000

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Database:
    """The tables of one file. Every method raises ProfileError or an error of sqlite3."""

    def __init__(self, path: Path, connection: Connection) -> None:
        self.path = path
        self._connection = connection

    @cached_property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The columns by table; a view is none, as it could run whatever it likes."""
        names = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        info = "SELECT name FROM pragma_table_info(?)"
        return {
            name: tuple(column for (column,) in self._connection.execute(info, (name,)))
            for (name,) in names.fetchall()
        }

    def has(self, table: str, *columns: str) -> bool:
        """Return whether there is a table with at least these columns."""
        return table in self.tables and set(columns) <= set(self.tables[table])

    def is_empty(self, table: str) -> bool:
        """Return whether a table is not there, or has no rows."""
        return next(self.rows(table, self.tables.get(table, ())[:1]), None) is None

    def rows(
        self, table: str, columns: Sequence[str], where: str = "", at_most: int = -1
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield blocks of rows of a table that may be absent; columns may not be."""
        if table not in self.tables:
            return
        self._require(table, columns)
        # In double quotes a column that is not there would be a text.
        names = ", ".join(f"[{column}]" for column in columns)
        select = f"SELECT {names} FROM [{table}] {where} LIMIT ?"
        cursor = self._connection.execute(select, (at_most,))
        while block := cursor.fetchmany(_ROWS):
            yield block

    def whole(self, table: str, *columns: str) -> dict[str, Integers]:
        """Return columns of whole numbers from 0 on; NONE where a cell is NULL.

        Two calls for one table may give its rows in two orders: an index can hold the columns.
        """
        parts: list[list[Integers]] = [[] for _ in columns]
        for block in self.rows(table, columns):
            for name, part, cells in zip(columns, parts, zip(*block, strict=True), strict=True):
                part.append(self.whole_cells(f"{table}.{name}", cells))
        empty = np.empty(0, dtype=np.int64)
        return {
            name: np.concatenate([empty, *part]) for name, part in zip(columns, parts, strict=True)
        }

    def whole_cells(self, name: str, cells: Sequence[Any]) -> Integers:
        """Return whole numbers from 0 on: a type that SQLite declares binds no cell."""
        cells = self._of_type(name, cells, (int,), NONE, "a whole number")
        array = np.array(cells, dtype=np.int64)
        if array.min() < NONE:
            raise self.wrong_cell(name, array.min(), "a number of 0 or more")
        return array

    def number_cells(self, name: str, cells: Sequence[Any]) -> Floats:
        """Return finite numbers, NaN where a cell is NULL."""
        cells = self._of_type(name, cells, (float, int), np.nan, "a number")
        array = np.array(cells, dtype=np.float64)
        if np.isinf(array).any():
            raise self.wrong_cell(name, array[np.isinf(array)][0], "a number")
        return array

    def texts(self, table: str, key: str, value: str) -> dict[int, str]:
        """Return the texts of a table that gives each an id; that of NONE is empty."""
        if table not in self.tables:
            raise ProfileError(f"{self.path}: no table {table} with its texts; export it again")
        by_id: dict[int, str] = {}
        rows = 0
        for block in self.rows(table, (key, value)):
            ids, cells = zip(*block, strict=True)
            texts = self._of_type(f"{table}.{value}", cells, (str,), "", "a text")
            by_id.update(zip(ids, texts, strict=True))
            rows += len(ids)
        if rows > len(by_id):
            self._refuse_other_text(table, (key, value), by_id)
        return {**by_id, NONE: ""}

    def _refuse_other_text(
        self, table: str, columns: Sequence[str], by_id: Mapping[int, str]
    ) -> None:
        """Refuse an id that stands for two texts; the same text twice does no harm."""
        for block in self.rows(table, columns):
            for number, text in block:
                if (text or "") != by_id[number]:
                    one, other = (
                        clipped(printable(each), 40) for each in (text or "", by_id[number])
                    )
                    raise ProfileError(
                        f'{self.path}: {table} has "{one}" and "{other}" for one {columns[0]}, '
                        f"{clipped(printable(str(number)), 40)}; "
                        "the database was edited, export it again"
                    )

    @cached_property
    def strings(self) -> dict[int, str]:
        """The texts for which ids stand in almost all tables."""
        return self.texts("STRING_IDS", "id", "value")

    def category(
        self, column: Column, values: Integers, texts: Mapping[int, str] | None = None
    ) -> pd.Categorical:
        """Return ids, or the texts that they stand for, as a column of a DataFrame."""
        ids, place = np.unique(values, return_inverse=True)
        try:
            cells = [str(number) if texts is None else texts[number] for number in ids.tolist()]
            categories: pd.Categorical = of_texts(np.array(cells, dtype=object), column)
        except BadCellError as err:
            raise self.wrong_cell(column.name, err.text, err.wanted) from None
        except KeyError as err:
            raise ProfileError(
                f"{self.path}: {column.name} is {err.args[0]}, an id for which there is no text; "
                "the database was cut or edited, export it again"
            ) from None
        return categories.take(place)

    def elapsed_ns(self, starts: Integers, ends: Integers, what: str) -> Floats:
        """Return from start to end in whole ns, NaN where one of the two is NONE."""
        ns = ends - starts
        there = (starts != NONE) & (ends != NONE)
        wrong = there & ((ns < 0) | (ns > _LONGEST_NS))
        if wrong.any():
            row = int(wrong.argmax())
            raise ProfileError(
                f"{self.path}: {what} from {starts[row]} to {ends[row]} ns, which is not from 0 ns "
                "to 11 days; the database was edited, export it again"
            )
        return np.where(there, ns, np.nan)

    def _of_type(
        self, name: str, cells: Sequence[Any], types: tuple[type, ...], none: Any, wanted: str
    ) -> Sequence[Any]:
        found = set(map(type, cells))
        if found <= set(types):
            return cells
        if not found <= {*types, type(None)}:
            strange = (cell for cell in cells if cell is not None and type(cell) not in types)
            raise self.wrong_cell(name, next(strange), wanted)
        return [none if cell is None else cell for cell in cells]

    def _require(self, table: str, columns: Sequence[str]) -> None:
        for name in columns:
            if name not in self.tables[table]:
                there = printable(", ".join(self.tables[table]))
                raise ProfileError(
                    f"{self.path}: table {table} has no column {name}; there is "
                    f"{clipped(there, 200)}; export the profile again"
                )

    def wrong_cell(self, name: str, found: object, wanted: str) -> ProfileError:
        """Return what to raise where a cell holds something that its column cannot."""
        shown = clipped(printable(str(found)), 40)
        return ProfileError(
            f'{self.path}: {name} is "{shown}", which is not {wanted}; '
            "the database was edited, export it again"
        )


def places(keys: Integers, wanted: Integers) -> Integers:
    """Return where each wanted id stands among the keys; NONE: nowhere."""
    if not len(keys):
        return np.full(len(wanted), NONE)
    order = np.argsort(keys, kind="stable")
    place = places_in_order(keys[order], wanted)
    return np.where(place == NONE, NONE, order[place])


def places_in_order(keys: Integers, wanted: Integers) -> Integers:
    """Return what ``places`` does, for keys that are sorted and not empty."""
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where((keys[place] == wanted) & (wanted != NONE), place, NONE)


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a database that nobody changes meanwhile; no file is written, nor one beside it.

    Raises ProfileError, also for every error of SQLite in the body.
    """
    try:
        import sqlite3  # It is no part of some builds of Python, which read text nevertheless.
    except ImportError as err:
        raise ProfileError(f"{path}: this Python was built without sqlite3") from err
    try:
        with closing(
            sqlite3.connect(
                read_only_uri(path), uri=True, timeout=_PATIENCE_S, isolation_level=None
            )
        ) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("BEGIN")
            yield Database(path, connection)
    except sqlite3.Error as err:
        raise ProfileError(f"{path}: {_fault(err)}") from err


def _fault(err: Exception) -> str:
    text = clipped(printable(str(err)), 100)
    if "locked" in text:
        return "another program is writing it; wait until the export has ended"
    if "readonly" in text:
        return CUT_OFF
    return f"not a whole SQLite database ({text}); export the profile again"
