"""The header and the summary, and when they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

ALL_WELL = "npuperf: 1 limit in 1 case within budget, 1 replayed (recorded 2026-07-16)"


def told(result: pytest.RunResult) -> list[str]:
    """Return what stands below the heading of the summary."""
    heads = [i for i, line in enumerate(result.outlines) if line.strip("= ") == "npuperf"]
    if not heads:
        return []
    lines = result.outlines[heads[0] + 1 :]
    end = next(i for i, line in enumerate(lines) if line.startswith("="))
    return [line for line in lines[:end] if line]


def test_the_header(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.budget('kernel_time = "120 us"', name="other")
    project.tests()
    header = "npuperf: mode auto, no msprof, no NPU, 2 budgets in pyproject.toml"
    assert header in project.run("--npuperf-mode=auto").outlines
    assert (
        "npuperf: mode replay, 2 budgets in pyproject.toml"
        in project.run("--npuperf-mode=replay").outlines
    )
    assert header not in project.run("-q").outlines


def test_all_is_well(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests()
    result = project.run()
    assert ALL_WELL in result.outlines
    assert told(result) == []


def test_verbose_shows_every_row(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests()
    rows = told(project.run("-v"))
    assert rows[0].split() == ["verdict", "case", "number", "now", "limit", "margin", "where"]
    assert rows[1].split()[:3] == ["PASSED", "resnet50", "kernel_time"]
    assert rows[-1] == ALL_WELL


def test_a_failure_is_in_the_table_with_its_place(project: Project) -> None:
    project.budget('kernel_time = "119 us"', "kernel_count = 4")
    project.tests()
    rows = told(project.run())
    cells = " ".join(rows[1].split())
    assert cells == "FAILED resnet50 kernel_time 120 us 119 us +0.8 % pyproject.toml:4"
    assert "replayed (recorded 2026-07-16): resnet50" in rows
    assert "npuperf: 1 failed, 1 passed in 1 case" in rows
    assert rows[-1].startswith(("next: ", "  "))


def test_quiet_says_what_fails_only(project: Project) -> None:
    project.budget('kernel_time = "119 us"')
    project.tests()
    result = project.run("-q")
    result.stdout.fnmatch_lines(["FAILED resnet50: kernel_time 120 us, limit 119 us*"])
    result.stdout.no_fnmatch_line("next: *")


def test_what_several_tests_replay_is_named_once(project: Project) -> None:
    project.budget('kernel_time = "119 us"')
    project.tests(MANY)
    result = project.run("-q")
    assert "replayed (recorded 2026-07-16): resnet50" in result.outlines


MANY = """
import pytest

@pytest.mark.npuperf("resnet50")
@pytest.mark.parametrize("number", range(3))
def test_speed(number):
    pass
"""

FULL_RUN = """
import pytest

@pytest.mark.npuperf("resnet50")
def test_speed():
    pass

def test_other():
    pass
"""
UNUSED = [
    "not checked: spare: no test uses this budget",
    "not checked: gone: no test uses this baseline",
]


@pytest.fixture
def with_spare(project: Project) -> Project:
    project.settings('[tool.pytest.ini_options]\ntestpaths = ["."]')
    project.budget('kernel_time = "120 us"', 'extends = "base"')
    project.budget('kernel_time = "120 us"', name="spare")
    project.budget('kernel_time = "120 us"', name="base")
    (project.path / "baselines" / "gone").mkdir(parents=True)
    (project.path / "baselines" / "gone" / "Ascend310P3.json").touch()
    project.tests(FULL_RUN)
    return project


# Workers that measure nothing import no pandas, and collect and leave out tests just the same.
WORKER = ["-n", "1", "--npuperf-mode=off"]


@pytest.mark.parametrize("args", [[], ["-n", "2"], WORKER], ids=["plain", "xdist", "off"])
def test_an_unused_budget_is_told_after_a_full_run(with_spare: Project, args: list[str]) -> None:
    if args:
        pytest.importorskip("xdist")
    result = with_spare.run("--npuperf-json=results.json", *args)
    assert result.ret == 0
    assert [line for line in result.outlines if "no test uses" in line] == UNUSED
    not_checked = with_spare.read()["not_checked"]
    told = [f"not checked: {each['case']}: {each['reason']}" for each in not_checked]
    assert told[-2:] == UNUSED
    assert [each["case"] for each in not_checked[:-2]] == (["resnet50"] if args == WORKER else [])


PARTS = [
    ["-k", "speed"],
    ["-m", "npuperf"],
    ["--lf"],
    ["test_it.py"],
    ["--deselect", "test_it.py::test_other"],
    ["--ignore", "elsewhere"],
    ["--sw"],
]


@pytest.mark.parametrize("args", PARTS, ids=" ".join)
@pytest.mark.parametrize("workers", [[], WORKER], ids=["plain", "xdist"])
def test_not_after_a_part_of_the_tests(
    with_spare: Project, args: list[str], workers: list[str]
) -> None:
    if workers:
        pytest.importorskip("xdist")
    result = with_spare.run(*args, *workers)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*no test uses*")


def test_not_after_a_run_that_stopped(with_spare: Project) -> None:
    with_spare.tests("def test_first(): assert False", name="test_a")
    result = with_spare.run("-x")
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*no test uses*")


def test_not_when_a_file_was_not_collected(with_spare: Project) -> None:
    with_spare.tests("import pytest\npytest.importorskip('not_there')", name="test_a")
    result = with_spare.run()
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*no test uses*")


@pytest.mark.parametrize("workers", [[], WORKER], ids=["plain", "xdist"])
def test_not_when_a_hook_left_tests_out(with_spare: Project, workers: list[str]) -> None:
    if workers:
        pytest.importorskip("xdist")
    with_spare.pytester.makeconftest(
        """
        def pytest_collection_modifyitems(config, items):
            config.hook.pytest_deselected(items=[items.pop()])
        """
    )
    result = with_spare.run(*workers)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*no test uses*")


def test_not_in_a_folder_of_the_project(
    with_spare: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = with_spare.path / "sub"
    below.mkdir()
    (with_spare.path / "test_it.py").rename(below / "test_it.py")
    monkeypatch.chdir(below)
    result = with_spare.run()
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*no test uses*")
