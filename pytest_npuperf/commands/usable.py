"""What can be a baseline: numbers that were measured, and that a later one can be worse than."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import (
    CaseResult,
    LaneMeasurement,
    Limit,
    Measurement,
    Regression,
    Wanted,
)
from pytest_npuperf.text import named
from pytest_npuperf.units import Dimension, show


def comparable_limits(case: CaseResult) -> list[Limit]:
    """Return the limits that compare a case with its baseline.

    Raises NpuperfError where there are none, or where one of them could not use these numbers.
    """
    limits = [judged.limit for judged in case.limits if judged.limit.max_regression]
    if not limits:
        raise NpuperfError(
            f"{named(case.case)}: no limit of its budget has max_regression, "
            "so nothing would be compared with a baseline"
        )
    for limit in limits:
        for place, value in _values(case.rounds, limit.wanted):
            if fault := _fault(limit, value):
                title = named(limit.wanted.title())
                raise NpuperfError(f"{named(case.case)}: {title}{place} {fault}")
    _refuse_other_lanes(case)
    return limits


def _refuse_other_lanes(case: CaseResult) -> None:
    """Refuse rounds of which one has a lane that another lacks."""
    first, *others = (tuple(measured.lanes) for measured in case.rounds)
    for number, lanes in enumerate(others, 2):
        if set(lanes) != set(first):
            raise NpuperfError(
                f"{named(case.case)}: round 1 has lanes {', '.join(first)}, and round {number} "
                f"{', '.join(lanes)}; one of them cannot be a baseline"
            )


def whole_rounds(rounds: Sequence[Measurement]) -> tuple[Measurement, ...]:
    """Return rounds without the numbers that some lane of some round lacks.

    A limit without ``max_regression`` may ask for what the profile does not have.
    """
    lanes = [lane for measured in rounds for lane in measured.lanes.values()]
    asked = dict.fromkeys(wanted for lane in lanes for wanted in lane.values)
    kept = [each for each in asked if all(_value(lane, each) is not None for lane in lanes)]
    return tuple(
        Measurement(
            {
                key: LaneMeasurement({each: lane.values[each] for each in kept}, lane.ops)
                for key, lane in measured.lanes.items()
            }
        )
        for measured in rounds
    )


def _values(rounds: Sequence[Measurement], wanted: Wanted) -> Iterator[tuple[str, Fraction | None]]:
    """Yield each value, and where it is from if there are several."""
    for number, measured in enumerate(rounds, 1):
        of_round = f" of round {number}" if len(rounds) > 1 else ""
        for key, lane in measured.lanes.items():
            on_lane = f" on lane {key}" if len(measured.lanes) > 1 else ""
            yield of_round + on_lane, _value(lane, wanted)


def _value(lane: LaneMeasurement, wanted: Wanted) -> Fraction | None:
    found = lane.values.get(wanted)
    return found.value if found else None


def _fault(limit: Limit, value: Fraction | None) -> str:
    """Say what keeps a value from being a baseline; empty where nothing does."""
    regression = limit.max_regression
    if value is None or regression is None:
        return "was not measured, and cannot be a baseline"
    shown = show(value, limit.dimension, limit.unit)
    if value <= 0 and not (regression.in_points or limit.dimension.is_exact):
        return f"is {shown}, and no change is a share of that; {_INSTEAD}"
    if not _can_be_worse(limit, regression, value):
        allowed = limit.show_by(regression.value).lstrip("+")
        return f"is {shown}, and can never be worse by more than {allowed}; {_INSTEAD}"
    return ""


_INSTEAD = "give it a bound such as at_most or at_least instead of max_regression"


def _can_be_worse(limit: Limit, regression: Regression, value: Fraction) -> bool:
    """Return whether there is a number that is worse by more than is allowed."""
    margin = regression.value * (1 if regression.in_points else value)
    if limit.better == "lower":
        return limit.dimension is not Dimension.SHARE or value + margin < 1
    # Only a number of the test's own may be negative.
    may_be_negative = limit.dimension is Dimension.NUMBER and regression.in_points
    return may_be_negative or value > margin
