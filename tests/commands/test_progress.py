from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pytest_npuperf.commands.progress import progress
from pytest_npuperf.commands.show import look_at
from pytest_npuperf.profile import open_profile

EVENT = '{"name": "a", "ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 2}'
EVENTS = 50_000


class Terminal(io.StringIO):
    """A stderr in a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Return a timeline of several MiB."""
    path = tmp_path / "msprof_20260101000000.json"
    path.write_text("[" + ",".join([EVENT] * EVENTS) + "]", encoding="utf-8")
    return path


def test_a_terminal_sees_how_much_has_been_read(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    look_at(trace, 10, "layer")
    assert "reading" in terminal.getvalue()
    assert f"{trace.stat().st_size / 1e6:.1f} MB" in terminal.getvalue()


def test_nobody_looks_at_a_file(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    look_at(trace, 10, "layer")
    assert stderr.getvalue() == ""


def test_the_bytes_of_a_timeline_are_told_up_to_its_end(trace: Path) -> None:
    told: list[tuple[Path, int]] = []
    profile = open_profile(trace, on_bytes=lambda path, read: told.append((path, read)))
    assert profile.timeline["count"].tolist() == [EVENTS]
    assert {path for path, _ in told} == {trace}
    bytes_read = [read for _, read in told]
    assert bytes_read == sorted(bytes_read)
    assert bytes_read[-1] == trace.stat().st_size
    assert len(bytes_read) > 2


def test_a_file_that_has_vanished_has_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress() as on_bytes:
        assert on_bytes is not None
        on_bytes(tmp_path / "gone", 5)
    assert "reading" in terminal.getvalue()
