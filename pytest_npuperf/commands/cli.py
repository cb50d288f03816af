"""The ``npuperf`` command line: its exit status, and one line where it fails."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pytest_npuperf.commands.subcommands import SUBCOMMANDS
from pytest_npuperf.commands.subcommands.subcommand import USAGE
from pytest_npuperf.errors import ConfigError, NpuperfError
from pytest_npuperf.text import printable

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"npuperf: {printable(message)}\n")


def main(args: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status; no error reaches the user as a traceback."""
    given = _parser().parse_args(args)
    try:
        text, status = given.subcommand.run(given)
        _write(text)
    except KeyboardInterrupt:
        return INTERRUPTED
    except ConfigError as err:
        said = err.problems
    except NpuperfError as err:
        said = (str(err),)
    except OSError as err:
        said = (f"{err.filename or 'a file'}: cannot be read: {err.strerror or err}",)
    except Exception as err:
        said = (f"a fault of npuperf itself, please report it: {err!r}",)
    else:
        return int(status)
    sys.stderr.write("".join(f"npuperf: {printable(line)}\n" for line in said))
    return int(given.subcommand.failed)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="npuperf",
        description="Look at profiles of Ascend NPUs, write budgets from them, compare them, and "
        "accept baselines.",
    )
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for each in SUBCOMMANDS:
        own = parsers.add_parser(each.name, help=each.help, description=each.description)
        each.declare(own)
        own.set_defaults(subcommand=each)
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
