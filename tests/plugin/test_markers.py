"""Which marker counts, and what a wrong one says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

NEAREST = """
import pytest

pytestmark = pytest.mark.npuperf("module")

def test_module():
    pass

@pytest.mark.npuperf("function")
def test_function():
    pass

@pytest.mark.npuperf("function")
@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.npuperf("parameter"))])
def test_parameter(n):
    pass

class TestPlain:
    def test_of_module(self):
        pass

@pytest.mark.npuperf("parent")
class TestParent:
    def test_parent(self):
        pass

    @pytest.mark.npuperf("function")
    def test_method(self):
        pass

@pytest.mark.npuperf("child")
class TestChild(TestParent):
    pass

class TestHeir(TestParent):
    pass
"""


def test_the_nearest_marker_wins(project: Project) -> None:
    for name in ("module", "function", "parameter", "parent", "child"):
        project.budget('kernel_time = "1 ms"', name=name)
    project.tests(NEAREST)
    cases = project.results(status=0)["cases"]
    assert {case["test"].partition("::")[2]: case["case"] for case in cases} == {
        "test_module": "module",
        "test_function": "function",
        "test_parameter[1]": "function",
        "test_parameter[2]": "parameter",
        "TestPlain::test_of_module": "module",
        "TestParent::test_parent": "parent",
        "TestParent::test_method": "function",
        "TestChild::test_parent": "child",
        "TestChild::test_method": "function",
        "TestHeir::test_parent": "parent",
        "TestHeir::test_method": "function",
    }


@pytest.mark.parametrize("node", ["item", "item.getparent(pytest.Class)"])
def test_a_marker_that_a_hook_adds_is_nearer_than_what_is_written(
    project: Project, node: str
) -> None:
    project.budget('kernel_time = "1 ms"', name="written")
    project.budget('kernel_time = "1 ms"', name="added")
    project.pytester.makeconftest(
        f"""
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_collection_modifyitems(items):
            for item in items:
                {node}.add_marker(pytest.mark.npuperf("added"))
        """
    )
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("written")
        class TestIt:
            def test_speed(self):
                pass
        """
    )
    (case,) = project.results(status=0)["cases"]
    assert case["case"] == "added"


def test_a_marker_without_a_name_is_a_budget_of_its_own(project: Project) -> None:
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf(recording="resnet50", kernel_time="119 us")
        def test_speed():
            pass
        """
    )
    result = project.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "test_it.py::test_speed: kernel_time 120 us, limit 119 us (+0.8 %) "
            "[[]test_it.py::test_speed (marker)]"
        ]
    )


WRONG = {
    '"resnet5"': (
        'marker npuperf("resnet5"): no budget of that name in pyproject.toml; '
        'did you mean "resnet50"?'
    ),
    '"resnet50", "other"': "marker npuperf takes one budget name, not 2",
    '"../x"': (
        "marker npuperf('../x'): not a budget name; "
        "write letters, digits, dots, dashes and underscores"
    ),
    "50": (
        "marker npuperf(50): not a budget name; write letters, digits, dots, dashes and underscores"
    ),
    '""': (
        "marker npuperf(''): not a budget name; write letters, digits, dots, dashes and underscores"
    ),
    "": 'marker npuperf names no budget; write npuperf("NAME"), or give it limits',
    '"resnet50", kernel_tim="1 ms"': (
        'test_it.py::test_6 (marker): kernel_tim: unknown metric or key "kernel_tim"; '
        'did you mean "kernel_time"?'
    ),
    '"resnet50", kernel_time=5': (
        'test_it.py::test_7 (marker): kernel_time: 5 has no unit; write "5 us", "5 ms" or "5 s"'
    ),
}


COSTLY = """
import pytest

@pytest.fixture
def costly():
    raise AssertionError("not reached")

def test_other():
    pass
"""
WRONG_TEST = """
@pytest.mark.npuperf({arguments})
def test_{number}(costly):
    pass
"""


@pytest.mark.parametrize("args", [(), ("-n", "1")], ids=["plain", "xdist"])
def test_a_wrong_marker_fails_its_test_in_setup_with_one_line(
    project: Project, args: tuple[str, ...]
) -> None:
    if args:
        pytest.importorskip("xdist")
    project.budget('kernel_time = "1 ms"')
    tests = (WRONG_TEST.format(arguments=each, number=i) for i, each in enumerate(WRONG))
    project.tests(COSTLY + "".join(tests))
    result = project.run(*args)
    assert result.ret == 1
    result.assert_outcomes(errors=len(WRONG), passed=1)
    told = [f"ERROR at setup of test_{i}\n{message}" for i, message in enumerate(WRONG.values())]
    told.append("not checked: resnet50: the marker of its test is wrong")
    lines = [line.strip("_ ") for line in result.outlines if not line.startswith("[gw0] ")]
    assert "\n".join(told) in "\n".join(lines)
    result.stdout.no_fnmatch_line("*not reached*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_without_settings_a_name_is_unknown(project: Project) -> None:
    project.tests()
    result = project.run()
    assert result.ret == 1
    message = (
        'marker npuperf("resnet50"): no budget of that name: '
        "there is no [tool.npuperf] in pyproject.toml"
    )
    assert message in result.outlines


def test_two_markers_on_one_function(project: Project) -> None:
    project.budget('kernel_time = "1 ms"')
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50")
        @pytest.mark.npuperf("resnet50", rounds=2)
        def test_speed():
            pass
        """
    )
    result = project.run()
    result.assert_outcomes(errors=1)
    assert "two npuperf markers on one function; one is wanted" in result.outlines


SAME_NAME = """
import pytest

@pytest.mark.npuperf("resnet50", kernel_time="{first}")
def test_b():
    pass

@pytest.mark.npuperf("resnet50", kernel_time="1 ms")
def test_a():
    pass
"""


def test_two_tests_that_give_one_name_different_settings_both_fail(project: Project) -> None:
    project.budget('kernel_time = "1 ms"')
    project.tests(SAME_NAME.format(first="2 ms"))
    result = project.run()
    result.assert_outcomes(errors=2)
    for other in ("test_a", "test_b"):
        message = (
            f'npuperf("resnet50"): test_it.py::{other} gives this budget other settings; '
            "name one of them differently"
        )
        assert message in result.outlines
    result.stdout.fnmatch_lines(["not checked: resnet50: the marker of its test is wrong"])
    result.stdout.no_fnmatch_line("*no test uses*")


def test_two_tests_with_the_same_settings_share_a_name(project: Project) -> None:
    project.budget('kernel_time = "1 ms"')
    project.tests(SAME_NAME.format(first="1 ms"))
    assert project.verdicts(status=0) == {"test_a": "PASSED", "test_b": "PASSED"}


def test_the_marker_is_described(project: Project) -> None:
    result = project.run("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.npuperf(budget=None, /, **keys): gate the *"])
