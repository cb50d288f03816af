"""The forms in which a file holds a table: which columns it has, and the wanted ones as a frame."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import pandas as pd

from pytest_npuperf.profile import advice, database, reader, records, traces
from pytest_npuperf.profile.files import Form, TableFile
from pytest_npuperf.profile.tables import Table

OnBytes = Callable[[Path, int], None]
"""Is told, while a file is read, how many of its bytes have been."""


class _Form(Protocol):
    """A module that reads one form."""

    def column_names(self, path: Path, table: Table) -> tuple[str, ...]: ...

    def read_table(
        self, path: Path, table: Table, wanted: Collection[str] | None
    ) -> pd.DataFrame: ...


_FORMS: Mapping[Form, _Form] = {
    "csv": reader,
    "records": records,
    "advice": advice,
    "trace": traces,
    "database": database,
}


def column_names(file: TableFile) -> frozenset[str]:
    """Return the DataFrame names of the columns of a file. Raises ProfileError."""
    return frozenset(_FORMS[file.form].column_names(file.path, file.table))


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
