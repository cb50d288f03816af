"""The pages are found: by the list of the first one, by the side bar, and by each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "example_project" / "README.md"]
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")


def text_of(page: Path) -> str:
    """Return a page without its blocks."""
    return re.sub(r"^```(?s:.*?)^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the names by which GitHub and the site know the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {each.replace(" ", "-") for each in words}


def test_every_page_is_listed_once() -> None:
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    listed = re.findall(r"^- \[.*?\]\((.*)\.md\)", INDEX, re.MULTILINE)
    assert sorted(listed) == sorted(pages)


def test_the_side_bar_has_the_same_order() -> None:
    headings = re.findall(r"^## (.*)$", INDEX, re.MULTILINE)
    lists = [re.findall(r"\]\((.*)\.md\)", part) for part in INDEX.split("\n## ")[1:]]
    bars = re.findall(r"^:caption: (.*)\n\n((?:[\w-]+\n)+)```$", INDEX, re.MULTILINE)
    assert [(caption, names.split()) for caption, names in bars] == list(
        zip(headings, lists, strict=True)
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", text_of(page)):
        if link.startswith("https:"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
