from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from pytest_npuperf.judge.comparison import ALPHA, Change, Outcome, Rule, compare

Rounds = Sequence[float]
RULE = Rule(0.05)
BASE = [98.0, 99.0, 100.0, 101.0, 102.0]
QUIET = [99.8, 99.9, 100.0, 100.1, 100.2]


def times(factor: float, rounds: Rounds = BASE) -> list[float]:
    return [factor * value for value in rounds]


# --- two sets of rounds -----------------------------------------------------------------------

CASES: list[tuple[Rounds, Rounds, Outcome, bool]] = [
    (BASE, BASE, "within", False),
    (times(1.04, QUIET), QUIET, "within", False),
    (times(1.06, QUIET), QUIET, "worse", False),
    (times(0.96, QUIET), QUIET, "within", False),
    (times(0.94, QUIET), QUIET, "within", True),
    # A change of 5 % is within 5 %, however certain it is.
    ([105] * 5, [100] * 5, "within", False),
    ([95] * 5, [100] * 5, "within", False),
    ([105.001] * 5, [100] * 5, "worse", False),
    ([94.999] * 5, [100] * 5, "within", True),
    # The estimate is above the limit, and the low bound below zero.
    ([95, 96, 108, 110, 112], BASE, "undecided", False),
    # The estimate is below the limit, and the high bound above it.
    ([96, 100, 103, 106, 108], BASE, "undecided", False),
    ([0] * 5, BASE, "within", True),
    ([0, 0, 0, 0, 100], BASE, "within", True),
    ([0, 0, 0, 100, 100], BASE, "within", False),
]


@pytest.mark.parametrize(("now", "base", "verdict", "improved"), CASES)
def test_the_verdict_of_times(now: Rounds, base: Rounds, verdict: Outcome, improved: bool) -> None:
    found = compare(now, [base], RULE)
    assert (found.verdict, found.improved, found.remark) == (verdict, improved, "")


@pytest.mark.parametrize(
    ("now", "verdict", "improved"),
    [
        (times(0.94, QUIET), "worse", False),
        (times(0.96, QUIET), "within", False),
        ([95] * 5, "within", False),
        (times(1.06, QUIET), "within", True),
        ([0] * 5, "worse", False),
        ([90, 92, 94, 104, 105], "undecided", False),
    ],
)
def test_the_verdict_where_higher_is_better(now: Rounds, verdict: Outcome, improved: bool) -> None:
    base = [100] * 5 if now == [95] * 5 else QUIET
    found = compare(now, [base], replace(RULE, better="higher"))
    assert (found.verdict, found.improved) == (verdict, improved)


def test_the_numbers_of_a_change_are_signed_as_measured() -> None:
    found = compare([50, 50, 50, 50], [[80, 100, 100, 100]], replace(RULE, better="higher"))
    assert found == Change(100.0, -0.5, -0.5, -0.375, "worse", False, "")


def test_all_zeros_are_a_whole_regression_where_higher_is_better() -> None:
    found = compare([0] * 4, [BASE], replace(RULE, better="higher", max_regression=0.999))
    assert (found.change, found.low, found.high, found.verdict) == (-1, -1, -1, "worse")


def test_exact_fractions_are_numbers_too() -> None:
    now, base = [Fraction(210)] * 4, [Fraction(200)] * 4
    found = compare([*map(float, now)], [[*map(float, base)]], RULE)
    assert (found.baseline, found.verdict) == (200.0, "within")


@pytest.mark.parametrize(
    ("better", "now", "verdict"),
    [
        ("lower", [0.52] * 4, "within"),  # 0.52 - 0.50 is a little more than 0.02 in binary
        ("lower", [0.521] * 4, "worse"),
        ("higher", [0.48] * 4, "within"),
        ("higher", [0.479] * 4, "worse"),
    ],
)
def test_points_are_differences(better: str, now: Rounds, verdict: Outcome) -> None:
    rule = Rule(0.02, in_points=True, better="lower" if better == "lower" else "higher")
    found = compare(now, [[0.5] * 4], rule)
    assert found.verdict == verdict
    assert found.change == pytest.approx(now[0] - 0.5)


def test_points_take_any_sign() -> None:
    found = compare([3] * 4, [[-1] * 4], Rule(5, in_points=True))
    assert found == Change(-1.0, 4.0, 4.0, 4.0, "within", False, "")


