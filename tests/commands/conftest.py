"""What the tests of the command need: a way to start it, and a profile to look at."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from profile_tables import Op, api_statistic, msprof, op_statistic, op_summary, step_trace

Run = Callable[..., subprocess.CompletedProcess[str]]

SCRIPT = Path(sysconfig.get_path("scripts"), "npuperf")


def environment(**env: str) -> dict[str, str]:
    """Return the environment of a user who has set nothing that changes the output."""
    unset = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING")
    return {**{key: value for key, value in os.environ.items() if key not in unset}, **env}


@pytest.fixture
def npuperf() -> Run:
    """Return a function that runs the command as a user would, piped."""

    def run(*args: str | Path, **env: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [SCRIPT, *args],
            env=environment(**env),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Write a profile of two steps: three op types on two cores, and a collective."""
    ops = (
        Op("Conv2D", start=0, duration=3_000, name="conv_1"),
        Op("Add", "AI_VECTOR_CORE", start=4_000, duration=1_000, name="add_1"),
        Op("Conv2D", start=10_000, duration=5_000, name="conv_1"),
        Op("Cast", "AI_VECTOR_CORE", start=16_000, duration=1_000, name="cast_1"),
        Op("allReduce", "HCCL", start=18_000, duration=2_000, name="hcom_allReduce_1"),
    )
    return msprof(
        tmp_path / "run",
        op_summary=op_summary(*ops),
        op_statistic=op_statistic(*ops),
        step_trace=step_trace((0, 1, 1, 9_500, 9_500), (0, 1, 2, 20_000, 10_500)),
        api_statistic=api_statistic(
            ("host", "acl", "aclmdlExecute", "40.5", "2", "20.25", "20", "20.5"),
            ("host", "acl", "aclrtMalloc", "N/A", "3", "N/A", "1", "2"),
            ("host", "node", "launch", "0", "0", "0", "0", "0"),
        ),
    )
