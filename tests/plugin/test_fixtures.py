"""The fixtures npuperf and npu_profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

HEAD = """
import pytest

"""


def test_npu_profile_gives_the_tables(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npu_profile):
            assert list(npu_profile.op_summary["task_duration_us"]) == [50, 10, 50, 10]
            assert len(npu_profile.step_trace) == 2
        """
    )
    assert project.verdicts(status=0) == {"test_speed": "PASSED"}


def test_a_recording_is_read_once_for_all_tests(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests(
        """
        import pytest

        seen = []

        @pytest.mark.npuperf("resnet50")
        @pytest.mark.parametrize("number", range(3))
        def test_speed(npu_profile, number):
            seen.append(npu_profile)
            assert npu_profile is seen[0]
        """
    )
    assert set(project.verdicts(status=0).values()) == {"PASSED"}


def test_a_recording_that_changes_is_read_again(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.record("other", [["Conv2D", "AI_CORE", [60, 60]]])
    project.tests(
        """
        import shutil
        import pytest

        @pytest.mark.npuperf("resnet50")
        @pytest.mark.parametrize("number", range(2))
        def test_speed(number):
            if number:
                shutil.rmtree("recordings/resnet50")
                shutil.copytree("recordings/other", "recordings/resnet50")

        @pytest.mark.npuperf("resnet50")
        def test_after(npu_profile):
            assert len(npu_profile.op_summary) == 2
        """
    )
    found = project.results(status=0)["cases"]
    counts = [sum(op["count"] for op in case["rounds"][0]["0"]["ops"]) for case in found]
    assert counts == [4, 2, 2]


def test_replay_and_check(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.record("slow", [["Conv2D", "AI_CORE", [100, 100]]])
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_own(npuperf):
            assert str(npuperf.check(npuperf.profile).verdict) == "PASSED"

        @pytest.mark.npuperf("resnet50")
        def test_keys(npuperf):
            npuperf.check(npuperf.profile, {"kernel_count": 3})

        @pytest.mark.npuperf("resnet50")
        def test_replayed(npuperf):
            npuperf.replay("recordings/slow")

        @pytest.mark.npuperf("resnet50")
        def test_name(npuperf):
            npuperf.check(npuperf.profile, "resnet50")

        @pytest.mark.npuperf("resnet50")
        def test_unknown(npuperf):
            npuperf.check(npuperf.profile, "resnet5")
        """
    )
    result = project.run("--npuperf-json=results.json")
    result.assert_outcomes(passed=2, failed=3)
    found = [
        (case["test"].rpartition("::")[2], case["case"], case["verdict"])
        for case in project.read()["cases"]
    ]
    assert found == [
        ("test_own", "resnet50", "PASSED"),
        ("test_keys", "test_it.py::test_keys", "FAILED"),
        ("test_replayed", "resnet50", "FAILED"),
        ("test_name", "resnet50", "PASSED"),
        ("test_unknown", "resnet5", "ERROR"),
    ]
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_keys: kernel_count 4, limit 3 (+33.3 %) *",
            "resnet50: kernel_time 200 us, limit 120 us (+66.7 %) *",
            'resnet5: *no budget of that name in pyproject.toml; did you mean "resnet50"?',
        ]
    )


def test_check_of_a_profile_that_the_test_opened(project: Project) -> None:
    project.budget('kernel_time = "119 us"')
    project.tests(
        """
        from pathlib import Path
        from pytest_npuperf.profile import open_profile

        def test_speed(npuperf):
            npuperf.check(open_profile(Path("recordings/resnet50")), "resnet50")
        """
    )
    assert project.verdicts(status=1) == {"test_speed": "FAILED"}


@pytest.mark.parametrize("use", ["npuperf.profile", "npuperf.run()", "npuperf.replay('x')"])
def test_an_unmarked_test_has_no_profile(project: Project, use: str) -> None:
    project.tests(f"def test_speed(npuperf):\n    {use}\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    message = "npuperf: the test names no budget; mark it @pytest.mark.npuperf(NAME)"
    assert message in result.outlines


CUSTOM = """
import pytest

@pytest.mark.npuperf("resnet50")
def test_speed(npuperf):
    npuperf.metric("{name}", {value}, "1/s")
"""
LIMIT = 'custom.throughput = { at_least = 400, better = "higher" }'


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("throughput", 400, "PASSED"),
        ("throughput", 399.5, "FAILED"),
        ("through", 500, "NOT_MEASURED"),
    ],
)
def test_a_number_of_the_test(project: Project, name: str, value: float, verdict: str) -> None:
    project.budget(LIMIT)
    project.tests(CUSTOM.format(name=name, value=value))
    status = int(verdict != "PASSED")
    (case,) = project.results(status=status)["cases"]
    (limit,) = case["limits"]
    assert limit["verdict"] == case["verdict"] == verdict
    assert limit["value"] == (None if verdict == "NOT_MEASURED" else value)


def test_a_number_of_the_test_is_shown_in_its_unit(project: Project) -> None:
    project.budget(LIMIT)
    project.tests(CUSTOM.format(name="throughput", value=380))
    result = project.run("--npuperf-json=results.json")
    assert result.ret == 1
    message = (
        "resnet50: custom.throughput 380 1/s, at least 400 1/s wanted (-5.0 %) [pyproject.toml:4]"
    )
    assert message in result.outlines
    result.stdout.fnmatch_lines(["FAILED *custom.throughput * 380 1/s *>= 400 1/s *"])
    assert project.read()["cases"][0]["limits"][0]["unit"] == "1/s"


def test_a_number_that_was_not_reported(project: Project) -> None:
    project.budget(LIMIT)
    project.tests()
    result = project.run()
    assert result.ret == 1
    message = (
        "resnet50: custom.throughput not measured: the test did not report it; "
        'call npuperf.metric("throughput", value, unit) [pyproject.toml:4]'
    )
    assert message in result.outlines


def test_a_number_that_nobody_judges(project: Project) -> None:
    project.tests('def test_speed(npuperf):\n    npuperf.metric("throughput", 400)\n')
    result = project.run()
    assert result.ret == 1
    message = (
        "npuperf: no budget judges the metric throughput; mark the test @pytest.mark.npuperf(NAME)"
    )
    assert message in result.outlines


def test_a_number_that_is_none(project: Project) -> None:
    project.budget(LIMIT)
    project.tests(CUSTOM.format(name="throughput", value="float('nan')"))
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["E*npuperf.metric('throughput'): nan is not a finite number"])


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("npuperf.metric('t', True)", "npuperf.metric('t'): True is not a finite number"),
        (
            "npuperf.metric('t', 3); npuperf.metric('t', 5)",
            "npuperf.metric('t') was reported before; report it once",
        ),
        ("npuperf.replay('')", "npuperf.replay(''): name a recording"),
    ],
)
def test_calls_that_cannot_be_meant(project: Project, calls: str, message: str) -> None:
    project.budget('kernel_time = "1 s"')
    project.tests(
        f"""
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npuperf):
            {calls}
        """
    )
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"E*{message}"])
