"""Text from outside as Markdown in which it stays text: no link, no mention, no HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_npuperf.text import clipped, printable

LONGEST = 300
"""Columns; who wants to know more of a name has the other reports."""

_TICKS = re.compile("`+")

# Backslashes and entities do not do: GitHub looks for @names, #numbers and links in what they
# have become. In code it leaves them alone, so whatever is no plain word is code.
_WORD = r"[^\W\d_]+(?:[-'][^\W\d_]+)*"
_NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_PLAIN = re.compile(rf"\(?(?:{_WORD}|{_NUMBER}|{_DATE}|%|-|=|>=)[,;:)]*\.?")


def code(text: str) -> str:
    """Return the text as code, whatever is in it; nothing where there is none."""
    shown = clipped(printable(text), LONGEST)
    if not shown:
        return ""
    ticks = "`" * (_longest_ticks([shown]) + 1)
    # One blank at each end is taken off, and one that keeps ticks apart is added.
    edge = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def prose(text: str) -> str:
    """Return a sentence of which plain words and numbers stay as they are; the rest is code."""
    parts: list[str] = []
    odd: list[str] = []
    for word in clipped(printable(text), LONGEST).split():
        if not _PLAIN.fullmatch(word):
            odd.append(word)
            continue
        parts += [*_spoken(odd), word]
        odd = []
    return " ".join([*parts, *_spoken(odd)])


def _spoken(odd: Sequence[str]) -> list[str]:
    """Return odd words as code; a comma or colon behind them is the sentence's own."""
    if not odd:
        return []
    text = " ".join(odd)
    bare = text.rstrip(",:;")
    return [code(bare) + text[len(bare) :]]


def fenced(lines: Sequence[str]) -> list[str]:
    """Return printable lines as a block of code."""
    ticks = "`" * max(3, _longest_ticks(lines) + 1)
    return [f"{ticks}text", *(clipped(line, LONGEST) for line in lines), ticks]


def _longest_ticks(texts: Sequence[str]) -> int:
    return max((len(run) for text in texts for run in _TICKS.findall(text)), default=0)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table of cells that are Markdown; a heading that ends in ``:`` is flush right."""
    rule = ["--:" if head.endswith(":") else "---" for head in heads]
    titles = [head.rstrip(":") for head in heads]
    return [_row(titles), _row(rule), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    # The bar is taken for the end of a cell even within code.
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
