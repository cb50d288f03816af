"""docs/options.md lists the options, commands and variables that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pytest_npuperf
from pytest_npuperf.commands import cli, diff
from pytest_npuperf.commands.subcommands.subcommand import DONE, FAILED, USAGE
from pytest_npuperf.config.schema import schema
from pytest_npuperf.plugin.options import add_options

PAGE = (Path(__file__).parents[2] / "docs" / "options.md").read_text(encoding="utf-8")
FROM_LIBRARIES = {"COLUMNS"}
"""Variables that Python reads for us."""


def rows(heading: str, number: int = 0) -> list[list[str]]:
    """Return the cells of a table of a section, but for its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    tables = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    lines = tables[number].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class Parser:
    """Stands in for the parser of pytest, and keeps what it is given."""

    def __init__(self) -> None:
        self.known: dict[str, object] = {}

    def getgroup(self, *_: str) -> Parser:
        return self

    def addoption(self, name: str, *, metavar: str = "", action: str = "", **_: object) -> None:
        self.known[name] = "" if action == "store_true" else metavar or "MODE"


def test_the_options_of_pytest() -> None:
    parser = Parser()
    add_options(parser)  # type: ignore[arg-type]
    listed = [cell.strip("`").partition("=") for cell, _, _ in rows("pytest")]
    assert {name: value for name, _, value in listed} == parser.known


def test_the_keys_that_have_an_option() -> None:
    keys = {"rounds", *schema()["properties"]}
    for option, key, _ in rows("pytest"):
        assert key in (f"`{option.removeprefix('`--npuperf-').partition('=')[0]}`", "")
        assert not key or key.strip("`") in keys


def test_the_members_of_the_gate() -> None:
    from pytest_npuperf.plugin.gate import Gate

    listed = re.findall(r"`\.(\w+)", "".join(cell for cell, _ in rows("pytest", 1)))
    inside = {"finish", "close"}
    assert set(listed) == {name for name in vars(Gate) if name[0] != "_"} - inside


def test_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    known = re.findall(r"^    (\w+)  ", capsys.readouterr().out, re.MULTILINE)
    assert sorted(re.findall(r"`npuperf (\w+)`", PAGE)) == sorted(known)


def test_the_variables() -> None:
    sources = Path(pytest_npuperf.__file__).parent.rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    read = re.findall(r'env(?:iron)?\.get\("(\w+)"', text)
    named = re.findall(r'^(?:VISIBLE|OUTPUT|MARK) = "(\w+)"', text, re.MULTILINE)
    listed = [name for cell, _, _ in rows("Environment") for name in re.findall(r"`(\w+)`", cell)]
    assert set(listed) == {*read, *named, *FROM_LIBRARIES}


def test_the_exit_statuses() -> None:
    ends = pytest.ExitCode
    plugin = [int(status) for status, _ in rows("Exit status")]
    assert plugin == sorted(
        [ends.OK, ends.TESTS_FAILED, ends.INTERRUPTED, ends.USAGE_ERROR, ends.NO_TESTS_COLLECTED]
    )
    command = [int(status) for status, _ in rows("Exit status", 1)]
    assert command == sorted({DONE, FAILED, diff.UNKNOWN, USAGE, cli.INTERRUPTED})
