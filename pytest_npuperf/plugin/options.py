"""The command line: every option is None until it is said, so that the file can decide."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.config import Options


def add_options(parser: pytest.Parser) -> None:
    """Add the ``--npuperf-*`` options."""
    group = parser.getgroup("npuperf", "performance on Ascend NPUs")
    for name, help_text, more in _OPTIONS:
        group.addoption(f"--npuperf-{name}", dest=_dest(name), default=None, help=help_text, **more)


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number == 0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a whole number above 0')
    return number


_PATH: dict[str, Any] = {"type": Path, "metavar": "PATH"}
_FLAG: dict[str, Any] = {"action": "store_true"}

_OPTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("config", "read the budgets from this file instead of pyproject.toml", _PATH),
    (
        "mode",
        "run the apps, replay recordings, decide by what is there (auto), or do not gate (off)",
        {"choices": ("auto", "run", "replay", "off")},
    ),
    ("recordings", "the folder of the recordings", _PATH),
    ("output", "the folder for profiles and results", _PATH),
    ("rounds", "run each app so often", {"type": _positive, "metavar": "N"}),
    ("strict", "fail what is skipped, replayed by auto, new or inconclusive (for CI)", _FLAG),
    ("record", "save what is collected as the recording of its budget", _FLAG),
    ("json", "write the results of this run to a JSON file", _PATH),
    ("markdown", "write a report for a pull request or a CI page to a Markdown file", _PATH),
    ("html", "write a page with tables and charts to an HTML file (needs the extra html)", _PATH),
    ("explain", "print where each number of each budget comes from, and run nothing", _FLAG),
)

_EXTRA = ("jinja2", "matplotlib")
"""What ``pip install 'pytest-npuperf[html]'`` brings."""


def _dest(name: str) -> str:
    return f"npuperf_{name}"


def settings_options(config: pytest.Config) -> Options:
    """Return the options that override settings. Relative paths start where pytest was started."""
    return Options(
        config=_path(config, "config"),
        mode=config.getoption(_dest("mode")),
        recordings=_path(config, "recordings"),
        output=_path(config, "output"),
        strict=config.getoption(_dest("strict")),
        record=config.getoption(_dest("record")),
        rounds=config.getoption(_dest("rounds")),
    )


def _path(config: pytest.Config, name: str) -> Path | None:
    found: Path | None = config.getoption(_dest(name))
    return None if found is None else config.invocation_params.dir / found


def json_path(config: pytest.Config) -> Path | None:
    """Return the file for the results, where one is asked for."""
    return _path(config, "json")


def markdown_path(config: pytest.Config) -> Path | None:
    """Return the file for the report in Markdown, where one is asked for."""
    return _path(config, "markdown")


def html_path(config: pytest.Config) -> Path | None:
    """Return the file for the page in HTML, where one is asked for."""
    return _path(config, "html")


def check_extra(config: pytest.Config) -> None:
    """Refuse to begin where what the page is made with is not installed. Raises UsageError."""
    if html_path(config) is None:
        return
    if missing := [name for name in _EXTRA if find_spec(name) is None]:
        raise pytest.UsageError(
            f"--npuperf-html needs {' and '.join(missing)}: pip install 'pytest-npuperf[html]'"
        )


def forget_results(config: pytest.Config) -> None:
    """Delete what an earlier run wrote: who reads only a file must not take it for new."""
    if explains(config) or config.option.collectonly:
        return
    for path in filter(None, (json_path(config), markdown_path(config), html_path(config))):
        # What cannot be deleted cannot be written either, which is told at the end.
        with suppress(OSError):
            written = Path(os.path.realpath(path))  # /dev/stdout itself is to stay
            if written.is_file():
                written.unlink()


def explains(config: pytest.Config) -> bool:
    """Return whether the settings are to be explained instead of used."""
    return bool(config.getoption(_dest("explain")))
