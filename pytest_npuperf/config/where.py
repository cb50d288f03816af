"""Find the line on which each key of a TOML file is said, which no TOML reader tells."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KeyPath = tuple[str | int, ...]
"""A way down into nested tables and lists: ``("budgets", "resnet50", "ops", 0, "max")``."""

_CLOSERS = ("]", "}", '"""', "'''")


def statement_lines(text: str) -> dict[KeyPath, int]:
    """Return the line of the first statement about each key and table of a valid TOML text.

    Keys inside an inline table or a list have no entry: theirs is the line of their statement,
    which :func:`line_of` finds.
    """
    lines: dict[KeyPath, int] = {}
    last: dict[KeyPath, int] = {}  # index of the newest element of each [[array]]
    header: KeyPath = ()
    for line, statement in _statements(text):
        keys = _keys(statement)
        if statement.lstrip().startswith("["):
            header = _entered(keys, last, is_array=statement.lstrip().startswith("[["))
            path = header
        else:
            path = header + keys
        for end in range(1, len(path) + 1):
            lines.setdefault(path[:end], line)
    return lines


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    """Return the line of the statement that says a key, or the nearest table around it."""
    for end in range(len(path), -1, -1):
        if path[:end] in lines:
            return lines[path[:end]]
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each header and each assignment with the number of its first line."""
    pending: list[str] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        pending.append(line)
        if len(pending) > 1 and not _may_close(line):
            continue
        statement = "\n".join(pending)
        try:
            found = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        if found:
            yield number - len(pending) + 1, statement
        pending = []


def _may_close(line: str) -> bool:
    """Return whether a line could end a statement begun above; saves most attempts to parse."""
    if line.rstrip().endswith(",") and "#" not in line:
        return False
    return any(closer in line for closer in _CLOSERS)


def _keys(statement: str) -> tuple[str, ...]:
    """Return the keys that a statement goes down: those of tables with a single key."""
    keys: list[str] = []
    found: object = tomllib.loads(statement)
    while isinstance(found, dict) and len(found) == 1:
        ((key, found),) = found.items()
        keys.append(key)
    return tuple(keys)


def _entered(keys: tuple[str, ...], last: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    """Return the path of a header, through the newest element of each array on the way."""
    path: KeyPath = ()
    for position, key in enumerate(keys, start=1):
        path = (*path, key)
        if is_array and position == len(keys):
            last[path] = last.get(path, -1) + 1
        if path in last:
            path = (*path, last[path])
    return path
