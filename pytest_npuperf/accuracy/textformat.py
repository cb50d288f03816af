"""Protobuf text, as far as it can be read without the schema: each field and its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.text import shown

_DEEPEST = 100
"""Messages one in another; AMCT's own go to four."""
_CLOSING = {"{": "}", "<": ">"}

_STRING = r""" "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' """
_VALUE = rf"(?: (?:{_STRING}) (?:\s*(?:{_STRING}))* | -?(?:[A-Za-z_]\w*|\.?[0-9][\w.+-]*) )"
_FLAGS = re.VERBOSE | re.ASCII
_STRINGS = re.compile(_STRING, _FLAGS)
# What begins like a text and does not end is left as it is, to be refused.
_COMMENT = re.compile(rf"""({_STRING} | ["'][^\n]*) | \#[^\n]*""", _FLAGS)
_ITEMS = re.compile(_VALUE, _FLAGS)
# One step from field to field. What may stand in a list of messages, between two of them and
# after the last, belongs to the brackets before it.
_STATEMENT = re.compile(
    rf"""
    (?: (?P<name>[A-Za-z_]\w*) \s* (?:
            (?: : \s* )? (?: (?P<first>\[) \s* )? (?P<open>[{{<])
          | : \s* \[ \s* (?P<list>(?: {_VALUE} \s* (?: , \s* {_VALUE} \s* )* )?) \] \s* [,;]?
          | : \s* (?P<value>{_VALUE}) \s* [,;]?
        )
      | (?P<close>[}}>]) \s* (?: (?P<next>,\s*[{{<]) | (?P<last>\])? \s* [,;]? )
    ) \s*
    """,
    _FLAGS,
)


@dataclass(frozen=True, eq=False)
class Message:
    """A message that is open; two of one name are two."""

    name: str
    line: int
    bracket: str
    listed: bool
    """Whether it stands in a list."""


@dataclass(frozen=True)
class Field:
    """A field, as often as it is written."""

    within: tuple[Message, ...]
    name: str
    value: str | tuple[str, ...] | None
    """As it is written, a text in double quotes; a tuple where it is a list, None: a message."""
    line: int


def fields_of(path: Path, text: str) -> Iterator[Field]:
    """Yield the fields of a text in its order. Raises AccuracyError, also on a brace too many."""
    text = _COMMENT.sub(lambda found: found[1] or "", text)
    opened: tuple[Message, ...] = ()
    for line, found in _statements(path, text):
        if found["close"]:
            opened = _closed(f"{path}:{line}", opened, found)
        elif found["open"]:
            yield Field(opened, found["name"], None, line)
            message = Message(found["name"], line, found["open"], bool(found["first"]))
            opened = (*opened, message)
        else:
            yield Field(opened, found["name"], _value(found), line)
        if len(opened) > _DEEPEST:
            raise AccuracyError(
                f"{path}:{line}: more than {_DEEPEST} messages one in another; make the file again"
            )
    if opened:
        raise AccuracyError(
            f'{path}:{opened[-1].line}: no "{_CLOSING[opened[-1].bracket]}" closes '
            f"{shown(opened[-1].name)}; add it"
        )


def _statements(path: Path, text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield each step of the text with its line."""
    line, counted, at = 1, 0, len(text) - len(text.lstrip())
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        found = _STATEMENT.match(text, at)
        if found is None:
            rest = text[at : at + 200].split("\n")[0].strip()
            raise AccuracyError(
                f"{path}:{line}: {shown(rest)} is neither JSON nor a simplified config of AMCT, "
                'whose lines are as "batch_num : 1"; mend the line, or name another file'
            )
        yield line, found
        at = found.end()


def _closed(where: str, opened: tuple[Message, ...], found: re.Match[str]) -> tuple[Message, ...]:
    """Return what is open after a closing bracket."""
    if not opened:
        raise AccuracyError(f'{where}: this "{found["close"]}" closes nothing; take it out')
    *outer, message = opened
    if _CLOSING[message.bracket] != found["close"]:
        raise AccuracyError(
            f'{where}: "{found["close"]}" where "{_CLOSING[message.bracket]}" is to close '
            f"{shown(message.name)} of line {message.line}; mend it"
        )
    in_list = bool(found["next"] or found["last"])
    if message.listed != in_list:
        told = f"{shown(message.name)} of line {message.line}"
        raise AccuracyError(
            f'{where}: no "[" opens a list before {told}; mend it'
            if in_list
            else f'{where}: no "]" closes the list {told}; add it'
        )
    if found["next"]:
        outer.append(Message(message.name, message.line, found["next"][-1], listed=True))
    return tuple(outer)


def _value(found: re.Match[str]) -> str | tuple[str, ...]:
    if found["value"]:
        return _plain(found["value"])
    return tuple(_plain(each) for each in _ITEMS.findall(found["list"]))


def _plain(value: str) -> str:
    """Return a value; texts that stand side by side are one, whichever quotes they have."""
    if value[0] not in "\"'":
        return value
    return '"' + "".join(each[1:-1] for each in _STRINGS.findall(value)) + '"'
