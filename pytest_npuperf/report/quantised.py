"""A quantised model beside its float one: both halves of the answer, faster and still right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_npuperf.catalogue import from_profile
from pytest_npuperf.model import CaseResult, Judged
from pytest_npuperf.report.words import (
    change_cell,
    margin_cell,
    name_of,
    now_and_limit,
    severity,
    verdict_word,
)
from pytest_npuperf.text import named
from pytest_npuperf.units import show


@dataclass(frozen=True)
class Section:
    """What is said of one quantised model."""

    title: str
    """``quantised against float: int8 against fp16``."""
    halves: tuple[Judged, ...]
    """Its limits on speed and on accuracy, whatever became of them, the worst first."""
    findings: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the section without its title, line by line."""
        told = (f"{verdict_word(each)} {half(each)}" for each in self.halves)
        return (*told, *self.findings)


def sections(cases: Iterable[CaseResult]) -> list[Section]:
    """Return a section for each quantised model, each once though several tests share it."""
    return list(dict.fromkeys(_sections(cases)))


def _sections(cases: Iterable[CaseResult]) -> Iterator[Section]:
    for case in cases:
        halves = [each for each in case.limits if not from_profile(each.limit.wanted)]
        # A float model may have an accuracy of its own, too.
        own = [each for each in halves if each.limit.wanted.own_name is not None]
        if len(own) < len(halves) or (own and case.against):
            yield Section(_title(case), tuple(sorted(halves, key=severity)), case.findings)


def _title(case: CaseResult) -> str:
    if case.against is None:
        return f"quantised: {name_of(case)}"
    return f"quantised against float: {name_of(case)} against {named(case.against.title)}"


def half(judged: Judged) -> str:
    """Return ``speedup 1.40, limit >= 1.30 (+7.7 %)``, and the change where there is one."""
    if judged.value is None:
        return judged.reason
    limit, change = judged.limit, judged.comparison
    now, bound = now_and_limit(judged)
    margin = f" ({margin_cell(judged)})" if margin_cell(judged) else ""
    told = f"{named(limit.wanted.title())} {now}, limit {bound}{margin}"
    if change is None:
        return told
    before = show(change.baseline, limit.dimension, limit.unit)
    return f"{told}; {change_cell(judged)} from {before} ({change.source})"
