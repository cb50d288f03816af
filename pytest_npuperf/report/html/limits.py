"""The table of verdicts: each limit with its number, the worst first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from pytest_npuperf.model import Bound, CaseResult, Judged, Verdict
from pytest_npuperf.report.html.tables import Cell, Head, Table
from pytest_npuperf.report.overview import beneath, entries
from pytest_npuperf.report.words import (
    change_cell,
    has_lanes,
    headline,
    margin_cell,
    now_and_limit,
    verdict_word,
)
from pytest_npuperf.units import show

HEADS = (
    Head("verdict"),
    Head("case"),
    Head("number", is_name=True),
    Head("now", is_number=True),
    Head("limit", is_number=True),
    Head("margin", is_number=True),
    Head("change", is_number=True),
    Head("where"),
)


def limits_table(cases: Sequence[CaseResult], sections: Mapping[str, str]) -> Table:
    """Return a row for each limit, and for each case that has a verdict of its own.

    ``sections`` holds the id of the element that tells of a case, where there is one.
    """
    # One by one: there may be thousands, which are written and forgotten.
    rows = (
        _of_limit(case, judged, sections) if judged else _of_case(case, sections)
        for case, judged in entries(cases)
    )
    return Table("limits", "Limits, the worst first", HEADS, rows)


def kind_of(verdict: Verdict, warned: bool = False) -> str:
    """Return how a verdict looks: by the class of the style sheet."""
    return "warned" if warned else verdict.value.lower()


def _of_limit(case: CaseResult, judged: Judged, sections: Mapping[str, str]) -> list[Cell]:
    lane = f" on lane {judged.lane}" if has_lanes(case) else ""
    kind = kind_of(judged.verdict, judged.warned)
    return [
        Cell(verdict_word(judged), _rank(judged.counts_as, judged.verdict), kind=kind),
        _case(case, sections),
        Cell(judged.limit.wanted.title() + lane, beneath=beneath(case, judged)),
        *_numbers(judged),
        _change(judged),
        Cell(judged.limit.where),
    ]


def _of_case(case: CaseResult, sections: Mapping[str, str]) -> list[Cell]:
    rank, kind = _rank(case.verdict, case.verdict), kind_of(case.verdict)
    verdict = Cell(str(case.verdict), rank, kind=kind)
    return [verdict, _case(case, sections), Cell(headline(case)), *[Cell("")] * 4, Cell(case.test)]


def _rank(counts_as: Verdict, verdict: Verdict) -> float:
    """Return what brings rows back into the order in which they are at first."""
    return counts_as.rank + verdict.rank / 10


def _case(case: CaseResult, sections: Mapping[str, str]) -> Cell:
    return Cell(case.case, link=sections.get(case.case, ""))


def _numbers(judged: Judged) -> list[Cell]:
    """Return what was measured, the bound that decides, and how far it is from that."""
    (now, limit), margin = now_and_limit(judged), margin_cell(judged)
    bound = judged.limit.nearest(judged.value) if margin and judged.value is not None else None
    return [
        Cell(now, None if judged.value is None else float(judged.value)),
        Cell(limit, float(bound.value) if bound else None),
        Cell(margin, _beyond(bound, judged.value) if bound and judged.value is not None else None),
    ]


def _beyond(bound: Bound, value: Fraction) -> float:
    """Return how far a value is beyond a bound, as a share of it: below zero it is within."""
    excess = bound.excess(value)
    if bound.value:
        return float(excess / abs(bound.value))
    return math.inf if excess > 0 else float(excess)


def _change(judged: Judged) -> Cell:
    comparison, limit = judged.comparison, judged.limit
    if comparison is None:
        return Cell("")
    before = show(comparison.baseline, limit.dimension, limit.unit)
    change = math.inf if comparison.change is None else float(comparison.change)
    return Cell(change_cell(judged), change, beneath=f"from {before}")
