"""The report in Markdown: whole texts, and what is rendered of names that are made to break it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from case_results import (
    ALL,
    AT_MOST,
    ERROR,
    LIVE,
    MANY,
    NOT_CHECKED,
    PASSING,
    RUNS,
    SLOWER,
    limit,
    result,
)
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pytest_npuperf.model import Limit, Verdict
from pytest_npuperf.report import markdown
from pytest_npuperf.report.markup import LONGEST, code, fenced, prose, table
from pytest_npuperf.units import Dimension

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("name", RUNS)
def test_the_whole_report(name: str) -> None:
    expected = (GOLDEN / f"markdown-{name}.md").read_text(encoding="utf-8")
    assert markdown(*RUNS[name]) == expected


def test_it_is_short_when_all_passed() -> None:
    assert markdown([LIVE], []) == "**npuperf**: 1 limit in 1 case within budget\n"
    assert markdown([], []) == "**npuperf**: no case was judged\n"
    assert markdown([], NOT_CHECKED[:1]) == (
        "**npuperf**: no case was judged\n\n- not checked: `ssd`: no test uses this budget\n"
    )


def test_the_order_of_the_tests_changes_nothing() -> None:
    assert markdown(ALL, NOT_CHECKED) == markdown(ALL[::-1], NOT_CHECKED)


@pytest.mark.parametrize(
    ("rows", "rest"),
    [(50, []), (51, ["and 1 row more; `--npuperf-json` has them all"])],
)
def test_rows_beyond_fifty_are_counted(rows: int, rest: list[str]) -> None:
    cases = [result(f"c{number}", {AT_MOST: 1_700_001}) for number in range(rows)]
    lines = markdown(cases, []).splitlines()
    assert sum(line.startswith("| **FAILED**") for line in lines) == 50
    assert [line for line in lines if line.startswith("and ")] == rest


def test_a_case_that_fails_is_told_in_full_five_times_and_once_for_all_its_tests() -> None:
    twice = [replace(case, test=f"test_{number}") for case in MANY[1:8] for number in range(2)]
    text = markdown(twice, [])
    assert re.findall("<summary><code>(.*)</code>", text) == [f"case{n:02}" for n in range(1, 6)]
    assert text.count("<details open>") == 1
    assert text.index("<details open>") < text.index("<code>case01</code>")


def test_the_causes_of_a_change_are_told_though_it_only_warns() -> None:
    warned = replace(SLOWER, verdict=Verdict.PASSED, blocks=False)
    assert "\n  kernel_time changed by +20.0 ms, of it:\n" in markdown([warned], [])
    assert "<details" not in markdown([replace(warned, causes={})], [])


def test_a_long_log_is_cut() -> None:
    log = "\n".join(f"line {number}" for number in range(100))
    text = markdown([replace(ERROR, reason=f"main ended with status 3\n{log}")], [])
    assert "  line 37\n" in text
    assert "line 39" not in text
    assert "\nand 62 lines more\n```" in text


def test_however_much_failed_it_fits_a_comment_on_github() -> None:
    many = [
        result(f"a rather long name of a case [{number}]{'x' * 80}", {_named("x" * 80): 2})
        for number in range(1000)
    ]
    assert len(markdown(many, [(case.case, "its test failed") for case in many])) < 65_536


# --- names that are made to break it -----------------------------------------------------------

HOSTILE = [
    "a | b",
    "`a` ``b",
    "`",
    "<img src=x onerror=alert(1)>",
    "</code></summary></details><script>",
    "one\n\n# two\r- three",
    "@octocat and #1 and octo@example.com",
    "https://example.com www.example.com",
    "[text](https://example.com) ![x](y)",
    "**bold** _it_ ~~gone~~ $x$ :smile: &lt; \\| \\",
    "\x1b[31m\u202e",
    "| --- |",
]
RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")
TAGS = {*("table", "thead", "tbody", "tr", "th", "td"), *("h3", "strong", "br", "ul", "li", "p")}
TAGS |= {"details", "summary", "pre"}
_CODE = re.compile("<code[^>]*>(.*?)</code>", re.DOTALL)


def _named(name: str) -> Limit:
    return limit("ops", Dimension.COUNT, "count", select={"name": (name,)}, at_most=1, where=name)


def told(text: str) -> str:
    """Return what is rendered beside code, in which nothing is looked for."""
    return _CODE.sub("", RENDERER.render(text))


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_text(name: str) -> None:
    case = result(name, {_named(name): 2})
    (judged,) = case.limits
    odd = replace(case, test=name, limits=(replace(judged, remark=name, lane=name),))
    error = replace(ERROR, case=name, test=name, reason=name)
    text = markdown([odd, error, replace(PASSING, case=name)], [(name, name)])
    rest = told(text)
    assert set(re.findall(r"</?(\w+)", rest)) <= TAGS
    assert not re.search(r"[@#$|`\\\[*_~\x1b\u202e]|//|www|&lt;|:smile|onerror", rest)
    assert rest.count("<tr>") == 1 + 2
    assert len(re.findall("</?details", rest)) == 2 * 2


@given(st.text("`|\\ <>&*_[]()!@#~$a1卷", min_size=1, max_size=40).filter(str.strip))
@example("`")
@example("``` `")
@example("\\|")
@example("|\\")
@example("\\\\||")
@example(" a ")
def test_code_in_a_table_is_rendered_as_the_text_that_it_was(text: str) -> None:
    rendered = RENDERER.render("\n".join(table(["x"], [[code(text)]])))
    assert [html.unescape(found) for found in _CODE.findall(rendered)] == [text]
    assert rendered.count("<td>") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (
            "it isn't measured, on 2026-01-31 (at all).",
            "it isn't measured, on 2026-01-31 (at all).",
        ),
        ("+0.6 % of >= 80.0 %; = 0: -", "+0.6 % of >= 80.0 %; = 0: -"),
        ("the op_name of <b> x: y", "the `op_name` of `<b>` x: y"),
        ("of a_b, <b>: c", "of `a_b, <b>`: c"),
        ("a ` b", "a `` ` `` b"),
        ("see www.x.org, https://x", "see `www.x.org, https://x`"),
        ("@a", "`@a`"),
        ("::", "::"),
        ("two\nlines", r"`two\nlines`"),
    ],
)
def test_plain_words_are_not_code(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_long_text_is_cut() -> None:
    assert code("x" * (LONGEST + 1)) == f"`{'x' * 148}...{'x' * 149}`"
    assert len(prose("word " * LONGEST)) <= LONGEST + len("``")
    assert fenced(["x" * (LONGEST + 1)])[1] == f"{'x' * 148}...{'x' * 149}"


def test_a_block_ends_where_it_should() -> None:
    assert fenced(["a", "```", "````"]) == ["`````text", "a", "```", "````", "`````"]
    assert code("") == ""


def test_every_verdict_is_in_a_whole_report() -> None:
    cases = [case for cases, _ in RUNS.values() for case in cases]
    found = {judged.verdict for case in cases for judged in case.limits}
    assert found | {case.verdict for case in cases} == set(Verdict)


def test_a_long_name_is_cut_in_the_heading_too() -> None:
    text = markdown([replace(SLOWER, case="x" * 3000)], [])
    assert f"<summary><code>{'x' * 48}...{'x' * 49}</code></summary>" in text
    assert "x" * 400 not in text


def test_what_is_tolerated_is_told_where_all_passed() -> None:
    text = markdown(RUNS["tolerated"][0], [])
    assert "- `worse, but not failed: a b: kernel_time 107 ms, +7.0 % from 100 ms" in text


def test_the_file_of_the_settings_is_repeated_where_one_was_given() -> None:
    text = markdown([*RUNS["better"][0], *RUNS["new"][0]], [], "npuperf.toml")
    assert text.count("npuperf accept --config npuperf.toml --case") == 2
