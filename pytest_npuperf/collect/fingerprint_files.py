"""What the files beside a profile say of how it was made: CANN, profiling level and metrics.

They do not say the SoC. ``platform_version`` of msprof's info.json, and NPU_INFO of its databases,
which is made of it, name a family: all of 910B1 to 910B4 and the A3 are "Ascend910B" there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_npuperf.collect.walk import below
from pytest_npuperf.model import JSON

_FRAMEWORK = re.compile(r"profiler_info(_[0-9]+)?\.json")
_MSPROF = re.compile(r".*/(host|device_[0-9]+)/sample\.json")
# What torch_npu says of a CANN that it cannot find.
_UNKNOWN = "not known"


def told_by_files(folders: Iterable[Path]) -> dict[str, str]:
    """Return what the files below some folders agree on; the rest is unknown and left out.

    What the framework says of its profile goes before what msprof, which it drives, says below it.
    """
    files = [path for folder in folders for path in below(folder)]
    framework = [_by_framework(path) for path in files if _FRAMEWORK.fullmatch(path.name)]
    msprof = [_by_msprof(path) for path in files if _MSPROF.fullmatch(path.as_posix())]
    known = {}
    for key in ("cann", "level", "metrics"):
        values = _values(framework, key) or _values(msprof, key)
        if len(values) == 1:
            known[key] = values.pop()
    return known


def _values(told: Iterable[Mapping[str, JSON]], key: str) -> set[str]:
    values = (each.get(key) for each in told)
    return {value for value in values if isinstance(value, str) and value not in ("", _UNKNOWN)}


def _by_framework(path: Path) -> dict[str, JSON]:
    content = _object(path)
    settings = _inside(_inside(content, "config"), "experimental_config")
    return {
        "cann": content.get("cann_version"),
        "level": settings.get("_profiler_level"),
        "metrics": settings.get("_aic_metrics"),
    }


def _by_msprof(path: Path) -> dict[str, JSON]:
    content = _object(path)
    # The metrics are named even where none is collected.
    collected = content.get("ai_core_profiling") != "off"
    return {
        "level": content.get("prof_level"),
        "metrics": content.get("ai_core_metrics") if collected else "off",
    }


def _object(path: Path) -> dict[str, JSON]:
    """Return the object that a file holds; empty where it holds none, or is no file itself."""
    if path.is_symlink() or not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        # Beside the profile, not part of it: what it cannot tell is unknown.
        return {}
    return content if isinstance(content, dict) else {}


def _inside(content: dict[str, JSON], key: str) -> dict[str, JSON]:
    found = content.get(key)
    return found if isinstance(found, dict) else {}
