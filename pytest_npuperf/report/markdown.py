"""The results as Markdown, for a pull request or the page of a CI job."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.failure import details
from pytest_npuperf.report.markup import code, fenced, prose, table
from pytest_npuperf.report.overview import (
    beneath,
    entries,
    improvements,
    is_quiet,
    replays,
    tolerated,
    total,
    verdict,
)
from pytest_npuperf.report.quantised import Section, sections
from pytest_npuperf.report.words import (
    by_verdict,
    change_cell,
    has_lanes,
    headline,
    limit_cell,
    margin_cell,
    name_of,
    now_cell,
    verdict_word,
)
from pytest_npuperf.text import many

# GitHub takes 65,536 characters of a comment, and shows nothing of a summary over 1 MiB.
_ROWS, _EXPLAINED, _LINES, _ITEMS = 50, 5, 40, 20
"""How many rows, cases in full, lines of each, and items of a list are told."""

_HEADS = ("verdict", "case", "number", "now:", "limit:", "margin:", "change:", "where")
_CHANGE = _HEADS.index("change:")


def markdown(
    cases: Sequence[CaseResult], not_checked: Sequence[tuple[str, str]], config: str = ""
) -> str:
    """Return the report, which ends with a line end; ``not_checked`` holds cases with the reason.

    ``config`` is the file of the settings where commands have to be told.

    Where all passed it is a line, else a table, the worst first, and what each case that fails
    says of itself. It stays short enough for a comment.
    """
    is_short = all(map(is_quiet, cases))
    blocks = _short(cases) if is_short else _long(cases)
    items = [] if is_short else _replayed(cases)
    items += [f"not checked: {code(case)}: {prose(reason)}" for case, reason in not_checked]
    items += [code(line) for line in (*tolerated(cases), *improvements(cases, config))]
    blocks += [_quantised(section) for section in sections(cases)]
    if items:
        blocks.append("\n".join(f"- {item}" for item in _first(items, _ITEMS, "line")))
    if action := next_action(cases, config).removeprefix("next: "):
        blocks.append(f"**Next:** {code(action)}")
    return "\n\n".join(blocks) + "\n"


def _short(cases: Sequence[CaseResult]) -> list[str]:
    return [f"**npuperf**: {total(cases) if cases else 'no case was judged'}"]


def _long(cases: Sequence[CaseResult]) -> list[str]:
    told = [entry for entry in entries(cases) if verdict(entry) is not Verdict.PASSED]
    rows = [
        _limit_row(case, judged) if judged else _case_row(case) for case, judged in told[:_ROWS]
    ]
    blocks = [f"### npuperf: {total(cases)}", "\n".join(_table(rows))]
    if rest := len(told) - len(rows):
        blocks.append(f"and {many(rest, 'row')} more; `--npuperf-json` has them all")
    return [*blocks, *_explained(cases)]


def _quantised(section: Section) -> str:
    lines = _first([f"- {code(line)}" for line in section.lines], _ITEMS, "line")
    return "\n".join([f"#### {prose(section.title)}", "", *lines])


# --- the table --------------------------------------------------------------------------------


def _table(rows: Sequence[list[str]]) -> list[str]:
    if any(row[_CHANGE] for row in rows):
        return table(_HEADS, rows)
    # Nothing was compared with what it was before.
    kept = [index for index in range(len(_HEADS)) if index != _CHANGE]
    return table([_HEADS[index] for index in kept], [[row[i] for i in kept] for row in rows])


def _limit_row(case: CaseResult, judged: Judged) -> list[str]:
    lane = f" on lane {code(judged.lane)}" if has_lanes(case) else ""
    number = code(judged.limit.wanted.title()) + lane
    cells = (now_cell, limit_cell, margin_cell, change_cell)
    return [
        f"**{verdict_word(judged)}**",
        code(case.case),
        "<br>".join(filter(None, [number, prose(beneath(case, judged))])),
        *(prose(cell(judged)) for cell in cells),
        code(judged.limit.where),
    ]


def _case_row(case: CaseResult) -> list[str]:
    return [
        f"**{case.verdict}**",
        code(case.case),
        prose(headline(case)),
        *[""] * 4,
        code(case.test),
    ]


# --- what follows the table -------------------------------------------------------------------


def _explained(cases: Sequence[CaseResult]) -> Iterator[str]:
    """Yield what failed tests say in full: the operators behind it, and the causes of a change.

    It is folded, but for the worst. Tests that find the same say it once.
    """
    failed = sorted((case for case in cases if case.blocks or case.causes), key=by_verdict)
    told = list(dict.fromkeys((name_of(case), details(case)) for case in failed))
    for index, (name, text) in enumerate(told[:_EXPLAINED]):
        state = "" if index else " open"
        title = f"<code>{html.escape(name)}</code>"
        body = "\n".join(fenced(_first(text.split("\n"), _LINES, "line")))
        yield f"<details{state}><summary>{title}</summary>\n\n{body}\n\n</details>"


def _first(lines: Sequence[str], most: int, noun: str) -> list[str]:
    rest = len(lines) - most
    return [*lines[:most], f"and {many(rest, noun)} more"] if rest > 0 else list(lines)


def _replayed(cases: Sequence[CaseResult]) -> list[str]:
    told = ((when, [*map(code, names)]) for when, names in replays(cases))
    return [f"{prose(when)}: {', '.join(_first(names, _ITEMS, 'case'))}" for when, names in told]
