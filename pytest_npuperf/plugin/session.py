"""What one pytest session knows: its settings, its results, and where they are written."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pytest_npuperf import results
from pytest_npuperf.config import Settings
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON, CaseResult
from pytest_npuperf.plugin.commit import commit
from pytest_npuperf.text import file_name

if TYPE_CHECKING:
    from pytest_npuperf.pipeline import Recordings

KEPT, KEPT_FAILED = 3, 10
"""How many of the last runs stay on disk, and how many of those that failed."""


@dataclass(frozen=True)
class Found:
    """What one test found: its cases, and what of it was not checked, with the reason."""

    sent: tuple[str, ...]
    """The JSON that it was read from."""
    cases: tuple[CaseResult, ...]
    not_checked: tuple[tuple[str, str], ...]
    properties: tuple[tuple[str, str], ...]
    """The same for JUnit files."""

    def of(self, test: str) -> Found:
        """Return the same as found by one test: many may send the same."""
        return replace(self, cases=tuple(replace(case, test=test) for case in self.cases))


@dataclass
class NpuperfSession:
    """The state of one process: the controller's, or a worker's."""

    dev: ClassVar[Path] = Path("/dev")
    """Where device nodes are looked for."""

    settings: Settings
    run: str
    """The name of this run's folder below the output."""
    started: datetime
    worker: str = ""
    """``gw0``, a worker of xdist; empty for the controller."""
    found: dict[str, Found] = field(default_factory=dict)
    """By node id, so that a rerun replaces what was found before."""
    problems: list[str] = field(default_factory=list)
    """What could not be written."""
    _numbers: Counter[str] = field(default_factory=Counter)
    """How many folders of this name were made."""
    _texts: dict[str, tuple[CaseResult, str]] = field(default_factory=dict)
    """By case: its last result, and the same as text."""

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
    def from_json(cls, data: JSON, worker: str) -> NpuperfSession:
        """Return the session of a worker."""
        settings = Settings.from_json(data["settings"])
        return cls(settings, data["run"], datetime.fromisoformat(data["started"]), worker)

    @cached_property
    def recordings(self) -> Recordings:
        """The recordings of this process. Imports pandas, so only a gated test asks for it."""
        from pytest_npuperf.pipeline import Recordings

        return Recordings()

    # --- folders ------------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """Return this run's folder."""
        return self.settings.output / self.run

    def case_folder(self, name: str) -> Path:
        """Return the folder for one more measurement of a case; it is not there yet."""
        if not self._numbers:
            self._ignore_output()
        safe = file_name(name)
        self._numbers[safe] += 1
        number = self._numbers[safe]
        parts = (safe, self.worker, str(number) if number > 1 else "")
        return self.folder / ".".join(filter(None, parts))

    def _ignore_output(self) -> None:
        """Keep the output out of git. What cannot be made is told when it is needed."""
        ignore = self.settings.output / ".gitignore"
        with suppress(OSError):
            self.settings.output.mkdir(parents=True, exist_ok=True)
            with ignore.open("x", encoding="utf-8") as file:
                file.write("# Profiles and results of the last runs.\n*\n")

    # --- results from test to controller -------------------------------------------------------

    def as_text(self, result: CaseResult) -> str:
        """Return a result as JSON, but for the test, which its report names.

        So tests that find the same send the same text, which is made and read once.
        """
        result = replace(result, test="")
        known = self._texts.get(result.case)
        if known is None or known[0] != result:
            text = json.dumps({"case": results.case_as_json(result)})
            known = self._texts[result.case] = (result, text)
        return known[1]

    # --- results ------------------------------------------------------------------------------

    @property
    def config(self) -> str:
        """Return the file of the settings where commands have to be told; empty where not."""
        return self.settings.shown if self.settings.options.config else ""

    @property
    def cases(self) -> list[CaseResult]:
        """Return the results of all tests."""
        return [case for found in self.found.values() for case in found.cases]

    def not_checked(self, full_run: bool) -> list[tuple[str, str]]:
        """Return each case that was not checked, with the reason."""
        told = [pair for found in self.found.values() for pair in found.not_checked]
        if full_run:
            told += self._unused(name for name, _ in told)
            told += self._unused_baselines(name for name, _ in told)
        return list(dict.fromkeys(told))

    def _unused(self, told: Iterable[str]) -> list[tuple[str, str]]:
        used = {*told, *(case.case for case in self.cases), *self.settings.bases}
        unused = (name for name in self.settings.budgets if name not in used)
        return [(name, "no test uses this budget") for name in unused]

    def _unused_baselines(self, told: Iterable[str]) -> list[tuple[str, str]]:
        if not (self.settings.budgets or self.found):
            return []  # what another tool has in a folder of that name is its own business
        used = {file_name(name) for name in (*told, *filter(None, map(_compared, self.cases)))}
        files = self.settings.baselines.glob("*/*.json")
        unused = sorted({path.parent.name for path in files} - used)
        return [(name, "no test uses this baseline") for name in unused]

    def write(self, status: int, full_run: bool, also: Path | None) -> int:
        """Write the joined results into the run's folder and where else they are wanted.

        What cannot be written is a problem that the summary tells, and a failure: return the
        exit status that follows.
        """
        not_checked = self.not_checked(full_run)
        checked_out = commit(self.settings.rootdir) if self.cases else ""
        for path in filter(None, (also, self._own_result)):
            found = results.document(self.cases, self.started, status, not_checked, checked_out)
            self._write(path, found)
            status = status or int(bool(self.problems))
        return status

    def _write(self, path: Path, document: JSON) -> None:
        try:
            results.write(path, document)
        except NpuperfError as err:
            self.problems.append(str(err))

    @property
    def _own_result(self) -> Path | None:
        # Who looks for the last run must find this one, though it may have measured nothing.
        return self.folder / results.RESULT if self.cases or self.folder.is_dir() else None

    def tidy(self) -> None:
        """Delete old runs: all but the last few, and but the last few that failed."""
        found = results.runs(self.settings.output)
        failed = [run for run in found if results.has_failed(run)]
        for run in set(found) - set(found[:KEPT]) - set(failed[:KEPT_FAILED]):
            shutil.rmtree(run, ignore_errors=True)


def _compared(case: CaseResult) -> str:
    """Return the name of a case that may use a baseline: of an error that is not known."""
    if case.limits and not any(judged.limit.max_regression for judged in case.limits):
        return ""
    return case.case
