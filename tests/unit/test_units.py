from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_npuperf.units import (
    SHARES,
    SIZES,
    TIMES,
    Dimension,
    parse,
    show,
    show_apart,
    show_change,
    show_changes,
    show_found,
    show_points,
    suggest,
)

TIME, SIZE, SHARE = Dimension.TIME, Dimension.SIZE, Dimension.SHARE
COUNT, NUMBER = Dimension.COUNT, Dimension.NUMBER


@pytest.mark.parametrize(
    ("text", "dimension", "expected"),
    [
        ("1.7 ms", TIME, 1_700_000),
        ("1.7ms", TIME, 1_700_000),
        ("  1700 us ", TIME, 1_700_000),
        ("1 µs", TIME, 1000),
        ("1 μs", TIME, 1000),
        ("0 ns", TIME, 0),
        ("0.0001 ns", TIME, Fraction(1, 10_000)),
        ("2 s", TIME, 2 * 10**9),
        ("10 min", TIME, 600 * 10**9),
        ("1 h", TIME, 3600 * 10**9),
        ("512 MiB", SIZE, 512 * 2**20),
        ("1 B", SIZE, 1),
        ("1.5 KiB", SIZE, 1536),
        ("2 GiB", SIZE, 2**31),
        ("5 %", SHARE, Fraction(5, 100)),
        ("0.1%", SHARE, Fraction(1, 1000)),
        ("2 points", SHARE, Fraction(2, 100)),
        ("1 point", SHARE, Fraction(1, 100)),
        (140, COUNT, 140),
        (0, COUNT, 0),
        (-1, COUNT, -1),
        (0.85, NUMBER, Fraction(85, 100)),
        (1e-7, NUMBER, Fraction(1, 10**7)),
        (3, NUMBER, 3),
    ],
)
def test_a_quantity_is_read_exactly(text: object, dimension: Dimension, expected: Fraction) -> None:
    assert parse(text, dimension) == expected


@pytest.mark.parametrize(
    ("text", "dimension", "refusal"),
    [
        (1.7, TIME, '1.7 is not a duration; write "1.7 ms" or "1700 us"'),
        (17, TIME, '17 is not a duration; write "1.7 ms" or "1700 us"'),
        ("1.7", TIME, '"1.7" is not a duration; write "1.7 ms" or "1700 us"'),
        ("1,7 ms", TIME, '"1,7 ms" is not a duration; write "1.7 ms" or "1700 us"'),
        ("1,0004 ms", TIME, '"1,0004 ms" is not a duration; write "1.0004 ms"'),
        ("1,7 %", TIME, '"1,7 %" is not a duration; write "1.7 ms" or "1700 us"'),
        ("1.7 MS", TIME, '"1.7 MS" is not a duration; write "1.7 ms" or "1700 us"'),
        ("-1 ms", TIME, '"-1 ms" is not a duration; write "1.7 ms" or "1700 us"'),
        ("1e3 ms", TIME, '"1e3 ms" is not a duration; write "1.7 ms" or "1700 us"'),
        (".5 ms", TIME, '".5 ms" is not a duration; write "1.7 ms" or "1700 us"'),
        ("", TIME, '"" is not a duration; write "1.7 ms" or "1700 us"'),
        (True, TIME, 'true is not a duration; write "1.7 ms" or "1700 us"'),
        (["1 ms"], TIME, '["1 ms"] is not a duration; write "1.7 ms" or "1700 us"'),
        ("512 MB", SIZE, '"512 MB" is not a size; write "512 MiB" or "2 GiB"'),
        ("1,5 MiB", SIZE, '"1,5 MiB" is not a size; write "1.5 MiB"'),
        (0.05, SHARE, '0.05 is not a share; write "5 %"'),
        ("5", SHARE, '"5" is not a share; write "5 %"'),
        ("140", COUNT, '"140" is not a count; write a whole number such as 140'),
        (1.0, COUNT, "1.0 is not a count; write a whole number such as 140"),
        (True, COUNT, "true is not a count; write a whole number such as 140"),
        ("0.85", NUMBER, '"0.85" is not a number; write a number such as 0.85'),
        (float("nan"), NUMBER, "NaN is not a number; write a number such as 0.85"),
        (float("inf"), NUMBER, "Infinity is not a number; write a number such as 0.85"),
        (False, NUMBER, "false is not a number; write a number such as 0.85"),
    ],
)
def test_what_is_no_quantity_is_refused(text: object, dimension: Dimension, refusal: str) -> None:
    with pytest.raises(ValueError, match="is not") as caught:
        parse(text, dimension)
    assert str(caught.value) == refusal


