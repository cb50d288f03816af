"""The other side of a case: what it is compared with in its session, measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_npuperf.model import Case, Collected, OtherSide, Wanted
from pytest_npuperf.pipeline.opened import Profiles
from pytest_npuperf.pipeline.rounds import NO_PROFILE, Rounds
from pytest_npuperf.pipeline.told import Told


def other_side(
    case: Case,
    collected: Collected,
    wanted: Sequence[Wanted],
    told: Told,
    profiles: Profiles,
    shown: Callable[[Path], str],
) -> OtherSide | None:
    """Measure what a case is compared with; None where it was not collected.

    ``shown`` is how paths are told. Raises ProfileError.
    """
    if not collected.rounds:
        return _of_files(case, told)
    if case.against is None or collected.against is None:
        return None
    measured = Rounds.open(case.against, collected.against, profiles).measure(wanted, by_shape=True)
    return OtherSide(
        title=case.against.name,
        profiles=tuple(map(shown, collected.against.rounds)),
        fingerprint=collected.against.fingerprint,
        rounds=tuple(told.of_other(each, case.limits) for each in measured),
    )


def _of_files(case: Case, told: Told) -> OtherSide | None:
    """Return the other side of a case that is about files only, as it is then, too.

    The log of a search says what the float model was like, whatever the case names.
    """
    if case.against is None and not told.before:
        return None
    title = case.against.name if case.against else "float model"
    return OtherSide(title, rounds=(told.of_other(NO_PROFILE, case.limits),))
