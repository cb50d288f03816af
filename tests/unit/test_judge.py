from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_npuperf.catalogue import ENOUGH_SAMPLES
from pytest_npuperf.judge import blocks, judge, nothing_can_fail, worst
from pytest_npuperf.model import (
    Case,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    Regression,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

BUSY = Wanted("busy_time")
COUNT = Wanted("kernel_count")
P95 = Wanted("step_time", "p95")
LIMIT = Limit(BUSY, Dimension.TIME, at_most=Fraction(1_700_000))
COUNTED = Limit(COUNT, Dimension.COUNT, at_most=Fraction(140), at_least=Fraction(130))
STEPS = Limit(P95, Dimension.TIME, at_most=Fraction(2000))
SHARE = Limit(Wanted("idle_share"), Dimension.SHARE, at_most=Fraction(1, 10))


def lanes(wanted: Wanted, **found: Value | Fraction | int) -> Measurement:
    """Return a round in which one number was measured on lanes ``a``, ``b`` ..."""
    values = {
        lane: value if isinstance(value, Value) else Value(Fraction(value))
        for lane, value in found.items()
    }
    return Measurement({lane: LaneMeasurement({wanted: value}) for lane, value in values.items()})


def judge_one(
    limit: Limit,
    *rounds: Measurement | Value | Fraction | int,
    soc: str | None = None,
    fingerprint: Mapping[str, str] | None = None,
) -> Judged:
    measured = [
        each if isinstance(each, Measurement) else lanes(limit.wanted, a=each) for each in rounds
    ]
    (judged,) = judge(Case("resnet50", soc=soc, limits=(limit,)), measured, fingerprint or {})
    return judged


# --- bounds -----------------------------------------------------------------------------------

FAILED, PASSED = Verdict.FAILED, Verdict.PASSED
BOUNDS: list[tuple[Mapping[str, int], int, Verdict, str]] = [
    ({"at_most": 1_700_000}, 1_700_000, PASSED, "busy_time 1.70 ms, limit 1.70 ms (0 %)"),
    (
        {"at_most": 1_700_000},
        1_700_001,
        FAILED,
        "busy_time 1.700001 ms, limit 1.700000 ms (+0.00006 %)",
    ),
    ({"at_most": 1_700_000}, 1_710_000, FAILED, "busy_time 1.71 ms, limit 1.70 ms (+0.6 %)"),
    ({"at_most": 1_700_000}, 0, PASSED, "busy_time 0 ns, limit 1.70 ms (-100 %)"),
    ({"at_most": 0}, 0, PASSED, "busy_time 0 ns, limit 0 ns"),
    ({"at_most": 0}, 1, FAILED, "busy_time 1.00 ns, limit 0 ns"),
    ({"at_least": 1000}, 1000, PASSED, "busy_time 1.00 us, at least 1.00 us wanted (0 %)"),
    ({"at_least": 1000}, 999, FAILED, "busy_time 0.999 us, at least 1.00 us wanted (-0.1 %)"),
    ({"equal": 1000}, 1000, PASSED, "busy_time 1.00 us, exactly 1.00 us wanted"),
    ({"equal": 1000}, 1001, FAILED, "busy_time 1.001 us, exactly 1.000 us wanted"),
    ({"equal": 1000}, 999, FAILED, "busy_time 0.999 us, exactly 1.00 us wanted"),
    ({"at_least": 5, "at_most": 9}, 10, FAILED, "busy_time 10.0 ns, limit 9.00 ns (+11.1 %)"),
    (
        {"at_least": 5, "at_most": 9},
        4,
        FAILED,
        "busy_time 4.00 ns, at least 5.00 ns wanted (-20.0 %)",
    ),
    ({"at_least": 5, "at_most": 9}, 8, PASSED, "busy_time 8.00 ns, limit 9.00 ns (-11.1 %)"),
]


@pytest.mark.parametrize(("bounds", "value", "verdict", "reason"), BOUNDS)
def test_a_value_is_compared_with_its_bounds(
    bounds: Mapping[str, int], value: int, verdict: Verdict, reason: str
) -> None:
    kept: dict[str, Any] = {kind: Fraction(bound) for kind, bound in bounds.items()}
    judged = judge_one(Limit(BUSY, Dimension.TIME, **kept), value)
    assert (judged.verdict, judged.reason) == (verdict, reason)
    assert (judged.lane, judged.value, judged.samples) == ("a", Fraction(value), 1)
    assert "+0.0 %" not in judged.reason


def test_a_fraction_of_a_nanosecond_over_the_limit_fails() -> None:
    limit = Limit(BUSY, Dimension.TIME, at_most=Fraction(10))
    assert judge_one(limit, Fraction(10)).verdict is PASSED
    judged = judge_one(limit, Fraction(10**12 + 1, 10**11))
    assert judged.verdict is FAILED
    assert judged.reason == "busy_time 10.00000000001 ns, limit 10.00000000000 ns (+0.0000000001 %)"


def test_what_the_author_says_of_the_limit_ends_the_line() -> None:
    limit = Limit(BUSY, Dimension.TIME, at_most=Fraction(1), why="the\nSLA")
    assert judge_one(limit, 2).reason == "busy_time 2.00 ns, limit 1.00 ns (+100 %): the\\nSLA"


def test_a_name_from_outside_is_escaped() -> None:
    wanted = Wanted("ops", "max", Selector(name=("\x1b[31m卷积",)))
    limit = Limit(wanted, Dimension.TIME, at_most=Fraction(1))
    assert judge_one(limit, 1).reason == "ops name=\\x1b[31m卷积 max 1.00 ns, limit 1.00 ns (0 %)"


def test_a_partial_number_says_so() -> None:
    limit = Limit(Wanted("ops", column="mac"), Dimension.NUMBER, at_least=Fraction(1, 2))
    judged = judge_one(limit, Value(Fraction(3, 5), 99, Fraction(996, 1000)))
    assert judged.verdict is PASSED
    assert judged.coverage == Fraction(996, 1000)
    assert judged.remark == "99.6 % of the rows have it"
    assert judged.reason == (
        "ops mac 0.600, at least 0.500 wanted (+20.0 %); 99.6 % of the rows have it"
    )


def test_limits_are_judged_in_their_order() -> None:
    measured = Measurement(
        {"a": LaneMeasurement({BUSY: Value(Fraction(1)), COUNT: Value(Fraction(150))})}
    )
    judged = judge(Case("c", limits=(COUNTED, LIMIT)), [measured], {})
    assert [(each.limit, each.verdict) for each in judged] == [(COUNTED, FAILED), (LIMIT, PASSED)]


# --- lanes ------------------------------------------------------------------------------------


def test_the_worst_lane_decides_and_is_named() -> None:
    judged = judge_one(SHARE, lanes(SHARE.wanted, a=Fraction(5, 100), b=Fraction(12, 100), c=0))
    assert (judged.verdict, judged.lane, judged.value) == (FAILED, "b", Fraction(12, 100))
    assert (
        judged.reason
        == "idle_share 12.0 %, limit 10.0 % (+20.0 %) on lane b (rank/device, worst of 3)"
    )


def test_the_worst_lane_within_the_limit_is_the_closest_to_it() -> None:
    judged = judge_one(LIMIT, lanes(BUSY, a=1, b=3, c=2))
    assert (judged.verdict, judged.lane) == (PASSED, "b")


def test_of_equal_lanes_the_first_is_named() -> None:
    assert judge_one(LIMIT, lanes(BUSY, a=2, b=2)).lane == "a"


def test_a_lane_without_the_number_is_not_hidden_by_one_within_the_limit() -> None:
    judged = judge_one(LIMIT, lanes(BUSY, a=1, b=Value(None, reason="it has no op_summary")))
    assert (judged.verdict, judged.lane, judged.value) == (Verdict.NOT_MEASURED, "b", None)
    assert (judged.samples, judged.coverage) == (0, Fraction(0))
    assert judged.remark == "it has no op_summary"
    assert judged.reason == "busy_time not measured on lane b: it has no op_summary"


def test_a_lane_over_the_limit_is_worse_than_one_without_the_number() -> None:
    judged = judge_one(LIMIT, lanes(BUSY, a=Value(None, reason="no"), b=1_800_000))
    assert (judged.verdict, judged.lane) == (FAILED, "b")


def test_a_lane_over_a_limit_that_only_warns_hides_no_lane_without_the_number() -> None:
    limit = Limit(BUSY, Dimension.TIME, at_most=Fraction(1), on_fail="warn")
    judged = judge_one(limit, lanes(BUSY, a=2, b=Value(None, reason="no"), c=1))
    assert (judged.verdict, judged.lane) == (Verdict.NOT_MEASURED, "b")
    assert judge_one(limit, lanes(BUSY, a=1, b=2)).lane == "b"


def test_without_a_lane_nothing_was_measured() -> None:
    for rounds in ([], [Measurement({})]):
        (judged,) = judge(Case("c", limits=(LIMIT,)), rounds, {})
        assert (judged.verdict, judged.lane) == (Verdict.NOT_MEASURED, "")
        assert judged.reason == "busy_time not measured: the profile has no lane"


def test_a_number_that_was_not_looked_for_is_not_measured() -> None:
    judged = judge_one(LIMIT, lanes(COUNT, a=1))
    assert judged.verdict is Verdict.NOT_MEASURED
    assert judged.reason == "busy_time not measured: it was not looked for"


# --- rounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "verdict", "reason"),
    [
        ((9, 1, 2), PASSED, "busy_time 2.00 ns, limit 2.00 ns (0 %), median of 3 rounds"),
        ((9, 1, 3), FAILED, "busy_time 3.00 ns, limit 2.00 ns (+50.0 %), median of 3 rounds"),
        ((1, 3), PASSED, "busy_time 2.00 ns, limit 2.00 ns (0 %), median of 2 rounds"),
        ((2, 3), FAILED, "busy_time 2.50 ns, limit 2.00 ns (+25.0 %), median of 2 rounds"),
    ],
)
def test_the_median_of_the_rounds_is_compared(
    values: Sequence[int], verdict: Verdict, reason: str
) -> None:
    judged = judge_one(Limit(BUSY, Dimension.TIME, at_most=Fraction(2)), *values)
    assert (judged.verdict, judged.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("values", "verdict", "reason"),
    [
        (
            (140, 140, 130),
            PASSED,
            "kernel_count 140, limit 140 (0 %) in round 1 (worst of 3)",
        ),
        (
            (135, 141, 135),
            FAILED,
            "kernel_count 141, limit 140 (+0.7 %) in round 2 (worst of 3)",
        ),
        (
            (129, 135, 135),
            FAILED,
            "kernel_count 129, at least 130 wanted (-0.8 %) in round 1 (worst of 3)",
        ),
    ],
)
def test_a_count_must_hold_in_every_round(
    values: Sequence[int], verdict: Verdict, reason: str
) -> None:
    judged = judge_one(COUNTED, *values)
    assert (judged.verdict, judged.reason) == (verdict, reason)


