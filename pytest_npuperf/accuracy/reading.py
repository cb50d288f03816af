"""What each kind of file about a quantised model comes to: numbers, and sentences about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pytest_npuperf.model import Limit, Value


class Reading(Protocol):
    """The files behind one table of a budget, such as ``layer_accuracy``, read."""

    def values(self) -> Mapping[str, Value]:
        """Return the number of each key that the table may limit, or why there is none."""

    def findings(self, limits: Sequence[Limit]) -> Sequence[str]:
        """Return what people are to know beside the numbers, each in one line.

        ``limits`` are those on the table, as which layer is the first bad one depends on them.
        """
