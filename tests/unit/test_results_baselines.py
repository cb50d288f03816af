from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Event
from typing import Any

import jsonschema
import pytest

from pytest_npuperf import __version__, results
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import (
    JSON,
    Baseline,
    LaneMeasurement,
    Limit,
    Measurement,
    OpRow,
    Regression,
    Selector,
    Session,
    Value,
    Wanted,
)
from pytest_npuperf.units import Dimension

DOCS = Path(__file__).parents[2] / "docs" / "results.md"

BUSY = Wanted("busy_time")
STEPS = Wanted("step_time", "p50")
CONV = Wanted("ops", "max", Selector(type=("Conv2D",)))
LOSS = Wanted("custom.loss")
WANTED = [BUSY, STEPS, CONV, LOSS]
LIMITS = [Limit(each, Dimension.NUMBER) for each in WANTED]
OPS = (OpRow("Conv2D", "AI_CORE", 53, 900_100, "1,3;64", "FLOAT16"),)


def measured(busy: int) -> Measurement:
    values = {
        BUSY: Value(Fraction(busy)),
        STEPS: Value(Fraction(5), 2, data=(4, 6)),
        CONV: Value(Fraction(7, 2)),
        LOSS: Value(Fraction(-1, 4)),
    }
    return Measurement({"0": LaneMeasurement(values, OPS), "1": LaneMeasurement(values)})


def session(*busy: int, **more: Any) -> Session:
    rounds = tuple(map(measured, busy or (1_710_000,)))
    known = {"soc": "Ascend310P3", "msprof.aic-metrics": "PipeUtilization"}
    return Session(rounds, "2026-01-31T12:00:00Z", "1f0c3a5", "faster now", known, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return results.baseline_path(tmp_path / "baselines", "resnet50", "Ascend310P3")


def add(path: Path, accepted: Session | None = None, anew: bool = False) -> Baseline:
    return results.add_session(path, "resnet50", "Ascend310P3", accepted or session(), anew)[1]


def refusal(act: Callable[..., object], *args: object) -> str:
    with pytest.raises(NpuperfError) as caught:
        act(*args)
    return str(caught.value)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def busy(baseline: Baseline | None) -> list[list[Fraction | None]]:
    """Return the rounds of each session by their busy_time."""
    assert baseline is not None
    return [
        [each.lanes["0"].values[BUSY].value for each in one.rounds] for one in baseline.sessions
    ]


# --- paths ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "folder"),
    [
        ("resnet50", "resnet50"),
        ("tests/test_speed.py::test_it[1]", "tests_test_speed.py_test_it_1_-9c0621ce"),
        ("../up", "up-8c722b8a"),
    ],
)
def test_a_baseline_has_a_path_of_safe_names(case: str, folder: str) -> None:
    path = results.baseline_path(Path("baselines"), case, "Ascend910B3")
    assert path == Path("baselines", folder, "Ascend910B3.json")


def test_a_case_that_is_no_file_name_is_read_as_it_is_called(tmp_path: Path) -> None:
    case, soc = "tests/test_speed.py::test_it[卷]", "Ascend 910/B"
    path = results.baseline_path(tmp_path, case, soc)
    results.add_session(path, case, soc, session(), False)
    found = results.read_baseline(path, LIMITS)
    assert found is not None
    assert (found.case, found.soc) == (case, soc)


# --- what is read is what was added -----------------------------------------------------------


def test_a_baseline_that_is_not_there_is_none(path: Path) -> None:
    assert results.read_baseline(path, LIMITS) is None


def test_a_session_is_read_as_it_was_accepted(path: Path) -> None:
    accepted = session(1_710_000, 1_720_000)
    added = add(path, accepted)
    read = results.read_baseline(path, LIMITS)
    assert read == added
    assert read is not None
    (found,) = read.sessions
    assert found == replace(accepted, rounds=found.rounds)
    # The format leaves out how many samples a number has.
    assert [lane.ops for each in found.rounds for lane in each.lanes.values()] == [OPS, ()] * 2
    for each, original in zip(found.rounds, accepted.rounds, strict=True):
        assert each.lanes["1"].values == original.lanes["1"].values


