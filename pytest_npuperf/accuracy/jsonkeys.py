"""Where the keys of a JSON text stand, which the reader of the standard library does not tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"(?=(\s*:)?)|[{}\n]')


@dataclass(frozen=True)
class Key:
    """A key of an object."""

    within: int
    """Which object, counted as they begin; the first of a text is 1."""
    name: str
    line: int


def keys_of(text: str) -> Iterator[Key]:
    """Yield the keys of all objects of a sound JSON text, in its order."""
    line, begun = 1, 0
    within: list[int] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "\n":
                line += 1
            case "{":
                begun += 1
                within.append(begun)
            case "}":
                within.pop()
            case name if token[1]:
                yield Key(within[-1], json.loads(name), line)
            case _:
                pass


def repeated_keys(text: str) -> Iterator[Key]:
    """Yield the keys that their object has already; the text may end after the first of them."""
    seen = set()
    for key in keys_of(text):
        if (key.within, key.name) in seen:
            yield key
        seen.add((key.within, key.name))
