"""What the pages show can be used as it stands: settings, workflows, command lines, programs."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pages
import pytest

from pytest_npuperf.commands.cli import main
from pytest_npuperf.config import Options, load

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def all_blocks(language: str) -> list[Any]:
    """Return the blocks of all pages in a language, each with the name of its page."""
    return [
        pytest.param(text, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, text in enumerate(pages.blocks(page, language))
    ]


def settings() -> list[Any]:
    return [each for each in all_blocks("toml") if "[tool.npuperf" in each.values[0]]


@pytest.mark.parametrize("text", settings())
def test_settings_are_accepted(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    found = load(tmp_path, Options())
    assert found is not None
    assert [found.case(name).name for name in found.budgets] == list(found.budgets)


@pytest.mark.parametrize("text", all_blocks("python"))
def test_a_program_is_python(text: str) -> None:
    ast.parse(text)


@pytest.mark.parametrize("text", all_blocks("json"))
def test_json_is_json(text: str) -> None:
    json.loads(text)


@pytest.mark.parametrize("text", all_blocks("yaml"))
def test_a_workflow_says_what_its_jobs_run(text: str) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is in the group docs in pyproject.toml")
    found = yaml.safe_load(text)
    if isinstance(found, list):  # a part of a workflow
        found = {"jobs": {"": {"steps": found}}}
    for job in found.get("jobs", found).values():  # GitHub has steps, GitLab a script
        lines = job.get("script") or [step["run"] for step in job["steps"] if "run" in step]
        assert any("pytest" in line for line in lines)


# --- command lines ------------------------------------------------------------------------------


def pytest_options() -> list[str]:
    """Return the options that the pages give to pytest, in blocks and in sentences."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = re.findall(
        r"(?:^|[`$ /])pytest((?: +-{1,2}[a-z][^\s`|&;)]*(?: \d+)?)+)", text, re.MULTILINE
    )
    return sorted({line.strip() for line in found})


@pytest.mark.parametrize("line", pytest_options())
def test_pytest_knows_the_options(line: str, pytester: pytest.Pytester) -> None:
    pytester.parseconfig(*shlex.split(line))


def test_npuperf_knows_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    found = re.findall(r"\bnpuperf (show|init|diff|accept|doctor|schema)\b([^`\n]*)", text)
    assert {name for name, _ in found} >= {"show", "init", "diff", "accept", "schema"}
    for name in {name for name, _ in found}:
        with pytest.raises(SystemExit):
            main([name, "--help"])
        known = set(re.findall(r"--[a-z][a-z-]+", capsys.readouterr().out))
        for _, rest in [each for each in found if each[0] == name]:
            used = set(re.findall(r"(?<= )--[a-z][a-z-]+", rest))
            assert used <= known, f"npuperf {name}{rest}"