def test_another_statistic_of_what_was_kept_can_be_asked_for(path: Path) -> None:
    add(path)
    largest = Wanted("step_time", "max")
    found = results.read_baseline(path, [Limit(largest, Dimension.TIME)])
    assert found is not None
    lane = found.sessions[0].rounds[0].lanes["0"]
    assert lane.values[largest] == Value(Fraction(6), 2, data=(4, 6))
    assert STEPS not in lane.values


def test_sessions_are_added_at_the_end(path: Path) -> None:
    add(path, session(1))
    assert busy(add(path, session(2, 3))) == [[1], [2, 3]]
    assert busy(results.read_baseline(path, LIMITS)) == [[1], [2, 3]]


def test_what_older_sessions_hold_stays_as_it_is(path: Path) -> None:
    add(path)
    before = json.loads(path.read_bytes())
    before["sessions"][0]["version"] = "0.0.9"
    path.write_text(json.dumps(before))
    add(path, Session((Measurement({"0": LaneMeasurement({})}),), "2026-02-01T00:00:00Z"))
    after = json.loads(path.read_bytes())
    assert after["sessions"][0] == before["sessions"][0]
    assert after["sessions"][1] == {
        "date": "2026-02-01T00:00:00Z",
        "commit": "",
        "reason": "",
        "version": __version__,
        "fingerprint": {},
        "rounds": [{"0": {"ops": []}}],
    }


def test_a_session_can_replace_all_others(path: Path) -> None:
    add(path, session(1))
    add(path, session(2))
    assert busy(add(path, session(3), anew=True)) == [[3]]
    assert busy(results.read_baseline(path, LIMITS)) == [[3]]


