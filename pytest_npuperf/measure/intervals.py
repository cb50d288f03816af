"""Lengths of unions, gaps and overlaps of time intervals, exact in int64 nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ns = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Span:
    """What a set of intervals covers, ns; all zero for no interval."""

    busy: int = 0
    """Length of the union."""
    window: int = 0
    """From the first start to the last end."""
    largest_gap: int = 0


def span(starts: Ns, durations: Ns) -> Span:
    """Return union, window and largest gap of intervals in any order."""
    if not len(starts):
        return Span()
    if not bool((starts[1:] >= starts[:-1]).all()):
        order = np.argsort(starts, kind="stable")
        starts, durations = starts[order], durations[order]
    ends = np.maximum.accumulate(starts + durations)
    gaps = np.maximum(starts[1:] - ends[:-1], 0)
    window = int(ends[-1] - starts[0])
    return Span(window - int(gaps.sum()), window, int(gaps.max(initial=0)))


def overlap(first: tuple[Ns, Ns], second: tuple[Ns, Ns]) -> int:
    """Return the length of what two sets of (starts, durations) both cover."""
    both = span(np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]]))
    return span(*first).busy + span(*second).busy - both.busy
