from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from pytest_npuperf.collect.process import Ended, Start, run_program


@pytest.fixture
def start(tmp_path: Path) -> Start:
    env = {**os.environ, "PIDS": str(tmp_path)}
    return Start(tmp_path, env, tmp_path / "log", timeout_s=60)


@pytest.mark.parametrize(
    ("script", "ended"),
    [
        ("exit 0", Ended(0)),
        ("exit 7", Ended(7)),
        ("kill -TERM $$", Ended(-signal.SIGTERM)),
    ],
)
def test_how_a_program_ends(start: Start, script: str, ended: Ended) -> None:
    assert run_program(["/bin/sh", "-c", script], start) == ended


def test_both_outputs_are_added_to_the_log(start: Start) -> None:
    start.log.write_text("before\n")
    run_program(["/bin/sh", "-c", "pwd; echo oh >&2; printf end"], start)
    assert start.log.read_text() == f"before\n{start.cwd}\noh\nend"


def test_what_is_typed_does_not_reach_the_program(start: Start) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"typed")
    os.close(writer)
    standard = os.dup(0)
    os.dup2(reader, 0)
    try:
        run_program(["/bin/cat"], start)
    finally:
        os.dup2(standard, 0)
        os.close(standard)
        os.close(reader)
    assert start.log.read_text() == ""


def test_no_shell_reads_the_arguments(start: Start) -> None:
    run_program(["/bin/echo", "$HOME;", "*", "a  b"], start)
    assert start.log.read_text() == "$HOME; * a  b\n"


def test_a_program_that_cannot_start_ends_nobody(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(pid: int, number: int) -> None:
        raise AssertionError(f"{pid} was sent signal {number}")

    # In a container, processes of the host are in session 0.
    monkeypatch.setattr("os.kill", kill)
    with pytest.raises(FileNotFoundError):
        run_program(["/nonexistent"], start)


@pytest.mark.parametrize(
    "detach",
    [
        "sh -c 'echo $$ > \"$PIDS/pid\"; exec sleep 1000' &",
        "setsid sh -c 'echo $$ > \"$PIDS/pid\"; exec sleep 1000' &",
        # Without the environment it is found by its session.
        'env -i PIDS="$PIDS" sh -c \'echo $$ > "$PIDS/pid"; exec sleep 1000\' &',
    ],
)
def test_what_runs_on_in_the_background_is_ended(
    start: Start,
    wait_for_pid: Callable[[Path], int],
    is_running: Callable[[int], bool],
    detach: str,
) -> None:
    wait = 'while [ ! -s "$PIDS/pid" ]; do sleep 0.01; done'
    assert run_program(["/bin/sh", "-c", f"{detach}\n{wait}"], start) == Ended(0)
    assert not is_running(wait_for_pid(start.cwd / "pid"))


def test_a_listening_program_may_end_in_its_own_way(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "trap 'echo saved; exit 3' INT; while true; do sleep 0.05; done"
    slow = Start(start.cwd, start.env, start.log, timeout_s=0.5)
    assert run_program(["/bin/sh", "-c", script], slow) == Ended(3, timed_out=True)
    assert start.log.read_text() == "saved\n"


def test_a_neighbour_is_left_alone(start: Start, is_running: Callable[[int], bool]) -> None:
    neighbour = os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1000")
    try:
        run_program(["/bin/sh", "-c", "sleep 1000 & exit 0"], start)
        assert is_running(neighbour)
    finally:
        os.kill(neighbour, signal.SIGKILL)
        os.waitpid(neighbour, 0)


def _handler(_number: int, _frame: FrameType | None) -> None:
    raise AssertionError("the signal was not taken over")


@pytest.fixture
def own_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, _handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("own_handler")
def test_sigterm_interrupts_and_its_handler_is_put_back(
    start: Start, wait_for_pid: Callable[[Path], int], is_running: Callable[[int], bool]
) -> None:
    script = f'echo $$ > "$PIDS/pid"; kill -TERM {os.getpid()}; exec sleep 1000'
    with pytest.raises(KeyboardInterrupt):
        run_program(["/bin/sh", "-c", script], start)
    assert not is_running(wait_for_pid(start.cwd / "pid"))
    assert signal.getsignal(signal.SIGTERM) is _handler
    assert run_program(["/bin/true"], start) == Ended(0)
    assert signal.getsignal(signal.SIGTERM) is _handler


def test_a_thread_sets_no_handler(start: Start) -> None:
    ended: list[Ended] = []
    thread = threading.Thread(target=lambda: ended.append(run_program(["/bin/true"], start)))
    thread.start()
    thread.join()
    assert ended == [Ended(0)]