def test_what_cannot_be_read_is_not_replaced(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert refusal(add, path, session(3), True).startswith(f"{path}: is not JSON: ")
    assert path.read_text() == "{"


def test_beyond_twenty_the_oldest_session_goes(path: Path) -> None:
    add(path, session(0))
    found = json.loads(path.read_bytes())
    found["sessions"] *= results.MOST_SESSIONS - 1
    path.write_text(json.dumps(found))
    assert busy(add(path, session(1))) == [[0]] * 19 + [[1]]
    assert busy(add(path, session(2))) == [[0]] * 18 + [[1], [2]]


def test_a_session_is_a_line(path: Path) -> None:
    add(path)
    add(path, session(1))
    lines = path.read_text(encoding="ascii").splitlines()
    assert lines[0] == '{"format": 1, "case": "resnet50", "soc": "Ascend310P3", "sessions": ['
    assert [line.startswith('{"date": ') for line in lines] == [False, True, True, False]
    assert lines[-1] == "]}"


def test_the_documentation_shows_what_is_written(path: Path) -> None:
    section = DOCS.read_text(encoding="utf-8").partition("\n## A baseline\n")[2]
    text = section.partition("```json\n")[2].partition("```")[0]
    values = {BUSY: Value(Fraction(1_710_000))}
    rounds = (Measurement({"0": LaneMeasurement(values)}),)
    known = {"soc": "Ascend310P3"}
    add(path, Session(rounds, "2026-01-31T12:00:00Z", "", "first", known))
    assert path.read_text(encoding="ascii").replace(__version__, "0.1.0") == text


def test_the_schema_of_a_baseline_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(results.schema()["$defs"]["baseline"])


# --- bad input --------------------------------------------------------------------------------

Key = str | int
FIRST: tuple[Key, ...] = ("sessions", 0, "rounds", 0, "0")
VALUE = '$.sessions[0].rounds[0]["0"]'
NOT_A_NUMBER = "is not a number, zero or more"

# The place of a value, what it becomes, and what is said.
EDITED: list[tuple[tuple[Key, ...], JSON, str]] = [
    ((), [], 'is not a baseline of pytest-npuperf; it has no "format" number'),
    (("format",), "1", 'is not a baseline of pytest-npuperf; it has no "format" number'),
    (("format",), 0, "$.format: 1 was expected"),
    (
        ("format",),
        2,
        f"has format 2, and pytest-npuperf {__version__} knows formats up to 1; "
        "upgrade pytest-npuperf to read it",
    ),
    (("case",), "bert", "$.case: bert is not the case of the path, resnet50"),
    (("case",), "\x1b[31m", "$.case: \\x1b[31m is not the case of the path, resnet50"),
    (("soc",), "Ascend910B3", "$.soc: Ascend910B3 is not the soc of the path, Ascend310P3"),
    (("soc",), "", '$.soc: "" is not the name of a SoC'),
    (("soc",), None, "$.soc: null is not the name of a SoC"),
    (("sessions",), [], "$.sessions: [] is not a list of sessions, at least one"),
    (("sessions",), {}, "$.sessions: {} is not a list of sessions, at least one"),
    (
        ("sessions", 0, "date"),
        "yesterday",
        '$.sessions[0].date: "yesterday" is not a time such as "2026-01-31T12:00:00Z"',
    ),
    (
        ("sessions", 0, "date"),
        "2026-02-30T12:00:00Z",
        '$.sessions[0].date: "2026-02-30T12:00:00Z" is not a time such as "2026-01-31T12:00:00Z"',
    ),
    (("sessions", 0, "commit"), 7, "$.sessions[0].commit: 7 is not of type 'string'"),
    (
        ("sessions", 0, "extra"),
        7,
        "$.sessions[0]: Additional properties are not allowed ('extra' was unexpected)",
    ),
    (
        ("sessions", 0, "rounds"),
        [],
        "$.sessions[0].rounds: [] is not a list of rounds, at least one",
    ),
    (
        ("sessions", 0, "rounds", 0),
        {},
        "$.sessions[0].rounds[0]: {} is not a round with at least one lane",
    ),
    ((*FIRST,), {}, f"{VALUE}: 'ops' is a required property"),
    ((*FIRST, "busy_time"), None, f"{VALUE}.busy_time: null {NOT_A_NUMBER}"),
    ((*FIRST, "busy_time"), -1, f"{VALUE}.busy_time: -1 {NOT_A_NUMBER}"),
    ((*FIRST, "busy_time"), "1.7 ms", f'{VALUE}.busy_time: "1.7 ms" {NOT_A_NUMBER}'),
    ((*FIRST, "busy_time"), True, f"{VALUE}.busy_time: true {NOT_A_NUMBER}"),
    ((*FIRST, "busy_time"), [1], f"{VALUE}.busy_time: [1] {NOT_A_NUMBER}"),
    ((*FIRST, "ops type=Conv2D max"), -1, f'{VALUE}["ops type=Conv2D max"]: -1 {NOT_A_NUMBER}'),
    ((*FIRST, "custom.loss"), None, f'{VALUE}["custom.loss"]: null is not a number'),
    (
        (*FIRST, "step_time"),
        [],
        f"{VALUE}.step_time: [] is not a list of whole numbers from zero on, at least one",
    ),
    (
        (*FIRST, "step_time"),
        5,
        f"{VALUE}.step_time: 5 is not a list of whole numbers from zero on, at least one",
    ),
    ((*FIRST, "step_time", 1), -6, f"{VALUE}.step_time[1]: -6 is not a whole number from zero on"),
    (
        (*FIRST, "step_time", 0),
        None,
        f"{VALUE}.step_time[0]: null is not a whole number from zero on",
    ),
    (
        (*FIRST, "ops", 0, "total"),
        -1,
        f"{VALUE}.ops[0].total: -1 is less than the minimum of 0",
    ),
    ((*FIRST, "ops", 0, "count"), 1.5, f"{VALUE}.ops[0].count: 1.5 is not of type 'integer'"),
    ((*FIRST, "ops", 0, "count"), True, f"{VALUE}.ops[0].count: True is not of type 'integer'"),
    ((*FIRST, "ops", 0, "count"), "1", f"{VALUE}.ops[0].count: '1' is not of type 'integer'"),
    ((*FIRST, "ops", 0, "count"), -1, f"{VALUE}.ops[0].count: -1 is less than the minimum of 0"),
    ((*FIRST, "ops", 0, "type"), 1, f"{VALUE}.ops[0].type: 1 is not of type 'string'"),
    ((*FIRST, "ops", 0), {}, f"{VALUE}.ops[0]: 'type' is a required property"),
    ((*FIRST, "ops", 0), 7, f"{VALUE}.ops[0]: 7 is not of type 'object'"),
    (
        (*FIRST, "ops", 0, "extra"),
        7,
        f"{VALUE}.ops[0]: Additional properties are not allowed ('extra' was unexpected)",
    ),
    ((*FIRST, "ops"), 7, f"{VALUE}.ops: 7 is not of type 'array'"),
]


def edited(document: JSON, place: Sequence[Key], value: JSON) -> JSON:
    if not place:
        return value
    *above, key = place
    table = document
    for each in above:
        table = table[each]
    table[key] = value
    return document


@pytest.mark.parametrize(("place", "value", "said"), EDITED)
def test_what_was_edited_by_hand_is_told_with_its_place(
    path: Path, place: Sequence[Key], value: JSON, said: str
) -> None:
    add(path, session(1, 2))
    path.write_text(json.dumps(edited(json.loads(path.read_bytes()), place, value)))
    before = path.read_bytes()
    assert refusal(results.read_baseline, path, LIMITS) == f"{path}: {said}"
    # Nor is anything added to it.
    assert refusal(add, path) == f"{path}: {said}"
    assert path.read_bytes() == before
    assert names(path.parent) == ["Ascend310P3.json"]


@pytest.mark.parametrize(
    ("place", "key"),
    [
        (("sessions", 1, "rounds", 0, "0", "busy_time"), '["0"].busy_time'),
        (("sessions", 1, "rounds", 0, "1", "custom.loss"), '["1"]["custom.loss"]'),
        (("sessions", 1, "rounds", 0, "1", "step_time"), '["1"].step_time'),
        (("sessions", 1, "rounds", 0, "1"), '["1"].busy_time'),
    ],
)
def test_what_another_round_of_a_session_has_is_missed(
    path: Path, place: Sequence[Key], key: str
) -> None:
    add(path, session(1))
    add(path, session(1, 2))
    found = json.loads(path.read_bytes())
    *above, last = place
    table = found
    for each in above:
        table = table[each]
    del table[last]
    path.write_text(json.dumps(found))
    assert refusal(results.read_baseline, path, LIMITS) == (
        f"{path}: $.sessions[1].rounds[0]{key}: "
        "is missing, and another round or lane of the session has it"
    )


def test_the_sessions_may_hold_other_numbers(path: Path) -> None:
    """The budget got a limit more in between."""
    add(path, Session((Measurement({"0": LaneMeasurement({})}),), "2026-02-01T00:00:00Z"))
    add(path)
    found = results.read_baseline(path, LIMITS)
    assert found is not None
    held = [list(one.rounds[0].lanes["0"].values) for one in found.sessions]
    assert held == [[], WANTED]


# --- numbers that cannot be -------------------------------------------------------------------

TIME = Limit(Wanted("kernel_time"), Dimension.TIME, max_regression=Regression(Fraction(1, 20)))
SUMS = {
    "kernel_time": 160,
    "kernel_count": 6,
    "ai_core_time": 150,
    "ai_cpu_time": 10,
    "kernel_time_per_step": 160 / 3,
    "kernel_count_per_step": 2,
    "busy_time": 5,
}
ROWS = (
    OpRow("Conv2D", "AI_CORE", 3, 120, "1,3;64"),
    OpRow("Conv2D", "AI_CORE", 1, 20),
    OpRow("Add", "MIX_AIV", 1, 10),
    OpRow("Cast", "AI_CPU", 1, 10),
    OpRow("AllReduce", "HCCL", 1, 10**6),
)


def summed(path: Path, place: Sequence[Key] = (), value: JSON = None) -> None:
    """Write a baseline of two lanes with numbers that are sums of its ops, one value changed."""
    values = {Wanted(title): Value(Fraction(str(number))) for title, number in SUMS.items()}
    steps = Wanted("kernel_time_per_step")
    values[steps] = Value(Fraction(160, 3))
    lanes = {"0/0": LaneMeasurement(values, ROWS), "1/1": LaneMeasurement(values, ROWS)}
    add(path, replace(session(), rounds=(Measurement(lanes),)))
    if place:
        found = json.loads(path.read_bytes())
        path.write_text(json.dumps(edited(found, ("sessions", 0, "rounds", 0, *place), value)))


def test_numbers_that_are_the_sum_of_the_ops_are_read(path: Path) -> None:
    summed(path)
    assert results.read_baseline(path, [TIME]) is not None


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("kernel_time", 159, "is 159, and its ops sum to 160"),
        ("kernel_time", 160.000001, "is 160.000001, and its ops sum to 160"),
        ("kernel_time", 0, "is 0, and its ops sum to 160"),
        ("kernel_count", 7, "is 7, and its ops sum to 6"),
        ("ai_core_time", 160, "is 160, and its ops sum to 150"),
        ("ai_cpu_time", 0, "is 0, and its ops sum to 10"),
        ("kernel_time_per_step", 50, "is 50, and its ops sum to 160 in all steps"),
        ("kernel_time_per_step", 0, "is 0, and its ops sum to 160 in all steps"),
        ("kernel_time_per_step", 10**9, "is 1000000000, and its ops sum to 160 in all steps"),
        ("kernel_count_per_step", 4, "is 4, and its ops sum to 6 in all steps"),
    ],
)
def test_a_number_that_is_not_the_sum_of_the_ops(
    path: Path, key: str, value: float, said: str
) -> None:
    summed(path, ("1/1", key), value)
    assert refusal(results.read_baseline, path, [TIME]) == (
        f'{path}: $.sessions[0].rounds[0]["1/1"].{key}: {said}'
    )


