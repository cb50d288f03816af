"""The numbers of an accuracy comparison that a budget limits, each with a reason where it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeVar

from pytest_npuperf.accuracy.tensors import METRICS, Comparison, State, Tensor
from pytest_npuperf.catalogue import ARTEFACTS
from pytest_npuperf.model import Value

Judge = Literal["output", "all"]
_Number = TypeVar("_Number", Decimal, Fraction)


def metric_of(comparisons: Sequence[Comparison], key: str, judge: Judge) -> Value:
    """Return a metric of the network's output or, with ``all``, the worst; of stages the worse."""
    found = [_metric(each, key, judge) for each in comparisons]
    return next((each for each in found if each.value is None), None) or Value(
        _worst(key, [each.value for each in found if each.value is not None]),
        sum(each.samples for each in found),
        min(each.coverage for each in found),
    )


def _metric(comparison: Comparison, key: str, judge: Judge) -> Value:
    if key not in comparison.metrics:
        return _none(comparison, f"no column {METRICS[key]}; let -alg name it, or limit another")
    if judge == "all":
        return _worst_output(comparison, key)
    judged = comparison.last_outputs
    if not judged:
        return _none(comparison, _without_output(comparison))
    # One that overflows may have a cosine all the same.
    if lacks := [
        each for each in judged if each.state is not State.COMPARED or each.number(key) is None
    ]:
        return _none(comparison, f"the last output, {lacks[0].place}, {_lack(lacks[0], key)}")
    return Value(_worst_of(key, judged), len(judged))


def _worst_output(comparison: Comparison, key: str) -> Value:
    """Return the worst of the outputs that were compared; what is broken is counted apart."""
    compared = [each for each in comparison.outputs if each.state is State.COMPARED]
    # Of a scalar a cosine says nothing, and of bool there are two metrics only: the tool says so.
    judged = [
        each
        for each in compared
        if each.number(key) is not None or each.is_lost(key) or not each.reason
    ]
    if not judged:
        return _none(comparison, f"no output that was compared has a {METRICS[key]}")
    if lacks := [each for each in judged if each.number(key) is None]:
        return _none(comparison, f"an output, {lacks[0].place}, {_lack(lacks[0], key)}")
    coverage = Fraction(len(judged), len(compared))
    return Value(_worst_of(key, judged), len(judged), coverage)


def _worst(key: str, numbers: Iterable[_Number]) -> _Number:
    return (min if ARTEFACTS[f"layer_accuracy {key}"].better == "higher" else max)(numbers)


def _worst_of(key: str, tensors: Sequence[Tensor]) -> Fraction:
    told = (each.number(key) for each in tensors)
    return Fraction(_worst(key, (number for number in told if number is not None)))


def _lack(tensor: Tensor, key: str) -> str:
    """Return why a tensor has no number."""
    if tensor.state is State.BROKEN:
        return f"is broken ({tensor.fault})"
    if tensor.state is State.NOT_COMPARED:
        return f"was not compared ({tensor.why})"
    if tensor.is_scalar and key == "cosine":
        return "is a scalar, of which a cosine says nothing; limit euclidean or rmse"
    return f"has {METRICS[key]} {tensor.cells[key] or 'blank'}"


def _without_output(comparison: Comparison) -> str:
    if not comparison.operators:
        return "no operator has a counterpart; compare with the dumps of the same model"
    last = comparison.operators[-1].tensors[0]
    return f"the last operator, {last.place}, has no output in it; judge all outputs"


def broken(comparisons: Sequence[Comparison]) -> Value:
    """Return how many operators are broken; where none was compared, nobody knows."""
    for each in comparisons:
        if all(
            tensor.state is State.NOT_COMPARED for op in each.operators for tensor in op.tensors
        ):
            return _none(each, "no operator was compared")
    return _counted([op.broken for each in comparisons for op in each.operators])


def not_compared(comparisons: Sequence[Comparison]) -> Value:
    """Return how many operators with a counterpart were not compared."""
    for each in comparisons:
        if not each.operators:
            return _none(each, _without_output(each))
    return _counted([op.not_compared for each in comparisons for op in each.operators])


def _counted(found: Sequence[Tensor | None]) -> Value:
    return Value(Fraction(sum(each is not None for each in found)), len(found))


def _none(comparison: Comparison, reason: str) -> Value:
    return Value(None, reason=f"{comparison.path}: {reason}")
