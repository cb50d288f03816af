"""What one pytest session knows: its settings, its results, and where they are written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_npuperf import results
from pytest_npuperf.config import Settings
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON, CaseResult

if TYPE_CHECKING:
    from pytest_npuperf.pipeline import Profiles

KEPT, KEPT_FAILED = 3, 10
"""How many of the last runs stay on disk, and how many of those that failed."""

_RUN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]+")


@dataclass
class NpuperfSession:
    """The state of one process: the controller's, or a worker's."""

    settings: Settings
    run: str
    """The name of this run's folder below the output."""
    started: datetime
    found: dict[str, tuple[list[CaseResult], list[tuple[str, str]]]] = field(default_factory=dict)
    """By node id: the cases of a test, and what of it was not checked. A rerun replaces both."""
    problems: list[str] = field(default_factory=list)

    @classmethod
    def begin(cls, settings: Settings) -> NpuperfSession:
        """Return the session of a controller."""
        started = datetime.now(timezone.utc)
        return cls(settings, f"{started:%Y%m%d-%H%M%S}-{os.getpid()}", started)

    def to_json(self) -> JSON:
        """Return what a worker needs to know."""
        return {
            "settings": self.settings.to_json(),
            "run": self.run,
            "started": self.started.isoformat(),
        }

    @classmethod
    def from_json(cls, data: JSON) -> NpuperfSession:
        """Return the session of a worker."""
        settings = Settings.from_json(data["settings"])
        return cls(settings, data["run"], datetime.fromisoformat(data["started"]))

    @cached_property
    def profiles(self) -> Profiles:
        """The profiles of this process. Imports pandas, so only a gated test asks for it."""
        from pytest_npuperf.pipeline import Profiles

        return Profiles()

    # --- folders ------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """Return this run's folder."""
        return self.settings.output / self.run

    def case_folder(self, name: str) -> Path:
        """Return a fresh folder for one case. Raises NpuperfError."""
        safe = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[-80:].lstrip("._")
        if safe != name:
            safe += f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        try:
            self._prepare_output()
            for number in range(1, 10**6):
                folder = self.folder / (safe if number == 1 else f"{safe}.{number}")
                try:
                    folder.mkdir(parents=True)
                except FileExistsError:
                    if folder.is_dir():
                        continue
                    raise
                return folder
        except OSError as err:
            raise NpuperfError(
                f"{err.filename}: the output folder cannot be made: {err.strerror}; "
                "name another with --npuperf-output"
            ) from err
        raise NpuperfError(f"{self.folder}: too many cases are called {name}")

    def _prepare_output(self) -> None:
        ignore = self.settings.output / ".gitignore"
        if not ignore.exists():
            self.settings.output.mkdir(parents=True, exist_ok=True)
            ignore.write_text("# Profiles and results of the last runs.\n*\n", encoding="utf-8")

    # --- results ------------------------------------------------------------------------------

    @property
    def cases(self) -> list[CaseResult]:
        """Return the results of all tests."""
        return [case for cases, _ in self.found.values() for case in cases]

    def not_checked(self, full_run: bool) -> list[tuple[str, str]]:
        """Return each case that nothing was said of, with the reason."""
        told = [pair for _, pairs in self.found.values() for pair in pairs]
        if not full_run:
            return told
        used = {case.case for case in self.cases} | {name for name, _ in told}
        unused = [
            name
            for name in self.settings.budgets
            if name not in used and name not in self.settings.bases
        ]
        return told + [(name, "no test uses this budget") for name in unused]

    def write(self, exit_status: int, full_run: bool, also: Path | None) -> None:
        """Write the joined results into the run's folder and where else they are wanted.

        What cannot be written is a problem that the summary tells.
        """
        joined = results.document(self.cases, self.started, exit_status, self.not_checked(full_run))
        paths = [self.folder / "result.json"] if self.folder.is_dir() else []
        for path in [*paths, *([also] if also else [])]:
            self._write(path, joined)

    def _write(self, path: Path, document: JSON) -> None:
        try:
            results.write(path, document)
        except NpuperfError as err:
            self.problems.append(str(err))

    def tidy(self) -> None:
        """Delete old runs: all but the last few, and but the last few that failed."""
        output = self.settings.output
        if not output.is_dir():
            return
        runs = sorted((p for p in output.iterdir() if _RUN.fullmatch(p.name)), reverse=True)
        failed = [run for run in runs if _failed(run)]
        for run in set(runs) - set(runs[:KEPT]) - set(failed[:KEPT_FAILED]):
            shutil.rmtree(run, ignore_errors=True)


def _failed(run: Path) -> bool:
    try:
        return bool(json.loads((run / "result.json").read_bytes())["exit"] != 0)
    except (OSError, ValueError, KeyError, TypeError):
        # A session that ended without its results did not end well.
        return True
