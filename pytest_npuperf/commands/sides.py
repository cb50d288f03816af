"""The two sides of ``npuperf diff``: profiles, or cases of results, with the numbers asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.catalogue import METRICS
from pytest_npuperf.collect import replay
from pytest_npuperf.commands.chosen import chosen_case
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import JSON, Measurement, StepOptions, Wanted
from pytest_npuperf.profile import open_profile


@dataclass(frozen=True)
class Side:
    """What one side measured."""

    path: Path
    rounds: tuple[Measurement, ...]
    fingerprint: Mapping[str, str]
    tables: frozenset[str] = frozenset()
    """What every round of a profile has; none of a result."""

    @property
    def lanes(self) -> tuple[str, ...]:
        """Return the lanes of all rounds."""
        return tuple(dict.fromkeys(key for measured in self.rounds for key in measured.lanes))


def read_side(path: Path, wanted: Sequence[Wanted], case: str | None) -> Side:
    """Return what a profile, or a case of a result, says of the numbers that are wanted.

    Raises NpuperfError.
    """
    if results.is_result(path):
        return _of_result(path, chosen_case(path, results.read(path), case), wanted)
    collected = replay(path)
    profiles = [open_profile(each) for each in collected.rounds]
    measurers = (Measurer(each, StepOptions()) for each in profiles)
    rounds = tuple(measurer.measure(wanted, by_shape=True) for measurer in measurers)
    tables = frozenset.intersection(*(frozenset(each.tables) for each in profiles))
    return Side(path, rounds, collected.fingerprint, tables)


def _of_result(path: Path, case: JSON, wanted: Sequence[Wanted]) -> Side:
    rounds = results.rounds_from_json(case["rounds"], wanted)
    held = {each for measured in rounds for lane in measured.lanes.values() for each in lane.values}
    lacking = [metric_name(each) for each in wanted if each not in held]
    if lacking:
        known = ", ".join(_names(case)) or "none"
        raise NpuperfError(
            f"{path}: {case['case']} has no {', '.join(lacking)}, as its budget does not limit "
            f"that; choose what to compare with --metric, of: {known}"
        )
    return Side(path, rounds, case["fingerprint"])


def metric_name(wanted: Wanted) -> str:
    """Return what ``--metric`` calls a number: ``kernel_time``, ``step_time.p50``."""
    return f"{wanted.metric}.{wanted.statistic}" if wanted.statistic else wanted.metric


def _names(case: JSON) -> dict[str, None]:
    """Return the numbers of a case that ``--metric`` can name."""
    return dict.fromkeys(_names_of(case["limits"]))


def _names_of(limits: JSON) -> Iterator[str]:
    for limit in limits:
        if limit["metric"] in METRICS:
            yield metric_name(Wanted(limit["metric"], limit["statistic"]))
