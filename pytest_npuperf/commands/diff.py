"""``npuperf diff``: what is better or worse from one profile to another, and by which op."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import __version__, results
from pytest_npuperf.catalogue import METRICS, PER_STEP, STATISTICS, Metric
from pytest_npuperf.commands.sides import Side, read_side
from pytest_npuperf.config.layers import BUILT_IN
from pytest_npuperf.config.problems import did_you_mean
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import Before, causes_by_lane, differences, judge, worst
from pytest_npuperf.model import (
    JSON,
    Case,
    CaseResult,
    Judged,
    Limit,
    Noise,
    Regression,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension, parse

# The history of the JSON that --json writes.
#   1  (0.1.0) the first.
FORMAT = 1

SAME, WORSE, UNKNOWN = 0, 1, 2
"""The exit statuses: same or better, worse, and not to be told."""

METRICS_THAT_DECIDE = ("kernel_time", "kernel_count")
MAX_REGRESSION = parse(BUILT_IN["max_regression"], Dimension.SHARE)
MIN_EFFECT = parse(BUILT_IN["min_effect"], Dimension.TIME)
"""What a budget has that says nothing else."""


@dataclass(frozen=True)
class Question:
    """What is compared, and how much worse it may be."""

    before: Path
    now: Path
    metrics: tuple[str, ...] = METRICS_THAT_DECIDE
    max_regression: Fraction = MAX_REGRESSION
    """Of times and shares; a count or a size may not be worse at all."""
    case: str | None = None
    """Which case, where a side is a result of several."""


@dataclass(frozen=True)
class Difference:
    """The answer."""

    before: Side
    now: Side
    result: CaseResult
    """Causes are given on each lane, whether or not anything is told from noise."""
    differences: tuple[str, ...]
    """How the two were made in different ways."""

    @property
    def status(self) -> int:
        """Return the exit status."""
        if self.result.verdict is Verdict.PASSED:
            return SAME
        return WORSE if self.result.verdict is Verdict.FAILED else UNKNOWN

    @property
    def is_beyond(self) -> bool:
        """Return whether a number that decides has changed by more than is allowed."""
        return any(judged.has_changed for judged in self.result.limits)

    @property
    def is_told_from_noise(self) -> bool:
        """Return whether a number that decides has changed; else the parts may be noise.

        Many rounds may tell a change that is small, and within what is allowed.
        """
        return self.is_beyond or any(map(_is_sure, self.result.limits))


def _is_sure(judged: Judged) -> bool:
    comparison = judged.comparison
    if comparison is None or comparison.low is None or comparison.high is None:
        return False
    return comparison.low > 0 or comparison.high < 0


def compare(question: Question) -> Difference:
    """Compare two profiles or results as two sides of one session. Raises NpuperfError."""
    sides = (question.before, question.now)
    if question.case is not None and not any(map(results.is_result, sides)):
        raise NpuperfError(f"--case {question.case}: neither side is a result, which has cases")
    names = dict.fromkeys(question.metrics)
    limits = tuple(_limit(name, question.max_regression) for name in names)
    wanted = [limit.wanted for limit in limits]
    before, now = (read_side(path, wanted, question.case) for path in sides)
    other = Before((before.rounds,), "A", noise=Noise(min_effect=MIN_EFFECT), is_stored=False)
    case = Case(str(question.now), limits=limits)
    judged = judge(case, now.rounds, now.fingerprint, other)
    result = CaseResult(
        case=case.name,
        test="",
        verdict=worst(judged),
        mode="replay",
        rounds=now.rounds,
        limits=judged,
        causes=causes_by_lane(now.rounds, other),
    )
    # Two releases are compared on purpose: that they differ is said, and does not stand in the way.
    made = differences(now.fingerprint, before.fingerprint, "A")
    return Difference(before, now, result, (*made, *_other_lanes(before, now)))


def _other_lanes(before: Side, now: Side) -> Iterator[str]:
    if set(before.lanes) != set(now.lanes):
        here, there = (", ".join(side.lanes) or "none" for side in (now, before))
        yield (
            f"B has lanes {here}, and A {there}: each is compared with the one of its name; "
            "one rank with another by the path of each"
        )


# --- what decides -----------------------------------------------------------------------------


def _limit(name: str, max_regression: Fraction) -> Limit:
    """Return a limit on a metric, ``kernel_time``, or on one of several, ``step_time.p50``."""
    metric, _, key = name.partition(".")
    known = METRICS.get(metric)
    if known is None:
        near = did_you_mean(name, METRICS, at_most=3)
        raise NpuperfError(f"--metric {name}: is no metric{near or f'; known are {_names()}'}")
    if known.takes_table is not bool(key) or (known.distribution and key not in STATISTICS):
        raise NpuperfError(f"--metric {name}: write {' or '.join(_forms(known))}")
    is_count = known.distribution and key == "count"
    dimension = Dimension.COUNT if is_count else known.dimension
    return Limit(
        Wanted(metric, key or None),
        dimension,
        max_regression=Regression(Fraction(0) if dimension.is_exact else max_regression),
        better=known.better,
    )


def _names() -> str:
    return ", ".join(next(_forms(metric)) for metric in METRICS.values())


def names_of(tables: frozenset[str]) -> list[str]:
    """Return one name of each metric that comes from one of these tables."""
    return [
        next(_forms(metric))
        for metric in METRICS.values()
        if not metric.name.endswith(PER_STEP) and not tables.isdisjoint(metric.needs)
    ]


def _forms(metric: Metric) -> Iterator[str]:
    """Yield how a metric may be named."""
    if metric.distribution:
        yield from (f"{metric.name}.{statistic}" for statistic in STATISTICS)
    else:
        yield f"{metric.name}.{metric.keyed_by.upper()}" if metric.keyed_by else metric.name


# --- as plain data ----------------------------------------------------------------------------


def as_json(found: Difference) -> JSON:
    """Return the answer as plain data, times in ns; limits and causes are those of a result."""
    case = results.case_as_json(found.result)
    return {
        "format": FORMAT,
        "version": __version__,
        "before": _side_as_json(found.before),
        "now": _side_as_json(found.now),
        "exit": found.status,
        "told_from_noise": found.is_told_from_noise,
        "differences": list(found.differences),
        "limits": case["limits"],
        "causes": case["causes"],
    }


def _side_as_json(side: Side) -> Mapping[str, JSON]:
    return {
        "path": str(side.path),
        "fingerprint": dict(side.fingerprint),
        "rounds": len(side.rounds),
        "notes": list(dict.fromkeys(note for each in side.rounds for note in each.notes)),
    }
