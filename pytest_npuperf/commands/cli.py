"""The ``npuperf`` command line: its arguments, its exit status, and one line where it fails."""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from pytest_npuperf.errors import ConfigError, NpuperfError
from pytest_npuperf.model import JSON
from pytest_npuperf.text import printable
from pytest_npuperf.units import Dimension, parse

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 4, 130
"""The exit statuses; a usage error has pytest's."""

Done = tuple[str, int]
"""What a subcommand prints, and its exit status."""

_BY = ("type", "op", "core", "step", "api", "layer")
_FALLBACK_COLUMNS = 100


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"npuperf: {printable(message)}\n")


def main(args: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status; no error reaches the user as a traceback."""
    given = _parser().parse_args(args)
    try:
        text, status = given.run(given)
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
    return int(given.failed)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="npuperf",
        description="Look at profiles of Ascend NPUs, write budgets from them, compare them, and "
        "accept baselines.",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_show(subcommands)
    _add_init(subcommands)
    _add_diff(subcommands)
    _add_accept(subcommands)
    _add_doctor(subcommands)
    _add_schema(subcommands)
    return parser


def _path(text: str) -> Path:
    if not text:
        # As a path, it would be the current folder.
        raise argparse.ArgumentTypeError("the path is empty; write . for the current folder")
    return Path(text)


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
        "types, single ops, cores, steps, host APIs, fusion, memory and advice; or the kernels "
        "that `msprof op` measured, and their cores.",
    )
    show.add_argument("profile", metavar="PROFILE", type=_path, help="a folder or a table")
    show.add_argument("--json", action="store_true", help="write one JSON document")
    show.add_argument(
        "--top", type=_positive, default=10, metavar="N", help="rows of an area and lane (10)"
    )
    show.add_argument("--by", choices=_BY, help="only this area")
    show.set_defaults(run=_show, failed=FAILED)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _show(given: argparse.Namespace) -> Done:
    # Help and usage errors need not wait for pandas.
    from pytest_npuperf.commands import show

    shown = show.look_at(given.profile, given.top, given.by)
    if given.json:
        return _as_json(show.as_json(shown)), DONE
    if _has_colours():
        from pytest_npuperf.commands.terminal import coloured

        return coloured(shown, _width()), DONE
    from pytest_npuperf.commands.render import plain

    return plain(shown, _width()), DONE


def _has_colours() -> bool:
    is_simple = os.environ.get("TERM") in ("dumb", "unknown") or os.environ.get("NO_COLOR")
    return sys.stdout.isatty() and not is_simple


def _width() -> int:
    return shutil.get_terminal_size((_FALLBACK_COLUMNS, 24)).columns


def _as_json(document: JSON) -> str:
    return json.dumps(document, indent=2) + "\n"


# --- diff -------------------------------------------------------------------------------------


def _add_diff(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    diff = subcommands.add_parser(
        "diff",
        help="show what has become slower from one profile to another",
        description="Compare two profiles, or results of pytest, and name the ops behind the "
        "change. Exit status: 0 where B is the same or better, 1 where it is worse, 2 where that "
        "cannot be told, 4 where a side cannot be read.",
    )
    diff.add_argument("before", metavar="A", type=_path, help="a profile or a result: before")
    diff.add_argument("now", metavar="B", type=_path, help="a profile or a result: now")
    diff.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="a metric that decides, such as step_time.p50, instead of kernel_time and "
        "kernel_count; can be given several times",
    )
    diff.add_argument(
        "--max-regression",
        type=_share,
        metavar="SHARE",
        help="how much worse a time or a share may be (5 %%); a count or a size may not be at "
        "all, and a time always by 5 us",
    )
    diff.add_argument("--case", metavar="NAME", help="the case of a result that has several")
    diff.add_argument("--json", action="store_true", help="write one JSON document")
    diff.set_defaults(run=_diff, failed=USAGE)


def _share(text: str) -> Fraction:
    try:
        if "point" in text:
            raise ValueError(f"{text!r} is a difference; write a share such as '5 %'")
        return parse(text, Dimension.SHARE)
    except ValueError as err:
        raise argparse.ArgumentTypeError(str(err)) from err


def _diff(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands import diff, diff_text

    allowed = given.max_regression
    question = diff.Question(
        before=given.before,
        now=given.now,
        metrics=tuple(given.metric or diff.METRICS_THAT_DECIDE),
        max_regression=diff.MAX_REGRESSION if allowed is None else allowed,
        case=given.case,
    )
    found = diff.compare(question)
    if given.json:
        return _as_json(diff.as_json(found)), found.status
    return diff_text.as_text(found, _width()), found.status


# --- accept -----------------------------------------------------------------------------------


def _add_accept(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    accept = subcommands.add_parser(
        "accept",
        help="make what a run measured the baseline of a case",
        description="Add what a run measured to the baseline of a case, which its limits with "
        "max_regression are compared with. Run it in the root directory of the project. Exit "
        "status: 1 where that is refused, and then nothing has changed.",
    )
    accept.add_argument(
        "result", metavar="RESULT", type=_path, nargs="?", help="a result (that of the last run)"
    )
    accept.add_argument("--case", metavar="NAME", required=True, help="the case of it")
    accept.add_argument("--reason", metavar="TEXT", required=True, help="why they are right")
    accept.add_argument(
        "--replace", action="store_true", help="instead of all sessions accepted before"
    )
    accept.add_argument("--config", metavar="FILE", type=_path, help="instead of pyproject.toml")
    accept.set_defaults(run=_accept, failed=FAILED)


def _accept(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.accept import Wish, accept

    wish = Wish(given.case, given.reason, given.replace, given.result, given.config)
    return accept(wish, Path.cwd(), _width()), DONE


# --- init -------------------------------------------------------------------------------------


def _add_init(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    init = subcommands.add_parser(
        "init",
        help="write a first budget from a profile",
        description="Print a budget for each profile, ready to paste, which the profile itself "
        "keeps to. Run it in the root directory of the project. Exit status: 1 where a profile "
        "cannot be read, or the budget cannot be written; then nothing has changed.",
    )
    init.add_argument(
        "profiles", metavar="PROFILE", type=_path, nargs="+", help="a folder or a table"
    )
    init.add_argument(
        "--headroom",
        type=_share,
        metavar="SHARE",
        help="how much more than was measured a time or a share may be (5 %%)",
    )
    init.add_argument(
        "--write", action="store_true", help="add the budgets to pyproject.toml, at its end"
    )
    init.add_argument("--config", metavar="FILE", type=_path, help="instead of pyproject.toml")
    init.set_defaults(run=_init, failed=FAILED)


def _init(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.init import HEADROOM, Wish, init

    headroom = HEADROOM if given.headroom is None else given.headroom
    return init(Wish(tuple(given.profiles), headroom, given.write, given.config), Path.cwd()), DONE


# --- doctor -----------------------------------------------------------------------------------


def _add_doctor(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    doctor = subcommands.add_parser(
        "doctor",
        help="say what is found here, and what each budget can and cannot measure",
        description="Say what is found here, and check each budget with its recording: what can "
        "be measured, and what can fail. Run it in the root directory of the project. Exit "
        "status: 1 where something cannot.",
    )
    doctor.add_argument("--config", metavar="FILE", type=_path, help="instead of pyproject.toml")
    doctor.add_argument("--case", metavar="NAME", help="only this budget")
    doctor.add_argument(
        "--self-test",
        action="store_true",
        help="find out from which change of the recording on each limit fails",
    )
    doctor.set_defaults(run=_doctor, failed=USAGE)


def _doctor(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.doctor import Wish, doctor

    wish = Wish(given.config, given.case, given.self_test)
    return doctor(wish, Path.cwd(), os.environ, Path("/dev"), _width())


# --- schema -----------------------------------------------------------------------------------


def _add_schema(subcommands: argparse._SubParsersAction[_Parser]) -> None:
    schema = subcommands.add_parser(
        "schema",
        help="print the JSON Schema of the settings, for editors",
        description="Print the JSON Schema of pyproject.toml with its table [tool.npuperf], so "
        "that an editor completes and checks budgets.",
    )
    schema.add_argument(
        "--config", metavar="FILE", type=_path, help="such as npuperf.toml, instead"
    )
    schema.set_defaults(run=_schema, failed=FAILED)


def _schema(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.schema import schema_of

    return _as_json(schema_of(given.config or Path("pyproject.toml"))), DONE