def test_a_count_without_an_absolute_bound_is_shown_at_its_highest() -> None:
    limit = Limit(COUNT, Dimension.COUNT, max_regression=Regression(Fraction(0)))
    assert judge_one(limit, 3, 5, 4).value == 5


def steps(*durations: int) -> Value:
    return Value(Fraction(max(durations)), len(durations), data=durations)


def test_percentiles_of_steps_pool_the_steps_of_all_rounds() -> None:
    judged = judge_one(STEPS, steps(*[1000] * 19), steps(*[2000] * 2))
    assert (judged.verdict, judged.value, judged.samples) == (PASSED, Fraction(2000), 21)
    assert judged.reason == "step_time p95 2.00 us, limit 2.00 us (0 %), steps of 2 rounds"
    assert judge_one(STEPS, steps(*[1000] * 19), steps(2001, 2001)).verdict is FAILED


def test_other_statistics_of_steps_are_the_median_of_the_rounds() -> None:
    limit = Limit(Wanted("step_time", "max"), Dimension.TIME, at_most=Fraction(2000))
    judged = judge_one(limit, steps(1, 9000), steps(1, 2000), steps(1, 3))
    assert (judged.verdict, judged.value, judged.samples) == (PASSED, Fraction(2000), 2)


def test_a_layer_may_be_called_as_a_percentile() -> None:
    limit = Limit(Wanted("timeline_time", "p95"), Dimension.TIME, at_most=Fraction(5))
    assert judge_one(limit, Value(Fraction(5), 1)).verdict is PASSED


