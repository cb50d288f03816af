"""A first budget as TOML, ready to paste: each limit with what was measured beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.commands.draft import Draft, Held
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.text import many, printable, wrapped
from pytest_npuperf.units import Dimension, exact, show_apart

FINEST = {
    Dimension.TIME: Fraction(1),
    Dimension.SHARE: Fraction(1, 10**6),
    Dimension.COUNT: Fraction(1),
}
"""The smallest step of a bound: 1 ns, 0.0001 %, and one."""

_WIDTH = 98


@dataclass(frozen=True)
class Place:
    """Where a budget stands, and where its profile lies."""

    table: tuple[str, ...]
    """The keys above it: ``("tool", "npuperf", "budgets")``."""
    name: str
    recording: str
    """Relative to the folder of recordings."""
    to_do: str = ""
    """What is to be done before the recording is there; empty where it is."""


def as_toml(place: Place, draft: Draft, headroom: Fraction, made: str) -> str:
    """Return a budget as TOML; ``made`` says how its profile was made, and may be empty."""
    by_name = [held for held in draft.held if not _is_rule(held)]
    lines = [
        *_head(place, draft, headroom, made),
        *(_limit(held, draft.lanes, headroom) for held in by_name),
    ]
    for held in filter(_is_rule, draft.held):
        lines += ["", f"[[{_header(place, 'ops')}]]", *_rule(held, draft.lanes, headroom)]
    return "".join(f"{line}\n" for line in lines)


def _head(place: Place, draft: Draft, headroom: Fraction, made: str) -> Iterator[str]:
    room = f"Headroom: {exact(headroom, Dimension.SHARE)} on times and shares, none on counts."
    yield from _comment(f"{made} {room}")
    if draft.not_per_step:
        yield from _comment(f"The numbers are of the whole run: {draft.not_per_step}")
    for reason, titles in draft.left_out.items():
        yield from _comment(f"Not limited: {', '.join(titles)}: {reason}")
    yield f"[{_header(place)}]"
    yield '# app = ["./out/main"]  # what msprof runs where there is an NPU'
    if place.to_do:
        yield f"# {printable(place.to_do)}"  # never broken, as paths are copied
    yield f"recording = {quoted(place.recording)}"


def _is_rule(held: Held) -> bool:
    return held.judged.limit.wanted.metric == "ops"


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrapped(printable(text), _WIDTH)]


def _header(place: Place, *below: str) -> str:
    # A name may hold a dot, which outside quotes would be the end of it.
    parts = (*place.table, place.name, *below)
    return ".".join(quoted(part) if "." in part else part for part in parts)


def _rule(held: Held, lanes: int, headroom: Fraction) -> Iterator[str]:
    for key, globs in held.judged.limit.wanted.select.as_dict().items():
        texts = ", ".join(map(quoted, globs))
        remark = f"  # {held.choice.remark}" if held.choice.remark else ""
        yield f"{key} = {texts if len(globs) == 1 else f'[{texts}]'}{remark}"
    yield _limit(held, lanes, headroom)
    if held.choice.why:
        yield f"why = {quoted(held.choice.why)}"


# --- one limit --------------------------------------------------------------------------------


def _limit(held: Held, lanes: int, headroom: Fraction) -> str:
    wanted, dimension = held.judged.limit.wanted, held.judged.limit.dimension
    bound = bound_of(held.value, dimension, headroom)
    text = exact(bound, dimension)
    keys = (None if _is_rule(held) else wanted.metric, wanted.statistic)
    key = ".".join(filter(None, keys))
    said = text if dimension is Dimension.COUNT else quoted(text)
    return f"{key} = {said}  # {_measured(held, bound, lanes)}"


def bound_of(value: Fraction, dimension: Dimension, headroom: Fraction) -> Fraction:
    """Return the bound for a measured number, rounded up by a tenth of the headroom at most."""
    if dimension is Dimension.COUNT:
        return Fraction(math.ceil(value))
    room = value * headroom
    step = FINEST[dimension]
    while step * 100 <= room:
        step *= 10
    bound = math.ceil((value + room) / step) * step
    if dimension is Dimension.SHARE and bound >= 1:
        # No share is more than the whole, so such a bound could not be broken.
        return max(1 - step, math.ceil(value / step) * step)
    return bound


def _measured(held: Held, bound: Fraction, lanes: int) -> str:
    judged = held.judged
    value = show_apart((held.value, bound), judged.limit.dimension)[0]
    steps = (
        f" of {many(judged.samples, 'step')}" if judged.limit.wanted.metric == "step_time" else ""
    )
    lane = f", on lane {printable(judged.lane)}, the worst of {lanes}" if lanes > 1 else ""
    return f"{value} measured{steps}{lane}"


def quoted(text: str) -> str:
    """Return a text as TOML writes it, safe to print. Raises NpuperfError where TOML cannot."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise NpuperfError(f"{printable(text)}: is not Unicode, as TOML is; rename it")
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in ('"', "\\"):
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08X}"