# --- few rounds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "base", "words"),
    [
        ([106], [100], "1 round against 1"),
        ([106] * 3, [100] * 20, "3 rounds against 20"),
        ([106] * 5, [100] * 3, "5 rounds against 3"),
    ],
)
def test_few_rounds_are_compared_and_said(now: Rounds, base: Rounds, words: str) -> None:
    remark = f"{words} cannot tell noise from change"
    change = 106 / 100 - 1
    assert compare(now, [base], RULE) == Change(100.0, change, None, None, "worse", False, remark)
    same = compare(base[:1], [base], RULE)
    assert (same.verdict, same.low, same.high) == ("within", None, None)
    assert compare([95] * len(now), [base], RULE).verdict == "within"


def test_few_rounds_are_never_undecided_and_can_be_better() -> None:
    assert compare([60, 106, 150], [BASE], RULE).verdict == "worse"
    assert compare([60, 104, 150], [BASE], RULE).verdict == "within"
    assert compare([90], [BASE], RULE).improved


def test_four_rounds_a_side_have_bounds() -> None:
    found = compare([104, 105, 106, 107], [[98, 99, 100, 101]], RULE)
    assert found.low == pytest.approx(104 / 100 - 1, abs=0.02)
    assert found.remark == ""


def test_bounds_that_alpha_does_not_allow_are_few_rounds() -> None:
    found = compare([106] * 4, [[100] * 4], replace(RULE, alpha=0.01))
    assert (found.low, found.verdict) == (None, "worse")
    assert found.remark == "4 rounds against 4 cannot tell noise from change"


# --- min_effect -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("min_effect", "verdict", "remark"),
    [
        (9.9, "worse", ""),
        (10.0, "within", "the change is within min_effect"),
        (10.1, "within", "the change is within min_effect"),
    ],
)
@pytest.mark.parametrize("rounds", [2, 5])
def test_a_change_within_min_effect_never_fails(
    min_effect: float, verdict: Outcome, remark: str, rounds: int
) -> None:
    rule = replace(RULE, min_effect=min_effect)
    found = compare([110] * rounds, [[100] * rounds], rule)
    assert found.verdict == verdict
    assert found.remark.endswith(remark)
    assert compare([90] * rounds, [[100] * rounds], rule).improved is (verdict == "worse")


def test_a_change_that_may_be_more_than_min_effect_is_undecided() -> None:
    found = compare([100, 104, 107, 110, 116], [BASE], replace(RULE, min_effect=9))
    assert (found.verdict, found.remark) == ("undecided", "the change is within min_effect")


def test_min_effect_is_measured_on_the_scale_of_the_number() -> None:
    assert compare([12] * 5, [[10] * 5], replace(RULE, min_effect=3)).verdict == "within"
    assert compare([1200] * 5, [[1000] * 5], replace(RULE, min_effect=3)).verdict == "worse"


# --- sessions ---------------------------------------------------------------------------------

STORED = Rule(0.05, session_noise=0.02)  # widened, 8 %


def wider(change: Change) -> tuple[float, str, bool] | None:
    """Return the limit that is in force instead of the one of the rule, to three places."""
    found = change.wider
    return None if found is None else (round(found.limit, 3), found.why, found.decides)


def _decides(change: Change) -> bool:
    return change.wider is not None and change.wider.decides


@pytest.mark.parametrize(
    ("sessions", "why"), [(1, "with 1 session of 5 needed"), (4, "with 4 sessions of 5 needed")]
)
@pytest.mark.parametrize(
    ("now", "verdict", "improved", "decides"),
    [
        (104, "within", False, False),
        # To be equal to the limit is to be within it, the written one and the one in force.
        (105, "within", False, False),
        (105.001, "within", False, True),
        (108, "within", False, True),
        (109, "worse", False, False),
        (93, "within", False, False),
        (91, "within", True, False),
    ],
)
def test_few_sessions_widen_the_limit(
    sessions: int, why: str, now: float, verdict: Outcome, improved: bool, decides: bool
) -> None:
    found = compare([now] * 5, [[100] * 5] * sessions, STORED)
    assert (found.verdict, found.improved, found.remark) == (verdict, improved, "")
    assert wider(found) == (0.08, why, decides)


def test_a_wider_limit_decides_in_the_worse_direction_only() -> None:
    more = replace(STORED, better="higher")
    assert [_decides(compare([now] * 5, [[100] * 5], more)) for now in (107, 93)] == [False, True]
    assert not _decides(compare([107] * 5, [[100] * 5], replace(STORED, min_effect=7)))
    assert _decides(compare([107] * 5, [[100] * 5], replace(STORED, min_effect=6.9)))


def test_noise_may_hide_whether_even_the_wider_limit_holds() -> None:
    found = compare([100, 106, 107, 109, 116], [BASE], STORED)
    assert (found.verdict, _decides(found)) == ("undecided", True)


@pytest.mark.parametrize("rule", [RULE, replace(RULE, in_points=True)])
def test_without_noise_between_sessions_the_limit_is_as_written(rule: Rule) -> None:
    assert compare([107] * 5, [[100] * 5], rule).wider is None


