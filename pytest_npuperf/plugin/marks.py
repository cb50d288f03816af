"""Which ``npuperf`` marker counts for a test, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_npuperf.config import Marker
from pytest_npuperf.text import printable

NAME = "npuperf"

SIGNATURE = (
    "npuperf(budget=None, /, **keys): gate the performance of this test by a budget of "
    "[tool.npuperf.budgets]; keywords are keys of a budget and override it, and make one of "
    "their own where no budget is named"
)

_BUDGET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class CaseMark:
    """The case that a test names."""

    name: str
    marker: Marker

    def same_settings(self) -> str:
        """Return what two tests that name one case must agree on."""
        return json.dumps(self.marker.keywords, sort_keys=True, default=repr)


class MarkError(Exception):
    """A marker is wrong; the text is one line."""


def case_mark(item: pytest.Item) -> CaseMark | None:
    """Return the case of a test; None where it has no marker. Raises MarkError."""
    for where, marks in _levels(item):
        if len(marks) > 1:
            raise MarkError(f"two npuperf markers on one {where}; one is wanted")
        if marks:
            return _read(item, marks[0])
    return None


def _levels(item: pytest.Item) -> Iterator[tuple[str, Sequence[pytest.Mark]]]:
    """Yield the markers of a test, nearest first.

    ``get_closest_marker`` will not do: it prefers a function's marker to its parameter's own, and
    a parent class's to the class's own.
    """
    function = _own(getattr(item, "obj", None))
    parameter = list(getattr(getattr(item, "callspec", None), "marks", ()))
    added = [mark for mark in item.own_markers if mark not in [*function, *parameter]]
    yield "test", _named(added)
    yield "parameter", _named(parameter)
    yield "function", _named(function)
    for node in reversed(item.listchain()[:-1]):
        if isinstance(node, pytest.Class):
            for cls in node.obj.__mro__:
                yield f"class {cls.__name__}", _named(_own(cls, inherited=False))
        else:
            yield type(node).__name__.lower(), _named(node.own_markers)


def _own(thing: Any, inherited: bool = True) -> list[pytest.Mark]:
    found = getattr(thing, "pytestmark", []) if inherited else vars(thing).get("pytestmark", [])
    marks = found if isinstance(found, list) else [found]
    return [mark if isinstance(mark, pytest.Mark) else mark.mark for mark in marks]


def _named(marks: Sequence[pytest.Mark]) -> list[pytest.Mark]:
    return [mark for mark in marks if mark.name == NAME]


def _read(item: pytest.Item, mark: pytest.Mark) -> CaseMark:
    if len(mark.args) > 1:
        raise MarkError(f"marker npuperf takes one budget name, not {len(mark.args)}")
    marker = Marker(dict(mark.kwargs), f"{item.nodeid} (marker)")
    if not mark.args:
        return CaseMark(item.nodeid, marker)
    name = mark.args[0]
    if not isinstance(name, str) or not _BUDGET.fullmatch(name):
        raise MarkError(
            f"marker npuperf({printable(repr(name))}): not a budget name; "
            "write letters, digits, dots, dashes and underscores"
        )
    return CaseMark(name, marker)
