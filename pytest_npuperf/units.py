"""Quantities with units: read them exactly from TOML, show them to people.

Inside, a time is in nanoseconds, a size in bytes, a share a fraction of one and a count a whole
number; every limit is an exact :class:`~fractions.Fraction`.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction

TIMES = {
    "ns": Fraction(1),
    "us": Fraction(10**3),
    "µs": Fraction(10**3),  # the micro sign; the Greek letter below looks the same
    "μs": Fraction(10**3),
    "ms": Fraction(10**6),
    "s": Fraction(10**9),
    "min": Fraction(60 * 10**9),
    "h": Fraction(3600 * 10**9),
}
SIZES = {
    "B": Fraction(1),
    "KiB": Fraction(2**10),
    "MiB": Fraction(2**20),
    "GiB": Fraction(2**30),
}
SHARES = {"%": Fraction(1, 100), "points": Fraction(1, 100), "point": Fraction(1, 100)}

_QUANTITY = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([A-Za-zµμ%]+)")


class Dimension(Enum):
    """What kind of number a metric is; the value is its unit in result files."""

    TIME = "ns"
    SIZE = "B"
    SHARE = "share"
    COUNT = "count"
    NUMBER = "number"

    @property
    def is_exact(self) -> bool:
        """Return whether it does not vary with the load of a machine: a difference is one."""
        return self in (Dimension.COUNT, Dimension.SIZE)


# What to call a quantity in a message, and two ways to write one.
WORDS = {
    Dimension.TIME: ("a duration", '"1.7 ms" or "1700 us"'),
    Dimension.SIZE: ("a size", '"512 MiB" or "2 GiB"'),
    Dimension.SHARE: ("a share", '"5 %"'),
    Dimension.COUNT: ("a count", "a whole number such as 140"),
    Dimension.NUMBER: ("a number", "a number such as 0.85"),
}


def parse(text: object, dimension: Dimension) -> Fraction:
    """Return the quantity that TOML says, exactly, in the unit of its dimension.

    Raises ValueError with the reason and two right ways to write it.
    """
    units = _units(dimension)
    if units is None:
        return _bare(text, dimension)
    match = _QUANTITY.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[2] not in units:
        raise ValueError(_refusal(text, dimension))
    return Fraction(match[1]) * units[match[2]]


def _units(dimension: Dimension) -> dict[str, Fraction] | None:
    return {
        Dimension.TIME: TIMES,
        Dimension.SIZE: SIZES,
        Dimension.SHARE: SHARES,
    }.get(dimension)


def _bare(text: object, dimension: Dimension) -> Fraction:
    whole = isinstance(text, int) and not isinstance(text, bool)
    if whole or (dimension is Dimension.NUMBER and isinstance(text, float) and math.isfinite(text)):
        # Through text, so that 0.85 means 85/100 and not the nearest binary number.
        return Fraction(str(text))
    raise ValueError(_refusal(text, dimension))


def _refusal(found: object, dimension: Dimension) -> str:
    name, examples = WORDS[dimension]
    return f"{show_found(found)} is not {name}; write {suggest(found, dimension) or examples}"


def show_found(found: object) -> str:
    """Return a TOML value as its author wrote it, near enough to be recognised."""
    return json.dumps(found, ensure_ascii=False, default=str)


def suggest(found: object, dimension: Dimension) -> str | None:
    """Return the same quantity in a form that is accepted, when the mistake is a decimal comma."""
    if not isinstance(found, str) or found.count(",") != 1:
        return None
    mended = found.replace(",", ".")
    try:
        value = parse(mended, dimension)
    except ValueError:
        return None
    if dimension is Dimension.TIME and value % 1000 == 0:
        return f'"{mended}" or "{value // 1000} us"'
    return f'"{mended}"'


_STEPS = {
    Dimension.TIME: (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1)),
    Dimension.SIZE: (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1)),
}


def show(value: Fraction | int, dimension: Dimension, unit: str = "") -> str:
    """Return a value for people: three significant digits and a unit that suits its size."""
    return show_apart((value,), dimension, unit)[0]


def show_apart(
    values: Sequence[Fraction | int], dimension: Dimension, unit: str = ""
) -> tuple[str, ...]:
    """Return several values in one unit, with as many digits as tell unequal ones apart.

    Values that are worlds apart get each its own unit, since nobody reads 0.00000100 ms; and so
    does 0, which somebody wrote as "0 ns".
    ``unit`` is the name that a custom number carries; the other dimensions know theirs.
    """
    sizes = [abs(Fraction(value)) for value in values]
    most, least = max(sizes), min(sizes)
    if dimension in _STEPS and len(values) > 1 and _is_worlds_apart(most, least):
        return tuple(show(value, dimension, unit) for value in values)
    name, times, parts = _scale(most, dimension)
    label = f" {name or unit}".rstrip()
    if dimension is Dimension.COUNT and all(value.denominator == 1 for value in values):
        return tuple(f"{int(value)}{label}" for value in values)

    def written(value: Fraction | int, more: int) -> str:
        return _significant(value.numerator * times, value.denominator * parts, 3 + more)

    return tuple(f"{text}{label}" for text in _told_apart(values, written))


def _is_worlds_apart(most: Fraction | int, least: Fraction | int) -> bool:
    return most.numerator * least.denominator >= 1000 * least.numerator * most.denominator


def _told_apart(
    values: Sequence[Fraction | int], written: Callable[[Fraction | int, int], str]
) -> tuple[str, ...]:
    """Return values as ``written``, with as many digits more as tell unequal ones apart."""
    more = 0
    while True:
        texts = tuple(written(value, more) for value in values)
        # Nearly always so at once; to tell which values are equal takes longer.
        if len({*texts}) == len(values) or len({*texts}) == len({*values}):
            return texts
        more += 1


def exact(value: Fraction, dimension: Dimension) -> str:
    """Return a value of finitely many decimals, unrounded, in a form that :func:`parse` reads."""
    name, times, parts = _scale(abs(value), dimension)
    scaled = value * times / parts
    places = next(n for n in itertools.count() if (scaled * 10**n).denominator == 1)
    return f"{_decimal(scaled.numerator, scaled.denominator, places)} {name}".rstrip()


def show_change(value: Fraction, base: Fraction) -> str:
    """Return how far a value is from its base, ``+0.6 %``; a change is never shown as none.

    From eleven times the base on it is a factor, ``x 5000``. Empty where the base is zero, of
    which nothing is a share.
    """
    return _change(value, base, 0) if base else ""


def show_changes(changes: Sequence[Fraction]) -> tuple[str, ...]:
    """Return relative changes, 0.006 as ``+0.6 %``, with digits that tell unequal ones apart."""
    return _told_apart(changes, lambda change, more: _change(1 + change, 1, more))


def show_points(points: Sequence[Fraction]) -> tuple[str, ...]:
    """Return differences, 2 as ``+2 points``, with digits that tell unequal ones apart."""
    return _told_apart(points, _points)


def _change(value: Fraction | int, base: Fraction | int, more: int) -> str:
    """Return a change with some digits more than one; whole numbers, as they are quick."""
    change = value.numerator * base.denominator - base.numerator * value.denominator
    whole = abs(base.numerator) * value.denominator
    if base > 0 and change >= 10 * whole:
        return f"x {_decimal(change + whole, whole, more)}"
    if not change:
        return "0 %"
    percent = 100 * abs(change)
    if 20 * percent <= whole:
        shown = _significant(percent, whole, 1 + more)
    else:
        shown = _decimal(percent, whole, (percent < 100 * whole) + more)
    return f"{'-' if change < 0 else '+'}{shown} %"


def _points(points: Fraction | int, more: int) -> str:
    digits = _significant(abs(points.numerator), points.denominator, 4 + more)
    shown = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return f"{'-' if points < 0 else '+'}{shown} point{'s' * (abs(points) != 1)}"


def _scale(size: Fraction | int, dimension: Dimension) -> tuple[str, int, int]:
    """Return a unit, and what a value of such a size is multiplied with and divided by."""
    if dimension is Dimension.SHARE:
        return "%", 100, 1
    steps = _STEPS.get(dimension)
    if steps is None:
        return "", 1, 1
    whole = size.numerator // size.denominator  # as fractions are slow to compare
    return next(((name, 1, scale) for name, scale in steps if whole >= scale), (steps[-1][0], 1, 1))


def _significant(numerator: int, denominator: int, digits: int) -> str:
    """Return a number rounded to so many significant digits, never in scientific notation."""
    if not numerator:
        return "0"
    places = max(digits - _whole_digits(abs(numerator), denominator), 0)
    number = _nearest(numerator * 10**places, denominator)
    # 9.996 becomes 10.0, not 10.00.
    if places and len(str(abs(number))) > digits:
        return _written(number // 10, places - 1)
    return _written(number, places)


def _nearest(numerator: int, denominator: int) -> int:
    """Return what ``round`` does, the even one of two: a report rounds ten thousand numbers."""
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1))


def _whole_digits(numerator: int, denominator: int) -> int:
    """Return the digits before the decimal point; 0.5 has none, 0.05 has one less than none."""
    if numerator >= denominator:
        return len(str(numerator // denominator))
    return 1 - len(str((denominator - 1) // numerator))


def _decimal(numerator: int, denominator: int, places: int) -> str:
    """Return a number with so many decimal places; through integers, so without a limit."""
    return _written(_nearest(numerator * 10**places, denominator), places)


def _written(number: int, places: int) -> str:
    """Return ``1.70`` for 170 of two decimal places."""
    digits = str(abs(number)).rjust(places + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
