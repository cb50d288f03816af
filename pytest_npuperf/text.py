"""Text that came from outside, made safe for a terminal or a path, and measured in columns."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
# What is to be typed, or a number and its unit, neither of which is to be told on two lines; or
# whatever has no blank in it.
_WORD = re.compile(r"`[^`\n]*`\S*|\S*[0-9]\s(?:%|[nuμm]?s|[KMG]?i?B|points?)(?![^\W_])\S*|\S+")


def printable(text: str) -> str:
    """Return the text with whatever a terminal would obey, hide or turn round escaped.

    Line ends and tabs are escaped too: what comes back is one line.
    """
    if text.isprintable():
        return text
    return "".join(character if _harmless(character) else _escape(character) for character in text)


def _harmless(character: str) -> bool:
    # isprintable() also refuses the ideographic and the no-break space; they do no harm.
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


NAME_ROOM = 100
"""Columns of a name in a sentence; some are made of all that a test is called with."""


def named(name: str) -> str:
    """Return a name from outside as it is told: safe to print, and with dots where it is long."""
    return clipped(printable(name), NAME_ROOM)


def shown(text: str) -> str:
    """Return a text from a file in quotes, as a message may carry it: safe to print, and short."""
    return f'"{clipped(printable(text), 40)}"'


def file_name(name: str) -> str:
    """Return a name as one for a file or folder: itself where it is safe, and none twice.

    A name that is changed or cut gets a hash of the whole.
    """
    safe = _UNSAFE.sub("_", name)[-80:].lstrip("._")
    if safe == name:
        return name
    return f"{safe}-{hashlib.sha256(name.encode(errors='backslashreplace')).hexdigest()[:8]}"


def many(number: int, noun: str, plural: str = "") -> str:
    """Return a number of things in words: ``1 case``, ``2 cases``."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def columns(text: str) -> int:
    """Return how many columns of a terminal the text takes; a CJK character takes two."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def clipped(text: str, room: int) -> str:
    """Return the text in so many columns; dots stand for its middle, as both its ends say much."""
    if columns(text) <= room:
        return text
    dots = "..."[:room]
    head = _head(text, (room - len(dots)) // 2)
    tail = _head(text[::-1], room - len(dots) - columns(head))[::-1]
    return head + dots + tail


def _head(text: str, room: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > room:
            return text[:index]
    return text


def wrapped(text: str, room: int) -> list[str]:
    """Return the text in lines of at most so many columns, broken at blanks where there are any."""
    lines: list[str] = []
    line = ""
    for word in _WORD.findall(text):
        longer = f"{line} {word}".lstrip()
        if line and columns(longer) > room:
            lines.append(line)
            longer = word
        while columns(longer) > room and (head := _head(longer, room)):
            lines.append(head)
            longer = longer[len(head) :]
        line = longer
    return [*lines, line] if line else lines


def padded(text: str, room: int, right: bool = False) -> str:
    """Return the text filled with blanks to so many columns; ``right`` puts them in front."""
    blanks = " " * (room - columns(text))
    return blanks + text if right else text + blanks
