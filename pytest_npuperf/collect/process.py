"""Run one program with its output in a log, and leave nothing of it running."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Each process that the program starts inherits this variable, and is found by it again even when
# its parent has died or it has left the session.
MARK = "NPUPERF_ROUND"

# How the end is asked for, and how many seconds each request is given. The first is Ctrl-C: only
# to that msprof listens, stops its app and keeps what was recorded.
ENDING = ((signal.SIGINT, 10.0), (signal.SIGTERM, 5.0))
_KILL_S = 10.0
_POLL_S = 0.02


@dataclass(frozen=True)
class Ended:
    """How a program ended; a negative status is the signal that ended it."""

    status: int
    timed_out: bool = False


@dataclass(frozen=True)
class Start:
    """All that is the same for every program of a round."""

    cwd: Path
    env: Mapping[str, str]
    log: Path
    timeout_s: float


def run_program(command: Sequence[str], start: Start) -> Ended:
    """Run a command without a shell and return how it ended; its output is added to the log.

    When it returns or raises (KeyboardInterrupt too), neither the program nor anything that it
    started is running. Raises OSError when the program or the log cannot be opened.
    """
    mark = f"{MARK}={start.log}"
    process = None
    with start.log.open("ab") as log:
        try:
            process = _started(command, start, log.fileno())
            timed_out = not _waited(process, start.timeout_s)
            if timed_out:
                _end_all(process.pid, mark)
            return Ended(process.wait(), timed_out)
        finally:
            # What the program left in the background would disturb the next measurement.
            _end_all(process.pid if process else None, mark)
            if process:
                process.wait()


def _started(command: Sequence[str], start: Start, log: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=start.cwd,
        env={**start.env, MARK: str(start.log)},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _waited(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _end_all(session: int | None, mark: str) -> None:
    """End every process of a session or with a mark; what does not listen is killed."""

    def living() -> list[int]:
        return _living(session, mark)

    try:
        for number, seconds in ENDING:
            if _gone_after(number, seconds, living):
                return
    finally:
        # Also when a second Ctrl-C cuts the waiting short.
        _kill(living)


def _gone_after(number: int, seconds: float, living: Callable[[], list[int]]) -> bool:
    """Send a signal to what lives, and return whether all of it is gone in time."""
    for pid in living():
        _send(pid, number)
    deadline = time.monotonic() + seconds
    while living():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _kill(living: Callable[[], list[int]]) -> None:
    deadline = time.monotonic() + _KILL_S
    while (pids := living()) and time.monotonic() < deadline:
        for pid in pids:
            _send(pid, signal.SIGKILL)
        time.sleep(_POLL_S)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _living(session: int | None, mark: str) -> list[int]:
    """Return the processes of a session or with a mark in their environment, zombies left out."""
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [pid for pid in numbers if pid != os.getpid() and _belongs(pid, session, mark)]


def _belongs(pid: int, session: int | None, mark: str) -> bool:
    folder = Path("/proc", str(pid))
    try:
        # The name in parentheses may hold anything; behind it: state, parent, group, session ...
        fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
        if fields[0] in (b"Z", b"X"):
            return False
        if int(fields[3]) == session:
            return True
        return os.fsencode(mark) in (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        # Gone meanwhile, or another user's.
        return False
