"""The summary at the end of a pytest run: one table, worst first, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_npuperf.model import CaseResult, Verdict
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.failure import one_line
from pytest_npuperf.report.overview import improvements, is_quiet, replays, tolerated, total
from pytest_npuperf.report.quantised import sections
from pytest_npuperf.report.rows import COLOURS, Line, folded, table
from pytest_npuperf.report.words import by_verdict, name_of, verdict_word
from pytest_npuperf.text import clipped, many, named

WIDEST = 100
_ITEMS = 10
"""How many items of a list are told."""
_FINDINGS = 20
"""How many lines are told of a quantised model beside those of its limits."""
_LONGEST = 300
"""Columns of a sentence that holds names of the project's own."""


def summary(
    cases: Sequence[CaseResult],
    not_checked: Sequence[tuple[str, str]],
    width: int,
    verbosity: int = 0,
    config: str = "",
) -> list[Line]:
    """Return the lines of the summary; ``not_checked`` holds cases with the reason for each.

    Verbosity below zero leaves a line for each test that fails and each limit that is in doubt,
    above zero shows what passed too, and above one where each profile is and what it was made on.
    ``config`` is the file of the settings where commands have to be told.
    """
    width = min(width, WIDEST)
    most = _ITEMS if verbosity < 1 else None
    doubts = [*_unchecked(not_checked, most), *((line, "yellow") for line in tolerated(cases))]
    if verbosity < 0:
        said = [*_failures(cases), *_doubts(cases), *doubts, *_replays(cases, most)]
        return folded(said, width)
    said = _profiles(cases) if verbosity > 1 else []
    said += _notes(cases) if verbosity > 0 else []
    # Where all is well, the total says what was replayed.
    said += [] if all(map(is_quiet, cases)) else _replays(cases, most)
    better = [(line, "green") for line in improvements(cases, config)]
    said += [*doubts, *better, *_total(cases), (next_action(cases, config), "")]
    rows = table(cases, width, verbosity > 0)
    return [*rows, *_quantised(cases, width, most), *folded(said, width)]


# --- what follows the table -------------------------------------------------------------------


def _failures(cases: Iterable[CaseResult]) -> list[Line]:
    blocked = sorted((case for case in cases if case.blocks), key=by_verdict)
    return [(f"{case.verdict} {one_line(case)}", COLOURS[case.verdict]) for case in blocked]


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
        (f"{verdict_word(judged)} {name_of(case)}: {judged.reason}", "yellow")
        for case, judged in doubtful
    ]


def _quantised(cases: Sequence[CaseResult], width: int, most: int | None) -> list[Line]:
    lines: list[Line] = []
    for section in sections(cases):
        told = _first(section.lines, most and len(section.halves) + _FINDINGS, "line")
        lines += folded([(section.title, "bold")], width)
        lines += [(f"  {text}", "") for text, _ in folded([(each, "") for each in told], width - 2)]
    return lines


def _replays(cases: Sequence[CaseResult], most: int | None) -> list[Line]:
    return [
        (f"{when}: {', '.join(_first([*map(named, names)], most, 'case'))}", "")
        for when, names in replays(cases)
    ]


def _unchecked(not_checked: Sequence[tuple[str, str]], most: int | None) -> list[Line]:
    told = [f"{named(case)}: {clipped(reason, _LONGEST)}" for case, reason in not_checked]
    return [(f"not checked: {line}", "yellow") for line in _first(told, most, "case")]


def _first(texts: Sequence[str], most: int | None, noun: str) -> list[str]:
    rest = len(texts[len(texts) if most is None else most :])
    return [*texts[:most], f"{many(rest, f'more {noun}')}, which -v shows"] if rest else [*texts]


def _profiles(cases: Iterable[CaseResult]) -> list[Line]:
    """Return for each case where its profiles are, and what they were made on and with."""
    # A hash says nothing to people.
    known = {
        name_of(case): [
            ", ".join(case.profiles),
            *(f"{key} {value}" for key, value in case.fingerprint.items() if key != "app_sha256"),
        ]
        for case in cases
        if case.profiles
    }
    return [(f"profile: {name}: {'; '.join(told)}", "") for name, told in sorted(known.items())]


def _notes(cases: Iterable[CaseResult]) -> list[Line]:
    notes = {f"note: {name_of(case)}: {note}" for case in cases for note in case.notes}
    return [(note, "") for note in sorted(notes)]


def _total(cases: Sequence[CaseResult]) -> list[Line]:
    if not all(map(is_quiet, cases)):
        failed = any(case.blocks for case in cases)
        return [(f"npuperf: {total(cases)}", "red" if failed else "yellow")]
    wider = any(judged.tolerated for case in cases for judged in case.limits)
    return [(f"npuperf: {total(cases)}", "yellow" if wider else "green")] if cases else []
