"""A fault in the settings: which key it is about, and one sentence that says what is wrong."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_npuperf.config.where import KeyPath

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Problem:
    """One fault; ``path`` starts at the table ``[tool.npuperf]``, or at a marker's keywords."""

    path: KeyPath
    text: str


def dotted(path: KeyPath) -> str:
    """Return a path as people write it: ``budgets.resnet50.ops[0].max``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{_key(part)}"
    return text.removeprefix(".")


def _key(part: str) -> str:
    return part if _BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False)


def did_you_mean(found: str, known: Iterable[str], at_most: int = 1) -> str:
    """Return ``; did you mean "p95"?`` with the nearest names, or nothing where none is near."""
    names = list(known)
    # Case counts for settings, not for what people mean.
    like = difflib.get_close_matches(found.lower(), {name.lower() for name in names}, n=at_most)
    near = [name for text in like for name in names if name.lower() == text][:at_most]
    return f"; did you mean {' or '.join(map(quoted, near))}?" if near else ""


def listed(names: Iterable[object]) -> str:
    """Return names for people: ``"auto", "run" or "off"``."""
    *first, last = map(quoted, names)
    return f"{', '.join(first)} or {last}" if first else last


def quoted(value: object) -> str:
    """Return a value as TOML writes it."""
    return json.dumps(value, ensure_ascii=False)
