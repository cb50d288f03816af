"""Explain a change of op time: which ops came, went, moved, or take longer, exact to the ns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.judge.pairs import NONE, Calls, Pair, Place, paired, summed, told_from_pools
from pytest_npuperf.model import Cause, CauseKind, Measurement, OpRow

_AI_CPU = "AI_CPU"


def explain(before: Sequence[OpRow], now: Sequence[OpRow]) -> tuple[Cause, ...]:
    """Return the parts of a change, which sum to it; none for ops that are as they were.

    A move to the AI CPU is first, then what makes the time worse, then what makes it better,
    each with the largest part first. Ops that came and ops that went stand together.
    """
    pairs = paired(before, now)
    told, hidden = told_from_pools(pairs)
    moves, left = _moves(told, lambda pair: (pair.type, pair.shapes, pair.dtypes))
    # On the AI CPU an op may have no shapes.
    more_moves, left = _moves([*left, *summed(hidden)], lambda pair: pair.type)
    stayed = _stayed(pairs)
    came_or_went = summed(pair for pair in left if pair.place not in stayed)
    left = [*(pair for pair in left if pair.place in stayed), *came_or_went]
    changes = [cause for pair in left for cause in _changes(pair, stayed)]
    return _ordered([*moves, *more_moves, *changes])


def middle_ops(rounds: Iterable[Measurement], lane: str) -> Sequence[OpRow]:
    """Return the ops of a lane in the round whose kernel time is the median, the lower one of two.

    None where no round has the lane.
    """
    found = [measured.lanes[lane].ops for measured in rounds if lane in measured.lanes]
    by_time = sorted(found, key=_kernel_time)
    return by_time[(len(by_time) - 1) // 2] if by_time else ()


def _kernel_time(rows: Sequence[OpRow]) -> int:
    return sum(row.total for row in rows if row.core not in COMMUNICATION)


def _stayed(pairs: Iterable[Pair]) -> frozenset[Place]:
    """Return the types and cores that both sides have, in any shapes."""
    before = {pair.place for pair in pairs if pair.before != NONE}
    return frozenset(before & {pair.place for pair in pairs if pair.now != NONE})


def _cause(kind: CauseKind, pair: Pair, before: Calls, now: Calls, from_core: str = "") -> Cause:
    return Cause(
        kind=kind,
        type=pair.type,
        core=pair.core,
        shapes=pair.shapes,
        dtypes=pair.dtypes,
        before_count=before.count,
        count=now.count,
        before_total=before.total,
        total=now.total,
        from_core=from_core,
    )


# --- from core to core ------------------------------------------------------------------------


def _moves(pairs: Iterable[Pair], op: Callable[[Pair], Hashable]) -> tuple[list[Cause], list[Pair]]:
    """Take out the calls that one core lost and another gained; ``op`` says what is the same."""
    groups: defaultdict[Hashable, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[op(pair)].append(pair)
    moves = [move for group in groups.values() for move in _moves_within(group)]
    return moves, [pair for group in groups.values() for pair in group]


def _moves_within(group: list[Pair]) -> Iterator[Cause]:
    """Take the calls that moved out of the pairs of one op."""
    # The AI CPU takes first; otherwise the longest ops do, as they come.
    group.sort(key=lambda pair: pair.core != _AI_CPU)
    takers = [at for at, pair in enumerate(group) if pair.gained > 0]
    givers = [at for at, pair in enumerate(group) if pair.gained < 0]
    for taker, giver in product(takers, givers):
        new, old = group[taker], group[giver]
        count = min(new.gained, -old.gained)
        if count > 0 and new.core != old.core:
            before, now = old.before.at_mean(count), new.now.at_mean(count)
            group[giver] = replace(old, before=old.before - before)
            group[taker] = replace(new, now=new.now - now)
            named = replace(old if new.is_pool else new, core=new.core)
            yield _cause(CauseKind.MOVED, named, before, now, from_core=old.core)


# --- on one core ------------------------------------------------------------------------------


def _changes(pair: Pair, stayed: frozenset[Place]) -> Iterator[Cause]:
    """Tell calls from speed: first more or fewer calls, as slow as before, then their speed."""
    before, now = pair.before, pair.now
    if pair.gained:
        middle = before.at_mean(now.count) if before.count else now
        yield _cause(_kind_of_calls(pair, stayed), pair, before, middle)
        before = middle
    if before.total != now.total:
        kind = CauseKind.SLOWER if now.total > before.total else CauseKind.FASTER
        yield _cause(kind, pair, before, now)


def _kind_of_calls(pair: Pair, stayed: frozenset[Place]) -> CauseKind:
    if pair.gained > 0:
        return CauseKind.MORE_CALLS if pair.place in stayed else CauseKind.NEW
    return CauseKind.FEWER_CALLS if pair.place in stayed else CauseKind.VANISHED


# --- in order ---------------------------------------------------------------------------------


def _ordered(causes: Sequence[Cause]) -> tuple[Cause, ...]:
    largest_new = max((c.delta for c in causes if c.kind is CauseKind.NEW), default=0)

    def rank(cause: Cause) -> tuple[object, ...]:
        # One op that became three, or three that became one, are read together.
        came_or_went = largest_new > 0 and cause.kind in (CauseKind.NEW, CauseKind.VANISHED)
        weight = largest_new if came_or_went else cause.delta
        is_to_ai_cpu = cause.kind is CauseKind.MOVED and cause.core == _AI_CPU
        size = (-abs(weight), not came_or_went, -abs(cause.delta))
        name = (cause.type, cause.core, cause.shapes, cause.dtypes, cause.kind, cause.from_core)
        return (not is_to_ai_cpu, weight <= 0, *size, *name)

    return tuple(sorted(causes, key=rank))