def test_percentiles_of_operators_are_the_median_of_the_rounds() -> None:
    limit = Limit(Wanted("ops", "p95"), Dimension.TIME, at_most=Fraction(5))
    found = [Value(Fraction(value), samples) for value, samples in ((9, 40), (5, 30), (1, 20))]
    judged = judge_one(limit, *found)
    assert (judged.verdict, judged.value, judged.samples) == (PASSED, Fraction(5), 20)


def test_a_percentile_without_its_steps_cannot_be_pooled() -> None:
    judged = judge_one(STEPS, steps(1), Value(Fraction(1)))
    assert judged.verdict is Verdict.NOT_MEASURED
    assert judged.reason == (
        "step_time p95 not measured in round 2 of 2: "
        "the single steps are needed, and the profile has only a statistic"
    )


def test_a_round_without_the_number_is_named() -> None:
    judged = judge_one(LIMIT, lanes(BUSY, a=1, b=1), lanes(BUSY, a=1, b=Value(None, reason="no")))
    assert judged.reason == "busy_time not measured on lane b in round 2 of 2: no"
    judged = judge_one(LIMIT, lanes(BUSY, a=1, b=1), lanes(BUSY, b=1))
    assert judged.verdict is Verdict.NOT_MEASURED
    assert judged.reason == (
        "busy_time not measured on lane a in round 2 of 2: the profile has no such lane; it has b"
    )
    judged = judge_one(LIMIT, lanes(BUSY, a=1), Measurement({}))
    assert judged.remark == "the profile has no such lane; it has none"


