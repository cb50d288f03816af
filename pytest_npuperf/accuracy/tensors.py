"""The tensors of an accuracy comparison: which were compared, and which are broken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import cached_property
from itertools import groupby
from pathlib import Path

from pytest_npuperf.text import clipped, named, printable

METRICS = {
    "cosine": "CosineSimilarity",
    "euclidean": "RelativeEuclideanDistance",
    "kld": "KullbackLeiblerDivergence",
    "rmse": "RootMeanSquareError",
}
"""The columns that a budget can limit, by its keys."""

NOTHING = "NaN"
"""What the tool writes where it has no number; a spreadsheet makes it blank."""
_ABSENT = (NOTHING, "")
_LOST = ("nan", "inf", "+inf", "-inf")
"""Results of arithmetic: the data themselves hold such a value. It is not the same as NaN."""
_KINDS = (
    ("different shapes", "other shapes"),
    ("ground truth dump file", "no dump of the original"),
    ("dump file", "no dump of the model"),
)
"""What a reason of the tool has in it, beside the names of operators, and what it means."""
_WHOSE = re.compile(r"\A\[[^]]*\] *")
_SIDE = re.compile(r":(input|output):[0-9]+\Z")


class State(Enum):
    """What became of a tensor."""

    COMPARED = "compared"
    BROKEN = "broken"
    NOT_COMPARED = "not compared"
    DEVICE_ONLY = "only on the device"
    GOLDEN_ONLY = "only in the original"


@dataclass(frozen=True)
class Tensor:
    """One row: a tensor of an operator on both sides."""

    index: int
    """Of the operator; not contiguous, as what is between quant and dequant is left out."""
    op_type: str
    name: str
    """Of the operator of the model that is judged; a fused one has several, with commas."""
    golden: str
    """Of its counterpart; ``*`` where there is none."""
    tensor: str
    """``conv1:output:0``; old and failed rows do not say it."""
    overflow: bool
    cells: Mapping[str, str]
    """The metrics as they are written, of the columns that are there, by their keys."""
    reason: str
    """Why something is missing; also remarks about what is not."""

    @cached_property
    def side(self) -> str:
        """Return ``input``, ``output`` or, where it is not said, nothing."""
        match = _SIDE.search(self.tensor)
        return match[1] if match else ""

    @cached_property
    def state(self) -> State:
        """Return what became of it; where only one side has it, nothing else counts."""
        if self.golden == "*":
            return State.DEVICE_ONLY
        if self.name == "*":
            return State.GOLDEN_ONLY
        if self.fault:
            return State.BROKEN
        return State.COMPARED if {*self._telling} - {*_ABSENT} else State.NOT_COMPARED

    @property
    def _telling(self) -> tuple[str, ...]:
        """Return the cosine, or all metrics where there is no such column.

        An inf in another one alone is arithmetic: a KLD has it where the original is 0.
        """
        return (self.cells["cosine"],) if "cosine" in self.cells else (*self.cells.values(),)

    @property
    def fault(self) -> str:
        """Return what is broken in it, or nothing."""
        if self.overflow:
            return "overflow"
        lost = [cell for cell in self._telling if cell in _LOST]
        if lost := [*lost, *(cell for cell in self.cells.values() if cell == "nan")]:
            return lost[0]
        # If both sides are, the cosine is 1.0.
        is_zero = "all the data is zero in" in self.reason.lower()
        absent = self.cells.get("cosine", NOTHING) in _ABSENT
        return "all zero on one side" if is_zero and absent else ""

    @property
    def is_scalar(self) -> bool:
        """Return whether its cosine is 1 whatever its value: with one element it says nothing."""
        return "this tensor is scalar" in self.reason.lower()

    def number(self, key: str) -> Decimal | None:
        """Return a metric, exactly; None where there is no number, or none that says anything."""
        cell = self.cells.get(key, "")
        if cell in _ABSENT or cell in _LOST or (key == "cosine" and self.is_scalar):
            return None
        return Decimal(cell)

    def is_lost(self, key: str) -> bool:
        """Return whether a metric is nan or inf, which no bound allows."""
        return self.cells.get(key) in _LOST

    @property
    def why(self) -> str:
        """Return why it was not compared, alike for all of one kind, safe to print."""
        told = (kind for words, kind in _KINDS if words in self.reason)
        other = clipped(printable(_WHOSE.sub("", self.reason)), 80)
        return next(told, other or "without a reason")

    @property
    def place(self) -> str:
        """Return where in the network it is, safe to print."""
        return f"Index {self.index} {named(self.name)}"


@dataclass(frozen=True)
class Operator:
    """The tensors of one Index that both sides have."""

    tensors: tuple[Tensor, ...]

    @property
    def index(self) -> int:
        """Return its place in the network."""
        return self.tensors[0].index

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """Return whatever is not said to be an input."""
        return tuple(each for each in self.tensors if each.side != "input")

    @property
    def _judged(self) -> tuple[Tensor, ...]:
        """Return its outputs; of some operators, such as AscendQuant, there are only inputs."""
        return tuple(each for each in self.tensors if each.side == "output") or self.tensors

    @property
    def broken(self) -> Tensor | None:
        """Return what is broken of it."""
        return next((each for each in self._judged if each.state is State.BROKEN), None)

    @property
    def not_compared(self) -> Tensor | None:
        """Return what was not compared of it.

        That is any of its outputs; where rows do not say what they are, or are inputs, such as
        weights without a dump, it is one of them where none was compared.
        """
        missing = [each for each in self._judged if each.state is State.NOT_COMPARED]
        if self._judged[0].side == "output" or len(missing) == len(self._judged):
            return next(iter(missing), None)
        return None


@dataclass(frozen=True)
class Comparison:
    """All tensors of a file."""

    path: Path
    metrics: frozenset[str]
    """The keys of the columns that it has."""
    tensors: tuple[Tensor, ...]
    """In the order of the network."""

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """Return those that both sides have."""
        one_sided = (State.DEVICE_ONLY, State.GOLDEN_ONLY)
        shared = (each for each in self.tensors if each.state not in one_sided)
        return tuple(
            Operator(tuple(group)) for _, group in groupby(shared, lambda each: each.index)
        )

    @cached_property
    def outputs(self) -> tuple[Tensor, ...]:
        """Return what is judged: whatever is not said to be an input."""
        return tuple(each for op in self.operators for each in op.outputs)

    @property
    def last_outputs(self) -> tuple[Tensor, ...]:
        """Return the outputs of the network: those of its last operator, if it has any."""
        last = self.operators[-1].outputs if self.operators else ()
        return tuple(each for each in last if each.side == "output") or last[-1:]
