"""What a run comes to: its rows in their order, and the sentences that several reports say."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.words import Severity, better, noise, origin, severity

Entry = tuple[CaseResult, Judged | None]
"""A limit of a case; None is the case itself, which has a verdict of its own."""

_WARNED = "over but only warned of"


def entries(cases: Iterable[CaseResult]) -> list[Entry]:
    """Return all that has a verdict, the worst first."""
    found: list[Entry] = []
    for case in cases:
        if case.reason or not case.limits:
            found.append((case, None))
        found += [(case, judged) for judged in case.limits]
    return sorted(found, key=_order)


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
    hidden = f"noise hides the change: {bounds}, in {len(case.rounds)} rounds" if bounds else ""
    why = judged.limit.why if judged.verdict is Verdict.FAILED else ""
    return "; ".join(filter(None, [hidden, judged.remark])) or why


# --- sentences --------------------------------------------------------------------------------


def replays(cases: Iterable[CaseResult]) -> list[tuple[str, list[str]]]:
    """Return ``replayed (recorded 2026-01-31)`` with its cases, for each date of a recording."""
    replayed = sorted({(origin(case), case.case) for case in cases if origin(case)})
    return [
        (when, [name for _, name in group])
        for when, group in groupby(replayed, key=lambda pair: pair[0])
    ]


def improvements(cases: Iterable[CaseResult]) -> list[str]:
    """Return a line for each case that is better than before; tests may share one."""
    passed = (case for case in cases if case.verdict is Verdict.PASSED)
    told = ((case, [*filter(None, map(better, case.limits))]) for case in passed)
    return list(dict.fromkeys(_improved(case, found) for case, found in told if found))


def _improved(case: CaseResult, found: Sequence[str]) -> str:
    more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
    # What was run beside it is no baseline, and nothing is to be accepted.
    accept = f"npuperf accept --case {shlex.quote(case.case)} --replace --reason TEXT"
    keep = "" if case.against else f"; to keep it: {accept}"
    return f"better: {case.case}: {found[0]}{more}{keep}"


# --- the total --------------------------------------------------------------------------------


def total(cases: Sequence[CaseResult]) -> str:
    """Say how many limits are within budget, or have which verdict; in how many cases."""
    of_cases = many(len(cases), "case")
    if not all(map(is_quiet, cases)):
        return f"{_counts(cases)} in {of_cases}"
    limits = many(sum(len(case.limits) for case in cases), "limit")
    return f"{limits} in {of_cases} within budget{_replayed(cases)}"


def _replayed(cases: Sequence[CaseResult]) -> str:
    dates = sorted(case.recorded or "date unknown" for case in cases if origin(case))
    if not dates:
        return ""
    when = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    return f", {len(dates)} replayed (recorded {when})"


def _counts(cases: Sequence[CaseResult]) -> str:
    """Count limits by verdict, and cases that have a verdict of their own."""
    found = Counter(
        _WARNED if judged and judged.warned else _word(judged.verdict if judged else case.verdict)
        for case, judged in entries(cases)
    )
    words = [_word(verdict) for verdict in Verdict]
    words.insert(words.index(_word(Verdict.PASSED)), _WARNED)
    return ", ".join(f"{found[word]} {word}" for word in words if found[word])


def _word(verdict: Verdict) -> str:
    return verdict.lower().replace("_", " ")


def many(number: int, noun: str) -> str:
    """Return a number of things in words: ``1 case``, ``2 cases``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
