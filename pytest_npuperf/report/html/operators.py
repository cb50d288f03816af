"""Where the time of a lane goes: its op types by core, and its longest ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.model import CaseResult, LaneMeasurement, LongOp
from pytest_npuperf.report.html.tables import ROWS, Cell, Head, Table, count_cell, time_cell
from pytest_npuperf.report.words import has_lanes
from pytest_npuperf.text import many
from pytest_npuperf.units import Dimension, show

NO_TYPE = "(no type)"

_TYPE_HEADS = (
    Head("op type", is_name=True),
    Head("time", is_number=True),
    Head("share", is_number=True),
    Head("calls", is_number=True),
    Head("mean", is_number=True),
    Head("core"),
)
_LONGEST_HEADS = (
    Head("op", is_name=True),
    Head("longest run", is_number=True),
    Head("op type"),
    Head("core"),
)


@dataclass(frozen=True)
class Work:
    """All ops of one type on one core: the means of calls and time in ns over the rounds."""

    type: str
    core: str
    count: Fraction
    total: Fraction

    @property
    def is_kernel(self) -> bool:
        """Return whether it counts to kernel_time."""
        return self.core not in COMMUNICATION


def work_of(rounds: Sequence[LaneMeasurement]) -> list[Work]:
    """Return what was done in a round on the mean, most time first; shapes are added up."""
    counts: Counter[tuple[str, str]] = Counter()
    totals: Counter[tuple[str, str]] = Counter()
    for row in (row for each in rounds for row in each.ops):
        key = (row.type or NO_TYPE, row.core)
        counts[key] += row.count
        totals[key] += row.total
    order = sorted(totals, key=lambda key: (-totals[key], key))
    several = len(rounds)
    return [
        Work(*key, Fraction(counts[key], several), Fraction(totals[key], several)) for key in order
    ]


def types_table(work: Sequence[Work], of: str) -> Table:
    """Return the op types with their time; ``of`` says what they were measured in."""
    kernels = sum(each.total for each in work if each.is_kernel)
    rows = [_of_work(each, kernels) for each in work[:ROWS]]
    rest = ""
    if left := work[ROWS:]:
        together = show(sum(each.total for each in left), Dimension.TIME)
        rest = f"and {len(left)} more of {together} together"
    return Table("types", f"Op types by time{of}", _TYPE_HEADS, rows, rest)


def _of_work(work: Work, kernels: Fraction | int) -> list[Cell]:
    return [
        Cell(work.type),
        time_cell(work.total),
        _share(work, kernels),
        count_cell(work.count),
        time_cell(work.total / work.count),
        Cell(work.core),
    ]


def _share(work: Work, kernels: Fraction | int) -> Cell:
    """Return the share of kernel_time, of which communication is no part."""
    if not (work.is_kernel and kernels):
        return Cell("-")
    share = Fraction(work.total) / kernels
    return Cell(show(share, Dimension.SHARE), float(share))


# --- the longest ops --------------------------------------------------------------------------


def longest_table(case: CaseResult) -> Table | None:
    """Return the longest ops, each at its longest in any round; None where none are known."""
    worst = _worst(case)
    if not worst:
        return None
    order = sorted(worst, key=lambda key: (-worst[key].duration, key))[:ROWS]
    several = has_lanes(case)
    heads = [*_LONGEST_HEADS, Head("lane")] if several else _LONGEST_HEADS
    rows = [_of_op(worst[key], key[0] if several else None) for key in order]
    listed = many(len(rows), "op") if len(rows) > 1 else "op"
    return Table("longest", f"The longest {listed}", heads, rows)


def _worst(case: CaseResult) -> Mapping[tuple[str, str, str, str], LongOp]:
    """Return the longest run of each op by lane, name, type and core."""
    worst: dict[tuple[str, str, str, str], LongOp] = {}
    lanes = ((key, lane) for each in case.rounds for key, lane in each.lanes.items())
    for key, op in ((key, op) for key, lane in lanes for op in lane.longest):
        same = (key, op.name, op.type, op.core)
        if same not in worst or op.duration > worst[same].duration:
            worst[same] = op
    return worst


def _of_op(op: LongOp, lane: str | None) -> list[Cell]:
    cells = [
        Cell(op.name or "(no name)"),
        time_cell(op.duration),
        Cell(op.type or NO_TYPE),
        Cell(op.core),
    ]
    return cells if lane is None else [*cells, Cell(lane)]
