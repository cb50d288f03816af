"""Annotations, which GitHub shows at the line of a limit: commands in the output of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.overview import entries
from pytest_npuperf.report.words import headline, is_guilty, name_of, placed, verdict_word
from pytest_npuperf.text import clipped, many, printable

MOST = 10
"""GitHub shows so many of each kind from one step, and forgets the rest."""

_LONGEST = 1000
"""Columns; GitHub cuts what is over 4 KiB, wherever that is."""

Level = Literal["error", "warning"]
_LEVELS: tuple[Level, ...] = ("error", "warning")


@dataclass(frozen=True)
class _Note:
    """What one annotation says, where it is not yet looked for."""

    level: Level
    title: str
    text: str
    where: str


def annotate(
    cases: Sequence[CaseResult], rootdir: Path, repository: Path | None = None
) -> list[str]:
    """Return a command for each limit that fails its test, or warns; the worst first.

    Files are told relative to the repository where that is known and holds the rootdir. What
    GitHub would not show is counted in a notice.
    """
    # Tests may share a case, and tell the same.
    notes = list(dict.fromkeys(_notes(cases)))
    lines: list[str] = []
    left: list[str] = []
    for level in _LEVELS:
        found = [note for note in notes if note.level == level]
        lines += [_command(note, rootdir, repository) for note in found[:MOST]]
        left += [many(len(found) - MOST, level)] if len(found) > MOST else []
    if left:
        lines.append(f"::notice title=npuperf::{' and '.join(left)} more are in the summary")
    return lines


def _notes(cases: Sequence[CaseResult]) -> list[_Note]:
    return [
        _of_limit(case, judged) if judged else _of_case(case)
        for case, judged in entries(cases)
        # That a test was skipped is told by pytest.
        if (judged and judged.verdict is not Verdict.PASSED) or (not judged and case.blocks)
    ]


def _of_case(case: CaseResult) -> _Note:
    text = f"{name_of(case)}: {headline(case) or case.verdict}"
    return _Note("error", f"npuperf {case.verdict}", text, case.test)


def _of_limit(case: CaseResult, judged: Judged) -> _Note:
    level: Level = "error" if case.blocks and is_guilty(case, judged) else "warning"
    text = f"{name_of(case)}: {placed(judged)}"
    return _Note(level, f"npuperf {verdict_word(judged)}", text, judged.limit.where)


# --- commands ---------------------------------------------------------------------------------


def _command(note: _Note, rootdir: Path, repository: Path | None) -> str:
    properties = {**_place(note.where, rootdir, repository), "title": note.title}
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{note.level} {said}::{_data(clipped(printable(note.text), _LONGEST))}"


def _place(where: str, rootdir: Path, repository: Path | None) -> dict[str, str]:
    """Return file and line of ``pyproject.toml:12``; of a test only the file, if it is one."""
    name, _, number = where.partition("::")[0].rpartition(":")
    if not (name and number.isdecimal()):
        name, number = where.partition("::")[0], ""
    if not (name and (rootdir / name).is_file()):
        return {}
    place = {"file": _in_repository(rootdir / name, repository) or name}
    return {**place, "line": number} if number else place


def _in_repository(file: Path, repository: Path | None) -> str:
    """Return the path below the repository; empty where it is elsewhere."""
    if repository is None:
        return ""
    file, repository = file.resolve(), repository.resolve()
    return file.relative_to(repository).as_posix() if file.is_relative_to(repository) else ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
