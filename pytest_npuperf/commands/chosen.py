"""Choose a case of a result: the one that is named, or the only one, as it was measured."""

from __future__ import annotations

from pathlib import Path

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON, Verdict


def chosen_case(path: Path, document: JSON, name: str | None) -> JSON:
    """Return a case of the result that ``path`` holds, as plain data; None is the only one.

    Raises NpuperfError where it is not there, was not measured, or was measured twice.
    """
    name = name if name is not None else _only_name(path, document)
    cases = [case for case in document["cases"] if case["case"] == name]
    if not cases:
        known = ", ".join(_names(document)) or "none"
        raise NpuperfError(f"{path}: has no case {name}; it has {known}")
    measured = [case for case in cases if case["rounds"] and case["verdict"] != Verdict.ERROR.value]
    if not measured:
        said = cases[0]["reason"].partition("\n")[0]
        raise NpuperfError(f"{path}: {name} was not measured: {cases[0]['verdict']}: {said}")
    _refuse_other_numbers(path, measured)
    return measured[0]


def _names(document: JSON) -> dict[str, None]:
    return dict.fromkeys(case["case"] for case in document["cases"])


def _only_name(path: Path, document: JSON) -> str:
    names = list(_names(document))
    if not names:
        raise NpuperfError(f"{path}: has no case; no gated test was run")
    if len(names) > 1:
        raise NpuperfError(
            f"{path}: has {len(names)} cases, choose one with --case: {', '.join(names)}"
        )
    return names[0]


def _refuse_other_numbers(path: Path, cases: list[JSON]) -> None:
    first, *others = cases
    for other in others:
        if any(other[key] != first[key] for key in ("rounds", "fingerprint")):
            raise NpuperfError(
                f"{path}: {first['case']} was measured by {first['test']} and, with other "
                f"numbers, by {other['test']}; run one of them alone, and take its result"
            )
