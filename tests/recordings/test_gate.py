"""Real runs of pytest pass a recording at its values, and fail it one nanosecond below."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

# A run of pytest inside pytest forgets what it imported, and numpy cannot be imported twice.
import jsonschema  # noqa: F401
import pandas  # noqa: F401
import pytest

import pytest_npuperf.pipeline  # noqa: F401

pytestmark = pytest.mark.recordings

RULE = '[[tool.npuperf.budgets.recorded.ops]]\ntype = "MatMulV2"\ntask_type = "AI_CORE"\n'

CASES = [
    ("torch-npu-10-steps", 'kernel_time = "{} ns"', 888420, "kernel_time 888.420 us"),
    ("torch-npu-10-steps", 'step_time.p50 = "{} ns"', 375625, "step_time p50 375.625 us"),
    ("msprof-cann85-dsa", "kernel_count = {}", 9, "kernel_count 9"),
    ("msprof-ascend950-l1", 'busy_time = "{} ns"', 3071945267, "busy_time 3.071945267 s"),
    ("torch-npu-cann83-level2", 'busy_time = "{} ns"', 651464360, "busy_time 651.464360 ms"),
    ("torch-npu-910a-level1", 'kernel_time = "{} ns"', 10004648, "kernel_time 10.004648 ms"),
    ("torch-npu-level0", 'idle_time = "{} ns"', 25908114, "idle_time 25.908114 ms"),
    (
        "torch-npu-cann85",
        RULE + 'total = "{} ns"',
        327673060,
        "ops type=MatMulV2 task_type=AI_CORE total 327.673060 ms",
    ),
]


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no plugin but ours: each costs every run a part of a second."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def gated(pytester: pytest.Pytester, recordings: Path, name: str, limit: str) -> pytest.RunResult:
    toml = f"""
        [tool.pytest.ini_options]
        filterwarnings = ["error"]
        [tool.npuperf]
        recordings = {json.dumps(str(recordings))}
        [tool.npuperf.budgets.recorded]
        recording = "{name}"
    """
    lines = [line.strip() for line in toml.splitlines()] + [limit]
    pytester.makepyprojecttoml("\n".join(lines))
    pytester.makepyfile(
        'import pytest\n@pytest.mark.npuperf("recorded")\ndef test_it():\n    pass\n'
    )
    return pytester.runpytest_inprocess("-p", "npuperf", "--junitxml=out.xml")


def failures(pytester: pytest.Pytester) -> tuple[str | None, str | None, list[str | None]]:
    suite = next(ET.parse(pytester.path / "out.xml").iter("testsuite"))
    messages = [each.get("message") for each in suite.iter("failure")]
    return suite.get("failures"), suite.get("errors"), messages


@pytest.mark.parametrize(
    ("name", "limit", "value", "says"), CASES, ids=[f"{case[0]}-{case[3]}" for case in CASES]
)
def test_at_the_value_and_one_below(
    pytester: pytest.Pytester, recordings: Path, name: str, limit: str, value: int, says: str
) -> None:
    passed = gated(pytester, recordings, name, limit.format(value))
    assert passed.ret == 0, passed.stdout.str()
    assert failures(pytester) == ("0", "0", [])
    failed = gated(pytester, recordings, name, limit.format(value - 1))
    assert failed.ret == 1
    count, errors, (message,) = failures(pytester)
    assert (count, errors) == ("1", "0")
    assert message is not None
    assert message.startswith(f"NotWithinBudget: recorded: {says}, limit ")
    assert "Traceback" not in failed.stdout.str()


def test_no_ai_cpu_operators_cannot_be_told_at_level_0(
    pytester: pytest.Pytester, recordings: Path
) -> None:
    rule = '[[tool.npuperf.budgets.recorded.ops]]\ntask_type = "AI_CPU"\ncount = 0'
    result = gated(pytester, recordings, "torch-npu-level0", rule)
    assert result.ret == 1
    assert failures(pytester) == (
        "1",
        "0",
        [
            "NotWithinBudget: recorded: ops task_type=AI_CPU count not measured: kernel_details "
            "has no Accelerator Core in 187 of 191 rows, first in row 1 [pyproject.toml:10]"
        ],
    )
