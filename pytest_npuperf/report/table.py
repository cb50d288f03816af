"""A table of text that fits the width of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_npuperf.text import clipped, columns, padded

GAP = "  "


@dataclass(frozen=True)
class Column:
    """A heading and how the column behaves where there is little room."""

    heading: str
    right: bool = False
    drop: int = 0
    """Columns with the highest number go first; those with 0 stay."""
    least: int = 0
    """How narrow its text may be cut; 0: it is never cut."""


Row = Sequence[str]


def lay_out(heads: Sequence[Column], rows: Sequence[Row], width: int) -> list[str]:
    """Return the heading and a line for each row, none wider than ``width`` where that can be."""
    widths = fit(heads, rows, width)
    titles = [head.heading for head in heads]
    return [_line(heads, row, widths) for row in (titles, *rows)]


def fit(heads: Sequence[Column], rows: Sequence[Row], width: int) -> dict[int, int]:
    """Return how wide each column is that is shown, by its number.

    Columns without any text are left out. What does not fit is dropped, column by column, and
    then cut, the widest text first.
    """
    kept = [index for index in range(len(heads)) if any(row[index] for row in rows)]
    widths = {index: _widest(heads[index], rows, index) for index in kept}
    _drop(heads, widths, width)
    _cut(heads, widths, width)
    return widths


def _widest(head: Column, rows: Sequence[Row], index: int) -> int:
    return max(columns(head.heading), *(columns(row[index]) for row in rows))


def _excess(widths: dict[int, int], width: int) -> int:
    return sum(widths.values()) + len(GAP) * (len(widths) - 1) - width


def _drop(heads: Sequence[Column], widths: dict[int, int], width: int) -> None:
    droppable = sorted((i for i in widths if heads[i].drop), key=lambda i: -heads[i].drop)
    for index in droppable:
        # A column is worth more than the tail of a long name.
        if _excess(widths, width) <= _slack(heads, widths):
            return
        del widths[index]


def _slack(heads: Sequence[Column], widths: dict[int, int]) -> int:
    return sum(max(widths[i] - heads[i].least, 0) for i in widths if heads[i].least)


def _cut(heads: Sequence[Column], widths: dict[int, int], width: int) -> None:
    while _excess(widths, width) > 0:
        soft = [i for i in widths if heads[i].least and widths[i] > heads[i].least]
        if not soft:
            return
        widths[max(soft, key=lambda i: widths[i])] -= 1


def _line(heads: Sequence[Column], row: Row, widths: dict[int, int]) -> str:
    return GAP.join(_cell(heads[index], row[index], widths[index]) for index in widths).rstrip()


def _cell(head: Column, text: str, width: int) -> str:
    return padded(clipped(text, width), width, head.right)
