"""Apps that are run under a stand-in for msprof."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

NUMBERS = {"steps": 2, "ops": [["Conv2D", "AI_CORE", [70, 70]]]}


def app(project: Project, text: str = "true", name: str = "main") -> None:
    path = project.path / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def live(project: Project, standin: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project whose app takes 140 us, and 120 us in its recording."""
    numbers = project.path / "numbers.json"
    numbers.write_text(json.dumps(NUMBERS), encoding="utf-8")
    monkeypatch.setenv("STANDIN_PROFILE", str(numbers))
    app(project)
    project.tests()
    project.budget('app = ["./main"]', 'kernel_time = "140 us"')
    return project


def value(found: Any) -> tuple[str, int]:
    (case,) = found["cases"]
    return case["mode"], case["limits"][0]["value"]


def test_without_an_npu_the_recording_is_replayed(live: Project) -> None:
    assert value(live.results(status=0)) == ("replay", 120_000)


@pytest.mark.usefixtures("npu")
def test_with_an_npu_the_app_is_run(live: Project) -> None:
    assert value(live.results(status=0)) == ("run", 140_000)


@pytest.mark.usefixtures("npu")
def test_strict_has_nothing_against_a_run(live: Project) -> None:
    assert value(live.results("--npuperf-strict", status=0)) == ("run", 140_000)


def test_rounds_of_the_command_line(live: Project) -> None:
    (case,) = live.results("--npuperf-mode=run", "--npuperf-rounds=2", status=0)["cases"]
    assert [Path(path).name for path in case["profiles"]] == ["round_1", "round_2"]


def test_the_profile_of_a_run_is_collected_and_read_once(live: Project) -> None:
    live.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npuperf):
            assert npuperf.profile is npuperf.profile
            assert len(npuperf.profile.op_summary) == 2
        """
    )
    assert live.verdicts("--npuperf-mode=run", status=0) == {"test_speed": "PASSED"}
    assert len(list((live.path / ".npuperf").glob("*/*/round_*.log"))) == 1


def test_an_app_that_the_test_names(live: Project) -> None:
    app(live, "touch ran", "other")
    live.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npuperf):
            npuperf.check(npuperf.run("./other"), {"kernel_count": 2})
            npuperf.check(npuperf.run(["./other"]))
        """
    )
    found = live.results(status=0)
    assert [case["mode"] for case in found["cases"]] == ["run", "run"]


def test_an_app_that_fails(live: Project) -> None:
    app(live, "echo out of memory; exit 3")
    result = live.run("--npuperf-mode=run")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["resnet50: the app ./main ended with exit code 3*"])
    result.stdout.fnmatch_lines(["*out of memory*"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.usefixtures("npu")
def test_record_saves_what_replays_with_the_same_numbers(live: Project) -> None:
    live.settings('[tool.npuperf.budgets.fresh]\nextends = "resnet50"\nrecording = "fresh"')
    live.tests(
        """
        import pytest

        @pytest.mark.npuperf("fresh")
        def test_speed():
            pass
        """
    )
    recorded = live.results("--npuperf-record", status=0)
    replayed = live.results("--npuperf-mode=replay", status=0)
    assert (value(recorded), value(replayed)) == (("run", 140_000), ("replay", 140_000))
    (first,), (second,) = recorded["cases"], replayed["cases"]
    assert first["rounds"] == second["rounds"]
    assert (live.path / "recordings" / "fresh" / "npuperf-recording.json").is_file()


def test_record_that_has_nothing_to_save(live: Project) -> None:
    result = live.run("--npuperf-record")
    assert result.ret == 1
    message = (
        "resnet50: --npuperf-record has nothing to save, since the app was not run; "
        "it needs an NPU, or --npuperf-mode=run"
    )
    assert message in result.outlines


def test_record_without_a_place(live: Project) -> None:
    live.tests(
        """
        import pytest

        @pytest.mark.npuperf(app=["./main"], kernel_time="1 ms")
        def test_speed():
            pass
        """
    )
    result = live.run("--npuperf-record", "--npuperf-mode=run")
    assert result.ret == 1
    message = "--npuperf-record needs a place; write recording = NAME"
    assert f"test_it.py::test_speed: {message}" in result.outlines


def test_a_recording_without_an_app_is_replayed_under_record(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests()
    assert project.verdicts("--npuperf-record", status=0) == {"test_speed": "PASSED"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_a_cancelled_job_leave_nothing_running_and_write_what_was_found(
    live: Project, number: signal.Signals
) -> None:
    app(live, "echo $$ > pid; sleep 600")
    live.settings('[tool.npuperf.budgets.quick]\nrecording = "resnet50"\nkernel_time = "1 ms"')
    live.tests(
        """
        import pytest

        @pytest.mark.npuperf("quick", mode="replay")
        def test_first():
            pass

        @pytest.mark.npuperf("resnet50", mode="run")
        def test_second():
            pass
        """
    )
    command = [sys.executable, "-m", "pytest", "-p", "npuperf", "--npuperf-json=results.json"]
    with subprocess.Popen(command, cwd=live.path, stdout=subprocess.DEVNULL) as process:
        pid = _written(live.path / "pid", process)
        process.send_signal(number)
        assert process.wait(120) == 2
    assert not Path("/proc", str(pid)).exists()
    assert [case["case"] for case in live.read()["cases"]] == ["quick"]


def _written(path: Path, process: subprocess.Popen[bytes]) -> int:
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    assert os.getpid() != int(path.read_text(encoding="utf-8"))
    return int(path.read_text(encoding="utf-8"))
