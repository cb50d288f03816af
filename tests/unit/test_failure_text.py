from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pytest_npuperf.model import (
    CaseResult,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    OpRow,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.report import details, one_line
from pytest_npuperf.text import columns
from pytest_npuperf.units import Dimension

OPS = (
    OpRow("Conv2D", "AI_CORE", 50, 800_000, "1,3"),
    OpRow("MatMulV2", "AI_CORE", 3, 500_100),
    OpRow("Conv2D", "AI_CORE", 3, 100_100, "1,64"),
    OpRow("Cast", "AI_CPU", 1, 20_000),
    OpRow("Cast", "AI_VECTOR_CORE", 4, 10_000),
    OpRow("Relu", "AI_VECTOR_CORE", 9, 9000),
    OpRow("Add", "AI_VECTOR_CORE", 8, 8000),
)
LONGEST = (
    ("stage1/Conv2D_17", "Conv2D", 61_000),
    ("head/卷积\x1b[31m", "MatMulV2", 41_000),
    ("stage1/Conv2D_18", "Conv2D", 40_000),
)
LANE = LaneMeasurement({}, OPS, LONGEST)


def judged(
    metric: str = "busy_time",
    statistic: str | None = None,
    verdict: Verdict = Verdict.FAILED,
    dimension: Dimension = Dimension.TIME,
    value: int | None = 1_710_000,
    lane: str = "0",
    on_fail: Any = "fail",
    where: str = "pyproject.toml:12",
    **select: tuple[str, ...],
) -> Judged:
    wanted = Wanted(metric, statistic, Selector(**select))
    limit = Limit(wanted, dimension, at_most=Fraction(1_700_000), on_fail=on_fail, where=where)
    found = None if value is None else Fraction(value)
    reason = f"{wanted.title()} is judged"
    return Judged(limit, verdict, lane, found, 1, Fraction(1), reason)


def case(*limits: Judged, **more: Any) -> CaseResult:
    worst = min((each.counts_as for each in limits), key=lambda verdict: verdict.rank)
    rounds = more.pop("rounds", (Measurement({"0": LANE}),))
    return CaseResult(
        "resnet50",
        "test_it",
        more.pop("verdict", worst),
        "run",
        rounds=rounds,
        limits=limits,
        **more,
    )


STOPPED = CaseResult(
    "bert",
    "test_it",
    Verdict.ERROR,
    "",
    "main ended with status 3; log: msprof.log\n    Traceback:\x0b\n    \x1b[31mRuntimeError",
)

# --- one line ---------------------------------------------------------------------------------


def test_the_message_is_the_reason_and_the_place_of_the_limit() -> None:
    assert one_line(case(judged())) == "resnet50: busy_time is judged [pyproject.toml:12]"
    assert one_line(case(judged(where=""))) == "resnet50: busy_time is judged"


def test_the_message_is_of_the_worst_limit_and_counts_the_others() -> None:
    limits = (
        judged("idle_time", verdict=Verdict.NOT_MEASURED, value=None),
        judged("busy_time", value=1_710_000),
        judged("kernel_time", value=1_720_000),
        judged("largest_gap", on_fail="warn", value=9_000_000),
        judged("window_time", verdict=Verdict.INCONCLUSIVE, value=1),
        judged("compute_time", verdict=Verdict.PASSED, value=1),
    )
    expected = "resnet50: kernel_time is judged [pyproject.toml:12] (+2 more)"
    assert one_line(case(*limits)) == expected
    assert one_line(case(*limits[::-1])) == expected


@pytest.mark.parametrize("verdict", [Verdict.INCONCLUSIVE, Verdict.NEW, Verdict.NOT_MEASURED])
def test_any_verdict_that_fails_the_test_is_explained(verdict: Verdict) -> None:
    limits = (judged(verdict=verdict, value=1), judged("a", verdict=Verdict.PASSED, value=1))
    assert one_line(case(*limits)) == "resnet50: busy_time is judged [pyproject.toml:12]"


def test_the_message_of_an_error_is_its_first_line_without_the_log() -> None:
    assert one_line(STOPPED) == "bert: main ended with status 3; log: msprof.log"


def test_the_message_is_one_line_whatever_it_holds() -> None:
    strange = replace(judged(), reason="busy\x1b[2J\ntime")
    assert one_line(case(strange)) == "resnet50: busy\\x1b[2J\\ntime [pyproject.toml:12]"
    assert one_line(replace(STOPPED, case="\r")) == (
        "\\r: main ended with status 3; log: msprof.log"
    )


def test_a_case_without_a_reason_and_without_limits_says_its_verdict() -> None:
    assert one_line(CaseResult("a", "t", Verdict.NOT_MEASURED, "run")) == "a: NOT_MEASURED"


# --- details ----------------------------------------------------------------------------------


def test_the_section_under_a_failed_test() -> None:
    limits = (
        judged("step_time", "p95", on_fail="warn"),
        judged("busy_time"),
        judged("idle_share", verdict=Verdict.NOT_MEASURED, value=None),
        judged("kernel_time", verdict=Verdict.PASSED, value=1),
    )
    result = replace(
        case(*limits),
        mode="replay",
        recorded="2026-01-31",
        fingerprint={"soc": "Ascend310P3", "cann": "8.0.0"},
        notes=("3 rows are left\nout",),
        profiles=("recordings/resnet50/round_1", "recordings/resnet50/round_2"),
    )
    assert (
        details(result)
        == """\
resnet50: FAILED, replayed (recorded 2026-01-31), soc Ascend310P3, cann 8.0.0
  FAILED         busy_time is judged [pyproject.toml:12]
  NOT_MEASURED   idle_share is judged [pyproject.toml:12]
  FAILED (warn)  step_time p95 is judged [pyproject.toml:12]
  and 1 within budget

  longest  op type   op name
  61.0 us  Conv2D    stage1/Conv2D_17
  41.0 us  MatMulV2  head/卷积\\x1b[31m
  40.0 us  Conv2D    stage1/Conv2D_18

    total  ops  op type   core
   900 us   53  Conv2D    AI_CORE
   500 us    3  MatMulV2  AI_CORE
  20.0 us    1  Cast      AI_CPU
  10.0 us    4  Cast      AI_VECTOR_CORE
  9.00 us    9  Relu      AI_VECTOR_CORE
note: 3 rows are left\\nout
profile: recordings/resnet50/round_1
profile: recordings/resnet50/round_2"""
    )


def test_the_section_of_an_error_shows_every_line_of_the_log() -> None:
    assert (
        details(STOPPED)
        == """\
bert: ERROR
  main ended with status 3; log: msprof.log
      Traceback:\\x0b
      \\x1b[31mRuntimeError"""
    )


def operators(*limits: Judged, **more: Any) -> list[str]:
    """Return the lines of the tables of operators in the section."""
    _, *tables = details(case(*limits, **more)).split("\n\n")
    return [line.strip() for table in tables for line in table.splitlines()]


LONGEST_CONV = [
    "longest  op type  op name",
    "61.0 us  Conv2D   stage1/Conv2D_17",
    "40.0 us  Conv2D   stage1/Conv2D_18",
]
ALL_CONV = ["total  ops  op type  core", "900 us   53  Conv2D   AI_CORE"]


def test_only_operators_that_the_rule_means_are_listed() -> None:
    assert operators(judged("ops", "max", type=("Conv*",))) == [*LONGEST_CONV, *ALL_CONV]
    assert operators(
        judged("ops", "max", not_type=("[MCRA]*", "?atMul*", "Cast", "Relu", "Add"))
    ) == [
        *LONGEST_CONV,
        *ALL_CONV,
    ]


def test_a_table_that_cannot_tell_which_rows_the_rule_means_is_left_out() -> None:
    # The totals have no op names, and the longest ops no core.
    assert operators(judged("ops", "max", name=("stage1/*",))) == LONGEST_CONV
    assert operators(judged("ops", "max", not_name=("head/*",))) == LONGEST_CONV
    assert operators(judged("ops", "max", task_type=("AI_CPU",))) == [
        "total  ops  op type  core",
        "20.0 us    1  Cast     AI_CPU",
    ]
    assert operators(judged("ops", "max", name=("stage1/*",), task_type=("AI_CPU",))) == []


def test_a_rule_on_a_count_names_its_operators_too() -> None:
    count = judged("ops", "count", dimension=Dimension.COUNT, type=("Conv2D",))
    assert operators(count) == [*LONGEST_CONV, *ALL_CONV]


@pytest.mark.parametrize(
    "limit",
    [
        judged("kernel_count", dimension=Dimension.COUNT),
        judged("apis", "mean"),
        judged(verdict=Verdict.NOT_MEASURED, value=None),
        judged(verdict=Verdict.INCONCLUSIVE),
        judged(on_fail="warn"),
        judged(lane="1"),
    ],
)
def test_operators_are_listed_only_where_they_explain_the_failure(limit: Judged) -> None:
    assert operators(limit) == []


def test_the_operators_are_those_of_the_lane_that_decided() -> None:
    other = LaneMeasurement({}, OPS[3:4], (("a", "Cast", 5),))
    rounds = (Measurement({"0": LANE, "1/1": other}),)
    assert operators(judged(lane="1/1"), rounds=rounds) == [
        "longest  op type  op name",
        "5.00 ns  Cast     a",
        "total  ops  op type  core",
        "20.0 us    1  Cast     AI_CPU",
    ]


def test_the_longest_ops_are_those_of_all_rounds_each_once() -> None:
    first = LaneMeasurement({}, OPS[3:4], (("a", "Cast", 5), ("a", "Cast", 4), ("b", "Cast", 3)))
    second = LaneMeasurement({}, OPS[:1], (("b", "Cast", 6), ("c", "Cast", 1)))
    rounds = (Measurement({"0": first}), Measurement({"0": second}))
    assert operators(judged(), rounds=rounds) == [
        "longest  op type  op name",
        "6.00 ns  Cast     b",
        "5.00 ns  Cast     a",
        "1.00 ns  Cast     c",
        "total  ops  op type  core",
        "20.0 us    1  Cast     AI_CPU",
    ]


def test_a_profile_without_operators_lists_none() -> None:
    assert operators(judged(), rounds=(Measurement({"0": LaneMeasurement({})}),)) == []


def test_a_long_op_name_keeps_both_its_ends() -> None:
    lane = LaneMeasurement({}, (), (("model/" + "block/" * 30 + "Conv2D_17", "Conv2D", 1),))
    found = operators(judged(), rounds=(Measurement({"0": lane}),))
    assert found[1].startswith("1.00 ns  Conv2D   model/block/")
    assert found[1].endswith("block/Conv2D_17")
    assert columns(found[1]) == 98
