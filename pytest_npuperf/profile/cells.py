"""Cells of a table to numbers, exactly: a time of 19 digits does not fit a double.

Absent (``N/A``, ``NA``, empty, an underflow, a time that a spreadsheet rounded) is never zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

ABSENT = ("N/A", "NA", "")
"""How the vendor's tools write that there is no value."""

NO_ID = ("4294967295", "4.29E+09")
"""The largest 32-bit number stands for "no id"; the second form is what spreadsheets make of it."""

IDS = re.compile(r"[0-9]{1,10}")
DEVICES = re.compile(r"[0-9]{1,4}|host|-1")

UNDERFLOW_US = 1.8e16
"""A duration from here on is an unsigned subtraction that went below zero."""

LONGEST_US = 9e12
"""Beyond it (104 days) a double no longer tells nanoseconds apart."""

_START = re.compile(r"([0-9]{1,19})(?:\.([0-9]*))?")
_SCIENTIFIC = re.compile(r"[0-9]+(?:\.[0-9]*)?[eE]\+?[0-9]+")

# The form of every current file, "1784177503947983.147": digits, a point, three digits.
_WHOLE, _DECIMALS = 16, 3
_WEIGHTS = 10 ** np.arange(_WHOLE + _DECIMALS - 1, -1, -1, dtype=np.int64)


class BadCell(Exception):
    """A cell holds something that its column cannot; ``row`` counts from 0."""

    def __init__(self, row: int, text: str, wanted: str) -> None:
        super().__init__(text)
        self.row, self.text, self.wanted = row, text, wanted


def starts_to_ns(
    texts: Sequence[str], ns_per_unit: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return start times as int64 ns, and a mask of those that are absent.

    ``ns_per_unit`` is 1000 for a column of microseconds, 1 for one of nanoseconds.
    Raises BadCell.
    """
    if ns_per_unit == 1000:
        fast = _current_form(texts)
        if fast is not None:
            return fast, np.zeros(len(fast), dtype=np.bool_)
    values = [_start_ns(text, row, ns_per_unit) for row, text in enumerate(texts)]
    absent = np.array([value is None for value in values], dtype=np.bool_)
    return np.array([value or 0 for value in values], dtype=np.int64), absent


def _current_form(texts: Sequence[str]) -> npt.NDArray[np.int64] | None:
    """Return all times at once when every cell is written as current msprof writes it."""
    try:
        raw = np.asarray(texts).astype("S")
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
    # Until November 2023 such cells were kept from spreadsheets by quotes, since then by a TAB.
    bare = text.strip().strip('"').strip()
    if bare in ABSENT or _SCIENTIFIC.fullmatch(bare):
        return None
    match = _START.fullmatch(bare)
    if match is None:
        raise BadCell(row, text, "a time")
    value = _scaled(match[1], match[2] or "", ns_per_unit)
    if value >= UNDERFLOW_US * 1000:
        return None
    if value >= 2**63:
        raise BadCell(row, text, "a time")
    return value


def _scaled(whole: str, decimals: str, ns_per_unit: int) -> int:
    """Return a decimal number times a power of ten, rounded half up to a whole number."""
    places = len(str(ns_per_unit)) - 1
    value = int(whole + decimals[:places].ljust(places, "0"))
    return value + (decimals[places : places + 1] >= "5")


def us_to_ns(duration_us: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return durations in whole ns; exact for the three decimals of msprof below 104 days."""
    return np.rint(duration_us * 1000.0).astype(np.int64)
