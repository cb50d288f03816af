"""How many times faster a case is than its other side, and when that cannot be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_npuperf.catalogue import STEPS
from pytest_npuperf.judge import judge, wanted_for_speedups, with_speedups
from pytest_npuperf.model import (
    Case,
    LaneMeasurement,
    Limit,
    Measurement,
    OtherSide,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

PER_STEP = Wanted("compute_time_per_step")
SPEEDUP = Wanted("speedup")
SOC = {"soc": "Ascend310P3"}


def limit(at_least: str) -> Limit:
    return Limit(
        SPEEDUP, Dimension.NUMBER, at_least=Fraction(at_least), better="higher", where="x:1"
    )


FLOAT = Case("fp16", batch_size=16)
INT8 = Case("int8", batch_size=16, against=FLOAT, limits=(limit("1.4"),))


def measured(time: int | None, steps: int | None = 10, lane: str = "0") -> Measurement:
    values = {
        PER_STEP: Value(None, reason="no op_summary") if time is None else Value(Fraction(time)),
        STEPS: Value(None if steps is None else Fraction(steps)),
    }
    return Measurement({lane: LaneMeasurement(values)})


def other(*times: int, steps: int = 10, fingerprint: Mapping[str, str] = SOC) -> OtherSide:
    rounds = tuple(measured(time, steps) for time in times)
    return OtherSide("fp16", rounds=rounds, fingerprint=fingerprint)


def speedup(
    case: Case, rounds: list[Measurement], beside: OtherSide | None
) -> list[tuple[Fraction | None, str]]:
    found = with_speedups(case, rounds, SOC, beside)
    values = [lane.values[SPEEDUP] for each in found for lane in each.lanes.values()]
    return [(value.value, value.reason) for value in values]


@pytest.mark.parametrize(
    ("at_least", "verdict"),
    [("1.4", Verdict.PASSED), ("1.41", Verdict.FAILED)],
)
def test_what_is_exactly_fast_enough_passes(at_least: str, verdict: Verdict) -> None:
    case = replace(INT8, limits=(limit(at_least),))
    rounds = with_speedups(case, [measured(100)], SOC, other(140))

    (judged,) = judge(case, rounds, SOC)
    assert judged.verdict is verdict
    assert judged.value == Fraction("1.4")


def test_each_round_is_compared_with_the_middle_of_the_other_side() -> None:
    rounds = [measured(100), measured(70)]

    assert speedup(INT8, rounds, other(130, 140, 900)) == [(Fraction("1.4"), ""), (2, "")]


def test_only_what_is_limited_is_worked_out() -> None:
    case = replace(INT8, limits=())

    assert wanted_for_speedups(INT8) == (PER_STEP, STEPS)
    assert wanted_for_speedups(case) == ()
    assert with_speedups(case, [measured(100)], SOC, other(140)) == (measured(100),)


AS_MANY = "; run as many on both sides"
SAY_BATCH = "; run the same batch on both sides, and say it in both budgets"


@pytest.mark.parametrize(
    ("case", "own", "beside", "reason"),
    [
        (
            replace(INT8, against=None),
            measured(100),
            None,
            "there is nothing to be faster than; write against = { case = NAME }",
        ),
        (INT8, measured(100), None, "fp16 was not measured beside it"),
        (
            INT8,
            measured(100, steps=12),
            other(140),
            f"12 steps, and fp16 has 10{AS_MANY}",
        ),
        (
            INT8,
            measured(100, steps=None),
            other(140),
            f"an unknown number of steps, and fp16 has 10{AS_MANY}",
        ),
        (
            replace(INT8, batch_size=8),
            measured(100),
            other(140),
            f"batch_size 8, and fp16 has 16{SAY_BATCH}",
        ),
        (
            replace(INT8, batch_size=None),
            measured(100),
            other(140),
            f"batch_size unknown, and fp16 has 16{SAY_BATCH}",
        ),
        (
            INT8,
            measured(100),
            other(140, fingerprint={"soc": "Ascend910B3"}),
            "SoC Ascend310P3, fp16 has Ascend910B3",
        ),
        (INT8, measured(100, lane="1/1"), other(140), "fp16 has no lane 1/1"),
        (
            INT8,
            measured(None),
            other(140),
            "compute_time_per_step not measured: no op_summary",
        ),
        (INT8, measured(0), other(140), "compute_time_per_step is 0 on one side"),
        (INT8, measured(100), other(0), "compute_time_per_step is 0 on one side"),
    ],
)
def test_sides_that_are_no_pair_have_no_speedup(
    case: Case, own: Measurement, beside: OtherSide | None, reason: str
) -> None:
    assert speedup(case, [own], beside) == [(None, reason)]
