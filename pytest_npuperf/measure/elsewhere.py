"""Which other lane has what a lane lacks: a name may be right, and the op run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_npuperf.measure.rules import NothingChosenError
from pytest_npuperf.model import LaneMeasurement, Value, Wanted

_NAMED = 3
"""How many lanes are named; there may be a thousand ranks."""

Lacking = Mapping[Wanted, NothingChosenError]
"""What a lane has no row for, and what it says of that."""


def told(
    lanes: Mapping[str, LaneMeasurement], lacking: Mapping[str, Lacking]
) -> dict[str, LaneMeasurement]:
    """Return the lanes; where one lacks what others have, its reason names those instead."""
    having: dict[Wanted, list[str]] = {}
    for key, lane in lanes.items():
        for wanted, value in lane.values.items():
            having.setdefault(wanted, []).extend([key] * (value.value is not None))
    return {key: _told(lane, lacking[key], having) for key, lane in lanes.items()}


def _told(
    lane: LaneMeasurement, lacking: Lacking, having: Mapping[Wanted, Sequence[str]]
) -> LaneMeasurement:
    changed = {
        wanted: _with_lanes(lane.values[wanted], err, having[wanted])
        for wanted, err in lacking.items()
        if having.get(wanted)
    }
    return replace(lane, values={**lane.values, **changed}) if changed else lane


def _with_lanes(value: Value, err: NothingChosenError, lanes: Sequence[str]) -> Value:
    there = f"{err.asked}; {_in_words(lanes)} it"
    return replace(value, reason=value.reason.replace(str(err), there, 1))


def _in_words(lanes: Sequence[str]) -> str:
    if len(lanes) == 1:
        return f"lane {lanes[0]} has"
    rest = len(lanes) - _NAMED
    *others, last = [*lanes[:_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f"lanes {', '.join(others)} and {last} have"