@pytest.mark.parametrize(
    ("found", "expected"),
    [("1,5 us", '"1.5 us"'), ("1.5 us", None), ("1,000,5 us", None), (15, None), ("a,b", None)],
)
def test_only_a_decimal_comma_is_mended(found: object, expected: str | None) -> None:
    assert suggest(found, TIME) == expected


def test_a_found_value_is_shown_as_it_was_written() -> None:
    assert show_found("卷积") == '"卷积"'
    assert show_found({"p50": 1}) == '{"p50": 1}'


@pytest.mark.parametrize(
    ("value", "dimension", "expected"),
    [
        (0, TIME, "0 ns"),
        (1, TIME, "1.00 ns"),
        (999, TIME, "999 ns"),
        (1000, TIME, "1.00 us"),
        (999_999, TIME, "1000 us"),
        (1_000_000, TIME, "1.00 ms"),
        (1_710_000, TIME, "1.71 ms"),
        (9_996_000, TIME, "10.0 ms"),
        (10**9, TIME, "1.00 s"),
        (7200 * 10**9, TIME, "7200 s"),
        (Fraction(1, 3), TIME, "0.333 ns"),
        (Fraction(1, 300), TIME, "0.00333 ns"),
        (Fraction(1, 10), TIME, "0.100 ns"),
        (Fraction(1, 11), TIME, "0.0909 ns"),
        (-1500, TIME, "-1.50 us"),
        (1023, SIZE, "1023 B"),
        (1024, SIZE, "1.00 KiB"),
        (2**31, SIZE, "2.00 GiB"),
        (Fraction(5, 100), SHARE, "5.00 %"),
        (1, SHARE, "100 %"),
        (140, COUNT, "140"),
        (123_456_789, COUNT, "123456789"),
        (Fraction(281, 2), COUNT, "140"),
        (Fraction(283, 2), COUNT, "142"),
        (Fraction(85, 100), NUMBER, "0.850"),
    ],
)
def test_a_value_for_people(value: Fraction, dimension: Dimension, expected: str) -> None:
    assert show(value, dimension) == expected


def test_a_custom_number_carries_its_own_unit() -> None:
    assert show(412, NUMBER, "1/s") == "412 1/s"
    assert show(412, COUNT, "images") == "412 images"


@pytest.mark.parametrize(
    ("values", "dimension", "expected"),
    [
        ((1_710_000, 1_700_000), TIME, ("1.71 ms", "1.70 ms")),
        ((1_700_001, 1_700_000), TIME, ("1.700001 ms", "1.700000 ms")),
        ((1_700_000, 1_700_000), TIME, ("1.70 ms", "1.70 ms")),
        ((900_000, 1_000_000), TIME, ("0.900 ms", "1.00 ms")),
        ((999_999, 1_000_000), TIME, ("0.999999 ms", "1.00000 ms")),
        ((0, 0), TIME, ("0 ns", "0 ns")),
        ((0, Fraction(1, 10)), SHARE, ("0 %", "10.0 %")),
        ((0, 5), COUNT, ("0", "5")),
        ((1, 10**9), TIME, ("1.00 ns", "1.00 s")),
        ((140, 141), COUNT, ("140", "141")),
        ((1_000_001, 1_000_000), COUNT, ("1000001", "1000000")),
        ((Fraction(281, 2), 140), COUNT, ("140.5", "140.0")),
        ((Fraction(1001, 10_000), Fraction(1, 10)), SHARE, ("10.01 %", "10.00 %")),
    ],
)
def test_unequal_values_are_told_apart_in_one_unit(
    values: tuple[Fraction, ...], dimension: Dimension, expected: tuple[str, ...]
) -> None:
    assert show_apart(values, dimension) == expected


numbers = st.fractions(0, 10**12, max_denominator=1000)


@given(numbers, numbers, st.sampled_from(Dimension))
def test_two_values_look_alike_only_when_they_are(
    one: Fraction, other: Fraction, dimension: Dimension
) -> None:
    first, second = show_apart((one, other), dimension)
    assert (first == second) == (one == other)


@pytest.mark.parametrize(
    ("value", "base", "expected"),
    [
        (171, 170, "+0.6 %"),
        (170, 170, "0 %"),
        (169, 170, "-0.6 %"),
        (1_700_001, 1_700_000, "+0.00006 %"),
        (1_699_999, 1_700_000, "-0.00006 %"),
        (10_005, 10_000, "+0.05 %"),
        (10_006, 10_000, "+0.1 %"),
        (200, 100, "+100 %"),
        (350, 100, "+250 %"),
        (0, 100, "-100 %"),
        (-90, -100, "+10.0 %"),
        (5, 0, ""),
        (0, 0, ""),
    ],
)
def test_a_change_is_never_shown_as_none(value: int, base: int, expected: str) -> None:
    assert show_change(Fraction(value), Fraction(base)) == expected


