"""The one thing to do next, chosen by the worst that happened."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from pytest_npuperf.catalogue import from_profile
from pytest_npuperf.model import MANIFEST, CaseResult, Judged, Verdict
from pytest_npuperf.report.words import by_verdict, name_of, noise, severity
from pytest_npuperf.text import NAME_ROOM, columns, named

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
    Verdict.INCONCLUSIVE: (
        "see the row of {title} for why {case} could not be judged, "
        "and change that, or the limit{where}"
    ),
    Verdict.NEW: "{accept} --reason 'first baseline'",
}
_HIDDEN = (
    "measure {case} again with more rounds, or on a quieter device: "
    "noise hides how {title}{where} has changed"
)
_SLOWER_THAN = "see the details under the failed test of {case}: it is worse than {other}"
_CHANGED = (
    "see the details under the failed test of {case}; where the change is meant: "
    "{accept} --replace --reason TEXT"
)
_NOT_TOLD = (
    "see the row of {title} for what {case} lacks, and add that, or take the limit out{where}"
)
_WARNED = 'look at {title} of {case}; on_fail = "fail"{where} would make it count'
_WITHIN_NOISE = (
    "to hold {title} to its limit{where}, accept more sessions ({accept} --reason TEXT), "
    "or compare two builds with against"
)
_TABLES = (".csv", ".gz", ".db", ".json")


def next_action(cases: Sequence[CaseResult], config: str = "") -> str:
    """Return one line that begins with ``next:``; empty where every case simply passed.

    ``config`` is the file of the settings where commands have to be told.
    """
    waiting = [case for case in cases if case.verdict is not Verdict.PASSED or _in_doubt(case)]
    if not waiting:
        return ""
    # A skipped case comes last, as verdicts do, but after those that only warn.
    case = min(waiting, key=by_verdict)
    if case.verdict in _OF_CASES:
        return f"next: {_OF_CASES[case.verdict].format(case=name_of(case))}"
    return f"next: {_of_limit(case, config)}"


def accept(case: CaseResult, config: str) -> str:
    """Return the command that accepts a case, but for its reason."""
    # A name that is cut would be another one; who sees it can find the whole.
    name = case.case if columns(case.case) <= NAME_ROOM else "NAME"
    file = f" --config {shlex.quote(config)}" if config else ""
    return f"npuperf accept{file} --case {shlex.quote(name)}"


def say_soc(mode: str, profiles: Sequence[str]) -> str:
    """Return how to say the SoC that profiles were made on, and that they do not tell."""
    if mode != "replay" or not profiles:
        return "let npu-smi tell it where the app runs"
    recording = PurePath(profiles[0])
    if re.fullmatch("round_[0-9]+", recording.name):
        recording = recording.parent
    if recording.suffix in _TABLES:
        return f"move {recording} into a folder of its own, and write it there into {MANIFEST}"
    return f"write it into {recording / MANIFEST}"


# --- by the worst limit -----------------------------------------------------------------------


def _in_doubt(case: CaseResult) -> bool:
    return any(judged.warned or judged.tolerated for judged in case.limits)


def _of_limit(case: CaseResult, config: str) -> str:
    worst = min(case.limits, key=_urgency, default=None)
    if worst is None:
        return f"give the budget of {name_of(case)} a limit"
    if _lost_its_lane(case, worst):
        return (
            f"profile {name_of(case)} with lane {named(worst.lane)} again; where the lanes are to "
            f"stay as they are: {accept(case, config)} --replace --reason TEXT"
        )
    if _lacks_soc(case, worst):
        example = '{"format": 1, "fingerprint": {"soc": "Ascend910B3"}}'
        how = say_soc(case.mode, case.profiles)
        told = f", for an Ascend910B3 as {example}" if case.mode == "replay" else ""
        return f"say the SoC of {name_of(case)}: {how}{told}"
    return _advice(worst, bool(case.against)).format(
        case=name_of(case),
        accept=accept(case, config),
        title=named(worst.limit.wanted.title()),
        where=_at(worst.limit.where),
        other=named(case.against.title) if case.against else "",
    )


def _at(where: str) -> str:
    """Return where a limit stands; a usual one stands nowhere yet."""
    if where == "built-in":
        return ", by saying another in the budget"
    return f" at {where}" if where else ""


def _urgency(judged: Judged) -> tuple[bool, bool, object]:
    """Order limits, the worst first; of those that pass what warns, and then what is tolerated."""
    passes = judged.counts_as is Verdict.PASSED
    return passes and not judged.warned, passes and not judged.tolerated, severity(judged)


def _lost_its_lane(case: CaseResult, judged: Judged) -> bool:
    """Return whether only the baseline has the lane that was to be judged."""
    if judged.verdict is not Verdict.NOT_MEASURED or not (judged.lane and case.rounds):
        return False
    return not any(judged.lane in measured.lanes for measured in case.rounds)


def _lacks_soc(case: CaseResult, judged: Judged) -> bool:
    """Return whether a limit was not judged as the profile does not say what it was made on."""
    if case.fingerprint.get("soc") or case.against:
        return False
    if judged.verdict is Verdict.NOT_MEASURED:
        return judged.value is not None
    compares = judged.limit.max_regression is not None
    return judged.verdict is Verdict.INCONCLUSIVE and compares and judged.comparison is None


def _advice(judged: Judged, in_one_session: bool) -> str:
    if judged.warned:
        return _WARNED
    if judged.verdict is Verdict.NOT_MEASURED and not from_profile(judged.limit.wanted):
        return _NOT_TOLD
    if noise(judged):
        return _HIDDEN
    is_within = judged.verdict in (Verdict.PASSED, Verdict.INCONCLUSIVE)
    if is_within and judged.comparison is not None and judged.comparison.is_between:
        return _WITHIN_NOISE
    if judged.verdict is Verdict.FAILED and judged.is_by_change:
        return _SLOWER_THAN if in_one_session else _CHANGED
    return _OF_LIMITS.get(judged.verdict, "see what stopped {case}")
