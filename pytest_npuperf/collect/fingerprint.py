"""What a run was made on: the chip, the CANN release and the options of msprof."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pytest_npuperf.model import Case

# "| 0     910B3      | OK   | ..." of npu-smi info: NPU, name, health. The rows below it start
# with a chip's number and go on with its bus.
_NPU_ROW = re.compile(r"^\|\s*[0-9]+\s+(?:Ascend)?([0-9]{3}[0-9A-Za-z]*)\s+\|\s*[A-Z]", re.M)
_SECONDS = 10

# toolkit_running_version=[7.3.0.1.231:8.0.RC2]
_RUNNING = re.compile(r"^toolkit_running_version=\[[^\]:]*:([^\]]+)\]", re.M)
_INSTALLED = re.compile(r"^version=(\S+)", re.M)


def fingerprint(case: Case, env: Mapping[str, str]) -> dict[str, str]:
    """Return what is known of the hardware and software; what is unknown is left out."""
    options = case.msprof.options if case.collector == "msprof" else {}
    known = {"soc": _soc(env), "cann": _cann(env)}
    return {
        **{key: value for key, value in known.items() if value},
        **{f"msprof.{name}": value for name, value in sorted(options.items())},
    }


def _soc(env: Mapping[str, str]) -> str:
    """Return the chip as CANN calls it, ``Ascend910B3``; unknown where there are two kinds."""
    try:
        told = subprocess.run(
            ["npu-smi", "info"],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    names = set(_NPU_ROW.findall(told.decode("utf-8", "replace")))
    return f"Ascend{names.pop()}" if len(names) == 1 else ""


def _cann(env: Mapping[str, str]) -> str:
    home = env.get("ASCEND_TOOLKIT_HOME") or env.get("ASCEND_HOME_PATH")
    if not home:
        return ""
    infos = sorted(Path(home).glob("*-linux/ascend_toolkit_install.info"))
    places = [(Path(home, "version.cfg"), _RUNNING), *((path, _INSTALLED) for path in infos)]
    return next(filter(None, (_first(path, pattern) for path, pattern in places)), "")


def _first(path: Path, pattern: re.Pattern[str]) -> str:
    try:
        match = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return match[1] if match else ""
