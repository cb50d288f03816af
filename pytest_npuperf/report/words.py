"""How reports call, order and choose limits; what two of them say is worded here once."""

from __future__ import annotations

from fractions import Fraction

from pytest_npuperf.model import Bound, CaseResult, Judged, Limit, Verdict
from pytest_npuperf.units import Dimension, show, show_apart, show_change

_SIGNS = {"at_most": "", "at_least": ">= ", "equal": "= "}

Severity = tuple[int, int, bool, Fraction]


def severity(judged: Judged) -> Severity:
    """Order limits, the worst first: by verdict, then by how far they are beyond their bound."""
    bound = None if judged.value is None else judged.limit.nearest(judged.value)
    if bound is None or judged.value is None:
        return judged.counts_as.rank, judged.verdict.rank, True, Fraction(0)
    beyond = bound.excess(judged.value)
    # Whatever is beyond zero is infinitely far beyond it.
    far = bound.value == 0 and beyond > 0
    share = beyond / abs(bound.value) if bound.value else beyond
    return judged.counts_as.rank, judged.verdict.rank, not far, -share


def by_verdict(case: CaseResult) -> tuple[int, str]:
    """Order cases, the worst first; equal ones by name, as workers end in any order."""
    return case.verdict.rank, case.case


def headline(case: CaseResult) -> str:
    """Return the first line of the reason; the log of a program may follow it."""
    return case.reason.partition("\n")[0]


def guilty(case: CaseResult) -> list[Judged]:
    """Return the limits for which the test fails, worst first."""
    verdicts = {Verdict.FAILED, Verdict.NOT_MEASURED, case.verdict}
    failing = [each for each in case.limits if each.counts_as in verdicts]
    return sorted(failing, key=severity)


def placed(judged: Judged) -> str:
    """Return the reason and the place of its limit: ``... [pyproject.toml:12]``."""
    return f"{judged.reason} [{judged.limit.where}]" if judged.limit.where else judged.reason


def origin(case: CaseResult) -> str:
    """Say that a case was replayed, and when it was recorded; empty for a live run."""
    if case.mode != "replay":
        return ""
    return f"replayed (recorded {case.recorded})" if case.recorded else "replayed (date unknown)"


def verdict_word(judged: Judged) -> str:
    """Return the verdict, and that it only warns where it does."""
    return f"{judged.verdict} (warn)" if judged.warned else str(judged.verdict)


def limit_cell(judged: Judged) -> str:
    """Return the bound that decides: ``1.70 ms`` at most, ``>= 80.0 %``, ``= 0``."""
    limit, bound = judged.limit, _bound(judged)
    if bound is None:
        regression = limit.max_regression
        return f"+{show(regression, Dimension.SHARE)}" if regression is not None else ""
    return _SIGNS[bound.kind] + show_apart(_numbers(judged, bound), limit.dimension, limit.unit)[-1]


def now_cell(judged: Judged) -> str:
    """Return the measured value, in the unit of its limit; a dash where there is none."""
    if judged.value is None:
        return "-"
    bound = judged.limit.nearest(judged.value)
    if bound is None:
        return show(judged.value, judged.limit.dimension, judged.limit.unit)
    return show_apart(_numbers(judged, bound), judged.limit.dimension, judged.limit.unit)[0]


def margin_cell(judged: Judged) -> str:
    """Return how far the value is from its bound: ``+0.6 %``."""
    bound = _bound(judged)
    if bound is None or judged.value is None:
        return ""
    change = show_change(judged.value, bound.value)
    return change or _difference(judged.limit, judged.value - bound.value)


def _difference(limit: Limit, difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{show(difference, limit.dimension, limit.unit)}"


def _bound(judged: Judged) -> Bound | None:
    if judged.value is not None:
        return judged.limit.nearest(judged.value)
    return next(iter(judged.limit.bounds), None)


def _numbers(judged: Judged, bound: Bound) -> tuple[Fraction, ...]:
    return (bound.value,) if judged.value is None else (judged.value, bound.value)
