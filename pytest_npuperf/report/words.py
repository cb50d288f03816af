"""How reports call, order and choose limits; what two of them say is worded here once."""

from __future__ import annotations

from fractions import Fraction

from pytest_npuperf.model import Bound, CaseResult, Judged, Limit, Verdict
from pytest_npuperf.text import named
from pytest_npuperf.units import show, show_apart, show_change

UNKNOWN_DATE = "on an unknown date"

_SIGNS = {"at_most": "", "at_least": ">= ", "equal": "= "}

Severity = tuple[int, int, bool, Fraction]


def severity(judged: Judged) -> Severity:
    """Order limits, the worst first: by verdict, then by how far they are beyond their bound."""
    bound = None if judged.value is None else judged.limit.nearest(judged.value)
    if bound is None or judged.value is None:
        return judged.counts_as.rank, judged.verdict.rank, True, -judged.excess
    beyond = bound.excess(judged.value)
    # Whatever is beyond zero is infinitely far beyond it.
    far = bound.value == 0 and beyond > 0
    share = beyond / abs(bound.value) if bound.value else beyond
    return judged.counts_as.rank, judged.verdict.rank, not far, -share


def by_verdict(case: CaseResult) -> tuple[int, str]:
    """Order cases, the worst first; equal ones by name, as workers end in any order."""
    return case.verdict.rank, case.case


def name_of(case: CaseResult) -> str:
    """Return the name of a case as sentences tell it; a long one is cut."""
    return named(case.case)


def headline(case: CaseResult) -> str:
    """Return the first line of the reason; the log of a program may follow it."""
    return case.reason.partition("\n")[0]


def guilty(case: CaseResult) -> list[Judged]:
    """Return the limits for which the test fails, worst first."""
    return sorted((each for each in case.limits if is_guilty(case, each)), key=severity)


def is_guilty(case: CaseResult, judged: Judged) -> bool:
    """Return whether a test that fails does so for this limit, too."""
    return judged.counts_as in (Verdict.FAILED, Verdict.NOT_MEASURED, case.verdict)


def has_lanes(case: CaseResult) -> bool:
    """Return whether there are several lanes, so that one has to be named."""
    return any(len(measured.lanes) > 1 for measured in case.rounds)


def placed(judged: Judged, also: str = "") -> str:
    """Return the reason, what else is said, and the place of the limit: ``[pyproject.toml:12]``."""
    where = f" [{judged.limit.where}]" if judged.limit.where else ""
    return f"{judged.reason}{also}{where}"


def origin(case: CaseResult) -> str:
    """Say that a case was replayed, and when it was recorded; empty for a live run."""
    if case.mode != "replay":
        return ""
    return f"replayed (recorded {case.recorded or UNKNOWN_DATE})"


def better(judged: Judged) -> str:
    """Say by how much a number has become better, and than what; empty where it has not."""
    limit, now, change = judged.limit, judged.value, judged.comparison
    if now is None or change is None or not change.improved:
        return ""
    value, before = show_apart((now, change.baseline), limit.dimension, limit.unit)
    than = f"{limit.show_by(change.change)} from {before} ({change.source})"
    return f"{named(limit.wanted.title())} {value}, {than}"


def noise(judged: Judged) -> str:
    """Say between what a change is, where it may be worse than is allowed, or not; else nothing."""
    limit, change = judged.limit, judged.comparison
    if judged.verdict is not Verdict.INCONCLUSIVE or change is None or limit.max_regression is None:
        return ""
    if change.low is None or change.high is None:
        return ""
    worst = change.high if limit.better == "lower" else -change.low
    allowed = change.in_force or limit.max_regression
    return change.show_bounds(limit) if worst > allowed.value else ""


def wider(judged: Judged) -> str:
    """Say what is in force instead of the limit that a cell shows; empty where that is."""
    if judged.comparison is None or _bound(judged):
        return ""
    return judged.comparison.show_beside(judged.limit)[2]


def verdict_word(judged: Judged) -> str:
    """Return the verdict, and that it only warns where it does."""
    return f"{judged.verdict} (warn)" if judged.warned else str(judged.verdict)


def now_and_limit(judged: Judged) -> tuple[str, str]:
    """Return the two cells at once, as they are told apart together."""
    limit, now, bound = judged.limit, judged.value, _bound(judged)
    if bound is None:
        value = "-" if now is None else show(now, limit.dimension, limit.unit)
        return value, _allowed(judged)
    numbers = (bound.value,) if now is None else (now, bound.value)
    shown = show_apart(numbers, limit.dimension, limit.unit)
    return "-" if now is None else shown[0], _SIGNS[bound.kind] + shown[-1]


def limit_cell(judged: Judged) -> str:
    """Return the bound that decides: ``1.70 ms`` at most, ``>= 80.0 %``, ``+5.00 %`` more."""
    return now_and_limit(judged)[1]


def _allowed(judged: Judged) -> str:
    """Return how much worse than before a number may be: ``+5.0 %``, ``-2 points``."""
    limit = judged.limit
    if judged.comparison:
        return judged.comparison.show_beside(limit)[1]
    return "" if limit.allowed is None else limit.show_by(limit.allowed)


def now_cell(judged: Judged) -> str:
    """Return the measured value, in the unit of its limit; a dash where there is none."""
    return now_and_limit(judged)[0]


def margin_cell(judged: Judged) -> str:
    """Return how far the value is from its bound: ``+0.6 %``; empty where there is none."""
    bound = _bound(judged)
    if bound is None or judged.value is None:
        return ""
    change = show_change(judged.value, bound.value)
    return change or _difference(judged.limit, judged.value - bound.value)


def change_cell(judged: Judged) -> str:
    """Return how a number has changed from what it was: ``+8.6 %``; empty where that is open."""
    return judged.comparison.show_beside(judged.limit)[0] if judged.comparison else ""


def _difference(limit: Limit, difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{show(difference, limit.dimension, limit.unit)}"


def _bound(judged: Judged) -> Bound | None:
    """Return the bound that decides; None where the change does."""
    if judged.value is None:
        return next(iter(judged.limit.bounds), None)
    if judged.is_by_change and (judged.tolerated or judged.verdict is not Verdict.PASSED):
        return None
    return judged.limit.nearest(judged.value)
