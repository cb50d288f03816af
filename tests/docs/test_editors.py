"""Editors find the schema as docs/editors.md says, and it fits what pytest accepts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pages
import pytest
from jsonschema import Draft202012Validator

from pytest_npuperf.commands.cli import main
from pytest_npuperf.config.schema import schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "editors.md"
EXAMPLE = (ROOT / "example_project" / "pyproject.toml").read_text(encoding="utf-8")
MISSPELT = EXAMPLE.replace("kernel_count_per_step", "kernel_cuont_per_step")
REFUSED = "Additional properties are not allowed ('kernel_cuont_per_step' was unexpected)"

Captured = pytest.CaptureFixture[str]


def printed(captured: Captured, *arguments: str) -> dict[str, Any]:
    assert main(["schema", *arguments]) == 0
    found: dict[str, Any] = json.loads(captured.readouterr().out)
    return found


def references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        yield from (value for key, value in node.items() if key == "$ref")
        node = list(node.values())
    if isinstance(node, list):
        for each in node:
            yield from references(each)


@pytest.mark.parametrize("arguments", [(), ("--config", "npuperf.toml")])
def test_the_schema_is_valid_and_needs_no_other_file(
    arguments: tuple[str, ...], capsys: Captured
) -> None:
    found = printed(capsys, *arguments)
    Draft202012Validator.check_schema(found)
    assert "$id" not in found  # Taplo would fetch what it says
    assert {text.partition("$defs/")[0] for text in references(found)} == {"#/"}


@pytest.mark.parametrize(("text", "faults"), [(EXAMPLE, []), (MISSPELT, [REFUSED])])
def test_it_takes_a_budget_among_the_tables_of_other_tools(
    text: str, faults: list[str], capsys: Captured
) -> None:
    found = Draft202012Validator(printed(capsys)).iter_errors(tomllib.loads(text))
    assert [fault.message for fault in found] == faults


def test_for_a_file_of_its_own_it_is_the_schema_of_the_package(capsys: Captured) -> None:
    assert printed(capsys, "--config", "npuperf.toml") == schema()
    assert printed(capsys, "--config", "pyproject.toml") == printed(capsys)


# --- Taplo, which is in the extension of VS Code ------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, capsys: Captured) -> Path:
    if shutil.which("taplo", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("taplo is not installed; the group docs in pyproject.toml has it")
    document = printed(capsys)
    (tmp_path / "npuperf.schema.json").write_text(json.dumps(document), encoding="utf-8")
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    taplo = Path(sys.executable).with_name("taplo")
    return subprocess.run(
        [taplo, "lint", "--colors=never", "pyproject.toml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("way", ["a line in the file", ".taplo.toml"])
def test_taplo_finds_a_misspelt_key(project: Path, way: str) -> None:
    line, settings = pages.blocks(PAGE, "toml")
    if way == ".taplo.toml":
        (project / way).write_text(settings, encoding="utf-8")
        line = ""
    (project / "pyproject.toml").write_text(line + EXAMPLE, encoding="utf-8")
    right = lint(project)
    assert right.returncode == 0, right.stderr
    (project / "pyproject.toml").write_text(line + MISSPELT, encoding="utf-8")
    wrong = lint(project)
    assert wrong.returncode == 1
    (shown,) = pages.blocks(PAGE, "text")
    assert shown in wrong.stderr
