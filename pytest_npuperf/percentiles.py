"""Order statistics as exact fractions, the same for one round and for several."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def percentile(ordered: Sequence[int | Fraction], percent: int) -> Fraction:
    """Return a percentile of values in ascending order, at least one of them.

    Between two order statistics it interpolates linearly, as numpy and pandas do by default.
    """
    rank = Fraction((len(ordered) - 1) * percent, 100)
    below = int(rank)
    low = Fraction(ordered[below])
    if rank == below:
        return low
    return low + (ordered[below + 1] - low) * (rank - below)


def median(values: Sequence[int | Fraction]) -> Fraction:
    """Return the middle value, or the mean of the two middle ones, of at least one value."""
    return percentile(sorted(values), 50)


def statistic(values: Sequence[int], name: str) -> Fraction:
    """Return a statistic of a distribution by its name in the catalogue: ``p95``, ``mean`` ...

    ``values`` holds at least one number, in any order.
    """
    match name:
        case "count":
            return Fraction(len(values))
        case "mean":
            return Fraction(sum(values), len(values))
        case "min":
            return Fraction(min(values))
        case "max":
            return Fraction(max(values))
        case _:
            return percentile(sorted(values), percent_of(name))


def percent_of(name: str) -> int:
    """Return 95 for ``p95``."""
    return int(name.removeprefix("p"))


def is_percentile(name: str | None) -> bool:
    """Return whether a statistic is a percentile: ``p50``, ``p95`` ..."""
    return name is not None and name.startswith("p") and name[1:].isdigit()
