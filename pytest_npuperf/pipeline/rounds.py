"""The rounds of a case, measured: what its limits ask for, and what the test reported itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pytest_npuperf.measure import TOLD, Measurer
from pytest_npuperf.model import (
    Case,
    Collected,
    Limit,
    LongOp,
    Measurement,
    Selector,
    Value,
    Wanted,
)
from pytest_npuperf.pipeline.opened import Profiles

CUSTOM = "custom."
"""Before the name of a number that the test reports itself."""

Reported = Mapping[str, tuple[Fraction, str]]
"""The numbers that a test reported, each with its unit."""


@dataclass(frozen=True)
class Rounds:
    """What measures each round of a case, or of the side that it is compared with."""

    measurers: Sequence[Measurer]

    @classmethod
    def open(cls, case: Case, collected: Collected, profiles: Profiles) -> Rounds:
        """Open every round that was collected. Raises ProfileError."""
        opened = [profiles.open(path, collected.mode) for path in collected.rounds]
        return cls([each.measurer(case.steps) for each in opened])

    def measure(self, wanted: Iterable[Wanted], by_shape: bool) -> tuple[Measurement, ...]:
        """Return what is wanted in each round; numbers of the test's own are not looked for.

        ``by_shape`` tells the ops apart by their shapes, too. Raises ProfileError.
        """
        asked = [each for each in wanted if not each.metric.startswith(CUSTOM)]
        return tuple(measurer.measure(asked, by_shape) for measurer in self.measurers)

    def with_longest(
        self, measured: Sequence[Measurement], selects: Sequence[Selector], many: int = TOLD
    ) -> tuple[Measurement, ...]:
        """Name so many of the longest operators, which are read only when they are to be told."""
        pairs = zip(measured, self.measurers, strict=True)
        found = ((each, measurer.longest(selects, many)) for each, measurer in pairs)
        return tuple(_with_longest(each, longest) for each, longest in found)


def with_reported(measurement: Measurement, case: Case, reported: Reported) -> Measurement:
    """Return a round with the numbers that the test reported, on every lane."""
    asked = {limit.wanted for limit in case.limits if limit.wanted.metric.startswith(CUSTOM)}
    missing = {wanted: Value(None, reason=_not_reported(wanted)) for wanted in asked}
    told = {Wanted(CUSTOM + name): Value(value) for name, (value, _) in reported.items()}
    lanes = {
        key: replace(lane, values={**lane.values, **missing, **told})
        for key, lane in measurement.lanes.items()
    }
    return replace(measurement, lanes=lanes)


def with_units(case: Case, reported: Reported) -> Case:
    """Give the limits on the numbers that the test reported the units that it said."""
    units = {CUSTOM + name: unit for name, (_, unit) in reported.items()}
    limits = (_in_unit(limit, units.get(limit.wanted.metric, "")) for limit in case.limits)
    return replace(case, limits=tuple(limits))


def _in_unit(limit: Limit, unit: str) -> Limit:
    allowed = limit.max_regression
    return replace(limit, unit=unit, max_regression=allowed and allowed.on_scale_of(unit))


def _not_reported(wanted: Wanted) -> str:
    name = wanted.metric.removeprefix(CUSTOM)
    return f'the test did not report it; call npuperf.metric("{name}", value, unit)'


def _with_longest(measured: Measurement, longest: Mapping[str, tuple[LongOp, ...]]) -> Measurement:
    lanes = {key: replace(lane, longest=longest[key]) for key, lane in measured.lanes.items()}
    return replace(measured, lanes=lanes)
