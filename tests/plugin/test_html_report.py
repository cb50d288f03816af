"""The page of a whole run: whoever ran the tests, and whatever gets in its way."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

# A run of pytest inside pytest forgets what it imported, and numpy cannot be imported twice.
import pytest_npuperf.report.html  # noqa: F401
from pytest_npuperf.plugin import options

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

PAGE = "--npuperf-html=out/report.html"


@pytest.fixture
def passing(project: Project) -> Project:
    """Return a project in which everything passes."""
    project.budget('kernel_time = "120 us"')
    project.tests()
    return project


def test_the_page_lists_the_longest_ops_though_nothing_failed(passing: Project) -> None:
    pytest.importorskip("xdist")
    result = passing.run("-n", "1", PAGE)
    assert result.ret == 0
    page = (passing.path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>\n")
    assert "1 limit in 1 case within budget" in page
    assert "<caption>The longest 2 ops</caption>" in page
    assert 'data-v="120000">120 us</td>' in page


def test_without_a_page_no_ops_are_looked_for_and_nothing_is_imported(passing: Project) -> None:
    conftest = """
        import sys

        def pytest_sessionfinish():
            assert not {"jinja2", "markupsafe", "matplotlib"} & set(sys.modules)
            print("looked", file=sys.stderr)
    """
    passing.pytester.makeconftest(conftest)
    result = passing.start("--npuperf-json=results.json")
    assert result.ret == 0, result.stdout.str()
    result.stderr.fnmatch_lines(["looked"])
    assert "longest" not in passing.read()["cases"][0]["rounds"][0]["0"]


def test_what_fails_names_the_same_ops_with_a_page_as_without(project: Project) -> None:
    project.budget('kernel_time = "119 us"')
    project.settings('[[tool.npuperf.budgets.resnet50.ops]]\ntype = "Cast"\nmax = "5 us"')
    project.tests()
    with_page, without = (project.run(*args).outlines for args in ((PAGE,), ()))
    told = [line for line in without if "longest:" in line or "most time:" in line]
    assert told
    assert [line for line in with_page if line in told] == told


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ({"jinja2"}, "jinja2"),
        ({"matplotlib"}, "matplotlib"),
        ({"jinja2", "matplotlib"}, "jinja2 and matplotlib"),
    ],
)
def test_without_the_extra_a_line_says_so_before_any_test_runs(
    passing: Project, monkeypatch: pytest.MonkeyPatch, missing: set[str], named: str
) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None if name in missing else name)
    (passing.path / "out").mkdir()
    (passing.path / "out" / "report.html").write_text("of an earlier run", encoding="utf-8")
    result = passing.run(PAGE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [
        f"ERROR: --npuperf-html needs {named}: pip install 'pytest-npuperf[html]'",
        "",
    ]
    assert not (passing.path / "out" / "report.html").exists()
    assert passing.run().ret == 0


def test_a_page_that_cannot_be_written_changes_no_result(passing: Project) -> None:
    (passing.path / "folder").mkdir()
    result = passing.run("--npuperf-html=folder", "--npuperf-markdown=report.md")
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert [line for line in result.outlines if "report was" in line] == [
        f"{passing.path}/folder: the report was not written: Is a directory"
    ]
    assert (passing.path / "report.md").exists()
    assert list((passing.path / "folder").iterdir()) == []


def test_a_page_for_which_there_is_no_room_is_no_half_page(passing: Project) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        result = passing.run(PAGE, "--npuperf-json=results.json")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert [line for line in result.outlines if "report was" in line] == [
        f"{passing.path}/out/report.html: the report was not written: File too large"
    ]
    assert list((passing.path / "out").iterdir()) == []
    found = passing.read()
    assert (found["exit"], found["cases"][0]["verdict"]) == (1, "PASSED")


def test_a_library_that_trips_over_something_is_told_in_a_line(
    passing: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*anything: object) -> None:
        raise ValueError("no such font")

    monkeypatch.setattr("pytest_npuperf.report.html.page", broken)
    result = passing.run(PAGE)
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert result.outlines.count(
        "--npuperf-html: the page could not be made: ValueError: no such font"
    )
    assert not (passing.path / "out").exists()


def test_a_run_that_only_collects_keeps_the_page(passing: Project) -> None:
    (passing.path / "out").mkdir()
    page = passing.path / "out" / "report.html"
    page.write_text("of an earlier run", encoding="utf-8")
    assert passing.run(PAGE, "--collect-only").ret == 0
    assert page.read_text(encoding="utf-8") == "of an earlier run"
