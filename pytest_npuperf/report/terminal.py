"""The summary at the end of a pytest run: one table, worst first, and what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.failure import one_line
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.report.words import (
    Severity,
    better,
    by_verdict,
    headline,
    limit_cell,
    margin_cell,
    noise,
    now_cell,
    origin,
    placed,
    severity,
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
    rank: Severity
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
    if all(_is_quiet(case) for case in cases):
        return [*_table(rows, width), *_folded([*tail, *_all_passed(cases)], width)]
    tail = [*_replays(cases), *tail, *_counts(cases), (next_action(cases), "")]
    return [*_table(rows, width), *_folded(tail, width)]


# --- the table --------------------------------------------------------------------------------


def _rows(cases: Sequence[CaseResult], everything: bool) -> list[_Row]:
    rows = []
    for case in cases:
        if case.reason or not case.limits:
            rows.append(_case_row(case))
        several = any(len(measured.lanes) > 1 for measured in case.rounds)
        rows += [
            _limit_row(case, judged, several)
            for judged in case.limits
            if everything or judged.verdict is not Verdict.PASSED
        ]
    return sorted(rows, key=lambda row: (row.rank, row.case))


def _case_row(case: CaseResult) -> _Row:
    rank = (case.verdict.rank, case.verdict.rank, False, Fraction(0))
    cells = (str(case.verdict), printable(case.case), *[""] * (len(_HEADS) - 2))
    under = headline(case)
    return _Row(cells, _COLOURS[case.verdict], rank, case.case, under, one_line(case))


def _limit_row(case: CaseResult, judged: Judged, several_lanes: bool) -> _Row:
    cells = (
        verdict_word(judged),
        case.case,
        judged.limit.wanted.title(),
        now_cell(judged),
        limit_cell(judged),
        margin_cell(judged),
        judged.lane if several_lanes else "",
        judged.limit.where,
    )
    colour = "yellow" if judged.warned else _COLOURS[judged.verdict]
    why = judged.limit.why if judged.verdict is Verdict.FAILED else ""
    under = "; ".join(filter(None, [_noise(judged, len(case.rounds)), judged.remark])) or why
    sentence = f"{case.case}: {placed(judged)}"
    return _Row(tuple(map(printable, cells)), colour, severity(judged), case.case, under, sentence)


def _noise(judged: Judged, rounds: int) -> str:
    bounds = noise(judged)
    return f"noise hides the change: {bounds}, in {rounds} rounds" if bounds else ""


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


def _replays(cases: Iterable[CaseResult]) -> list[Line]:
    replayed = sorted({(origin(case), case.case) for case in cases if origin(case)})
    return [
        (f"{when}: {', '.join(name for _, name in group)}", "")
        for when, group in groupby(replayed, key=lambda pair: pair[0])
    ]


def _unchecked(not_checked: Iterable[tuple[str, str]]) -> list[Line]:
    return [(f"not checked: {case}: {reason}", "yellow") for case, reason in not_checked]


def _notes(cases: Iterable[CaseResult]) -> list[Line]:
    return [(f"note: {case.case}: {note}", "") for case in cases for note in case.notes]


def _improvements(cases: Iterable[CaseResult]) -> list[Line]:
    """Return a line for each case that is better than before; tests may share one."""
    passed = (case for case in cases if case.verdict is Verdict.PASSED)
    told = ((case, [*filter(None, map(better, case.limits))]) for case in passed)
    return list(dict.fromkeys((_improved(case, found), "green") for case, found in told if found))


def _improved(case: CaseResult, found: Sequence[str]) -> str:
    more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
    # What was run beside it is no baseline, and nothing is to be accepted.
    accept = f"npuperf accept --case {shlex.quote(case.case)} --replace --reason TEXT"
    keep = "" if case.against else f"; to keep it: {accept}"
    return f"better: {case.case}: {found[0]}{more}{keep}"


def _is_quiet(case: CaseResult) -> bool:
    limits = (case.verdict, *(judged.verdict for judged in case.limits))
    return all(verdict is Verdict.PASSED for verdict in limits)


def _all_passed(cases: Sequence[CaseResult]) -> list[Line]:
    if not cases:
        return []
    limits = sum(len(case.limits) for case in cases)
    text = f"npuperf: {_many(limits, 'limit')} in {_many(len(cases), 'case')} within budget"
    return [(text + _replayed([case for case in cases if origin(case)]), "green")]


def _replayed(cases: Sequence[CaseResult]) -> str:
    if not cases:
        return ""
    dates = sorted({case.recorded or "date unknown" for case in cases})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f", {len(cases)} replayed (recorded {when})"


def _counts(cases: Sequence[CaseResult]) -> list[Line]:
    """Count limits by verdict, and cases that have a verdict of their own."""
    found = Counter(
        _word(verdict)
        for case in cases
        for verdict in ([case.verdict] if case.reason or not case.limits else [])
    )
    found.update(
        "over but only warned of" if judged.warned else _word(judged.verdict)
        for case in cases
        for judged in case.limits
    )
    words = [_word(verdict) for verdict in Verdict]
    words.insert(words.index(_word(Verdict.PASSED)), "over but only warned of")
    said = ", ".join(f"{found[word]} {word}" for word in words if found[word])
    failed = any(case.blocks for case in cases)
    return [(f"npuperf: {said} in {_many(len(cases), 'case')}", "red" if failed else "yellow")]


def _word(verdict: Verdict) -> str:
    return verdict.lower().replace("_", " ")


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
