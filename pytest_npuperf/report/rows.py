"""The table of the summary: a row for each limit, the worst first, and what stands under it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.failure import one_line
from pytest_npuperf.report.operators import behind, guilty_op
from pytest_npuperf.report.overview import Entry, beneath, entries
from pytest_npuperf.report.table import Column, fit, lay_out
from pytest_npuperf.report.words import (
    change_cell,
    has_lanes,
    headline,
    margin_cell,
    name_of,
    now_and_limit,
    placed,
    verdict_word,
)
from pytest_npuperf.text import clipped, columns, many, printable, wrapped

_ROWS, _EXPLAINED, _OPERATORS = 40, 10, 3
"""How many rows are told, how many with the operators behind them, and of these how many."""
_MARGIN = 4
_ROOM = 80
"""Columns for the operators of a row, which stand with other words under it."""
_LONGEST = 300
"""Columns of a reason that is not made of numbers."""

Line = tuple[str, str]
"""A line and the name of its colour; no colour is empty."""

COLOURS = {
    Verdict.ERROR: "red",
    Verdict.FAILED: "red",
    Verdict.NOT_MEASURED: "red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NEW: "yellow",
    Verdict.PASSED: "green",
    Verdict.SKIPPED: "yellow",
}

_HEADS = (
    Column("verdict"),
    Column("case", least=12),
    Column("number", least=20),
    Column("now", right=True),
    Column("limit", right=True),
    Column("margin", right=True, drop=1),
    Column("change", right=True),
    Column("lane", drop=2),
    Column("where", drop=3),
)
_LANE, _WHERE = len(_HEADS) - 2, len(_HEADS) - 1


@dataclass(frozen=True)
class _Row:
    """A row of the table, what stands under it, and the same as a sentence."""

    cells: tuple[str, ...]
    colour: str
    remark: str
    sentence: str

    @property
    def case(self) -> str:
        """Return the name of its case."""
        return self.cells[1]

    @property
    def has_passed(self) -> bool:
        """Return whether where its limit is need not be looked for."""
        return self.cells[0] == Verdict.PASSED.value


def table(cases: Sequence[CaseResult], width: int, everything: bool) -> list[Line]:
    """Return a row for each limit that is not passed, the worst first, or for every one.

    Where the terminal is too narrow for a table, each is a sentence.
    """
    # Tests may share a case, and tell the same.
    told = {
        (case.case, judged or case.reason): (case, judged)
        for case, judged in entries(cases)
        if everything or judged is None or judged.verdict is not Verdict.PASSED
    }
    kept = list(told.values())[: None if everything else _ROWS]
    lines = _laid_out(list(_rows(kept)), width)
    rest = len(told) - len(kept)
    return [*lines, (f"and {many(rest, 'more row')}, which -v shows", "")] if rest else lines


def folded(lines: Iterable[Line], width: int) -> list[Line]:
    """Break long lines; what follows the first is indented."""
    found = []
    for text, colour in lines:
        parts = wrapped(printable(text), width - 2)
        found += [(f"  {part}" if index else part, colour) for index, part in enumerate(parts)]
    return found


# --- what a row says --------------------------------------------------------------------------


def _rows(told: Iterable[Entry]) -> Iterator[_Row]:
    known: set[tuple[str, str, str]] = set()
    for case, judged in told:
        if judged is None:
            yield _case_row(case)
            continue
        # To look for the operators of thousands of rows takes long.
        operators = _operators(case, judged) if len(known) < _EXPLAINED else ""
        these = (case.case, judged.lane, operators)
        # Many times are made of the same op types.
        yield _limit_row(case, judged, "" if these in known else operators)
        known |= {these} if operators else set()


def _operators(case: CaseResult, judged: Judged) -> str:
    """Name the operators behind a failed limit: of a change the one that most of it is of."""
    return guilty_op(case, judged) or behind(case, judged, _OPERATORS, _ROOM)


def _case_row(case: CaseResult) -> _Row:
    cells = (str(case.verdict), printable(case.case), *[""] * (len(_HEADS) - 2))
    remark = clipped(printable(headline(case)), _LONGEST)
    return _Row(cells, COLOURS[case.verdict], remark, one_line(case))


def _limit_row(case: CaseResult, judged: Judged, operators: str) -> _Row:
    cells = (
        verdict_word(judged),
        case.case,
        judged.limit.wanted.title(),
        *now_and_limit(judged),
        margin_cell(judged),
        change_cell(judged),
        judged.lane if has_lanes(case) else "",
        judged.limit.where,
    )
    in_doubt = judged.warned or judged.tolerated
    return _Row(
        cells=tuple(map(printable, cells)),
        colour="yellow" if in_doubt else COLOURS[judged.verdict],
        remark="; ".join(filter(None, [beneath(case, judged), operators])),
        sentence=f"{name_of(case)}: {placed(judged, f'; {operators}' if operators else '')}",
    )


# --- as lines ---------------------------------------------------------------------------------


def _laid_out(rows: Sequence[_Row], width: int) -> list[Line]:
    if not rows:
        return []
    cells = [row.cells for row in rows]
    head, *texts = lay_out(_HEADS, cells, width)
    if any(columns(text) > width for text in (head, *texts)):
        return folded(((f"{row.cells[0]} {row.sentence}", row.colour) for row in rows), width)
    hidden = {_LANE, _WHERE} - set(fit(_HEADS, cells, width))
    return [(head, "bold"), *_with_remarks(rows, texts, hidden, width)]


def _with_remarks(
    rows: Sequence[_Row], texts: Sequence[str], hidden: Collection[int], width: int
) -> Iterator[Line]:
    """Put remarks under the rows; what several rows of a case share stands under the last."""
    for row, text, follower in zip(rows, texts, [*rows[1:], None], strict=True):
        yield text, row.colour
        shared = follower and (follower.case, follower.remark) == (row.case, row.remark)
        under = _placed("" if shared else row.remark, row, hidden)
        parts = wrapped(printable(under), width - _MARGIN)
        yield from ((f"{' ' * _MARGIN}{part}", "") for part in parts)


def _placed(remark: str, row: _Row, hidden: Collection[int]) -> str:
    """Return a remark with what the hidden columns would say; where a limit passes is not asked."""
    lane, where = (row.cells[index] if index in hidden else "" for index in (_LANE, _WHERE))
    place = f"[{where}]" if where and not row.has_passed else ""
    said = "; ".join(filter(None, [f"on lane {lane}" if lane else "", remark]))
    return f"{said} {place}".strip()
