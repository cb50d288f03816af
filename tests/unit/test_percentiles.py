from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_npuperf.catalogue import STATISTICS
from pytest_npuperf.percentiles import is_percentile, median, percent_of, percentile, statistic


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([7], 0, 7),
        ([7], 95, 7),
        ([1, 2], 50, Fraction(3, 2)),
        ([1, 2, 4], 50, 2),
        ([1, 2, 4], 0, 1),
        ([1, 2, 4], 100, 4),
        ([1, 2, 4], 75, 3),
        ([10, 20], 95, Fraction(39, 2)),
        (range(101), 99, 99),
        ([2**62, 2**62 + 1], 50, Fraction(2**63 + 1, 2)),
    ],
)
def test_a_percentile_is_exact(values: Sequence[int], percent: int, expected: Fraction) -> None:
    assert percentile(values, percent) == expected


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.integers(0, 100))
def test_percentiles_are_those_of_numpy(values: list[int], percent: int) -> None:
    found = percentile(sorted(values), percent)
    assert float(found) == pytest.approx(float(np.percentile(values, percent)))


@pytest.mark.parametrize(
    ("values", "expected"), [([5], 5), ([9, 1, 2], 2), ([3, 1], 2), ([2, 1], Fraction(3, 2))]
)
def test_the_median_takes_values_in_any_order(values: list[int], expected: Fraction) -> None:
    assert median(values) == expected


STEPS = [40, 10, 30, 21]
EXPECTED = {
    "mean": Fraction(101, 4),
    "p50": Fraction(51, 2),
    "p90": 37,
    "p95": Fraction(77, 2),
    "p99": Fraction(397, 10),
    "min": 10,
    "max": 40,
    "count": 4,
}


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_of_the_catalogue_is_worked_out(name: str) -> None:
    found = statistic(STEPS, name)
    assert isinstance(found, Fraction)
    assert found == EXPECTED[name]


def test_an_unknown_statistic_is_an_error() -> None:
    with pytest.raises(ValueError, match="mode"):
        statistic(STEPS, "mode")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("p50", True), ("p95", True), ("mean", False), ("p", False), ("", False), (None, False)],
)
def test_what_is_a_percentile(name: str | None, expected: bool) -> None:
    assert is_percentile(name) is expected


def test_the_number_in_the_name_of_a_percentile() -> None:
    assert [percent_of(name) for name in ("p50", "p99")] == [50, 99]