def test_of_a_lane_without_ops_nobody_can_tell(path: Path) -> None:
    add(path, replace(session(), rounds=(lane({TIME.wanted: Value(Fraction(160))}),)))
    assert results.read_baseline(path, [TIME]) is not None


def test_a_session_whose_lanes_have_other_numbers_is_refused(path: Path) -> None:
    summed(path)
    found = json.loads(path.read_bytes())
    del found["sessions"][0]["rounds"][0]["1/1"]["kernel_time"]
    path.write_text(json.dumps(found))
    assert refusal(results.read_baseline, path, [TIME]) == (
        f'{path}: $.sessions[0].rounds[0]["1/1"].kernel_time: '
        "is missing, and another round or lane of the session has it"
    )


# --- numbers that a limit cannot be compared with ---------------------------------------------

P50 = replace(TIME, wanted=STEPS)
ANEW = "npuperf accept --replace begins anew"


def of_one(values: dict[Wanted, Value]) -> Session:
    return replace(session(), rounds=(lane(values),))


@pytest.mark.parametrize("held", [[True], [False], [False, True, True], [True, False, True, False]])
@pytest.mark.parametrize("limit", [TIME, P50], ids=str)
def test_limits_come_and_go(path: Path, limit: Limit, held: list[bool]) -> None:
    value = Value(Fraction(5), 2, data=(4, 6)) if limit is P50 else Value(Fraction(5))
    for each in held:
        add(path, of_one({limit.wanted: value} if each else {BUSY: Value(Fraction(1))}))
    found = results.read_baseline(path, [limit])
    assert found is not None
    sessions = [each.rounds[0].lanes["0"].values for each in found.sessions]
    assert [limit.wanted in values for values in sessions] == held


