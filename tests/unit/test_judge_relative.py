"""What a limit says of a change; the rule behind it has tests of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pytest_npuperf.judge import Before, causes_by_lane, explain_changes, judge, undecided
from pytest_npuperf.model import (
    Case,
    CauseKind,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    Noise,
    OpRow,
    Regression,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

TIME = Wanted("kernel_time")
COUNT = Wanted("kernel_count")
SHARE = Wanted("overlap_share")
FIVE = Regression(Fraction(5, 100))
LIMIT = Limit(TIME, Dimension.TIME, max_regression=FIVE)
EXACT = Limit(COUNT, Dimension.COUNT, max_regression=Regression(Fraction(0)))
POINTS = Limit(
    SHARE, Dimension.SHARE, max_regression=Regression(Fraction(2, 100), True), better="higher"
)

MS = 1_000_000
BEFORE = [100 * MS, 101 * MS, 99 * MS, 100 * MS, 102 * MS]


def rounds(wanted: Wanted, numbers: Sequence[Fraction | float | None], lane: str = "0") -> Any:
    return tuple(
        Measurement(
            {lane: LaneMeasurement({wanted: Value(None if n is None else Fraction(str(n)))})}
        )
        for n in numbers
    )


def judged(
    limit: Limit, now: Sequence[float], *sessions: Sequence[float | None], **more: Any
) -> Judged:
    stored = tuple(rounds(limit.wanted, session) for session in sessions)
    source = f"baseline of {len(stored)} sessions" if len(stored) > 1 else "baseline"
    before = replace(Before(stored, source), **more)
    (found,) = judge(Case("m", limits=(limit,)), rounds(limit.wanted, now), {}, before)
    return found


def scaled(factor: float) -> list[float]:
    return [round(n * factor) for n in BEFORE]


@pytest.mark.parametrize(
    ("limit", "now", "before", "verdict", "reason"),
    [
        (
            LIMIT,
            scaled(1.2),
            BEFORE,
            Verdict.FAILED,
            "kernel_time 120 ms, +20.0 % from 100 ms (baseline), 5.0 % allowed, "
            "surely +18.8 % to +21.2 %, median of 5 rounds",
        ),
        (
            LIMIT,
            scaled(1.01),
            BEFORE,
            Verdict.PASSED,
            "kernel_time 101 ms, +1.0 % from 100 ms (baseline), 5.0 % allowed, "
            "surely -0.01 % to +2.0 %, median of 5 rounds",
        ),
        (
            EXACT,
            [141],
            [140],
            Verdict.FAILED,
            "kernel_count 141, +0.7 % from 140 (baseline), 0 % allowed",
        ),
        (  # As many digits as tell the change, and its bounds, from what is allowed.
            LIMIT,
            scaled(1.0502),
            BEFORE,
            Verdict.FAILED,
            "kernel_time 105 ms, +5.02 % from 100 ms (baseline), 5.00 % allowed, "
            "surely +4.0 % to +6.1 %, median of 5 rounds",
        ),
        (
            POINTS,
            [0.7799],
            [0.80],
            Verdict.FAILED,
            "overlap_share 78.0 %, -2.01 points from 80.0 % (baseline), 2 points allowed",
        ),
        (EXACT, [139], [140], Verdict.PASSED, "kernel_count 139, -0.7 % from 140 (baseline), 0 %"),
        (EXACT, [1], [0], Verdict.FAILED, "kernel_count 1, up from 0 (baseline), 0 % allowed"),
        (EXACT, [0], [0], Verdict.PASSED, "kernel_count 0, 0 % from 0 (baseline), 0 % allowed"),
        (
            POINTS,
            [0.77],
            [0.80],
            Verdict.FAILED,
            "overlap_share 77.0 %, -3 points from 80.0 % (baseline), 2 points allowed",
        ),
        (
            POINTS,
            [0.78],
            [0.80],
            Verdict.PASSED,
            "overlap_share 78.0 %, -2 points from 80.0 % (baseline), 2 points allowed",
        ),
    ],
)
def test_a_change_is_judged_and_told_with_both_numbers(
    limit: Limit, now: list[float], before: list[float], verdict: Verdict, reason: str
) -> None:
    found = judged(limit, now, before)
    assert found.verdict is verdict
    assert found.reason.startswith(reason)


def test_without_a_baseline_a_number_is_new() -> None:
    found = judged(LIMIT, [5.0])
    assert (found.verdict, found.comparison) == (Verdict.NEW, None)
    assert found.reason == "kernel_time 5.00 ns; there is no baseline to compare it with"


def test_what_stands_in_the_way_is_told_and_nothing_is_compared() -> None:
    found = judged(LIMIT, [9.0], [5.0], obstacle="CANN 8.0, the baseline has 8.5")
    assert (found.verdict, found.comparison) == (Verdict.INCONCLUSIVE, None)
    assert found.reason == "kernel_time 9.00 ns; CANN 8.0, the baseline has 8.5"


@pytest.mark.parametrize(
    ("more", "verdict", "said"),
    [
        ({}, Verdict.NEW, "baseline does not have it yet"),
        ({"file": "m/A.json"}, Verdict.NEW, "m/A.json does not have it yet"),
        ({"is_stored": False}, Verdict.NOT_MEASURED, "baseline does not have it"),
    ],
)
def test_a_number_that_was_not_measured_before(
    more: dict[str, Any], verdict: Verdict, said: str
) -> None:
    found = judged(LIMIT, [9.0], [None], **more)
    assert (found.verdict, found.reason) == (verdict, f"kernel_time 9.00 ns; {said}")


def test_nothing_is_a_share_of_zero() -> None:
    found = judged(LIMIT, [9.0], [0.0])
    assert found.verdict is Verdict.NOT_MEASURED
    assert found.reason == "kernel_time 9.00 ns; baseline has 0, and nothing is a share of 0"


def test_less_than_nothing_is_no_share() -> None:
    custom = replace(LIMIT, wanted=Wanted("custom.delta"), dimension=Dimension.NUMBER)
    found = judged(custom, [-1.0], [1.5])
    assert found.verdict is Verdict.NOT_MEASURED
    assert found.reason == (
        "custom.delta -1.00; a change to less than 0 is no share; write max_regression in points"
    )
    points = replace(custom, max_regression=Regression(Fraction(1), in_points=True))
    assert judged(points, [-1.0], [1.5]).verdict is not Verdict.NOT_MEASURED


def test_a_lane_that_is_gone_is_missed() -> None:
    before = Before((rounds(TIME, [5], lane="1/1"),), "baseline")
    (found,) = judge(Case("m", limits=(LIMIT,)), rounds(TIME, [5], lane="0/0"), {}, before)
    assert (found.verdict, found.lane) == (Verdict.NOT_MEASURED, "1/1")
    assert found.reason == (
        "kernel_time not measured on lane 1/1: baseline has it, and the profile has 0/0"
    )


def test_a_lane_that_was_not_there_cannot_be_compared() -> None:
    both = Measurement(
        {lane: LaneMeasurement({TIME: Value(Fraction(5))}) for lane in ("0/0", "1/1")}
    )
    before = Before((rounds(TIME, [5], lane="0/0"),), "baseline")
    (found,) = judge(Case("m", limits=(LIMIT,)), [both], {}, before)
    assert (found.verdict, found.lane) == (Verdict.INCONCLUSIVE, "1/1")
    assert found.remark == "baseline has no lane 1/1"


def test_a_bound_that_is_broken_leads_and_the_change_is_kept() -> None:
    limit = replace(LIMIT, at_most=Fraction(110 * MS))
    found = judged(limit, scaled(1.2), BEFORE)
    assert found.verdict is Verdict.FAILED
    assert found.reason.startswith("kernel_time 120 ms, limit 110 ms (+9.1 %)")
    assert found.comparison is not None
    assert found.comparison.change == Fraction("0.2")


def test_a_change_fails_though_the_bound_holds() -> None:
    limit = replace(LIMIT, at_most=Fraction(130 * MS))
    found = judged(limit, scaled(1.2), BEFORE)
    assert found.verdict is Verdict.FAILED
    assert found.reason.startswith("kernel_time 120 ms, +20.0 % from 100 ms (baseline)")


def test_a_number_within_its_bound_and_without_a_baseline_is_new() -> None:
    found = judged(replace(LIMIT, at_most=Fraction(10)), [9.0])
    assert found.verdict is Verdict.NEW


def test_other_hardware_than_the_budget_is_told_before_any_change() -> None:
    before = Before((rounds(TIME, [5]),), "baseline")
    case = Case("m", soc="Ascend310P*", limits=(LIMIT,))
    (found,) = judge(case, rounds(TIME, [9]), {"soc": "Ascend910B3"}, before)
    assert (found.verdict, found.comparison) == (Verdict.INCONCLUSIVE, None)


def test_more_looks_need_more_to_fail() -> None:
    # All of four rounds are slower: surely so at one look, and not at the first of three.
    now, before = [106.0, 107, 108, 109], [100.0, 101, 102, 103]
    assert judged(LIMIT, now, before).verdict is Verdict.FAILED
    once = judged(LIMIT, now, before)
    thrice = judged(LIMIT, now, before, looks=3)
    assert once.comparison
    assert thrice.comparison
    assert once.comparison.low is not None
    assert thrice.comparison.low is not None
    assert thrice.comparison.low < once.comparison.low


def test_noise_between_sessions_widens_the_limit() -> None:
    noise = Noise(between_sessions=Fraction(3, 100))
    assert judged(LIMIT, scaled(1.08), BEFORE).verdict is Verdict.FAILED
    found = judged(LIMIT, scaled(1.08), BEFORE, noise=noise)
    assert (found.verdict, found.tolerated) == (Verdict.PASSED, True)
    assert found.reason == (
        "kernel_time 108 ms, +8.0 % from 100 ms (baseline), 5.0 % allowed, "
        "9.5 % in force with 1 session of 5 needed, surely +6.9 % to +9.1 %, median of 5 rounds"
    )


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        ([BEFORE, BEFORE], "(baseline of 2 sessions), 5.0 % allowed, 9.5 % in force with 2 "),
        (
            [[None], BEFORE],
            "(1 of 2 sessions of the baseline), 5.0 % allowed, 9.5 % in force with 1 ",
        ),
    ],
)
def test_only_sessions_that_have_the_number_are_counted(
    stored: list[list[float | None]], said: str
) -> None:
    found = judged(LIMIT, scaled(1.08), *stored, noise=SESSIONS)
    assert found.reason.startswith(f"kernel_time 108 ms, +8.0 % from 100 ms {said}session")
    assert " of 5 needed, surely +" in found.reason


SESSIONS = Noise(between_sessions=Fraction(3, 100))


@pytest.mark.parametrize(
    ("now", "sessions", "verdict", "said"),
    [
        # To be told, it need not decide.
        (1.0, 1, Verdict.PASSED, "5.0 % allowed, 9.5 % in force with 1 session of 5 needed, "),
        (1.2, 4, Verdict.FAILED, "5.0 % allowed, 9.5 % in force with 4 sessions of 5 needed, "),
        # 3.143 x 3 % x the root of 2 / 6 x 1.2 is 5.96 %.
        (
            1.06,
            5,
            Verdict.INCONCLUSIVE,
            "5.0 % allowed, 6.1 % in force by the noise between 5 sessions, ",
        ),
        (
            1.2,
            5,
            Verdict.FAILED,
            "5.0 % allowed, 6.1 % in force by the noise between 5 sessions, ",
        ),
        # Ten that are alike predict one within the limit.
        (1.06, 10, Verdict.FAILED, "5.0 % allowed, surely"),
    ],
)
def test_the_limit_as_written_is_told_beside_the_one_in_force(
    now: float, sessions: int, verdict: Verdict, said: str
) -> None:
    steady = [100 * MS + n for n in range(5)]
    found = judged(LIMIT, [n * now for n in steady], *[steady] * sessions, noise=SESSIONS)
    assert found.verdict is verdict
    assert said in found.reason
    assert not found.tolerated


def test_points_in_force_are_told_in_points() -> None:
    found = judged(POINTS, [0.75], [0.8], noise=SESSIONS)
    assert (found.verdict, found.tolerated) == (Verdict.PASSED, True)
    assert found.reason == (
        "overlap_share 75.0 %, -5 points from 80.0 % (baseline), 2 points allowed, "
        "5.6 points in force with 1 session of 5 needed; "
        "1 round against 1 cannot tell noise from change"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"at_most": Fraction(110 * MS)}, "kernel_time 108 ms, +8.0 % from 100 ms (baseline)"),
        ({"at_most": Fraction(107 * MS)}, "kernel_time 108 ms, limit 107 ms (+0.9 %)"),
    ],
)
def test_what_is_tolerated_is_more_to_be_told_than_a_bound_that_holds(
    more: dict[str, Any], said: str
) -> None:
    found = judged(replace(LIMIT, **more), scaled(1.08), BEFORE, noise=SESSIONS)
    assert found.reason.startswith(said)
    assert found.tolerated is (found.verdict is Verdict.PASSED)


def test_a_lane_that_is_tolerated_is_told_before_one_that_is_nearer_to_its_bound() -> None:
    def both(first: int, second: int) -> Measurement:
        values = {"0/0": first, "1/1": second}
        return Measurement(
            {lane: LaneMeasurement({TIME: Value(Fraction(n))}) for lane, n in values.items()}
        )

    before = Before(((both(2000, 1000),),), "baseline", noise=SESSIONS)
    limit = replace(LIMIT, at_most=Fraction(3000))
    (found,) = judge(Case("m", limits=(limit,)), [both(2000, 1080)], {}, before)
    assert (found.lane, found.tolerated) == ("1/1", True)


def test_a_small_change_of_a_time_never_fails_and_of_a_share_it_does() -> None:
    noise = Noise(min_effect=Fraction(5000))
    assert judged(LIMIT, [3000] * 5, [1000] * 5, noise=noise).verdict is Verdict.PASSED
    assert judged(LIMIT, [30000] * 5, [10000] * 5, noise=noise).verdict is Verdict.FAILED
    assert judged(POINTS, [0.5] * 5, [0.8] * 5, noise=noise).verdict is Verdict.FAILED


NOISY = [90 * MS, 100 * MS, 110 * MS, 120 * MS, 130 * MS]


def test_noise_that_hides_a_change_asks_for_more_rounds() -> None:
    hidden = judged(LIMIT, NOISY, [100 * MS, 90 * MS, 120 * MS, 110 * MS, 95 * MS])
    failed = judged(LIMIT, scaled(1.2), BEFORE)
    passed = judged(LIMIT, BEFORE, BEFORE)
    elsewhere = judged(LIMIT, [9.0], [5.0], obstacle="other hardware")
    warned = replace(failed, limit=replace(LIMIT, on_fail="warn"))
    assert hidden.verdict is Verdict.INCONCLUSIVE
    assert undecided([passed, hidden])
    assert undecided([hidden, warned])
    assert not undecided([hidden, failed])
    assert not undecided([passed, elsewhere])
    assert not undecided([])


def test_the_worst_lane_is_the_one_that_changed_most() -> None:
    def both(first: int, second: int) -> Measurement:
        values = {"0/0": first, "1/1": second}
        return Measurement(
            {lane: LaneMeasurement({TIME: Value(Fraction(n))}) for lane, n in values.items()}
        )

    before = Before(((both(100, 100),),), "baseline")
    (found,) = judge(Case("m", limits=(LIMIT,)), [both(150, 170)], {}, before)
    assert (found.lane, found.verdict) == ("1/1", Verdict.FAILED)


def with_ops(total: int) -> Measurement:
    ops = (OpRow("Conv2D", "AI_CORE", 1, total), OpRow("Relu", "AI_CORE", 1, 5))
    values = {TIME: Value(Fraction(total + 5))}
    return Measurement({"0": LaneMeasurement(values, ops)})


@pytest.mark.parametrize(
    ("now", "kinds"), [(120, [CauseKind.SLOWER]), (70, [CauseKind.FASTER]), (101, None)]
)
def test_a_time_that_changed_is_explained(now: int, kinds: list[CauseKind] | None) -> None:
    before = Before(((with_ops(100), with_ops(90), with_ops(110)),), "baseline")
    measured = [with_ops(now)]
    limits = judge(Case("m", limits=(LIMIT,)), measured, {}, before)
    causes = explain_changes(limits, measured, before)
    if kinds is None:
        assert causes == {}
    else:
        (found,) = causes["0"]
        assert [found.kind] == kinds
        assert (found.type, found.delta) == ("Conv2D", now - 100)


def test_a_side_that_tells_no_ops_explains_nothing() -> None:
    without = Measurement({"0": LaneMeasurement({TIME: Value(Fraction(5))})})
    for before, now in ((without, with_ops(100)), (with_ops(100), without)):
        assert causes_by_lane([now], Before(((before,),), "baseline")) == {}
