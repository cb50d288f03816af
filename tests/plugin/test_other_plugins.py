"""The gate beside other plugins and other ways to write and run tests."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

WITHIN, OVER = 'kernel_time = "120 us"', 'kernel_time = "119 us"'


@pytest.fixture
def all_plugins(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project whose runs have every plugin that is installed."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    return project


@pytest.mark.parametrize(
    "args",
    [
        ["-W", "error"],
        ["-p", "no:cacheprovider"],
        ["-p", "no:terminal"],
        ["-p", "no:terminal", "--junitxml=out.xml"],
        ["--strict-markers", "--strict-config"],
        ["--import-mode=importlib"],
        ["-q", "-q"],
        ["--tb=no"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(("limit", "verdict"), [(WITHIN, "PASSED"), (OVER, "FAILED")])
def test_any_way_to_run_pytest(project: Project, args: list[str], limit: str, verdict: str) -> None:
    project.budget(limit)
    project.tests()
    status = int(verdict == "FAILED")
    assert project.verdicts(*args, status=status) == {"test_speed": verdict}


def test_strict_markers_in_the_ini_file(project: Project) -> None:
    project.pytester.makeini("[pytest]\naddopts = --strict-markers\nxfail_strict = true\n")
    project.budget(WITHIN)
    project.tests()
    assert project.verdicts(status=0) == {"test_speed": "PASSED"}


def test_xdist(project: Project) -> None:
    pytest.importorskip("xdist")
    project.budget(OVER)
    project.budget(WITHIN, name="within")
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_over():
            pass

        @pytest.mark.npuperf("within")
        @pytest.mark.parametrize("number", [1, 2, 3])
        def test_within(number):
            pass
        """
    )
    found = project.verdicts("-n", "2", status=1)
    assert found == {
        "test_over": "FAILED",
        **{f"test_within[{number}]": "PASSED" for number in (1, 2, 3)},
    }


def test_a_worker_that_crashes_leaves_what_others_found(project: Project) -> None:
    pytest.importorskip("xdist")
    project.budget(WITHIN)
    project.budget(WITHIN, name="lost")
    (project.path / "baselines" / "gone").mkdir(parents=True)
    (project.path / "baselines" / "gone" / "Ascend310P3.json").touch()
    project.tests(
        """
        import os
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed():
            pass

        @pytest.mark.npuperf("lost")
        def test_crash():
            os._exit(1)
        """
    )
    found = project.results("-n", "2", status=1)
    assert [case["case"] for case in found["cases"]] == ["resnet50"]
    # Nobody knows what the worker would have run.
    assert found["not_checked"] == []


RERUNS = ("-p", "rerunfailures", "--reruns", "2")


@pytest.mark.parametrize("args", [[], ["-n", "1"]])
def test_a_rerun_replaces_what_was_found(project: Project, args: list[str]) -> None:
    pytest.importorskip("pytest_rerunfailures")
    if args:
        pytest.importorskip("xdist")
    project.budget('custom.tries = { at_least = 3, better = "higher" }')
    project.tests(
        """
        import pathlib
        import pytest

        @pytest.mark.npuperf("resnet50")
        def test_speed(npuperf):
            with open("tries", "a") as file:
                file.write("x")
            npuperf.metric("tries", len(pathlib.Path("tries").read_text()))
        """
    )
    (case,) = project.results(*RERUNS, "--junitxml=out.xml", *args, status=0)["cases"]
    assert (case["verdict"], case["limits"][0]["value"]) == ("PASSED", 3)
    text = (project.path / "out.xml").read_text(encoding="utf-8")
    assert text.count('name="npuperf.resnet50.verdict"') == 1


def test_reruns_that_all_fail_leave_one_result(project: Project) -> None:
    pytest.importorskip("pytest_rerunfailures")
    project.budget(OVER)
    project.tests()
    assert len(project.results(*RERUNS, status=1)["cases"]) == 1


