"""``--npuperf-explain`` says where each number comes from, and runs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project


@pytest.mark.parametrize("args", [[], ["-n", "2"], ["-q"]], ids=" ".join)
def test_each_number_and_its_place(project: Project, args: list[str]) -> None:
    if "-n" in args:
        pytest.importorskip("xdist")
    project.budget(
        'kernel_time = "120 us"',
        '[tool.npuperf.budgets.resnet50.on."Ascend910B*"]',
        'kernel_time = "60 us"',
    )
    project.budget('busy_time = "1 ms"', name="spare")
    project.tests(
        """
        import pytest

        @pytest.mark.npuperf("resnet50", kernel_count=4)
        def test_speed():
            open("ran", "w").close()

        @pytest.mark.npuperf("resnet")
        def test_wrong():
            pass
        """
    )
    result = project.run("--npuperf-explain", *args)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            'test_it.py::test_wrong: marker npuperf("resnet"): no budget of that name *',
            "resnet50.kernel_time  *at most 120 us *pyproject.toml:4 (budget)",
            "resnet50.kernel_count *at most 4 *test_it.py::test_speed (marker)",
            "resnet50.kernel_time  *at most 60 us *pyproject.toml:6 (on Ascend910B[*])",
            "spare.busy_time  *at most 1 ms *pyproject.toml:10 (budget)",
        ]
    )
    result.stdout.no_fnmatch_line("*no test uses*")
    assert not (project.path / "ran").exists()
    assert not (project.path / ".npuperf").exists()


def test_without_tests(project: Project) -> None:
    project.budget('kernel_time = "120 us"')
    result = project.run("--npuperf-explain")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["resnet50.kernel_time *"])


def test_without_anything(project: Project) -> None:
    result = project.run("--npuperf-explain")
    assert result.ret == 0
    assert "npuperf: no budget and no marked test" in result.outlines
