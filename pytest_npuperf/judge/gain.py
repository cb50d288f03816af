"""Where the gain of a quantised model comes from, and which op types ate of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pytest_npuperf.catalogue import COMMUNICATION, SPEEDUPS
from pytest_npuperf.judge.attribution import explain, middle_ops
from pytest_npuperf.judge.pairs import Calls, Place
from pytest_npuperf.model import CaseResult, Cause, OpRow
from pytest_npuperf.text import many, named
from pytest_npuperf.units import Dimension, show

_MOST = 5
"""How many op types are named."""

_SMALL = Fraction(1, 100)
"""As a share of all that is listed; smaller parts are not named."""

_INTEGERS = ("INT8", "INT4", "UINT8")
_LAYOUT = "TransData"
"""Moves what comes, be it in float or not, and computes nothing."""


def explain_gain(case: CaseResult) -> dict[str, tuple[Cause, ...]]:
    """Return by lane the parts of the difference that op types make, which sum to it.

    None where no speedup was measured. Shapes and data types are left out: between a float model
    and a quantised one all differ.
    """
    return {
        lane: explain(_by_type(float_ops), _by_type(ops)) for lane, float_ops, ops in _sides(case)
    }


def tell_gain(case: CaseResult) -> Iterator[str]:
    """Yield what people are to know of a pair, each in one line."""
    other = case.against.title if case.against else ""
    for lane, float_ops, ops in _sides(case):
        place = f" on lane {lane}" if len(case.rounds[0].lanes) > 1 else ""
        before, now = _totals(float_ops), _totals(ops)
        yield (
            f"kernel_time{place} {_shown(sum(now.values()))}, "
            f"{named(other)} {_shown(sum(before.values()))}"
        )
        yield from _parts(place, before, now)
        if any(op.dtypes for op in ops) and not any(map(_is_quantised, ops)):
            yield f"nothing is quantised{place}: no op has an input in INT8, UINT8 or INT4"
        yield from _left_in_float(place, ops)


def _sides(case: CaseResult) -> Iterator[tuple[str, Sequence[OpRow], Sequence[OpRow]]]:
    """Yield the lanes that are a pair, with the ops of the float one first."""
    if case.against is None:
        return
    for lane, first in case.rounds[0].lanes.items():
        speedups = [value for wanted, value in first.values.items() if wanted.metric in SPEEDUPS]
        before, now = middle_ops(case.against.rounds, lane), middle_ops(case.rounds, lane)
        if before and now and any(each.value is not None for each in speedups):
            yield lane, before, now


def _by_type(ops: Iterable[OpRow]) -> list[OpRow]:
    found: defaultdict[Place, Calls] = defaultdict(Calls)
    for op in ops:
        found[op.type, op.core] += Calls(op.count, op.total)
    return [OpRow(*place, calls.count, calls.total) for place, calls in found.items()]


def _totals(ops: Iterable[OpRow]) -> Counter[str]:
    totals: Counter[str] = Counter()
    for op in ops:
        if op.core not in COMMUNICATION:
            totals[op.type] += op.total
    return totals


def _parts(place: str, before: Counter[str], now: Counter[str]) -> Iterator[str]:
    """Yield the op types that became shorter, and those that became longer or are new."""
    changes = {kind: now[kind] - before[kind] for kind in {**before, **now}}
    gained = sorted((ns, kind) for kind, ns in changes.items() if ns < 0)
    eaten = sorted((-ns, kind) for kind, ns in changes.items() if ns > 0)
    if gained:
        yield f"gained{place}: {_listed([(kind, -ns, '') for ns, kind in gained])}"
    if eaten:
        told = [(kind, -ns, "" if kind in before else " (new)") for ns, kind in eaten]
        yield f"eaten{place}: {_listed(told)}"


def _listed(parts: Sequence[tuple[str, int, str]]) -> str:
    """Return parts, the largest first, as a line tells them."""
    least = _SMALL * sum(ns for _, ns, _ in parts)
    large = [part for part in parts[:_MOST] if part[1] >= least]
    told = [f"{named(kind) or '(no type)'} {_shown(ns)}{how}" for kind, ns, how in large]
    rest = parts[len(large) :]
    if rest:
        told.append(f"{many(len(rest), 'more type')} {_shown(sum(ns for _, ns, _ in rest))}")
    return ", ".join(told)


def _is_quantised(op: OpRow) -> bool:
    return "Quant" in op.type or any(each in _INTEGERS for each in op.dtypes.upper().split(";"))


def _left_in_float(place: str, ops: Iterable[OpRow]) -> Iterator[str]:
    """Yield the op types of which some calls are in integers, and others fell back to float."""
    in_float: defaultdict[str, Calls] = defaultdict(Calls)
    every: Counter[str] = Counter()
    quantised = set()
    for op in ops:
        every[op.type] += op.count
        if op.dtypes.upper().startswith(_INTEGERS):
            quantised.add(op.type)
        elif op.dtypes:  # of what is pooled they are unknown
            in_float[op.type] += Calls(op.count, op.total)
    told = [
        f"{named(kind)} {calls.count} of {many(every[kind], 'call')}, {_shown(calls.total)}"
        for kind, calls in sorted(in_float.items(), key=lambda each: -each[1].total)
        if kind in quantised and kind != _LAYOUT
    ]
    if told:
        yield f"still in float{place}: {'; '.join(told[:_MOST])}"


def _shown(ns: int) -> str:
    return show(Fraction(ns), Dimension.TIME)
