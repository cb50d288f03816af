"""Find what makes each limit fail, and from which amount of it on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from pytest_npuperf.catalogue import METRICS, PER_STEP, from_profile, needed_tables
from pytest_npuperf.commands.doctor.effects import (
    AI_CPU,
    Calls,
    Effect,
    Everything,
    OnAiCpu,
    Ops,
    Pauses,
    Sign,
)
from pytest_npuperf.commands.doctor.picks import picks_of
from pytest_npuperf.globs import matches
from pytest_npuperf.model import Judged, Limit, Verdict
from pytest_npuperf.units import Dimension

Failing = Callable[[Effect, int, Sequence[Limit]], Set[Limit]]
"""Returns those of some limits that fail after an effect of some amount."""

_HOLDING = (Verdict.PASSED, Verdict.INCONCLUSIVE, Verdict.NEW)


def breaking_effects(judged: Iterable[Judged], failing: Failing) -> dict[Limit, Effect | None]:
    """Return for each limit an effect that makes it fail, at its most; None where none does.

    A limit that fails already, is not measured, or that no effect is known for, is left out.
    """
    found: dict[Limit, Effect | None] = {}
    left = {each.limit: effects_on(each) for each in judged if each.verdict in _HOLDING}
    while left := {limit: effects for limit, effects in left.items() if effects}:
        asked: dict[Effect, list[Limit]] = {}
        for limit, (effect, *_) in left.items():
            asked.setdefault(effect, []).append(limit)
        for effect, limits in asked.items():
            failed = failing(effect, effect.most, limits)
            found.update({limit: effect if limit in failed else None for limit in limits})
        left = {limit: effects[1:] for limit, effects in left.items() if found[limit] is None}
    return found


def trip_points(breaking: Mapping[Limit, Effect], failing: Failing) -> dict[Limit, int]:
    """Return the smallest amount of its effect with which each limit fails.

    The search goes on for all limits at once, since many of them ask for the same.
    """
    bounds = {limit: (0, effect.most) for limit, effect in breaking.items()}
    while open_ := [limit for limit, (low, high) in bounds.items() if high - low > 1]:
        asked: dict[tuple[Effect, int], list[Limit]] = {}
        for limit in open_:
            asked.setdefault((breaking[limit], sum(bounds[limit]) // 2), []).append(limit)
        for (effect, amount), limits in asked.items():
            failed = failing(effect, amount, limits)
            for limit in limits:
                low, high = bounds[limit]
                bounds[limit] = (low, amount) if limit in failed else (amount, high)
    return {limit: high for limit, (_, high) in bounds.items()}


# --- what a limit is tried with ---------------------------------------------------------------


def effects_on(judged: Judged) -> tuple[Effect, ...]:
    """Return the effects that can break a limit, the likeliest first; none are known for some."""
    if not from_profile(judged.limit.wanted):
        return ()
    by_dimension = {
        Dimension.TIME: _on_quantity,
        Dimension.SIZE: _on_quantity,
        Dimension.SHARE: _on_share,
        Dimension.COUNT: _on_count,
    }
    found = by_dimension.get(judged.limit.dimension)
    return tuple(found(judged)) if found else ()


def _signs(limit: Limit) -> Iterator[Sign]:
    """Yield whether more can break a limit, and whether less can."""
    kinds = {bound.kind for bound in limit.bounds}
    by_change = limit.better if limit.max_regression else ""
    if kinds & {"at_most", "equal"} or by_change == "lower":
        yield 1
    if kinds & {"at_least", "equal"} or by_change == "higher":
        yield -1


def _on_quantity(judged: Judged) -> Iterator[Effect]:
    base = judged.limit.wanted.metric.removesuffix(PER_STEP)
    for sign in _signs(judged.limit):
        if judged.value:
            yield Everything(sign)
        if sign > 0 and base == "ai_cpu_time":
            yield OnAiCpu(())
        if sign > 0 and base in ("idle_time", "largest_gap"):
            yield Pauses()


def _on_share(judged: Judged) -> Iterator[Effect]:
    wanted = judged.limit.wanted
    for sign in _signs(judged.limit):
        if wanted.metric == "ops" and judged.value:
            yield Ops(picks_of(wanted), sign)
        if sign > 0 and wanted.metric == "idle_share":
            yield Pauses()


def _on_count(judged: Judged) -> Iterator[Effect]:
    wanted = judged.limit.wanted
    if wanted.metric in METRICS and METRICS[wanted.metric].distribution:
        return
    for sign in _signs(judged.limit):
        if sign > 0 and matches(AI_CPU, wanted.select.task_type):
            anywhere = replace(wanted, select=replace(wanted.select, task_type=()))
            yield OnAiCpu(picks_of(anywhere))
        there = max(judged.samples, 1)
        yield Calls(needed_tables(wanted.metric), picks_of(wanted), sign, there)
