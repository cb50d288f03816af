"""Tables as data: what the template needs to know of each cell, and nothing of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from pytest_npuperf.units import Dimension, show

ROWS = 50
"""How many rows a table of a case has; what is left is one more."""


@dataclass(frozen=True)
class Head:
    """A heading, and what its column holds."""

    text: str
    is_number: bool = False
    is_name: bool = False
    """Whether its cells name their rows."""


class Cell(NamedTuple):
    """A text, and what it is sorted by where that is not the text."""

    text: str
    key: float | None = None
    beneath: str = ""
    """What is said below the text, smaller."""
    kind: str = ""
    """A class of the style sheet: ``failed``, ``differs`` ..."""
    link: str = ""
    """The id of an element of the page."""


@dataclass(frozen=True)
class Table:
    """Headings and rows of as many cells, read once; ``rest`` says what is left out."""

    name: str
    """A class of the style sheet: ``limits``, ``types`` ..."""
    caption: str
    heads: Sequence[Head]
    rows: Iterable[Sequence[Cell]]
    rest: str = ""

    @property
    def lines(self) -> Iterator[Iterator[tuple[object, ...]]]:
        """Yield the cells of each row, each with whether it names the row, or is a number.

        As tuples, since a template takes ten times as long for what has a name.
        """
        columns = [(head.is_name, head.is_number) for head in self.heads]
        for row in self.rows:
            pairs = zip(columns, row, strict=True)
            yield ((*column, _sorts_as(cell.key), *cell) for column, cell in pairs)


def _sorts_as(key: float | None) -> str:
    """Return a key as JavaScript reads it; empty where there is none."""
    return "" if key is None else f"{key:.9g}".replace("inf", "Infinity")


def time_cell(ns: Fraction | int) -> Cell:
    """Return a time that sorts by its length."""
    return Cell(show(Fraction(ns), Dimension.TIME), key=float(ns))


def count_cell(count: Fraction | int) -> Cell:
    """Return a number of calls, which over several rounds need not be whole."""
    return Cell(show(Fraction(count), Dimension.COUNT), key=float(count))
