"""Baselines in whole runs of pytest: from the first one to a change that is found."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from pytest_npuperf.commands.cli import main
from pytest_npuperf.text import file_name

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

Ops = list[list[Any]]

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "example_project"
README = (ROOT / "README.md").read_text(encoding="utf-8")

SOC = "Ascend910B3"
CASES = ("fresh", "same", "slow", "fast", "moved", "unknown")


def ops(conv: int, core: str = "AI_VECTOR_CORE") -> Ops:
    """Return two steps of a convolution of so many us, and a cast of 10 us each."""
    return [["Conv2D", "AI_CORE", [conv, conv]], ["Cast", core, [10, 10]]]


def record(project: Project, name: str, made: Ops, **fingerprint: str) -> None:
    """Make a recording that says what it was made on."""
    manifest = project.record(name, made) / "npuperf-recording.json"
    told = {"format": 1, "fingerprint": {"soc": SOC, **fingerprint}}
    manifest.write_text(json.dumps(told), encoding="utf-8")


def accept(*args: str) -> int:
    return main(["accept", "--reason", "test", *args])


@pytest.fixture
def accepted(project: Project) -> Project:
    """Return a project of which all cases but ``fresh`` have a baseline: 120 us."""
    for name in CASES:
        record(project, name, ops(50))
        project.budget('kernel_time = { max_regression = "5 %" }', name=name, recording=name)
    names = ", ".join(f'"{name}"' for name in CASES)
    project.tests(
        f"""
        import pytest

        @pytest.mark.parametrize("name", [
            pytest.param(name, marks=pytest.mark.npuperf(name)) for name in ({names})
        ])
        def test_speed(name):
            pass
        """
    )
    result = project.run("--npuperf-json=before.json")
    assert result.ret == 0
    assert "npuperf: 6 new in 6 cases" in result.outlines
    assert "next: npuperf accept --case fast --reason 'first baseline'" in result.outlines
    assert [accept("--case", name) for name in CASES[1:]] == [0] * 5
    return project


def change(project: Project) -> None:
    """Make what each case is called true."""
    record(project, "slow", ops(60, "AI_CPU"))
    record(project, "fast", ops(30))
    record(project, "moved", ops(50), cann="9.0.0")
    (project.path / "recordings" / "unknown" / "npuperf-recording.json").unlink()


FOUND = {
    "fresh": "NEW",
    "same": "PASSED",
    "slow": "FAILED",
    "fast": "PASSED",
    "moved": "INCONCLUSIVE",
    "unknown": "INCONCLUSIVE",
}
SLOW = (
    "slow: kernel_time 140 us, +16.7 % from 120 us (baseline), 5.0 % allowed, "
    "9.5 % in force with 1 session of 5 needed; 1 round against 1 cannot tell noise from change; "
    "most by Conv2D (slower, +20.0 us) [pyproject.toml:12]"
)
BETTER = [
    "better: fast: kernel_time 80.0 us, -33.3 % from 120 us (baseline); to keep it: npuperf accept",
    "  --case fast --replace --reason TEXT",
]


def cases(found: Any) -> dict[str, Any]:
    return {case["case"]: case for case in found["cases"]}


def verdicts(found: Any) -> dict[str, str]:
    return {name: case["verdict"] for name, case in cases(found).items()}


def test_what_a_run_says_of_baselines(
    accepted: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    change(accepted)
    result = accepted.run("--npuperf-json=results.json", "--junitxml=out.xml")
    result.assert_outcomes(passed=5, failed=1)
    assert SLOW in result.outlines
    result.stdout.fnmatch_lines(
        [
            "  kernel_time changed by +20.0 us, of it:",
            "*+20.0 us  slower  Conv2D *",
            "profile: recordings/slow",
        ]
    )
    at = result.outlines.index(BETTER[0])
    assert result.outlines[at : at + 3] == [
        *BETTER,
        "npuperf: 1 failed, 2 inconclusive, 1 new, 2 passed in 6 cases",
    ]
    result.stdout.fnmatch_lines(
        [
            "next: see the details under the failed test of slow; where the change is meant: *",
            "  --case slow --replace --reason TEXT",
        ]
    )
    found = accepted.read()
    assert verdicts(found) == FOUND
    assert found["not_checked"] == []
    causes = cases(found)["slow"]["causes"]["0"]
    assert sum(each["total"] - each["before_total"] for each in causes) == 20_000
    tree = ET.parse(accepted.path / "out.xml")
    flat = {each.get("name"): each.get("value") for each in tree.iter("property")}
    assert flat["npuperf.slow.kernel_time.change"] == "0.166666667"
    assert flat["npuperf.same.kernel_time.change"] == "0"
    assert "npuperf.fresh.kernel_time.change" not in flat
    capsys.readouterr()
    diff = ["diff", "before.json", "results.json", "--metric", "kernel_time", "--case"]
    assert [main([*diff, name]) for name in ("slow", "same")] == [1, 0]
    assert "+16.7 %" in capsys.readouterr().out


def test_a_change_that_only_the_limit_in_force_allows(project: Project) -> None:
    (project.path / "npuperf.toml").write_text(
        "[budgets.resnet50]\nrecording = 'resnet50'\nkernel_time = { max_regression = '5 %' }\n",
        encoding="utf-8",
    )
    project.tests()
    record(project, "resnet50", ops(50))
    first = project.run(config := "--npuperf-config=npuperf.toml")
    command = "npuperf accept --config npuperf.toml --case resnet50"
    assert f"next: {command} --reason 'first baseline'" in first.outlines
    assert main([*shlex.split(command)[1:], "--reason", "first"]) == 0
    record(project, "resnet50", ops(54))
    result = project.run(config, "--npuperf-json=results.json")
    result.assert_outcomes(passed=1)
    (limit,) = project.read()["cases"][0]["limits"]
    assert (limit["verdict"], limit["max_regression"]["value"]) == ("PASSED", 0.05)
    in_force = {"value": 0.095, "why": "with 1 session of 5 needed", "decides": True}
    assert limit["comparison"]["in_force"] == in_force
    said = " ".join(line.strip() for line in result.outlines)
    assert (
        " worse, but not failed: resnet50: kernel_time 128 us, +6.7 % from 120 us (baseline), "
        "5.0 % allowed, 9.5 % in force with 1 session of 5 needed; "
        "1 round against 1 cannot tell noise from change [npuperf.toml:3] "
    ) in said
    assert f"accept more sessions ({command} --reason TEXT), or compare two builds" in said


def test_strict_workers_and_quiet_ones_and_those_that_failed_last(accepted: Project) -> None:
    pytest.importorskip("xdist")
    pytest.importorskip("pytest_rerunfailures")
    change(accepted)
    strict = ["--npuperf-strict", "--npuperf-mode=replay", "-n", "1"]
    result = accepted.run("-q", "--npuperf-json=results.json", *strict)
    result.assert_outcomes(passed=2, failed=4)
    assert verdicts(accepted.read()) == FOUND
    new = "fresh: kernel_time 120 us; there is no baseline to compare it with [pyproject.toml:4]"
    assert new in result.outlines
    assert f"NEW {new}" in result.outlines
    result.stdout.no_fnmatch_line("better:*")
    # The baselines of the others are not called unused.
    found = accepted.results("--lf", "-p", "rerunfailures", "--reruns", "1", status=1)
    assert verdicts(found) == {"slow": "FAILED"} | {
        name: verdict for name, verdict in FOUND.items() if verdict not in ("PASSED", "FAILED")
    }
    assert found["not_checked"] == []


def test_baselines_that_no_test_used(project: Project) -> None:
    record(project, "resnet50", ops(50))
    project.budget('kernel_time = { max_regression = true, at_most = "1 ms" }')
    project.budget('kernel_time = "1 ms"', name="bounded")
    project.budget('kernel_time = "1 ms"', name="spare")
    inline = "test_it.py::test_inline"
    for name in ("resnet50", "bounded", "spare", file_name(inline), "gone"):
        folder = project.path / "baselines" / name
        folder.mkdir(parents=True)
        (folder / "Ascend310P3.json").touch()
    (project.path / "baselines" / "README.md").touch()
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed():
            pass

        @pytest.mark.npuperf("bounded")
        def test_bounded():
            pass

        @pytest.mark.npuperf(recording="resnet50", kernel_count={"max_regression": True})
        def test_inline():
            pass
        """
    )
    found = project.results(status=0)
    assert verdicts(found) == {
        "resnet50": "INCONCLUSIVE",
        "bounded": "PASSED",
        inline: "INCONCLUSIVE",
    }
    assert [(each["case"], each["reason"]) for each in found["not_checked"]] == [
        ("spare", "no test uses this budget"),
        ("bounded", "no test uses this baseline"),
        ("gone", "no test uses this baseline"),
    ]


