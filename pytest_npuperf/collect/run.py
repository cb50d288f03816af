"""Run a case: lease an NPU, and collect round after round on it, in turn with the other side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_npuperf.collect.app import profile_itself
from pytest_npuperf.collect.command import find_app, find_msprof
from pytest_npuperf.collect.devices import VISIBLE, find_npus, leased
from pytest_npuperf.collect.fingerprint import fingerprint
from pytest_npuperf.collect.msprof import profile_with_msprof
from pytest_npuperf.collect.process import Start
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected

AGAINST = "against"
"""The folder of the other side's rounds, in that of the case."""

Watch = Callable[[str], AbstractContextManager[object]]
"""Tells somebody what is going on while a block runs."""


@dataclass(frozen=True)
class _Side:
    """One of the apps that are run in turn."""

    case: Case
    folder: Path
    env: Mapping[str, str]
    program: Path

    def output(self, number: int) -> Path:
        return self.folder / f"round_{number}"

    def collected(self, last: int, npu: int | None) -> Collected:
        rounds = tuple(self.output(number) for number in range(1, last + 1))
        known = fingerprint(self.case, self.env, self.program, rounds)
        return Collected(rounds, "run", fingerprint=known, npu=npu)


def run(
    case: Case,
    folder: Path,
    dev: Path,
    first: int = 1,
    last: int | None = None,
    watch: Watch = nullcontext,
) -> Collected:
    """Run rounds of a case on one NPU, each into its own folder below ``folder``.

    Where the case is compared with another side, both are run in turn, A B B A, so that what
    changes with time falls on both. Rounds before ``first`` are there from an earlier call.
    Raises CollectError at the first round that fails; what was written is kept.
    """
    sides = list(_sides(case, folder))
    last = last or case.rounds
    npu = _collect(sides, dev, range(first, last + 1), watch)
    found, *others = (side.collected(last, npu) for side in sides)
    return replace(found, against=others[0]) if others else found


def _sides(case: Case, folder: Path) -> Iterator[_Side]:
    yield _side(case, folder)
    if case.against is not None:
        if not case.against.app:
            raise CollectError(
                f"against: {case.against.name} has no app, and {case.name} is run; give it one"
            )
        with _told_of(AGAINST):
            other = _side(case.against, folder / AGAINST)
        yield other


@contextmanager
def _told_of(side: str) -> Iterator[None]:
    """Say of an error on which side it was: both may run one program, with other arguments."""
    try:
        yield
    except CollectError as err:
        raise CollectError(f"{side}: {err}") from err


def _side(case: Case, folder: Path) -> _Side:
    """Find what will be started before waiting for an NPU. Raises CollectError."""
    env = {**os.environ, **case.env}
    if case.collector == "msprof":
        find_msprof(case, env)
    if not case.cwd.is_dir():
        raise CollectError(f"cwd: {case.cwd}: there is no such folder")
    return _Side(case, folder, env, Path(find_app(case, env)[0]))


def _collect(sides: Sequence[_Side], dev: Path, numbers: range, watch: Watch) -> int | None:
    """Run the rounds, and return the NPU that was leased for them, where one was."""
    case = sides[0].case
    own = case.env.get(VISIBLE)
    with leased(find_npus(dev), case.devices, os.environ.get(VISIBLE), own) as pinned:
        # Both sides run where the first one does, whatever the other says.
        same = pinned if own is None else {VISIBLE: own}
        for number in numbers:
            for side in sides if number % 2 else reversed(sides):
                told = nullcontext() if side is sides[0] else _told_of(AGAINST)
                with told, watch(f"{side.case.name}: round {number} of {numbers[-1]}"):
                    _round(side.case, side.output(number), {**side.env, **same})
    return int(pinned[VISIBLE]) if pinned else None


def _round(case: Case, output: Path, env: dict[str, str]) -> None:
    log = output.with_name(f"{output.name}.log")
    start = Start(case.cwd, env, log, float(case.msprof.timeout_s))
    collector = profile_with_msprof if case.collector == "msprof" else profile_itself
    try:
        output.mkdir(parents=True)
        collector(case, output, start)
    except OSError as err:
        raise CollectError(f"{err.filename or output}: {err.strerror or err}") from err
    except ValueError as err:
        # A NUL, or a "=" in the name of a variable: TOML can say what no program can be given.
        raise CollectError(f"app or env: cannot be given to a program: {err}") from err
