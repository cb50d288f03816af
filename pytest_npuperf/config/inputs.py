"""What the command line and a marker say about a case, apart from pytest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pytest_npuperf.model import JSON, Mode


@dataclass(frozen=True)
class Options:
    """The command line; None where it says nothing. Relative paths start at the rootdir."""

    config: Path | None = None
    """The file that holds the settings instead of ``pyproject.toml``."""
    mode: Mode | None = None
    recordings: Path | None = None
    output: Path | None = None
    strict: bool | None = None
    record: bool | None = None
    rounds: int | None = None

    def as_table(self) -> dict[str, JSON]:
        """Return what was said, as the keys of a budget and plain data."""
        said = {key: value for key, value in asdict(self).items() if value is not None}
        return {key: str(v) if isinstance(v, Path) else v for key, v in said.items()}

    @classmethod
    def from_table(cls, table: Mapping[str, JSON]) -> Options:
        """Return the options that :meth:`as_table` gave."""
        paths = {
            key: Path(table[key]) for key in ("config", "recordings", "output") if key in table
        }
        return cls(**{**table, **paths})


@dataclass(frozen=True)
class Marker:
    """The keywords of a ``npuperf`` marker, which are the keys of a budget."""

    keywords: Mapping[str, JSON] = field(default_factory=dict)
    where: str = "marker"
    """``tests/test_speed.py::test_it (marker)``"""
