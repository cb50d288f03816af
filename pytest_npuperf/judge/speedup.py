"""How many times faster a case is than the other side of its session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pytest_npuperf.catalogue import SPEEDUP_OF, STEPS
from pytest_npuperf.judge.comparable import differences
from pytest_npuperf.judge.rounds import value_in
from pytest_npuperf.model import Case, Measurement, OtherSide, Value, Wanted
from pytest_npuperf.percentiles import median


def wanted_for_speedups(case: Case) -> tuple[Wanted, ...]:
    """Return what is measured on both sides for the speedups that a case limits."""
    times = [SPEEDUP_OF[wanted.metric] for wanted in _speedups(case)]
    return (*times, STEPS) if times else ()


def with_speedups(
    case: Case,
    rounds: Sequence[Measurement],
    fingerprint: Mapping[str, str],
    other: OtherSide | None,
) -> tuple[Measurement, ...]:
    """Return the rounds of a case, each with its speedups, or the reason why there is none."""
    asked = tuple(_speedups(case))
    obstacle = _obstacle(case, fingerprint, other)
    pair = _Pair(obstacle, other.title if other else "", other.rounds if other else ())
    return tuple(_with(measured, asked, pair) for measured in rounds) if asked else tuple(rounds)


def _speedups(case: Case) -> Iterator[Wanted]:
    wanted = dict.fromkeys(limit.wanted for limit in case.limits)
    return (each for each in wanted if each.metric in SPEEDUP_OF)


@dataclass(frozen=True)
class _Pair:
    """What a round is compared with."""

    obstacle: str
    """Why it cannot be compared; empty where it can."""
    title: str
    rounds: Sequence[Measurement]

    def speedup(self, of: Wanted, lane: str, measured: Measurement) -> Value:
        """Return how many times longer the other side takes than one lane of a round."""
        if self.obstacle:
            return Value(None, reason=self.obstacle)
        if not any(lane in each.lanes for each in self.rounds):
            return Value(None, reason=f"{self.title} has no lane {lane}")
        own = value_in(of, lane, measured)
        others = [value_in(of, lane, each) for each in self.rounds]
        lacking = [each.reason for each in (own, *others) if each.value is None]
        if lacking:
            return Value(None, reason=f"{of.title()} not measured: {lacking[0]}")
        if uneven := self._uneven(lane, measured):
            return Value(None, reason=uneven)
        times = [each.value for each in (own, *others) if each.value is not None]
        if 0 in times:
            return Value(None, reason=f"{of.title()} is 0 on one side")
        samples = min(each.samples for each in (own, *others))
        return Value(median(times[1:]) / times[0], samples)

    def _uneven(self, lane: str, measured: Measurement) -> str:
        """Say that one side has more steps than the other; empty where both have as many."""
        own = value_in(STEPS, lane, measured).value
        found = {value_in(STEPS, lane, each).value for each in self.rounds}
        if found == {own}:
            return ""
        there = " or ".join(sorted({_steps(each) for each in found}))
        return f"{_steps(own)} steps, and {self.title} has {there}; run as many on both sides"


def _steps(count: Fraction | None) -> str:
    return "an unknown number of" if count is None else str(count)


def _with(measured: Measurement, asked: Sequence[Wanted], pair: _Pair) -> Measurement:
    lanes = {
        key: replace(lane, values={**lane.values, **_values(asked, key, measured, pair)})
        for key, lane in measured.lanes.items()
    }
    return replace(measured, lanes=lanes)


def _values(
    asked: Sequence[Wanted], lane: str, measured: Measurement, pair: _Pair
) -> dict[Wanted, Value]:
    return {each: pair.speedup(SPEEDUP_OF[each.metric], lane, measured) for each in asked}


def _obstacle(case: Case, fingerprint: Mapping[str, str], other: OtherSide | None) -> str:
    """Say why two cases cannot be compared; empty where they can."""
    if case.against is None:
        return "there is nothing to be faster than; write against = { case = NAME }"
    if other is None:
        return f"{case.against.name} was not measured beside it"
    own, theirs = case.batch_size, case.against.batch_size
    if own != theirs:
        return (
            f"batch_size {own or 'unknown'}, and {other.title} has {theirs or 'none'}; "
            "run the same batch on both sides, and say it in both budgets"
        )
    return "; ".join(differences(fingerprint, other.fingerprint, other.title))
