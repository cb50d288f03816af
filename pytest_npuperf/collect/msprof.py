"""Run an app under msprof; files decide whether it worked, for its exit status says nothing."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_npuperf.collect.command import find_app, find_msprof
from pytest_npuperf.collect.ending import check_ending, signal_name
from pytest_npuperf.collect.log import failure, last_match
from pytest_npuperf.collect.process import Start, run_program
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case

# msprof looks at the base name: for these it neither changes the directory nor takes the name for
# the app, but wants a script next.
_INTERPRETER = re.compile(r"bash|sh|python.*")
_OWN_OPTIONS = ("application", "export", "output", "parse", "query")
# What msprof refuses in --output, and how long it may be.
_REFUSED = re.compile(r"[\n\f\r\b\t\v\x7f\"'\\%><|&$;`]")
_LONGEST = 1024
# The 2026 help says: msprof [msprof arguments] <app> [app arguments].
_KNOWS_POSITIONAL = b"<app>"
_HELP_S = 60
_APP_FAILED = re.compile(rb"The specified program cannot exit normally, exitCode:(-?[0-9]+)")


def profile_with_msprof(case: Case, output: Path, start: Start) -> None:
    """Run the app of a case under msprof, the profile in the fresh folder ``output``.

    Raises CollectError unless every process that was profiled left its tables.
    """
    msprof = find_msprof(case, start.env)
    command = _command(case, msprof, output, start.env)
    ended = run_program(command, start)
    # Of the two it is the app that hangs, and msprof that is ended by a signal.
    program = f"the app {case.app[0]} under msprof" if ended.timed_out else f"msprof ({msprof})"
    check_ending(program, ended, output, start)
    _check_app(case, start.log)
    profiles = sorted(path for path in output.glob("PROF_*") if path.is_dir())
    if not profiles:
        raise failure(
            f"msprof wrote no PROF_* directory (exit status {ended.status}); "
            "does the app use an NPU, and is there an [ERROR] in the log?",
            start.log,
        )
    for profile in profiles:
        _check_tables(msprof, profile, start)


def _command(case: Case, msprof: str, output: Path, env: Mapping[str, str]) -> list[str]:
    _check_output(output)
    for name in case.msprof.options:
        if name in _OWN_OPTIONS:
            raise CollectError(f"msprof.options: {name} is for pytest-npuperf to set; leave it out")
    options = [f"--{name}={value}" for name, value in case.msprof.options.items()]
    app = find_app(case, env)
    first = [msprof, f"--output={output}", *options]
    obstacle = _obstacle(app, case.cwd)
    if obstacle is None:
        return [*first, f"--application={' '.join(app)}"]
    if "" in app or not _knows_positional(msprof, env):
        raise CollectError(f"app: {obstacle}; put the command into a script, and name that")
    return [*first, *app]


def _check_output(output: Path) -> None:
    match = _REFUSED.search(str(output))
    if match:
        raise CollectError(
            f"{str(output)!r}: msprof refuses {match[0]!r} in the path of its output; "
            "choose another output folder"
        )
    if len(str(output).encode()) > _LONGEST:
        raise CollectError(
            f"{output}: is longer than the {_LONGEST} characters that msprof takes; "
            "choose another output folder"
        )


def _obstacle(app: Sequence[str], cwd: Path) -> str | None:
    """Return why ``--application=`` cannot carry a command, None when it can."""
    if "" in app:
        return "an empty argument is dropped by msprof"
    blank = next((part for part in app if re.search(r"\s", part)), None)
    if blank is not None:
        return f'"{blank}" holds a blank, and this msprof splits the command at blanks'
    if not _INTERPRETER.fullmatch(Path(app[0]).name):
        return None
    if len(app) == 1 or not (cwd / app[1]).is_file():
        found = f'"{app[1]}"' if len(app) > 1 else "nothing"
        return f"this msprof wants a script after {Path(app[0]).name}, found {found}"
    return None


def _knows_positional(msprof: str, env: Mapping[str, str]) -> bool:
    try:
        told = subprocess.run(
            [msprof, "--help"],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_HELP_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return _KNOWS_POSITIONAL in told.stdout


def _check_app(case: Case, log: Path) -> None:
    code = last_match(log, _APP_FAILED)
    if code is None:
        return
    # msprof tells a signal as a negative code.
    how = (
        f"was ended by {signal_name(-int(code))}"
        if int(code) < 0
        else f"ended with exit code {code}"
    )
    raise failure(f"the app {case.app[0]} {how}", log)


def _check_tables(msprof: str, profile: Path, start: Start) -> None:
    """Export a profile once more when its tables are missing."""
    if _has_tables(profile):
        return
    ended = run_program([msprof, "--export=on", f"--output={profile}"], start)
    check_ending("msprof --export=on", ended, profile, start)
    if not _has_tables(profile):
        raise failure(
            f"{profile}: msprof recorded data, but exported no tables, nor with --export=on",
            start.log,
        )


def _has_tables(profile: Path) -> bool:
    folders = ("mindstudio_profiler_output", "device_*/summary")
    return any(any(profile.glob(f"{folder}/*.csv")) for folder in folders)
