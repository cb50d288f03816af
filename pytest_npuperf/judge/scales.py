"""Refuse an accuracy of 71.84 beside one of 0.71: one counts to 100, the other to 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pytest_npuperf.model import PERCENT, Limit
from pytest_npuperf.units import show


def off_scale(limit: Limit, value: Fraction) -> str:
    """Say why a number cannot be the share that its limit is about; empty where it can."""
    if not _is_share(limit):
        return ""
    whole = _whole(limit)
    if not 0 <= value <= whole:
        how = '; report it with the unit "%"' if 1 < value <= 100 else ""
        return f"{_shown(limit, value)} is no share from 0 to {whole}{how}"
    low = [bound.value for bound in limit.bounds if 0 < bound.value <= 1]
    if limit.unit == PERCENT and limit.better == "higher" and low:
        written = f"{float(low[0]):g}"
        return (
            f"{_shown(limit, value)} counts to 100, and the limit {written} to 1; "
            f"write {float(low[0] * 100):g}"
        )
    return ""


def other_scale(limit: Limit, now: Sequence[float], known: Iterable[Sequence[float]]) -> str:
    """Say that two sides count to different numbers; empty where they do not."""
    if not _is_share(limit):
        return ""
    before = [number for numbers in known for number in numbers]
    if limit.better == "higher" and max(before) <= 0:
        return "it is 0 on the other side, and nothing can be worse; report the right number"
    apart = limit.better == "higher" and min(now) > 1 and 0 < min(before) <= 1
    if max(before) <= _whole(limit) and not apart:
        return ""
    return f"{now[0]:g} and {before[0]:g} are not on one scale; report both as shares, or both in %"


def _is_share(limit: Limit) -> bool:
    name = limit.wanted.own_name
    if name is None:
        return False
    # A difference that is better when lower, such as a loss, may be any number.
    in_points = limit.max_regression is not None and limit.max_regression.in_points
    is_rate = in_points and limit.better == "higher"
    return is_rate or "accuracy" in name.lower() or limit.unit == PERCENT


def _whole(limit: Limit) -> int:
    return 100 if limit.unit == PERCENT else 1


def _shown(limit: Limit, value: Fraction) -> str:
    return show(value, limit.dimension, limit.unit)
