from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from itertools import combinations
from math import comb, log, sqrt
from statistics import fmean

import numpy as np
import pytest

from pytest_npuperf.judge.statistics import (
    Estimate,
    largest_u,
    leads,
    prediction_limits,
    relative_shift,
    shift,
    ways_of_u,
)

scipy = import_module("scipy.stats")  # it does not say its types

SIZES = [(1, 1), (1, 5), (2, 3), (3, 3), (4, 4), (5, 3), (5, 5), (5, 20), (20, 5), (10, 10)]


def numbers(seed: int, count: int, middle: float = 100.0) -> list[float]:
    found: list[float] = np.random.default_rng(seed).normal(middle, 5, count).tolist()
    return found


# --- the null distribution --------------------------------------------------------------------


def counted(first: int, second: int) -> Counter[int]:
    """Return the same by writing down every order of the two samples."""
    everyone = range(first + second)
    return Counter(
        sum(other < one for one in ranks for other in everyone if other not in ranks)
        for ranks in combinations(everyone, first)
    )


@pytest.mark.parametrize(
    ("fewer", "more"), [(1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (3, 4), (4, 5)]
)
def test_the_ways_are_those_of_every_order(fewer: int, more: int) -> None:
    every = counted(fewer, more)
    assert ways_of_u(fewer, more) == tuple(every[u] for u in range(fewer * more // 2 + 1))


@pytest.mark.parametrize(("fewer", "more"), [(3, 5), (5, 5), (20, 20), (20, 400)])
def test_both_halves_of_the_ways_are_all_orders(fewer: int, more: int) -> None:
    ways = ways_of_u(fewer, more)
    middle = ways[-1] if fewer * more % 2 == 0 else 0
    assert 2 * sum(ways) - middle == comb(fewer + more, fewer)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 3, 0.01])
@pytest.mark.parametrize(("first", "second"), SIZES)
def test_the_largest_u_is_that_of_scipy(first: int, second: int, alpha: float) -> None:
    found = largest_u(first, second, alpha)
    u = -1 if found is None else found
    assert u < 0 or probability(first, second, u) <= alpha
    assert probability(first, second, u + 1) > alpha


def probability(first: int, second: int, u: int) -> float:
    """Return P(U <= u) by scipy, of two samples that have this U."""
    full, rest = divmod(u, second)
    others = [float(value) for value in range(1, second + 1)]
    ones = [0.25 - value / 1000 for value in range(first)]
    for index in range(full):
        ones[index] = second + 1.0 + index
    if rest:
        ones[full] = rest + 0.5
    test = scipy.mannwhitneyu(ones, others, alternative="less", method="exact")
    assert test.statistic == u
    return float(test.pvalue)


@pytest.mark.parametrize(
    ("first", "second", "alpha", "expected"),
    [
        (1, 1, 0.49, None),
        (3, 3, 0.05, 0),  # exactly one order of twenty
        (3, 3, 0.0499, None),
        (4, 4, 0.05, 1),
        (5, 5, 0.05 / 3, 2),
        (1, 19, 0.05, 0),
        (20, 400, 0.0, None),
    ],
)
def test_the_largest_u(first: int, second: int, alpha: float, expected: int | None) -> None:
    assert largest_u(first, second, alpha) == expected
    assert largest_u(second, first, alpha) == expected


def test_no_u_is_large_enough_for_half() -> None:
    with pytest.raises(ValueError, match=r"^alpha is 0\.9; less than 0\.5 is wanted$"):
        largest_u(2, 2, 0.9)


# --- the estimates ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "base", "expected"),
    [
        ([3], [1], Estimate(2, None, None)),
        ([1, 2, 3], [1, 2, 3], Estimate(0, -2, 2)),
        ([11, 12, 13], [1, 2, 3], Estimate(10, 8, 12)),
        ([5, 1], [0], Estimate(3, None, None)),
    ],
)
def test_the_shift(now: Sequence[float], base: Sequence[float], expected: Estimate) -> None:
    assert shift(now, base, 0.05) == expected


@pytest.mark.parametrize(
    ("now", "base", "expected"),
    [
        ([120], [100], Estimate(120 / 100 - 1, None, None)),
        ([4, 1], [1], Estimate(1, None, None)),  # the geometric mean of 4 and 1
        ([0], [2], Estimate(-1, None, None)),
        ([0, 0, 0], [1, 2, 4], Estimate(-1, -1, -1)),
        ([2, 2, 2], [1, 1, 1], Estimate(1, 1, 1)),
        ([2, 2, 4], [1, 1, 2], Estimate(1, 0, 3)),
    ],
)
def test_the_relative_shift(
    now: Sequence[float], base: Sequence[float], expected: Estimate
) -> None:
    assert relative_shift(now, base, 0.05) == expected


