"""The folders of the last runs, and which of them failed."""

from __future__ import annotations

import re
from pathlib import Path

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.text import printable

RESULT = "result.json"
"""The file of a run in its folder."""

_RUN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]+")
_EXIT = re.compile(rb'"exit": ([0-9]+)')


def runs(output: Path) -> list[Path]:
    """Return the folders of the runs that are kept, the newest first."""
    if not output.is_dir():
        return []
    return sorted((path for path in output.iterdir() if _RUN.fullmatch(path.name)), reverse=True)


def has_failed(run: Path) -> bool:
    """Return whether a run failed, by the beginning of its result, which may be large."""
    try:
        with (run / RESULT).open("rb") as file:
            status = _EXIT.search(file.read(300))
    except OSError:
        status = None
    # A session that ended without its results did not end well.
    return status is None or status[1] != b"0"


def last_result(output: Path) -> Path:
    """Return the result of the last run. Raises NpuperfError where there was none."""
    last = next(iter(runs(output)), None)
    if last is None:
        raise NpuperfError(f"{printable(str(output))}: has no run; run pytest first")
    result = last / RESULT
    if not result.exists():
        raise NpuperfError(
            f"{printable(str(last))}: the last run has no {RESULT}, as it goes on or was broken "
            "off; run pytest again, or name the result"
        )
    return result
