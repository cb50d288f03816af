"""The whole page: what is said of the run, the table of verdicts, and each case."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import datetime, timezone

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pytest_npuperf import __version__
from pytest_npuperf.model import CaseResult, Verdict
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.html.limits import kind_of, limits_table
from pytest_npuperf.report.html.sections import once, sections
from pytest_npuperf.report.html.svg import drawing
from pytest_npuperf.report.overview import improvements, replays, tolerated, total
from pytest_npuperf.text import printable

_IN_FULL = 10
"""How many cases are told in full, the worst first; the others are in the table."""


def page(
    cases: Sequence[CaseResult],
    not_checked: Sequence[tuple[str, str]],
    started: datetime,
    config: str = "",
) -> str:
    """Return the page; ``not_checked`` holds cases with the reason for each.

    ``config`` is the file of the settings where commands have to be told.
    """
    found = once(cases)
    cases = [case for case, _ in found]
    with drawing():
        in_full = sections(found, _IN_FULL, config)
    ids = {section.case.case: section.id for section in reversed(in_full)}
    verdict = min((case.verdict for case in cases), key=lambda each: each.rank, default=None)
    environment = _environment()
    script, style = (_source(environment, name) for name in ("page.js", "page.css"))
    return environment.get_template("page.html.jinja").render(
        style=style,
        script=script,
        script_hash=_hash(script),
        version=__version__,
        started=started.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        verdict=verdict or "NOTHING JUDGED",
        kind=kind_of(verdict or Verdict.SKIPPED),
        total=total(cases) if cases else "no case was judged",
        next=next_action(cases, config).removeprefix("next: "),
        told=[*_replayed(cases), *tolerated(cases), *improvements(cases, config)],
        limits=limits_table(cases, ids) if cases else None,
        sections=in_full,
        left=len(found) - len(in_full),
        not_checked=not_checked,
    )


def _replayed(cases: Sequence[CaseResult]) -> list[str]:
    return [f"{when}: {', '.join(names)}" for when, names in replays(cases)]


def _environment() -> Environment:
    return Environment(
        autoescape=True,
        finalize=_as_shown,
        loader=PackageLoader("pytest_npuperf.report.html"),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )


def _as_shown(value: object) -> object:
    """Return what a template writes, with whatever would hide or turn round text escaped."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _source(environment: Environment, name: str) -> Markup:
    """Return one of our own files as it is."""
    assert environment.loader
    return Markup(environment.loader.get_source(environment, name)[0].strip())


def _hash(script: str) -> str:
    """Return what makes the script, and no other, one that the page may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
