"""What is written: the results of the run, and the folder of each case."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project


@pytest.fixture
def gated(project: Project) -> Project:
    project.budget('kernel_time = "120 us"')
    project.tests()
    return project


def runs(project: Project) -> list[Path]:
    return sorted(path for path in (project.path / ".npuperf").iterdir() if path.is_dir())


@pytest.mark.parametrize("args", [[], ["-n", "1"]], ids=["plain", "xdist"])
def test_the_results_of_a_run(gated: Project, args: list[str]) -> None:
    if args:
        pytest.importorskip("xdist")
    found = gated.results(*args, status=0)
    assert (found["format"], found["exit"], found["not_checked"]) == (1, 0, [])
    (case,) = found["cases"]
    assert (case["case"], case["test"], case["mode"], case["recorded"]) == (
        "resnet50",
        "test_it.py::test_speed",
        "replay",
        "2026-07-16",
    )
    (run,) = runs(gated)
    assert json.loads((run / "result.json").read_bytes()) == found
    (own,) = run.glob("resnet50.gw0" if args else "resnet50")
    assert json.loads((own / "result.json").read_bytes()) == case


def test_the_output_is_kept_out_of_git(gated: Project) -> None:
    gated.run()
    ignore = gated.path / ".npuperf" / ".gitignore"
    assert ignore.read_text(encoding="utf-8").splitlines()[-1] == "*"


def test_another_output(gated: Project) -> None:
    gated.run("--npuperf-output=elsewhere")
    assert not (gated.path / ".npuperf").exists()
    assert len(list((gated.path / "elsewhere").glob("*/resnet50/result.json"))) == 1


def test_a_file_that_cannot_be_written_is_told_in_one_line(gated: Project) -> None:
    (gated.path / "file").touch()
    result = gated.run("--npuperf-json=file/results.json")
    assert result.ret == 1
    result.assert_outcomes(passed=1)
    lines = [line for line in result.outlines if "not written" in line]
    assert lines == [
        f"{gated.path}/file/results.json: the results were not written: Not a directory"
    ]
    result.stdout.no_fnmatch_line("*Traceback*")
    (run,) = runs(gated)
    assert json.loads((run / "result.json").read_bytes())["exit"] == 1


def test_an_output_that_cannot_be_made_fails_the_test_in_one_line(gated: Project) -> None:
    (gated.path / ".npuperf").touch()
    result = gated.run()
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["resnet50: .npuperf/*: the results were not written: *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_old_runs_are_deleted(gated: Project) -> None:
    output = gated.path / ".npuperf"
    for number in range(20):
        run = output / f"20260101-0000{number:02}-1"
        run.mkdir(parents=True)
        status = int(number < 12)
        text = f'{{"format": 1, "exit": {status}, "cases": []}}'
        (run / "result.json").write_text(text, encoding="utf-8")
    (output / "mine").mkdir()
    gated.run()
    kept = [path.name for path in runs(gated)]
    failed = [f"20260101-0000{number:02}-1" for number in range(2, 12)]
    assert kept[:12] == [*failed, "20260101-000018-1", "20260101-000019-1"]
    assert kept[13:] == ["mine"]


def test_a_run_without_a_result_is_kept_as_failed(gated: Project) -> None:
    output = gated.path / ".npuperf"
    for number in range(5):
        (output / f"20260101-0000{number:02}-1").mkdir(parents=True)
    gated.run()
    assert len(runs(gated)) == 6


def test_nothing_is_written_without_a_gated_test(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests("def test_plain(): pass")
    assert project.run().ret == 0
    assert not (project.path / ".npuperf").exists()


def test_collecting_only_writes_nothing(gated: Project) -> None:
    result = gated.run("--collect-only", "--npuperf-json=results.json")
    assert result.ret == 0
    assert not (gated.path / "results.json").exists()
    assert not (gated.path / ".npuperf").exists()


def test_what_was_measured_is_on_disk_before_it_is_judged(gated: Project) -> None:
    gated.pytester.makeconftest(
        """
        import importlib
        import pathlib
        import time

        def slow(*arguments):
            pathlib.Path("judging").touch()
            time.sleep(600)

        importlib.import_module("pytest_npuperf.pipeline.gating").judge = slow
        """
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "npuperf"]
    with subprocess.Popen(command, cwd=gated.path, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 120
        while not (gated.path / "judging").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
    (run,) = runs(gated)
    found = json.loads((run / "resnet50" / "result.json").read_bytes())
    assert found["rounds"][0]["0"]["kernel_time"] == 120_000
    assert (found["verdict"], found["blocks"]) == ("ERROR", True)
    assert found["reason"] == "measured, but the session ended before it was judged"


def test_a_run_that_cannot_begin_leaves_no_old_results(gated: Project) -> None:
    old = gated.path / "results.json"
    old.write_text('{"exit": 0}', encoding="utf-8")
    gated.settings("[tool.npuperf.budgets.wrong]\nkernel_tim = 1")
    assert gated.run("--npuperf-json=results.json").ret == pytest.ExitCode.USAGE_ERROR
    assert not old.exists()


def test_a_run_that_measured_nothing_is_the_last_run_all_the_same(project: Project) -> None:
    project.budget('kernel_time = "1 s"', recording="gone")
    project.tests()
    assert project.run().ret == 1
    (run,) = runs(project)
    (case,) = json.loads((run / "result.json").read_bytes())["cases"]
    assert (case["verdict"], case["rounds"]) == ("ERROR", [])
