"""``npuperf doctor``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pytest_npuperf.commands.subcommands.subcommand import (
    USAGE,
    Done,
    Subcommand,
    add_config,
    width,
)


def _declare(parser: argparse.ArgumentParser) -> None:
    add_config(parser)
    parser.add_argument("--case", metavar="NAME", help="only this budget")
    parser.add_argument(
        "--self-test",
        action="store_true",
        help="find out from which change of the recording on each limit fails",
    )


def _run(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.doctor import Wish, doctor

    wish = Wish(given.config, given.case, given.self_test)
    return doctor(wish, Path.cwd(), os.environ, Path("/dev"), width())


DOCTOR = Subcommand(
    "doctor",
    help="say what is found here, and what each budget can and cannot measure",
    description="Say what is found here, and check each budget with its recording: what can be "
    "measured, and what can fail. Run it in the root directory of the project. Exit status: 1 "
    "where something cannot.",
    declare=_declare,
    run=_run,
    failed=USAGE,
)
