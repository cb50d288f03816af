"""What one lane says of one number over all rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.catalogue import METRICS
from pytest_npuperf.model import Limit, Measurement, Value, Wanted
from pytest_npuperf.percentiles import is_percentile, median, statistic
from pytest_npuperf.units import Dimension


@dataclass(frozen=True)
class Observed:
    """The number to compare with a limit, and what it was made from."""

    value: Fraction
    samples: int
    coverage: Fraction
    data: tuple[int, ...] = ()
    """The single steps of a distribution, ns."""
    how: str = ""
    """What was made of several rounds, in words; empty for a single one."""


@dataclass(frozen=True)
class Missing:
    """There is no number, for this reason."""

    reason: str
    how: str = ""
    """The round that lacks it, where there are several."""


def value_in(wanted: Wanted, lane: str, measurement: Measurement) -> Value:
    """Return a number of one lane in one round, or why there is none."""
    measured = measurement.lanes.get(lane)
    if measured is None:
        others = ", ".join(measurement.lanes) or "none"
        return Value(None, reason=f"the profile has no such lane; it has {others}")
    return measured.values.get(wanted) or Value(None, reason="it was not looked for")


def observe(limit: Limit, lane: str, rounds: Sequence[Measurement]) -> Observed | Missing:
    """Return the number of one lane that a limit is compared with, of at least one round."""
    seen = []
    for number, measurement in enumerate(rounds, 1):
        value = value_in(limit.wanted, lane, measurement)
        if value.value is None:
            how = f" in round {number} of {len(rounds)}" if len(rounds) > 1 else ""
            return Missing(value.reason or "the profile does not have it", how)
        seen.append(Observed(value.value, value.samples, value.coverage, value.data))
    return seen[0] if len(seen) == 1 else _combined(limit, seen)


def _combined(limit: Limit, seen: Sequence[Observed]) -> Observed | Missing:
    """Make one number of several rounds.

    Counts are exact, so each round counts and the worst decides. The percentiles of a
    distribution are those of all its steps. Of anything else it is the median of the rounds.
    """
    if limit.dimension is Dimension.COUNT:
        return _worst(limit, seen)
    if _is_pooled(limit.wanted):
        return _pooled(limit.wanted, seen)
    middle = median([each.value for each in seen])
    return _joined(seen, middle, min(each.samples for each in seen), "median of")


def _worst(limit: Limit, seen: Sequence[Observed]) -> Observed:
    excesses = [_excess(limit, each.value) for each in seen]
    worst = excesses.index(max(excesses))
    found = seen[worst]
    how = f" in round {worst + 1} (worst of {len(seen)})"
    return Observed(found.value, found.samples, found.coverage, how=how)


def _excess(limit: Limit, value: Fraction) -> Fraction:
    bound = limit.nearest(value)
    return bound.excess(value) if bound else value


def _is_pooled(wanted: Wanted) -> bool:
    metric = METRICS.get(wanted.metric)
    return metric is not None and metric.distribution and is_percentile(wanted.statistic)


def _pooled(wanted: Wanted, seen: Sequence[Observed]) -> Observed | Missing:
    for number, each in enumerate(seen, 1):
        if not each.data:
            how = f" in round {number} of {len(seen)}"
            return Missing("the single steps are needed, and the profile has only a statistic", how)
    steps = [step for each in seen for step in each.data]
    value = statistic(steps, wanted.statistic or "")
    return _joined(seen, value, len(steps), "steps of")


def _joined(seen: Sequence[Observed], value: Fraction, samples: int, what: str) -> Observed:
    coverage = min(each.coverage for each in seen)
    return Observed(value, samples, coverage, how=f", {what} {len(seen)} rounds")
