"""Cases as JSON, and the document of one pytest run that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone

from pytest_npuperf import __version__
from pytest_npuperf.model import JSON, CaseResult, Cause, CauseKind, OtherSide, Verdict
from pytest_npuperf.results.format import FORMAT
from pytest_npuperf.results.limits import limit_as_json, limit_from_json
from pytest_npuperf.results.rounds import rounds_as_json, rounds_from_json


def document(
    cases: Iterable[CaseResult],
    started: datetime,
    exit_status: int,
    not_checked: Iterable[tuple[str, str]] = (),
    commit: str = "",
) -> JSON:
    """Return what one pytest run found; ``not_checked`` holds cases with the reason for each.

    ``commit`` is what was checked out, empty where that is unknown.
    """
    return {
        "format": FORMAT,
        "version": __version__,
        "started": started.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": commit,
        "exit": exit_status,
        "cases": [case_as_json(case) for case in cases],
        "not_checked": [{"case": case, "reason": reason} for case, reason in not_checked],
    }


def case_as_json(case: CaseResult) -> JSON:
    """Return a case as plain data."""
    return {
        "case": case.case,
        "test": case.test,
        "verdict": case.verdict.value,
        "blocks": case.blocks,
        "reason": case.reason,
        "mode": case.mode,
        "recorded": case.recorded,
        "profiles": list(case.profiles),
        "fingerprint": dict(case.fingerprint),
        "rounds": rounds_as_json(case.rounds),
        "limits": [limit_as_json(judged) for judged in case.limits],
        "causes": {lane: [_cause_as_json(each) for each in of] for lane, of in case.causes.items()},
        "against": case.against and _other_as_json(case.against),
        "notes": list(case.notes),
        "findings": list(case.findings),
    }


def _cause_as_json(cause: Cause) -> JSON:
    return {**vars(cause), "kind": cause.kind.value}


def _other_as_json(other: OtherSide) -> JSON:
    return {
        "title": other.title,
        "profiles": list(other.profiles),
        "fingerprint": dict(other.fingerprint),
        "rounds": rounds_as_json(other.rounds),
    }


def case_from_json(data: JSON) -> CaseResult:
    """Return the case that :func:`case_as_json` made plain; the data must have been checked.

    What the format leaves out, such as the samples of a single round, stays away.
    """
    limits = tuple(limit_from_json(limit) for limit in data["limits"])
    wanted = tuple(judged.limit.wanted for judged in limits)
    against = data["against"]
    return CaseResult(
        case=data["case"],
        test=data["test"],
        verdict=Verdict(data["verdict"]),
        mode=data["mode"],
        reason=data["reason"],
        profiles=tuple(data["profiles"]),
        recorded=data["recorded"],
        fingerprint=dict(data["fingerprint"]),
        rounds=rounds_from_json(data["rounds"], wanted),
        limits=limits,
        notes=tuple(data["notes"]),
        findings=tuple(data["findings"]),
        causes={lane: tuple(map(_cause, causes)) for lane, causes in data["causes"].items()},
        against=against
        and OtherSide(
            title=against["title"],
            profiles=tuple(against["profiles"]),
            fingerprint=dict(against["fingerprint"]),
            rounds=rounds_from_json(against["rounds"], wanted),
        ),
        blocks=data["blocks"],
    )


def _cause(data: JSON) -> Cause:
    return Cause(**{**data, "kind": CauseKind(data["kind"])})
