"""An accuracy of 71.84 is not one of 0.7184: what counts otherwise is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_npuperf.judge import Before, judge
from pytest_npuperf.model import (
    Case,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    Regression,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

POINT = Regression(Fraction(1, 100), in_points=True)
PERCENT_POINT = Regression(Fraction(1), in_points=True)
ONE_PERCENT = Regression(Fraction(1, 100))


def limit(
    at_least: str | None = None,
    allowed: Regression | None = None,
    unit: str = "",
    name: str = "accuracy",
) -> Limit:
    return Limit(
        Wanted(f"custom.{name}"),
        Dimension.NUMBER,
        at_least=None if at_least is None else Fraction(at_least),
        max_regression=allowed,
        better="higher",
        unit=unit,
    )


def measured(wanted: Wanted, value: str) -> Measurement:
    return Measurement({"0": LaneMeasurement({wanted: Value(Fraction(value))})})


def judged(limit: Limit, value: str, before: str | None = None) -> Judged:
    sessions = () if before is None else ((measured(limit.wanted, before),),)
    sides = Before(sessions, "fp16", is_stored=False)
    (found,) = judge(Case("m", limits=(limit,)), [measured(limit.wanted, value)], {}, sides)
    return found


@pytest.mark.parametrize(
    ("limit", "value", "remark"),
    [
        (
            limit("0.7"),
            "71.84",
            '71.8 is no share from 0 to 1; report it with the unit "%"',
        ),
        (
            limit(allowed=POINT, name="top1"),
            "71.84",
            '71.8 is no share from 0 to 1; report it with the unit "%"',
        ),
        (limit("0.7", unit="%"), "71.84", "71.8 % counts to 100, and the limit 0.7 to 1; write 70"),
        (limit("0.7", unit="%"), "0.9", "0.900 % counts to 100, and the limit 0.7 to 1; write 70"),
        (limit("70", unit="%"), "101", "101 % is no share from 0 to 100"),
        (limit("0.7"), "-0.1", "-0.100 is no share from 0 to 1"),
    ],
)
def test_a_number_on_another_scale_than_its_limit_is_not_judged(
    limit: Limit, value: str, remark: str
) -> None:
    found = judged(limit, value, "0.7" if limit.max_regression else None)

    assert (found.verdict, found.remark) == (Verdict.NOT_MEASURED, remark)


@pytest.mark.parametrize(
    ("limit", "now", "before", "remark"),
    [
        (
            limit(allowed=POINT),
            "0.7101",
            "71.84",
            "0.7101 and 71.84 are not on one scale; report both as shares, or both in %",
        ),
        (
            limit(allowed=ONE_PERCENT, unit="%"),
            "70.85",
            "0.7184",
            "70.85 and 0.7184 are not on one scale; report both as shares, or both in %",
        ),
        (
            limit(allowed=POINT),
            "0.7",
            "0",
            "it is 0 on the other side, and nothing can be worse; report the right number",
        ),
    ],
)
def test_two_sides_on_different_scales_are_not_compared(
    limit: Limit, now: str, before: str, remark: str
) -> None:
    found = judged(limit, now, before)

    assert (found.verdict, found.remark) == (Verdict.NOT_MEASURED, remark)


@pytest.mark.parametrize(
    ("limit", "now", "before", "verdict"),
    [
        (limit("0.7", POINT), "0.7101", "0.7188", Verdict.PASSED),
        (limit("0.7", POINT), "0.7001", "0.7188", Verdict.FAILED),
        (limit("70", PERCENT_POINT, "%"), "71.01", "71.88", Verdict.PASSED),
        (limit("70", PERCENT_POINT, "%"), "70.01", "71.88", Verdict.FAILED),
        (limit("1"), "1", None, Verdict.PASSED),
        (limit("0"), "0", None, Verdict.PASSED),
        (limit("400", name="throughput"), "412", None, Verdict.PASSED),
        (limit("0.5", ONE_PERCENT, name="throughput"), "412", "0.9", Verdict.PASSED),
    ],
)
def test_numbers_on_one_scale_are_judged(
    limit: Limit, now: str, before: str | None, verdict: Verdict
) -> None:
    assert judged(limit, now, before).verdict is verdict
