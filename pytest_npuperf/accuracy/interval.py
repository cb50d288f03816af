"""Where a network loses its accuracy: after the last good output, and up to the first bad one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.accuracy.tensors import METRICS, Comparison, State, Tensor
from pytest_npuperf.model import Bound, Limit

Bounds = Mapping[str, tuple[Bound, ...]]
"""What is asked of an output, by the key of the metric."""

USUAL: Bounds = {"cosine": (Bound("at_least", Fraction("0.99")),)}
"""What the guide of the comparison takes for good."""


def bounds_of(limits: Sequence[Limit]) -> Bounds:
    """Return the bounds on the metrics; what is usual where there is none."""
    asked = {limit.wanted.statistic or "": limit.bounds for limit in limits if limit.bounds}
    return {key: bounds for key, bounds in asked.items() if key in METRICS} or USUAL


def is_good(tensor: Tensor, bounds: Bounds) -> bool | None:
    """Return whether a tensor is within all bounds; None where that is not known."""
    if tensor.state is not State.COMPARED:
        return False if tensor.state is State.BROKEN else None
    if any(_is_beyond(tensor, key, asked) for key, asked in bounds.items()):
        return False
    return None if any(tensor.number(key) is None for key in bounds) else True


def _is_beyond(tensor: Tensor, key: str, asked: Sequence[Bound]) -> bool:
    number = tensor.number(key)
    if number is None:
        return tensor.is_lost(key)
    exact = Fraction(number)
    return any(bound.excess(exact) > 0 for bound in asked)


def what_is_bad(tensor: Tensor, bounds: Bounds) -> str:
    """Return what is beyond the bounds: ``cosine 0.975515, euclidean 0.222906``."""
    beyond = (key for key, asked in bounds.items() if _is_beyond(tensor, key, asked))
    return tensor.fault or ", ".join(f"{key} {tensor.cells[key]}" for key in beyond)


@dataclass(frozen=True)
class Interval:
    """What the outputs of a file come to under some bounds."""

    comparison: Comparison
    bounds: Bounds
    first_bad: Tensor | None
    last_good: Tensor | None
    """Before the first bad one, or of all."""

    @property
    def not_compared(self) -> int:
        """Return how many operators between the two nobody knows about.

        An Index that is in no row counts, too: the tool leaves out what is between quant and
        dequant. What is only on the device, such as Const, does not.
        """
        if self.first_bad is None or self.last_good is None:
            return 0
        between = range(self.last_good.index + 1, self.first_bad.index)
        told = {each.index for each in self.comparison.tensors if each.index in between}
        missing = [
            op for op in self.comparison.operators if op.index in between and op.not_compared
        ]
        return len(between) - len(told) + len(missing)

    @property
    def origin(self) -> str:
        """Return whether the first bad operator itself did it, where its inputs say so."""
        inputs = list(self._inputs())
        bad = [each for each in inputs if is_good(each, self.bounds) is False]
        if bad:
            what = what_is_bad(bad[0], self.bounds)
            return f"inherited, as its {_input(bad[0])} is bad already ({what})"
        good = any(is_good(each, self.bounds) for each in inputs)
        return "introduced here, as its inputs are good" if good else ""

    def _inputs(self) -> Iterator[Tensor]:
        for op in self.comparison.operators:
            if self.first_bad is not None and op.index == self.first_bad.index:
                yield from (each for each in op.tensors if each.side == "input")


def _input(tensor: Tensor) -> str:
    return f"input {tensor.tensor.rpartition(':')[2]}"


def interval_of(comparison: Comparison, bounds: Bounds) -> Interval:
    """Return where the accuracy is lost, if it is."""
    last_good = None
    for tensor in comparison.outputs:
        good = is_good(tensor, bounds)
        if good is False:
            return Interval(comparison, bounds, tensor, last_good)
        if good:
            last_good = tensor
    return Interval(comparison, bounds, None, last_good)
