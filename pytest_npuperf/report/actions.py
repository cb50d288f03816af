"""The one thing to do next, chosen by the worst that happened."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from pytest_npuperf.model import CaseResult, Judged, Verdict
from pytest_npuperf.report.words import by_verdict, noise, severity

_OF_CASES = {
    Verdict.ERROR: "mend what stopped {case}; until then none of its limits holds",
    Verdict.SKIPPED: (
        "run {case} where there is an NPU, with --npuperf-record, and keep the recording"
    ),
}
_OF_LIMITS = {
    Verdict.FAILED: (
        "see the details under the failed test of {case}; "
        "where the change is meant, change the limit{where}"
    ),
    Verdict.NOT_MEASURED: "profile {case} with what {title} needs, or take the limit out{where}",
    Verdict.INCONCLUSIVE: "measure {case} so that the limit on {title}{where} can be judged",
    Verdict.NEW: "npuperf accept --case {quoted} --reason 'first baseline'",
}
_HIDDEN = (
    "measure {case} again with more rounds, or on a quieter device: "
    "noise hides how {title}{where} has changed"
)
_SLOWER_THAN = "see the details under the failed test of {case}: it is worse than {other}"
_CHANGED = (
    "see the details under the failed test of {case}; where the change is meant: "
    "npuperf accept --case {quoted} --replace --reason TEXT"
)
_WARNED = 'look at {title} of {case}; on_fail = "fail"{where} would make it count'


def next_action(cases: Sequence[CaseResult]) -> str:
    """Return one line that begins with ``next:``; empty where every case simply passed."""
    waiting = [case for case in cases if case.verdict is not Verdict.PASSED or _warns(case)]
    if not waiting:
        return ""
    # A skipped case comes last, as verdicts do, but after those that only warn.
    case = min(waiting, key=by_verdict)
    if case.verdict in _OF_CASES:
        return f"next: {_OF_CASES[case.verdict].format(case=case.case)}"
    return f"next: {_of_limit(case)}"


def _warns(case: CaseResult) -> bool:
    return any(judged.warned for judged in case.limits)


def _of_limit(case: CaseResult) -> str:
    worst = min(case.limits, key=severity, default=None)
    if worst is None:
        return f"give the budget of {case.case} a limit"
    where = f" at {worst.limit.where}" if worst.limit.where else ""
    return _advice(worst, bool(case.against)).format(
        case=case.case,
        quoted=shlex.quote(case.case),
        title=worst.limit.wanted.title(),
        where=where,
        other=case.against.title if case.against else "",
    )


def _advice(judged: Judged, in_one_session: bool) -> str:
    if judged.warned:
        return _WARNED
    if noise(judged):
        return _HIDDEN
    if judged.verdict is Verdict.FAILED and judged.is_by_change:
        return _SLOWER_THAN if in_one_session else _CHANGED
    return _OF_LIMITS.get(judged.verdict, "see what stopped {case}")
