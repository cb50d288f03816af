"""A newcomer with one op_summary, who follows the README, has a budget that holds and can fail."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from profile_tables import Op, op_summary, write

from pytest_npuperf.commands.cli import main
from pytest_npuperf.config import Options, load

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## Your first budget\n")[2].partition("\n## ")[0]


def test_the_first_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ops = [Op(start=2_000 * number, duration=1_000 + number) for number in range(30)]
    write(tmp_path / "recordings" / "mymodel", {"op_summary_20260101000000.csv": op_summary(*ops)})
    (tmp_path / "pyproject.toml").touch()
    commands = re.findall(r"`npuperf ((?:init|doctor) [^`]*)`", SECTION)
    assert [command.split()[0] for command in commands] == ["init", "doctor"]
    for command in commands:
        assert main(shlex.split(command)) == 0, capsys.readouterr()
    assert "all can be measured, and can fail" in capsys.readouterr().out
    settings = load(tmp_path, Options())
    assert settings is not None
    assert [f'npuperf("{name}")' for name in settings.budgets] == re.findall(
        r"`(npuperf\(.*\))`", SECTION
    )


@pytest.mark.parametrize(
    "word",
    [
        *("@pytest.mark.npuperf", "[tool.npuperf.budgets.", "FAILED ", "npuperf init"),
        *("npuperf doctor", "--npuperf-html=", "(#against-a-baseline)", "(docs/tutorial.md)"),
    ],
)
def test_the_first_screens_name_it(word: str) -> None:
    assert word in README.partition("\n## Try it\n")[0]
