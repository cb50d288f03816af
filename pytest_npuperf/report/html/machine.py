"""What a case was measured on, and how that differs from what it is compared with."""

from __future__ import annotations

from pytest_npuperf.model import CaseResult
from pytest_npuperf.report.html.tables import Cell, Head, Table

_UNKNOWN = "unknown"


def fingerprint_table(case: CaseResult) -> Table | None:
    """Return the fingerprint, beside that of the other side where there is one."""
    now, other = case.fingerprint, case.against
    if other is None:
        heads = [Head("what", is_name=True), Head("this run")]
        rows = [[Cell(key), Cell(value)] for key, value in now.items()]
    else:
        heads = [Head("what", is_name=True), Head("this run"), Head(other.title)]
        before = other.fingerprint
        keys = dict.fromkeys([*now, *before])
        rows = [_compared(key, now.get(key, ""), before.get(key, "")) for key in keys]
    return Table("fingerprint", "Fingerprint", heads, rows) if rows else None


def _compared(key: str, now: str, before: str) -> list[Cell]:
    beneath, kind = ("differs", "differs") if now != before else ("", "")
    return [Cell(key), Cell(now or _UNKNOWN), Cell(before or _UNKNOWN, beneath=beneath, kind=kind)]


def obstacles(case: CaseResult) -> list[str]:
    """Return why numbers of the case were not compared with what they were before.

    Where that is another fingerprint, it says in what the two differ.
    """
    told = (
        judged.remark
        for judged in case.limits
        if judged.limit.max_regression and judged.comparison is None and judged.remark
    )
    return list(dict.fromkeys(told))
