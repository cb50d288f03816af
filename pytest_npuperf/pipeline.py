"""The whole program on one screen: collect, read, measure and judge one case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.collect import collect, save_recording
from pytest_npuperf.errors import CollectError, NpuperfError
from pytest_npuperf.judge import blocks, judge, nothing_can_fail, worst
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import (
    Case,
    CaseResult,
    Collected,
    Measurement,
    StepOptions,
    Unavailable,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.profile import Profile, open_profile
from pytest_npuperf.profile.tables import BY_FILE

CUSTOM = "custom."
"""Before the name of a number that the test reports itself."""


@dataclass(frozen=True)
class Request:
    """One case to gate, for one test."""

    test: str
    """The node id of the test."""
    name: str
    resolve: Callable[[str | None], Case]
    """Gives the case for a SoC, which is known only after collecting."""
    folder: Callable[[], Path]
    """Makes the folder for its profiles and its result: absolute, fresh, its own."""
    rootdir: Path
    """What paths are shown relative to."""
    reported: Mapping[str, tuple[Fraction, str]] = field(default_factory=dict)
    """The numbers that the test reported, each with its unit."""


class Profiles:
    """The recordings of a session: each is read once, whatever the number of its tests."""

    def __init__(self) -> None:
        self._kept: dict[object, Profile] = {}
        self._measurers: dict[object, Measurer] = {}

    def open(self, path: Path, replayed: bool) -> Profile:
        """Return the profile at a path; one that changed on disk is read again."""
        if not replayed:
            # A fresh run's folder is never asked for twice.
            return open_profile(path, one_run=True)
        key = _state(path)
        if key not in self._kept:
            self._kept[key] = open_profile(path)
        return self._kept[key]

    def measurer(self, path: Path, replayed: bool, options: StepOptions) -> Measurer:
        """Return what measures the profile at a path. Raises ProfileError."""
        if not replayed:
            return Measurer(self.open(path, replayed), options)
        key = (_state(path), options)
        if key not in self._measurers:
            self._measurers[key] = Measurer(self.open(path, replayed), options)
        return self._measurers[key]


def _state(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes and times of all files at a path: what a changed recording changes."""
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    stats = ((str(file), file.stat()) for file in files if file.is_file())
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


def gate(
    request: Request, profiles: Profiles, collected: Collected | Unavailable | None = None
) -> CaseResult:
    """Collect a case unless that has been done, and read, measure and judge it.

    Whatever goes wrong is a result, too. The measurement is on disk before it is judged.
    """
    try:
        case = request.resolve(None)
        folder = request.folder()
        collected = collected or collect_case(case, folder)
        if isinstance(collected, Unavailable):
            return _skipped(request, case, collected)
        case = request.resolve(collected.fingerprint.get("soc"))
        return _judged(request, case, folder, collected, profiles)
    except NpuperfError as err:
        return refused(request, err)


def refused(request: Request, err: NpuperfError) -> CaseResult:
    """Return the result of a case that could not be collected, read or written."""
    reason = _shorter(str(err), request.rootdir)
    return CaseResult(request.name, request.test, Verdict.ERROR, "", reason, blocks=True)


def _skipped(request: Request, case: Case, unavailable: Unavailable) -> CaseResult:
    return CaseResult(
        case.name,
        request.test,
        Verdict.SKIPPED,
        mode="",
        reason=unavailable.reason,
        blocks=blocks(case, Verdict.SKIPPED),
    )


def collect_case(case: Case, folder: Path) -> Collected | Unavailable:
    """Return the profiles of a case, saved as a recording where that is asked for.

    Raises CollectError.
    """
    collected = collect(case, folder)
    if case.record and isinstance(collected, Collected) and collected.mode == "run":
        if case.recording is None:
            raise CollectError(
                f"{case.name}: --npuperf-record needs a place; write recording = NAME"
            )
        today = date.today()
        save_recording(
            collected.rounds, case.recording, tuple(BY_FILE), collected.fingerprint, today
        )
    return collected


def _judged(
    request: Request, case: Case, folder: Path, collected: Collected, profiles: Profiles
) -> CaseResult:
    if cannot_fail := nothing_can_fail(case):
        raise NpuperfError(f"{case.name}: {cannot_fail}")
    replayed = collected.mode == "replay"
    measurers = [profiles.measurer(path, replayed, case.steps) for path in collected.rounds]
    rounds = tuple(_measured(measurer, case, request) for measurer in measurers)
    measured = CaseResult(
        case.name,
        request.test,
        Verdict.ERROR,
        mode=collected.mode,
        reason="measured, but the session ended before it was judged",
        profiles=tuple(_shorter(str(path), request.rootdir) for path in collected.rounds),
        recorded=collected.recorded,
        fingerprint=collected.fingerprint,
        rounds=rounds,
        notes=tuple(dict.fromkeys(note for each in rounds for note in each.notes)),
        blocks=True,
    )
    _write(folder, measured)
    limits = judge(case, rounds, collected.fingerprint)
    verdict = worst(limits)
    if verdict is Verdict.FAILED:
        rounds = _with_longest(rounds, measurers)
    result = replace(
        measured,
        verdict=verdict,
        reason="",
        rounds=rounds,
        limits=limits,
        blocks=blocks(case, verdict),
    )
    _write(folder, result)
    return result


def _measured(measurer: Measurer, case: Case, request: Request) -> Measurement:
    """Return one round, with the numbers that the test reported on every lane."""
    asked = [limit.wanted for limit in case.limits]
    measurement = measurer.measure(w for w in asked if not w.metric.startswith(CUSTOM))
    reported = {
        Wanted(CUSTOM + name): Value(value) for name, (value, _) in request.reported.items()
    }
    missing = {
        wanted: Value(None, reason=_not_reported(wanted))
        for wanted in asked
        if wanted.metric.startswith(CUSTOM) and wanted not in reported
    }
    lanes = {
        key: replace(lane, values={**lane.values, **missing, **reported})
        for key, lane in measurement.lanes.items()
    }
    return replace(measurement, lanes=lanes)


def _not_reported(wanted: Wanted) -> str:
    name = wanted.metric.removeprefix(CUSTOM)
    return f'the test did not report it; call npuperf.metric("{name}", value, unit)'


def _with_longest(
    rounds: Sequence[Measurement], measurers: Sequence[Measurer]
) -> tuple[Measurement, ...]:
    """Name the longest operators, which are read only when there is something to explain."""
    named = []
    for measurement, measurer in zip(rounds, measurers, strict=True):
        longest = measurer.longest()
        lanes = {
            key: replace(lane, longest=longest[key]) for key, lane in measurement.lanes.items()
        }
        named.append(replace(measurement, lanes=lanes))
    return tuple(named)


def _write(folder: Path, result: CaseResult) -> None:
    results.write(folder / "result.json", results.case_as_json(result))


def _shorter(text: str, rootdir: Path) -> str:
    """Return a text with the paths below the root directory relative to it."""
    return text.replace(f"{rootdir}/", "")
