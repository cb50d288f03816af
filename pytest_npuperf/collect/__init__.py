"""Obtain the profiles of a case: run its app on an NPU, or replay a recording."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from pathlib import Path

from pytest_npuperf.collect.devices import find_npus
from pytest_npuperf.collect.record import save_recording
from pytest_npuperf.collect.replay import replay
from pytest_npuperf.collect.run import Watch, run
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected, Unavailable

__all__ = ["Watch", "collect", "collect_more", "find_npus", "replay", "save_recording"]


def collect(
    case: Case, folder: Path, dev: Path = Path("/dev"), watch: Watch = nullcontext
) -> Collected | Unavailable:
    """Return where the profiles of a case are, one folder for each round.

    ``folder`` is absolute, fresh and this case's own; a run writes ``round_1``, ``round_1.log`` ...
    into it. ``dev`` is where device nodes are looked for; only ``auto`` decides by them. ``watch``
    is told of each round. Raises CollectError: its first line says what happened, and where a
    program ran, the last lines of its log follow, indented.
    """
    if case.mode == "off":
        return Unavailable('mode = "off": nothing is collected')
    if case.mode == "replay":
        return _replayed(case, _recording(case))
    if case.mode == "run":
        return run(_with_app(case), folder, dev, watch=watch)
    if case.app and find_npus(dev):
        return run(case, folder, dev, watch=watch)
    return _without_npu(case, dev)


def collect_more(
    case: Case,
    folder: Path,
    dev: Path,
    collected: Collected,
    rounds: int,
    watch: Watch = nullcontext,
) -> Collected:
    """Go on with a run, on the same NPU, until it has so many rounds. Raises CollectError."""
    if collected.npu is not None:
        case = dataclasses.replace(case, devices=(collected.npu,))
    return run(case, folder, dev, len(collected.rounds) + 1, rounds, watch)


def _with_app(case: Case) -> Case:
    if not case.app:
        raise CollectError(f'{case.name}: mode = "run" needs an app; write app = ["./main"]')
    return case


def _recording(case: Case) -> Path:
    if case.recording is None:
        raise CollectError(
            f'{case.name}: mode = "replay" needs a recording; write recording = "{case.name}"'
        )
    return case.recording


def _without_npu(case: Case, dev: Path) -> Collected | Unavailable:
    if case.recording is None and case.app:
        return Unavailable(f"no NPU was found ({dev}/davinci*) and no recording is named")
    if case.recording is None:
        raise CollectError(
            f"{case.name}: neither an app nor a recording is named; "
            f'write app = ["./main"] or recording = "{case.name}"'
        )
    if case.strict:
        raise CollectError(
            f"{case.name}: --npuperf-strict replays nothing by itself; "
            'run it where there is an NPU, or say mode = "replay"'
        )
    return _replayed(case, case.recording)


def _replayed(case: Case, recording: Path) -> Collected:
    """Replay a recording, and that of the other side where it has one."""
    collected = replay(recording)
    if case.against is None or case.against.recording is None:
        return collected
    return dataclasses.replace(collected, against=replay(case.against.recording))
