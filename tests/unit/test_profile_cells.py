from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_npuperf.profile import cells

NOW = "1784177503947983"


def texts(*found: str) -> cells.Texts:
    return np.array(found, dtype=object)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        (f"{NOW}.147\t", 1784177503947983147),
        (f"{NOW}.147", 1784177503947983147),
        (f'"{NOW}.147\t"', 1784177503947983147),
        (f'"{NOW}.147"', 1784177503947983147),
        (f"  {NOW}.147 ", 1784177503947983147),
        (NOW, 1784177503947983000),
        (f"{NOW}.", 1784177503947983000),
        (f"{NOW}.2", 1784177503947983200),
        (f"{NOW}.25", 1784177503947983250),
        (f"{NOW}.2504", 1784177503947983250),
        (f"{NOW}.2505", 1784177503947983251),
        (f"{NOW}.9999", 1784177503947984000),
        ("0.000\t", 0),
        ("542118179416.19", 542118179416190),
        ("9223372036854775.807", 2**63 - 1),
    ],
)
@pytest.mark.parametrize("beside", [(), (f"{NOW}.148\t",), ("N/A",)])
def test_a_start_in_us_is_exact(text: str, ns: int, beside: tuple[str, ...]) -> None:
    values, absent = cells.starts_to_ns(texts(text, *beside), 1000)
    assert (values[0], absent[0]) == (ns, False)


@pytest.mark.parametrize(
    "text",
    ["N/A", "NA", "", '""', "\t", "5.42118E+14", "1.69512E+15", "4e9", "18446744073709521.304"],
)
def test_a_start_that_says_nothing_is_absent_and_not_zero(text: str) -> None:
    values, absent = cells.starts_to_ns(texts(f"{NOW}.147\t", text), 1000)
    assert absent.tolist() == [False, True]
    assert values.dtype == np.int64


def test_a_start_in_ns_is_a_whole_number() -> None:
    values, _ = cells.starts_to_ns(texts("542118179416190", "542118179416190.6"), 1)
    assert values.tolist() == [542118179416190, 542118179416191]


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "-1784177503947983.147",
        "nan",
        "inf",
        "1784177503947983,147",
        "1784177503947983.14x",
        "9223372036854775.808",
        "20000000000000000.000",
        "1" * 400,
        "17841775039٤7983.147",
        "1e-5",
    ],
)
def test_what_is_no_start_is_refused_with_its_row(text: str) -> None:
    with pytest.raises(cells.BadCellError) as caught:
        cells.starts_to_ns(texts(f"{NOW}.147\t", text), 1000)
    assert (caught.value.row, caught.value.text, caught.value.wanted) == (1, text, "a time")


@given(st.integers(0, 2**63 - 1), st.integers(0, 6), st.sampled_from(["", "\t", '"']))
def test_any_start_equals_decimal_arithmetic(ns: int, decimals: int, around: str) -> None:
    number = (Decimal(ns) / 1000).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    wanted = int((number * 1000).quantize(Decimal(1), ROUND_HALF_UP))
    if wanted < 2**63:
        quoted = f'"{number}"' if around == '"' else f"{number}{around}"
        assert cells.starts_to_ns(texts(quoted), 1000)[0].tolist() == [wanted]


@given(st.lists(st.integers(10**18, 9 * 10**18 - 1), min_size=1, max_size=5))
def test_the_current_form_equals_the_slow_way(starts: list[int]) -> None:
    current = texts(*(f"{ns // 1000}.{ns % 1000:03d}\t" for ns in starts))
    assert cells.starts_to_ns(current, 1000)[0].tolist() == starts
    slow = texts(*current, "N/A")
    assert cells.starts_to_ns(slow, 1000)[0].tolist()[:-1] == starts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5.482", 5.482),
        ("501.17", 501.17),
        ("16", 16.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+3", 3.0),
        ("1e3", 1000.0),
        ('"5.482"', 5.482),
        ("5.482\t", 5.482),
        ("8827.472999999998", 8827.472999999998),
        ("0.000", 0.0),
        ("1000000000000", 1e12),
    ],
)
def test_a_duration_is_read(text: str, value: float) -> None:
    assert cells.durations(texts(text)).tolist() == [value]


@pytest.mark.parametrize("text", ["N/A", "NA", "", "18446744073709521.304"])
def test_a_duration_that_says_nothing_is_absent(text: str) -> None:
    assert np.isnan(cells.durations(texts(text))).all()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("abc", "a number"),
        ("nan", "a number"),
        ("NaN", "a number"),
        ("inf", "a number"),
        ("True", "a number"),
        ("0x10", "a number"),
        ("1_0", "a number"),
        ("1,5", "a number"),
        ("٣", "a number"),
        ("-0.001", "a duration of 0 or more"),
        ("1e400", "a duration below 11 days"),
        ("1000000000001", "a duration below 11 days"),
        ("17000000000000000", "a duration below 11 days"),
        ("1" * 400, "a duration below 11 days"),
    ],
)
def test_what_is_no_duration_is_refused_with_its_row(text: str, wanted: str) -> None:
    with pytest.raises(cells.BadCellError) as caught:
        cells.durations(texts("1.000", text))
    assert (caught.value.row, caught.value.text, caught.value.wanted) == (1, text, wanted)


@pytest.mark.parametrize("text", ["1.5", "-1", "1e20"])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(cells.BadCellError, match=f"^{text}$") as caught:
        cells.counts(texts(text))
    assert caught.value.wanted == "a count"


def test_a_number_may_be_negative_but_not_infinite() -> None:
    assert cells.numbers(texts("-1.5", "1e300")).tolist() == [-1.5, 1e300]
    with pytest.raises(cells.BadCellError):
        cells.numbers(texts("1e400"))


@given(st.integers(0, 10**15))
def test_a_duration_of_three_decimals_is_exact_in_ns(ns: int) -> None:
    text = f"{ns // 1000}.{ns % 1000:03d}"
    assert cells.us_to_ns(cells.durations(texts(text))).tolist() == [ns]
