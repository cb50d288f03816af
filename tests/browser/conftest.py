"""Headless Chromium, and pages in it that note whatever they say or ask for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from full_cases import STARTED
from playwright.sync_api import Browser, Page, sync_playwright

from pytest_npuperf.model import CaseResult
from pytest_npuperf.report.html import page

REQUIRED = "NPUPERF_REQUIRE_CHROMIUM"
"""Set where the tests in a browser must not be skipped."""

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--no-first-run", "--disable-component-update", "--disable-sync"),
)


@dataclass
class Shown:
    """A page that is shown, with all that it has said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def texts(self, selector: str) -> list[str]:
        """Return the texts that are visible of elements."""
        found = self.page.locator(selector).all()
        return [each.inner_text() for each in found if each.is_visible()]


Show = Callable[..., Shown]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start Chromium once for all tests of a file."""
    chromium = shutil.which("chromium")
    if chromium is None and os.environ.get(REQUIRED):
        pytest.fail(f"there is no chromium, and {REQUIRED} is set; apt-get install chromium")
    if chromium is None:
        pytest.skip("there is no chromium; apt-get install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Return a function that shows the page of cases; options are those of a browser's context.

    Whatever a page has said on the console, or asked the network for, fails the test.
    """
    open_pages: list[Shown] = []

    def open_page(
        cases: Sequence[CaseResult], not_checked: Sequence[tuple[str, str]] = (), **options: Any
    ) -> Shown:
        file = tmp_path / "report.html"
        file.write_text(page(cases, not_checked, STARTED), encoding="utf-8")
        shown = Shown(browser.new_context(**options).new_page())
        shown.page.set_default_timeout(5000)
        shown.page.on("console", lambda message: shown.said.append(message.text))
        shown.page.on("pageerror", lambda error: shown.said.append(str(error)))
        shown.page.on("dialog", lambda dialog: shown.said.append(dialog.message))
        shown.page.on("request", lambda request: shown.asked.append(request.url))
        shown.page.goto(file.as_uri())
        open_pages.append(shown)
        return shown

    yield open_page
    for shown in open_pages:
        assert shown.said == []
        assert [url for url in shown.asked if not url.startswith(("file:", "data:"))] == []
        assert len([url for url in shown.asked if url.startswith("file:")]) == 1
        shown.page.context.close()
