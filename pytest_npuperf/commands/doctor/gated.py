"""A budget, gated on its recording as a test would be, also as it would be after a change."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pytest_npuperf.collect import replay
from pytest_npuperf.commands.doctor.changed import ChangedProfiles
from pytest_npuperf.commands.doctor.effects import Effect
from pytest_npuperf.config import Settings
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import Case, CaseResult, Limit, Verdict
from pytest_npuperf.pipeline import Profiles, Recordings, Request, gate
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
        return _measured(self._request, self._profiles)

    @cached_property
    def case(self) -> Case:
        """The case for the hardware of the recording."""
        return self._resolve(self.result.fingerprint.get("soc"))

    @property
    def profiles(self) -> list[Profile]:
        """Return the rounds of the recording."""
        return [self._profiles.open(path, "replay").profile for path in self._rounds]

    @cached_property
    def _rounds(self) -> tuple[Path, ...]:
        assert self.case.recording is not None
        return replay(self.case.recording).rounds

    def failing(self, effect: Effect, amount: int, limits: Sequence[Limit]) -> Set[Limit]:
        """Return which of some limits fail once this has happened to the recording."""
        compares = any(limit.max_regression for limit in limits)
        against = self.case.against if compares else None
        case = replace(self.case, limits=tuple(limits), against=against)
        request = replace(self._request, resolve=lambda _: case)
        changed = ChangedProfiles(self._profiles, self._rounds, effect, amount)
        judged = _measured(request, changed).limits
        return {each.limit for each in judged if each.verdict is Verdict.FAILED}


def _measured(request: Request, profiles: Profiles) -> CaseResult:
    result = gate(request, profiles)
    if result.verdict is Verdict.ERROR:
        raise NpuperfError(result.reason)
    return result
