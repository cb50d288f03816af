"""What makes a subcommand, and the arguments that several of them take."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.model import JSON
from pytest_npuperf.units import Dimension, parse

DONE, FAILED, USAGE = 0, 1, 4
"""The exit statuses; a usage error has pytest's."""

Done = tuple[str, int]
"""What a subcommand prints, and its exit status."""

_FALLBACK_COLUMNS = 100


@dataclass(frozen=True)
class Subcommand:
    """One thing that ``npuperf`` does."""

    name: str
    help: str
    """Its line in ``npuperf --help``."""
    description: str
    """The first lines of its own help."""
    declare: Callable[[argparse.ArgumentParser], None]
    """Declares its arguments."""
    run: Callable[[argparse.Namespace], Done]
    """Does it. What it takes for that is imported only then."""
    failed: int = FAILED
    """The exit status where it cannot be done."""


# --- arguments ----------------------------------------------------------------------------------


def path(text: str) -> Path:
    """Return a path that is not empty."""
    if not text:
        # As a path, it would be the current folder.
        raise argparse.ArgumentTypeError("the path is empty; write . for the current folder")
    return Path(text)


def share(text: str) -> Fraction:
    """Return a share such as ``5 %``; no share at all needs no unit."""
    if text.strip() == "0":
        return Fraction(0)
    try:
        if "point" in text:
            raise ValueError(f"{text!r} is a difference; write a share such as '5 %'")
        return parse(text, Dimension.SHARE)
    except ValueError as err:
        raise argparse.ArgumentTypeError(str(err)) from err


def add_config(parser: argparse.ArgumentParser) -> None:
    """Let another file hold the settings."""
    parser.add_argument("--config", metavar="FILE", type=path, help="instead of pyproject.toml")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Let a program read the output."""
    parser.add_argument("--json", action="store_true", help="write one JSON document")


# --- output -------------------------------------------------------------------------------------


def as_json(document: JSON) -> str:
    """Return a document as text, for people too."""
    return json.dumps(document, indent=2) + "\n"


def width() -> int:
    """Return how many columns the terminal has."""
    return shutil.get_terminal_size((_FALLBACK_COLUMNS, 24)).columns
