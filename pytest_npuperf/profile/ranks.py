"""Ranks of a job: which folders a framework made for one, and what number it has."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_npuperf.profile.folders import INFO, RANK, files_in


def is_rank(path: Path) -> bool:
    """Return whether a framework made the folder, by its name or by what lies in it."""
    return path.name.endswith(("_ascend_pt", "_ascend_ms")) or bool(_infos(path))


def rank_of(home: Path) -> str | None:
    """Return the rank that torch_npu or MindSpore wrote beside its output."""
    for info in _infos(home):
        try:
            rank = int(json.loads(info.read_text(encoding="utf-8"))["rank_id"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        if rank >= 0:
            return str(rank)
    match = RANK.search(home.name)
    return str(int(match[1])) if match else None


def without_number(name: str) -> str | None:
    """Return what folders of all ranks are called alike; None where a name says no rank."""
    return RANK.sub("rank", name) if RANK.search(name) else None


def _infos(home: Path) -> list[Path]:
    return [file for file in files_in(home) if INFO.fullmatch(file.name)]
