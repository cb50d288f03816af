"""The numbers that are not measured on a profile: the test reports them, or a file has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_npuperf.accuracy import Found, read
from pytest_npuperf.catalogue import is_told
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import (
    CUSTOM,
    Case,
    Limit,
    Measurement,
    Reported,
    Selector,
    Value,
    Wanted,
)
from pytest_npuperf.pipeline.rounds import Rounds
from pytest_npuperf.units import Dimension, show


@dataclass(frozen=True)
class Told:
    """What the test and the files of a case say."""

    values: Mapping[Wanted, Value]
    before: Mapping[Wanted, Value]
    """The same numbers of what the case is compared with in its session."""
    units: Mapping[str, str]
    """By the metric, ``custom.NAME``."""
    files: Found

    def of(self, measured: Measurement, limits: Iterable[Limit]) -> Measurement:
        """Return a round with these numbers on every lane, or why one is not there."""
        return _on_every_lane(measured, limits, self.values)

    def of_other(self, measured: Measurement, limits: Iterable[Limit]) -> Measurement:
        """Return a round of the other side with its numbers."""
        return _on_every_lane(measured, limits, self.before)

    def with_units(self, case: Case) -> Case:
        """Give the limits on these numbers the units in which they were told."""
        units = self.units
        limits = (_in_unit(limit, units.get(limit.wanted.metric, "")) for limit in case.limits)
        return replace(case, limits=tuple(limits))

    def with_paths(self, shown: Callable[[str], str]) -> Told:
        """Return the same with the paths in the reasons as they are told."""
        values, before = (
            {wanted: replace(value, reason=shown(value.reason)) for wanted, value in side.items()}
            for side in (self.values, self.before)
        )
        return replace(self, values=values, before=before)

    def findings(self, limits: Sequence[Limit], rounds: Rounds) -> tuple[str, ...]:
        """Return what people are to know of the files beside their numbers."""
        return (*self.files.findings(limits), *_rolled_back(self.files.rolled_back, rounds))


def tell(case: Case, reported: Mapping[str, Reported]) -> Told:
    """Read the files of a case.

    Raises AccuracyError where a number is told twice, or beside one that nothing compares it with.
    """
    if twice := sorted({*reported} & {*case.artefacts.numbers}):
        file = case.artefacts.numbers[twice[0]].path
        raise AccuracyError(
            f"custom.{twice[0]}: the test reports it, and it is read from {file}, too; keep one"
        )
    idle = [name for name, each in reported.items() if each.against is not None]
    if idle and case.against is None and not about_files_only(case):
        raise AccuracyError(
            f"{CUSTOM}{idle[0]}: the test reports what it is against, and the budget is against "
            "nothing; write against = { case = NAME }, or report the number alone"
        )
    files = read(case.artefacts)
    values = {Wanted(CUSTOM + name): Value(each.value) for name, each in reported.items()}
    units = {CUSTOM + name: number.unit for name, number in files.numbers.items()}
    units |= {CUSTOM + name: number.unit for name, number in reported.items()}
    return Told({**files.values(), **values}, _before(case, files, reported), units, files)


def _before(case: Case, files: Found, reported: Mapping[str, Reported]) -> dict[Wanted, Value]:
    """Return what is known of the other side, what the test says above what files do."""
    other = read(case.against.artefacts).values() if case.against else {}
    said = {
        Wanted(CUSTOM + name): Value(each.against)
        for name, each in reported.items()
        if each.against is not None
    }
    return {**files.before(), **other, **said}


def _rolled_back(layers: Sequence[str], rounds: Rounds) -> Iterator[str]:
    """Say how much of the time is that of the layers which a search gave back to float."""
    if not (layers and rounds.measurers):
        return
    share = Wanted("ops", "share", Selector(name=tuple(f"*{layer}*" for layer in layers)))
    lanes = rounds.measure([share], by_shape=False)[0].lanes
    for key, lane in lanes.items():
        value = lane.values[share].value
        place = f" on lane {key}" if len(lanes) > 1 else ""
        if value is not None:
            taken = show(value, Dimension.SHARE)
            yield f"rolled-back layers take {taken} of kernel_time{place}, by the names of ops"


def about_files_only(case: Case) -> bool:
    """Return whether nothing has to be collected: no limit is about a profile."""
    if case.app or case.recording:
        return False
    return bool(case.limits) and all(is_told(limit.wanted) for limit in case.limits)


def _on_every_lane(
    measured: Measurement, limits: Iterable[Limit], values: Mapping[Wanted, Value]
) -> Measurement:
    asked = (limit.wanted for limit in limits)
    missing = {wanted: Value(None, reason=_not_told(wanted)) for wanted in asked if is_told(wanted)}
    lanes = {
        key: replace(lane, values={**lane.values, **missing, **values})
        for key, lane in measured.lanes.items()
    }
    return replace(measured, lanes=lanes)


def _not_told(wanted: Wanted) -> str:
    return f'the test did not report it; call npuperf.metric("{wanted.own_name}", value, unit)'


def _in_unit(limit: Limit, unit: str) -> Limit:
    allowed = limit.max_regression
    return replace(limit, unit=unit, max_regression=allowed and allowed.on_scale_of(unit))