def test_points_are_widened_by_noise_of_the_baseline() -> None:
    rule = Rule(1, in_points=True, session_noise=0.02)
    found = compare([52.4] * 4, [[50.0] * 4], rule)
    assert wider(found) == (2.5, "with 1 session of 5 needed", True)
    assert compare([54.9] * 4, [[50.0] * 4], rule).verdict == "worse"
    assert compare([52.4] * 4, [[50.0] * 4], rule).verdict == "within"
    assert compare([-47.6] * 4, [[-50.0] * 4], rule).verdict == "within"


FIVE = [times(factor, QUIET) for factor in (0.97, 0.99, 1.0, 1.01, 1.03)]
BY_NOISE = "by the noise between 5 sessions"


@pytest.mark.parametrize(
    ("factor", "verdict", "improved", "decides"),
    [
        (1.0, "within", False, False),
        (1.06, "undecided", False, True),
        # 3.143 x 2.16 % x the root of 1.2 is 7.4 % above the mean of the logarithms.
        (1.076, "undecided", False, True),
        (1.078, "worse", False, False),
        (0.94, "within", False, False),
        (0.929, "within", False, False),
        (0.927, "within", True, False),
    ],
)
def test_five_sessions_say_what_to_expect_of_one_more(
    factor: float, verdict: Outcome, improved: bool, decides: bool
) -> None:
    found = compare(times(factor, QUIET), FIVE, STORED)
    assert (found.verdict, found.improved, found.remark) == (verdict, improved, "")
    # It is the same whatever is measured: exp(7.4 %) is 1.077.
    assert wider(found) == (0.077, BY_NOISE, decides)


def test_what_sessions_predict_is_in_force_for_what_is_to_be_more_too() -> None:
    rule = replace(STORED, better="higher")
    found = [compare(times(factor, QUIET), FIVE, rule) for factor in (0.93, 0.928, 1.06)]
    assert [each.verdict for each in found] == ["undecided", "worse", "within"]
    for each in found:
        # exp(-7.4 %) is 0.9284.
        assert wider(each) == (0.072, BY_NOISE, each.verdict == "undecided")


def test_five_sessions_that_agree_hide_little() -> None:
    assert compare(times(1.06, QUIET), [QUIET] * 5, STORED).verdict == "worse"
    assert compare(times(1.06, QUIET), [QUIET] * 4, STORED).verdict == "within"


def test_sessions_of_points_say_what_to_expect_too() -> None:
    rule = Rule(1, in_points=True, better="higher")
    sessions = [[value] * 5 for value in (-2.0, -1.0, 0.0, 1.0, 2.0)]
    # 3.143 x 1.291 x the root of 1.2 is 4.44.
    found = compare([-4.4] * 5, sessions, rule)
    assert found.verdict == "undecided"
    assert wider(found) == (4.444, BY_NOISE, True)
    assert compare([-4.5] * 5, sessions, rule).verdict == "worse"
    assert not compare([4.4] * 5, sessions, rule).improved
    assert compare([4.5] * 5, sessions, rule).improved


def test_the_noise_assumed_of_points_is_a_share_of_the_baseline() -> None:
    rule = Rule(1, in_points=True, session_noise=0.02)
    # 3.143 x 0.577 x the root of 1.2 is 1.99, of sessions that are all 50.
    assert compare([51.9] * 5, [[50.0] * 5] * 5, rule).verdict == "undecided"
    assert compare([52.1] * 5, [[50.0] * 5] * 5, rule).verdict == "worse"


def test_zeros_are_beyond_what_any_session_lets_expect() -> None:
    more = compare([0] * 5, FIVE, replace(STORED, better="higher"))
    less = compare([0] * 5, FIVE, STORED)
    assert (less.improved, less.wider) == (True, None)
    assert (more.verdict, more.wider) == ("worse", None)


def test_few_rounds_keep_the_wider_limit_however_many_the_sessions() -> None:
    found = compare([107], FIVE, STORED)
    assert found.verdict == "within"
    assert found.remark == "1 round against 25 cannot tell noise from change"
    assert wider(found) == (0.08, "with fewer than 4 rounds on a side", True)


# --- outliers of a baseline -------------------------------------------------------------------

TWO_SLOW = [100.0, 101.0, 102.0, 150.0, 160.0]
LATER = [120 + number / 10 for number in range(20)]
BEST = "the best rounds of all are of the baseline"