@pytest.mark.parametrize("seed", range(20))
def test_the_relative_shift_is_that_of_the_logarithms(seed: int) -> None:
    now, base = numbers(seed, 4 + seed % 7), numbers(seed + 100, 4 + seed % 5)
    logs = shift([log(value) for value in now], [log(value) for value in base], 0.05)
    found = relative_shift(now, base, 0.05)
    assert None not in (found.low, found.high, logs.low, logs.high)
    pairs = zip(
        (found.middle, found.low, found.high), (logs.middle, logs.low, logs.high), strict=True
    )
    for relative, logarithm in pairs:
        assert log(1 + (relative or 0)) == pytest.approx(logarithm, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_bounds_are_where_the_test_of_scipy_turns(seed: int) -> None:
    sizes, alpha = (4 + seed % 7, 4 + seed % 5), (0.05, 0.05 / 3)[seed % 2]
    now, base = numbers(seed, sizes[0], 103), numbers(seed + 1000, sizes[1])
    found = shift(now, base, alpha)
    assert found.low is not None
    assert found.high is not None
    # Moved by a hair less than the bound, the samples differ; by a hair more, they do not.
    assert p_value(now, base, found.low - 1e-9, "greater") <= alpha
    assert p_value(now, base, found.low + 1e-9, "greater") > alpha
    assert p_value(now, base, found.high + 1e-9, "less") <= alpha
    assert p_value(now, base, found.high - 1e-9, "less") > alpha
    assert found.low < found.middle < found.high


def p_value(now: list[float], base: list[float], moved: float, alternative: str) -> float:
    shifted = [value - moved for value in now]
    test = scipy.mannwhitneyu(shifted, base, alternative=alternative, method="exact")
    return float(test.pvalue)


# --- the best of both -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "alpha", "expected"),
    [
        ([1, 2, 3], [4, 5, 6], 0.05, True),  # one order of twenty
        ([1, 2, 3], [4, 5, 6], 0.04, False),
        ([1, 2, 9], [4, 5, 6], 0.21, True),  # 3 of the 15 pairs
        ([1, 2, 9], [4, 5, 6], 0.19, False),
        ([4, 5, 6], [1, 2, 3], 0.49, False),
        ([1, 1, 1], [1, 1, 1], 0.49, False),  # equal is not below
        ([1, 2, 3, 90, 95], range(10, 30), 0.05 / 3, True),
        ([1, 2, 80, 90, 95], range(10, 30), 0.05 / 3, False),
    ],
)
def test_which_numbers_lead(
    one: Sequence[float], other: Sequence[float], alpha: float, expected: bool
) -> None:
    assert leads(one, other, alpha) is expected


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_leading_by_chance_is_as_rare_as_alpha_says(alpha: float) -> None:
    orders = list(combinations(range(9), 4))
    led = sum(leads(ranks, sorted({*range(9)} - {*ranks}), alpha) for ranks in orders)
    assert 0 < Fraction(led, len(orders)) <= alpha


# --- one more session -------------------------------------------------------------------------


def expected_reach(values: Sequence[float], assumed: float, quantile_of: int) -> float:
    """Return the same as for so many values and two more, whose spread is the assumed one."""
    count = len(values)
    squares = sum((value - fmean(values)) ** 2 for value in values) + 2 * assumed**2
    quantile: float = scipy.t.ppf(0.99, quantile_of + 1)
    return quantile * sqrt(squares / (count + 1)) * sqrt(1 + 1 / count)


@pytest.mark.parametrize("assumed", [0.0, 5.0, 20.0])
@pytest.mark.parametrize("count", range(5, 21))
def test_the_prediction_limits_are_those_of_student(count: int, assumed: float) -> None:
    values = numbers(count, count)
    middle, reach = fmean(values), expected_reach(values, assumed, count)
    assert prediction_limits(values, assumed) == pytest.approx((middle - reach, middle + reach))


def test_more_than_twenty_values_are_predicted_by_the_quantile_of_twenty() -> None:
    values = numbers(0, 30)
    high = fmean(values) + expected_reach(values, 5, 20)
    assert prediction_limits(values, 5)[1] == pytest.approx(high)


@pytest.mark.parametrize(("assumed", "most"), [(0.0, 0.05), (5.0, 0.02)])
def test_one_more_value_is_rarely_beyond_the_limits(assumed: float, most: float) -> None:
    """Their true spread is 5. However little is assumed, no more than about 3 % are beyond."""
    samples = np.random.default_rng(1).normal(100, 5, (1000, 6)).tolist()
    beyond = sum(one > prediction_limits(values, assumed)[1] for *values, one in samples)
    assert 0 < beyond / len(samples) < most


def test_equal_values_predict_the_same_again() -> None:
    assert prediction_limits([7.0] * 5, 0) == (7.0, 7.0)
