"""One CSV file of a profile to a DataFrame: only the wanted columns, in blocks, every row checked."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import union_categoricals

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import (
    ABSENT,
    DEVICES,
    IDS,
    LONGEST_US,
    NO_ID,
    UNDERFLOW_US,
    BadCell,
    starts_to_ns,
)
from pytest_npuperf.profile.tables import Column, Kind, Table
from pytest_npuperf.text import printable

BLOCK = 8 * 2**20
"""Bytes read at once; about 20,000 rows of an op_summary."""

LONGEST_LINE = 64 * 2**20

_BOM = b"\xef\xbb\xbf"
_NOT_DELIMITERS = bytes(set(range(256)) - set(b',"\n'))
_QUOTE = ord('"')
_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")


@dataclass(frozen=True)
class Header:
    """The columns of one file, in its order."""

    columns: tuple[Column, ...]
    raw: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that the columns have in a DataFrame."""
        return tuple(column.name for column in self.columns)


def read_header(path: Path, table: Table) -> Header:
    """Return the columns of a file. Raises ProfileError."""
    with _opened(path) as file:
        return _header(path, table, file)


def read_table(path: Path, table: Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns that the file has (None: all), one row for each of its rows.

    Texts and ids are categories, durations float64 us (NaN is absent), start times Int64 ns.
    Raises ProfileError: names the file and line, what was found and what was wanted.
    """
    with _opened(path) as file:
        header = _header(path, table, file)
        chosen = [
            index
            for index, column in enumerate(header.columns)
            if wanted is None or column.name in wanted
        ]
        blocks, line = [], 2
        whole = _squared(path, file, len(header.columns)) if table.ragged else None
        for block in [whole] if whole else _blocks(path, file):
            rows = _check_width(path, block, len(header.columns), line)
            blocks.append(_parse(path, block, header, chosen, line))
            line += rows
    if not blocks:
        raise ProfileError(f"{path}: the table has a header and no rows; nothing was recorded")
    return stacked([pd.DataFrame(block, copy=False) for block in blocks])


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of the same columns one below the other, categories united."""
    if len(frames) == 1:
        return frames[0]
    return pd.DataFrame(
        {name: _column([frame[name] for frame in frames]) for name in frames[0]}, copy=False
    )


def _column(parts: Sequence[pd.Series[Any]]) -> Any:
    if isinstance(parts[0].dtype, pd.CategoricalDtype):
        return union_categoricals(parts, sort_categories=True)
    return pd.concat(parts, ignore_index=True).array


# --- bytes ------------------------------------------------------------------------------------


class _opened:  # noqa: N801 - used like a function
    """Open a plain or gzipped file; whatever the disk does becomes a ProfileError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> IO[bytes]:
        try:
            # gzip.open and Path.open share what is used here.
            self._file: Any = (
                gzip.open(self._path)  # noqa: SIM115 - closed in __exit__
                if self._path.suffix == ".gz"
                else self._path.open("rb")
            )
        except OSError as err:
            raise ProfileError(f"{self._path}: cannot be read: {err.strerror}") from err
        file: IO[bytes] = self._file
        return file

    def __exit__(self, kind: object, err: BaseException | None, trace: object) -> None:
        self._file.close()
        if isinstance(err, (OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError)):
            reason = getattr(err, "strerror", None) or str(err)
            raise ProfileError(f"{self._path}: cannot be read: {reason}") from err


def _header(path: Path, table: Table, file: IO[bytes]) -> Header:
    line = file.readline(LONGEST_LINE).removeprefix(_BOM)
    if not line.strip():
        raise ProfileError(f"{path}: the file is empty; the export wrote nothing")
    if line.startswith(b"version https://git-lfs"):
        raise ProfileError(
            f"{path}: a Git LFS pointer, not the recording; fetch it with `git lfs pull`"
        )
    _refuse_odd_bytes(path, line, 1)
    try:
        raw = next(csv.reader([line.decode()], strict=True))
    except (UnicodeDecodeError, csv.Error, StopIteration) as err:
        raise ProfileError(f"{path}:1: the header is not CSV text in UTF-8") from err
    return Header(_named_apart(path, table, [table.column(cell) for cell in raw]), tuple(raw))


def _named_apart(path: Path, table: Table, columns: list[Column]) -> tuple[Column, ...]:
    """Return columns of different names: a ragged table numbers those that repeat."""
    seen: Counter[str] = Counter()
    apart = []
    for column in columns:
        seen[column.name] += 1
        times = seen[column.name]
        if times > 1 and not table.ragged:
            raise ProfileError(f"{path}:1: two columns are {printable(column.name)}; one is wanted")
        apart.append(replace(column, name=f"{column.name}_{times}") if times > 1 else column)
    return tuple(apart)


def _blocks(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the rest of a file in blocks of whole lines."""
    rest = b""
    while read := file.read(BLOCK):
        cut = read.rfind(b"\n") + 1
        if cut:
            yield rest + read[:cut]
            rest = read[cut:]
        else:
            rest += read
        if len(rest) > LONGEST_LINE:
            raise ProfileError(f"{path}: a line is longer than {LONGEST_LINE // 2**20} MiB")
    if rest.strip(b"\r\n"):
        yield rest + b"\n"


def _squared(path: Path, file: IO[bytes], cells: int) -> bytes:
    """Return the rest of a ragged table with its short rows filled up with N/A."""
    text = io.TextIOWrapper(io.BytesIO(file.read()), encoding="utf-8", newline="")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line, row in enumerate(csv.reader(text), start=2):
        if len(row) > cells:
            raise ProfileError(f"{path}:{line}: the row has {len(row)} of {cells} cells")
        writer.writerow(row + ["N/A"] * (cells - len(row)))
    return out.getvalue().encode()


def _check_width(path: Path, block: bytes, cells: int, line: int) -> int:
    """Return the number of rows, each of which has as many cells as the header.

    pandas fills short rows and drops what long ones have too much without a word. So what is not
    a delimiter is taken out, and what quotes enclose; the same commas must be left in each row.
    """
    _refuse_odd_bytes(path, block, line)
    marks = np.frombuffer(block.translate(None, delete=_NOT_DELIMITERS), dtype=np.uint8)
    quotes = marks == _QUOTE
    outside = ~np.bitwise_xor.accumulate(quotes) & ~quotes
    found = marks[outside].tobytes()
    row = b"," * (cells - 1) + b"\n"
    rows = len(found) // len(row)
    if found != row * rows:
        _refuse_width(path, found, cells, line)
    return rows


def _refuse_width(path: Path, found: bytes, cells: int, line: int) -> None:
    widths = [len(commas) + 1 for commas in found.split(b"\n")[:-1]]
    bad = next((row for row, width in enumerate(widths) if width != cells), None)
    if bad is None:
        raise ProfileError(f"{path}: a quote is opened and not closed after line {line}")
    raise ProfileError(
        f"{path}:{line + bad}: the row has {widths[bad]} of {cells} cells; "
        "the file is cut or damaged, export it again"
    )


def _refuse_odd_bytes(path: Path, block: bytes, line: int) -> None:
    """Refuse what a CSV reader would take for a line end or for the end of a text."""
    _refuse_byte(path, block, block.find(b"\0"), line, "a NUL byte")
    if b"\r" in block and (lone := re.search(rb"\r(?!\n)", block)):
        _refuse_byte(path, block, lone.start(), line, "a carriage return without line feed")


def _refuse_byte(path: Path, block: bytes, at: int, line: int, name: str) -> None:
    if at >= 0:
        where = line + block.count(b"\n", 0, at)
        raise ProfileError(f"{path}:{where}: {name} in the text; the file is damaged")


# --- cells ------------------------------------------------------------------------------------

_NUMERIC = (Kind.DURATION, Kind.NUMBER, Kind.COUNT)


def _parse(
    path: Path, block: bytes, header: Header, chosen: list[int], line: int
) -> dict[str, Any]:
    columns = {index: header.columns[index] for index in chosen}
    try:
        return _convert(_cells(block, len(header.columns), columns), columns)
    except UnicodeDecodeError as err:
        raise ProfileError(f"{path}: the text from line {line} on is not UTF-8") from err
    except BadCell as err:
        raise _bad_cell(path, line + err.row, err) from None
    except ValueError:
        pass
    bad = _first_bad_number(_cells(block, len(header.columns), columns, as_text=True), columns)
    raise _bad_cell(path, line + bad.row, bad)


def _bad_cell(path: Path, line: int, bad: BadCell) -> ProfileError:
    return ProfileError(f'{path}:{line}: "{printable(bad.text[:40])}" is not {bad.wanted}')


def _cells(
    block: bytes, width: int, columns: dict[int, Column], as_text: bool = False
) -> pd.DataFrame:
    numeric = [i for i, column in columns.items() if column.kind in _NUMERIC and not as_text]
    dtypes: dict[int, Any] = {**dict.fromkeys(columns, object), **dict.fromkeys(numeric, np.float64)}
    return pd.read_csv(
        io.BytesIO(block),
        header=None,
        names=list(range(width)),
        usecols=list(columns),
        dtype=dtypes,
        keep_default_na=False,
        na_values={i: list(ABSENT) for i in numeric},
        skip_blank_lines=False,
        engine="c",
        low_memory=True,
    )


def _convert(frame: pd.DataFrame, columns: dict[int, Column]) -> dict[str, Any]:
    return {
        column.name: _CONVERTERS[column.kind](frame[index], column)
        for index, column in columns.items()
    }


def _text(series: pd.Series[Any], column: Column) -> pd.Categorical:
    """Return texts without blanks and quotes; what means "none" is missing, not a text."""
    # Not dtype="category": pandas 3.1 makes numbers of texts such as 4.29E+09.
    raw, texts = pd.factorize(series.to_numpy(dtype=object))
    # Shapes carry quotes of their own, one pair or three by release.
    clean = [text.strip().replace('"', "") for text in texts]
    nothing = ABSENT if column.kind in (Kind.TEXT, Kind.OTHER) else ABSENT + NO_ID
    kept = sorted({text for text in clean if text not in nothing})
    place = {text: code for code, text in enumerate(kept)}
    codes = np.array([place.get(text, -1) for text in clean])
    return pd.Categorical.from_codes(codes[raw], categories=pd.Index(kept, dtype=object))


def _id(series: pd.Series[Any], column: Column) -> pd.Categorical:
    ids = _text(series, column)
    form, wanted = (DEVICES, "a device") if column.kind is Kind.DEVICE else (IDS, "an id")
    for code, text in enumerate(ids.categories):
        if not form.fullmatch(text):
            raise BadCell(int((ids.codes == code).argmax()), text, wanted)
    return ids


def _start(series: pd.Series[Any], column: Column) -> pd.arrays.IntegerArray:
    values, absent = starts_to_ns(series.to_numpy(dtype=object), column.unit)
    return pd.arrays.IntegerArray(values, absent)


def _duration(series: pd.Series[Any], column: Column) -> npt.NDArray[np.float64]:
    values = series.to_numpy(dtype=np.float64, copy=True)
    values[values >= UNDERFLOW_US] = np.nan
    _refuse(values < 0, values, "a duration of 0 or more")
    _refuse(values > LONGEST_US, values, "a duration below 104 days")
    return values


def _count(series: pd.Series[Any], column: Column) -> npt.NDArray[np.float64]:
    values = series.to_numpy(dtype=np.float64)
    _refuse((values < 0) | (values % 1 > 0) | (values > 2**53), values, "a count")
    return values


def _number(series: pd.Series[Any], column: Column) -> npt.NDArray[np.float64]:
    values = series.to_numpy(dtype=np.float64)
    _refuse(np.isinf(values), values, "a number")
    return values


def _refuse(bad: npt.NDArray[np.bool_], values: npt.NDArray[np.float64], wanted: str) -> None:
    if bad.any():
        row = int(bad.argmax())
        raise BadCell(row, str(values[row]), wanted)


_CONVERTERS = {
    Kind.TEXT: _text,
    Kind.ID: _id,
    Kind.DEVICE: _id,
    Kind.START: _start,
    Kind.DURATION: _duration,
    Kind.COUNT: _count,
    Kind.NUMBER: _number,
    Kind.OTHER: _text,
}


def _first_bad_number(frame: pd.DataFrame, columns: dict[int, Column]) -> BadCell:
    for index, column in columns.items():
        if column.kind in _NUMERIC:
            for row, text in enumerate(frame[index].astype(str)):
                if text not in ABSENT and not _NUMBER.fullmatch(text):
                    return BadCell(row, text, "a number")
    raise AssertionError("pandas refused a number that we accept")
