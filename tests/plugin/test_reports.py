"""The reports of a whole run: Markdown, annotations and a JUnit file, whoever ran the tests."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

TESTS = """
import pytest

@pytest.mark.npuperf("resnet50")
def test_speed():
    pass

@pytest.mark.npuperf("inline", recording="resnet50", kernel_count=3)
def test_inline():
    pass
"""
ANNOTATIONS = [
    "::error file=models/test_it.py,title=npuperf FAILED"
    "::inline: kernel_count 4, limit 3 (+33.3 %25) [test_it.py::test_inline (marker)]",
    "::error file=models/pyproject.toml,line=4,title=npuperf FAILED"
    "::resnet50: kernel_time 120 us, limit 119 us (+0.8 %25) [pyproject.toml:4]",
    "::warning file=models/pyproject.toml,line=5,title=npuperf FAILED (warn)"
    "::resnet50: kernel_count 4, limit 3 (+33.3 %25) [pyproject.toml:5]",
]


@pytest.fixture
def failing(project: Project) -> Project:
    """Return a project of which one case fails, and one limit warns."""
    project.budget('kernel_time = "119 us"', 'kernel_count = { at_most = 3, on_fail = "warn" }')
    project.tests(TESTS)
    return project


def test_a_job_on_github(failing: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xdist")
    page = failing.path / "page.md"
    page.write_text("# What others said\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(failing.path.parent))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    result = failing.run("-n", "1", "--npuperf-markdown=out/report.md", "--junit-xml=junit.xml")
    assert result.ret == 1
    here = f"file={failing.path.name}/"  # the project is a folder of the repository
    found = [line for line in result.outlines if line.startswith("::")]
    assert [line.replace(here, "file=models/") for line in found] == ANNOTATIONS

    report = (failing.path / "out" / "report.md").read_text(encoding="utf-8")
    assert report.startswith("### npuperf: 2 failed, 1 over but only warned of in 2 cases\n")
    row = "**FAILED** | `resnet50` | `kernel_time` | 120 us | 119 us | +0.8 % | `pyproject.toml:4`"
    assert f"| {row} |" in report.splitlines()
    assert page.read_text(encoding="utf-8") == f"# What others said\n\n\n{report}"

    cases = {
        case.get("name"): case for case in ET.parse(failing.path / "junit.xml").iter("testcase")
    }
    properties = {p.get("name"): p.get("value") for p in cases["test_speed"].iter("property")}
    assert properties["npuperf.resnet50.kernel_time_ns"] == "120000"
    assert properties["npuperf.resnet50.kernel_time_ns.at_most"] == "119000"


def test_a_report_that_cannot_be_written_is_told_and_the_others_are_written(
    failing: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All pass, so that what was not written is all that fails.
    failing.tests("import pytest\n\n@pytest.mark.npuperf('fine')\ndef test_speed():\n    pass\n")
    failing.budget('kernel_time = "120 us"', name="fine")
    (failing.path / "folder").mkdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/dev/full")
    result = failing.run("--npuperf-markdown=folder", "--npuperf-json=results.json")
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    assert [line for line in result.outlines if ": the report was" in line] == [
        f"{failing.path}/folder: the report was not written: Is a directory",
        "/dev/full: the report was not added: No space left on device",
    ]
    result.stdout.no_fnmatch_line("::*")
    found = failing.read()
    assert (found["exit"], found["cases"][0]["verdict"]) == (1, "PASSED")
    (own,) = (failing.path / ".npuperf").glob("*/result.json")
    assert failing.read(str(own)) == found


def test_a_job_that_gates_nothing_says_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.tests("def test_plain():\n    pass\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "page.md"))
    assert project.run("--npuperf-markdown=report.md").ret == 0
    assert not (project.path / "page.md").exists()
    report = (project.path / "report.md").read_text(encoding="utf-8")
    assert report == "**npuperf**: no case was judged\n"
