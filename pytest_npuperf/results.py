"""The one result format: cases as JSON, written whole and read back checked.

Times are in nanoseconds, sizes in bytes, shares fractions of one, counts whole; a number that is
not whole is a float. What was not measured is null.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

from pytest_npuperf import __version__
from pytest_npuperf.catalogue import METRICS, STATISTICS
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import (
    JSON,
    CaseResult,
    Judged,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    OpRow,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.percentiles import statistic
from pytest_npuperf.text import clipped, printable
from pytest_npuperf.units import Dimension

# The history of the format. What reads a file knows every number up to its own.
#   1  (0.1.0) the first.
FORMAT = 1

Number = int | float | None


# --- to JSON ----------------------------------------------------------------------------------


def document(
    cases: Iterable[CaseResult],
    started: datetime,
    exit_status: int,
    not_checked: Iterable[tuple[str, str]] = (),
) -> JSON:
    """Return what one pytest run found; ``not_checked`` holds cases with the reason for each."""
    return {
        "format": FORMAT,
        "version": __version__,
        "started": started.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
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
        "rounds": [_round_as_json(measured) for measured in case.rounds],
        "limits": [_limit_as_json(judged) for judged in case.limits],
        "notes": list(case.notes),
    }


def _round_as_json(measured: Measurement) -> JSON:
    return {key: _lane_as_json(lane) for key, lane in measured.lanes.items()}


def _lane_as_json(lane: LaneMeasurement) -> JSON:
    found: dict[str, JSON] = {}
    for wanted, value in lane.values.items():
        if value.data and _is_distribution(wanted):
            found[wanted.metric] = list(value.data)
        else:
            found[wanted.title()] = _number(value.value)
    found["ops"] = [dict(vars(row)) for row in lane.ops]
    if lane.longest:
        found["longest"] = [dict(vars(op)) for op in lane.longest]
    return found


def _is_distribution(wanted: Wanted) -> bool:
    return wanted.metric in METRICS and METRICS[wanted.metric].distribution


def _limit_as_json(judged: Judged) -> JSON:
    limit, wanted = judged.limit, judged.limit.wanted
    return {
        "metric": wanted.metric,
        "statistic": wanted.statistic,
        "select": wanted.select.as_dict(),
        "column": wanted.column,
        "lane": judged.lane,
        "value": _number(judged.value),
        "unit": limit.unit or limit.dimension.value,
        "at_most": _number(limit.at_most),
        "at_least": _number(limit.at_least),
        "equal": _number(limit.equal),
        "max_regression": _number(limit.max_regression),
        "better": limit.better,
        "samples": judged.samples,
        "coverage": _number(judged.coverage),
        "verdict": judged.verdict.value,
        "on_fail": limit.on_fail,
        "why": limit.why,
        "reason": judged.reason,
        "remark": judged.remark,
        "where": limit.where,
    }


def _number(value: Fraction | None) -> Number:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)


# --- from JSON --------------------------------------------------------------------------------


def case_from_json(data: JSON) -> CaseResult:
    """Return the case that :func:`case_as_json` made plain; the data must have been checked.

    What the format leaves out, such as the samples of a single round, stays away.
    """
    limits = tuple(_limit_from_json(limit) for limit in data["limits"])
    wanted = tuple(judged.limit.wanted for judged in limits)
    return CaseResult(
        case=data["case"],
        test=data["test"],
        verdict=Verdict(data["verdict"]),
        mode=data["mode"],
        reason=data["reason"],
        profiles=tuple(data["profiles"]),
        recorded=data["recorded"],
        fingerprint=dict(data["fingerprint"]),
        rounds=tuple(_round_from_json(measured, wanted) for measured in data["rounds"]),
        limits=limits,
        notes=tuple(data["notes"]),
        blocks=data["blocks"],
    )


def _round_from_json(data: Mapping[str, JSON], wanted: Sequence[Wanted]) -> Measurement:
    return Measurement({key: _lane_from_json(lane, wanted) for key, lane in data.items()})


def _lane_from_json(data: Mapping[str, JSON], wanted: Sequence[Wanted]) -> LaneMeasurement:
    values: dict[Wanted, Value] = {}
    titled = {each.title(): each for each in wanted}
    for title, found in data.items():
        if title in ("ops", "longest"):
            continue
        if isinstance(found, list):
            asked = [
                each for each in wanted if each.metric == title and each.statistic in STATISTICS
            ]
            values |= {each: _distribution(each, found) for each in asked}
        else:
            values[titled.get(title, Wanted(title))] = Value(_fraction(found))
    ops = tuple(OpRow(**row) for row in data["ops"])
    return LaneMeasurement(values, ops, tuple(LongOp(**op) for op in data.get("longest", ())))


def _distribution(wanted: Wanted, steps: Sequence[int]) -> Value:
    value = statistic(steps, wanted.statistic or "")
    return Value(value, samples=len(steps), data=tuple(steps))


def _limit_from_json(data: JSON) -> Judged:
    select = Selector(**{key: tuple(globs) for key, globs in data["select"].items()})
    unit = data["unit"]
    is_own = data["metric"].startswith("custom.")
    limit = Limit(
        wanted=Wanted(data["metric"], data["statistic"], select, data["column"]),
        dimension=Dimension.NUMBER if is_own else Dimension(unit),
        at_most=_fraction(data["at_most"]),
        at_least=_fraction(data["at_least"]),
        equal=_fraction(data["equal"]),
        max_regression=_fraction(data["max_regression"]),
        on_fail=data["on_fail"],
        why=data["why"],
        where=data["where"],
        better=data["better"],
        unit=unit if is_own and unit != Dimension.NUMBER.value else "",
    )
    return Judged(
        limit=limit,
        verdict=Verdict(data["verdict"]),
        lane=data["lane"],
        value=_fraction(data["value"]),
        samples=data["samples"],
        coverage=_fraction(data["coverage"]) or Fraction(0),
        reason=data["reason"],
        remark=data["remark"],
    )


def _fraction(number: Number) -> Fraction | None:
    # Through text, so that 0.8 means 8/10 and not the nearest binary number.
    return None if number is None else Fraction(str(number))


# --- files ------------------------------------------------------------------------------------


def write(path: Path, document: JSON) -> None:
    """Write a document whole or not at all; folders that lack are made.

    Raises NpuperfError when the file cannot be written; what was there before stays.
    """
    text = json.dumps(document, allow_nan=False) + "\n"
    try:
        _replace(Path(os.path.realpath(path)), text)
    except OSError as err:
        why = err.strerror or err
        raise NpuperfError(f"{_shown(path)}: the results were not written: {why}") from err


def _replace(path: Path, text: str) -> None:
    with suppress(FileExistsError):  # a file in the place of the folder is told below
        path.parent.mkdir(parents=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def read(path: Path) -> JSON:
    """Return the document that a file holds, checked against the schema.

    Raises NpuperfError when there is none, or one of a newer pytest-npuperf.
    """
    try:
        found = json.loads(path.read_bytes(), parse_constant=_finite, parse_float=_finite)
    except OSError as err:
        raise NpuperfError(f"{_shown(path)}: cannot be read: {err.strerror or err}") from err
    except (ValueError, RecursionError) as err:
        raise NpuperfError(f"{_shown(path)}: is not JSON: {err}") from err
    number = found.get("format") if isinstance(found, dict) else None
    if not isinstance(number, int):
        raise NpuperfError(
            f'{_shown(path)}: is not a result of pytest-npuperf; it has no "format" number'
        )
    if number > FORMAT:
        raise NpuperfError(
            f"{_shown(path)}: has format {number}, and pytest-npuperf {__version__} knows formats "
            f"up to {FORMAT}; upgrade pytest-npuperf to read it"
        )
    _check(path, found)
    return found


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _check(path: Path, found: JSON) -> None:
    # Only who reads a file pays for the import.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema()).iter_errors(found))
    if error is not None:
        told = printable(f"{error.json_path}: {error.message}")
        raise NpuperfError(f"{_shown(path)}: {clipped(told, 300)}")


def schema() -> JSON:
    """Return the JSON Schema of a document."""
    return json.loads((files(__package__) / "schema" / "result.schema.json").read_bytes())


def _shown(path: Path) -> str:
    return printable(str(path))
