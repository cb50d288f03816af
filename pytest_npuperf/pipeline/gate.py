"""The whole program on one screen: collect, read, measure and judge one case."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Literal

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
    Selector,
    StepOptions,
    Unavailable,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.profile import Profile, open_profile
from pytest_npuperf.profile.tables import BY_FILE
from pytest_npuperf.report import culprits

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
    folder: Path
    """For its profiles and its result: absolute, its own, and not there yet."""
    rootdir: Path
    """What paths are shown relative to."""
    dev: Path
    """Where device nodes are looked for."""
    reported: Mapping[str, tuple[Fraction, str]] = field(default_factory=dict)
    """The numbers that the test reported, each with its unit."""


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

    def open(self, path: Path, mode: Literal["run", "replay"]) -> Opened:
        """Return a profile that was read before, unless it has changed on disk since.

        Raises ProfileError.
        """
        kept = self._runs if mode == "run" else self.recordings.opened
        state = _state(path)
        if path not in kept or kept[path].state != state:
            kept[path] = Opened(open_profile(path, one_run=mode == "run"), state)
        return kept[path]


def _state(path: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and times of all files at a path: what a changed recording changes."""
    # Asked for each test: text is several times faster than Path.
    files = [str(path), *(f"{at}/{name}" for at, _, names in os.walk(path) for name in names)]
    stats = ((file, os.lstat(file)) for file in files)
    return sorted((file, stat.st_size, stat.st_mtime_ns) for file, stat in stats)


def gate(
    request: Request, profiles: Profiles, collected: Collected | Unavailable | None = None
) -> CaseResult:
    """Collect a case unless that has been done, and read, measure and judge it.

    Whatever goes wrong is a result, too. The measurement is on disk before it is judged. Tests
    that ask for the same of a recording get the same, which is worked out and written once.
    """
    judged = profiles.recordings.judged
    try:
        case = request.resolve(None)
        asked = (case, collected, _states(case, collected), dict(request.reported))
        if case.name in judged and judged[case.name][0] == asked:
            return replace(judged[case.name][1], test=request.test)
        result = _gated(request, case, profiles, collected or collect_case(case, request))
    except (NpuperfError, OSError) as err:
        return refused(request, err)
    if result.mode == "replay":
        judged[case.name] = (asked, result)
    return result


def _states(case: Case, collected: Collected | Unavailable | None) -> list[object]:
    """Return what the files are like that a replay would read."""
    if isinstance(collected, Collected):
        return [_state(path) for path in collected.rounds]
    return [_state(case.recording)] if case.recording and case.recording.exists() else []


def _gated(
    request: Request, case: Case, profiles: Profiles, collected: Collected | Unavailable
) -> CaseResult:
    if isinstance(collected, Unavailable):
        return _skipped(request, case, collected)
    case = request.resolve(collected.fingerprint.get("soc"))
    opened = [profiles.open(path, collected.mode) for path in collected.rounds]
    return _judged(request, case, collected, opened)


def refused(request: Request, err: NpuperfError | OSError) -> CaseResult:
    """Return the result of a case that could not be collected, read or written."""
    # Every report says the case first; some errors do, too.
    reason = _shorter(str(err).removeprefix(f"{request.name}: "), request.rootdir)
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


def collect_case(case: Case, request: Request) -> Collected | Unavailable:
    """Return the profiles of a case, saved as a recording where that is asked for.

    Raises CollectError.
    """
    if not (case.record and case.app):
        return collect(case, request.folder, request.dev)
    if case.recording is None:
        raise CollectError(f"{case.name}: --npuperf-record needs a place; write recording = NAME")
    collected = collect(case, request.folder, request.dev)
    if not isinstance(collected, Collected) or collected.mode == "replay":
        raise CollectError(
            f"{case.name}: --npuperf-record has nothing to save, since the app was not run; "
            "it needs an NPU, or --npuperf-mode=run"
        )
    save_recording(
        collected.rounds, case.recording, tuple(BY_FILE), collected.fingerprint, date.today()
    )
    return collected


def _judged(
    request: Request, case: Case, collected: Collected, opened: Sequence[Opened]
) -> CaseResult:
    if cannot_fail := nothing_can_fail(case):
        raise NpuperfError(f"{case.name}: {cannot_fail}")
    measurers = [each.measurer(case.steps) for each in opened]
    rounds = tuple(_measured(measurer, case, request) for measurer in measurers)
    measured = _unjudged(request, collected, rounds)
    _write(request.folder, measured)
    limits = judge(_with_units(case, request), rounds, collected.fingerprint)
    verdict = worst(limits)
    if selects := culprits(limits):
        rounds = _with_longest(rounds, measurers, selects)
    result = replace(
        measured,
        verdict=verdict,
        reason="",
        rounds=rounds,
        limits=limits,
        blocks=blocks(case, verdict),
    )
    _write(request.folder, result)
    return result


def _with_units(case: Case, request: Request) -> Case:
    """Give the limits on the numbers that the test reported the units that it said."""
    units = {CUSTOM + name: unit for name, (_, unit) in request.reported.items()}
    limits = (replace(limit, unit=units.get(limit.wanted.metric, "")) for limit in case.limits)
    return replace(case, limits=tuple(limits))


def _unjudged(
    request: Request, collected: Collected, rounds: tuple[Measurement, ...]
) -> CaseResult:
    """Return what is known before it is judged; should judging crash, this is found on disk."""
    return CaseResult(
        request.name,
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
    rounds: Sequence[Measurement], measurers: Sequence[Measurer], selects: Sequence[Selector]
) -> tuple[Measurement, ...]:
    """Name the longest operators, which are read only when there is something to explain."""
    named = []
    for measurement, measurer in zip(rounds, measurers, strict=True):
        longest = measurer.longest(selects)
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
