"""Find the programs that a case starts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case

SET_ENV = "source /usr/local/Ascend/ascend-toolkit/set_env.sh"


def find_app(case: Case, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the command of a case with the program as an absolute path.

    A path is taken from the case's working directory, a bare name from PATH; links are kept, for
    ``python`` of a virtual environment is one. Raises CollectError when it is not there or cannot
    be executed.
    """
    name, *arguments = case.app
    if "/" not in name:
        return (_on_path(name, case, env), *arguments)
    cwd = os.path.normpath(case.cwd.absolute())
    path = Path(os.path.normpath(cwd / Path(name).expanduser()))
    if not path.is_file():
        raise CollectError(f'app: "{name}" is not a file; looked for {path}, from cwd {cwd}')
    if not os.access(path, os.X_OK):
        raise CollectError(f'app: "{name}" is not executable; run chmod +x {path}')
    return (str(path), *arguments)


def _on_path(name: str, case: Case, env: Mapping[str, str]) -> str:
    found = shutil.which(name, path=env.get("PATH"))
    if found is None:
        raise CollectError(
            f'app: "{name}" is not a program on {_path(case)}; for a file write "./{name}"'
        )
    return str(Path(found).absolute())


def _path(case: Case) -> str:
    return f'the PATH that env sets ("{case.env["PATH"]}")' if "PATH" in case.env else "PATH"


def find_msprof(case: Case, env: Mapping[str, str]) -> str:
    """Return the profiler as an absolute path; raise CollectError where it is not."""
    command = case.msprof.command
    found = shutil.which(command, path=env.get("PATH"))
    if found is not None:
        return str(Path(found).absolute())
    there = [path for path in _places(command, env) if path.is_file()]
    if there:
        raise CollectError(f"{there[0]} is not executable; run chmod +x {there[0]}")
    bare = "/" not in command
    where = f" on {_path(case)}" if bare else ""
    remedy = "leave PATH out of env" if bare and "PATH" in case.env else f'run "{SET_ENV}" first'
    raise CollectError(f"{command} was not found{where}; {remedy}, or name it in msprof.command")


def _places(command: str, env: Mapping[str, str]) -> list[Path]:
    if "/" in command:
        return [Path(command)]
    return [Path(folder, command) for folder in env.get("PATH", "").split(os.pathsep)]
