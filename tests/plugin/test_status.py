"""The line below that of the test, while its app runs."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_run_mode import app, live

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

__all__ = ["live"]  # a fixture

BELOW = re.compile(r"\r?\n\r\x1b\[K([^\x1b\r\n]*)\x1b\[A\x1b\[(\d+)G")
"""A line written below, and the column that the cursor goes back to."""


def on_a_terminal(project: Project, *args: str) -> str:
    """Run pytest on a terminal of 100 columns, and return all that it wrote."""
    # Python that is started in a terminal of its own, which it controls.
    start = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    pytest_run = ["-m", "pytest", "-p", "npuperf", "--npuperf-mode=run", *args]
    command = [sys.executable, "-c", start, sys.executable, *pytest_run]
    ended = subprocess.run(
        command, cwd=project.path, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert ended.returncode == 0, ended
    return ended.stdout.decode()


def test_each_round_is_told_below_the_line_of_the_test(
    live: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    app(live, "test -e ran || { touch ran; sleep 1.1; }")
    written = on_a_terminal(live, "--npuperf-rounds=2")
    told = [text for text, _ in BELOW.findall(written)]
    assert [text for text in told if text.endswith((":00", ":01"))] == [
        "npuperf: resnet50: round 1 of 2, 0:00",
        "npuperf: resnet50: round 1 of 2, 0:01",
        "npuperf: resnet50: round 2 of 2, 0:00",
    ]
    # Taken back in the end, with the cursor where it was, so that pytest writes on.
    assert told[-1] == ""
    assert {column for _, column in BELOW.findall(written)} == {str(len("test_it.py ") + 1)}
    assert "test_it.py ." in re.sub(r"\x1b\[[0-9;]*m", "", BELOW.sub("", written))


@pytest.mark.parametrize("where", ["a dumb terminal", "a pipe", "a worker"])
def test_nothing_is_told_where_nobody_looks(
    where: str, live: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb" if where == "a dumb terminal" else "xterm")
    if where == "a pipe":
        written = live.start("--npuperf-mode=run").stdout.str()
    else:
        workers = ["-p", "xdist", "-n1"] if where == "a worker" else []
        written = on_a_terminal(live, *workers)
    assert "1 passed" in written
    assert "round 1 of 1" not in written
