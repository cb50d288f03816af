"""The operators behind a limit that has failed, in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, PER_STEP
from pytest_npuperf.globs import matches
from pytest_npuperf.model import (
    CaseResult,
    Cause,
    CauseKind,
    Judged,
    LaneMeasurement,
    LongOp,
    OpRow,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.report.causes import signed
from pytest_npuperf.report.words import severity
from pytest_npuperf.text import clipped, columns, printable
from pytest_npuperf.units import Dimension, show

LEAST = 24
"""How narrow a name may be cut: op types are to be copied into a rule, and few are longer."""

_ONLY = {
    "ai_core_time": AI_CORES,
    "ai_cpu_time": ("AI_CPU",),
    "communication_time": COMMUNICATION,
    "idle_time": (),
    "largest_gap": (),
    "apis": (),
    "timeline_time": (),
}
"""The task types that alone make a time; no operator makes a gap, or what the host does."""
_KERNELS = ("kernel_time", "compute_time")

Culprit = tuple[str, int]
"""A name, and the time of it in ns."""


def culprits(limits: Iterable[Judged]) -> tuple[Selector, ...]:
    """Return which operators the failed limits are about, of the worst limit first."""
    failed = sorted(filter(_is_on_operators, limits), key=severity)
    return tuple(dict.fromkeys(judged.limit.wanted.select for judged in failed))


def guilty_op(case: CaseResult, judged: Judged) -> str:
    """Say which op the most of a change for the worse comes from; empty where none is known."""
    if not (judged.is_by_change and _is_on_operators(judged)):
        return ""
    known = case.causes.get(judged.lane, ())
    parts = [cause for cause in known if cause.delta > 0 and _is_of(judged.limit.wanted, cause)]
    if not parts:
        return ""
    worst = max(parts, key=lambda cause: cause.delta)
    what = f"{worst.kind} to {worst.core}" if worst.kind is CauseKind.MOVED else worst.kind
    return f"most by {worst.type or '(no type)'} ({what}, {signed(worst.delta)})"


def _is_on_operators(judged: Judged) -> bool:
    metric, dimension = judged.limit.wanted.metric, judged.limit.dimension
    made = dimension is Dimension.TIME and _only(metric) != ()
    return judged.counts_as is Verdict.FAILED and (made or is_rule(judged))


def is_rule(judged: Judged) -> bool:
    """Return whether a limit is on operators that a rule chooses."""
    return judged.limit.wanted.metric == "ops"


def _only(metric: str) -> tuple[str, ...] | None:
    return _ONLY.get(metric.removesuffix(PER_STEP))


def behind(case: CaseResult, judged: Judged, most: int, room: int) -> str:
    """Name so many of the operators behind a failed limit on its lane; empty where none is known.

    Names are cut to fit into so many columns where that can be.
    """
    if not _is_on_operators(judged):
        return ""
    wanted = judged.limit.wanted
    lanes = [each.lanes[judged.lane] for each in case.rounds if judged.lane in each.lanes]
    if is_rule(judged):
        return _listed("longest: ", _longest(lanes, wanted.select)[:most], room)
    if judged.is_by_change and judged.lane in case.causes:
        return ""  # the causes say more
    return _listed("most time: ", _most_time(lanes, wanted.metric)[:most], room)


def _is_of(wanted: Wanted, cause: Cause) -> bool:
    """Return whether an op counts to what a limit is about; a cause is of any name."""
    if wanted.metric != "ops":
        return _is_part(cause, wanted.metric)
    select = wanted.select
    chosen = ((select.type, cause.type), (select.task_type, cause.core))
    return all(matches(text, globs) for globs, text in chosen if globs) and not matches(
        cause.type, select.not_type
    )


def _longest(lanes: Iterable[LaneMeasurement], select: Selector) -> list[Culprit]:
    """Return the longest operators that a rule means, each at its worst in any round."""
    worst: dict[str, int] = {}
    for op in (op for lane in lanes for op in lane.longest if _chosen(select, op)):
        worst[op.name] = max(op.duration, worst.get(op.name, 0))
    return sorted(worst.items(), key=lambda item: -item[1])


def _chosen(select: Selector, op: LongOp) -> bool:
    wanted = ((select.name, op.name), (select.type, op.type), (select.task_type, op.core))
    unwanted = ((select.not_name, op.name), (select.not_type, op.type))
    return all(matches(text, globs) for globs, text in wanted if globs) and not any(
        matches(text, globs) for globs, text in unwanted
    )


def _most_time(lanes: Iterable[LaneMeasurement], metric: str) -> list[Culprit]:
    """Return the op types that most of a time went to, each at its worst in any round."""
    worst: Counter[str] = Counter()
    for lane in lanes:
        totals: Counter[str] = Counter()
        # At profiling level 0 no row has a type to name.
        for row in (row for row in lane.ops if row.type):
            totals[row.type] += row.total if _is_part(row, metric) else 0
        worst |= totals  # the larger of the two, and nothing that took no time
    return worst.most_common()


def _is_part(row: OpRow | Cause, metric: str) -> bool:
    """Return whether a scalar time is made of these rows among others."""
    if metric.removesuffix(PER_STEP) in _KERNELS:
        return row.core not in COMMUNICATION
    only = _only(metric)
    return only is None or row.core in only


def _listed(head: str, worst: Sequence[Culprit], width: int) -> str:
    if not worst:
        return ""
    names = [printable(name) or "(no name)" for name, _ in worst]
    times = [show(ns, Dimension.TIME) for _, ns in worst]
    room = width - len(head) - sum(len(f" {time}, ") for time in times) + len(", ")
    cells = zip(_fitted(names, room), times, strict=True)
    return head + ", ".join(f"{name} {time}" for name, time in cells)


def _fitted(names: Sequence[str], room: int) -> list[str]:
    """Return names in so many columns where that can be; the widest are cut."""
    widths = [min(columns(name), max(room, LEAST)) for name in names]
    widest = max(widths, default=0)
    while widest > LEAST and sum(min(width, widest) for width in widths) > room:
        widest -= 1
    return [clipped(name, widest) for name in names]
