"""What people should know of a profile beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_npuperf.profile import Profile
from pytest_npuperf.profile.layouts import Unit

_DURATION, _STARTS = "reduce_duration_us", ("reduce_start_us", "reduce_start")
"""Columns of step_trace, a pair of them for each reduce of an iteration."""


def notes(profile: Profile, left_out: int) -> Iterator[str]:
    """Yield them; ``left_out`` is the number of op rows that are no work. Raises ProfileError."""
    yield from profile.lost
    if left_out:
        yield f"{left_out} rows marked WRITE_BACK or INVALID are left out"
    if any(_stands_alone(unit) for unit in profile.units):
        yield "nothing to check op_summary against: neither op_statistic nor task_time is there"
    underflowed = sum(_underflowed(profile, unit) for unit in range(len(profile.units)))
    if underflowed:
        yield f"{underflowed} reduce durations of step_trace are absent: msprof wrote an underflow"


def _stands_alone(unit: Unit) -> bool:
    """Return whether no other table could contradict the op table."""
    others = unit.of("op_statistic") or unit.of("task_time") or unit.twin("op_summary")
    return bool(unit.of("op_summary")) and not others


def _underflowed(profile: Profile, unit: int) -> int:
    """Count the reduces that have a start and no duration.

    msprof takes the end of the first one of an iteration from its start, without a sign.
    """
    if not profile.units[unit].of("step_trace"):
        return 0
    rows = profile.unit_rows(unit, "step_trace", None)
    found = 0
    for name in map(str, rows):
        if name.startswith(_DURATION):
            ending = name.removeprefix(_DURATION)
            starts = [start + ending for start in _STARTS if start + ending in rows]
            found += sum(int((rows[name].isna() & rows[start].notna()).sum()) for start in starts)
    return found
