"""Say what went wrong when a program did not end by itself."""

from __future__ import annotations

import signal
from pathlib import Path

from pytest_npuperf.collect.log import disk_is_full, failure
from pytest_npuperf.collect.process import Ended, Start


def check_ending(program: str, ended: Ended, output: Path, start: Start) -> None:
    """Raise CollectError after a timeout, on a full disk, and after a signal."""
    if ended.timed_out:
        raise failure(
            f"{program} did not end within {start.timeout_s:g} s and was stopped; "
            f"raise msprof.timeout, or see why it hangs; partial data is kept in {output}",
            start.log,
        )
    if disk_is_full(start.log):
        raise failure(f"{output}: the disk is full; free some space", start.log)
    if ended.status < 0:
        raise failure(f"{program} was ended by {signal_name(-ended.status)}", start.log)


def signal_name(number: int) -> str:
    """Return what a signal is called: ``SIGKILL``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
