"""What is found on this machine: releases, the profiler, CANN and NPUs."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pytest_npuperf.collect import find_npus
from pytest_npuperf.collect.fingerprint import cann_home, surroundings
from pytest_npuperf.config import Settings
from pytest_npuperf.text import many

_BESIDE = ("pandas", "pytest-xdist", "pytest-rerunfailures", "pytest-randomly")
"""What reads the tables, and plugins that run tests elsewhere, again or in another order."""


@dataclass(frozen=True)
class Here:
    """What is found, as labels with a text for people each."""

    facts: Mapping[str, str]
    npus: tuple[int, ...]


def look_around(settings: Settings, env: Mapping[str, str], dev: Path) -> Here:
    """Return what is found here; ``dev`` is where device nodes are looked for."""
    npus = find_npus(dev)
    known = surroundings(env)
    facts = {
        "npuperf": f"{version('pytest-npuperf')} on Python {platform.python_version()}",
        "pytest": ", ".join([version("pytest"), *filter(None, map(_release, _BESIDE))]),
        "msprof": _msprof(settings.msprof_command, env, npus),
        "CANN": _cann(env, known["cann"]),
        "NPUs": _npus(npus, known, dev),
        "settings": _settings(settings),
    }
    return Here(facts, npus)


def _release(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""


def _msprof(command: str, env: Mapping[str, str], npus: tuple[int, ...]) -> str:
    found = shutil.which(command, path=env.get("PATH"))
    if npus and found:
        return str(Path(found).absolute())
    said = str(Path(found).absolute()) if found else f"no {command}"
    if not found and "/" not in command:
        said += " on PATH"
    return said if npus else f"{said}: recordings are replayed"


def _cann(env: Mapping[str, str], release: str) -> str:
    home = cann_home(env)
    if not home:
        return "none: neither ASCEND_TOOLKIT_HOME nor ASCEND_HOME_PATH is set"
    if not Path(home).is_dir():
        return f"none: there is no folder {home}"
    return f"{release or 'unknown release'} in {home}"


def _npus(npus: tuple[int, ...], known: Mapping[str, str], dev: Path) -> str:
    if not npus:
        return f"none: there is no {dev}/davinci*"
    ids = ", ".join(map(str, range(len(npus))))
    chip = known["soc"] or "unknown SoC, as npu-smi does not tell it"
    driver = f", driver {known['driver']}" if known["driver"] else ""
    return f"{ids} ({chip}{driver})"


def _settings(settings: Settings) -> str:
    if not settings.source.found:
        return f"no table [tool.npuperf] in {settings.shown}; npuperf init writes a first budget"
    return f"{settings.shown}: mode {settings.mode}, {many(len(settings.budgets), 'budget')}"
