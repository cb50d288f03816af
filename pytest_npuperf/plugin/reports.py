"""The reports beside the results: which are asked for, and where they go."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.plugin.options import html_path, markdown_path
from pytest_npuperf.plugin.session import NpuperfSession
from pytest_npuperf.report import annotate, markdown
from pytest_npuperf.results import write_text
from pytest_npuperf.text import printable


def write_reports(config: pytest.Config, session: NpuperfSession, full_run: bool) -> bool:
    """Write what is asked for, and return whether all of it was; the summary tells the rest."""
    cases, not_checked = session.cases, session.not_checked(full_run)
    in_markdown = cache(lambda: markdown(cases, not_checked, session.config))
    asked: list[tuple[Path | None, Callable[[Path, str], None], Callable[[], str]]] = [
        (markdown_path(config), _write, in_markdown),
        # A job that gates nothing is none of our business.
        (_page_of_the_job() if cases or not_checked else None, append_text, in_markdown),
        (html_path(config), _write, lambda: _in_html(session, not_checked)),
    ]
    told = (_problem(path, write, text) for path, write, text in asked if path is not None)
    failed = [problem for problem in told if problem]
    session.problems += failed
    return not failed


def _problem(path: Path, write: Callable[[Path, str], None], text: Callable[[], str]) -> str:
    """Return why a report was not written, in a line; empty where it was."""
    try:
        write(path, text())
    except NpuperfError as err:
        return str(err)
    return ""


def _in_html(session: NpuperfSession, not_checked: Sequence[tuple[str, str]]) -> str:
    try:
        # What makes the page is an extra, and takes a moment to import.
        from pytest_npuperf.report.html import page

        return page(session.cases, not_checked, session.started, session.config)
    except Exception as err:
        # Whatever a library for charts trips over, the results of the tests are to be told.
        what = f"{type(err).__name__}: {err}"
        raise NpuperfError(f"--npuperf-html: the page could not be made: {what}") from err


def _write(path: Path, text: str) -> None:
    write_text(path, text, "the report was")


def _page_of_the_job() -> Path | None:
    """Return the file whose Markdown GitHub shows on the page of a job."""
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(page) if page else None


def append_text(path: Path, text: str) -> None:
    """Add a text to what others have written into a file, whole or not at all.

    Raises NpuperfError.
    """
    try:
        with path.open("ab", buffering=0) as file:
            size = file.tell()
            data = (("\n\n" if size else "") + text).encode()
            try:
                while data:
                    data = data[file.write(data) :]
            except OSError:
                with suppress(OSError):
                    file.truncate(size)
                raise
    except OSError as err:
        shown, why = printable(str(path)), err.strerror or err
        raise NpuperfError(f"{shown}: the report was not added: {why}") from err


def github_annotations(session: NpuperfSession) -> list[str]:
    """Return the annotations of a run on GitHub; none elsewhere."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return []
    repository = os.environ.get("GITHUB_WORKSPACE")
    rootdir = session.settings.rootdir
    return annotate(session.cases, rootdir, Path(repository) if repository else None)