@given(numbers, numbers.filter(bool))
def test_a_change_of_any_size_has_a_digit_that_is_not_zero(value: Fraction, base: Fraction) -> None:
    said = show_change(value, base).removesuffix(" %").removeprefix("x ")
    assert (Fraction(said) == 0) == (value == base)


quantities = st.decimals(0, 10**9, places=3, allow_nan=False).map(lambda number: f"{number:f}")
units = [
    (dimension, unit, scale)
    for dimension, table in ((TIME, TIMES), (SIZE, SIZES), (SHARE, SHARES))
    for unit, scale in table.items()
]


@given(quantities, st.sampled_from(units))
def test_every_unit_means_its_factor(number: str, unit: tuple[Dimension, str, Fraction]) -> None:
    dimension, name, scale = unit
    assert parse(f"{number} {name}", dimension) == Fraction(number) * scale


@given(st.integers(1, 10**15), st.sampled_from([TIME, SIZE, SHARE]))
def test_what_is_shown_can_be_read_and_is_close(value: int, dimension: Dimension) -> None:
    shown = parse(show(value, dimension), dimension)
    assert abs(shown - value) <= Fraction(value, 200)


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((231_290_100, 1), ("231 ms", "1.00 ns")),
        ((40_600, 3600 * 10**9), ("40.6 us", "3600 s")),
        ((1_000_000, 1000), ("1.00 ms", "1.00 us")),
        ((999_999, 1000), ("1000 us", "1.00 us")),
        ((1_000_000, 0), ("1.00 ms", "0 ns")),
        ((0, 1), ("0 ns", "1.00 ns")),
    ],
)
def test_values_that_are_worlds_apart_have_units_of_their_own(
    values: tuple[int, int], texts: tuple[str, str]
) -> None:
    assert show_apart(values, Dimension.TIME) == texts


@pytest.mark.parametrize(
    ("value", "base", "text"),
    [(231_290_100, 1, "x 231290100"), (11, 1, "x 11"), (109, 10, "+990 %"), (5, -1, "+600 %")],
)
def test_a_change_beyond_all_measure_is_a_factor(value: int, base: int, text: str) -> None:
    assert show_change(Fraction(value), Fraction(base)) == text


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ((), ()),
        (("0.05",), ("+5.0 %",)),
        (("0.05", "0.05"), ("+5.0 %", "+5.0 %")),
        (("0.0502", "0.05"), ("+5.02 %", "+5.00 %")),
        (("0.0502", "0.05", "0.05001"), ("+5.020 %", "+5.000 %", "+5.001 %")),
        (("-0.0502", "-0.05"), ("-5.02 %", "-5.00 %")),
        (("-0.05", "0.05"), ("-5.0 %", "+5.0 %")),
        (("0", "0.000001"), ("0 %", "+0.0001 %")),
        (("0.00041", "0.00042"), ("+0.041 %", "+0.042 %")),
        (("1.501", "1.5"), ("+150.1 %", "+150.0 %")),
        (("10.9", "11.1"), ("x 11.9", "x 12.1")),
    ],
)
def test_unequal_changes_are_told_apart(changes: tuple[str, ...], texts: tuple[str, ...]) -> None:
    assert show_changes([Fraction(change) for change in changes]) == texts


@pytest.mark.parametrize(
    ("points", "texts"),
    [
        (("2",), ("+2 points",)),
        (("0",), ("+0 points",)),
        (("-1", "1"), ("-1 point", "+1 point")),
        (("1.23456",), ("+1.235 points",)),
        (("10", "12345.6"), ("+10 points", "+12346 points")),
        (("0.00001",), ("+0.00001 points",)),
        (("2.00001", "2"), ("+2.00001 points", "+2 points")),
    ],
)
def test_unequal_points_are_told_apart(points: tuple[str, ...], texts: tuple[str, ...]) -> None:
    assert show_points([Fraction(point) for point in points]) == texts


@given(numbers, numbers)
def test_two_changes_look_alike_only_when_they_are(one: Fraction, other: Fraction) -> None:
    for shown in (show_changes, show_points):
        first, second = shown((one, other))
        assert (first == second) == (one == other)
