"""The documents say what is so: the commands of the README, and the changelog fragments."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRAGMENTS = sorted((ROOT / "changelog").iterdir())
FRAGMENT = re.compile(r"(\+[a-z-]+|[0-9]+)\.(feature|change|fix|removal)(\.[0-9]+)?\.md")


def marked_commands() -> list[tuple[str, str]]:
    """Return the name and the text of each set-up command in the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^<!-- command: (\w+) -->\n+```sh\n(.*\n)```$", readme, re.MULTILINE)


def test_the_readme_has_exactly_two_set_up_commands_of_one_line_each() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name, _ in marked_commands()] == ["example", "test"]
    assert readme.count("<!-- command: ") == readme.count("```sh\n") == 2


def test_ci_finds_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (function,) = re.findall(r"^readme_command\(\) {\n.*?^}\n", script, re.MULTILINE | re.DOTALL)
    for name, command in marked_commands():
        found = subprocess.run(
            ["bash", "-c", f"{function}readme_command {name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert found.stdout == command


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_changelog_fragment_has_a_valid_name_and_says_something(path: Path) -> None:
    assert path.name == "README.md" or FRAGMENT.fullmatch(path.name)
    assert path.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("2.feature.md", True),
        ("2.feature.1.md", True),
        ("+typing.fix.md", True),
        ("2.features.md", False),
        ("2.md", False),
        ("feature.md", False),
        ("2.feature.rst", False),
    ],
)
def test_which_fragment_names_are_valid(name: str, valid: bool) -> None:
    assert bool(FRAGMENT.fullmatch(name)) is valid


def test_the_types_of_fragments_are_those_of_towncrier() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    table = (ROOT / "changelog" / "README.md").read_text(encoding="utf-8")
    configured = re.findall(r'^\[\[tool\.towncrier\.type\]\]\ndirectory = "(\w+)"', settings, re.M)
    documented = re.findall(r"^\| `(\w+)` \|", table, re.M)
    assert configured == documented == ["feature", "change", "fix", "removal"]
