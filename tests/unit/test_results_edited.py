"""Results and baselines that were edited by hand: each is right, or refused with file and key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from case_results import changed

from pytest_npuperf import results
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import Before, judge
from pytest_npuperf.model import (
    JSON,
    Case,
    CaseResult,
    Limit,
    Measurement,
    OpRow,
    Regression,
    Session,
    Wanted,
)
from pytest_npuperf.units import Dimension

Place = tuple[str | int, ...]

LIMIT = Limit(
    Wanted("kernel_time"), Dimension.TIME, max_regression=Regression(Fraction(5, 100)), where="at:1"
)


def with_ops(case: CaseResult) -> CaseResult:
    """Return a case whose kernels are told."""
    rounds = []
    for measured in case.rounds:
        lane = measured.lanes["0"]
        total = lane.values[LIMIT.wanted].value
        row = OpRow("Conv2D", "AI_CORE", 140, int(total or 0), "1,3;64")
        rounds.append(Measurement({"0": replace(lane, ops=(row,))}))
    return replace(case, rounds=tuple(rounds))


RESULT = with_ops(changed([1, 2]))
VALUES: list[JSON] = [-1, 0, "1e400", "NaN", "", None, [], {}, "x" * 5000, True]


def places(found: JSON, place: Place = ()) -> Iterator[Place]:
    """Yield where each value is; of a list the first one stands for all."""
    if isinstance(found, dict):
        for key, each in found.items():
            yield from places(each, (*place, key))
    elif isinstance(found, list):
        yield from places(found[0], (*place, 0)) if found else [place]
    else:
        yield place


def edited(found: JSON, place: Place, value: JSON) -> str:
    """Return a document as text, with one value replaced."""
    whole = deepcopy(found)
    table = whole
    for key in place[:-1]:
        table = table[key]
    table[place[-1]] = value
    return json.dumps(whole).replace('"1e400"', "1e400").replace('"NaN"', "NaN")


def check_refusal(path: Path, err: NpuperfError, place: Place) -> None:
    """Check that an error is one line that names the file, and where in it."""
    beginnings = (f"$.{place[0]}", "is not JSON: ", "is not a ")
    assert str(err).startswith(tuple(f"{path}: {each}" for each in beginnings))
    assert str(err).isprintable()


def of_result(case: CaseResult) -> JSON:
    plain = {"cases": [results.case_as_json(case)], "not_checked": [{"case": "a", "reason": "b"}]}
    head = {"format": 1, "version": "0", "started": "2026-01-31T12:00:00Z", "commit": "", "exit": 1}
    return json.loads(json.dumps({**head, **plain}))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:7])
def test_a_result_is_read_as_it_says_or_refused(tmp_path: Path, value: JSON) -> None:
    whole, path = of_result(RESULT), tmp_path / "result.json"
    for place in places(whole):
        path.write_text(edited(whole, place, value))
        try:
            (case,) = results.read(path)["cases"]
        except NpuperfError as err:
            check_refusal(path, err, place)
        else:
            again = results.case_from_json(case)
            assert results.case_as_json(again) == case
            judge(Case("a", limits=(LIMIT,)), again.rounds, {}, Before((again.rounds,), "A"))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:7])
def test_a_baseline_is_read_as_it_says_or_refused(tmp_path: Path, value: JSON) -> None:
    path = results.baseline_path(tmp_path, "a", "Ascend910B3")
    session = Session(RESULT.rounds, "2026-01-31T12:00:00Z", fingerprint={"soc": "Ascend910B3"})
    results.add_session(path, "a", "Ascend910B3", session, replace=False)
    whole = json.loads(path.read_bytes())
    for place in places(whole):
        path.write_text(edited(whole, place, value))
        try:
            found = results.read_baseline(path, [LIMIT])
        except NpuperfError as err:
            check_refusal(path, err, place)
        else:
            assert found is not None
            before = Before(tuple(each.rounds for each in found.sessions), "baseline")
            judge(Case("a", limits=(LIMIT,)), RESULT.rounds, {}, before)


UNIT = "is not a unit: ns, B, share, count or number"
LESS = "is not a number, zero or more, nor null"
IN_ROUND = ("cases", 0, "rounds", 0, "0")


@pytest.mark.parametrize(
    ("place", "value", "key", "sentence"),
    [
        (("cases", 0, "limits", 0, "unit"), "furlong", ".limits[0].unit", f'"furlong" {UNIT}'),
        (("cases", 0, "limits", 0, "value"), -1, ".limits[0].value", f"-1 {LESS}"),
        ((*IN_ROUND, "kernel_time"), -1, '.rounds[0]["0"].kernel_time', f"-1 {LESS}"),
        ((*IN_ROUND, "more"), True, '.rounds[0]["0"].more', f"true {LESS}"),
        (
            (*IN_ROUND, "kernel_time"),
            7,
            '.rounds[0]["0"].kernel_time',
            "is 7, and its ops sum to 1000000",
        ),
        (
            (*IN_ROUND, "custom.loss"),
            "low",
            '.rounds[0]["0"]["custom.loss"]',
            '"low" is not a number, nor null',
        ),
    ],
)
def test_what_a_result_cannot_say(
    tmp_path: Path, place: Place, value: JSON, key: str, sentence: str
) -> None:
    path = tmp_path / "result.json"
    path.write_text(edited(of_result(RESULT), place, value))
    with pytest.raises(NpuperfError) as caught:
        results.read(path)
    assert str(caught.value) == f"{path}: $.cases[0]{key}: {sentence}"


def test_a_number_of_the_tests_own_may_be_negative_in_any_unit(tmp_path: Path) -> None:
    whole, path = of_result(RESULT), tmp_path / "result.json"
    limit = {**whole["cases"][0]["limits"][0], "metric": "custom.loss", "unit": "nats", "value": -1}
    whole["cases"][0]["limits"].append(limit)
    for each in whole["cases"][0]["rounds"]:
        each["0"]["custom.loss"] = -1
    path.write_text(json.dumps(whole))
    assert results.read(path) == whole


@pytest.mark.parametrize("number", [0, 1])
def test_a_limit_on_a_number_that_is_gone(tmp_path: Path, number: int) -> None:
    whole, path = of_result(RESULT), tmp_path / "result.json"
    del whole["cases"][0]["rounds"][number]["0"]["kernel_time"]
    path.write_text(json.dumps(whole))
    with pytest.raises(NpuperfError) as caught:
        results.read(path)
    assert str(caught.value) == (
        f'{path}: $.cases[0].rounds[{number}]["0"].kernel_time: is missing, and a limit is on it'
    )


def test_the_other_side_is_held_against_its_ops_too(tmp_path: Path) -> None:
    whole, path = of_result(RESULT), tmp_path / "result.json"
    case = whole["cases"][0]
    case["against"] = {
        "title": "old",
        "profiles": [],
        "fingerprint": {},
        "rounds": deepcopy(case["rounds"]),
    }
    case["against"]["rounds"][1]["0"]["kernel_time"] -= 1
    path.write_text(json.dumps(whole))
    with pytest.raises(NpuperfError) as caught:
        results.read(path)
    assert str(caught.value) == (
        f'{path}: $.cases[0].against.rounds[1]["0"].kernel_time: '
        "is 1999999, and its ops sum to 2000000"
    )


@pytest.mark.parametrize("ops", [[], [("Conv2D", "AI_CORE", 3, 0)]])
def test_kernels_that_take_no_time(tmp_path: Path, ops: list[tuple[str, str, int, int]]) -> None:
    whole, path = of_result(RESULT), tmp_path / "result.json"
    keys = ("type", "core", "count", "total")
    rows = [{**dict(zip(keys, op, strict=True)), "shapes": "", "dtypes": ""} for op in ops]
    lane = whole["cases"][0]["rounds"][0]["0"]
    lane |= {"ops": rows, "kernel_time": 0, "kernel_count": 3}
    path.write_text(json.dumps(whole))
    with pytest.raises(NpuperfError) as caught:
        results.read(path)
    assert str(caught.value) == (
        f'{path}: $.cases[0].rounds[0]["0"].kernel_time: '
        "is 0, and no kernel takes no time; there are 3"
    )
    lane |= {"ops": [], "kernel_count": 0}
    path.write_text(json.dumps(whole))
    assert results.read(path) == whole
