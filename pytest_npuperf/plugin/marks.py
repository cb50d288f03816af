"""Which ``npuperf`` marker counts for a test, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
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
    """A marker is wrong; the text is one line. ``case`` is what it names, where that is known."""

    def __init__(self, text: str, case: str = "") -> None:
        super().__init__(text)
        self.case = case


def case_mark(item: pytest.Item) -> CaseMark | None:
    """Return the case of a test; None where it has no marker. Raises MarkError."""
    if item.get_closest_marker(NAME) is None:
        return None
    where, marks = next((where, marks) for where, marks in _levels(item) if marks)
    if len(marks) > 1:
        raise MarkError(f"two npuperf markers on one {where}; one is wanted")
    return _read(item, marks[0])


def _levels(item: pytest.Item) -> Iterator[tuple[str, Sequence[pytest.Mark]]]:
    """Yield the npuperf markers of a test, nearest first.

    ``get_closest_marker`` will not do: it prefers a function's marker to its parameter's own, and
    a parent class's to the class's own.
    """
    function = _named(_own(getattr(item, "obj", None)))
    parameter = _named(getattr(getattr(item, "callspec", None), "marks", ()))
    yield "test", _added(item, [*function, *parameter])
    yield "parameter", parameter
    yield "function", function
    for node in reversed(item.listchain()[:-1]):
        if isinstance(node, pytest.Class):
            classes = [(cls, _named(_own(cls, inherited=False))) for cls in node.obj.__mro__]
            yield "class", _added(node, [mark for _, marks in classes for mark in marks])
            yield from ((f"class {cls.__name__}", marks) for cls, marks in classes)
        else:
            yield type(node).__name__.lower(), _named(node.own_markers)


def _added(node: pytest.Item | pytest.Class, written: Sequence[pytest.Mark]) -> list[pytest.Mark]:
    """Return the markers that a hook has put on a node, beside those in its source."""
    return [mark for mark in _named(node.own_markers) if mark not in written]


def _own(thing: Any, inherited: bool = True) -> list[pytest.Mark]:
    found = getattr(thing, "pytestmark", []) if inherited else vars(thing).get("pytestmark", [])
    marks = found if isinstance(found, list) else [found]
    return [mark if isinstance(mark, pytest.Mark) else mark.mark for mark in marks]


def _named(marks: Iterable[pytest.Mark]) -> list[pytest.Mark]:
    return [mark for mark in marks if mark.name == NAME]


def _read(item: pytest.Item, mark: pytest.Mark) -> CaseMark:
    if len(mark.args) > 1:
        raise MarkError(f"marker npuperf takes one budget name, not {len(mark.args)}")
    if not mark.args and not mark.kwargs:
        raise MarkError('marker npuperf names no budget; write npuperf("NAME"), or give it limits')
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
