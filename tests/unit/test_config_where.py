from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_npuperf.config.where import KeyPath, line_of, statement_lines

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NASTY = '''# [not.a.table]
[tool.npuperf]  # a = 1
mode = "auto"
dotted.deep."quoted.key" = 1
'literal' = "# ] }"
array = [
    "]",  # ]
    [1, 2],
    { x = 1 },
]  # the end,
text = """
[also.not.a.table]
key = 1
"""
after = 1

[[tool.npuperf.budgets.resnet50.ops]]
type = "Conv2D"
max = "60 us"

   [[ tool . npuperf . budgets . "resnet50" . ops ]]
  count=0
pmu.aic.at_least = 0.8
[tool.npuperf.budgets.resnet50.ops.sub]
inner = 1
[[tool.npuperf.budgets.resnet50.ops.nested]]
x = 1
[[tool.npuperf.budgets.resnet50.ops.nested]]
x = 2
[[tool.npuperf.budgets.resnet50.ops]]
[[tool.npuperf.budgets.resnet50.ops.nested]]
x = 3
[tool.npuperf.budgets.yolov8]
step_time = { p50 = "1 ms", p95 = { at_most = "2 ms" } }
[tool.npuperf.budgets.yolov8.on."Ascend910B*"]
literal = \'\'\'
]]\'\'\'
'''

OPS: KeyPath = ("tool", "npuperf", "budgets", "resnet50", "ops")
YOLO: KeyPath = ("tool", "npuperf", "budgets", "yolov8")

WHERE: list[tuple[KeyPath, int | None]] = [
    (("tool",), 2),
    (("tool", "npuperf"), 2),
    (("tool", "npuperf", "mode"), 3),
    (("tool", "npuperf", "dotted"), 4),
    (("tool", "npuperf", "dotted", "deep", "quoted.key"), 4),
    (("tool", "npuperf", "literal"), 5),
    (("tool", "npuperf", "array"), 6),
    (("tool", "npuperf", "array", 2, "x"), 6),
    (("tool", "npuperf", "text"), 11),
    (("tool", "npuperf", "after"), 15),
    (("tool", "npuperf", "budgets"), 17),
    (OPS, 17),
    ((*OPS, 0), 17),
    ((*OPS, 0, "type"), 18),
    ((*OPS, 0, "max"), 19),
    ((*OPS, 1), 21),
    ((*OPS, 1, "count"), 22),
    ((*OPS, 1, "pmu", "aic", "at_least"), 23),
    ((*OPS, 1, "sub", "inner"), 25),
    ((*OPS, 1, "nested", 0, "x"), 27),
    ((*OPS, 1, "nested", 1, "x"), 29),
    ((*OPS, 2), 30),
    ((*OPS, 2, "nested", 0, "x"), 32),
    (YOLO, 33),
    ((*YOLO, "step_time"), 34),
    ((*YOLO, "step_time", "p95", "at_most"), 34),
    ((*YOLO, "on", "Ascend910B*"), 35),
    ((*YOLO, "on", "Ascend910B*", "literal"), 36),
    ((*YOLO, "rounds"), 33),
    (("tool", "npuperf", "budgets", "other"), 17),
    (("project",), None),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("path", "line"), WHERE)
def test_the_line_of_each_key(path: KeyPath, line: int | None, newline: str) -> None:
    text = NASTY.replace("\n", newline)
    tomllib.loads(text)

    assert line_of(path, statement_lines(text)) == line


def test_nothing_is_said_in_an_empty_file() -> None:
    assert statement_lines("") == {}
    assert statement_lines("\n# only a comment\n\t\n") == {}


def test_a_last_line_needs_no_end() -> None:
    assert statement_lines("[a]\nb = 1") == {("a",): 1, ("a", "b"): 2}


def test_characters_that_end_lines_elsewhere_do_not_in_toml() -> None:
    assert statement_lines('a = "\u2028\u0085"\nb = 1') == {("a",): 1, ("b",): 2}


def test_a_long_array_is_not_parsed_again_for_each_of_its_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = 0
    loads = tomllib.loads

    def counted(text: str) -> dict[str, object]:
        nonlocal attempts
        attempts += 1
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    rows = '    { name = "x", extras = ["y"] },\n' * 500

    assert statement_lines(f"before = 1\nrows = [\n{rows}]\nafter = 2\n")["after",] == 504
    assert attempts < 20


FRAGMENTS = [
    "",
    "  \t",
    "# [comment] = {",
    "k@ = 1",
    "k@.dotted.'lit.eral' = true",
    '"q@ #" = "# not a comment"',
    "k@ = [\n  1, # ],\n\n  [2],\n]",
    'k@ = """\n[x]\ny = 1\\\n  """',
    "k@ = '''\n]]\n}'''",
    "k@ = { a = 1, b = { c = [\n1,\n] } }",
    "[t@]",
    "  [t@ . 'u v'] # [t]",
    "[[rows]]",
    "[[rows.inner]]",
    "[rows.t@]",
    "[[ 'other' . \"list\" ]]",
]
"""Statements, good and odd; @ makes their names unique."""


def _holds(document: Any, path: KeyPath) -> bool:
    try:
        for key in path:
            document = document[key]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _parsed(rows: list[str]) -> object | None:
    try:
        return tomllib.loads("\n".join(rows))
    except tomllib.TOMLDecodeError:
        return None


@settings(derandomize=True, max_examples=150)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12))
def test_a_key_is_not_there_before_its_line_and_is_there_with_its_statement(
    fragments: list[str],
) -> None:
    text = "\n".join(part.replace("@", str(index)) for index, part in enumerate(fragments))
    rows = text.split("\n")
    assume(_parsed(rows) is not None)

    for path, line in statement_lines(text).items():
        prefixes = (_parsed(rows[:end]) for end in range(line, len(rows) + 1))
        with_statement = next(found for found in prefixes if found is not None)

        assert not _holds(_parsed(rows[: line - 1]), path)
        assert _holds(with_statement, path)
