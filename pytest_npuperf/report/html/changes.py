"""What a change of a time is made of: the parts as a waterfall, and all of them in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.model import CaseResult, Cause, CauseKind
from pytest_npuperf.report.causes import signed
from pytest_npuperf.report.html.operators import NO_TYPE
from pytest_npuperf.report.html.tables import ROWS, Cell, Head, Table, time_cell
from pytest_npuperf.report.words import has_lanes

_BARS = 10
"""How many parts have a bar of their own; the rest are one more."""

_HEADS = (
    Head("change", is_number=True),
    Head("what"),
    Head("op type", is_name=True),
    Head("core"),
    Head("calls before", is_number=True),
    Head("now", is_number=True),
    Head("time before", is_number=True),
    Head("now", is_number=True),
    Head("shapes"),
)


@dataclass(frozen=True)
class Part:
    """One bar of the waterfall: a text, and what it adds in ns."""

    text: str
    delta: int


@dataclass(frozen=True)
class Change:
    """A time that has changed on one lane, and what it is made of."""

    title: str
    causes: Sequence[Cause]
    """What makes it worse first; of a time that is better the largest part either way."""

    @property
    def total(self) -> int:
        """Return the whole change, ns."""
        return sum(cause.delta for cause in self.causes)

    @property
    def parts(self) -> list[Part]:
        """Return the bars; they sum to the change exactly."""
        shown = self.causes[:_BARS]
        parts = [Part(_named(cause), cause.delta) for cause in shown]
        if rest := self.causes[_BARS:]:
            parts.append(Part(f"{len(rest)} more", sum(cause.delta for cause in rest)))
        return parts

    def __str__(self) -> str:
        told = ", ".join(f"{part.text} {signed(part.delta)}" for part in self.parts)
        return f"{self.title} changed by {signed(self.total)}: {told}"


def changes_of(case: CaseResult) -> Iterator[Change]:
    """Yield for each lane that has changed its kernels, and then its collectives."""
    several = has_lanes(case)
    for lane, causes in case.causes.items():
        place = f" on lane {lane}" if several else ""
        kernels = [cause for cause in causes if cause.core not in COMMUNICATION]
        collectives = [cause for cause in causes if cause.core in COMMUNICATION]
        if kernels:
            yield _change(f"kernel_time{place}", kernels)
        if collectives:
            yield _change(f"communication{place}", collectives)


def _change(title: str, causes: Sequence[Cause]) -> Change:
    is_worse = sum(cause.delta for cause in causes) >= 0
    ordered = causes if is_worse else sorted(causes, key=lambda cause: -abs(cause.delta))
    return Change(title, ordered)


def _named(cause: Cause) -> str:
    name = cause.type or NO_TYPE
    return f"{name} to {cause.core}" if cause.kind is CauseKind.MOVED else f"{name} {cause.kind}"


def causes_table(change: Change) -> Table:
    """Return all parts of a change, or the first of them and what the rest adds."""
    rows = [_row(cause) for cause in change.causes[:ROWS]]
    rest = ""
    if left := change.causes[ROWS:]:
        rest = f"and {len(left)} more, which add {signed(sum(cause.delta for cause in left))}"
    caption = f"{change.title} changed by {signed(change.total)}, of it"
    return Table("causes", caption, _HEADS, rows, rest)


def _row(cause: Cause) -> list[Cell]:
    return [
        Cell(signed(cause.delta), cause.delta),
        Cell(str(cause.kind)),
        Cell(cause.type or NO_TYPE),
        Cell(cause.core, beneath=f"from {cause.from_core}" if cause.from_core else ""),
        Cell(str(cause.before_count), cause.before_count),
        Cell(str(cause.count), cause.count),
        time_cell(cause.before_total),
        time_cell(cause.total),
        Cell(cause.shapes),
    ]
