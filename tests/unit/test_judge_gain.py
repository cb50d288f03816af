"""Where the gain of a quantised model comes from, and what ate of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from pytest_npuperf.judge import explain_gain, tell_gain
from pytest_npuperf.model import (
    CaseResult,
    LaneMeasurement,
    Measurement,
    OpRow,
    OtherSide,
    Value,
    Verdict,
    Wanted,
)

US = 1000
NOTHING = "nothing is quantised: no op has an input in INT8, UINT8 or INT4"
PAIRED = {Wanted("speedup"): Value(Fraction(2))}
REFUSED = {Wanted("speedup"): Value(None, reason="other steps")}

FLOAT = [
    OpRow("Conv2D", "AI_CORE", 53, 900 * US, "1,3,224,224", "FLOAT16;FLOAT16"),
    OpRow("MatMulV2", "AI_CORE", 1, 80 * US, "1,2048", "FLOAT16;FLOAT16"),
    OpRow("TransData", "AI_VECTOR_CORE", 2, 20 * US),
    OpRow("hcom_allReduce_", "COMMUNICATION", 1, 700 * US),
]
INT8 = [
    OpRow("Conv2D", "AI_CORE", 52, 400 * US, "1,3,224,224", "INT8;INT8;INT32"),
    OpRow("Conv2D", "AI_CORE", 1, 40 * US, "1,3,7,7", "FLOAT16;FLOAT16"),
    OpRow("MatMulV2", "AI_CORE", 1, 80 * US, "1,2048", "FLOAT16;FLOAT16"),
    OpRow("TransData", "AI_VECTOR_CORE", 4, 35 * US),
    OpRow("AscendQuant", "AI_VECTOR_CORE", 2, 30 * US),
    OpRow("hcom_allReduce_", "COMMUNICATION", 1, 800 * US),
]


def pair(
    now: Sequence[OpRow],
    before: Sequence[OpRow],
    values: dict[Wanted, Value] = PAIRED,
    lanes: Sequence[str] = ("0",),
) -> CaseResult:
    rounds = [
        Measurement({lane: LaneMeasurement(numbers, tuple(ops)) for lane in lanes})
        for numbers, ops in ((values, now), ({}, before))
    ]
    return CaseResult(
        "int8",
        "test_it",
        Verdict.PASSED,
        "replay",
        rounds=(rounds[0],),
        against=OtherSide("fp16", rounds=(rounds[1],)),
    )


def test_the_gain_is_told_by_op_type_with_what_ate_of_it_and_what_is_still_in_float() -> None:
    assert list(tell_gain(pair(INT8, FLOAT))) == [
        "kernel_time 585 us, fp16 1.00 ms",
        "gained: Conv2D 460 us",
        "eaten: AscendQuant 30.0 us (new), TransData 15.0 us",
        "still in float: Conv2D 1 of 53 calls, 40.0 us",
    ]


def test_the_parts_sum_to_the_difference_with_collectives_apart() -> None:
    (causes,) = explain_gain(pair(INT8, FLOAT)).values()
    kernels = [cause for cause in causes if cause.core != "COMMUNICATION"]

    assert sum(cause.delta for cause in kernels) == (585 - 1000) * US
    assert sum(cause.delta for cause in causes) == (585 - 1000 + 100) * US
    assert {(cause.type, str(cause.kind)) for cause in kernels} == {
        ("Conv2D", "faster"),
        ("AscendQuant", "new"),
        ("TransData", "more calls"),
        ("TransData", "faster"),
    }


def test_several_lanes_are_named() -> None:
    lines = list(tell_gain(pair(INT8, FLOAT, lanes=("0/0", "1/1"))))

    assert lines[0] == "kernel_time on lane 0/0 585 us, fp16 1.00 ms"
    assert lines[4] == "kernel_time on lane 1/1 585 us, fp16 1.00 ms"


@pytest.mark.parametrize(
    "case",
    [
        pair(INT8, FLOAT, REFUSED),
        pair(INT8, FLOAT, {}),
        pair(INT8, []),
        pair([], FLOAT),
    ],
)
def test_what_is_no_pair_is_not_explained(case: CaseResult) -> None:
    assert list(tell_gain(case)) == []
    assert explain_gain(case) == {}


def test_two_of_the_same_have_neither_gained_nor_eaten() -> None:
    case = pair(FLOAT, FLOAT)

    assert list(tell_gain(case)) == ["kernel_time 1.00 ms, fp16 1.00 ms", NOTHING]
    assert explain_gain(case) == {"0": ()}


def test_the_op_types_that_are_too_many_are_summed_up() -> None:
    more = [OpRow(f"Type{number}", "AI_CORE", 1, number * US) for number in range(1, 8)]

    assert list(tell_gain(pair([*FLOAT, *more], FLOAT)))[1] == (
        "eaten: Type7 7.00 us (new), Type6 6.00 us (new), Type5 5.00 us (new), "
        "Type4 4.00 us (new), Type3 3.00 us (new), 2 more types 3.00 us"
    )


@pytest.mark.parametrize(
    ("kind", "dtypes", "told"),
    [
        ("MatMulV2", "", False),
        ("MatMulV2", "FLOAT16;FLOAT16", True),
        ("MatMulV2", "FLOAT16;INT4", False),
        ("MatMulV2", "int8;int8", False),
        ("AscendQuantV2", "FLOAT16", False),
    ],
)
def test_a_model_that_is_float_on_the_device_is_told_from_one_that_is_not(
    kind: str, dtypes: str, told: bool
) -> None:
    ops = [OpRow(kind, "AI_CORE", 1, US, "1,2048", dtypes), OpRow("Add", "AI_CORE", 1, US)]

    assert (NOTHING in tell_gain(pair(ops, FLOAT))) is told


def test_op_types_that_hardly_changed_are_summed_up() -> None:
    more = [OpRow(f"Type{number}", "AI_CORE", 1, number * US) for number in (98, 1, 1)]
    less = [*more[:1], OpRow("Type1", "AI_CORE", 1, US - 1), OpRow("Type2", "AI_CORE", 1, US)]

    assert list(tell_gain(pair([*FLOAT, *more], FLOAT)))[1] == (
        "eaten: Type98 98.0 us (new), Type1 2.00 us (new)"
    )
    assert list(tell_gain(pair([*FLOAT, *less], FLOAT)))[1] == (
        "eaten: Type98 98.0 us (new), Type2 1.00 us (new), 1 more type 999 ns"
    )


def test_what_changes_the_layout_is_not_called_float() -> None:
    layout = [OpRow("TransData", "AI_CORE", 1, US, dtypes=each) for each in ("INT8", "FLOAT16")]

    assert not any("still in float" in line for line in tell_gain(pair(layout, FLOAT)))


def test_pooled_ops_of_unknown_data_types_are_not_called_float() -> None:
    pooled = [*INT8[:1], OpRow("Conv2D", "AI_CORE", 1, US)]

    assert not any("still in float" in line for line in tell_gain(pair(pooled, FLOAT)))