SUBTESTS = """
import os
import pytest

@pytest.mark.npuperf("resnet50")
def test_speed(subtests):
    for number in range(3):
        with subtests.test(number=number):
            assert number != {wrong}
"""


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="subtests came with pytest 9")
@pytest.mark.parametrize(
    ("limit", "wrong", "verdict", "status"),
    [(WITHIN, 3, "PASSED", 0), (OVER, 3, "FAILED", 1), (WITHIN, 1, "PASSED", 1)],
)
def test_subtests(project: Project, limit: str, wrong: int, verdict: str, status: int) -> None:
    project.budget(limit)
    project.tests(SUBTESTS.format(wrong=wrong))
    assert project.verdicts(status=status) == {"test_speed": verdict}


UNITTEST = """
import os
import unittest
import os
import pytest

class TestSpeed(unittest.TestCase):
    @pytest.mark.npuperf("resnet50")
    def test_speed(self):
        {body}
"""


@pytest.mark.parametrize(("limit", "verdict"), [(WITHIN, "PASSED"), (OVER, "FAILED")])
def test_unittest(project: Project, limit: str, verdict: str) -> None:
    project.budget(limit)
    project.tests(UNITTEST.format(body="pass"))
    status = int(verdict == "FAILED")
    assert project.verdicts(status=status) == {"test_speed": verdict}


@pytest.mark.parametrize(
    ("body", "status"),
    [("self.assertEqual(1, 2)", 1), ("raise ValueError", 1), ("self.skipTest('no')", 0)],
)
def test_a_unittest_that_fails_is_not_judged(project: Project, body: str, status: int) -> None:
    project.budget(WITHIN)
    project.tests(UNITTEST.format(body=body))
    found = project.results(status=status)
    assert found["cases"] == []
    reason = "its test failed or was skipped before it was judged"
    assert found["not_checked"] == [{"case": "resnet50", "reason": reason}]


@pytest.mark.parametrize(("limit", "verdict"), [(WITHIN, "PASSED"), (OVER, "FAILED")])
def test_asyncio(project: Project, limit: str, verdict: str) -> None:
    pytest.importorskip("pytest_asyncio")
    project.budget(limit)
    project.tests(
        """
        import asyncio
        import pytest

        @pytest.mark.asyncio
        @pytest.mark.npuperf("resnet50")
        async def test_speed(npu_profile):
            await asyncio.sleep(0)
            assert len(npu_profile.op_summary) == 4
        """
    )
    status = int(verdict == "FAILED")
    options = "asyncio_default_fixture_loop_scope=function"
    found = project.verdicts("-p", "asyncio", "-o", options, status=status)
    assert found == {"test_speed": verdict}


def test_cov(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pytest_cov")
    # Who measures the coverage of these tests has data of another kind in the same place.
    for name in [name for name in os.environ if name.startswith("COVERAGE")]:
        monkeypatch.delenv(name)
    project.budget(OVER)
    project.tests()
    result = project.start("-p", "pytest_cov", "--cov=test_it")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*test_it.py*100%*"])


def test_python_m_pytest_beside_all_plugins_that_are_installed(
    all_plugins: Project,
) -> None:
    pytest.importorskip("pytest_randomly")
    all_plugins.budget(OVER)
    all_plugins.tests()
    result = all_plugins.pytester.run(sys.executable, "-m", "pytest", "-p", "no:asyncio")
    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["Using --randomly-seed=*", "resnet50: kernel_time 120 us, limit 119 us*"]
    )


def test_two_runs_in_one_process(project: Project) -> None:
    project.budget(OVER)
    project.tests()
    script = project.path / "twice.py"
    args = ["-q", "-p", "npuperf"]
    script.write_text(f"import pytest\nprint([int(pytest.main({args})) for _ in range(2)])\n")
    result = project.pytester.runpython(script)
    result.stdout.fnmatch_lines(["[[]1, 1]"])


def test_without_the_plugin_nothing_is_gated(all_plugins: Project) -> None:
    all_plugins.budget(OVER)
    all_plugins.tests()
    result = all_plugins.pytester.runpytest_inprocess(
        "-p", "no:npuperf", "-p", "no:asyncio", "-p", "no:randomly"
    )
    assert result.ret == 0
    result.stdout.no_fnmatch_line("npuperf:*")
