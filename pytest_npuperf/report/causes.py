"""Where a changed time comes from, as a table: the largest parts, and what the rest adds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.model import CaseResult, Cause
from pytest_npuperf.report.table import Column, Row, lay_out
from pytest_npuperf.report.words import has_lanes
from pytest_npuperf.text import printable
from pytest_npuperf.units import Dimension, show

_SHOWN = 5
"""How many parts are told one by one."""

_HEADS = (
    Column("change", right=True),
    Column("what"),
    Column("op type", least=18),
    Column("core", least=14),
    Column("from", drop=1),
    Column("calls", right=True, drop=3),
    Column("time", right=True, drop=2),
    Column("shapes", drop=4, least=12),
)


def causes(case: CaseResult, width: int) -> list[str]:
    """Return the tables of a case: for each lane on which a time has changed, its kernels, whose
    parts sum to the change of kernel_time, and then its collectives.
    """
    several = has_lanes(case)
    lines = []
    for lane, found in case.causes.items():
        place = f" on lane {printable(lane)}" if several else ""
        kernels = [cause for cause in found if cause.core not in COMMUNICATION]
        collectives = [cause for cause in found if cause.core in COMMUNICATION]
        lines += _table(f"kernel_time{place}", kernels, width)
        lines += _table(f"communication{place}", collectives, width)
    return lines


def _table(name: str, found: Sequence[Cause], width: int) -> list[str]:
    if not found:
        return []
    change = sum(cause.delta for cause in found)
    # What makes it worse is told first, but of a time that is better the largest part either way.
    ordered = found if change >= 0 else sorted(found, key=lambda cause: -abs(cause.delta))
    rows = [_row(cause) for cause in ordered[:_SHOWN]]
    if rest := ordered[_SHOWN:]:
        together = sum(cause.delta for cause in rest)
        rows.append((signed(together), f"{len(rest)} more", *[""] * (len(_HEADS) - 2)))
    head = f"{name} changed by {signed(change)}, of it:"
    return [head, *(f"  {line}" for line in lay_out(_HEADS, rows, width - 2))]


def _row(cause: Cause) -> Row:
    return (
        signed(cause.delta),
        str(cause.kind),
        printable(cause.type) or "(no type)",
        printable(cause.core),
        printable(cause.from_core),
        _from_to(str(cause.before_count), str(cause.count)),
        _from_to(show(cause.before_total, Dimension.TIME), show(cause.total, Dimension.TIME)),
        printable(cause.shapes),
    )


def _from_to(before: str, now: str) -> str:
    return now if before == now else f"{before} -> {now}"


def signed(ns: int) -> str:
    """Return a change of a time with its sign: ``+1.32 ms``."""
    sign = "-" if ns < 0 else "+" if ns else ""
    return sign + show(Fraction(abs(ns)), Dimension.TIME)
