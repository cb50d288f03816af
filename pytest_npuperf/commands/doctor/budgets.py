"""Check a budget: what it has, what its limits say of its recording, and whether they can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_npuperf.accuracy import read
from pytest_npuperf.commands.doctor.effects import Effect
from pytest_npuperf.commands.doctor.facts import app_of, before_of, contents, made, shorter
from pytest_npuperf.commands.doctor.gated import Gated
from pytest_npuperf.commands.doctor.trips import breaking_effects, trip_points
from pytest_npuperf.config import Settings
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import nothing_can_fail
from pytest_npuperf.model import CUSTOM, Artefacts, Case, Judged, Limit, Verdict
from pytest_npuperf.pipeline.told import about_files_only


@dataclass(frozen=True)
class Place:
    """Where budgets are checked."""

    env: Mapping[str, str]
    has_npu: bool
    folder: Path
    """For what the gate writes."""


@dataclass(frozen=True)
class Checked:
    """A budget, and what is found of it."""

    name: str
    where: str
    facts: Mapping[str, str]
    """Labels with a text for people each, or an empty one: recording, app, baseline."""
    limits: tuple[Judged, ...] = ()
    """As a test would judge them; without those on numbers that the test reports itself."""
    breaking: Mapping[Limit, Effect | None] = field(default_factory=dict)
    """What was found to make a limit fail; None where nothing that was tried does."""
    trips: Mapping[Limit, int] = field(default_factory=dict)
    """From which amount of that on."""
    obstacle: str = ""
    """Why it cannot be gated here at all."""

    @property
    def has_problem(self) -> bool:
        """Return whether something cannot be measured, or cannot fail."""
        return bool(self.obstacle) or any(
            is_unclear(each) or self.is_idle(each) for each in self.limits
        )

    def is_idle(self, judged: Judged) -> bool:
        """Return whether a limit holds whatever is tried, so that it cannot fail."""
        return judged.verdict is Verdict.PASSED and self.breaking.get(judged.limit, ...) is None

    def is_untried(self, judged: Judged) -> bool:
        """Return whether a limit holds, and no change is known that could break it."""
        return judged.verdict is Verdict.PASSED and judged.limit not in self.breaking


def is_unclear(judged: Judged) -> bool:
    """Return whether the recording does not tell if a limit holds."""
    return judged.verdict in (Verdict.NOT_MEASURED, Verdict.INCONCLUSIVE, Verdict.NEW)


def check(settings: Settings, name: str, place: Place, self_test: bool) -> Checked:
    """Return what is found of a budget, whatever is wrong with it."""
    case = settings.case(name)
    app, lacking = app_of(case, {**place.env, **case.env})
    mode = "off, so no test is judged by it" if case.mode == "off" else ""
    recording = shorter(case.recording, settings.rootdir) if case.recording else "none"
    plain = Checked(name, settings.where(name), {"mode": mode, "recording": recording, "app": app})
    is_whole = case.limits and (case.app or case.recording)
    if name in settings.bases and not is_whole:
        return replace(plain, facts={**plain.facts, "used by": "other budgets"})
    if case.recording is None and not about_files_only(case):
        return replace(plain, obstacle=_nothing_recorded(case, place, lacking))
    plain = replace(plain, obstacle=lacking if place.has_npu else "")
    try:
        return _gated(plain, Gated(settings, name, place.folder), settings.rootdir, self_test)
    except NpuperfError as err:
        return replace(plain, obstacle=str(err))


def _nothing_recorded(case: Case, place: Place, lacking: str) -> str:
    """Say why a budget without a recording cannot be gated here; empty where it can be run."""
    if not case.app:
        return "neither an app nor a recording is named"
    if place.has_npu:
        return nothing_can_fail(case) or lacking
    return nothing_can_fail(case) or (
        "nothing can be measured without an NPU; write recording = NAME, and run it once where "
        "there is one, with --npuperf-record"
    )


def _gated(plain: Checked, gated: Gated, root: Path, self_test: bool) -> Checked:
    result, case = gated.result, gated.case
    own = [each.limit.wanted.metric for each in result.limits if _is_own(each, case)]
    facts = {
        **plain.facts,
        **_recorded(gated),
        "files": _files(case.artefacts),
        **before_of(case, result, root),
        "not here": f"{', '.join(own)}: its test reports that" if own else "",
    }
    limits = tuple(each for each in result.limits if not _is_own(each, case))
    breaking = breaking_effects(limits, gated.failing)
    known = {limit: effect for limit, effect in breaking.items() if effect}
    trips = trip_points(known, gated.failing) if self_test else {}
    return replace(plain, facts=facts, limits=limits, breaking=breaking, trips=trips)


def _recorded(gated: Gated) -> dict[str, str]:
    """Return what there is to say of a recording; a budget about files alone has none."""
    if not gated.profiles:
        return {}
    return {
        "made": made(gated.result),
        "holds": contents(gated.profiles, gated.case.steps),
    }


def _files(artefacts: Artefacts) -> str:
    """Return which tables of a budget have files that can be read; the limits say why not."""
    found = read(artefacts)
    good = (*found.readings, *(CUSTOM + name for name in found.numbers))
    bad = dict.fromkeys(wanted.metric for wanted in found.refused)
    said = {"those of {} can be read": good, "those of {} cannot": tuple(bad)}
    return ", ".join(text.format(", ".join(names)) for text, names in said.items() if names)


def _is_own(judged: Judged, case: Case) -> bool:
    """Return whether it is a number that the test reports itself: no recording or file has it."""
    name = judged.limit.wanted.own_name
    return name is not None and name not in case.artefacts.numbers
