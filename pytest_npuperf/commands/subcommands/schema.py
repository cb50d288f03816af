"""``npuperf schema``: its arguments, and what it prints."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_npuperf.commands.subcommands.subcommand import DONE, Done, Subcommand, as_json, path


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", type=path, help="such as npuperf.toml, instead")


def _run(given: argparse.Namespace) -> Done:
    from pytest_npuperf.commands.schema import schema_of

    return as_json(schema_of(given.config or Path("pyproject.toml"))), DONE


SCHEMA = Subcommand(
    "schema",
    help="print the JSON Schema of the settings, for editors",
    description="Print the JSON Schema of pyproject.toml with its table [tool.npuperf], so that "
    "an editor completes and checks budgets.",
    declare=_declare,
    run=_run,
)
