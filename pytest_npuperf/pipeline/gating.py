"""The whole program on one screen: collect, read, measure and judge one case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.collect import Watch, collect, collect_more, save_recording
from pytest_npuperf.errors import CollectError, NpuperfError
from pytest_npuperf.judge import (
    Before,
    blocks,
    explain_changes,
    explain_gain,
    judge,
    nothing_can_fail,
    tell_gain,
    undecided,
    wanted_for_speedups,
    with_speedups,
    worst,
)
from pytest_npuperf.model import (
    NO_ARTEFACTS,
    Case,
    CaseResult,
    Collected,
    Measurement,
    OtherSide,
    Reported,
    Selector,
    Unavailable,
    Verdict,
)
from pytest_npuperf.pipeline.before import before
from pytest_npuperf.pipeline.opened import Profiles, state_of
from pytest_npuperf.pipeline.other import other_side
from pytest_npuperf.pipeline.rounds import Rounds
from pytest_npuperf.pipeline.told import Told, about_files_only, tell
from pytest_npuperf.profile.tables import BY_FILE
from pytest_npuperf.report import culprits


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
    reported: Mapping[str, Reported] = field(default_factory=dict)
    """The numbers that the test reported, by their names."""
    watch: Watch = nullcontext
    """Is told of each round that is run."""
    listed: int = 0
    """So many of the longest ops are named for a report that lists them; 0: only those behind a
    limit that has failed."""

    def shown(self, path: Path) -> str:
        """Return a path for people, relative to the root directory where it is below it."""
        return self.shorter(str(path))

    def shorter(self, text: str) -> str:
        """Return a text with the paths below the root directory relative to it."""
        return text.replace(f"{self.rootdir}/", "")


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
        result = _gated(request, case, profiles, collected)
    except (NpuperfError, OSError) as err:
        return refused(request, err)
    if result.mode == "replay" and case.artefacts == NO_ARTEFACTS:
        judged[case.name] = (asked, result)
    return result


def _states(case: Case, collected: Collected | Unavailable | None) -> list[object]:
    """Return what the files are like that a replay would read."""
    if isinstance(collected, Collected):
        sides = [each for each in (collected, collected.against) if each]
        paths = [path for side in sides for path in side.rounds]
    else:
        paths = [each.recording for each in (case, case.against) if each and each.recording]
    if case.compares and case.against is None:
        paths.append(results.baseline_path(case.baselines, case.name, "").parent)
    return [state_of(path) for path in paths if path.exists()]


def _gated(
    request: Request, asked: Case, profiles: Profiles, collected: Collected | Unavailable | None
) -> CaseResult:
    obtained = collected or _obtained(asked, request)
    if isinstance(obtained, Unavailable):
        return _skipped(request, asked, obtained)
    resolved = request.resolve(obtained.fingerprint.get("soc"))
    told = tell(resolved, request.reported).with_paths(request.shorter)
    case = told.with_units(resolved)
    if cannot_fail := nothing_can_fail(case):
        raise NpuperfError(f"{case.name}: {cannot_fail}")
    # Of what the test has run itself there cannot be more.
    can_go_on = collected is None and obtained.mode == "run" and not asked.record
    # What is about files only has a single round, too.
    rounds = len(obtained.rounds) or 1
    looks = replace(case, rounds=rounds).looks[: None if can_go_on else 1]
    result = _judged(request, case, obtained, profiles, told, looks)
    for look in looks[1:]:
        if not undecided(result.limits):
            break
        obtained = collect_more(asked, request.folder, request.dev, obtained, look, request.watch)
        result = _judged(request, case, obtained, profiles, told, looks)
    return result


def refused(request: Request, err: NpuperfError | OSError) -> CaseResult:
    """Return the result of a case that could not be collected, read or written."""
    # Every report says the case first; some errors do, too.
    reason = request.shorter(str(err).removeprefix(f"{request.name}: "))
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


# --- collect ----------------------------------------------------------------------------------


def _obtained(case: Case, request: Request) -> Collected | Unavailable:
    return Collected((), "") if about_files_only(case) else collect_case(case, request)


def collect_case(case: Case, request: Request) -> Collected | Unavailable:
    """Return the profiles of a case, saved as a recording where that is asked for.

    Raises CollectError.
    """
    if not (case.record and case.app):
        return collect(case, request.folder, request.dev, request.watch)
    if case.recording is None:
        raise CollectError(f"{case.name}: --npuperf-record needs a place; write recording = NAME")
    collected = collect(case, request.folder, request.dev, request.watch)
    if not isinstance(collected, Collected) or collected.mode == "replay":
        raise CollectError(
            f"{case.name}: --npuperf-record has nothing to save, since the app was not run; "
            "it needs an NPU, or --npuperf-mode=run"
        )
    save_recording(
        collected.rounds, case.recording, tuple(BY_FILE), collected.fingerprint, date.today()
    )
    return collected


# --- measure and judge ------------------------------------------------------------------------


def _judged(
    request: Request,
    case: Case,
    collected: Collected,
    profiles: Profiles,
    told: Told,
    looks: tuple[int, ...],
) -> CaseResult:
    rounds, unjudged = _measured(request, case, collected, profiles, told, looks[0])
    known = _written(request, unjudged)
    measured = known.rounds
    try:
        compared = replace(before(case, known), looks=len(looks))
    except NpuperfError as err:
        # What was measured is not lost, though its baseline cannot be read, and may replace it.
        reason = request.shorter(str(err))
        limits = judge(case, measured, collected.fingerprint, Before(obstacle="see the error"))
        return _written(request, replace(known, reason=reason, limits=limits))
    limits = judge(case, measured, collected.fingerprint, compared)
    verdict = worst(limits)
    selects = culprits(limits)
    if request.listed:
        measured = rounds.with_longest(measured, (Selector(), *selects), request.listed)
    elif selects:
        measured = rounds.with_longest(measured, selects)
    judged = replace(
        known,
        verdict=verdict,
        reason="",
        rounds=measured,
        limits=limits,
        causes=explain_gain(known) or explain_changes(limits, measured, compared),
        blocks=blocks(case, verdict),
    )
    return _written(request, judged)


def _measured(
    request: Request,
    case: Case,
    collected: Collected,
    profiles: Profiles,
    told: Told,
    first_look: int,
) -> tuple[Rounds, CaseResult]:
    """Measure a case and what it is compared with in its session, and find what files say."""
    rounds = Rounds.open(case, collected, profiles)
    wanted = [*(limit.wanted for limit in case.limits), *wanted_for_speedups(case)]
    own = rounds.measure(wanted, by_shape=_is_explained(case))
    other = other_side(case, collected, wanted, told, profiles, request.shown)
    with_told = [told.of(each, case.limits) for each in own]
    measured = with_speedups(case, with_told, collected.fingerprint, other)
    known = _unjudged(request, collected, measured, other, first_look)
    findings = (*tell_gain(known), *told.findings(case.limits, rounds))
    return rounds, replace(known, findings=tuple(map(request.shorter, findings)))


def _is_explained(case: Case) -> bool:
    """Return whether the ops behind a change are told, which takes their shapes."""
    return case.compares or bool(wanted_for_speedups(case))


def _unjudged(
    request: Request,
    collected: Collected,
    rounds: tuple[Measurement, ...],
    other: OtherSide | None,
    first_look: int,
) -> CaseResult:
    """Return what is known before it is judged; should judging crash, this is found on disk."""
    notes = [note for each in rounds for note in each.notes]
    if len(rounds) > first_look:
        notes.append(f"{len(rounds)} rounds were run, as noise hid a change after {first_look}")
    return CaseResult(
        request.name,
        request.test,
        Verdict.ERROR,
        mode=collected.mode,
        reason="measured, but the session ended before it was judged",
        profiles=tuple(request.shown(path) for path in collected.rounds),
        recorded=collected.recorded,
        fingerprint=collected.fingerprint,
        rounds=rounds,
        notes=tuple(dict.fromkeys(notes)),
        against=other,
        blocks=True,
    )


def _written(request: Request, result: CaseResult) -> CaseResult:
    results.write(request.folder / results.RESULT, results.case_as_json(result))
    return result
