"""The forms in which a file holds a table: which columns it has, and the wanted ones as a frame."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

import pandas as pd

from pytest_npuperf.profile import reader
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.tables import Table


class _Form(Protocol):
    """A module that reads one form."""

    def column_names(self, path: Path, table: Table) -> tuple[str, ...]: ...

    def read_table(
        self, path: Path, table: Table, wanted: Collection[str] | None
    ) -> pd.DataFrame: ...


_FORMS: Mapping[str, _Form] = {"csv": reader}


def column_names(file: TableFile) -> frozenset[str]:
    """Return the DataFrame names of the columns of a file. Raises ProfileError."""
    return frozenset(_FORMS[file.form].column_names(file.path, file.table))


def read(file: TableFile, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns that a file has (None: all), in the types of its table.

    Texts and ids are categories, durations float64 us (NaN is absent), start times Int64 ns.
    Raises ProfileError.
    """
    return _FORMS[file.form].read_table(file.path, file.table, wanted)
