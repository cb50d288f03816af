"""Run one program with its output in a log, and leave nothing of it running."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

# Each process that the program starts inherits this variable, and is found by it again even when
# its parent has died or it has left the session.
MARK = "NPUPERF_ROUND"

# How many seconds a program is given to save its data after SIGINT (only to that msprof listens,
# stops its app and keeps what was recorded), and all that is left to end after SIGTERM.
INTERRUPT_S = 10.0
TERMINATE_S = 5.0
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

    When it returns or raises (KeyboardInterrupt too, which SIGTERM becomes), neither the program
    nor anything that it started is running. Raises OSError when the program or the log cannot be
    opened.
    """
    with _interrupted_by_sigterm():
        return _run(command, start)


def _run(command: Sequence[str], start: Start) -> Ended:
    mark = f"{MARK}={start.log}"
    process = None
    timed_out = False
    try:
        with start.log.open("ab") as log, _held_back() as held:
            process = _started(command, start, log.fileno())
        if held:
            raise KeyboardInterrupt
        process.wait(start.timeout_s)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as err:
        timed_out = isinstance(err, subprocess.TimeoutExpired)
        if process is not None:
            _interrupt(process, mark)
        if not timed_out:
            raise
    finally:
        # Also what the program left in the background: it would disturb the next measurement.
        # What never began has no session, and then nobody is to be ended.
        if process is not None:
            _end_all(process.pid, mark)
    assert process is not None
    status = process.poll()
    # None: even SIGKILL does not end what hangs in a driver.
    return Ended(-signal.SIGKILL if status is None else status, timed_out)


@contextmanager
def _held_back() -> Iterator[list[int]]:
    """Yield the interrupts that come while the block runs, instead of being interrupted.

    A program that is just being started could not be ended: nobody knows its number yet.
    """
    held: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, lambda got, _frame: held.append(got))
    try:
        yield held
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Let SIGTERM, by which CI ends a job that is cancelled, do what Ctrl-C does.

    SIGKILL (``kill -9``) cannot be caught: after it, the program and what it started run on.
    """
    # Python lets only its main thread set handlers; None is one that cannot be put back.
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is None:
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


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


def _interrupt(process: subprocess.Popen[bytes], mark: str) -> None:
    """Send what Ctrl-C sends, and give the program time to save what it has."""
    for pid in _living(process.pid, mark):
        _send(pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(INTERRUPT_S)


def _end_all(session: int, mark: str) -> None:
    """End every process of a session or with a mark; what does not listen is killed."""
    try:
        for pid in _living(session, mark):
            _send(pid, signal.SIGTERM)
        deadline = time.monotonic() + TERMINATE_S
        while _living(session, mark) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
    finally:
        # Also when another Ctrl-C cuts the waiting short.
        _kill(session, mark)


def _kill(session: int, mark: str) -> None:
    deadline = time.monotonic() + _KILL_S
    while (pids := _living(session, mark)) and time.monotonic() < deadline:
        for pid in pids:
            _send(pid, signal.SIGKILL)
        time.sleep(_POLL_S)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _living(session: int, mark: str) -> list[int]:
    """Return the processes of a session or with a mark in their environment, zombies left out."""
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [pid for pid in numbers if pid != os.getpid() and _belongs(pid, session, mark)]


def _belongs(pid: int, session: int, mark: str) -> bool:
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
