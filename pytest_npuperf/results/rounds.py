"""Rounds as JSON, in results and in baselines: for each lane its numbers by title, and its ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_npuperf.catalogue import METRICS, STATISTICS
from pytest_npuperf.model import JSON, LaneMeasurement, LongOp, Measurement, OpRow, Value, Wanted
from pytest_npuperf.percentiles import statistic
from pytest_npuperf.results.format import as_number, exact_or_none


def rounds_as_json(rounds: Iterable[Measurement]) -> JSON:
    """Return rounds as plain data."""
    return [
        {key: _lane_as_json(lane) for key, lane in measured.lanes.items()} for measured in rounds
    ]


def _lane_as_json(lane: LaneMeasurement) -> JSON:
    found: dict[str, JSON] = {}
    for wanted, value in lane.values.items():
        if value.data and _is_distribution(wanted):
            found[title_of(wanted)] = list(value.data)
        else:
            found[wanted.title()] = as_number(value.value)
    found["ops"] = [dict(vars(row)) for row in lane.ops]
    if lane.longest:
        found["longest"] = [dict(vars(op)) for op in lane.longest]
    return found


def _is_distribution(wanted: Wanted) -> bool:
    return wanted.metric in METRICS and METRICS[wanted.metric].distribution


def title_of(wanted: Wanted) -> str:
    """Return the key of a number that was measured; the statistics of one list share its own."""
    return wanted.metric if _is_distribution(wanted) else wanted.title()


def holds(lane: Mapping[str, JSON], wanted: Wanted) -> bool:
    """Return whether a lane says a number, or that it is not there, which is null."""
    return title_of(wanted) in lane or wanted.title() in lane


def rounds_from_json(data: JSON, wanted: Sequence[Wanted]) -> tuple[Measurement, ...]:
    """Return the rounds that :func:`rounds_as_json` made plain.

    ``wanted`` are the numbers that titles stand for. What the format leaves out, such as the
    samples of a single round, stays away.
    """
    return tuple(
        Measurement({key: _lane_from_json(lane, wanted) for key, lane in each.items()})
        for each in data
    )


def _lane_from_json(data: Mapping[str, JSON], wanted: Sequence[Wanted]) -> LaneMeasurement:
    values: dict[Wanted, Value] = {}
    titled = {each.title(): each for each in wanted}
    for title, found in data.items():
        if title in ("ops", "longest"):
            continue
        if isinstance(found, list):
            asked = [
                each for each in wanted if each.metric == title and each.statistic in STATISTICS
            ]
            values |= {each: _distribution(each, found) for each in asked}
        else:
            values[titled.get(title, Wanted(title))] = Value(exact_or_none(found))
    ops = tuple(OpRow(**row) for row in data["ops"])
    return LaneMeasurement(values, ops, tuple(LongOp(**op) for op in data.get("longest", ())))


def _distribution(wanted: Wanted, steps: Sequence[int]) -> Value:
    value = statistic(steps, wanted.statistic or "")
    return Value(value, samples=len(steps), data=tuple(steps))
