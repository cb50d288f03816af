"""The scalar metrics of a lane's operators: times, counts, shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.catalogue import AI_CORES
from pytest_npuperf.measure.intervals import Span, overlap, span
from pytest_npuperf.measure.rows import Mask, NotMeasuredError, OpRows
from pytest_npuperf.text import many


@dataclass(frozen=True)
class Number:
    """A measured number, and how many rows it was made from."""

    value: Fraction
    samples: int
    coverage: Fraction = Fraction(1)


def _total(rows: OpRows, chosen: Mask) -> Number:
    durations = rows.durations(chosen)
    return timed(int(durations.sum()), len(durations), rows.place)


def timed(total_ns: int, samples: int, place: str) -> Number:
    """Return the time of so many tasks. Raises NotMeasuredError: no work takes no time."""
    if samples and not total_ns:
        tasks = many(samples, "task that takes", "tasks that together take")
        raise NotMeasuredError(f"{place} has {tasks} 0 ns")
    return Number(Fraction(total_ns), samples)


def _whole(part: Callable[[Span], int]) -> Callable[[OpRows], Number]:
    """Return a metric that is a part of the span of all rows, communication included."""
    return lambda rows: Number(Fraction(part(rows.span)), len(rows))


def _union(rows: OpRows, chosen: Mask) -> Number:
    return timed(span(*rows.intervals(chosen)).busy, int(chosen.sum()), rows.place)


def _idle_share(rows: OpRows) -> Number:
    whole = rows.span
    if not whole.window:
        raise NotMeasuredError(f"{rows.place} has a window of 0 ns, of which nothing is a share")
    return Number(Fraction(whole.window - whole.busy, whole.window), len(rows))


def _communication(rows: OpRows) -> Mask:
    """Return which rows are collectives, where at least one row says what it is."""
    if bool(rows.column("task_type").isna().all()):
        raise NotMeasuredError(f"{rows.place} has no {rows.header('task_type')} in any row")
    return rows.communication


def _overlap_share(rows: OpRows) -> Number:
    communication = rows.intervals(_communication(rows))
    length = span(*communication).busy
    if not length:
        raise NotMeasuredError(f"{rows.place} has no communication that could be overlapped")
    shared = overlap(communication, rows.intervals(rows.kernels))
    return Number(Fraction(shared, length), len(communication[0]))


def _kernel_count(rows: OpRows) -> Number:
    count = int(rows.kernels.sum())
    return Number(Fraction(count), count)


FROM_ROWS: dict[str, Callable[[OpRows], Number]] = {
    "kernel_time": lambda rows: _total(rows, rows.kernels),
    "compute_time": lambda rows: _union(rows, rows.kernels),
    "busy_time": lambda rows: timed(rows.span.busy, len(rows), rows.place),
    "window_time": lambda rows: timed(rows.span.window, len(rows), rows.place),
    "idle_time": _whole(lambda whole: whole.window - whole.busy),
    "largest_gap": _whole(lambda whole: whole.largest_gap),
    "idle_share": _idle_share,
    "kernel_count": _kernel_count,
    "ai_core_time": lambda rows: _total(rows, rows.of_task_type(AI_CORES)),
    "ai_cpu_time": lambda rows: _total(rows, rows.of_task_type(("AI_CPU",))),
    "communication_time": lambda rows: _union(rows, _communication(rows)),
    "overlap_share": _overlap_share,
}
"""Each metric of the catalogue that an op_summary gives. All raise NotMeasuredError."""
