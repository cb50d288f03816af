"""What a run was made on and with: the chip, the driver, CANN, the profiler's settings, the app."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from pytest_npuperf.collect.fingerprint_files import told_by_files
from pytest_npuperf.collect.told import told_by
from pytest_npuperf.model import Case

# "| npu-smi 1.9.3      Version: 21.0.rc1      |": the tool's own version, then the driver's.
_DRIVER = re.compile(r"^\|\s*npu-smi\s+\S+\s+Version:\s*([^\s|]+)", re.M)
# "| 0     910B3      | OK   | ..." of npu-smi info: NPU, name, health. The rows below it start
# with a chip's number and go on with its bus.
_NPU_ROW = re.compile(r"^\|\s*[0-9]+\s+(?:Ascend)?([0-9]{3}[0-9A-Za-z]*)\s+\|\s*[A-Z]", re.M)

# toolkit_running_version=[7.3.0.1.231:8.0.RC2]
_RUNNING = re.compile(r"^toolkit_running_version=\[[^\]:]*:([^\]]+)\]", re.M)
_INSTALLED = re.compile(r"^version=(\S+)", re.M)

_CHUNK = 1 << 20


def fingerprint(
    case: Case, env: Mapping[str, str], program: Path, rounds: Sequence[Path]
) -> dict[str, str]:
    """Return what is known of a run; what is unknown is left out.

    ``program`` is the file that was started, ``rounds`` are the folders of its profiles. Of the
    program only the name and a hash are kept, of what the options name only the last part: never
    a folder, an argument or a variable. Nothing that goes wrong here makes a run fail.
    """
    known = {
        **surroundings(env),
        # What the profile says was really used.
        **told_by_files(rounds),
        **_options(case),
        "app": PurePath(case.app[0]).name,
        "app_sha256": _sha256(program),
    }
    return {key: value for key, value in known.items() if value}


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """Return ``soc``, ``cann`` and ``driver`` of this machine; what is unknown is empty."""
    told = told_by(["npu-smi", "info"], env)
    return {"soc": _soc(told), "cann": _cann(env), "driver": _first(told, _DRIVER)}


def cann_home(env: Mapping[str, str]) -> str:
    """Return the folder of the CANN toolkit that is in use; empty where none is."""
    return env.get("ASCEND_TOOLKIT_HOME") or env.get("ASCEND_HOME_PATH") or ""


def _options(case: Case) -> dict[str, str]:
    if case.collector != "msprof":
        return {}
    options = sorted(case.msprof.options.items())
    # A value may be the path of a file, such as that of --reports, and say who is at home where.
    return {f"msprof.{name}": PurePath(value).name or value for name, value in options}


def _soc(told: str) -> str:
    """Return the chip as CANN calls it, ``Ascend910B3``; unknown where there are two kinds."""
    names = set(_NPU_ROW.findall(told))
    return f"Ascend{names.pop()}" if len(names) == 1 else ""


def _cann(env: Mapping[str, str]) -> str:
    home = cann_home(env)
    if not home:
        return ""
    infos = sorted(Path(home).glob("*-linux/ascend_toolkit_install.info"))
    places = [(Path(home, "version.cfg"), _RUNNING), *((path, _INSTALLED) for path in infos)]
    return next(filter(None, (_first(_text(path), pattern) for path, pattern in places)), "")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _first(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def _sha256(program: Path) -> str:
    digest = hashlib.sha256()
    try:
        with program.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        return ""
    return digest.hexdigest()
