"""What the pages of the documentation show: their blocks, and the commands with their output."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

# What depends on the machine and on the other plugins that are installed.
_VARYING = re.compile(r"(platform|cachedir|rootdir|configfile|plugins|asyncio|Using --random).*")
_BLOCK = re.compile(r"^( *)```(\w+)\n((?s:.*?))^\1```$", re.MULTILINE)


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language, without the indent of a list."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [
        re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        for indent, name, text in found
        if name == language
    ]


def shown(console: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block, with the output below it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def normalised(output: str) -> list[str]:
    """Return the lines of an output without what differs from run to run."""
    lines = (re.sub(r"\b\d+\.\d+s\b", "N s", line.rstrip()) for line in output.splitlines())
    rulers = (re.sub(r"=+", "=", re.sub(r"_{2,}", "_", line)) for line in lines)
    return [line for line in rulers if line and not _VARYING.match(line)]


def environment() -> dict[str, str]:
    """Return variables under which a command prints what the pages show, on any machine."""
    others = ("PYTEST_", "GITHUB_")
    env = {key: value for key, value in os.environ.items() if not key.startswith(others)}
    # Each plugin that is installed costs every run a part of a second; one shuffles the tests.
    env |= {
        "COLUMNS": "100",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p npuperf -p no:cacheprovider",
    }
    env.pop("CI", None)
    return env
