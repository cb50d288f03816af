"""The three accuracies that stand in no file of an AMCT search but its log."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The end of the line belongs to it: a number that the end of the file cuts off may be another.
_ACCURACY = re.compile(
    r"Accuracy of (original|global quantized|saved) model is[ \t]*([^\r\n]*)[\r\n]"
)


@dataclass(frozen=True)
class Accuracies:
    """What the evaluator of the search returned, as written; empty where the log does not say.

    It may be anything that has a text: the evaluator is the user's own, and so is the unit.
    """

    original: str = ""
    quantised: str = ""
    """With every layer quantised, before the search."""
    saved: str = ""
    """Of the model that the search ended with; a search that saved none does not write it."""

    def __bool__(self) -> bool:
        """Return whether the log says any of them."""
        return bool(self.original or self.quantised or self.saved)


def accuracies_of(text: str) -> Accuracies:
    """Return the accuracies of the last search in a log.

    A process that searches twice has one log, and its record file is about the last.
    """
    said: dict[str, str] = {}
    for which, accuracy in _ACCURACY.findall(text):
        if which == "original":
            said = {}
        said[which] = accuracy.strip()
    return Accuracies(
        said.get("original", ""), said.get("global quantized", ""), said.get("saved", "")
    )
