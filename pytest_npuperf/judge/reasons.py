"""The one line that says why a limit has its verdict."""

from __future__ import annotations

from fractions import Fraction

from pytest_npuperf.model import Bound, Comparison, Limit
from pytest_npuperf.text import named, printable
from pytest_npuperf.units import Dimension, show, show_apart, show_change


def compared(limit: Limit, bound: Bound | None, value: Fraction) -> str:
    """Say a value beside the bound that decides: ``busy_time 1.71 ms, limit 1.70 ms (+0.6 %)``."""
    title = named(limit.wanted.title())
    if bound is None:
        return f"{title} {show(value, limit.dimension, limit.unit)}"
    measured, wanted = show_apart((value, bound.value), limit.dimension, limit.unit)
    if bound.kind == "equal":
        return f"{title} {measured}, exactly {wanted} wanted"
    change = show_change(value, bound.value)
    beside = f" ({change})" if change else ""
    if bound.kind == "at_least":
        return f"{title} {measured}, at least {wanted} wanted{beside}"
    return f"{title} {measured}, limit {wanted}{beside}"


def changed(limit: Limit, comparison: Comparison | None, value: Fraction) -> str:
    """Say a value beside what it was: ``busy_time 1.90 ms, +8.6 % from 1.75 ms, 5 % allowed``."""
    title = named(limit.wanted.title())
    if comparison is None or limit.max_regression is None:
        return f"{title} {show(value, limit.dimension, limit.unit)}"
    now, before = show_apart((value, comparison.baseline), limit.dimension, limit.unit)
    change, allowed, in_force = comparison.show_beside(limit)
    parts = [
        f"{title} {now}, {change} from {before} ({comparison.source})",
        f"{allowed.lstrip('+-')} allowed",
        in_force,
        comparison.show_bounds(limit),
    ]
    return ", ".join(filter(None, parts))


def worst_lane(lane: str, lanes: int) -> str:
    """Name the lane that decides, where there are several."""
    return f" on lane {lane} (rank/device, worst of {lanes})" if lanes > 1 else ""


def some_lane(lane: str, lanes: int) -> str:
    """Name the lane that lacks a number, where there are several."""
    return f" on lane {lane}" if lanes > 1 else ""


def partial(coverage: Fraction) -> str:
    """Say what share of the rows had a value, where some had none."""
    if coverage == 1:
        return ""
    return f"{show_apart((coverage, 1), Dimension.SHARE)[0]} of the rows have it"


def joined(*remarks: str) -> str:
    """Join what is to be said beside the numbers; empty remarks are left out."""
    return printable("; ".join(remark for remark in remarks if remark))


def sentence(numbers: str, remark: str, why: str) -> str:
    """Return the whole line, safe to print, the author's own reason last."""
    beside = f"; {remark}" if remark else ""
    author = f": {why}" if why else ""
    return printable(f"{numbers}{beside}{author}")
