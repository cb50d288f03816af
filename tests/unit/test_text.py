from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_npuperf.text import clipped, columns, file_name, many, padded, printable, wrapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("busy_time 1.7 ms", "busy_time 1.7 ms"),
        ("卷积 µs é", "卷积 µs é"),
        ("wide\u3000and\u00a0narrow blanks", "wide\u3000and\u00a0narrow blanks"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("one\ntwo\r\tthree", "one\\ntwo\\r\\tthree"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u2028\u200b\u202e", "\\u2028\\u200b\\u202e"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
        ("\\x1b", "\\x1b"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected
    assert printable(expected) == expected


@given(st.text())
def test_what_comes_back_is_one_line_without_control_characters(text: str) -> None:
    found = printable(text)
    assert len(found.splitlines()) <= 1
    assert not {unicodedata.category(character) for character in found} & {"Cc", "Cf", "Cs"}


@pytest.mark.parametrize(
    ("number", "plural", "expected"),
    [
        (0, "", "0 rows"),
        (1, "", "1 row"),
        (2, "", "2 rows"),
        (1, "rows of all", "1 row"),
        (2, "rows of all", "2 rows of all"),
    ],
)
def test_one_thing_has_no_plural(number: int, plural: str, expected: str) -> None:
    assert many(number, "row", plural) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("resnet50_fp16.v1-x", "resnet50_fp16.v1-x"),
        ("a" * 80, "a" * 80),
        ("a" * 81, "a" * 80 + "-8c48280d"),
        ("tests/test_speed.py::test_it[1]", "tests_test_speed.py_test_it_1_-9c0621ce"),
        ("../up", "up-8c722b8a"),
        (".hidden", "hidden-16924190"),
        ("卷", "-ef4b2314"),
        ("\ud800", "-fb3d4358"),
        ("a\n", "a_-87428fc5"),
    ],
)
def test_a_name_becomes_one_of_a_file(name: str, expected: str) -> None:
    assert file_name(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("卷积", 4),
        ("\uff57", 2),
        ("ﾊ", 1),
        ("a\u20dd", 1),
    ],
)
def test_columns_of_a_terminal(text: str, expected: int) -> None:
    assert columns(text) == expected


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        ("abcdefgh", 8, "abcdefgh"),
        ("abcdefgh", 7, "ab...gh"),
        ("abcdefgh", 6, "a...gh"),
        ("abcdefgh", 4, "...h"),
        ("abcdefgh", 3, "..."),
        ("abcdefgh", 1, "."),
        ("abcdefgh", 0, ""),
        ("", 0, ""),
        ("卷积卷积", 8, "卷积卷积"),
        ("卷积卷积", 7, "卷...积"),
        ("卷积卷积", 6, "...积"),
        ("卷积卷积", 4, "..."),
    ],
)
def test_text_is_cut_in_its_middle(text: str, room: int, expected: str) -> None:
    assert clipped(text, room) == expected


@given(st.text(alphabet="ab卷\u0301"), st.integers(0, 30))
def test_text_that_is_cut_fits(text: str, room: int) -> None:
    assert columns(clipped(text, room)) <= room


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        ("", 10, []),
        ("   ", 10, []),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one  two\nthree", 80, ["one two three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh", 3, ["a", "bcd", "efg", "h"]),
        ("now add `steps = N`; it is", 15, ["now add", "`steps = N`; it", "is"]),
        ("a ` b", 3, ["a `", "b"]),
        ("卷积卷积", 5, ["卷积", "卷积"]),
        ("卷积", 1, ["卷积"]),
    ],
)
def test_long_text_is_broken_at_blanks(text: str, room: int, expected: list[str]) -> None:
    assert wrapped(text, room) == expected


@given(st.text(alphabet="ab 卷"), st.integers(2, 30))
def test_nothing_but_blanks_is_lost_and_every_line_fits(text: str, room: int) -> None:
    lines = wrapped(text, room)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(columns(line) <= room for line in lines)


def test_padding_counts_columns() -> None:
    assert padded("卷", 4) == "卷  "
    assert padded("卷", 4, right=True) == "  卷"
    assert padded("long", 2) == "long"
