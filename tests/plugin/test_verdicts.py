"""What each verdict means for the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

APP_ONLY = '[tool.npuperf.budgets.resnet50]\napp = ["./main"]\nkernel_time = "1 ms"\n'
FEW_STEPS = 'step_time = { p90 = "1 ms" }'


@pytest.mark.parametrize(
    ("more", "args", "status", "outcome"),
    [
        ("", [], 0, {"skipped": 1}),
        ("", ["--npuperf-strict"], 1, {"failed": 1}),
        ('[tool.npuperf]\nwhen_unavailable = "fail"', [], 1, {"failed": 1}),
    ],
)
def test_skipped(
    project: Project, more: str, args: list[str], status: int, outcome: dict[str, int]
) -> None:
    project.settings(more)
    project.settings(APP_ONLY)
    project.tests()
    result = project.run("-rs", "--npuperf-json=results.json", *args)
    assert result.ret == status
    result.assert_outcomes(**outcome)
    (case,) = project.read()["cases"]
    assert case["verdict"] == "SKIPPED"
    reason = "resnet50: no NPU was found (*/davinci*) and no recording is named"
    where = "*" if status else "SKIPPED [[]1] test_it.py:*: "
    result.stdout.fnmatch_lines([f"{where}{reason}"])


def test_a_recording_that_is_not_there_is_an_error(project: Project) -> None:
    project.budget('kernel_time = "1 ms"', recording="resnet5")
    project.tests()
    result = project.run("--npuperf-json=results.json")
    result.assert_outcomes(failed=1)
    message = "resnet50: recordings/resnet5: there is no such recording; recordings has resnet50"
    assert message in result.outlines
    result.stdout.no_fnmatch_line("*Traceback*")
    (case,) = project.read()["cases"]
    assert (case["verdict"], case["mode"], case["blocks"]) == ("ERROR", "", True)


def test_a_recording_that_is_not_there_is_an_error_in_a_fixture_too(project: Project) -> None:
    project.budget('kernel_time = "1 ms"', recording="resnet5")
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npu_profile):
            raise AssertionError("not reached")
        """
    )
    result = project.run("--npuperf-json=results.json")
    result.assert_outcomes(errors=1)
    assert [case["verdict"] for case in project.read()["cases"]] == ["ERROR"]
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*gate.py*")


@pytest.mark.parametrize(
    ("more", "args", "status"),
    [
        ("", [], 0),
        ("", ["--npuperf-strict", "--npuperf-mode=replay"], 1),
        ('[tool.npuperf]\ninconclusive = "fail"', [], 1),
    ],
)
def test_inconclusive(project: Project, more: str, args: list[str], status: int) -> None:
    project.settings(more)
    project.budget(FEW_STEPS)
    project.tests()
    assert project.verdicts(*args, status=status) == {"test_speed": "INCONCLUSIVE"}


def test_not_measured_fails(project: Project) -> None:
    project.budget('ops = [{ type = "MatMul", total = "1 ms" }]')
    project.tests()
    assert project.verdicts(status=1) == {"test_speed": "NOT_MEASURED"}


def test_over_a_limit_that_warns_passes_and_is_said(project: Project) -> None:
    project.budget('kernel_time = { at_most = "119 us", on_fail = "warn" }')
    project.tests()
    result = project.run("-W", "error")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["FAILED (warn)*kernel_time*120 us*119 us*"])


def test_a_budget_without_a_limit_is_an_error(project: Project) -> None:
    project.budget()
    project.tests()
    result = project.run()
    assert result.ret == 1
    message = (
        "resnet50: the budget has no limit, so nothing can fail; "
        'add one, such as kernel_time = "2 ms" or kernel_time = { max_regression = "5 %" }'
    )
    assert message in result.outlines


OFF = 'mode = "off"'


