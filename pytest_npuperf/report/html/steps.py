"""The single steps of a lane in order, and the lines that they are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from pytest_npuperf.model import BoundKind, CaseResult, Judged, LaneMeasurement
from pytest_npuperf.percentiles import median
from pytest_npuperf.report.html.tables import Cell, Head, Table, count_cell, time_cell
from pytest_npuperf.text import many
from pytest_npuperf.units import Dimension, show

_METRIC = "step_time"
_SIGNS: dict[BoundKind, str] = {"at_most": "≤", "at_least": "≥", "equal": "="}

_HEADS = (
    Head("round", is_name=True),
    Head("steps", is_number=True),
    Head("shortest", is_number=True),
    Head("median", is_number=True),
    Head("longest", is_number=True),
)


@dataclass(frozen=True)
class Line:
    """A level, ns: a limit, or what a statistic was before."""

    text: str
    value: Fraction
    is_limit: bool


@dataclass(frozen=True)
class Steps:
    """The steps of each round in ns, none empty, and the lines."""

    rounds: Sequence[Sequence[int]]
    lines: Sequence[Line]

    @property
    def all(self) -> list[int]:
        """Return the steps of all rounds, one after the other."""
        return [step for each in self.rounds for step in each]

    @property
    def starts(self) -> list[int]:
        """Return at which step each round but the first begins."""
        return list(accumulate(map(len, self.rounds)))[:-1]

    def __str__(self) -> str:
        steps = self.all
        low, middle, high = (_time(each) for each in (min(steps), median(steps), max(steps)))
        rounds = f" in {many(len(self.rounds), 'round')}" if len(self.rounds) > 1 else ""
        told = f"{many(len(steps), 'step')}{rounds}, {low} to {high}, median {middle}"
        return "; ".join([told, *(line.text for line in self.lines)])


def steps_of(case: CaseResult, lane: str, rounds: Sequence[LaneMeasurement]) -> Steps | None:
    """Return the steps on a lane; None where no limit has asked for them, or there are none."""
    found = [steps for each in rounds if (steps := _steps(each))]
    if not found:
        return None
    judged = [each for each in case.limits if each.limit.wanted.metric == _METRIC]
    lines = [line for each in judged for line in _lines(each, lane)]
    return Steps(found, lines)


def _steps(lane: LaneMeasurement) -> tuple[int, ...]:
    # All statistics are of the same steps.
    asked = (value.data for wanted, value in lane.values.items() if wanted.metric == _METRIC)
    return next(filter(None, asked), ())


def _lines(judged: Judged, lane: str) -> list[Line]:
    if judged.limit.dimension is not Dimension.TIME or judged.limit.wanted.statistic == "count":
        return []
    name = judged.limit.wanted.statistic
    lines = [
        Line(f"{name} {_SIGNS[bound.kind]} {_time(bound.value)}", bound.value, is_limit=True)
        for bound in judged.limit.bounds
    ]
    # What it was before is known of the lane that decides.
    if judged.comparison and judged.lane == lane:
        before = judged.comparison.baseline
        lines.append(Line(f"{name} was {_time(before)}", before, is_limit=False))
    return lines


def steps_table(steps: Steps, of: str) -> Table:
    """Return a row for each round."""
    rows = [
        [
            Cell(str(number), number),
            count_cell(len(each)),
            time_cell(min(each)),
            time_cell(median(each)),
            time_cell(max(each)),
        ]
        for number, each in enumerate(steps.rounds, 1)
    ]
    return Table("steps", f"Step times by round{of}", _HEADS, rows)


def _time(ns: Fraction | int) -> str:
    return show(Fraction(ns), Dimension.TIME)
