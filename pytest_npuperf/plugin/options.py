"""The command line: every option is None until it is said, so that the file can decide."""

from __future__ import annotations

import argparse
from contextlib import suppress
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
    ("explain", "print where each number of each budget comes from, and run nothing", _FLAG),
)


def _dest(name: str) -> str:
    return f"npuperf_{name}"


def settings_options(config: pytest.Config) -> Options:
    """Return the options that override settings. Relative paths start where pytest was started."""
    start = config.invocation_params.dir

    def path(name: str) -> Path | None:
        found: Path | None = config.getoption(_dest(name))
        return None if found is None else start / found

    return Options(
        config=path("config"),
        mode=config.getoption(_dest("mode")),
        recordings=path("recordings"),
        output=path("output"),
        strict=config.getoption(_dest("strict")),
        record=config.getoption(_dest("record")),
        rounds=config.getoption(_dest("rounds")),
    )


def json_path(config: pytest.Config) -> Path | None:
    """Return the file for the results, where one is asked for."""
    found: Path | None = config.getoption(_dest("json"))
    return None if found is None else config.invocation_params.dir / found


def forget_results(config: pytest.Config) -> None:
    """Delete the results of an earlier run: who reads only the file must not take them for new."""
    path = json_path(config)
    if path is not None and not (explains(config) or config.option.collectonly):
        # What cannot be deleted cannot be written either, which is told at the end.
        with suppress(OSError):
            path.unlink()


def explains(config: pytest.Config) -> bool:
    """Return whether the settings are to be explained instead of used."""
    return bool(config.getoption(_dest("explain")))
