"""What the log of a run says: its last lines, and the lines that name a failure."""

from __future__ import annotations

import mmap
import os
import re
from pathlib import Path

from pytest_npuperf.errors import CollectError

_LINES = 10
_WIDTH = 200
_TAIL_BYTES = 16 * 1024
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FULL = re.compile(rb"No space left on device")


def failure(message: str, log: Path) -> CollectError:
    """Return the error of a run: one line, then the last lines of its log, indented."""
    return CollectError("\n".join([f"{message}; log: {log}", *last_lines(log)]))


def last_lines(log: Path) -> list[str]:
    """Return the last lines of a log that are not empty, indented, safe for a terminal."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return [f"    {_safe(line)}" for line in lines[-_LINES:]]


def _safe(line: str) -> str:
    shown = _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", line.expandtabs())
    return shown if len(shown) <= _WIDTH else f"{shown[:_WIDTH]}..."


def last_match(log: Path, pattern: re.Pattern[bytes]) -> str | None:
    """Return what the last group of a pattern found at its last place in a log of any size."""
    try:
        with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
            found = None
            for match in pattern.finditer(whole):
                found = match[match.lastindex or 0].decode("utf-8", "replace")
            return found
    except (OSError, ValueError):
        # An empty file cannot be mapped; one that is not there says nothing.
        return None


def disk_is_full(log: Path) -> bool:
    """Return whether the run met a full disk: the log says so, or no block is free."""
    if last_match(log, _FULL):
        return True
    disk = os.statvfs(log.parent)
    return disk.f_blocks > 0 and disk.f_bavail == 0
