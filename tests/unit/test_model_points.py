"""A limit in points: how large a point is, and how changes are shown in them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest

from pytest_npuperf.model import Case, Limit, Regression, Reported, Wanted
from pytest_npuperf.pipeline.told import tell
from pytest_npuperf.units import Dimension

TWO_POINTS = Regression(Fraction(2, 100), in_points=True)
FIVE_PERCENT = Regression(Fraction(5, 100))


def _limit(allowed: Regression | None, unit: str = "") -> Limit:
    return Limit(Wanted("custom.x"), Dimension.NUMBER, max_regression=allowed, unit=unit)


@pytest.mark.parametrize(
    ("allowed", "unit", "expected"),
    [
        (TWO_POINTS, "", TWO_POINTS),
        (TWO_POINTS, "1/s", TWO_POINTS),
        (TWO_POINTS, "%", Regression(Fraction(2), in_points=True)),
        (FIVE_PERCENT, "%", FIVE_PERCENT),
        (None, "%", None),
    ],
)
def test_a_point_is_a_hundredth_but_one_of_a_number_in_percent(
    allowed: Regression | None, unit: str, expected: Regression | None
) -> None:
    case = Case("c", limits=(_limit(allowed),))

    told = tell(case, {"x": Reported(Fraction(71), unit)})
    assert told.with_units(case).limits == (_limit(expected, unit),)


def test_a_number_that_is_not_reported_has_points_of_a_hundredth() -> None:
    case = Case("c", limits=(_limit(TWO_POINTS),))

    assert tell(case, {}).with_units(case).limits == (_limit(TWO_POINTS),)


@pytest.mark.parametrize(
    ("dimension", "unit", "change", "shown"),
    [
        (Dimension.SHARE, "", Fraction(-3, 100), "-3 points"),
        (Dimension.NUMBER, "", Fraction(1, 200), "+0.5 points"),
        (Dimension.NUMBER, "%", Fraction(1, 2), "+0.5 points"),
        (Dimension.NUMBER, "%", Fraction(-2), "-2 points"),
        (Dimension.NUMBER, "%", Fraction(-1), "-1 point"),
    ],
)
def test_a_change_is_shown_in_points(
    dimension: Dimension, unit: str, change: Fraction, shown: str
) -> None:
    limit = Limit(Wanted("x"), dimension, max_regression=TWO_POINTS, unit=unit)

    assert limit.show_by(change) == shown


@pytest.mark.parametrize(("better", "sign"), [("lower", 1), ("higher", -1)])
def test_what_is_allowed_has_the_sign_of_a_change_for_the_worse(
    better: Literal["lower", "higher"], sign: int
) -> None:
    limit = Limit(Wanted("x"), Dimension.TIME, max_regression=FIVE_PERCENT, better=better)

    assert limit.allowed == sign * Fraction(5, 100)
    assert replace(limit, max_regression=None).allowed is None


def test_changes_are_told_apart_and_what_comes_of_nothing_has_no_share() -> None:
    changes = (Fraction(502, 10_000), None, Fraction(5, 100))

    assert _limit(FIVE_PERCENT).show_apart(changes) == ("+5.02 %", "up", "+5.00 %")
    assert _limit(TWO_POINTS).show_apart(changes) == ("+5.02 points", "up", "+5 points")
