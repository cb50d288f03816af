"""The line at the top of a run."""

from __future__ import annotations

import shutil
from pathlib import Path

from pytest_npuperf.collect import find_npus
from pytest_npuperf.config import Settings
from pytest_npuperf.text import many


def header_line(settings: Settings, dev: Path) -> str | None:
    """Return mode, msprof, devices and budgets file; None in a project without budgets.

    ``dev`` is where device nodes are looked for.
    """
    if not settings.budgets:
        return None
    parts = [f"mode {settings.mode}"]
    # Replaying probes no hardware.
    if settings.mode in ("auto", "run"):
        command = settings.msprof_command
        parts.append(command if shutil.which(command) else f"no {command}")
        npus = find_npus(dev)
        parts.append(f"NPU {', '.join(map(str, npus))}" if npus else "no NPU")
    parts.append(f"{many(len(settings.budgets), 'budget')} in {settings.shown}")
    return f"npuperf: {', '.join(parts)}"
