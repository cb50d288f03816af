"""Ranks of a job: which folders a framework made for one, and what it says of the rank."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_npuperf.profile.folders import INFO, RANK, files_in

_UNKNOWN = ("", "not known")
"""What torch_npu says of a CANN that it cannot find."""


def is_rank(path: Path) -> bool:
    """Return whether a framework made the folder, by its name or by what lies in it."""
    return path.name.endswith(("_ascend_pt", "_ascend_ms")) or bool(_infos(path))


def rank_of(home: Path) -> str | None:
    """Return the rank that torch_npu or MindSpore wrote beside its output."""
    for info in _said(home):
        try:
            rank = int(info["rank_id"])
        except (ValueError, KeyError, TypeError):
            continue
        if rank >= 0:
            return str(rank)
    match = RANK.search(home.name)
    return str(int(match[1])) if match else None


def cann_of(home: Path) -> str | None:
    """Return the release of CANN that torch_npu wrote beside its output, since about 2025."""
    said = [info.get("cann_version") for info in _said(home)]
    return next((text for text in said if isinstance(text, str) and text not in _UNKNOWN), None)


def without_number(name: str) -> str | None:
    """Return what folders of all ranks are called alike; None where a name says no rank."""
    return RANK.sub("rank", name) if RANK.search(name) else None


def _said(home: Path) -> Iterator[dict[str, Any]]:
    """Yield what the files beside the output hold, where they can be read."""
    for path in _infos(home):
        try:
            info = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(info, dict):
            yield info


def _infos(home: Path) -> list[Path]:
    return [file for file in files_in(home) if INFO.fullmatch(file.name)]
