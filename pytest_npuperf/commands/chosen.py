"""Choose a case of a result: the one that is named, or the only one, as it was measured."""

from __future__ import annotations

from pathlib import Path

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON
from pytest_npuperf.text import many, named

_LISTED = 20
"""How many cases are named."""


def chosen_case(path: Path, document: JSON, name: str | None) -> JSON:
    """Return a case of the result that ``path`` holds, as plain data; None is the only one.

    Raises NpuperfError where it is not there, was not measured, or was measured twice.
    """
    name = name if name is not None else _only_name(path, document)
    cases = [case for case in document["cases"] if case["case"] == name]
    if not cases:
        raise NpuperfError(f"{path}: has no case {named(name)}; it has {_listed(document)}")
    # One that broke off has no limits; one whose baseline cannot be read has, and may replace it.
    measured = [case for case in cases if case["rounds"] and case["limits"]]
    if not measured:
        said = cases[0]["reason"].partition("\n")[0]
        raise NpuperfError(f"{path}: {named(name)} was not measured: {cases[0]['verdict']}: {said}")
    _refuse_other_numbers(path, measured)
    return measured[0]


def _names(document: JSON) -> dict[str, None]:
    return dict.fromkeys(case["case"] for case in document["cases"])


def _listed(document: JSON) -> str:
    names = [named(name) for name in _names(document)]
    more = [many(len(names) - _LISTED, "more case")] if len(names) > _LISTED else []
    return ", ".join([*names[:_LISTED], *more]) or "none"


def _only_name(path: Path, document: JSON) -> str:
    names = list(_names(document))
    if not names:
        raise NpuperfError(f"{path}: has no case; no gated test was run")
    if len(names) > 1:
        raise NpuperfError(
            f"{path}: has {len(names)} cases, choose one with --case: {_listed(document)}"
        )
    return names[0]


def _refuse_other_numbers(path: Path, cases: list[JSON]) -> None:
    first, *others = cases
    for other in others:
        if any(other[key] != first[key] for key in ("rounds", "fingerprint")):
            raise NpuperfError(
                f"{path}: {named(first['case'])} was measured by {named(first['test'])} and, with "
                f"other numbers, by {named(other['test'])}; run one of them alone, and take its "
                "result"
            )
