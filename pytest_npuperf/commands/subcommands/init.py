"""``npuperf init``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_npuperf.commands.subcommands.subcommand import (
    DONE,
    Done,
    Subcommand,
    add_config,
    path,
    share,
)


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "profiles", metavar="PROFILE", type=path, nargs="+", help="a folder or a table"
    )
    parser.add_argument(
        "--headroom",
        type=share,
        metavar="SHARE",
        help="how much more than was measured a time or a share may be (5 %%)",
    )
    parser.add_argument(
        "--write", action="store_true", help="add the budgets to pyproject.toml, at its end"
    )
    add_config(parser)


def _run(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.init import HEADROOM, Wish, init

    headroom = HEADROOM if given.headroom is None else given.headroom
    return init(Wish(tuple(given.profiles), headroom, given.write, given.config), Path.cwd()), DONE


INIT = Subcommand(
    "init",
    help="write a first budget from a profile",
    description="Print a budget for each profile, ready to paste, which the profile itself keeps "
    "to. Run it in the root directory of the project. Exit status: 1 where a profile cannot be "
    "read, or the budget cannot be written; then nothing has changed.",
    declare=_declare,
    run=_run,
)
