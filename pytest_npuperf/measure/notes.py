"""What people should know of a profile beside its numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_npuperf.measure.rows import is_left_out, place_of
from pytest_npuperf.profile import Profile
from pytest_npuperf.profile.layouts import Unit
from pytest_npuperf.text import many

_DURATION, _STARTS = "reduce_duration_us", ("reduce_start_us", "reduce_start")
"""Columns of step_trace, a pair of them for each reduce of an iteration."""

_NOT_COMPARED = ("timeline", "l2_cache")
"""Tables that name kernels, too: which of them depends on the release and the chip."""


def all_notes(profile: Profile) -> tuple[str, ...]:
    """Return all that is to be known of a profile, lost tables too. Raises ProfileError."""
    return (*profile.lost, *profile.doubts, *notes_on(profile, profile.tables))


def notes_on(profile: Profile, tables: Collection[str]) -> Iterator[str]:
    """Yield what is to be known of some tables, by themselves. Raises ProfileError."""
    if "op_summary" in tables:
        yield from _of_ops(profile)
    if "step_trace" in tables:
        yield from _of_steps(profile)


def _of_ops(profile: Profile) -> Iterator[str]:
    units = [(index, unit) for index, unit in enumerate(profile.units) if unit.of("op_summary")]
    rows = (profile.unit_rows(index, "op_summary") for index, _ in units)
    left_out = sum(int(is_left_out(frame).sum()) for frame in rows)
    if left_out:
        marked = "marked WRITE_BACK or INVALID"
        yield f"{many(left_out, f'row {marked} is', f'rows {marked} are')} left out"
    yield from dict.fromkeys(_nothing_beside(unit) for _, unit in units if _alone(unit))


def _nothing_beside(unit: Unit) -> str:
    name = place_of(unit.of("op_summary"))
    note = f"nothing to check {name} against: neither op_statistic nor task_time is there"
    unused = [table for table in _NOT_COMPARED if unit.of(table)]
    return f"{note}; not compared: {', '.join(unused)}" if unused else note


def _alone(unit: Unit) -> bool:
    """Return whether no other table could contradict the op table."""
    return not (unit.of("op_statistic") or unit.of("task_time") or unit.twin("op_summary"))


def _of_steps(profile: Profile) -> Iterator[str]:
    found = sum(_underflowed(profile, unit) for unit in range(len(profile.units)))
    if found:
        yield f"step_trace lacks {many(found, 'reduce duration')}: msprof wrote an underflow"


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
