"""A test whose case is over its budget fails as any other test does."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

OVER = 'kernel_time = "119.999 us"'
MESSAGE = "resnet50: kernel_time 120.000 us, limit 119.999 us (+0.0008 %) [pyproject.toml:4]"


def test_it_exits_with_1_and_says_both_numbers_apart(project: Project) -> None:
    project.budget(OVER)
    project.tests()
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [MESSAGE.replace("[", "[[]"), "FAILED test_it.py::test_speed - NotWithinBudget: *"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*gate.py*")


def test_at_the_limit_it_passes(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    project.tests()
    assert project.verdicts(status=0) == {"test_speed": "PASSED"}


@pytest.mark.parametrize("args", [[], ["-n", "1"]])
def test_junit_has_a_failure_and_flat_properties(project: Project, args: list[str]) -> None:
    if args:
        pytest.importorskip("xdist")
    project.budget(OVER)
    project.tests()
    project.run("--junitxml=out.xml", *args)
    text = (project.path / "out.xml").read_text(encoding="utf-8")
    suite = next(ET.fromstring(text).iter("testsuite"))
    assert (suite.get("failures"), suite.get("errors"), suite.get("tests")) == ("1", "0", "1")
    failure = next(suite.iter("failure"))
    assert failure.get("message") == f"NotWithinBudget: {MESSAGE}"
    found = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert found == {
        "npuperf.resnet50.verdict": "FAILED",
        "npuperf.resnet50.mode": "replayed (recorded 2026-07-16)",
        "npuperf.resnet50.kernel_time_ns": "120000",
        "npuperf.resnet50.kernel_time_ns.at_most": "119999",
        "npuperf.resnet50.kernel_time.verdict": "FAILED",
    }
    assert '{"' not in text


def test_the_users_own_properties_stay(project: Project) -> None:
    project.budget(OVER)
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(record_property):
            record_property("npuperf", "mine")
        """
    )
    assert project.run("--junitxml=out.xml", "-o", "junit_family=xunit1").ret == 1
    text = (project.path / "out.xml").read_text(encoding="utf-8")
    assert '<property name="npuperf" value="mine"' in text


TWO = """
import pytest

@pytest.mark.npuperf("resnet50")
def test_first():
    pass

def test_second():
    pass
"""


def test_exitfirst_stops_at_it(project: Project) -> None:
    project.budget(OVER)
    project.tests(TWO)
    result = project.run("-x")
    result.assert_outcomes(failed=1)


def test_last_failed_runs_it_again(project: Project) -> None:
    project.budget(OVER)
    project.tests(TWO)
    project.run().assert_outcomes(failed=1, passed=1)
    project.run("--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("limit", "status", "outcome"),
    [("119 us", 0, {"xfailed": 1}), ("120 us", 1, {"failed": 1})],
)
def test_strict_xfail_expects_it(
    project: Project, limit: str, status: int, outcome: dict[str, int]
) -> None:
    project.budget(f'kernel_time = "{limit}"')
    project.tests(
        """
        import pytest

        @pytest.mark.xfail(strict=True)
        @pytest.mark.npuperf("resnet50")
        def test_speed():
            pass
        """
    )
    result = project.run()
    assert result.ret == status
    result.assert_outcomes(**outcome)
    if status:
        result.stdout.fnmatch_lines(["*XPASS(strict)*"])


def test_several_limits_are_counted_and_listed(project: Project) -> None:
    project.budget(OVER, "kernel_count = 3", "idle_time = '1 s'")
    project.tests()
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "resnet50: kernel_count 4, limit 3 (+33.3 %) [[]pyproject.toml:5] (+1 more)",
            "* Captured npuperf call *",
            "resnet50: FAILED, replayed (recorded 2026-07-16)*",
            "*and 1 within budget*",
        ]
    )
