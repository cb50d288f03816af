"""Kill writers of baselines at random moments: each file stays whole, and no session is lost.

The writers are forks of a process of their own, this file as a program, as a fork of pytest would
take its threads and files along.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import traceback
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.model import (
    LaneMeasurement,
    Limit,
    Measurement,
    OpRow,
    Session,
    Value,
    Wanted,
)
from pytest_npuperf.results import add_session, baseline_path, baselines, read_baseline
from pytest_npuperf.units import Dimension

WRITERS, KILLS, KILLS_OF_A_CASE = 4, 200, 5
SOCS = ("Ascend310P3", "Ascend910B3")
BUSY = Wanted("busy_time")
BETWEEN_KILLS = 1
"""The longest time between two, in times of what it takes to add a session."""


def test_no_session_is_lost_where_writers_are_killed(tmp_path: Path) -> None:
    command = [sys.executable, __file__, str(tmp_path / "baselines")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    kills, added = map(int, done.stdout.split())
    assert kills == KILLS
    assert added > KILLS // KILLS_OF_A_CASE


# --- the program --------------------------------------------------------------------------------


def main(folder: Path) -> None:
    """Print how many writers were killed, and how many sessions they have added."""
    baselines.MOST_SESSIONS = sys.maxsize
    pace = BETWEEN_KILLS * seconds_to_add(folder.with_name("pace"))
    told = folder.with_name("told")
    folder.mkdir()
    kills = kill_writers(folder, told, pace)
    lines = told.read_text(encoding="ascii").splitlines()
    check_none_is_lost(folder, lines)
    check_that_leftovers_go(folder)
    sys.stdout.write(f"{kills} {len(lines)}\n")


def seconds_to_add(folder: Path) -> float:
    path = baseline_path(folder, "case", SOCS[0])
    add_session(path, "case", SOCS[0], session("imports what writers need"), replace=False)
    start = time.monotonic()
    add_session(path, "case", SOCS[0], session("timed"), replace=False)
    return time.monotonic() - start


def kill_writers(folder: Path, told: Path, pace: float) -> int:
    chance = random.Random(4)
    writers = [start_writer(folder, told, "case0") for _ in range(WRITERS)]
    kills = 0
    try:
        while kills < KILLS:
            time.sleep(chance.uniform(0, pace))
            stop(writers.pop(chance.randrange(WRITERS)))
            case = f"case{kills // KILLS_OF_A_CASE}"
            check_files(folder / case)
            writers.append(start_writer(folder, told, case))
            kills += 1
    finally:
        for writer in writers:
            kill(writer)
    return kills


def start_writer(folder: Path, told: Path, case: str) -> int:
    parent = os.getpid()
    writer = os.fork()
    if writer:
        return writer
    try:
        log = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        add_while_lives(parent, folder, log, case)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def add_while_lives(parent: int, folder: Path, log: int, case: str) -> None:
    number = 0
    while os.getppid() == parent:
        soc = SOCS[number % len(SOCS)]
        reason = f"{os.getpid()}-{number}"
        add_session(baseline_path(folder, case, soc), case, soc, session(reason), replace=False)
        os.write(log, f"{case} {soc} {reason}\n".encode())
        number += 1


def session(reason: str) -> Session:
    ops = tuple(OpRow("Conv2D", "AI_CORE", 1, total, reason) for total in range(20))
    lane = LaneMeasurement({BUSY: Value(Fraction(1_710_000))}, ops)
    return Session((Measurement({"0": lane}),), "2026-01-31T12:00:00Z", reason=reason)


def stop(writer: int) -> None:
    assert os.WIFSIGNALED(kill(writer)), "a writer ended by itself"


def kill(writer: int) -> int:
    os.kill(writer, signal.SIGKILL)
    return os.waitpid(writer, 0)[1]


def reasons(path: Path) -> list[str]:
    found = read_baseline(path, [Limit(BUSY, Dimension.TIME)])
    assert found is not None
    assert all(len(each.rounds[0].lanes["0"].ops) == 20 for each in found.sessions)
    return [each.reason for each in found.sessions]


def check_files(folder: Path) -> None:
    """Check that each file is whole, or is no baseline by its name."""
    for path in folder.glob("*"):
        assert path.suffix in (".json", ".part"), path
        if path.suffix == ".json":
            reasons(path)


def check_none_is_lost(folder: Path, told: list[str]) -> None:
    files = {(path.parent.name, path.stem): reasons(path) for path in folder.rglob("*.json")}
    for line in told:
        case, soc, reason = line.split()
        assert files[case, soc].count(reason) == 1, line
    # Killed before it could tell, a writer may have added one more.
    assert sum(map(len, files.values())) <= len(told) + KILLS + WRITERS


def check_that_leftovers_go(folder: Path) -> None:
    for case in folder.iterdir():
        for soc in SOCS:
            add_session(case / f"{soc}.json", case.name, soc, session("last"), replace=False)
        assert sorted(path.name for path in case.iterdir()) == [f"{soc}.json" for soc in SOCS]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