def test_a_number_without_a_value_and_without_a_reason_gets_one() -> None:
    judged = judge_one(LIMIT, Value(None))
    assert judged.reason == "busy_time not measured: the profile does not have it"


def test_rounds_are_as_complete_as_the_least_complete() -> None:
    whole, part = Value(Fraction(1)), Value(Fraction(1), coverage=Fraction(97, 100))
    judged = judge_one(LIMIT, whole, part)
    assert judged.coverage == Fraction(97, 100)
    assert judged.remark == "97.0 % of the rows have it"


# --- small samples ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "enough"), [("p90", 10), ("p95", 20), ("p99", 100)])
@pytest.mark.parametrize("metric", ["step_time", "ops"])
def test_a_percentile_of_a_small_sample_can_fail_but_not_pass(
    metric: str, name: str, enough: int
) -> None:
    limit = Limit(Wanted(metric, name), Dimension.TIME, at_most=Fraction(5))
    within, over = Fraction(5), Fraction(6)
    assert judge_one(limit, Value(within, enough)).verdict is PASSED
    assert judge_one(limit, Value(over, 1)).verdict is FAILED
    few = judge_one(limit, Value(within, enough - 1))
    assert few.verdict is Verdict.INCONCLUSIVE
    assert few.remark == f"{enough - 1} samples are too few for {name}, {enough} needed"
    assert few.reason == f"{metric} {name} 5.00 ns, limit 5.00 ns (0 %); {few.remark}"


@pytest.mark.parametrize("name", ["p50", "mean", "max", None])
def test_other_statistics_need_one_sample(name: str | None) -> None:
    limit = Limit(Wanted("step_time", name), Dimension.TIME, at_most=Fraction(5))
    assert judge_one(limit, Value(Fraction(5), 1)).verdict is PASSED