LOSSES = Limit(LOSS, Dimension.NUMBER, max_regression=TIME.max_regression, unit="nats")
COUNT = replace(TIME, wanted=Wanted("kernel_count"), dimension=Dimension.COUNT)


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        (TIME, 0, ".kernel_time: is 0 ns"),
        (TIME, 1, ""),
        (LOSSES, -4, '["custom.loss"]: is -4.00 nats'),
        (LOSSES, 0, '["custom.loss"]: is 0 nats'),
        (replace(LOSSES, max_regression=Regression(Fraction(1), in_points=True)), -4, ""),
        (COUNT, 0, ""),
        (replace(TIME, max_regression=None, at_most=Fraction(1)), 0, ""),
    ],
)
def test_a_number_of_which_nothing_is_a_share(
    path: Path, limit: Limit, value: int, said: str
) -> None:
    add(path, of_one({limit.wanted: Value(Fraction(7))}))
    add(path, of_one({limit.wanted: Value(Fraction(value))}))
    if not said:
        assert results.read_baseline(path, [limit]) is not None
        return
    assert refusal(results.read_baseline, path, [limit]) == (
        f'{path}: $.sessions[1].rounds[0]["0"]{said}, and no change is a share of that; '
        f"give it at_most or at_least instead of max_regression, or {ANEW}"
    )


