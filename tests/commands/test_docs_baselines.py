"""docs/baselines.md says what the commands do."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from datetime import datetime, timezone
from pathlib import Path

import pytest

from pytest_npuperf import results
from pytest_npuperf.collect import replay
from pytest_npuperf.commands import diff
from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.sides import read_side
from pytest_npuperf.config import Options, load
from pytest_npuperf.judge import judge, worst
from pytest_npuperf.judge.comparable import COMPARED
from pytest_npuperf.model import CaseResult
from pytest_npuperf.units import Dimension

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "baselines.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
Captured = pytest.CaptureFixture[str]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n((?s:.*?))^```$", PAGE, re.MULTILINE)


def shown(command: str) -> tuple[list[str], str]:
    """Return the arguments of the one example of a command, and what it prints."""
    (found,) = (block for block in blocks("console") if block.startswith(f"$ npuperf {command} "))
    line, _, output = found.partition("\n")
    return shlex.split(line)[2:], output


def section(heading: str) -> str:
    return PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[tuple[str, str]]:
    """Return the first two cells of each row of the tables of a section, but for the heads."""
    found = re.findall(r"^\| ([^|]*) \| ([^|]*) \|$", section(heading), re.MULTILINE)
    return [row for row in found if row[0] not in ("option", "key", "exit status")]


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the example project, add the budget of the page, and go there."""
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "example_project" / "recordings", folder / "recordings")
    (budget,) = blocks("toml")
    (folder / "pyproject.toml").write_text(budget, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    return folder


def run(folder: Path) -> None:
    """Leave the result that pytest would."""
    settings = load(folder, Options())
    assert settings is not None
    case = settings.case("resnet50")
    recording = folder / "recordings" / "resnet50"
    measured = read_side(recording, [limit.wanted for limit in case.limits], None).rounds
    limits = judge(case, measured, {})
    result = CaseResult(
        case="resnet50",
        test="test_speed.py::test_resnet50_is_fast",
        verdict=worst(limits),
        mode="replay",
        fingerprint=replay(recording).fingerprint,
        rounds=measured,
        limits=limits,
    )
    found = results.document([result], datetime(2026, 1, 31, tzinfo=timezone.utc), 0)
    results.write(settings.output / "20260131-000000-1" / results.RESULT, found)


def test_what_accept_prints(example: Path, capsys: Captured) -> None:
    run(example)
    arguments, output = shown("accept")
    assert main(arguments) == 0
    assert capsys.readouterr().out == output
    # A recording is no second session, as the page says.
    assert main(arguments) == 1
    assert "has these rounds already" in capsys.readouterr().err


def test_what_diff_prints(example: Path, capsys: Captured) -> None:
    arguments, output = shown("diff")
    assert main(arguments) == diff.WORSE
    assert capsys.readouterr().out == output


@pytest.mark.parametrize(
    ("command", "heading"), [("accept", "Accept a baseline"), ("diff", "Compare two profiles")]
)
def test_the_options_are_those_of_the_command(command: str, heading: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    known = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
    listed = re.findall(r"`(--[a-z-]+)[^`]*`", " ".join(cell for cell, _ in rows(heading)))
    assert set(listed) == known


def test_the_exit_statuses() -> None:
    listed = [cell for cell, _ in rows("Compare two profiles") if cell.isdigit()]
    assert listed == [str(each) for each in (diff.SAME, diff.WORSE, diff.UNKNOWN, 4)]


def test_what_is_compared() -> None:
    *listed, (options, _) = rows("What can be compared")
    assert [(key.strip("`"), name) for key, name in listed] == list(COMPARED.items())
    assert options == "`msprof.NAME`"


def test_what_decides_without_an_option() -> None:
    assert f"instead of {' and '.join(f'`{name}`' for name in diff.METRICS_THAT_DECIDE)}" in TEXT
    assert f"by default `{diff.MAX_REGRESSION * 100} %`" in TEXT
    assert f"by at most {diff.MIN_EFFECT / 1000} us" in TEXT
    assert f"up to {results.MOST_SESSIONS} sessions" in TEXT


def test_the_keys_of_the_document(example: Path, capsys: Captured) -> None:
    main([*shown("diff")[0], "--json"])
    document = json.loads(capsys.readouterr().out)
    listed = [re.findall(r"`(\w+)`", cell) for cell, _ in rows("The JSON of a diff")]
    assert [key for keys in listed for key in keys] == list(document)
    told = dict(rows("The JSON of a diff"))
    assert told["`format`"] == str(diff.FORMAT)
    assert re.findall(r"`(\w+)`", told["`before`, `now`"]) == list(document["before"])
    units = {dimension.value for dimension in Dimension} - {Dimension.NUMBER.value}
    assert units <= set(re.findall(r"`(\w+)`", told["`limits`"]))
