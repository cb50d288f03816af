"""Cells of a table to numbers, exactly: a time of 19 digits does not fit a double.

Absent (``N/A``, ``NA``, empty, an underflow, a time that a spreadsheet rounded) is never zero.
"""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import numpy.typing as npt

ABSENT = ("N/A", "NA", "")
"""How the vendor's tools write that there is no value."""

NO_ID = ("4294967295", "4.29E+09", "-1")
"""No id: the largest 32-bit number, what spreadsheets make of it, and what torch_npu writes."""

LONGEST_US = 1e12
"""Far beyond it (11.5 days) a double no longer tells nanoseconds apart; no run is as long."""

SINCE_1970_NS = 10**18
"""Times above are those of a calendar, and in ns; others are since a boot, or ticks of a clock."""

_UNDERFLOW_US = (1.8e16, 1.9e16)
"""A number between these is an unsigned subtraction of ns that went below zero."""

_START = re.compile(r"([0-9]{1,19})(?:\.([0-9]*))?")
_SCIENTIFIC = re.compile(r"[0-9]+(?:\.[0-9]*)?[eE]\+?[0-9]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

# The form of every current file, "1784177503947983.147": digits, a point, three digits.
_WHOLE, _DECIMALS = 16, 3
_WEIGHTS = 10 ** np.arange(_WHOLE + _DECIMALS - 1, -1, -1, dtype=np.int64)

_ONE = Fraction(1)

Texts = npt.NDArray[np.object_]
Floats = npt.NDArray[np.float64]


class BadCellError(Exception):
    """A cell holds something that its column cannot; ``row`` counts from 0."""

    def __init__(self, row: int, text: str, wanted: str) -> None:
        super().__init__(text)
        self.row, self.text, self.wanted = row, text, wanted


def bare(text: str) -> str:
    """Return a cell without what keeps it from spreadsheets: a TAB, or quotes until 2023-11."""
    return text.strip().strip('"').strip()


# --- start times ------------------------------------------------------------------------------


def starts_to_ns(
    texts: Texts, ns_per_unit: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return start times as int64 ns, and a mask of those that are absent.

    ``ns_per_unit`` is 1000 for a column of microseconds, 1 for one of nanoseconds.
    Raises BadCellError.
    """
    if ns_per_unit == 1000:
        fast = _current_form(texts)
        if fast is not None:
            return fast, np.zeros(len(fast), dtype=np.bool_)
    values = [_start_ns(text, row, ns_per_unit) for row, text in enumerate(texts)]
    absent = np.array([value is None for value in values], dtype=np.bool_)
    return np.array([value or 0 for value in values], dtype=np.int64), absent


def _current_form(texts: Texts) -> npt.NDArray[np.int64] | None:
    """Return all times at once when every cell is written as current msprof writes it."""
    try:
        raw = texts.astype("S")
    except UnicodeEncodeError:
        return None
    width = raw.dtype.itemsize
    if width not in (_WHOLE + 1 + _DECIMALS, _WHOLE + 2 + _DECIMALS):
        return None
    cells = raw.view(np.uint8).reshape(len(raw), width)
    digits = np.delete(cells[:, : _WHOLE + 1 + _DECIMALS], _WHOLE, axis=1) - np.uint8(ord("0"))
    tail = cells[:, _WHOLE + 1 + _DECIMALS :]
    is_current = (
        bool((cells[:, _WHOLE] == ord(".")).all())
        and bool((digits <= 9).all())
        # msprof ends time cells with a TAB so that spreadsheets keep them as text.
        and bool(((tail == ord("\t")) | (tail == 0)).all())
        # 9.2e18 ns is the end of int64.
        and bool((digits[:, 0] < 9).all())
    )
    return digits @ _WEIGHTS if is_current else None


def _start_ns(text: str, row: int, ns_per_unit: int) -> int | None:
    clean = bare(text)
    if clean in ABSENT or _SCIENTIFIC.fullmatch(clean):
        return None
    match = _START.fullmatch(clean)
    if match is None:
        raise BadCellError(row, text, "a time")
    value = _scaled(match[1], match[2] or "", ns_per_unit)
    if _is_underflow(value / 1000):
        return None
    if value >= 2**63:
        raise BadCellError(row, text, "a time")
    return value


def _scaled(whole: str, decimals: str, ns_per_unit: int) -> int:
    """Return a decimal number times a power of ten, rounded half up to a whole number."""
    places = len(str(ns_per_unit)) - 1
    value = int(whole + decimals[:places].ljust(places, "0"))
    return value + (decimals[places : places + 1] >= "5")


def _is_underflow(number_us: float) -> bool:
    return _UNDERFLOW_US[0] <= number_us < _UNDERFLOW_US[1]


# --- other numbers ----------------------------------------------------------------------------


def us_to_ns(duration_us: Floats) -> npt.NDArray[np.int64]:
    """Return durations in whole ns; exact for the three decimals of msprof below 11.5 days."""
    return np.rint(duration_us * 1000.0).astype(np.int64)


def scaled(values: Floats, unit: Fraction) -> Floats:
    """Return numbers in another unit; one that is a whole part of it is divided, so exactly."""
    return values if unit == 1 else values * unit.numerator / unit.denominator


def durations(texts: Texts, unit: Fraction = _ONE) -> Floats:
    """Return durations, us; NaN is absent. ``unit`` is us per number. Raises BadCellError."""
    numbers, absent = _numbers(texts)
    values = scaled(numbers, unit)
    underflow = (values >= _UNDERFLOW_US[0]) & (values < _UNDERFLOW_US[1])
    values[underflow] = np.nan
    _refuse(texts, (values < 0) & ~absent, "a duration of 0 or more")
    _refuse(texts, values > LONGEST_US, "a duration below 11 days")
    return values


def counts(texts: Texts) -> Floats:
    """Return whole numbers; NaN is absent. Raises BadCellError."""
    values, _ = _numbers(texts)
    # Not the remainder of 1: numpy warns of that of inf.
    _refuse(texts, (values < 0) | (np.modf(values)[0] > 0) | (values > 2**53), "a count")
    return values


def numbers(texts: Texts, unit: Fraction = _ONE) -> Floats:
    """Return finite numbers in units of ``unit``; NaN is absent. Raises BadCellError."""
    values, _ = _numbers(texts)
    _refuse(texts, np.isinf(values), "a number")
    return scaled(values, unit)


def sizes(texts: Texts, unit: Fraction = _ONE) -> Floats:
    """Return sizes in units of ``unit``; NaN is absent, as which -1 counts. Raises BadCellError."""
    values, _ = _numbers(texts)
    values[values == -1] = np.nan
    _refuse(texts, (values < 0) | np.isinf(values), "a size of 0 or more")
    return scaled(values, unit)


def _numbers(texts: Texts) -> tuple[Floats, npt.NDArray[np.bool_]]:
    clean = [bare(text) for text in texts]
    absent = np.array([text in ABSENT for text in clean], dtype=np.bool_)
    _refuse(
        texts,
        np.array([not _NUMBER.fullmatch(text) for text in clean], dtype=np.bool_) & ~absent,
        "a number",
    )
    values = [np.nan if text in ABSENT else float(text) for text in clean]
    return np.array(values, dtype=np.float64), absent


def _refuse(texts: Texts, bad: npt.NDArray[np.bool_], wanted: str) -> None:
    if bad.any():
        row = int(bad.argmax())
        raise BadCellError(row, texts[row], wanted)