def test_slow_rounds_of_a_baseline_do_not_hide_a_change() -> None:
    rule = replace(RULE, alpha=ALPHA / 3)
    found = compare(LATER, [TWO_SLOW], rule)
    assert found.low is not None
    assert found.low < 0
    assert (found.verdict, found.remark) == ("worse", BEST)
    assert compare(LATER, [[100.0, 101.0, 149.0, 150.0, 160.0]], rule).verdict == "undecided"


def test_slow_rounds_do_not_hide_an_improvement() -> None:
    now = [*times(0.8, TWO_SLOW[:3]), 150.0, 160.0]
    base = [99 + number / 10 for number in range(20)]
    assert compare(now, [base], replace(RULE, alpha=ALPHA / 3)).improved


def test_the_best_rounds_are_the_highest_where_higher_is_better() -> None:
    rule = replace(RULE, better="higher", alpha=ALPHA / 3)
    low = [100 - number / 10 for number in range(20)]
    found = compare(low, [[120.0, 121.0, 122.0, 50.0, 60.0]], rule)
    assert (found.verdict, found.remark) == ("worse", BEST)
    assert compare(LATER, [TWO_SLOW], rule).improved is False


# --- exact numbers ----------------------------------------------------------------------------

EXACT = Rule(0.0, exact=True)


@pytest.mark.parametrize(
    ("rule", "now", "before", "expected"),
    [
        (EXACT, [140], [140], (140, 0.0, "within", False)),
        (EXACT, [140, 141], [140, 139], (140, 141 / 140 - 1, "worse", False)),
        (EXACT, [139, 139], [140, 138], (140, 139 / 140 - 1, "within", True)),
        (EXACT, [0], [0], (0, 0.0, "within", False)),
        (EXACT, [1], [0], (0, math.inf, "worse", False)),
        (EXACT, [0], [5], (5, -1.0, "within", True)),
        (replace(EXACT, better="higher"), [1], [0], (0, math.inf, "within", True)),
        (replace(EXACT, better="higher"), [5, 4], [5, 5], (5, 4 / 5 - 1, "worse", False)),
        (replace(EXACT, max_regression=0.05), [105], [100], (100, 0.05, "within", False)),
        (replace(EXACT, max_regression=0.05), [106], [100], (100, 0.06, "worse", False)),
        (replace(EXACT, max_regression=0.05), [95], [100], (100, -0.05, "within", False)),
        (Rule(2, in_points=True, exact=True), [142], [140], (140, 2, "within", False)),
        (Rule(2, in_points=True, exact=True), [143], [140], (140, 3, "worse", False)),
        (Rule(2, in_points=True, exact=True), [-5], [0], (0, -5, "within", True)),
    ],
)
def test_exact_numbers_have_no_noise(
    rule: Rule, now: Rounds, before: Rounds, expected: tuple[float, float, Outcome, bool]
) -> None:
    baseline, change, verdict, improved = expected
    found = compare(now, [before], rule)
    assert found.change == pytest.approx(change)
    assert replace(found, change=0.0) == Change(baseline, 0.0, None, None, verdict, improved, "")


def test_exact_numbers_are_compared_with_the_newest_session() -> None:
    assert compare([5], [[9], [5]], EXACT).verdict == "within"
    assert compare([6], [[9], [5]], EXACT).verdict == "worse"


def test_session_noise_and_min_effect_do_not_excuse_a_count() -> None:
    rule = replace(EXACT, session_noise=0.5, min_effect=10)
    assert compare([6], [[5]], rule).verdict == "worse"


# --- what is refused --------------------------------------------------------------------------

NAN, INF = math.nan, math.inf
NOTHING = "nothing is relative to that"


@pytest.mark.parametrize(
    ("now", "sessions", "rule", "message"),
    [
        ([], [BASE], RULE, "now has no rounds"),
        (BASE, [], RULE, "the baseline has no session"),
        (BASE, [BASE, []], RULE, "session 2 of the baseline has no rounds"),
        ([1, NAN], [BASE], RULE, "round 2 of now is nan, not a finite number"),
        ([INF], [BASE], EXACT, "round 1 of now is inf, not a finite number"),
        (
            BASE,
            [[1], [2, NAN]],
            RULE,
            "round 2 of session 2 of the baseline is nan, not a finite number",
        ),
        (BASE, [[0.0]], RULE, f"round 1 of session 1 of the baseline is 0, and {NOTHING}"),
        (BASE, [[1, -2]], RULE, f"round 2 of session 1 of the baseline is -2, and {NOTHING}"),
        (BASE, [[-2]], EXACT, f"round 1 of session 1 of the baseline is -2, and {NOTHING}"),
        ([-1], [BASE], RULE, f"round 1 of now is -1, and {NOTHING}"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    now: Rounds, sessions: Sequence[Rounds], rule: Rule, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        compare(now, sessions, rule)
