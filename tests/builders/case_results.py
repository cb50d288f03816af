"""Made results: what reports tell of cases, by the numbers that were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pytest_npuperf.judge import Before, blocks, judge, worst
from pytest_npuperf.model import (
    Case,
    CaseResult,
    Cause,
    CauseKind,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    Noise,
    OpRow,
    Regression,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

LEFT_OUT = "3 rows marked WRITE_BACK or INVALID are left out"


def limit(
    metric: str, dimension: Dimension = Dimension.TIME, statistic: str | None = None, **more: Any
) -> Limit:
    """Return a limit; numbers become fractions, and ``select`` its selector."""
    select = Selector(**more.pop("select", {}))
    kept: dict[str, Any] = {k: Fraction(v) if isinstance(v, int) else v for k, v in more.items()}
    where = kept.pop("where", "pyproject.toml:12")
    return Limit(Wanted(metric, statistic, select), dimension, where=where, **kept)


Found = Value | Fraction | int


def result(
    name: str,
    found: Mapping[Limit, Found | Sequence[Found]],
    lanes: Sequence[str] = ("0",),
    live: bool = False,
    **settings: Any,
) -> CaseResult:
    """Return the result of a case by its numbers: one for each limit, or one for each lane."""
    measured = {
        lane: LaneMeasurement({key.wanted: _value(found[key], index) for key in found})
        for index, lane in enumerate(lanes)
    }
    case = Case(name, limits=tuple(found), **settings)
    rounds = (Measurement(measured),)
    judged = judge(case, rounds, {"soc": "Ascend310P3"})
    verdict = worst(judged)
    return CaseResult(
        case=name,
        test=f"tests/test_speed.py::test_{name}",
        verdict=verdict,
        mode="run" if live else "replay",
        recorded="" if live else "2026-01-31",
        rounds=rounds,
        limits=judged,
        notes=(LEFT_OUT,),
        blocks=blocks(case, verdict),
    )


def _value(found: Found | Sequence[Found], lane: int) -> Value:
    one = found[lane] if isinstance(found, Sequence) else found
    return one if isinstance(one, Value) else Value(Fraction(one))


AT_MOST = limit("busy_time", at_most=1_700_000)
PASSING = result(
    "yolov8", {AT_MOST: 1_700_000, limit("kernel_count", Dimension.COUNT, at_most=140): 135}
)
LIVE = result("llama", {AT_MOST: 1_600_000}, live=True)

MIXED = result(
    "resnet50",
    {
        limit("busy_time", at_most=1_700_000, why="most of the 2 ms of the service"): 1_710_000,
        limit("kernel_count", Dimension.COUNT, at_most=140, at_least=130): 135,
        limit(
            "step_time", statistic="p95", at_most=2_100_000, on_fail="warn", where="npuperf.toml:14"
        ): Value(Fraction(2_110_000), 25),
        limit(
            "ops", statistic="max", select={"type": ("Conv2D", "MatMul*")}, at_most=60_000
        ): 61_000,
        limit(
            "ops",
            Dimension.COUNT,
            "count",
            select={"task_type": ("AI_CPU",)},
            equal=0,
            why="no operator may fall back to the AI CPU",
        ): 1,
        limit("step_time", statistic="p99", at_most=2_200_000): Value(Fraction(2_100_000), 25),
        limit("overlap_share", Dimension.SHARE, at_least=Fraction(8, 10), better="higher"): Value(
            None, reason="the profile has no communication"
        ),
        limit("compute_time", max_regression=Regression(Fraction(5, 100))): 1_000_000,
    },
)
LANES = result(
    "llama",
    {
        AT_MOST: (1_600_000, 1_800_000),
        limit("idle_share", Dimension.SHARE, at_most=Fraction(1, 10)): (0, Fraction(12, 100)),
    },
    lanes=("0/0", "1/3"),
    live=True,
)
CHINESE = result(
    "检测模型",
    {
        limit("busy_time", at_most=1_700_000, where="配置/pyproject.toml:12"): 1_700_100,
        limit("ops", statistic="total", select={"name": ("卷积\x1b[31m*",)}, at_most=5): 6,
    },
)
HARDWARE = result(
    "gpt",
    {limit("busy_time", at_most=17): 15, limit("idle_time", at_most=17): 16},
    soc="Ascend910B*",
)
ERROR = CaseResult(
    "bert",
    "tests/test_speed.py::test_bert",
    Verdict.ERROR,
    "",
    "main ended with status 3; log: msprof.log\n    Traceback:\n    \x1b[31mRuntimeError: boom",
    blocks=True,
)
SKIPPED = CaseResult(
    "vgg",
    "tests/test_speed.py::test_vgg",
    Verdict.SKIPPED,
    "",
    "no NPU was found, and the budget has no recording",
)
ALL = [PASSING, LANES, MIXED, CHINESE, ERROR, SKIPPED, HARDWARE]
NOT_CHECKED = [
    ("ssd", "no test uses this budget"),
    ("unet\x1b[2J", "the body of tests/test_speed.py::test_unet failed"),
]

# --- changes ----------------------------------------------------------------------------------

KERNELS = limit("kernel_time", max_regression=Regression(Fraction(5, 100)))
COUNT = limit("kernel_count", Dimension.COUNT, at_most=200, max_regression=Regression(Fraction(0)))
STEADY = [100, 101, 99, 100]
BETTER, NOISY = [80, 80, 81, 79], [100, 120, 90, 101]


def changed(
    now: Sequence[int],
    count: int = 140,
    kernels: Limit = KERNELS,
    session_noise: Fraction = Fraction(0),
    sessions: int = 1,
) -> CaseResult:
    """Return the result of a case that had four rounds of about 100 ms and 140 kernels before."""
    case = Case("a b", limits=(kernels, COUNT))
    rounds = _rounds(now, count)
    noise = Noise(between_sessions=session_noise)
    before = Before((_rounds(STEADY, 140),) * sessions, "baseline", noise=noise)
    judged = judge(case, rounds, {}, before)
    verdict = worst(judged)
    blocked = blocks(case, verdict)
    return CaseResult("a b", "t", verdict, "run", rounds=rounds, limits=judged, blocks=blocked)


def _rounds(kernels: Sequence[int], count: int) -> tuple[Measurement, ...]:
    found = ({KERNELS.wanted: ms * 1_000_000, COUNT.wanted: count} for ms in kernels)
    lanes = ({wanted: Value(Fraction(n)) for wanted, n in each.items()} for each in found)
    return tuple(Measurement({"0": LaneMeasurement(lane)}) for lane in lanes)


# --- whole runs -------------------------------------------------------------------------------

_CAUSES = (
    Cause(CauseKind.MOVED, "Cast", "AI_CPU", "8,1000", "", 4, 4, 10_000_000, 50_000_000, "AI_CORE"),
    Cause(CauseKind.FASTER, "Add", "AI_CORE", "8,8", "", 4, 4, 90_000_000, 70_000_000),
)
SLOWER = replace(changed([120, 121, 119, 120]), causes={"0": _CAUSES})
TOLERATED = changed([107, 108, 107, 107], session_noise=Fraction(3, 100))
VARYING = changed([105, 106, 106, 106], session_noise=Fraction(3, 100), sessions=5)
MISSING = result("yolov8", {AT_MOST: Value(None, reason="op_summary has no busy time")})
NEW = result("resnet50", {limit("busy_time", max_regression=Regression(Fraction(5, 100))): 1000})
WARNED = result("resnet50", {limit("busy_time", at_most=1000, on_fail="warn"): 1001}, live=True)
MANY = [
    result(f"case{number:02}", {AT_MOST: 1_700_000 + number, MIXED.limits[0].limit: 1_700_001})
    for number in range(60)
]


def _with_operators(case: CaseResult) -> CaseResult:
    ops = (
        OpRow("Conv2D", "AI_CORE", 50, 800_000),
        OpRow("卷积", "AI_CORE", 3, 500_100),
        OpRow("MatMulV2", "AI_CORE", 3, 300_100),
        OpRow("Cast", "AI_CPU", 1, 20_000),
    )
    longest = (
        LongOp("stage1/卷积_17", "Conv2D", "AI_CORE", 61_000),
        LongOp("stage1/Conv2D_18", "Conv2D", "AI_CORE", 40_000),
        LongOp("head/MatMul", "MatMulV2", "AI_CORE", 30_000),
        LongOp("head/MatMul_2", "MatMulV2", "AI_CORE", 20_000),
    )
    lanes = {"0": replace(case.rounds[0].lanes["0"], ops=ops, longest=longest)}
    return replace(case, rounds=(Measurement(lanes),))


RUNS: dict[str, tuple[Sequence[CaseResult], Sequence[tuple[str, str]]]] = {
    "pass": ([LIVE, PASSING], []),
    "better": ([changed(BETTER), LIVE], []),
    "fail": ([_with_operators(MIXED), PASSING, LANES], []),
    "changed": ([SLOWER], []),
    "tolerated": ([TOLERATED, LIVE], []),
    "inconclusive": ([changed(NOISY), VARYING, HARDWARE], []),
    "not-measured": ([MISSING], NOT_CHECKED),
    "new": ([NEW], []),
    "warn": ([WARNED], []),
    "error": ([ERROR, SKIPPED], []),
    "many": ([*MANY, PASSING], [(f"unused{number}", "no test uses it") for number in range(22)]),
}
"""By what is found: the cases of a run, and what was not checked."""