# --- hardware ---------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1, 1_700_001, Value(None, reason="no")])
def test_numbers_of_other_hardware_are_not_judged(value: int | Value) -> None:
    judged = judge_one(LIMIT, value, soc="Ascend910B*", fingerprint={"soc": "Ascend310P3"})
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert judged.reason.endswith(
        "; not judged: measured on Ascend310P3, and the budget holds for Ascend910B*"
    )


def test_numbers_of_unknown_hardware_are_not_measured() -> None:
    for fingerprint in ({}, {"soc": ""}):
        judged = judge_one(LIMIT, 1, soc="Ascend910B*", fingerprint=fingerprint)
        assert judged.verdict is Verdict.NOT_MEASURED
        assert judged.reason == (
            "busy_time 1.00 ns, limit 1.70 ms (-100.0 %); not judged: "
            "the profile does not say its SoC, and the budget holds for Ascend910B*"
        )


@pytest.mark.parametrize("soc", [None, "Ascend310P3", "Ascend310P*", "Ascend?10P3", "*"])
def test_numbers_of_the_right_hardware_are_judged(soc: str | None) -> None:
    found = {"soc": "Ascend310P3"}
    assert judge_one(LIMIT, 1, soc=soc, fingerprint=found).verdict is PASSED
    assert judge_one(LIMIT, 1_700_001, soc=soc, fingerprint=found).verdict is FAILED


# --- without an absolute bound ----------------------------------------------------------------


def test_a_comparison_without_a_baseline_is_new() -> None:
    limit = Limit(BUSY, Dimension.TIME, max_regression=Regression(Fraction(5, 100)))
    judged = judge_one(limit, 5)
    assert judged.verdict is Verdict.NEW
    assert judged.reason == "busy_time 5.00 ns; there is no baseline to compare it with"


def test_an_absolute_bound_beside_a_comparison_still_fails() -> None:
    limit = Limit(
        BUSY, Dimension.TIME, at_most=Fraction(5), max_regression=Regression(Fraction(5, 100))
    )
    assert judge_one(limit, 5).verdict is Verdict.NEW
    assert judge_one(limit, 6).verdict is FAILED


def test_a_limit_without_any_bound_never_passes() -> None:
    judged = judge_one(Limit(BUSY, Dimension.TIME), 5)
    assert judged.verdict is Verdict.NOT_MEASURED
    assert judged.reason == "busy_time 5.00 ns; there is no bound to compare it with"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ((LIMIT,), ""),
        ((Limit(BUSY, Dimension.TIME, equal=Fraction(0)),), ""),
        ((Limit(BUSY, Dimension.TIME, max_regression=Regression(Fraction(0))),), ""),
        (
            (),
            "the budget has no limit, so nothing can fail; "
            'add one, such as kernel_time = "2 ms" or kernel_time = { max_regression = "5 %" }',
        ),
        (
            (Limit(BUSY, Dimension.TIME),),
            "the budget has no limit, so nothing can fail; "
            'add one, such as kernel_time = "2 ms" or kernel_time = { max_regression = "5 %" }',
        ),
    ],
)
def test_a_case_in_which_nothing_can_fail_is_told(limits: tuple[Limit, ...], said: str) -> None:
    assert nothing_can_fail(Case("c", limits=limits)) == said


def test_another_side_with_which_nothing_is_compared_is_told() -> None:
    compared = Limit(BUSY, Dimension.TIME, max_regression=Regression(Fraction(0)))
    assert nothing_can_fail(Case("c", limits=(compared,), against=Case("d"))) == ""
    assert nothing_can_fail(Case("c", limits=(LIMIT,), against=Case("d"))) == (
        "against is said, but no limit has max_regression, so nothing is compared; "
        'add one, such as kernel_time = { max_regression = "5 %" }'
    )


# --- the case ---------------------------------------------------------------------------------


