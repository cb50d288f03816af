"""The summary at the end of a pytest run: one table, worst first, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.failure import one_line
from pytest_npuperf.report.overview import (
    beneath,
    entries,
    improvements,
    is_quiet,
    replays,
    total,
)
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.report.words import (
    by_verdict,
    has_lanes,
    headline,
    limit_cell,
    margin_cell,
    now_cell,
    placed,
    verdict_word,
)
from pytest_npuperf.text import columns, printable, wrapped

WIDEST = 100

Line = tuple[str, str]
"""A line and the name of its colour; no colour is empty."""

_COLOURS = {
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
    Column("margin", right=True, drop=2),
    Column("lane", drop=1),
    Column("where", drop=3),
)


@dataclass(frozen=True)
class _Row:
    """A row of the table, what stands under it, and the same as a sentence."""

    cells: tuple[str, ...]
    colour: str
    case: str
    under: str
    sentence: str


def summary(
    cases: Sequence[CaseResult],
    not_checked: Sequence[tuple[str, str]],
    width: int,
    verbosity: int = 0,
) -> list[Line]:
    """Return the lines of the summary; ``not_checked`` holds cases with the reason for each.

    Verbosity below zero leaves a line for each test that fails and each limit that only warns,
    above zero shows what passed too.
    """
    width = min(width, WIDEST)
    if verbosity < 0:
        said = [*_failures(cases), *_doubts(cases), *_unchecked(not_checked), *_replays(cases)]
        return _folded(said, width)
    rows = _rows(cases, everything=verbosity > 0)
    notes = _notes(cases) if verbosity > 0 else []
    tail = [*_unchecked(not_checked), *notes, *_improvements(cases)]
    if not all(map(is_quiet, cases)):
        tail = [*_replays(cases), *tail]
    said = [*tail, *_total(cases), (next_action(cases), "")]
    return [*_table(rows, width), *_folded(said, width)]


# --- the table --------------------------------------------------------------------------------


def _rows(cases: Sequence[CaseResult], everything: bool) -> list[_Row]:
    return [
        _limit_row(case, judged) if judged else _case_row(case)
        for case, judged in entries(cases)
        if everything or judged is None or judged.verdict is not Verdict.PASSED
    ]


def _case_row(case: CaseResult) -> _Row:
    cells = (str(case.verdict), printable(case.case), *[""] * (len(_HEADS) - 2))
    return _Row(cells, _COLOURS[case.verdict], case.case, headline(case), one_line(case))


def _limit_row(case: CaseResult, judged: Judged) -> _Row:
    cells = (
        verdict_word(judged),
        case.case,
        judged.limit.wanted.title(),
        now_cell(judged),
        limit_cell(judged),
        margin_cell(judged),
        judged.lane if has_lanes(case) else "",
        judged.limit.where,
    )
    colour = "yellow" if judged.warned else _COLOURS[judged.verdict]
    sentence = f"{case.case}: {placed(judged)}"
    under = beneath(case, judged)
    return _Row(tuple(map(printable, cells)), colour, case.case, under, sentence)


def _table(rows: Sequence[_Row], width: int) -> list[Line]:
    """Lay the rows out; where the terminal is too narrow for that, say each as a sentence."""
    if not rows:
        return []
    head, *texts = lay_out(_HEADS, [row.cells for row in rows], width)
    if any(columns(text) > width for text in (head, *texts)):
        return _folded(((f"{row.cells[0]} {row.sentence}", row.colour) for row in rows), width)
    return [(head, "bold"), *_with_remarks(rows, texts, width)]


def _with_remarks(rows: Sequence[_Row], texts: Sequence[str], width: int) -> list[Line]:
    """Put remarks under the rows; what several rows of a case share stands under the last."""
    lines = []
    followers = [*rows[1:], None]
    for row, text, follower in zip(rows, texts, followers, strict=True):
        lines.append((text, row.colour))
        if follower is None or (row.case, row.under) != (follower.case, follower.under):
            lines += [(f"    {part}", "") for part in wrapped(printable(row.under), width - 4)]
    return lines


# --- what follows the table -------------------------------------------------------------------


def _folded(lines: Iterable[Line], width: int) -> list[Line]:
    """Break long lines; what follows the first is indented."""
    folded = []
    for text, colour in lines:
        parts = wrapped(printable(text), width - 2)
        folded += [(f"  {part}" if index else part, colour) for index, part in enumerate(parts)]
    return folded


def _failures(cases: Iterable[CaseResult]) -> list[Line]:
    blocked = sorted((case for case in cases if case.blocks), key=by_verdict)
    return [(f"{case.verdict} {one_line(case)}", _COLOURS[case.verdict]) for case in blocked]


def _doubts(cases: Iterable[CaseResult]) -> list[Line]:
    """Return the limits of tests that pass, of which more is to be said than that."""
    doubtful = [
        (case, judged)
        for case in cases
        if not case.blocks
        for judged in case.limits
        if judged.verdict is not Verdict.PASSED
    ]
    return [
        (f"{verdict_word(judged)} {case.case}: {judged.reason}", "yellow")
        for case, judged in doubtful
    ]


def _replays(cases: Sequence[CaseResult]) -> list[Line]:
    return [(f"{when}: {', '.join(names)}", "") for when, names in replays(cases)]


def _unchecked(not_checked: Iterable[tuple[str, str]]) -> list[Line]:
    return [(f"not checked: {case}: {reason}", "yellow") for case, reason in not_checked]


def _notes(cases: Iterable[CaseResult]) -> list[Line]:
    return [(f"note: {case.case}: {note}", "") for case in cases for note in case.notes]


def _improvements(cases: Sequence[CaseResult]) -> list[Line]:
    return [(line, "green") for line in improvements(cases)]


def _total(cases: Sequence[CaseResult]) -> list[Line]:
    if all(map(is_quiet, cases)):
        return [(f"npuperf: {total(cases)}", "green")] if cases else []
    failed = any(case.blocks for case in cases)
    return [(f"npuperf: {total(cases)}", "red" if failed else "yellow")]
