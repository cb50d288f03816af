"""Look at this machine and at each budget, and say whether all is well."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.commands.doctor.budgets import Place, check
from pytest_npuperf.commands.doctor.here import look_around
from pytest_npuperf.commands.doctor.text import as_text
from pytest_npuperf.config import Options, Settings, load
from pytest_npuperf.config.problems import did_you_mean
from pytest_npuperf.errors import NpuperfError

SOUND, PROBLEM = 0, 1
"""The exit statuses: all can be measured and can fail, or something cannot."""


@dataclass(frozen=True)
class Wish:
    """What is to be looked at."""

    config: Path | None = None
    """The file of the settings, where it is not ``pyproject.toml``."""
    case: str | None = None
    """The only budget to check."""
    self_test: bool = False
    """Whether to find out from which change on each limit fails."""


def doctor(
    wish: Wish, root: Path, env: Mapping[str, str], dev: Path, width: int
) -> tuple[str, int]:
    """Return what is found, for people, and the exit status.

    ``root`` is the folder of the project, ``dev`` that of device nodes. Recordings are only read.
    Raises NpuperfError where the settings are wrong.
    """
    options = Options(config=wish.config)
    settings = load(root, options) or Settings.empty(root, options)
    names = _names(wish, settings)
    here = look_around(settings, env, dev)
    with tempfile.TemporaryDirectory(prefix="npuperf-doctor-") as folder:
        place = Place(env, bool(here.npus), Path(folder))
        checked = [check(settings, name, place, wish.self_test) for name in names]
    status = PROBLEM if any(each.has_problem for each in checked) else SOUND
    return as_text(here, checked, width, wish.self_test), status


def _names(wish: Wish, settings: Settings) -> tuple[str, ...]:
    if wish.case is None:
        return settings.budgets
    if wish.case not in settings.budgets:
        near = did_you_mean(wish.case, settings.budgets, at_most=3)
        known = near or f"; known are {', '.join(settings.budgets) or 'none'}"
        raise NpuperfError(f"--case {wish.case}: no budget of that name in {settings.shown}{known}")
    return (wish.case,)