def with_verdict(verdict: Verdict, on_fail: Literal["fail", "warn"] = "fail") -> Judged:
    limit = Limit(BUSY, Dimension.TIME, at_most=Fraction(1), on_fail=on_fail)
    return Judged(limit, verdict, "a", None, 0, Fraction(0), "")


@pytest.mark.parametrize("better", Verdict)
@pytest.mark.parametrize("worse", Verdict)
def test_the_worst_verdict_of_the_limits_is_the_verdict_of_the_case(
    worse: Verdict, better: Verdict
) -> None:
    expected = min(worse, better, key=lambda verdict: verdict.rank)
    assert worst([with_verdict(better), with_verdict(worse)]) is expected


def test_verdicts_are_ordered_from_the_worst() -> None:
    assert sorted(Verdict, key=lambda verdict: verdict.rank) == list(Verdict)
    assert [str(verdict) for verdict in Verdict] == (
        ["ERROR", "FAILED", "NOT_MEASURED", "INCONCLUSIVE", "NEW", "PASSED", "SKIPPED"]
    )


def test_a_case_without_limits_was_not_measured() -> None:
    assert worst([]) is Verdict.NOT_MEASURED


def test_being_over_a_limit_that_only_warns_does_not_count() -> None:
    warned = with_verdict(FAILED, "warn")
    assert warned.warned
    assert worst([warned]) is PASSED
    assert worst([warned, with_verdict(FAILED)]) is FAILED
    assert worst([with_verdict(Verdict.NOT_MEASURED, "warn")]) is Verdict.NOT_MEASURED


BLOCKS = [
    # verdict, default, inconclusive = "fail", when_unavailable = "fail", strict
    (Verdict.ERROR, True, True, True, True),
    (Verdict.FAILED, True, True, True, True),
    (Verdict.NOT_MEASURED, True, True, True, True),
    (Verdict.INCONCLUSIVE, False, True, False, True),
    (Verdict.NEW, False, False, False, True),
    (Verdict.PASSED, False, False, False, False),
    (Verdict.SKIPPED, False, False, True, True),
]


@pytest.mark.parametrize(("verdict", "default", "inconclusive", "unavailable", "strict"), BLOCKS)
def test_what_fails_a_test(
    verdict: Verdict, default: bool, inconclusive: bool, unavailable: bool, strict: bool
) -> None:
    assert blocks(Case("c"), verdict) is default
    assert blocks(Case("c", inconclusive="fail"), verdict) is inconclusive
    assert blocks(Case("c", when_unavailable="fail"), verdict) is unavailable
    assert blocks(Case("c", strict=True), verdict) is strict


def test_every_verdict_is_in_the_table() -> None:
    assert [row[0] for row in BLOCKS] == list(Verdict)


# --- the documentation ------------------------------------------------------------------------

DOCS = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_the_documentation_lists_every_verdict_from_the_worst() -> None:
    documented = re.findall(r"^\| `([A-Z_]+)` \|", DOCS.read_text(encoding="utf-8"), re.M)
    assert documented == [str(verdict) for verdict in Verdict]


def test_the_documentation_says_which_samples_are_enough() -> None:
    documented = re.findall(r"^\| `(p\d+)` \| (\d+) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    assert {name: int(number) for name, number in documented} == ENOUGH_SAMPLES


def test_the_documentation_says_what_the_test_does() -> None:
    rows = re.findall(r"^\| `[A-Z_]+` \| .* \| (.*) \|$", DOCS.read_text(encoding="utf-8"), re.M)
    expected = {
        (True, True, True): "fails",
        (False, True, False): 'passes, or fails with `inconclusive = "fail"`',
        (False, False, True): 'is skipped, or fails with `when_unavailable = "fail"`',
        (False, False, False): "passes",
    }
    for (_, default, inconclusive, unavailable, _), said in zip(BLOCKS, rows, strict=True):
        assert re.split("[,;] (?!or)", said)[0] == expected[default, inconclusive, unavailable]
