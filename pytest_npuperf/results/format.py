"""The number of the format of our JSON files, its history, and how they write numbers.

Times are in nanoseconds, sizes in bytes, shares fractions of one, counts whole; a number that is
not whole is a float. What was not measured is null.
"""

from __future__ import annotations

from fractions import Fraction

# The history of the format, which results and baselines share. What reads a file knows every
# number up to its own.
#   1  (0.1.0) the first, final with that release.
FORMAT = 1

MOST = 10**19
"""A whole number beyond it, which is not in ns nor in bytes, is written as a decimal one."""

Number = int | float | None


def as_number(value: Fraction | None) -> Number:
    """Return a number as JSON has it."""
    if value is None:
        return None
    is_whole = value.denominator == 1 and abs(value) < MOST
    return value.numerator if is_whole else float(value)


def exact(number: int | float) -> Fraction:
    """Return the number that a file says."""
    # Through text, so that 0.8 means 8/10 and not the nearest binary number.
    return Fraction(str(number))


def exact_or_none(number: Number) -> Fraction | None:
    """Return the number that a file says, None where it is null."""
    return None if number is None else exact(number)
