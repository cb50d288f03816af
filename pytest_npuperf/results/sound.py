"""Refuse rounds, as JSON, that fit the schema and yet cannot be what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, PER_STEP
from pytest_npuperf.model import JSON, Wanted
from pytest_npuperf.results.checks import refusal
from pytest_npuperf.results.format import Number, as_number
from pytest_npuperf.results.rounds import holds, title_of

Place = Sequence[str | int]
"""The keys to a part of a document."""

_SUMMED = {
    "kernel_time": "total",
    "kernel_count": "count",
    "ai_core_time": "total",
    "ai_cpu_time": "total",
}
"""The numbers that are sums over the ops, and what of these they sum up."""


def _lanes(place: Place, rounds: Sequence[JSON]) -> Iterator[tuple[list[str | int], JSON]]:
    """Yield each lane of each round, and the keys to it; ``place`` holds those to the rounds."""
    for number, each in enumerate(rounds):
        for key, lane in each.items():
            yield [*place, number, key], lane


def refuse_without(
    where: str, place: Place, rounds: Sequence[JSON], wanted: Iterable[Wanted]
) -> None:
    """Refuse rounds of which a lane does not say a number that a limit is on, not even as null."""
    asked = list(wanted)
    for keys, lane in _lanes(place, rounds):
        for each in asked:
            if not holds(lane, each):
                raise refusal(where, [*keys, title_of(each)], "is missing, and a limit is on it")


def refuse_other_sums(where: str, place: Place, rounds: Sequence[JSON]) -> None:
    """Refuse a number that is not what its ops sum to; of a lane without ops nobody can tell.

    Ops too small for a row of their own are pooled, and never left out.
    """
    for keys, lane in _lanes(place, rounds):
        for title, value in lane.items():
            if sentence := _contradiction(lane, title, value):
                raise refusal(where, [*keys, title], sentence)


def _contradiction(lane: JSON, title: str, value: JSON) -> str:
    """Say what in a lane a number of it contradicts; empty where nothing does."""
    metric = title.removesuffix(PER_STEP)
    if metric not in _SUMMED or value is None:
        return ""
    ops = lane["ops"]
    total = _sum(metric, ops)
    if ops and not _is(value, title, total):
        return f"is {value}, and its ops sum to {total}{' in all steps' * (title != metric)}"
    kernels = _sum("kernel_count", ops) or lane.get("kernel_count")
    if metric == "kernel_time" and value == 0 and kernels:
        return f"is 0, and no kernel takes no time; there are {kernels}"
    return ""


def _sum(metric: str, ops: Sequence[JSON]) -> int:
    return sum(op[_SUMMED[metric]] for op in ops if _is_part(metric, op["core"]))


def _is_part(metric: str, core: str) -> bool:
    if metric == "ai_core_time":
        return core in AI_CORES
    return core == "AI_CPU" if metric == "ai_cpu_time" else core not in COMMUNICATION


def _is(value: Number, title: str, total: int) -> bool:
    """Return whether a number is a sum, or the same for each of a whole number of steps."""
    if not (title.endswith(PER_STEP) and value and total):
        return value == total
    steps = max(round(Fraction(total) / Fraction(value)), 1)
    return value == as_number(Fraction(total, steps))
