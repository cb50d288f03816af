"""One CSV file of a profile to a DataFrame: the wanted columns only, every row checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import lines
from pytest_npuperf.profile.cells import BadCellError
from pytest_npuperf.profile.columns import typed
from pytest_npuperf.profile.opprof_tables import CORE_TABLES
from pytest_npuperf.profile.tables import Column, Kind, Table
from pytest_npuperf.text import clipped, printable


@dataclass(frozen=True)
class Header:
    """The columns of one file, in its order."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that the columns have in a DataFrame."""
        return tuple(column.name for column in self.columns)


def column_names(path: Path, table: Table) -> tuple[str, ...]:
    """Return the DataFrame names of the columns of a file, in its order. Raises ProfileError."""
    with lines.opened(path) as file:
        return file_header(path, table, lines.header_cells(path, file)).names


def read_table(path: Path, table: Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns that the file has (None: all), one row for each of its rows.

    Texts and ids are categories, durations float64 us (NaN is absent), start times Int64 ns.
    Raises ProfileError: names the file and line, what was found and what was wanted.
    """
    with lines.opened(path) as file:
        header = file_header(path, table, lines.header_cells(path, file))
        width = len(header.columns)
        chosen = {
            index: column
            for index, column in enumerate(header.columns)
            if wanted is None or column.name in wanted
        }
        least = _least_width(table, header)
        frames, line = [], 2
        for block in lines.blocks(path, file, width, least):
            rows = lines.count_rows(path, block, width, line)
            frames.append(_parse(path, block, chosen, line, (rows, width)))
            line += rows
    if not frames:
        raise ProfileError(f"{path}: the table has a header and no rows; nothing was recorded")
    return stacked(frames)


def file_header(path: Path, table: Table, cells: Sequence[str]) -> Header:
    """Return columns of different names: a ragged table numbers those that repeat.

    Raises ProfileError.
    """
    if (table.ragged or table.ends_in_comma) and not cells[-1].strip():
        cells = cells[:-1]
    seen: Counter[str] = Counter()
    apart = []
    for column in map(table.column, cells):
        seen[column.name] += 1
        times = seen[column.name]
        if times > 1 and not table.ragged:
            raise ProfileError(f"{path}:1: two columns are {printable(column.name)}; one is wanted")
        apart.append(replace(column, name=f"{column.name}_{times}") if times > 1 else column)
    _refuse_another_table(path, table, apart)
    return Header(tuple(apart))


def _refuse_another_table(path: Path, table: Table, columns: Sequence[Column]) -> None:
    """Refuse a file without any column of its table: all of it would be absent."""
    own = [column for column in table.columns if column.name != "device_id"]
    # Chips with one kind of core write no ids of cores, and counters are whatever they have.
    counters = table.name in CORE_TABLES and any(each.kind is Kind.NUMBER for each in columns)
    if counters or {column.name for column in own} & {column.name for column in columns}:
        return
    wanted = ", ".join(column.headers[0] for column in own[:3])
    there = ", ".join(clipped(printable(column.headers[0]), 40) for column in columns[:3])
    raise ProfileError(
        f"{path}: no column of {table.name}, such as {wanted}; there is {there}; "
        "export the file again, or rename it if it holds something else"
    )


def _least_width(table: Table, header: Header) -> int | None:
    """Return how many cells a row has at least; None: exactly those of the header."""
    if table.ends_in_comma:
        return len(header.columns)
    if not table.ragged:
        return None
    known = {column.name for column in table.columns}
    return max((i for i, name in enumerate(header.names) if name in known), default=0) + 1


def _parse(
    path: Path, block: bytes, chosen: dict[int, Column], line: int, shape: tuple[int, int]
) -> pd.DataFrame:
    rows, width = shape
    try:
        # Rows are there even where none of their columns is wanted.
        return pd.DataFrame(typed(block, width, chosen), pd.RangeIndex(rows), copy=False)
    except UnicodeDecodeError as err:
        raise ProfileError(f"{path}: the text from line {line} on is not UTF-8") from err
    except BadCellError as err:
        found = clipped(printable(err.text), 40)
        raise ProfileError(f'{path}:{line + err.row}: "{found}" is not {err.wanted}') from None


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of the same columns one below the other, categories united."""
    if len(frames) == 1:
        return frames[0]
    columns = {name: _column([frame[name] for frame in frames]) for name in frames[0]}
    return pd.DataFrame(columns, pd.RangeIndex(sum(map(len, frames))), copy=False)


def _column(parts: list[pd.Series[Any]]) -> Any:
    if isinstance(parts[0].dtype, pd.CategoricalDtype):
        # pandas unites only categories of one dtype, of which pandas 3 has two, and cannot unite
        # every text.
        known = [part.cat.categories.to_numpy(dtype=object) for part in parts]
        texts = pd.Index(sorted({text for each in known for text in each}), dtype=object)
        codes = [_recoded(part, each, texts) for part, each in zip(parts, known, strict=True)]
        return pd.Categorical.from_codes(np.concatenate(codes), texts)
    return pd.concat(parts, ignore_index=True).array


def _recoded(part: pd.Series[Any], known: npt.NDArray[Any], texts: pd.Index[Any]) -> Any:
    """Return the codes of a column among more categories; the last, -1, is that of no text."""
    return np.append(texts.get_indexer(pd.Index(known, dtype=object)), -1)[
        part.cat.codes.to_numpy()
    ]
