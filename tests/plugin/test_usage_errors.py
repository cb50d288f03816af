"""Wrong settings and options: exit 4, everything that is wrong at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

PROBLEMS = [
    'ERROR: pyproject.toml:4: budgets.resnet50.kernel_time: "1,7 ms" is not a duration; '
    'write "1.7 ms" or "1700 us"',
    'pyproject.toml:5: budgets.resnet50.busy_tim: unknown metric or key "busy_tim"; '
    'did you mean "busy_time"?',
]


@pytest.fixture
def wrong(project: Project) -> Project:
    project.budget('kernel_time = "1,7 ms"', 'busy_tim = "1 ms"')
    project.tests()
    return project


@pytest.mark.parametrize("args", [[], ["-n", "2"], ["--collect-only"], ["--npuperf-explain"]])
def test_all_problems_are_told_at_once(wrong: Project, args: list[str]) -> None:
    if "-n" in args:
        pytest.importorskip("xdist")
    result = wrong.run(*args)
    assert result.ret == 4
    assert [line for line in result.errlines if "pyproject" in line] == PROBLEMS
    result.stderr.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    "option", ["--help", "--version", "--markers", "--fixtures", "--fixtures-per-test"]
)
def test_questions_about_pytest_are_answered_still(wrong: Project, option: str) -> None:
    assert wrong.run(option).ret == 0


def test_questions_are_answered_with_workers_too(wrong: Project) -> None:
    pytest.importorskip("xdist")
    assert wrong.run("--fixtures", "-n", "1").ret in (0, 5)


def test_a_file_that_is_named_must_be_there(project: Project) -> None:
    result = project.run("--npuperf-config=budgets.toml")
    assert result.ret == 4
    told = [line for line in result.errlines if line]
    assert told == ["ERROR: budgets.toml: no such file; the settings were to be read from it"]


def test_a_file_that_is_named_is_used(project: Project) -> None:
    project.budget('kernel_time = "1 us"')
    text = '[budgets.resnet50]\nrecording = "resnet50"\nkernel_time = "1 ms"\n'
    (project.path / "npuperf.toml").write_text(text, encoding="utf-8")
    project.tests()
    assert project.verdicts("--npuperf-config=npuperf.toml", status=0) == {"test_speed": "PASSED"}


@pytest.mark.parametrize("number", ["0", "-1", "many", ""])
def test_rounds_must_be_some(project: Project, number: str) -> None:
    result = project.run(f"--npuperf-rounds={number}")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f'*--npuperf-rounds: "{number}" is not a whole number above 0'])


def test_a_mode_must_be_known(project: Project) -> None:
    result = project.run("--npuperf-mode=live")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--npuperf-mode: invalid choice: 'live'*"])


@pytest.mark.parametrize("name", ["pytest.ini", "tox.ini"])
def test_another_ini_file_does_not_hide_the_budgets(project: Project, name: str) -> None:
    (project.path / name).write_text("[pytest]\n", encoding="utf-8")
    project.budget('kernel_time = "119 us"')
    project.tests()
    assert project.verdicts(status=1) == {"test_speed": "FAILED"}


@pytest.mark.parametrize("args", [[], ["-n", "1"]])
def test_tests_in_a_subfolder_use_the_budgets_of_the_root(
    project: Project, monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    if args:
        pytest.importorskip("xdist")
    project.settings("[tool.pytest.ini_options]")
    project.budget('kernel_time = "120 us"')
    below = project.path / "sub"
    below.mkdir()
    project.tests().rename(below / "test_it.py")
    monkeypatch.chdir(below)
    result = project.run("--npuperf-json=out.json", *args)
    assert result.ret == 0, result.stdout.str()
    (case,) = project.read("sub/out.json")["cases"]
    assert case["test"] == "sub/test_it.py::test_speed"
    assert case["profiles"] == ["recordings/resnet50"]
