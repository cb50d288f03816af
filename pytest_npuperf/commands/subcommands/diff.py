"""``npuperf diff``: its arguments, and what it prints."""

from __future__ import annotations

import argparse

from pytest_npuperf.commands.subcommands.subcommand import (
    USAGE,
    Done,
    Subcommand,
    add_json,
    as_json,
    path,
    share,
    width,
)


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A", type=path, help="a profile or a result: before")
    parser.add_argument("now", metavar="B", type=path, help="a profile or a result: now")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="a metric that decides, such as step_time.p50, instead of kernel_time and "
        "kernel_count; can be given several times",
    )
    parser.add_argument(
        "--max-regression",
        type=share,
        metavar="SHARE",
        help="how much worse a time or a share may be (5 %%); a count or a size may not be at "
        "all, and a time always by 5 us",
    )
    parser.add_argument("--case", metavar="NAME", help="the case of a result that has several")
    add_json(parser)


def _run(given: argparse.Namespace) -> Done:
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
        return as_json(diff.as_json(found)), found.status
    return diff_text.as_text(found, width()), found.status


DIFF = Subcommand(
    "diff",
    help="show what has become slower from one profile to another",
    description="Compare two profiles, or results of pytest, and name the ops behind the change. "
    "Exit status: 0 where B is the same or better, 1 where it is worse, 2 where that cannot be "
    "told, 4 where a side cannot be read.",
    declare=_declare,
    run=_run,
    failed=USAGE,
)
