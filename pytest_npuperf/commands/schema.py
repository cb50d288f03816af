"""``npuperf schema``: the JSON Schema of the settings as one file, for editors."""

from __future__ import annotations

from pathlib import Path

from pytest_npuperf.config.schema import schema
from pytest_npuperf.config.source import prefix_in
from pytest_npuperf.model import JSON


def schema_of(file: Path) -> JSON:
    """Return the schema of a whole file; of ``pyproject.toml`` other tools have their part.

    It refers to nothing outside of itself, since editors resolve that each in a way of its own.
    """
    root = dict(schema())
    dialect, definitions = root.pop("$schema"), root.pop("$defs")
    for key in reversed(prefix_in(file)):
        root = {"type": "object", "properties": {key: root}, "additionalProperties": True}
    return {"$schema": dialect, **root, "$defs": definitions}
