"""The forms in which a file holds a table: which columns it has, and the wanted ones as a frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import pandas as pd

from pytest_npuperf.profile import advice, database, lines, reader, records, traces
from pytest_npuperf.profile.files import Form, TableFile
from pytest_npuperf.profile.tables import Table

OnBytes = Callable[[Path, int], None]
"""Is told, while a file is read, how many of its bytes have been."""


class _Form(Protocol):
    """A module that reads one form."""

    def read_table(
        self, path: Path, table: Table, wanted: Collection[str] | None
    ) -> pd.DataFrame: ...


class _WithHeader(_Form, Protocol):
    """A module that need not read a table to know its columns."""

    def column_names(self, path: Path, table: Table) -> tuple[str, ...]: ...


_WITH_HEADER: Mapping[Form, _WithHeader] = {"csv": reader, "trace": traces, "database": database}
_FORMS: Mapping[Form, _Form] = {**_WITH_HEADER, "records": records, "advice": advice}


def is_whole(file: TableFile) -> bool:
    """Return whether a file must be parsed whole even to know its columns: JSON tables."""
    return file.form not in _WITH_HEADER


def column_names(file: TableFile) -> frozenset[str]:
    """Return the DataFrame names of the columns of a file with a header. Raises ProfileError."""
    return frozenset(_WITH_HEADER[file.form].column_names(file.path, file.table))


def header_of(file: TableFile, name: str) -> str:
    """Return what a file calls a column, for messages; the newest name where it has none.

    Raises ProfileError.
    """
    newest = file.table.header_of(name)
    if file.form != "csv":
        return newest
    with lines.opened(file.path) as text:
        there = lines.header_cells(file.path, text)
    return next((cell.strip() for cell in there if file.table.column(cell).name == name), newest)


def read(
    file: TableFile, wanted: Collection[str] | None = None, on_bytes: OnBytes | None = None
) -> pd.DataFrame:
    """Return the wanted columns that a file has (None: all), in the types of its table.

    Texts and ids are categories, durations float64 us (NaN is absent), start times Int64 ns.
    ``on_bytes`` is told of files that may be very long. Raises ProfileError.
    """
    if file.form == "trace" and on_bytes is not None:
        told = partial(on_bytes, file.path)
        return traces.read_table(file.path, file.table, wanted, told)
    return _FORMS[file.form].read_table(file.path, file.table, wanted)
