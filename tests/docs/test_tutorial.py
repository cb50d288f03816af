"""A reader who follows docs/tutorial.md, command by command, sees what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pages
import pytest

from pytest_npuperf.commands.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
SAVED = re.compile(r"[Ss]ave this as `([\w.]+)`[^`]*\n\n```\w+\n((?s:.*?))^```$", re.MULTILINE)


@dataclass
class Reader:
    """Runs one command after the other in a folder."""

    folder: Path
    captured: pytest.CaptureFixture[str]
    status: int = 0
    env: dict[str, str] = field(default_factory=pages.environment)

    def run(self, command: str) -> str:
        """Return what a command prints, and keep its exit status."""
        name, *arguments = shlex.split(command)
        if name == "npuperf":  # in this process, which spares a second
            self.status = main(arguments)
            return self.captured.readouterr().out
        ran = subprocess.run(
            ["bash", "-c", f"(exit {self.status}); {command}"],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        self.status = ran.returncode
        return ran.stdout + ran.stderr


@pytest.fixture
def reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Reader:
    """Return a reader who has installed the plugin, and has saved the files of the page."""
    for name, text in SAVED.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    reader = Reader(tmp_path, capsys)
    reader.env["PATH"] = f"{Path(sys.executable).parent}:{reader.env['PATH']}"
    monkeypatch.setenv("COLUMNS", reader.env["COLUMNS"])
    return reader


def test_the_page_saves_a_script_and_a_test() -> None:
    saved = [name for name, _ in SAVED.findall(PAGE.read_text(encoding="utf-8"))]
    assert saved == ["make_profile.py", "test_speed.py"]


def test_each_command_prints_what_the_page_shows(reader: Reader) -> None:
    told = [each for block in pages.blocks(PAGE, "console") for each in pages.shown(block)]
    assert [command for command, _ in told if command == "pytest"] == ["pytest"] * 2
    for command, output in told:
        found = reader.run(command)
        assert pages.normalised(found) == pages.normalised(output), f"$ {command}\n{found}"
