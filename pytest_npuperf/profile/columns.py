"""Whole lines of a table to typed columns: texts and ids as categories, times and numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.profile import cells
from pytest_npuperf.profile.cells import ABSENT, LONGEST_US, NO_ID, BadCellError, Floats, Texts
from pytest_npuperf.profile.schema import Column, Kind

_IDS = re.compile(r"[0-9]{1,10}")
_DEVICES = re.compile(r"[0-9]{1,4}")
_HOSTS = re.compile(r"[0-9]{1,4}|host")
_CORES = re.compile(r"(?!(?:nan|inf|infinity|none|null)\Z)[a-z][a-z0-9_ ]{0,63}", re.IGNORECASE)
_FORMS = {
    Kind.ID: (_IDS, "an id"),
    Kind.DEVICE: (_DEVICES, "a device"),
    Kind.HOST: (_HOSTS, "a device or host"),
    Kind.CORE: (_CORES, "a task type"),
}
_NUMBERS = (Kind.DURATION, Kind.COUNT, Kind.NUMBER, Kind.SIZE)


def typed(block: bytes, width: int, columns: Mapping[int, Column]) -> dict[str, Any]:
    """Return columns of a block of whole lines, by the names that they have in a DataFrame.

    ``columns`` are those at some of the ``width`` places of a line.
    Raises BadCellError, and UnicodeDecodeError for what is not UTF-8.
    """
    try:
        frame = _frame(block, width, columns, [i for i in columns if not _is_number(columns[i])])
    except UnicodeDecodeError:
        raise
    except ValueError:
        # A cell that pandas takes for no number: quoted, or wrong. Look at each.
        frame = _frame(block, width, columns, columns)
    return {
        column.name: _column(frame[index], column, partial(_texts, block, width, index))
        for index, column in columns.items()
    }


def of_texts(texts: Texts, column: Column) -> Any:
    """Return a column of a DataFrame from its cells. Raises BadCellError."""
    match column.kind:
        case Kind.START:
            return pd.arrays.IntegerArray(*cells.starts_to_ns(texts, int(column.unit)))
        case Kind.DURATION:
            return cells.durations(texts, column.unit)
        case Kind.NUMBER:
            return cells.numbers(texts, column.unit)
        case Kind.SIZE:
            return cells.sizes(texts, column.unit)
        case Kind.COUNT:
            return cells.counts(texts)
        case _:
            return _category(texts, column.kind)


def _is_number(column: Column) -> bool:
    return column.kind in _NUMBERS


def _frame(
    block: bytes, width: int, columns: Collection[int], texts: Collection[int]
) -> pd.DataFrame:
    numbers = [index for index in columns if index not in texts]
    dtypes: Any = {**dict.fromkeys(texts, object), **dict.fromkeys(numbers, np.float64)}
    absent: Any = {index: list(ABSENT) for index in numbers}
    return pd.read_csv(
        io.BytesIO(block),
        header=None,
        names=list(range(width)),
        usecols=list(columns),
        dtype=dtypes,
        keep_default_na=False,
        na_values=absent,
        skip_blank_lines=False,
        engine="c",
        low_memory=True,
    )


def _texts(block: bytes, width: int, index: int) -> Texts:
    return _frame(block, width, [index], [index])[index].to_numpy(dtype=object)


def _column(series: pd.Series[Any], column: Column, texts: Callable[[], Texts]) -> Any:
    if not _is_number(column):
        return of_texts(series.to_numpy(dtype=object), column)
    if series.dtype == np.float64:
        values = cells.scaled(series.to_numpy(dtype=np.float64), column.unit)
        if _is_plain(values, column.kind):
            return values
    return of_texts(texts(), column)


def _is_plain(values: Floats, kind: Kind) -> bool:
    """Return whether what pandas made of the texts can be taken for granted.

    It also reads inf, 1e400 as inf, and True as 1 where all cells are True or False.
    """
    if kind is Kind.NUMBER:
        return not np.isinf(values).any()
    # NaN, what is absent, is not below anything; fmax and fmin pass over it.
    least, most = np.fmin.reduce(values), np.fmax.reduce(values)
    if kind is Kind.SIZE:
        return bool(np.isnan(most) or (least >= 0 and 1 < most < np.inf))
    if kind is Kind.COUNT and (np.modf(values)[0] > 0).any():
        return False
    return bool(np.isnan(most) or (least >= 0 and 1 < most <= LONGEST_US))


def _category(raw: Texts, kind: Kind) -> pd.Categorical:
    """Return texts without blanks and quotes; what means "none" is missing, not a text."""
    # Not dtype="category": pandas 3.1 makes numbers of texts such as 4.29E+09.
    codes, texts = pd.factorize(raw)
    # Shapes carry quotes of their own, one pair or three by release.
    clean = [text.strip().replace('"', "") for text in texts]
    nothing = ABSENT if kind in (Kind.TEXT, Kind.CORE) else ABSENT + NO_ID
    kept = sorted({text for text in clean if text not in nothing})
    form, wanted = _FORMS.get(kind, (None, ""))
    for text in kept:
        if form is not None and not form.fullmatch(text):
            raise BadCellError(int((codes == clean.index(text)).argmax()), text, wanted)
    place = {text: code for code, text in enumerate(kept)}
    kept_codes = np.array([place.get(text, -1) for text in clean])
    return pd.Categorical.from_codes(kept_codes[codes], categories=pd.Index(kept, dtype=object))