@pytest.mark.parametrize("body", ["pass", "npuperf.profile", "npuperf.run()"])
@pytest.mark.parametrize("strict", [[], ["--npuperf-strict"]], ids=["", "strict"])
def test_off_gates_nothing_which_strict_does_not_allow(
    project: Project, body: str, strict: list[str]
) -> None:
    project.budget('kernel_time = "1 us"')
    project.tests(
        f"""
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npuperf):
            open("body", "w").close()
            {body}
        """
    )
    found = project.results("--npuperf-mode=off", *strict, status=1 if strict else 0)
    assert found["cases"] == []
    assert found["not_checked"] == [{"case": "resnet50", "reason": OFF}]
    assert (project.path / "body").exists()
    assert not (project.path / ".npuperf").exists()


def test_off_says_each_case_once(project: Project) -> None:
    project.budget('kernel_time = "1 us"')
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        @pytest.mark.parametrize("number", range(3))
        def test_speed(number):
            pass
        """
    )
    result = project.run("--npuperf-mode=off")
    assert [line for line in result.outlines if "not checked" in line] == [
        'not checked: resnet50: mode = "off"'
    ]


BODIES = {
    "assert False": {"failed": 1},
    "pytest.skip('no')": {"skipped": 1},
    "pytest.xfail('no')": {"xfailed": 1},
}


@pytest.mark.parametrize(("body", "outcome"), BODIES.items(), ids=list(BODIES))
def test_a_body_that_does_not_pass_is_not_judged(
    project: Project, body: str, outcome: dict[str, int]
) -> None:
    project.budget('kernel_time = "1 us"')
    project.tests(
        f"""
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npu_profile):
            {body}
        """
    )
    result = project.run("--npuperf-json=results.json")
    result.assert_outcomes(**outcome)
    reason = "its test failed or was skipped before it was judged"
    found = project.read()
    assert (found["cases"], found["not_checked"]) == ([], [{"case": "resnet50", "reason": reason}])


def test_a_fixture_that_fails_leaves_the_case_unchecked(project: Project) -> None:
    project.budget('kernel_time = "1 us"')
    project.tests(
        """
        import pytest

        @pytest.fixture
        def broken():
            raise ValueError

        @pytest.mark.npuperf("resnet50")
        def test_speed(broken):
            pass
        """
    )
    found = project.results(status=1)
    assert [each["case"] for each in found["not_checked"]] == ["resnet50"]


# --- hardware ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("npu")
def test_an_npu_without_msprof_is_an_error_that_says_what_to_do(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project.path))
    app = project.path / "main"
    app.write_text("#!/bin/sh\n", encoding="utf-8")
    app.chmod(0o755)
    project.budget('app = ["./main"]', 'kernel_time = "1 ms"')
    project.tests()
    result = project.run()
    assert result.ret == 1
    message = (
        'resnet50: msprof was not found on PATH; run "source '
        '/usr/local/Ascend/ascend-toolkit/set_env.sh" first, or name it in msprof.command'
    )
    assert message in result.outlines
    result.stdout.fnmatch_lines(["npuperf: mode auto, no msprof, NPU 0, 1 budget in *"])


def test_strict_replays_nothing_by_itself(project: Project) -> None:
    project.budget('kernel_time = "1 ms"')
    project.tests()
    result = project.run("--npuperf-strict")
    assert result.ret == 1
    message = (
        "resnet50: --npuperf-strict replays nothing by itself; "
        'run it where there is an NPU, or say mode = "replay"'
    )
    assert message in result.outlines
    assert project.run("--npuperf-strict", "--npuperf-mode=replay").ret == 0


def test_limits_for_some_hardware(project: Project) -> None:
    manifest = '{"format": 1, "recorded": "2026-07-16", "fingerprint": {"soc": "Ascend910B3"}}'
    (project.path / "recordings" / "resnet50" / "npuperf-recording.json").write_text(
        manifest, encoding="utf-8"
    )
    project.budget(
        'kernel_time = "1 us"',
        '[tool.npuperf.budgets.resnet50.on."Ascend910B*"]',
        'kernel_time = "120 us"',
    )
    project.tests()
    assert project.verdicts(status=0) == {"test_speed": "PASSED"}
