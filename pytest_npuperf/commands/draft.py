"""What a first budget holds a profile to: the limits that can be judged, and their numbers now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pytest_npuperf.catalogue import COMMUNICATION, METRICS, OP_STATISTICS
from pytest_npuperf.judge import judge
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import (
    Case,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension, show

HEAVY = Fraction(2, 100)
"""An op type with more than this share of the kernels' time has a limit of its own."""

_NO_BOUND = Fraction(10**30)
"""More than any number of a profile: what does not pass this cannot be judged at all."""


@dataclass(frozen=True)
class Choice:
    """One thing to limit, and the forms in which that can be said, the best first."""

    forms: tuple[Wanted, ...]
    why: str = ""
    remark: str = ""
    """What is said of the rows of a rule."""


@dataclass(frozen=True)
class Held:
    """A choice in the best form that can be judged, with its number on the worst lane."""

    choice: Choice
    judged: Judged

    @property
    def value(self) -> Fraction:
        """Return the number."""
        assert self.judged.value is not None
        return self.judged.value


@dataclass(frozen=True)
class Draft:
    """The limits of a budget."""

    held: tuple[Held, ...]
    left_out: Mapping[str, tuple[str, ...]]
    """What cannot be judged, by the reason."""
    lanes: int
    not_per_step: str
    """Why the numbers are of the whole run; empty where they are of a step."""


_COUNT = Choice((Wanted("kernel_count_per_step"), Wanted("kernel_count")))
_BY_NAME = (
    Choice((Wanted("step_time", "p50"),)),
    Choice((Wanted("step_time", "p95"),)),
    Choice(
        (
            *(Wanted("busy_time_per_step"), Wanted("busy_time")),
            *(Wanted("kernel_time_per_step"), Wanted("kernel_time")),
        )
    ),
    _COUNT,
)


def draft(measurers: Sequence[Measurer]) -> Draft:
    """Return what all rounds of a profile can be held to. Raises ProfileError."""
    lanes = [lane for each in _rounds(measurers, ()) for lane in each.lanes.values()]
    choices = (*_BY_NAME, *_heavy_types(lanes), *_unwanted())
    found = _judged(measurers, [form for choice in choices for form in choice.forms])
    held, left_out = [], dict[str, tuple[str, ...]]()
    for choice in choices:
        best = next((form for form in choice.forms if _passes(found[form])), None)
        if best is not None:
            held.append(Held(choice, found[best]))
            continue
        first = choice.forms[0]
        reason = found[first].remark
        left_out[reason] = (*left_out.get(reason, ()), first.title())
    return Draft(tuple(held), left_out, len(lanes) // len(measurers), _not_per_step(found))


# --- what to limit ----------------------------------------------------------------------------


def _heavy_types(lanes: Iterable[LaneMeasurement]) -> Iterator[Choice]:
    """Yield the op types that take most of the time on some lane, the heaviest first."""
    shares: dict[str, Fraction] = {}
    for lane in lanes:
        for type_, share in _shares(lane):
            shares[type_] = max(share, shares.get(type_, share))
    for type_, share in sorted(shares.items(), key=lambda item: (-item[1], item[0])):
        if share > HEAVY and type_:
            remark = f"{show(share, Dimension.SHARE)} of kernel_time"
            select = Selector(type=(type_,))
            yield Choice(_rule(select, "total_per_step", "total"), remark=remark)


def _shares(lane: LaneMeasurement) -> Iterator[tuple[str, Fraction]]:
    totals: Counter[str] = Counter()
    for row in lane.ops:
        if row.core not in COMMUNICATION:
            totals[row.type] += row.total
    whole = sum(totals.values())
    return ((type_, Fraction(total, whole or 1)) for type_, total in totals.items())


def _unwanted() -> tuple[Choice, ...]:
    """Return what is best not there at all; a share of no rows is none, so they are counted."""
    conversions = Selector(type=("TransData", "Cast"))
    on_ai_cpu = Selector(task_type=("AI_CPU",))
    return (
        Choice(
            _rule(conversions, "share", "count_per_step", "count"),
            why="more than this means that a layout or a data type changed within the network",
        ),
        Choice(
            _rule(on_ai_cpu, "count_per_step", "count"),
            why="operators that fall back to the AI CPU are slow",
        ),
    )


def _rule(select: Selector, *statistics: str) -> tuple[Wanted, ...]:
    return tuple(Wanted("ops", statistic, select) for statistic in statistics)


# --- what can be judged -----------------------------------------------------------------------


def _judged(measurers: Sequence[Measurer], forms: Sequence[Wanted]) -> Mapping[Wanted, Judged]:
    """Judge as a test would, by bounds so wide that whatever can be judged passes."""
    limits = tuple(Limit(form, _dimension(form), at_most=_NO_BOUND) for form in forms)
    judged = judge(Case("", limits=limits), _rounds(measurers, forms), {})
    return dict(zip(forms, judged, strict=True))


def _rounds(measurers: Sequence[Measurer], wanted: Sequence[Wanted]) -> list[Measurement]:
    return [measurer.measure(wanted) for measurer in measurers]


def _dimension(wanted: Wanted) -> Dimension:
    if wanted.metric == "ops":
        return OP_STATISTICS[wanted.statistic or ""]
    return METRICS[wanted.metric].dimension


def _passes(judged: Judged) -> bool:
    return judged.verdict is Verdict.PASSED


def _not_per_step(found: Mapping[Wanted, Judged]) -> str:
    per_step, of_run = (found[form] for form in _COUNT.forms)
    return per_step.remark if _passes(of_run) and not _passes(per_step) else ""
