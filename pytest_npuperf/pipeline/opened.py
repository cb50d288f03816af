"""The profiles of a session, each read once, with all that was worked out of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import CaseResult, StepOptions
from pytest_npuperf.profile import Profile, open_profile


@dataclass
class Opened:
    """A profile with all that was worked out of it."""

    profile: Profile
    state: object
    """What its files were like when they were read."""
    measurers: dict[StepOptions, Measurer] = field(default_factory=dict)

    def measurer(self, options: StepOptions) -> Measurer:
        """Return what measures the profile under one way to count steps. Raises ProfileError."""
        if options not in self.measurers:
            self.measurers[options] = Measurer(self.profile, options)
        return self.measurers[options]


class Recordings:
    """The recordings of a session, each read once, and each case judged once on them."""

    def __init__(self) -> None:
        self.opened: dict[Path, Opened] = {}
        self.judged: dict[str, tuple[object, CaseResult]] = {}
        """By the name of a case: what was asked, and the result."""


class Profiles:
    """The profiles of one test: its runs are let go of with it, recordings stay."""

    def __init__(self, recordings: Recordings) -> None:
        self.recordings = recordings
        self._runs: dict[Path, Opened] = {}

    def open(self, path: Path, mode: Literal["run", "replay", ""]) -> Opened:
        """Return a profile that was read before, unless it has changed on disk since.

        Raises ProfileError.
        """
        kept = self._runs if mode == "run" else self.recordings.opened
        state = state_of(path)
        if path not in kept or kept[path].state != state:
            profile = open_profile(path, one_run=mode == "run")
            if state_of(path) != state:
                raise ProfileError(
                    f"{path}: files came, went or changed while it was opened; "
                    "wait until nothing writes there, and try again"
                )
            kept[path] = Opened(profile, state)
        return kept[path]


def state_of(path: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and times of all files at a path: what a changed recording changes."""
    # Asked for each test: text is several times faster than Path.
    files = [str(path), *(f"{at}/{name}" for at, _, names in os.walk(path) for name in names)]
    stats = ((file, os.lstat(file)) for file in files)
    return sorted((file, stat.st_size, stat.st_mtime_ns) for file, stat in stats)
