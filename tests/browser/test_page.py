"""The page in a real browser: silent, offline, for mouse and keyboard, in the dark, on paper."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from case_results import ERROR, LIVE, MIXED
from full_cases import CAUSES, HOSTILE, IMAGE, beside, full, hostile
from playwright.sync_api import Page, expect

if TYPE_CHECKING:
    from tests.browser.conftest import Show

pytestmark = pytest.mark.browser

FULL = [beside(full(causes={"0": CAUSES})), full("bert", lanes=("0/0", "1/1")), MIXED, LIVE]
PHONE, PAPER = {"width": 400, "height": 800}, {"width": 680, "height": 900}


def column(page: Page, table: str, number: int) -> list[str]:
    """Return the texts of a column, as they stand."""
    return page.locator(f"table.{table} tbody tr > :nth-child({number})").all_inner_texts()


# --- text stays text --------------------------------------------------------------------------


def test_what_looks_like_an_element_stays_text(show: Show) -> None:
    shown = show(hostile(), [(name, name) for name in HOSTILE])
    page = shown.page
    assert page.locator("img, iframe, object").count() == 0
    assert page.locator("script").count() == 1
    assert page.get_by_text(IMAGE, exact=True).count() > 20
    (case,) = (each for each in page.locator("details").all() if IMAGE in each.inner_text()[:40])
    assert column(case.page, "longest", 1)[0] == r"\x1b[31m\u202eturned"
    assert f"{IMAGE}\n{IMAGE}" in case.locator("pre").inner_text()
    assert case.locator("svg text").filter(has_text="<img").count() > 2


# --- sorting ----------------------------------------------------------------------------------


def test_a_table_is_sorted_by_mouse(show: Show) -> None:
    page = show(FULL).page
    as_it_came = column(page, "limits", 3)
    now = page.get_by_role("columnheader", name="now").first
    button = page.locator("table.limits").get_by_role("button", name="now")
    button.click()
    expect(now).to_have_attribute("aria-sort", "descending")
    values = column(page, "limits", 4)
    assert values[0] == "2.11 ms"
    assert values[-1] == "-"  # what was not measured is last
    button.click()
    expect(now).to_have_attribute("aria-sort", "ascending")
    values = column(page, "limits", 4)
    assert (values[0], values[-1]) == ("1", "-")
    page.locator("table.limits").get_by_role("button", name="verdict").click()
    assert column(page, "limits", 3) == as_it_came
    assert page.locator("table.limits [aria-sort]").count() == 1


def test_a_table_is_sorted_by_keyboard(show: Show) -> None:
    page = show([full()]).page
    page.locator("table.longest").get_by_role("button", name="longest run").focus()
    page.keyboard.press("Shift+Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "op"
    assert focused.evaluate("element => getComputedStyle(element).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    # Numbers within names are compared as numbers.
    assert column(page, "longest", 1)[:3] == ["block0/conv", "block1/conv", "block2/conv"]
    page.keyboard.press("Space")
    assert column(page, "longest", 1)[0] == "block49/conv"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert column(page, "longest", 2)[0] == "60.0 us"


# --- filtering --------------------------------------------------------------------------------


def test_limits_are_filtered_by_words_and_by_verdict(show: Show) -> None:
    shown = show(FULL)
    page, rows = shown.page, "table.limits tbody tr"
    every = len(shown.texts(rows))
    expect(page.locator("output")).to_have_text(f"{every} of {every}")
    page.get_by_label("by words").fill("STEP_TIME resnet50")
    assert sorted(text.partition("\n")[0] for text in shown.texts(f"{rows} th")) == [
        *("step_time p50", "step_time p95", "step_time p95", "step_time p99")
    ]
    page.get_by_label("by verdict").select_option("FAILED (warn)")
    assert len(shown.texts(rows)) == 1
    expect(page.locator("output")).to_have_text(f"1 of {every}")
    page.get_by_label("by words").fill("no such thing")
    assert shown.texts(rows) == []


def test_filters_and_sorting_by_keyboard_go_together(show: Show) -> None:
    shown = show(FULL)
    page = shown.page
    page.locator("body").press("Tab")
    assert page.locator(":focus").get_attribute("id") == "words"
    page.keyboard.type("bert")
    page.keyboard.press("Tab")
    page.keyboard.press("F")
    assert page.get_by_label("by verdict").input_value() == "FAILED"
    page.locator("table.limits").get_by_role("button", name="now").press("Enter")
    assert len(shown.texts("table.limits tbody tr")) == 1


# --- reading ----------------------------------------------------------------------------------


def test_a_link_opens_the_case_that_it_leads_to(show: Show) -> None:
    page = show(FULL).page
    passed = page.locator("details", has=page.get_by_role("heading", name="llama"))
    assert passed.get_attribute("open") is None
    page.locator("table.limits").get_by_role("link", name="llama").click()
    expect(passed).to_have_attribute("open", "")
    assert page.locator("details[open]").count() == len(FULL)


def test_charts_are_read_to_who_does_not_see_them(show: Show) -> None:
    page = show(FULL[:1]).page
    assert page.get_by_role("img", name="kernel_time changed by +30.0 us: Cast to AI_CPU").count()
    assert page.get_by_role("img", name="3 steps, 1.50 ms to 1.60 ms").count()
    assert page.get_by_role("img", name="By core: AI_CORE 1.00 ms").count()
    assert page.get_by_role("table", name="Op types by time").count() == 1
    assert page.get_by_role("rowheader", name="Conv2D").count()


def test_in_the_dark_colours_change(show: Show) -> None:
    def colours(scheme: str) -> list[str]:
        page = show(FULL[:1], color_scheme=scheme).page
        of = "(element, name) => getComputedStyle(element)[name]"
        bar = page.locator("svg path[style^='fill: var(--series-1)']").first
        return [
            page.locator("body").evaluate(of, "background-color"),
            page.locator("body").evaluate(of, "color"),
            page.locator("svg text").first.evaluate(of, "fill"),
            bar.evaluate(of, "fill"),
        ]

    light, dark = colours("light"), colours("dark")
    assert light[0] == "rgb(255, 255, 255)"
    assert light[1] == light[2]
    assert dark[1] == dark[2]
    assert [pair for pair in zip(light, dark, strict=True) if len({*pair}) == 1] == []


@pytest.mark.parametrize("cases", [FULL, hostile(), [ERROR]], ids=["full", "hostile", "error"])
def test_a_phone_shows_the_page_in_its_width(show: Show, cases: list[object]) -> None:
    page = show(cases, viewport=PHONE).page
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    # All that a limit says is in sight without scrolling its table aside.
    ends = page.locator("table.limits tr > *").evaluate_all(
        "cells => cells.map(cell => cell.getBoundingClientRect().right)"
    )
    assert 0 < max(ends) <= PHONE["width"]


def test_without_scripts_the_page_is_read_all_the_same(show: Show) -> None:
    page = show(FULL, java_script_enabled=False).page
    assert page.locator("table.limits tbody tr").first.is_visible()
    assert not page.get_by_label("by words").is_visible()
    assert page.get_by_role("button").count() == 0


# --- paper ------------------------------------------------------------------------------------

CUT = """() => [...document.querySelectorAll("main *")].filter((element) => {
    const box = element.getBoundingClientRect();
    const hides = getComputedStyle(element).overflow !== "visible";
    const scrolls = element.scrollWidth > element.clientWidth + 1
        || element.scrollHeight > element.clientHeight + 1;
    return box.right > document.documentElement.clientWidth + 1 || (hides && scrolls);
}).map((element) => `${element.tagName}.${element.className}`)"""


@pytest.mark.parametrize("cases", [FULL, hostile()], ids=["full", "hostile"])
def test_on_paper_nothing_is_cut(show: Show, cases: list[object]) -> None:
    page = show(cases, viewport=PAPER, color_scheme="dark").page
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.evaluate(CUT) == []
    assert not page.get_by_label("by words").is_visible()
    of = "element => getComputedStyle(element).backgroundColor"
    assert page.locator("body").evaluate(of) == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() == sum(case is LIVE for case in cases)


def test_a_page_is_printed_with_all_its_cases(show: Show) -> None:
    page = show([replace(LIVE, case=f"case{number}") for number in range(3)]).page
    page.evaluate("""() => addEventListener("beforeprint", () => {
        document.title = document.querySelectorAll("details[open]").length;
    })""")
    assert page.pdf().startswith(b"%PDF-")
    assert page.title() == "3"
    assert page.locator("details[open]").count() == 0
