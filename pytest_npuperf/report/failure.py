"""What a failed test says: one line, and the section under it."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_npuperf.globs import matches
from pytest_npuperf.model import CaseResult, Judged, LaneMeasurement, Selector, Verdict
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.report.words import guilty, headline, origin, placed, severity, verdict_word
from pytest_npuperf.text import printable
from pytest_npuperf.units import Dimension, show

WIDTH = 100
SHOWN = 5
"""How many operators are listed."""

_LONGEST = (Column("longest", right=True), Column("op type"), Column("op name", least=16))
_LARGEST = (
    Column("total", right=True),
    Column("ops", right=True),
    Column("op type", least=16),
    Column("core"),
)


def one_line(case: CaseResult) -> str:
    """Return the failure message of a case: its worst limit, and how many more there are."""
    worst = guilty(case)
    if case.reason or not worst:
        return printable(f"{case.case}: {headline(case) or case.verdict}")
    more = f" (+{len(worst) - 1} more)" if len(worst) > 1 else ""
    return printable(f"{case.case}: {placed(worst[0])}{more}")


def details(case: CaseResult) -> str:
    """Return the section under a failed test: its limits, the operators behind them, notes."""
    lines = [_head(case), *_limits(case), *_operators(case)]
    lines += [f"note: {note}" for note in case.notes]
    lines += [f"profile: {profile}" for profile in case.profiles]
    return "\n".join(printable(line) for line in lines)


def _head(case: CaseResult) -> str:
    known = (f"{key} {value}" for key, value in case.fingerprint.items())
    return ", ".join([f"{case.case}: {case.verdict}", *filter(None, [origin(case)]), *known])


def _limits(case: CaseResult) -> list[str]:
    if case.reason:
        return [f"  {line}" for line in case.reason.split("\n")]
    ordered = sorted(case.limits, key=severity)
    missed = [each for each in ordered if each.verdict is not Verdict.PASSED]
    room = max((len(verdict_word(each)) for each in missed), default=0)
    lines = [f"  {verdict_word(each):{room}}  {placed(each)}" for each in missed]
    passed = len(ordered) - len(missed)
    return [*lines, f"  and {passed} within budget"] if passed else lines


def _operators(case: CaseResult) -> list[str]:
    """List the operators that the worst limit on any is about, on its lane."""
    worst = next((judged for judged in guilty(case) if _is_on_operators(judged)), None)
    if worst is None:
        return []
    lanes = [each.lanes[worst.lane] for each in case.rounds if worst.lane in each.lanes]
    select = worst.limit.wanted.select
    return [*_table(_LONGEST, _longest(lanes, select)), *_table(_LARGEST, _largest(lanes, select))]


def _is_on_operators(judged: Judged) -> bool:
    metric, dimension = judged.limit.wanted.metric, judged.limit.dimension
    slow = dimension is Dimension.TIME and metric != "apis"
    return judged.counts_as is Verdict.FAILED and (slow or metric == "ops")


def _longest(lanes: Iterable[LaneMeasurement], select: Selector) -> list[list[str]]:
    """Return the longest operators of any round, each once."""
    worst: dict[tuple[str, str], int] = {}
    for name, kind, duration in (row for lane in lanes for row in lane.longest):
        if _chosen(select, name=name, kind=kind):
            worst[name, kind] = max(duration, worst.get((name, kind), 0))
    ordered = sorted(worst.items(), key=lambda item: -item[1])[:SHOWN]
    return [[show(ns, Dimension.TIME), printable(key[1]), printable(key[0])] for key, ns in ordered]


def _largest(lanes: Iterable[LaneMeasurement], select: Selector) -> list[list[str]]:
    """Return the op types that took most of the first round."""
    totals: dict[tuple[str, str], tuple[int, int]] = {}
    for row in (row for lane in list(lanes)[:1] for row in lane.ops):
        if _chosen(select, kind=row.type, core=row.core):
            total, count = totals.get((row.type, row.core), (0, 0))
            totals[row.type, row.core] = (total + row.total, count + row.count)
    ordered = sorted(totals.items(), key=lambda item: -item[1][0])[:SHOWN]
    return [
        [show(total, Dimension.TIME), str(count), printable(kind), printable(core)]
        for (kind, core), (total, count) in ordered
    ]


def _chosen(select: Selector, kind: str, name: str | None = None, core: str | None = None) -> bool:
    """Return whether a rule means a row; not, where the row does not say what the rule asks."""
    wanted = ((select.name, name), (select.type, kind), (select.task_type, core))
    unwanted = ((select.not_name, name), (select.not_type, kind))
    return all(
        text is not None and matches(text, globs) for globs, text in wanted if globs
    ) and not any(text is None or matches(text, globs) for globs, text in unwanted if globs)


def _table(heads: tuple[Column, ...], rows: list[list[str]]) -> list[str]:
    return ["", *(f"  {line}" for line in lay_out(heads, rows, WIDTH - 2))] if rows else []
