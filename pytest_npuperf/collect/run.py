"""Run a case: lease an NPU, and collect round after round on it."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_npuperf.collect.app import profile_itself
from pytest_npuperf.collect.command import find_app, find_msprof
from pytest_npuperf.collect.devices import VISIBLE, find_npus, leased
from pytest_npuperf.collect.fingerprint import fingerprint
from pytest_npuperf.collect.msprof import profile_with_msprof
from pytest_npuperf.collect.process import Start
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected


def run(case: Case, folder: Path, dev: Path) -> Collected:
    """Run every round of a case on one NPU, each into its own folder below ``folder``.

    Raises CollectError at the first round that fails; what was written is kept.
    """
    env = {**os.environ, **case.env}
    _check_programs(case, env)
    npus = leased(find_npus(dev), case.devices, os.environ.get(VISIBLE), case.env.get(VISIBLE))
    with npus as pinned:
        rounds = tuple(
            _round(case, folder / f"round_{number}", {**env, **pinned})
            for number in range(1, case.rounds + 1)
        )
    return Collected(
        rounds=rounds,
        mode="run",
        fingerprint=fingerprint(case, env),
        log=_log(rounds[-1]),
    )


def _check_programs(case: Case, env: dict[str, str]) -> None:
    """Find what will be started before waiting for an NPU."""
    if case.collector == "msprof":
        find_msprof(case, env)
    if not case.cwd.is_dir():
        raise CollectError(f"cwd: {case.cwd}: there is no such folder")
    find_app(case, env)


def _round(case: Case, output: Path, env: dict[str, str]) -> Path:
    start = Start(case.cwd, env, _log(output), float(case.msprof.timeout_s))
    collector = profile_with_msprof if case.collector == "msprof" else profile_itself
    try:
        output.mkdir(parents=True)
        collector(case, output, start)
    except OSError as err:
        raise CollectError(f"{err.filename or output}: {err.strerror or err}") from err
    except ValueError as err:
        # A NUL, or a "=" in the name of a variable: TOML can say what no program can be given.
        raise CollectError(f"app or env: cannot be given to a program: {err}") from err
    return output


def _log(output: Path) -> Path:
    return output.with_name(f"{output.name}.log")
