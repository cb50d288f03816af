"""What a project pays for the plugin when it does not use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

PLAIN = """
import sys

def test_imports():
    assert not {unwanted} & set(sys.modules)
"""

CONFTEST = """
import sys

def pytest_sessionfinish():
    assert not {unwanted} & set(sys.modules)
    print("looked", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("settings", "unwanted"),
    [
        (
            "",
            {"pandas", "numpy", "rich", "jsonschema", "jinja2", "pytest_npuperf.pipeline"},
        ),
        (
            '[tool.npuperf.budgets.resnet50]\nkernel_time = "1 ms"',
            {"pandas", "numpy", "rich", "pytest_npuperf.pipeline"},
        ),
    ],
    ids=["no table", "no marked test"],
)
def test_heavy_modules_stay_away(project: Project, settings: str, unwanted: set[str]) -> None:
    project.settings(settings)
    project.tests(PLAIN.format(unwanted=unwanted))
    project.pytester.makeconftest(CONFTEST.format(unwanted=unwanted))
    result = project.start()
    assert result.ret == 0, result.stdout.str()
    result.stderr.fnmatch_lines(["looked"])


def test_a_project_that_does_not_use_the_plugin_does_not_see_it(project: Project) -> None:
    project.tests("def test_plain(): pass")
    result = project.run("-v")
    assert result.ret == 0
    lines = [line for line in result.outlines if "npuperf" in line]
    # pytest itself names its plugins, and folders, which may be called anything.
    own = ("plugins:", "rootdir:", "platform ", "cachedir:")
    assert not [line for line in lines if not line.startswith(own)]
    assert not (project.path / ".npuperf").exists()
