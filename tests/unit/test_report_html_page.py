"""The whole page: what it may hold, that text stays text, its size, and its charts."""

from __future__ import annotations

import base64
import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from case_results import ALL, ERROR, LIVE, MIXED, NOT_CHECKED, RUNS, SKIPPED
from full_cases import CAUSES, HOSTILE, IMAGE, QUANTISED, STARTED, beside, full, hostile, ops

from pytest_npuperf.model import CaseResult, OpRow
from pytest_npuperf.report.html import page
from pytest_npuperf.report.html.changes import changes_of
from pytest_npuperf.report.html.charts import Chart, change_chart, steps_chart, work_chart
from pytest_npuperf.report.html.operators import work_of
from pytest_npuperf.report.html.sections import once, sections
from pytest_npuperf.report.html.steps import Line, Steps
from pytest_npuperf.report.html.svg import BAD, INK, WIDTH, Drawing, drawing

TAGS = {
    *("html", "head", "meta", "link", "title", "style", "body", "script"),
    *("header", "main", "section", "footer", "details", "summary", "div"),
    *("h1", "h2", "h3", "h4", "p", "b", "span", "small", "a", "ul", "li", "dl", "dt", "dd", "pre"),
    *("label", "input", "select", "option", "output"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("figure", "figcaption", "svg", "g", "path", "text"),
}


class Parsed(HTMLParser):
    """The elements of a page, and the text that is shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def made(cases: Sequence[CaseResult], not_checked: Sequence[tuple[str, str]] = ()) -> str:
    return page(cases, not_checked, STARTED)


EVERYTHING = [
    beside(full("vgg16", causes={"0": CAUSES})),
    full("vgg19", lanes=("0/0", "1/1")),
    *ALL,
]


# --- what is in it ----------------------------------------------------------------------------


def test_commands_name_the_file_of_the_settings() -> None:
    (new,) = RUNS["new"][0]
    cases = [*RUNS["better"][0], new, replace(new, case="bert")]
    text = " ".join(Parsed(page(cases, [], STARTED, "npuperf.toml")).shown)
    assert text.count("npuperf accept --config npuperf.toml --case") == 3
    assert "--config" not in made(cases)


def test_what_passes_only_by_the_wider_limit_in_force_is_told_at_the_top_and_with_its_case() -> (
    None
):
    cases, _ = RUNS["tolerated"]
    text = " ".join(Parsed(made(cases)).shown)
    said = "kernel_time 107 ms, +7.0 % from 100 ms (baseline), 5.0 % allowed, 9.5 % in force with"
    assert text.count(said) == 2
    assert f"worse, but not failed: a b: {said}" in text
    (section,) = sections(once(cases[:1]), 10)
    assert [(each.word, each.kind) for each in section.missed] == [("PASSED", "warned")]
    assert (section.is_open, section.others) == (True, "and 1 within budget")


def test_both_halves_of_a_quantised_model_are_told_whatever_became_of_them() -> None:
    findings = ("gained: Conv2D 60.0 us", f"rolled back: {IMAGE}")
    parsed = Parsed(made([beside(replace(QUANTISED, findings=findings))]))
    at = parsed.shown.index("quantised against float: int8 against old")
    told = " ".join(" ".join(parsed.shown[at:]).split())
    assert told.startswith(
        "quantised against float: int8 against old "
        "FAILED layer_accuracy broken 1, limit 0 (+1) "
        "PASSED speedup 1.40, limit >= 1.30 (+7.7 %) "
        f"gained: Conv2D 60.0 us rolled back: {IMAGE}"
    )
    assert "quantised against float" not in made([LIVE])


def test_a_page_says_at_its_top_what_came_of_the_run() -> None:
    shown = " ".join(" ".join(Parsed(made([LIVE])).shown).split())
    assert "PASSED: npuperf" in shown
    assert "npuperf PASSED 1 limit in 1 case within budget Limits" in shown
    assert "Run of 2026-01-31 12:00 UTC, pytest-npuperf " in shown
    assert "Next:" not in shown


def test_a_page_of_nothing() -> None:
    shown = " ".join(" ".join(Parsed(made([], NOT_CHECKED)).shown).split())
    assert "npuperf NOTHING JUDGED no case was judged Not checked ssd : no test uses" in shown
    assert r"unet\x1b[2J" in shown
    assert "<table" not in made([])


def test_the_next_action_is_not_said_twice() -> None:
    text = made([ERROR])
    assert text.count("mend what stopped bert") == 1
    assert made([ERROR, SKIPPED]).count('<p class="next">') == 2


def test_every_table_has_a_caption_and_every_heading_a_scope() -> None:
    parsed = Parsed(made(EVERYTHING))
    assert len(parsed.all("table")) == len(parsed.all("caption")) > 10
    assert {th["scope"] for th in parsed.all("th")} == {"col", "row"}
    for figure in parsed.all("svg"):
        assert figure["role"] == "img"
        assert figure["aria-label"]


def test_no_id_is_there_twice_and_every_link_leads_somewhere() -> None:
    parsed = Parsed(made(EVERYTHING))
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {f"#{found}" for found in ids} >= {link["href"] for link in parsed.all("a")}
    labelled = {attributes.get("id") for attributes in parsed.all("input") + parsed.all("select")}
    assert labelled == {"words", "verdict"}


def test_a_page_needs_nothing_but_itself() -> None:
    text = made(EVERYTHING)
    parsed = Parsed(text)
    assert not re.search(r"https?:|@import|url\(|xlink|src=", text)
    assert [link["href"] for link in parsed.all("link")] == ["data:,"]
    (policy,) = (meta["content"] for meta in parsed.all("meta") if "http-equiv" in meta)
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_the_same_results_make_the_same_page_whatever_their_order() -> None:
    text = made(EVERYTHING, NOT_CHECKED)
    assert text == made(EVERYTHING, NOT_CHECKED)
    assert text == made(EVERYTHING[::-1], NOT_CHECKED)


def test_tests_that_find_the_same_are_told_once() -> None:
    again = replace(MIXED, test="tests/test_more.py::test_it")
    text = made([MIXED, again])
    assert text.count("<tr>") == made([MIXED]).count("<tr>")
    assert "tests/test_more.py::test_it" in text


def test_cases_beyond_ten_are_counted() -> None:
    cases = [replace(LIVE, case=f"case{number:02}") for number in range(12)]
    assert "2 more cases are in the table of limits only." in made(cases)
    assert "1 more case is in the table of limits only." in made(cases[:11])
    assert made(cases).count('<details class="case"') == 10
    assert 'href="#case-10">case09</a>' in made(cases)
    assert "<td>case10</td>" in made(cases)


# --- text stays text --------------------------------------------------------------------------


def test_whatever_comes_from_outside_stays_text() -> None:
    text = made(hostile(), [(name, name) for name in HOSTILE])
    parsed = Parsed(text)
    assert {tag for tag, _ in parsed.elements} <= TAGS
    names = {name for _, attributes in parsed.elements for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert len(parsed.all("script")) == 1
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    shown = "".join(parsed.shown)
    for name in HOSTILE[:-1]:
        assert shown.count(name) > 20
    assert shown.count(r"\x1b[31m\u202eturned") > 20


def test_an_op_called_like_an_element_is_shown_as_it_is_called() -> None:
    text = made([full(longest=[replace(ops(1)[0], name=IMAGE)])])
    assert f'<th scope="row">{IMAGE.replace("<", "&lt;").replace(">", "&gt;")}</th>' in text


# --- size -------------------------------------------------------------------------------------


def test_a_thousand_ops_make_a_page_far_below_three_megabytes() -> None:
    rows = [
        OpRow(f"Type{n}" + "x" * 60, "AI_CORE", 1, 10_000 - n, "1,3,224,224" * 9)
        for n in range(1000)
    ]
    causes = tuple(
        replace(CAUSES[1], type=row.type, shapes=row.shapes, total=90_000 + n)
        for n, row in enumerate(rows)
    )
    longest = [replace(op, name=op.name + "y" * 200) for op in ops(1000)]
    steps = [range(1_500_000, 1_501_000)] * 10
    case = full(rows=rows, longest=longest, steps=steps, causes={"0": causes})
    assert len(made([case]).encode()) < 150_000


# --- charts -----------------------------------------------------------------------------------


def test_a_drawing_has_text_and_the_colours_of_the_page() -> None:
    with drawing():
        sketch = Drawing(20)
        sketch.bar(10, 50, 10, 14, INK)
        sketch.lines([((0, 1), (2, 3)), ((4, 5), (6, 7))], BAD, dashed=True)
        sketch.lines([], BAD)
        sketch.text(5, 10, "$x^2$ <b> 卷 #000001\x1b", end=True)
        svg = sketch.as_svg('said "so"\x1b')
    root = ElementTree.fromstring(svg)
    assert root.attrib == {
        "viewBox": f"0 0 {WIDTH} 20",
        "role": "img",
        "aria-label": 'said "so"\\x1b',
    }
    bar, lines = root.iter("path")
    assert bar.attrib == {
        "d": "M 10 3 L 50 3 L 50 17 L 10 17 L 10 3",
        "style": "fill: var(--ink)",
    }
    assert lines.attrib["d"] == "M 0 1 L 2 3 M 4 5 L 6 7"
    assert "stroke: var(--bad)" in lines.attrib["style"]
    assert "stroke-dasharray: 4,3" in lines.attrib["style"]
    (text,) = root.iter("text")
    assert text.text == r"$x^2$ <b> 卷 #000001\x1b"
    assert {*text.attrib.pop("style").split("; ")} == {"text-anchor: end", "fill: var(--ink)"}
    assert text.attrib == {"x": "5", "y": "14"}


def test_settings_of_the_user_neither_matter_nor_change() -> None:
    import matplotlib  # which our own module has imported, whatever it has to say

    case = full()
    expected = made([case])
    with matplotlib.rc_context({"text.usetex": True, "path.sketch": (9, 9, 9), "font.size": 40}):
        before = dict(matplotlib.rcParams)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert made([case]) == expected
        assert dict(matplotlib.rcParams) == before


def words(chart: Chart) -> str:
    return ElementTree.fromstring(chart.svg).attrib["aria-label"]


def test_a_chart_says_in_words_what_it_shows() -> None:
    (change, _) = changes_of(full(causes={"0": CAUSES}))
    steps = Steps([[1_500_000] * 3], [Line("p95 ≤ 1.60 ms", Fraction(1_600_000), True)])
    with drawing():
        work = work_chart(work_of([full().rounds[0].lanes["0"]]), "")
        charts = [work, change_chart(change), steps_chart(steps)]
    assert [words(chart) for chart in charts] == [
        "By core: AI_CORE 1.00 ms, HCCL 500 us, AI_CPU 300 us, AI_VECTOR_CORE 100 us, "
        "(no core) 5.00 us. By op type: Conv2D 1.00 ms, hcom_allReduce_ 500 us, Cast 400 us, "
        "(no type) 5.00 us.",
        "kernel_time changed by +30.0 us: Cast to AI_CPU +40.0 us, Conv2D slower +10.0 us, "
        "Add faster -20.0 us",
        "3 steps, 1.50 ms to 1.50 ms, median 1.50 ms; p95 ≤ 1.60 ms",
    ]


def marks(svg: str) -> list[str]:
    """Return the marks of steps: one path, drawn in the colour of a series."""
    (path,) = re.findall(r'd="([^"]*)" style="[^"]*--series-1', svg)
    return re.findall("M [^M]*", path)


@pytest.mark.parametrize(("steps", "expected"), [(1, 1), (240, 240), (241, 121), (100_000, 240)])
def test_many_steps_share_marks(steps: int, expected: int) -> None:
    with drawing():
        chart = steps_chart(Steps([range(1000, 1000 + steps)], []))
    assert len(marks(chart.svg)) == expected
    assert len(chart.svg) < 20_000


def test_texts_beside_a_chart_do_not_overlap() -> None:
    lines = [Line(f"p{n}", Fraction(1_000_000 + n), True) for n in range(3)]
    with drawing():
        chart = steps_chart(Steps([[1_000_000, 2_000_000], [1_500_000]], lines))
    texts = ElementTree.fromstring(chart.svg).iter("text")
    heights = {text.text: float(text.attrib["y"]) for text in texts}
    assert [heights[f"p{n}"] - heights[f"p{n - 1}"] for n in (2, 1)] == [-15, -15]


def test_op_types_beyond_twelve_have_one_bar_together() -> None:
    rows = [OpRow(f"T{n:02}", "AI_CORE", 1, 1000) for n in range(14)]
    with drawing():
        chart = work_chart(work_of([full(rows=rows).rounds[0].lanes["0"]]), "")
    assert words(chart).endswith("T11 1.00 us, 2 more 2.00 us.")
    nothing = [OpRow("Add", "AI_CORE", 1, 0)]
    with drawing():
        assert "Add 0 ns" in work_chart(work_of([full(rows=nothing).rounds[0].lanes["0"]]), "").svg


def test_every_colour_can_be_read_on_its_page() -> None:
    style = re.findall("<style>(.*?)</style>", made([LIVE]), re.DOTALL)[0]
    light, dark, printed = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    for block in (light, dark, printed):
        colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))
        assert len(colours) == 15
        for name, colour in colours.items():
            if name not in ("page", "panel", "line"):
                least = 3 if name.startswith("series") else 4.5  # as WCAG 2.2 wants
                for ground in ("page", "panel"):
                    assert contrast(colour, colours[ground]) >= least, (name, ground)


def contrast(one: str, other: str) -> float:
    light, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