APP = r"""#!/bin/sh
# Once the profiler has begun, give it the numbers of this side and round.
out=$(tr '\0' '\n' < /proc/$PPID/cmdline | sed -n 's/^--output=//p')
until [ -e "$out"/PROF_*/device_0/sample.json ]; do sleep 0.01; done
cp "$1.$(basename "$out").json" "$out"/PROF_*/device_0/data/numbers.slice_0
"""
OLD = [10_000, 10_050, 9_950, 10_020]


def made(project: Project, side: str, conv: list[int]) -> None:
    for number, us in enumerate(conv, 1):
        numbers = {"steps": 1, "ops": [["Conv2D", "AI_CORE", [us]]]}
        path = project.path / f"{side}.round_{number}.json"
        path.write_text(json.dumps(numbers), encoding="utf-8")


@pytest.mark.usefixtures("standin")
def test_two_apps_that_run_in_turn_under_msprof(project: Project) -> None:
    app = project.path / "main"
    app.write_text(APP, encoding="utf-8")
    app.chmod(0o755)
    made(project, "old", OLD)
    made(project, "new", [us + 2_000 for us in OLD])
    project.settings(
        """
        [tool.npuperf.budgets.resnet50]
        app = ["./main", "new"]
        against = { app = ["./main", "old"] }
        rounds = 4
        kernel_time = { max_regression = "5 %" }
        kernel_count = { max_regression = true }
        """
    )
    project.tests()
    result = project.run("--npuperf-mode=run", "--npuperf-json=results.json")
    result.assert_outcomes(failed=1)
    line = (
        "resnet50: kernel_time 12.0 ms, +20.0 % from 10.0 ms (the other ./main), 5.0 % allowed, "
        "surely +18.9 % to +21.1 %, median of 4 rounds; "
        "most by Conv2D (slower, +2.00 ms) [pyproject.toml:7]"
    )
    assert line in result.outlines
    action = (
        "next: see the details under the failed test of resnet50: it is worse than the other ./main"
    )
    assert action in result.outlines
    (case,) = project.read()["cases"]
    assert [each["verdict"] for each in case["limits"]] == ["FAILED", "PASSED"]
    times = [
        [measured["0"]["kernel_time"] // 1000 for measured in side["rounds"]]
        for side in (case, case["against"])
    ]
    assert times == [[us + 2_000 for us in OLD], OLD]


def test_what_the_readme_says_of_baselines(project: Project) -> None:
    section = README.partition("## Against a baseline\n")[2].partition("\n## ")[0]
    budget, action, table = re.findall(r"^```(?:toml|text)\n(.*?)^```$", section, re.M | re.S)
    project.settings(f"[tool.npuperf]\nrecordings = {json.dumps(str(EXAMPLE / 'recordings'))}")
    project.settings(budget)
    project.tests()
    assert action.strip() in project.run().outlines
    assert main(shlex.split(action)[2:]) == 0
    assert (project.path / "baselines" / "resnet50" / "Ascend910B4.json").is_file()
    settings = project.path / "pyproject.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('"resnet50"', '"resnet50_regressed"'), encoding="utf-8")
    result = project.run()
    assert result.ret == 1
    assert table in "\n".join(result.outlines)
