"""One result of the accuracy comparison, a ``result_*.csv``, read row by row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.accuracy.files import listed, newest, text_of
from pytest_npuperf.accuracy.tensors import METRICS, NOTHING, Comparison, Tensor
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.text import many, shown

MINE = ("NPUDump", "LeftOp")
GOLDEN = ("GroundTruth", "RightOp")
"""What the columns with the ops of both sides are called, old results' names last."""
_PLAIN = ("OpType", "TensorIndex", "OverFlow", "CompareFailReason")
OF_PYTORCH = "Accuracy Reached or Not"
"""A column that the PyTorch comparison alone has."""
_WANTED = "a result of the accuracy comparison has the columns Index, NPUDump and GroundTruth"
_AGAIN = "the file is cut or damaged, make it again"

_WHOLE = re.compile(r"[0-9]{1,9}")
_CELL = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?|NaN|nan|[+-]?inf|")
_DISTANCES = ("euclidean", "rmse")
"""Roots, which cannot be negative; a divergence may be a little, by rounding."""
_LOWEST = ("-0.000000", "-inf")
_ROUNDING = 1e-5
"""How far the tool, which reckons in float32, may be beyond a cosine of 1."""


@dataclass(frozen=True)
class _Columns:
    """Where in a row everything stands; DataType and Address are there twice, so by position."""

    width: int
    index: int
    mine: int
    golden: int
    plain: Mapping[str, int]
    metrics: Mapping[str, int]
    """By their keys in a budget; which there are, and in which order, is up to ``-alg``."""

    def text(self, row: Sequence[str], name: str) -> str:
        """Return a cell that need not be there, or nothing."""
        at = self.plain.get(name)
        return "" if at is None or row[at] == NOTHING else row[at].strip()


def read_comparison(path: Path) -> Comparison:
    """Read a result, the newest that the path means, in the order of the network.

    Raises AccuracyError.
    """
    path = newest(path)
    header, *rows = _rows(path)
    columns = _columns(path, [name.strip() for name in header[1]])
    if not rows:
        raise AccuracyError(f"{path}: a header and no row; compare again, with dumps on both sides")
    tensors = [_tensor(f"{path}:{line}", columns, row) for line, row in rows]
    # As the tool writes it, but a spreadsheet may have sorted it otherwise.
    ordered = sorted(tensors, key=lambda tensor: tensor.index)
    return Comparison(path, frozenset(columns.metrics), tuple(ordered))


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """Return all rows, each with its line."""
    text = text_of(path)
    # The tool ends each line so; what somebody has typed or edited may end without.
    if "\r\n" in text and not text.endswith("\n"):
        raise AccuracyError(f"{path}:{text.count(chr(10)) + 1}: the line has no end; {_AGAIN}")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as err:
        raise AccuracyError(f"{path}:{reader.line_num}: not CSV ({err}); {_AGAIN}") from err


def _columns(path: Path, header: list[str]) -> _Columns:
    if OF_PYTORCH in header:
        raise AccuracyError(
            f'{path}: a result of the PyTorch comparison, which has "{OF_PYTORCH}" and no '
            "operators by Index; name the result_*.csv of the offline model"
        )
    read = ("Index", *MINE, *GOLDEN, *_PLAIN, *METRICS.values())
    if twice := [name for name in read if header.count(name) > 1]:
        raise AccuracyError(f"{path}: two columns are {twice[0]}; take one of them out")
    at = {name: header.index(name) for name in read if name in header}
    for names in (("Index",), MINE, GOLDEN):
        if not {*names} & {*at}:
            there = listed([shown(name) for name in header])
            raise AccuracyError(
                f"{path}: no column is {' or '.join(names)}; there are {there}; {_WANTED}"
            )
    return _Columns(
        len(header),
        at["Index"],
        next(at[name] for name in MINE if name in at),
        next(at[name] for name in GOLDEN if name in at),
        {name: at[name] for name in _PLAIN if name in at},
        {key: at[name] for key, name in METRICS.items() if name in at},
    )


def _tensor(where: str, columns: _Columns, row: list[str]) -> Tensor:
    row = _whole(where, columns, row)
    index = row[columns.index].strip()
    if not _WHOLE.fullmatch(index):
        raise AccuracyError(f"{where}: Index is {shown(index)}, which is no whole number; {_AGAIN}")
    overflow = columns.text(row, "OverFlow")
    if overflow not in ("YES", "NO", ""):
        raise AccuracyError(f"{where}: OverFlow is {shown(overflow)}, not YES, NO or NaN; {_AGAIN}")
    return Tensor(
        int(index),
        columns.text(row, "OpType"),
        row[columns.mine].strip(),
        row[columns.golden].strip(),
        columns.text(row, "TensorIndex"),
        overflow == "YES",
        {key: _cell(where, key, row[at].strip()) for key, at in columns.metrics.items()},
        columns.text(row, "CompareFailReason"),
    )


def _whole(where: str, columns: _Columns, row: list[str]) -> list[str]:
    """Return a row with all its cells.

    One that is short is taken where nothing in it is a number that could be in the wrong column:
    such are among the rows that msit tests its own reader with.
    """
    if len(row) == columns.width:
        return row
    first = min(columns.metrics.values(), default=columns.width)
    if first < len(row) < columns.width and {*row[first:]} == {NOTHING}:
        return row + [""] * (columns.width - len(row))
    raise AccuracyError(f"{where}: {len(row)} of {many(columns.width, 'cell')}; {_AGAIN}")


def _cell(where: str, key: str, text: str) -> str:
    """Return the cell of a metric, which is a number, or one of the words for none."""
    if not _CELL.fullmatch(text):
        raise AccuracyError(f"{where}: {METRICS[key]} is {shown(text)}, no number; {_AGAIN}")
    if key == "cosine" and text and abs(float(text)) > 1 + _ROUNDING and "inf" not in text:
        raise AccuracyError(f"{where}: {METRICS[key]} is {text}, not within -1 and 1; {_AGAIN}")
    if key in _DISTANCES and text.startswith("-") and text not in _LOWEST:
        raise AccuracyError(f"{where}: {METRICS[key]} is {text}, and none is below 0; {_AGAIN}")
    return text
