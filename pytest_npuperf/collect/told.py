"""What another program prints when it is asked, where it can be asked at all."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

_SECONDS = 10


def told_by(
    command: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Return what a program prints; nothing where it is not there, fails or hangs."""
    try:
        told = subprocess.run(
            command,
            env=None if env is None else dict(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.decode("utf-8", "replace")
