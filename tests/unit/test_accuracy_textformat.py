"""The fields of protobuf text, their lines, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.accuracy.textformat import fields_of
from pytest_npuperf.errors import AccuracyError

PATH = Path("quant.cfg")

Fields = list[tuple[str, object, int]]


def fields(text: str) -> Fields:
    """Return each field as its name with those around it, its value and its line."""
    return [
        (".".join([*(each.name for each in field.within), field.name]), field.value, field.line)
        for field in fields_of(PATH, text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\t# nothing : 1\n", []),
        ("a:1", [("a", "1", 1)]),
        ("a : 1", [("a", "1", 1)]),
        ("\n\na\n:\n1\n", [("a", "1", 3)]),
        ("a: 1 b: -2.5e-3, c: true; d: PER_TENSOR", [
            ("a", "1", 1), ("b", "-2.5e-3", 1), ("c", "true", 1), ("d", "PER_TENSOR", 1)
        ]),
        ("a: 1\r\nb: .5\r\n", [("a", "1", 1), ("b", ".5", 2)]),
        ("## a: 1\n# b\na: 2 # c: 3\nb: 4", [("a", "2", 3), ("b", "4", 4)]),
        ("a: 1\na: 2", [("a", "1", 1), ("a", "2", 2)]),
        ("a: \"x # y\" b: 'z'", [("a", '"x # y"', 1), ("b", '"z"', 1)]),
        ('a: "x" # why\n\'y\' "z"\nb: 1', [("a", '"xyz"', 1), ("b", "1", 3)]),
        (r'a: "\"}" b: 1', [("a", r'"\"}"', 1), ("b", "1", 1)]),
        ('a: ["x", "y" \'z\']\nb: []\nc:[1,2]', [
            ("a", ('"x"', '"yz"'), 1), ("b", (), 2), ("c", ("1", "2"), 3)
        ]),
        ('a: [\n  "x", # first\n  "y"\n]\nb: 1', [("a", ('"x"', '"y"'), 1), ("b", "1", 5)]),
        ("a {} b: {} c < >", [("a", None, 1), ("b", None, 1), ("c", None, 1)]),
        ("a {\n b: {\n  c: 1\n }\n d: 2\n}\ne: 3", [
            ("a", None, 1), ("a.b", None, 2), ("a.b.c", "1", 3), ("a.d", "2", 5), ("e", "3", 7)
        ]),
        ("a: [{b: 1},\n{b: 2}]\nc: 3", [
            ("a", None, 1), ("a.b", "1", 1), ("a.b", "2", 2), ("c", "3", 3)
        ]),
        ("a [<b: 1>] c: 3", [("a", None, 1), ("a.b", "1", 1), ("c", "3", 1)]),
    ],
)  # fmt: skip
def test_text_is_read_into_its_fields(text: str, found: Fields) -> None:
    assert fields(text) == found


def test_two_messages_of_one_name_are_two() -> None:
    first, second = [field for field in fields_of(PATH, "a {b: 1} a {b: 2}") if field.within]

    assert first.within != second.within


def test_a_hundred_messages_one_in_another_are_read() -> None:
    assert len(fields("a {" * 100 + "}" * 100)) == 100


NEITHER = (
    'is neither JSON nor a simplified config of AMCT, whose lines are as "batch_num : 1"; '
    "mend the line, or name another file"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\n...\nb: 2", f'2: "..." {NEITHER}'),
        ("a: 1\nb 2", f'2: "b 2" {NEITHER}'),
        ("a: 1\nb:\n", f'2: "b:" {NEITHER}'),
        ("a: 1\nb: c: 2", f'2: ": 2" {NEITHER}'),
        ('a: "x\nb: 1', f'1: "a: "x" {NEITHER}'),
        ('a: ["x" 1]', f'1: "a: ["x" 1]" {NEITHER}'),
        ('a: ["x"\nb: 1', f'1: "a: ["x"" {NEITHER}'),
        ("a: [1,]", f'1: "a: [1,]" {NEITHER}'),
        ("\n[a.b]: 1", f'2: "[a.b]: 1" {NEITHER}'),
        ("import os\n", f'1: "import os" {NEITHER}'),
        ("a: 1\x00", f'1: "\\x00" {NEITHER}'),
        ("name,value\n", f'1: "name,value" {NEITHER}'),
        ("x" * 500, f'1: "{"x" * 18}...{"x" * 19}" {NEITHER}'),
        ("a {\n}\n}\n", '3: this "}" closes nothing; take it out'),
        ("a: 1 >", '1: this ">" closes nothing; take it out'),
        ("a {\n b: 1\n", '1: no "}" closes "a"; add it'),
        ("a {\n b <\n }\n}", '3: "}" where ">" is to close "b" of line 2; mend it'),
        ("a {\n b {\n }\n", '1: no "}" closes "a"; add it'),
        ("a: [{},\n{}", '2: no "]" closes the list "a" of line 1; add it'),
        ("a: [{}, b: 1", '1: no "]" closes the list "a" of line 1; add it'),
        ("a: [{", '1: no "}" closes "a"; add it'),
        ("a {\n}]", '2: no "[" opens a list before "a" of line 1; mend it'),
        ("a {}, {}", '1: no "[" opens a list before "a" of line 1; mend it'),
        (
            "\n" + "a {" * 100_000 + "}" * 100_000,
            "2: more than 100 messages one in another; make the file again",
        ),
    ],
)
def test_what_is_no_protobuf_text_is_refused(text: str, told: str) -> None:
    with pytest.raises(AccuracyError) as refused:
        fields(text)

    assert str(refused.value) == f"quant.cfg:{told}"
