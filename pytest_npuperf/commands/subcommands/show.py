"""``npuperf show``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
import os
import sys

from pytest_npuperf.commands.subcommands.subcommand import (
    DONE,
    Done,
    Subcommand,
    add_json,
    as_json,
    path,
    width,
)

BY = ("type", "op", "core", "step", "api", "layer")


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "profile",
        metavar="PROFILE",
        type=path,
        help="a folder, a table, or a file about a quantised model",
    )
    add_json(parser)
    parser.add_argument(
        "--top", type=_positive, default=10, metavar="N", help="rows of an area and lane (10)"
    )
    parser.add_argument("--by", choices=BY, help="only this area")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def _run(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands import show

    shown = show.look_at(given.profile, given.top, given.by)
    if given.json:
        return as_json(show.as_json(shown)), DONE
    if _has_colours():
        from pytest_npuperf.commands.terminal import coloured

        return coloured(shown, width()), DONE
    from pytest_npuperf.commands.render import plain

    return plain(shown, width()), DONE


def _has_colours() -> bool:
    is_simple = os.environ.get("TERM") in ("dumb", "unknown") or os.environ.get("NO_COLOR")
    return sys.stdout.isatty() and not is_simple


SHOW = Subcommand(
    "show",
    help="show where the time of a profile goes",
    description="Show a profile area by area: what it holds, the layers of its timeline, op "
    "types, single ops, cores, steps, host APIs, fusion, memory and advice; or the kernels that "
    "`msprof op` measured, and their cores. Of a quantised model it shows a result of the accuracy "
    "comparison, a calibration config of AMCT, or the folder of its accuracy-based search.",
    declare=_declare,
    run=_run,
)
