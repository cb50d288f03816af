"""Find and read the file that holds the settings."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pytest_npuperf.config.where import KeyPath, line_of, statement_lines
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import JSON

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = "pyproject.toml"
_PREFIX = ("tool", "npuperf")


@dataclass(frozen=True)
class Source:
    """The table ``[tool.npuperf]``, and where each of its keys is said."""

    file: Path
    shown: str
    """The file as messages name it: relative to the rootdir where possible."""
    table: JSON = field(default_factory=dict)
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """Paths start at the table."""
    found: bool = True
    """Whether there is such a table at all."""

    def where(self, path: KeyPath) -> str:
        """Return ``pyproject.toml:12``."""
        line = line_of(path, self.lines)
        return self.shown if line is None else f"{self.shown}:{line}"

    def to_json(self) -> JSON:
        """Return plain data that :meth:`from_json` understands."""
        lines = [[list(path), line] for path, line in self.lines.items()]
        return {**vars(self), "file": str(self.file), "lines": lines}

    @classmethod
    def from_json(cls, data: JSON) -> Source:
        """Return the source that :meth:`to_json` gave."""
        lines = {tuple(path): line for path, line in data["lines"]}
        return cls(**{**data, "file": Path(data["file"]), "lines": lines})


def read_source(rootdir: Path, named: Path | None) -> Source | None:
    """Return the settings of a project; None where it has no table ``[tool.npuperf]``.

    ``named`` is the file that ``--npuperf-config`` names, which must be there. Raises ConfigError.
    """
    file = rootdir / (named or PYPROJECT)
    shown = _shown(file, rootdir)
    if named is None and not file.exists():
        return None
    text = _text(file, shown)
    # Nobody's broken pyproject.toml is our business unless it speaks of us.
    if named is None and "npuperf" not in text:
        return None
    prefix = prefix_in(file)
    table = _descend(read_document(text, shown), prefix)
    if table is None and named is not None:
        raise ConfigError(
            [f"{shown}: no table [tool.npuperf]; the settings were to be read from it"]
        )
    return None if table is None else Source(file, shown, table, _below(text, prefix))


def no_source(rootdir: Path) -> Source:
    """Return the settings of a project that has none."""
    return Source(rootdir / PYPROJECT, PYPROJECT, found=False)


def _shown(file: Path, rootdir: Path) -> str:
    return str(file.relative_to(rootdir) if file.is_relative_to(rootdir) else file)


def _text(file: Path, shown: str) -> str:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            [f"{shown}: no such file; the settings were to be read from it"]
        ) from None
    except OSError as error:
        raise ConfigError([f"{shown}: cannot be read: {error.strerror}"]) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError([f"{shown}:{line}: is not UTF-8; TOML files are"]) from None


def prefix_in(file: Path) -> tuple[str, ...]:
    """Return the table of a file below which its settings stand."""
    return _PREFIX if file.name == PYPROJECT else ()


def read_document(text: str, shown: str) -> JSON:
    """Return what a text in TOML says; ``shown`` is its file. Raises ConfigError."""
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also raised for a number with thousands of digits
        reason, line = str(error), len(text.rstrip().split("\n"))
        place = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", reason, re.DOTALL)
        if place:
            reason, line = f"{place[1]} (column {place[3]})", int(place[2])
        raise ConfigError([f"{shown}:{line}: not valid TOML: {reason}"]) from None


def _descend(document: JSON, prefix: KeyPath) -> JSON | None:
    table = document
    for key in prefix:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _below(text: str, prefix: KeyPath) -> dict[KeyPath, int]:
    """Return the lines of the keys below a table, from there on; () is the table itself."""
    depth = len(prefix)
    lines = statement_lines(text)
    return {path[depth:]: line for path, line in lines.items() if path[:depth] == prefix}