# --- what is not JSON -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("{", "is not JSON: Expecting property name enclosed in double quotes: line 1 column 2"),
        ('{"format": 1, "case": NaN}', "is not JSON: NaN is not a finite number"),
        ('{"format": 1, "case": -Infinity}', "is not JSON: -Infinity is not a finite number"),
        ('{"format": 1, "case": 1e999}', "is not JSON: 1e999 is not a finite number"),
    ],
)
def test_what_is_not_json_is_refused(path: Path, text: str, said: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    told = refusal(results.read_baseline, path, LIMITS)
    assert told.startswith(f"{path}: {said}")
    assert told.endswith("; restore it, or delete it and accept anew")


@pytest.mark.parametrize("kept", range(0, 600, 37))
def test_a_file_that_was_cut_is_refused(path: Path, kept: int) -> None:
    add(path)
    whole = path.read_bytes().rstrip()
    path.write_bytes(whole[:kept])
    assert refusal(results.read_baseline, path, LIMITS).startswith(f"{path}: is not JSON: ")


@pytest.mark.parametrize("depth", [50, 500, 900, 100_000])
def test_nesting_without_end_is_refused_in_one_line(path: Path, depth: int) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 1, "sessions": ' + "[" * depth + "]" * depth + "}")
    said = refusal(results.read_baseline, path, LIMITS)
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    assert len(said) < len(f"{path}: ") + 310


def test_a_folder_in_the_place_of_the_file(path: Path) -> None:
    path.mkdir(parents=True)
    assert refusal(results.read_baseline, path, LIMITS) == (
        f"{path}: cannot be read: Is a directory"
    )
    for anew in (False, True):
        assert refusal(add, path, None, anew) == f"{path}: cannot be read: Is a directory"
    assert names(path.parent) == ["Ascend310P3.json"]


def test_a_pipe_in_the_place_of_the_file(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    said = f"{path}: cannot be read: it is a pipe, and no file"
    assert refusal(results.read_baseline, path, LIMITS) == said
    assert refusal(results.read, path) == said


def test_a_link_to_nothing_is_no_missing_baseline(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to("nowhere.json")
    said = f"{path}: is a link to a file that is not there; fetch it"
    assert refusal(results.read_baseline, path, LIMITS) == said
    assert refusal(add, path) == said
    assert names(path.parent) == ["Ascend310P3.json"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"case":', '"case": "x", "case":', "case is there twice in one object"),
        ('"format": 1', '"format": 1' + "0" * 400, f"1{'0' * 18}... is too large a number"),
    ],
)
def test_json_that_python_would_read(path: Path, old: str, new: str, said: str) -> None:
    add(path)
    path.write_text(path.read_text().replace(old, new, 1))
    assert refusal(results.read_baseline, path, LIMITS) == (
        f"{path}: is not JSON: {said}; restore it, or delete it and accept anew"
    )


@pytest.mark.parametrize("place", ["baselines", "baselines/resnet50"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("here")
    assert refusal(results.read_baseline, path, LIMITS) == (
        f"{path}: cannot be read: Not a directory"
    )
    assert refusal(add, path) == f"{path}: the baseline was not written: Not a directory"
    assert (tmp_path / place).read_text() == "here"


# --- what may not be read is not written ------------------------------------------------------


def lane(values: dict[Wanted, Value]) -> Measurement:
    return Measurement({"0": LaneMeasurement(values)})


REFUSED: list[tuple[Session, str]] = [
    (
        replace(session(), rounds=()),
        "$.sessions[1].rounds: [] is not a list of rounds, at least one",
    ),
    (
        replace(session(), rounds=(Measurement({}),)),
        "$.sessions[1].rounds[0]: {} is not a round with at least one lane",
    ),
    (
        replace(session(), rounds=(lane({BUSY: Value(None, reason="no column")}),)),
        f'$.sessions[1].rounds[0]["0"].busy_time: null {NOT_A_NUMBER}',
    ),
    (
        replace(session(), rounds=(lane({BUSY: Value(Fraction(1))}), lane({}))),
        '$.sessions[1].rounds[1]["0"].busy_time: '
        "is missing, and another round or lane of the session has it",
    ),
    (session(-1), f'$.sessions[1].rounds[0]["0"].busy_time: -1 {NOT_A_NUMBER}'),
    (
        replace(session(), date=""),
        '$.sessions[1].date: "" is not a time such as "2026-01-31T12:00:00Z"',
    ),
]


@pytest.mark.parametrize(("accepted", "said"), REFUSED)
def test_what_could_not_be_read_is_not_written(path: Path, accepted: Session, said: str) -> None:
    add(path)
    before = path.read_bytes()
    assert refusal(add, path, accepted) == f"{path}: the baseline was not written: {said}"
    assert path.read_bytes() == before
    assert names(path.parent) == ["Ascend310P3.json"]


def test_another_case_is_not_written_there(path: Path) -> None:
    said = refusal(results.add_session, path, "bert", "Ascend310P3", session(), False)
    assert said == (
        f"{path}: the baseline was not written: $.case: bert is not the case of the path, resnet50"
    )
    assert names(path.parent) == []


def test_a_baseline_of_an_unknown_soc_is_not_written(tmp_path: Path) -> None:
    path = results.baseline_path(tmp_path, "resnet50", "")
    said = refusal(results.add_session, path, "resnet50", "", session(), False)
    assert said == (f'{path}: the baseline was not written: $.soc: "" is not the name of a SoC')


# --- two writers ------------------------------------------------------------------------------


def test_what_is_admitted_is_what_the_session_is_added_to(path: Path) -> None:
    """A second writer is asked only once it is alone, and then sees what the first one added."""
    is_asked, may_go_on = Event(), Event()
    seen: list[list[list[Fraction | None]]] = []

    def first(_: Baseline) -> None:
        is_asked.set()
        assert may_go_on.wait(60)

    def second(before: Baseline) -> None:
        seen.append(busy(before))
        raise NpuperfError("not to be added")

    def write(number: int, admit: Callable[[Baseline], None]) -> None:
        one = session(number)
        results.add_session(path, "resnet50", "Ascend310P3", one, False, admit)

    add(path, session(1))
    with ThreadPoolExecutor() as pool:
        others = pool.submit(write, 2, first)
        assert is_asked.wait(60)
        own = pool.submit(write, 3, second)
        # It would be asked at once, were it not for the first one.
        assert wait([own], timeout=0.05).not_done
        assert seen == []
        may_go_on.set()
        others.result(60)
        with pytest.raises(NpuperfError, match="not to be added"):
            own.result(60)
    assert seen == [[[1], [2]]]
    assert busy(results.read_baseline(path, LIMITS)) == [[1], [2]]
    assert names(path.parent) == ["Ascend310P3.json"]


def test_nobody_is_asked_where_there_is_no_baseline(path: Path) -> None:
    def never(_: Baseline) -> None:
        raise AssertionError

    before, now = results.add_session(path, "resnet50", "Ascend310P3", session(1), False, never)
    assert before is None
    assert busy(now) == [[1]]


def test_what_there_was_is_told_though_it_is_replaced(path: Path) -> None:
    add(path, session(1))
    before, now = results.add_session(path, "resnet50", "Ascend310P3", session(2), True)
    assert busy(before) == [[1]]
    assert busy(now) == [[2]]


# --- whole or not at all ----------------------------------------------------------------------


def test_nothing_stays_beside_the_baseline(path: Path) -> None:
    add(path)
    assert names(path.parent) == ["Ascend310P3.json"]


def test_what_a_killed_writer_left_is_deleted_by_the_next(path: Path) -> None:
    add(path)
    (path.parent / ".Ascend310P3.json.1.part").write_text('{"format": 1, "ca')
    (path.parent / ".Ascend910B3.json.2.part").write_text("")
    assert busy(add(path, session(2))) == [[1_710_000], [2]]
    assert names(path.parent) == ["Ascend310P3.json"]


def test_a_link_stays_a_link(tmp_path: Path, path: Path) -> None:
    real = tmp_path / "real" / "file.json"
    add(path, session(1))
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    add(path, session(2))
    assert path.is_symlink()
    assert busy(results.read_baseline(path, LIMITS)) == [[1], [2]]
    assert names(real.parent) == ["file.json"]


def test_who_reads_the_old_file_sees_it_whole(path: Path) -> None:
    add(path)
    before = path.read_bytes()
    with path.open("rb") as reader:
        add(path)
        assert reader.read() == before


def test_the_file_and_its_folder_are_on_disk_when_it_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, list[str]]] = []

    def fsync(number: int) -> None:
        is_folder = Path(f"/proc/self/fd/{number}").is_dir()
        synced.append((is_folder, names(path.parent)))

    monkeypatch.setattr(os, "fsync", fsync)
    add(path)
    part = f".Ascend310P3.json.{os.getpid()}.part"
    assert synced == [(False, [part]), (True, ["Ascend310P3.json"])]


def test_a_disk_that_cannot_sync_a_folder_has_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fsync(number: int) -> None:
        if Path(f"/proc/self/fd/{number}").is_dir():
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", fsync)
    assert busy(add(path)) == busy(results.read_baseline(path, LIMITS)) == [[1_710_000]]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 64 KiB, which only root can."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as err:
        pytest.skip(f"no small disk can be mounted here: {err}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full_leaves_the_old_baseline(small_disk: Path) -> None:
    path = results.baseline_path(small_disk, "resnet50", "Ascend310P3")
    add(path)
    large = replace(session(2), reason="x" * 100_000)
    assert refusal(add, path, large) == (
        f"{path}: the baseline was not written: No space left on device"
    )
    assert busy(results.read_baseline(path, LIMITS)) == [[1_710_000]]
    assert names(path.parent) == ["Ascend310P3.json"]
    assert busy(add(path, session(3))) == [[1_710_000], [3]]
