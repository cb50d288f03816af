"""A budget, gated on its recording as a test would be, and judged as it would be after a change."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pytest_npuperf.collect import replay
from pytest_npuperf.commands.doctor.changed import ChangedProfile
from pytest_npuperf.commands.doctor.effects import Effect
from pytest_npuperf.config import Settings
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import Before, judge
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import Case, CaseResult, Limit, Verdict
from pytest_npuperf.pipeline import Profiles, Recordings, Request, gate
from pytest_npuperf.pipeline.before import before
from pytest_npuperf.profile import Profile

_NO_DEVICES = Path("nowhere")
"""Replaying looks for none."""


class Gated:
    """One budget, gated in replay as often as it takes; its recording is read once.

    All that it gives raises NpuperfError where the recording cannot be gated.
    """

    def __init__(self, settings: Settings, name: str, folder: Path) -> None:
        self._settings = settings
        self._profiles = Profiles(Recordings())
        self._request = Request("", name, self._resolve, folder, settings.rootdir, _NO_DEVICES)

    def _resolve(self, soc: str | None) -> Case:
        case = self._settings.case(self._request.name, soc=soc)
        return replace(case, mode="replay", strict=False, record=False)

    @cached_property
    def result(self) -> CaseResult:
        """What a test would make of the recording."""
        result = gate(self._request, self._profiles)
        if result.verdict is Verdict.ERROR:
            raise NpuperfError(result.reason)
        return result

    @cached_property
    def case(self) -> Case:
        """The case for the hardware of the recording."""
        return self._resolve(self.result.fingerprint.get("soc"))

    @cached_property
    def profiles(self) -> tuple[Profile, ...]:
        """The rounds of the recording; a budget about files alone has none."""
        if self.case.recording is None:
            return ()
        rounds = replay(self.case.recording).rounds
        return tuple(self._profiles.open(path, "replay").profile for path in rounds)

    def failing(self, effect: Effect, amount: int, limits: Sequence[Limit]) -> Set[Limit]:
        """Return which of some limits fail once this has happened to the recording.

        No more is measured for it than these limits need.
        """
        changed = [ChangedProfile(profile, effect, amount) for profile in self.profiles]
        wanted = [limit.wanted for limit in limits]
        rounds = [Measurer(each, self.case.steps).numbers(wanted) for each in changed]
        case = replace(self.case, limits=tuple(limits))
        judged = judge(case, rounds, self.result.fingerprint, self._before)
        return {each.limit for each in judged if each.verdict is Verdict.FAILED}

    @cached_property
    def _before(self) -> Before:
        """What limits with ``max_regression`` are compared with; no change touches that."""
        return before(self.case, self.result)
