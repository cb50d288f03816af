"""The ``npuperf`` command line: its arguments, its exit status, and one line where it fails."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.text import printable

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 4, 130
"""The exit statuses; a usage error has pytest's."""

_BY = ("type", "op", "core", "step", "api", "layer")
_FALLBACK_COLUMNS = 100


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"npuperf: {printable(message)}\n")


def main(args: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status; no error reaches the user as a traceback."""
    try:
        given = _parser().parse_args(args)
        _write(given.run(given))
    except KeyboardInterrupt:
        return INTERRUPTED
    except NpuperfError as err:
        return _failed(str(err))
    except OSError as err:
        return _failed(f"{err.filename}: cannot be read: {err.strerror}")
    except Exception as err:
        return _failed(f"a fault of npuperf itself, please report it: {err!r}")
    return DONE


def _failed(reason: str) -> int:
    sys.stderr.write(f"npuperf: {printable(reason)}\n")
    return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="npuperf", description="Look at profiles of Ascend NPUs.")
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_show(subcommands)
    return parser


def _write(text: str) -> None:
    """Write to stdout. Raises NpuperfError where that cannot be; a closed pipe is no fault."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not every terminal can show every character of a name.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as err:
        # Python must not try to write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(err, BrokenPipeError):
            raise NpuperfError(f"the output cannot be written: {err.strerror}") from err


# --- show -------------------------------------------------------------------------------------


def _add_show(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    show = subcommands.add_parser(
        "show",
        help="show where the time of a profile goes",
        description="Show a profile area by area: what it holds, the layers of its timeline, op "
        "types, single ops, cores, steps, host APIs, fusion, memory and advice.",
    )
    show.add_argument("profile", metavar="PROFILE", type=Path, help="a folder or a table")
    show.add_argument("--json", action="store_true", help="write one JSON document")
    show.add_argument(
        "--top", type=_positive, default=10, metavar="N", help="rows of an area and lane (10)"
    )
    show.add_argument("--by", choices=_BY, help="only this area")
    show.set_defaults(run=_show)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _show(given: argparse.Namespace) -> str:
    # Help and usage errors need not wait for pandas.
    from pytest_npuperf.commands import show

    shown = show.look_at(given.profile, given.top, given.by)
    if given.json:
        return json.dumps(show.as_json(shown), indent=2) + "\n"
    width = shutil.get_terminal_size((_FALLBACK_COLUMNS, 24)).columns
    if _has_colours():
        from pytest_npuperf.commands.terminal import coloured

        return coloured(shown, width)
    from pytest_npuperf.commands.render import plain

    return plain(shown, width)


def _has_colours() -> bool:
    is_simple = os.environ.get("TERM") in ("dumb", "unknown") or os.environ.get("NO_COLOR")
    return sys.stdout.isatty() and not is_simple
