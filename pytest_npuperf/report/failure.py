"""What a failed test says: one line, and the section under it."""

from __future__ import annotations

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.causes import causes
from pytest_npuperf.report.operators import behind, guilty_op, is_rule
from pytest_npuperf.report.words import (
    guilty,
    headline,
    name_of,
    origin,
    placed,
    severity,
    verdict_word,
)
from pytest_npuperf.text import printable

WIDTH = 100
_LONGEST, _TYPES = 3, 5
"""How many operators of a rule, and how many op types of a time, are named."""


def one_line(case: CaseResult) -> str:
    """Return the failure message of a case: its worst limit, and how many more there are."""
    worst = guilty(case)
    if case.reason or not worst:
        return printable(f"{name_of(case)}: {headline(case) or case.verdict}")
    more = f" (+{len(worst) - 1} more)" if len(worst) > 1 else ""
    return printable(f"{name_of(case)}: {placed(worst[0], _also(case, worst[0]))}{more}")


def _also(case: CaseResult, judged: Judged) -> str:
    op = guilty_op(case, judged)
    return f"; {op}" if op else ""


def details(case: CaseResult) -> str:
    """Return the section under a failed test: its limits, the operators behind them, notes."""
    lines = [_head(case), *_limits(case), *(f"  {line}" for line in causes(case, WIDTH - 2))]
    lines += [f"  {finding}" for finding in case.findings]
    lines += [f"note: {note}" for note in case.notes]
    lines += [f"profile: {profile}" for profile in case.profiles]
    if case.against:
        lines += [f"against: {profile}" for profile in case.against.profiles]
    return "\n".join(printable(line) for line in lines)


def _head(case: CaseResult) -> str:
    # A hash says nothing to people.
    known = (f"{key} {value}" for key, value in case.fingerprint.items() if key != "app_sha256")
    return ", ".join([f"{name_of(case)}: {case.verdict}", *filter(None, [origin(case)]), *known])


def _limits(case: CaseResult) -> list[str]:
    if case.reason:
        return [f"  {line}" for line in case.reason.split("\n")]
    ordered = sorted(case.limits, key=severity)
    missed = [each for each in ordered if each.tolerated or each.verdict is not Verdict.PASSED]
    room = max((len(verdict_word(each)) for each in missed), default=0)
    lines: list[str] = []
    for each in missed:
        lines.append(f"  {verdict_word(each):{room}}  {placed(each)}")
        margin, most = " " * (room + 4), _LONGEST if is_rule(each) else _TYPES
        told = margin + behind(case, each, most, WIDTH - len(margin))
        # Many times are made of the same op types; a rule has operators of its own.
        if told.strip() and (is_rule(each) or told not in lines):
            lines.append(told)
    passed = len(ordered) - len(missed)
    return [*lines, f"  and {passed} within budget"] if passed else lines
