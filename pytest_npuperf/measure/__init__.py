"""Profiles to numbers: exact, per lane, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_npuperf.measure.measurer import Measurer
from pytest_npuperf.measure.notes import notes_on
from pytest_npuperf.measure.oprows import TOLD
from pytest_npuperf.model import Measurement, StepOptions, Wanted
from pytest_npuperf.profile import Profile

__all__ = ["TOLD", "Measurer", "measure", "notes_on"]


def measure(
    profile: Profile, wanted: Iterable[Wanted], options: StepOptions | None = None
) -> Measurement:
    """Return what is wanted on every lane of a profile. Raises ProfileError."""
    return Measurer(profile, options or StepOptions()).measure(wanted)
