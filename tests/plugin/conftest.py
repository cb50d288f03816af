"""A small project to run pytest in: budgets, a recording, tests."""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# A run of pytest inside pytest forgets what it imported, and numpy cannot be imported twice.
import jsonschema  # noqa: F401
import pandas  # noqa: F401
import pytest

import pytest_npuperf.pipeline  # noqa: F401
from pytest_npuperf import results
from pytest_npuperf.plugin.session import NpuperfSession

STANDIN = Path(__file__).parent.parent / "standin"
write_tables: Callable[..., None] = runpy.run_path(str(STANDIN / "standin_tables.py"))[
    "write_tables"
]

# Two steps of a convolution (50 us each) and a cast (10 us each): kernel_time is 120 us.
OPS = [["Conv2D", "AI_CORE", [50, 50]], ["Cast", "AI_VECTOR_CORE", [10, 10]]]
PROF = "PROF_000001_20260716123456789_00012345ABCDEFGH"

MARKED = """
import pytest

@pytest.mark.npuperf("resnet50")
def test_speed():
    pass
"""


class Project:
    """A folder with a recording ``resnet50``, whose kernel_time is 120 us in two steps."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.path = pytester, pytester.path
        self.record("resnet50")

    def record(self, name: str, ops: list[list[Any]] = OPS, steps: int = 2) -> Path:
        """Make a recording."""
        profile = self.path / "recordings" / name / PROF
        profile.mkdir(parents=True, exist_ok=True)
        numbers = self.path / f"{name}.numbers.json"
        numbers.write_text(json.dumps({"steps": steps, "ops": ops}), encoding="utf-8")
        write_tables(numbers, profile, ["20260716123500"])
        numbers.unlink()
        return profile.parent

    def budget(self, *lines: str, name: str = "resnet50", recording: str = "resnet50") -> None:
        """Add a budget to pyproject.toml, which replays a recording."""
        head = f'[tool.npuperf.budgets.{name}]\nrecording = "{recording}"\n'
        self.settings(head + "\n".join(lines))

    def settings(self, toml: str) -> None:
        """Add text to pyproject.toml."""
        with (self.path / "pyproject.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n{toml}\n")

    def tests(self, text: str = MARKED, name: str = "test_it") -> Path:
        """Write a file of tests."""
        return self.pytester.makepyfile(**{name: text})

    def run(self, *args: str) -> pytest.RunResult:
        """Run pytest in this process, with no plugin but ours and those that are named."""
        return self.pytester.runpytest_inprocess(*self._plugins(args), *args)

    def start(self, *args: str) -> pytest.RunResult:
        """Run pytest in a process of its own, with the same plugins."""
        return self.pytester.runpytest_subprocess(*self._plugins(args), *args)

    @staticmethod
    def _plugins(args: Sequence[str]) -> list[str]:
        return ["-p", "npuperf", *(["-p", "xdist"] if "-n" in args else [])]

    def results(self, *args: str, status: int) -> Any:
        """Run pytest, and return the results that it writes, which the schema allows."""
        result = self.run("--npuperf-json=results.json", *args)
        assert result.ret == status, result.stdout.str()
        return self.read()

    def read(self, name: str = "results.json") -> Any:
        """Return a result file, which the schema must allow."""
        return results.read(self.path / name)

    def verdicts(self, *args: str, status: int) -> dict[str, str]:
        """Run pytest, and return the verdict of each test by its name."""
        cases = self.results(*args, status=status)["cases"]
        return {case["test"].rpartition("::")[2]: case["verdict"] for case in cases}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Project:
    """Return a project on a machine without NPUs, and without what would change the output."""
    for name in os.environ:
        if name.startswith(("STANDIN_", "ASCEND_", "GITHUB_")) or name in ("CI", "BUILD_NUMBER"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    # Each plugin that is installed costs every run, most of all every worker, a part of a second.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(NpuperfSession, "dev", tmp_path / "dev")
    return Project(pytester)


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-in for msprof first on PATH."""
    # Its Python is the one of the tests: that of pyenv is a shell script, which takes longer.
    path = [str(STANDIN), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    return STANDIN / "msprof"


@pytest.fixture
def npu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a machine with an NPU, whose lease nobody else waits for."""
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "davinci0").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
