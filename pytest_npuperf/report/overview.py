"""What a run comes to: its rows in their order, and the sentences that several reports say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.actions import accept
from pytest_npuperf.report.words import (
    UNKNOWN_DATE,
    Severity,
    better,
    name_of,
    noise,
    origin,
    placed,
    severity,
    wider,
)
from pytest_npuperf.text import many

Entry = tuple[CaseResult, Judged | None]
"""A limit of a case; None is the case itself, which has a verdict of its own."""

_WARNED = "over but only warned of"


def entries(cases: Iterable[CaseResult]) -> list[Entry]:
    """Return all that has a verdict, the worst first."""
    return sorted(_entries(cases), key=_order)


def _entries(cases: Iterable[CaseResult]) -> Iterator[Entry]:
    for case in cases:
        if case.reason or not case.limits:
            yield case, None
        yield from ((case, judged) for judged in case.limits)


def verdict(entry: Entry) -> Verdict:
    """Return the verdict of a limit, or of the case itself."""
    case, judged = entry
    return judged.verdict if judged else case.verdict


def _order(entry: Entry) -> tuple[Severity, str]:
    case, judged = entry
    own = (case.verdict.rank, case.verdict.rank, False, Fraction(0))
    return severity(judged) if judged else own, case.case


def is_quiet(case: CaseResult) -> bool:
    """Return whether of a case no more is to be said than that it passed."""
    limits = (case.verdict, *(judged.verdict for judged in case.limits))
    return all(verdict is Verdict.PASSED for verdict in limits)


def beneath(case: CaseResult, judged: Judged) -> str:
    """Return what is to be said of a limit beside its numbers; empty where they say it all."""
    bounds = noise(judged)
    rounds = many(len(case.rounds), "round")
    hidden = f"noise hides the change: {bounds}, in {rounds}" if bounds else ""
    why = judged.limit.why if judged.verdict is Verdict.FAILED else ""
    return "; ".join(filter(None, [wider(judged), hidden, judged.remark, why]))


# --- sentences --------------------------------------------------------------------------------


def replays(cases: Iterable[CaseResult]) -> list[tuple[str, list[str]]]:
    """Return ``replayed (recorded 2026-01-31)`` with its cases, for each date of a recording."""
    replayed = sorted({(origin(case), case.case) for case in cases if origin(case)})
    return [
        (when, [name for _, name in group])
        for when, group in groupby(replayed, key=lambda pair: pair[0])
    ]


def improvements(cases: Iterable[CaseResult], config: str = "") -> list[str]:
    """Return a line for each case that is better than before; tests may share one.

    ``config`` is the file of the settings where commands have to be told.
    """
    passed = (case for case in cases if case.verdict is Verdict.PASSED)
    told = ((case, [*filter(None, map(better, case.limits))]) for case in passed)
    return list(dict.fromkeys(_improved(case, found, config) for case, found in told if found))


def _improved(case: CaseResult, found: Sequence[str], config: str) -> str:
    return f"better: {name_of(case)}: {_first(found)}{_keep(case, config)}"


def _keep(case: CaseResult, config: str) -> str:
    if case.against:
        return ""  # what was run beside it is no baseline, and nothing is to be accepted
    if any(better(judged) and judged.value == 0 for judged in case.limits):
        return "; to keep it: at_most = 0 instead of max_regression"
    return f"; to keep it: {accept(case, config)} --replace --reason TEXT"


def tolerated(cases: Iterable[CaseResult]) -> list[str]:
    """Return a line for each case that is worse than is written, and held to a wider limit."""
    told = ((case, sorted(filter(_is_tolerated, case.limits), key=severity)) for case in cases)
    named = ((name_of(case), [placed(judged) for judged in found]) for case, found in told)
    return list(
        dict.fromkeys(
            f"worse, but not failed: {name}: {_first(found)}" for name, found in named if found
        )
    )


def _is_tolerated(judged: Judged) -> bool:
    return judged.tolerated


def _first(sentences: Sequence[str]) -> str:
    more = f" (+{len(sentences) - 1} more)" if len(sentences) > 1 else ""
    return f"{sentences[0]}{more}"


# --- the total --------------------------------------------------------------------------------


def total(cases: Sequence[CaseResult]) -> str:
    """Say how many limits are within budget, or have which verdict; in how many cases."""
    of_cases = many(len(cases), "case")
    if not all(map(is_quiet, cases)):
        return f"{_counts(cases)} in {of_cases}"
    limits = [judged for case in cases for judged in case.limits]
    wider = sum(judged.tolerated for judged in limits)
    by_noise = f", {wider} only by the wider limit in force" if wider else ""
    return f"{many(len(limits), 'limit')} in {of_cases} within budget{by_noise}{_replayed(cases)}"


def _replayed(cases: Sequence[CaseResult]) -> str:
    dates = [case.recorded for case in cases if origin(case)]
    if not dates:
        return ""
    known = sorted({*dates} - {""})
    when = [" to ".join(dict.fromkeys([known[0], known[-1]]))] if known else []
    when += [UNKNOWN_DATE] if "" in dates else []
    return f", {len(dates)} replayed (recorded {' and '.join(when)})"


def _counts(cases: Sequence[CaseResult]) -> str:
    """Count limits by verdict, and cases that have a verdict of their own."""
    found = Counter(
        _WARNED if judged and judged.warned else _word(judged.verdict if judged else case.verdict)
        for case, judged in _entries(cases)
    )
    words = [_word(verdict) for verdict in Verdict]
    words.insert(words.index(_word(Verdict.PASSED)), _WARNED)
    return ", ".join(f"{found[word]} {word}" for word in words if found[word])


def _word(verdict: Verdict) -> str:
    return verdict.lower().replace("_", " ")
