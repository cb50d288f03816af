"""Both sides of each op: matched row by row, or summed up where a pool may hide the other row.

A row stands for the calls of one type, core, input shapes and data types. Ops too small for a row
of their own are in the pool of their type and core, so a row on one side only proves nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.model import OpRow

Place = tuple[str, str]
"""A type of op, and a core it runs on."""


@dataclass(frozen=True)
class Calls:
    """Calls of an op, and the time of all of them in ns."""

    count: int = 0
    total: int = 0

    def __add__(self, other: Calls) -> Calls:
        return Calls(self.count + other.count, self.total + other.total)

    def __sub__(self, other: Calls) -> Calls:
        return Calls(self.count - other.count, self.total - other.total)

    def at_mean(self, count: int) -> Calls:
        """Return so many calls that take as long as these do on average, rounded to whole ns."""
        return Calls(count, (2 * self.total * count + self.count) // (2 * self.count))


NONE = Calls()


@dataclass(frozen=True)
class Pair:
    """An op before and now; without shapes and data types, all of a type that have none."""

    type: str
    core: str
    shapes: str
    dtypes: str
    before: Calls
    now: Calls

    @property
    def place(self) -> Place:
        """Return where the row and the pool that may hide it are."""
        return self.type, self.core

    @property
    def gained(self) -> int:
        """Return how many calls more there are now; below zero, so many fewer."""
        return self.now.count - self.before.count

    @property
    def is_pool(self) -> bool:
        """Return whether it may stand for ops of any shapes."""
        return not (self.shapes or self.dtypes)

    @property
    def is_matched(self) -> bool:
        """Return whether both sides have a row of just this op."""
        return not self.is_pool and NONE not in (self.before, self.now)


def paired(before: Iterable[OpRow], now: Iterable[OpRow]) -> list[Pair]:
    """Return each op that either side has, in the order of its key."""
    old, new = _by_key(before), _by_key(now)
    return [Pair(*key, old.get(key, NONE), new.get(key, NONE)) for key in sorted({*old, *new})]


def _by_key(rows: Iterable[OpRow]) -> dict[tuple[str, str, str, str], Calls]:
    found: defaultdict[tuple[str, str, str, str], Calls] = defaultdict(Calls)
    for row in rows:
        # Their name changed by release; no collective moved.
        core = COMMUNICATION[-1] if row.core in COMMUNICATION else row.core
        found[row.type, core, row.shapes, row.dtypes] += Calls(row.count, row.total)
    return found


def told_from_pools(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Return what is known of single ops, and what a pool may hide; longest first.

    Known are matched rows, and rows that surely came or went: pools and unmatched rows together
    are exact, so on one core only as many calls can have come or gone as they gained or lost there.
    """
    pairs = sorted(pairs, key=lambda pair: -max(pair.before.total, pair.now.total))
    room: defaultdict[Place, int] = defaultdict(int)
    for pair in pairs:
        room[pair.place] += 0 if pair.is_matched else pair.gained
    told, hidden = [], []
    for pair in pairs:
        net = room[pair.place]
        if pair.is_matched:
            told.append(pair)
        elif not pair.is_pool and (0 < pair.gained <= net or net <= pair.gained < 0):
            room[pair.place] -= pair.gained
            told.append(pair)
        else:
            hidden.append(pair)
    return told, hidden


def summed(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the sum of each type on each core; one that is a single row keeps its shapes."""
    groups: defaultdict[Place, list[Pair]] = defaultdict(list)
    for pair in pairs:
        # Nothing is left of a row whose calls all moved.
        if (pair.before, pair.now) != (NONE, NONE):
            groups[pair.place].append(pair)
    return [group[0] if len(group) == 1 else _sum(group) for group in groups.values()]


def _sum(pairs: Sequence[Pair]) -> Pair:
    before = sum((pair.before for pair in pairs), NONE)
    now = sum((pair.now for pair in pairs), NONE)
    return Pair(*pairs[0].place, "", "", before, now)
