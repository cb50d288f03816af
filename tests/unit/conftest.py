"""What several unit tests need: the stand-in for msprof, and apps to start."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

STANDIN = Path(__file__).parent.parent / "standin"


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the stand-in for msprof first on PATH, and take away what would change it."""
    for name in [name for name in os.environ if name.startswith(("STANDIN_", "ASCEND_"))]:
        monkeypatch.delenv(name)
    # Its Python is the one of the tests: that of pyenv is a shell script, which takes longer.
    path = [str(STANDIN), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    return STANDIN / "msprof"


@pytest.fixture
def make_app(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a shell script and makes it executable."""

    def make(text: str = "echo running", name: str = "main") -> Path:
        app = tmp_path / "app" / name
        app.parent.mkdir(exist_ok=True)
        app.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        app.chmod(0o755)
        return app

    return make


@pytest.fixture
def wait_for_pid() -> Callable[[Path], int]:
    """Return a function that waits until a process has written its number into a file."""

    def wait(path: Path) -> int:
        deadline = time.monotonic() + 60
        while not (path.exists() and path.read_text(encoding="utf-8").endswith("\n")):
            assert time.monotonic() < deadline, f"{path} was never written"
            time.sleep(0.01)
        return int(path.read_text(encoding="utf-8"))

    return wait


@pytest.fixture
def is_running() -> Callable[[int], bool]:
    """Return a function that tells whether a process lives; a zombie does not."""

    def running(pid: int) -> bool:
        try:
            status = Path("/proc", str(pid), "stat").read_bytes()
        except OSError:
            return False
        return status.rpartition(b")")[2].split()[0] not in (b"Z", b"X")

    return running
