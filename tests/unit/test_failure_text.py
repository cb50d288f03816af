from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pytest_npuperf.model import (
    CaseResult,
    Cause,
    CauseKind,
    Comparison,
    Judged,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    OpRow,
    Regression,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.report import culprits, details, one_line
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
    OpRow("Tile", "AI_VECTOR_CORE", 1, 7000),
)
LONGEST = (
    LongOp("stage1/Conv2D_17", "Conv2D", "AI_CORE", 61_000),
    LongOp("head/卷积\x1b[31m", "MatMulV2", "AI_CORE", 41_000),
    LongOp("stage1/Conv2D_18", "Conv2D", "AI_CORE", 40_000),
    LongOp("tail/Cast", "Cast", "AI_CPU", 20_000),
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


# --- the op behind a change -------------------------------------------------------------------


def cause(kind: str, op: str, core: str, before: int, now: int, from_core: str = "") -> Cause:
    return Cause(CauseKind(kind), op, core, "1,3", "FLOAT16", 1, 1, before, now, from_core)


CAUSES = (
    cause("moved", "Cast", "AI_CPU", 10, 110, "AI_CORE"),
    cause("slower", "Conv2D", "AI_CORE", 1000, 1500),
    cause("new", "allReduce", "COMMUNICATION", 0, 900),
    cause("faster", "Relu", "AI_VECTOR_CORE", 2000, 100),
)


def changed(metric: str, **more: Any) -> Judged:
    """Return a limit that was broken by a change."""
    found = judged(metric, **more)
    limit = replace(found.limit, at_most=None, max_regression=Regression(Fraction(5, 100)))
    compared = Comparison(Fraction(1), Fraction(1, 10), None, None, False, "baseline")
    return replace(found, limit=limit, comparison=compared)


@pytest.mark.parametrize(
    ("limit", "op"),
    [
        (changed("kernel_time"), "; most by Conv2D (slower, +500 ns)"),
        (changed("busy_time"), "; most by allReduce (new, +900 ns)"),
        (changed("communication_time_per_step"), "; most by allReduce (new, +900 ns)"),
        (changed("ai_cpu_time"), "; most by Cast (moved to AI_CPU, +100 ns)"),
        (changed("ops", type=("Ca*",)), "; most by Cast (moved to AI_CPU, +100 ns)"),
        (changed("ops", task_type=("AI_CORE",)), "; most by Conv2D (slower, +500 ns)"),
        (
            changed("ops", not_type=("allReduce", "Conv2D")),
            "; most by Cast (moved to AI_CPU, +100 ns)",
        ),
        (changed("ops", type=("Relu",)), ""),
        (changed("idle_time"), ""),
        (changed("kernel_count", dimension=Dimension.COUNT), ""),
        (changed("kernel_time", lane="1/1"), ""),
        (changed("kernel_time", verdict=Verdict.INCONCLUSIVE), ""),
        (judged("kernel_time"), ""),
    ],
)
def test_the_message_of_a_change_names_the_op_behind_it(limit: Judged, op: str) -> None:
    title = limit.limit.wanted.title()
    expected = f"resnet50: {title} is judged{op} [pyproject.toml:12]"
    assert one_line(case(limit, causes={"0": CAUSES})) == expected


def test_where_a_table_tells_the_causes_the_op_types_are_not_listed() -> None:
    assert "most time" not in details(case(changed("kernel_time"), causes={"0": CAUSES}))
    assert "most time" in details(case(changed("kernel_time"), causes={"1/1": CAUSES}))
    assert "most time" in details(case(judged("kernel_time"), causes={"0": CAUSES}))


def test_an_op_without_a_type_is_not_hidden() -> None:
    lost = {"0": (cause("slower", "", "", 1, 2),)}
    expected = "resnet50: kernel_time is judged; most by (no type) (slower, +1.00 ns)"
    assert one_line(case(changed("kernel_time", where=""), causes=lost)) == expected


# --- details ----------------------------------------------------------------------------------


def test_the_section_under_a_failed_test() -> None:
    limits = (
        judged("step_time", "p95", on_fail="warn"),
        judged("busy_time"),
        judged("window_time", value=1_700_001),
        judged("ops", "max", value=1_720_000, type=("Conv2D",)),
        judged("idle_share", verdict=Verdict.NOT_MEASURED, value=None),
        judged("kernel_time", verdict=Verdict.PASSED, value=1),
    )
    result = replace(
        case(*limits),
        mode="replay",
        recorded="2026-01-31",
        fingerprint={"soc": "Ascend310P3", "cann": "8.0.0", "app": "main", "app_sha256": "00"},
        notes=("3 rows are left\nout",),
        profiles=("recordings/resnet50/round_1", "recordings/resnet50/round_2"),
    )
    assert (
        details(result)
        == """\
resnet50: FAILED, replayed (recorded 2026-01-31), soc Ascend310P3, cann 8.0.0, app main
  FAILED         ops type=Conv2D max is judged [pyproject.toml:12]
                 longest: stage1/Conv2D_17 61.0 us, stage1/Conv2D_18 40.0 us
  FAILED         busy_time is judged [pyproject.toml:12]
                 most time: Conv2D 900 us, MatMulV2 500 us, Cast 30.0 us, Relu 9.00 us, Add 8.00 us
  FAILED         window_time is judged [pyproject.toml:12]
  NOT_MEASURED   idle_share is judged [pyproject.toml:12]
  FAILED (warn)  step_time p95 is judged [pyproject.toml:12]
  and 1 within budget
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


# --- the operators ----------------------------------------------------------------------------


def operators(*limits: Judged, **more: Any) -> list[str]:
    """Return the lines that name operators."""
    lines = details(case(*limits, **more)).splitlines()
    return [line.strip() for line in lines if line.startswith(" " * 6)]


CONVS = "longest: stage1/Conv2D_17 61.0 us, stage1/Conv2D_18 40.0 us"
LARGEST = "most time: Conv2D 900 us, MatMulV2 500 us, Cast 30.0 us, Relu 9.00 us, Add 8.00 us"


@pytest.mark.parametrize(
    ("select", "line"),
    [
        (Selector(type=("Conv*",)), CONVS),
        (Selector(name=("stage1/*",)), CONVS),
        (Selector(not_type=("[MCRA]*", "?atMul*", "Cast")), CONVS),
        (Selector(not_name=("head/*", "tail/*")), CONVS),
        (Selector(task_type=("AI_CPU",)), "longest: tail/Cast 20.0 us"),
        (Selector(task_type=("AI_CORE",), type=("M*",)), "longest: head/卷积\\x1b[31m 41.0 us"),
    ],
)
def test_only_operators_that_the_rule_means_are_named(select: Selector, line: str) -> None:
    limit = judged("ops", "max")
    wanted = replace(limit.limit.wanted, select=select)
    chosen = replace(limit, limit=replace(limit.limit, wanted=wanted))
    assert operators(chosen) == [line]


def test_a_rule_names_three_at_most_or_none() -> None:
    (line,) = operators(judged("ops", "max"))
    assert line.count(" us") == 3
    assert "tail/Cast" not in line
    assert operators(judged("ops", "max", name=("stage1/*",), task_type=("AI_CPU",))) == []


@pytest.mark.parametrize(
    ("statistic", "dimension"), [("count", Dimension.COUNT), ("share", Dimension.SHARE)]
)
def test_a_rule_on_a_count_or_a_share_names_its_operators_too(
    statistic: str, dimension: Dimension
) -> None:
    limit = judged("ops", statistic, dimension=dimension, type=("Conv2D",))
    assert operators(limit) == [CONVS]


@pytest.mark.parametrize(
    "limit",
    [
        judged("kernel_count", dimension=Dimension.COUNT),
        judged("step_time", "count", dimension=Dimension.COUNT),
        judged("idle_share", dimension=Dimension.SHARE),
        judged("idle_time"),
        judged("idle_time_per_step"),
        judged("largest_gap"),
        judged("apis", "mean"),
        judged("timeline_time", "CANN"),
        judged("timeline_time_per_step", "CANN"),
        judged("custom.speed", dimension=Dimension.NUMBER),
        judged(verdict=Verdict.NOT_MEASURED, value=None),
        judged(verdict=Verdict.INCONCLUSIVE),
        judged(on_fail="warn"),
        judged("ops", "max", on_fail="warn"),
    ],
)
def test_operators_are_looked_for_only_where_they_explain_the_failure(limit: Judged) -> None:
    assert operators(limit) == []
    assert culprits([limit]) == ()


def test_the_worst_limit_asks_for_its_operators_first_and_each_rule_once() -> None:
    limits = [
        judged("busy_time", value=1_700_001),
        judged("ops", "p99", value=1_710_000, type=("Cast",)),
        judged("ops", "max", value=1_720_000, type=("Conv2D",)),
        judged("ops", "count", value=1_730_000, type=("Cast",)),
        judged("ops", "min", on_fail="warn", type=("Relu",)),
        judged("step_time", "p50", value=1_700_002),
    ]
    expected = (Selector(type=("Cast",)), Selector(type=("Conv2D",)), Selector())
    assert culprits(limits) == culprits(limits[::-1]) == expected


@pytest.mark.parametrize("metric", ["busy_time", "window_time_per_step", "step_time"])
def test_a_time_names_the_op_types_that_it_went_to(metric: str) -> None:
    assert operators(judged(metric)) == [LARGEST]


CORES = (
    OpRow("Conv2D", "AI_CORE", 1, 7000),
    OpRow("allReduce", "COMMUNICATION", 1, 9000),
    OpRow("send", "HCCL", 1, 3000),
    OpRow("Where", "AI_CPU", 1, 5000),
    OpRow("Fused", "MIX_AIV", 1, 2000),
)


@pytest.mark.parametrize(
    ("metric", "line"),
    [
        ("kernel_time", "Conv2D 7.00 us, Where 5.00 us, Fused 2.00 us"),
        ("compute_time_per_step", "Conv2D 7.00 us, Where 5.00 us, Fused 2.00 us"),
        ("ai_core_time", "Conv2D 7.00 us, Fused 2.00 us"),
        ("ai_cpu_time_per_step", "Where 5.00 us"),
        ("communication_time", "allReduce 9.00 us, send 3.00 us"),
        (
            "busy_time",
            "allReduce 9.00 us, Conv2D 7.00 us, Where 5.00 us, send 3.00 us, Fused 2.00 us",
        ),
    ],
)
def test_a_time_names_no_op_types_that_it_is_not_made_of(metric: str, line: str) -> None:
    rounds = (Measurement({"0": LaneMeasurement({}, CORES)}),)
    assert operators(judged(metric), rounds=rounds) == [f"most time: {line}"]


def test_what_most_time_went_to_is_said_once() -> None:
    other = Measurement({"0": LANE, "1/1": LaneMeasurement({}, OPS[3:4])})
    limits = (
        judged("busy_time", value=1_740_000),
        judged("step_time", "p95", value=1_730_000),
        judged("window_time", value=1_720_000, lane="1/1"),
        judged("ai_cpu_time", value=1_710_000, lane="1/1"),
    )
    section = details(case(*limits, rounds=(other,)))
    assert (
        section
        == f"""\
resnet50: FAILED
  FAILED  busy_time is judged [pyproject.toml:12]
          {LARGEST}
  FAILED  step_time p95 is judged [pyproject.toml:12]
  FAILED  window_time is judged [pyproject.toml:12]
          most time: Cast 20.0 us
  FAILED  ai_cpu_time is judged [pyproject.toml:12]"""
    )


def test_each_limit_of_a_rule_names_its_operators() -> None:
    limits = [judged("ops", name, type=("Conv*",)) for name in ("max", "p99")]
    assert operators(*limits) == [CONVS, CONVS]


def test_the_operators_are_those_of_the_lane_that_decided() -> None:
    other = LaneMeasurement({}, OPS[3:4], (LongOp("a", "Cast", "AI_CPU", 5),))
    rounds = (Measurement({"0": LANE}), Measurement({"0": LANE, "1/1": other}))
    assert operators(judged("ops", "max", lane="1/1"), rounds=rounds) == ["longest: a 5.00 ns"]
    assert operators(judged(lane="1/1"), rounds=rounds) == ["most time: Cast 20.0 us"]
    assert operators(judged(lane="2/2"), judged("ops", lane="2/2"), rounds=rounds) == []


def test_each_operator_is_named_once_with_its_worst_round() -> None:
    first = LaneMeasurement({}, OPS[3:5], tuple(LongOp(n, "Cast", "", d) for n, d in FIRST))
    second = LaneMeasurement({}, OPS[4:6], tuple(LongOp(n, "Cast", "", d) for n, d in SECOND))
    rounds = (Measurement({"0": first}), Measurement({"0": second}))
    longest = ["longest: b 6.00 ns, a 5.00 ns, c 1.00 ns"]
    assert operators(judged("ops", "max"), rounds=rounds) == longest
    assert operators(judged("ops", "max"), rounds=rounds[::-1]) == longest
    # Each round has its own totals; they are not added up.
    most = ["most time: Cast 30.0 us, Relu 9.00 us"]
    assert operators(judged(), rounds=rounds) == most
    assert operators(judged(), rounds=rounds[::-1]) == most


FIRST = [("a", 5), ("a", 4), ("b", 3)]
SECOND = [("b", 6), ("c", 1), ("d", 0)]


def test_a_profile_without_operators_names_none() -> None:
    empty = (Measurement({"0": LaneMeasurement({})}),)
    assert operators(judged(), judged("ops", "max"), rounds=empty) == []


def test_an_operator_without_a_name_is_not_hidden() -> None:
    lane = LaneMeasurement({}, (OpRow("", "", 1, 9),), (LongOp("", "", "", 1000),))
    rounds = (Measurement({"0": lane}),)
    assert operators(judged("ops", "max"), rounds=rounds) == ["longest: (no name) 1.00 us"]


def test_op_types_that_are_lost_at_level_0_do_not_stand_where_most_time_went() -> None:
    lost, known = OpRow("", "", 9, 9000), OpRow("Cast", "AI_CPU", 1, 9)
    for ops, lines in (((lost,), []), ((lost, known), ["most time: Cast 9.00 ns"])):
        rounds = (Measurement({"0": LaneMeasurement({}, ops)}),)
        assert operators(judged(), rounds=rounds) == lines


def named(*names: str, margin: int = 10) -> str:
    """Return the line that names these operators, each of 1 ns, its margin cut."""
    lane = LaneMeasurement({}, (), tuple(LongOp(name, "Conv2D", "", 1) for name in names))
    word = Verdict.INCONCLUSIVE if margin > 10 else Verdict.PASSED
    limits = judged("ops", "max"), judged("a", verdict=word, value=1)
    found = details(case(*limits, rounds=(Measurement({"0": lane}),)))
    (line,) = [line for line in found.splitlines() if "longest" in line]
    assert line[:margin].isspace()
    return line[margin:]


def test_long_names_keep_both_their_ends_and_fit_the_line() -> None:
    long = "model/" + "block/" * 30 + "Conv2D_17"
    line = named(long)
    assert line.startswith("longest: model/block/")
    assert line.endswith("/block/Conv2D_17 1.00 ns")
    assert columns(line) == 90
    # What is left of the room cannot be shared out by whole columns.
    assert columns(named("a", f"1{long}", "卷积" * 30)) in (88, 89, 90)


def test_what_may_be_copied_into_a_rule_is_not_cut() -> None:
    types = [f"FlashAttentionScoreGrad{number}" for number in range(1, 6)]
    line = named(*types)
    assert all(name in line for name in types[:3])
    assert "..." not in line


def test_a_short_name_leaves_its_room_to_a_long_one() -> None:
    long = "block/" * 30
    assert named("conv1", long).startswith("longest: conv1 1.00 ns, block/block/block/block/")
    assert columns(named("conv1", long)) == 90


def test_a_name_is_cut_as_it_is_shown() -> None:
    assert columns(named("\x1b" * 60)) == 90


def test_a_line_of_just_100_columns_is_not_cut() -> None:
    assert named("a" * 73) == f"longest: {'a' * 73} 1.00 ns"
    assert "..." in named("a" * 74)
    assert named("a" * 67, margin=16) == f"longest: {'a' * 67} 1.00 ns"
    assert "..." in named("a" * 68, margin=16)
