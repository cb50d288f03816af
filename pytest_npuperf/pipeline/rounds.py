"""The rounds of a case, measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_npuperf.catalogue import from_profile
from pytest_npuperf.measure import TOLD, Measurer
from pytest_npuperf.model import (
    Case,
    Collected,
    LaneMeasurement,
    LongOp,
    Measurement,
    Selector,
    Wanted,
)
from pytest_npuperf.pipeline.opened import Profiles

NO_PROFILE = Measurement({"0": LaneMeasurement({})})
"""The only round of a case that is about files, with a lane to tell their numbers of."""


@dataclass(frozen=True)
class Rounds:
    """What measures each round of a case, or of the side that it is compared with."""

    measurers: Sequence[Measurer]
    """None where the case is about files only."""

    @classmethod
    def open(cls, case: Case, collected: Collected, profiles: Profiles) -> Rounds:
        """Open every round that was collected. Raises ProfileError."""
        opened = [profiles.open(path, collected.mode) for path in collected.rounds]
        return cls([each.measurer(case.steps) for each in opened])

    def measure(self, wanted: Iterable[Wanted], by_shape: bool) -> tuple[Measurement, ...]:
        """Return what is wanted in each round; numbers of no profile are not looked for.

        ``by_shape`` tells the ops apart by their shapes, too. Raises ProfileError.
        """
        asked = [each for each in wanted if from_profile(each)]
        if not self.measurers:
            return (NO_PROFILE,)
        return tuple(measurer.measure(asked, by_shape) for measurer in self.measurers)

    def with_longest(
        self, measured: Sequence[Measurement], selects: Sequence[Selector], many: int = TOLD
    ) -> tuple[Measurement, ...]:
        """Name so many of the longest operators, which are read only when they are to be told."""
        if not self.measurers:
            return tuple(measured)
        pairs = zip(measured, self.measurers, strict=True)
        found = ((each, measurer.longest(selects, many)) for each, measurer in pairs)
        return tuple(_with_longest(each, longest) for each, longest in found)


def _with_longest(measured: Measurement, longest: Mapping[str, tuple[LongOp, ...]]) -> Measurement:
    lanes = {key: replace(lane, longest=longest[key]) for key, lane in measured.lanes.items()}
    return replace(measured, lanes=lanes)
