"""``npuperf accept``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_npuperf.commands.subcommands.subcommand import (
    DONE,
    Done,
    Subcommand,
    add_config,
    path,
    width,
)


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "result", metavar="RESULT", type=path, nargs="?", help="a result (that of the last run)"
    )
    parser.add_argument("--case", metavar="NAME", required=True, help="the case of it")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="why they are right")
    parser.add_argument(
        "--replace", action="store_true", help="instead of all sessions accepted before"
    )
    add_config(parser)


def _run(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.accept import Wish, accept

    wish = Wish(given.case, given.reason, given.replace, given.result, given.config)
    return accept(wish, Path.cwd(), width()), DONE


ACCEPT = Subcommand(
    "accept",
    help="make what a run measured the baseline of a case",
    description="Add what a run measured to the baseline of a case, which its limits with "
    "max_regression are compared with. Run it in the root directory of the project. Exit status: "
    "1 where that is refused, and then nothing has changed.",
    declare=_declare,
    run=_run,
)
