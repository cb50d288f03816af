"""What ``npuperf diff`` prints for people: each number, what must be said of it, and its parts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from pytest_npuperf.catalogue import METRICS, PER_STEP
from pytest_npuperf.commands.diff import Difference, names_of
from pytest_npuperf.commands.sides import Side, metric_name
from pytest_npuperf.model import Judged, Verdict
from pytest_npuperf.report import causes
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.report.words import change_cell, limit_cell
from pytest_npuperf.text import printable, wrapped
from pytest_npuperf.units import show, show_apart

_HEADS = (
    Column("verdict"),
    Column("number", least=16),
    Column("lane", drop=1),
    Column("A", right=True),
    Column("B", right=True),
    Column("change", right=True),
    Column("allowed", right=True, drop=2),
)


def as_text(found: Difference, width: int) -> str:
    """Return the answer for people, no line wider where that can be."""
    lines = [
        _side("A", found.before),
        _side("B", found.now),
        "",
        *lay_out(_HEADS, [_row(found, judged) for judged in found.result.limits], width),
        *_notes(found, width),
        *_parts(found, width),
    ]
    return "".join(f"{line}\n" for line in lines)


def _side(name: str, side: Side) -> str:
    rounds = f" ({len(side.rounds)} rounds)" if len(side.rounds) > 1 else ""
    return f"{name}  {printable(str(side.path))}{rounds}"


# --- the numbers ------------------------------------------------------------------------------


def _row(found: Difference, judged: Judged) -> tuple[str, ...]:
    limit = judged.limit
    lanes = {lane for side in _sides(found) for lane in side.lanes}
    allowed = limit_cell(judged).lstrip("+-")
    title, lane = printable(limit.wanted.title()), printable(judged.lane)
    return (_word(judged), title, lane * (len(lanes) > 1), *_cells(judged), allowed)


def _sides(found: Difference) -> tuple[Side, Side]:
    return found.before, found.now


def _word(judged: Judged) -> str:
    """Return what became of a number, in words."""
    if judged.comparison is None:
        return "not measured"
    if judged.verdict is Verdict.FAILED:
        return "worse"
    if judged.verdict is Verdict.INCONCLUSIVE:
        return "unclear"
    return "better" if judged.comparison.improved else "same"


def _cells(judged: Judged) -> tuple[str, str, str]:
    limit, comparison = judged.limit, judged.comparison
    if judged.value is None:
        return "-", "-", ""
    if comparison is None:
        return "-", show(judged.value, limit.dimension), ""
    before, now = show_apart((comparison.baseline, judged.value), limit.dimension)
    return before, now, change_cell(judged)


# --- what must be said beside them ------------------------------------------------------------


def _notes(found: Difference, width: int) -> Iterator[str]:
    said = [_remark(judged) for judged in found.result.limits if judged.remark]
    notes = [note for side in _sides(found) for each in side.rounds for note in each.notes]
    for text in dict.fromkeys((*said, *_others(found), *found.differences, *notes)):
        first, *rest = wrapped(printable(text), width - len("note: "))
        yield f"note: {first}"
        yield from (f"      {line}" for line in rest)
    if instead := "".join(f" --metric {name}" for name in _by_step(found)):
        paths = shlex.join(str(side.path) for side in _sides(found))
        # Not wrapped, as it is to be copied.
        yield printable(f"next: npuperf diff {paths}{instead}")


def _remark(judged: Judged) -> str:
    # Of what neither has, it is B that the remark is about.
    return f"B: {judged.remark}" if judged.value is None else judged.remark


def _others(found: Difference) -> Iterator[str]:
    """Yield what else to compare where no table is there for what was asked for."""
    tables = found.before.tables & found.now.tables
    asked = (METRICS[judged.limit.wanted.metric] for judged in found.result.limits)
    if not tables or any(not tables.isdisjoint(metric.needs) for metric in asked):
        return
    if names := names_of(tables):
        yield f"both have what --metric can name: {', '.join(names)}"
    else:
        yield "no metric is of what both have; npuperf show tells what that is"


def _by_step(found: Difference) -> Iterator[str]:
    """Yield what to ask for of a profile that holds single steps, and so no total."""
    for judged in found.result.limits:
        wanted = judged.limit.wanted
        form = replace(wanted, metric=wanted.metric + PER_STEP)
        if judged.comparison is None and form.metric in judged.remark:
            yield metric_name(form)


# --- where it comes from ----------------------------------------------------------------------


def _parts(found: Difference, width: int) -> Iterator[str]:
    lanes = {judged.lane for judged in found.result.limits}
    told = {lane: parts for lane, parts in found.result.causes.items() if lane in lanes and parts}
    if not told:
        return
    yield ""
    if not found.is_told_from_noise:
        yield "not told from noise, as no change is beyond what is allowed:"
    elif not found.is_beyond:
        yield "told from noise, and within what is allowed:"
    yield from causes(replace(found.result, causes=told), width)
