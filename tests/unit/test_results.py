from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_npuperf import __version__, results
from pytest_npuperf.catalogue import METRICS
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import judge, worst
from pytest_npuperf.model import (
    JSON,
    Case,
    CaseResult,
    Cause,
    CauseKind,
    Comparison,
    InForce,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    OpRow,
    OtherSide,
    Regression,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

DOCS = Path(__file__).parents[2] / "docs" / "results.md"
COMMIT = "1f0c3a5d8e7b6a4c2d1e0f9a8b7c6d5e4f3a2b1c"
STARTED = datetime(2026, 1, 31, 12, 0, tzinfo=timezone.utc)

BUSY = Limit(
    Wanted("busy_time"),
    Dimension.TIME,
    at_most=Fraction(1_700_000),
    where="pyproject.toml:12",
    why="the service promises 2 ms",
)
STEPS = Limit(
    Wanted("step_time", "p50"),
    Dimension.TIME,
    at_most=Fraction(1_710_000),
    on_fail="warn",
    where="pyproject.toml:13",
)
CONV = Limit(
    Wanted("ops", "count", Selector(type=("Conv2D",), not_name=("*_bn",))),
    Dimension.COUNT,
    equal=Fraction(53),
    where="pyproject.toml:17",
)
IDLE = Limit(Wanted("idle_share"), Dimension.SHARE, at_most=Fraction(1, 3))
MAC = Limit(
    Wanted("ops", None, Selector(type=("Conv2D",)), "aic_mac_ratio"),
    Dimension.NUMBER,
    at_least=Fraction(85, 100),
    max_regression=Regression(Fraction(2, 100), in_points=True),
    better="higher",
)
KERNELS = Limit(
    Wanted("kernel_time"),
    Dimension.TIME,
    max_regression=Regression(Fraction(5, 100)),
    where="pyproject.toml:14",
)


def measured(values: dict[Limit, Value], **more: Any) -> Measurement:
    found = {limit.wanted: value for limit, value in values.items()}
    return Measurement({"0": LaneMeasurement(found, **more)})


def result(name: str, rounds: tuple[Measurement, ...], *limits: Limit) -> CaseResult:
    fingerprint = {"soc": "Ascend310P3", "cann": "8.0.0"}
    judged = judge(Case(name, limits=limits), rounds, fingerprint)
    verdict = worst(judged)
    return CaseResult(
        case=name,
        test=f"tests/test_speed.py::test_{name}",
        verdict=verdict,
        mode="replay",
        profiles=(f"recordings/{name}",),
        recorded="2026-01-30",
        fingerprint=fingerprint,
        rounds=rounds,
        limits=judged,
        blocks=verdict is Verdict.FAILED,
    )


def compared(case: CaseResult, change: Comparison, reason: str, **more: Any) -> CaseResult:
    """Return a case whose last limit was compared, and found worse."""
    *others, last = case.limits
    last = replace(
        last, verdict=Verdict.FAILED, reason=reason, remark=change.source, comparison=change
    )
    return replace(case, limits=(*others, last), **more)


SMALL = compared(
    result(
        "resnet50",
        (
            measured(
                {
                    BUSY: Value(Fraction(1_710_000), 120),
                    STEPS: Value(Fraction(1_705_000), 2, data=(1_700_000, 1_710_000)),
                    KERNELS: Value(Fraction(1_620_000), 120),
                },
                ops=(
                    OpRow("Conv2D", "AI_CORE", 53, 900_100),
                    OpRow("Add", "AI_VECTOR_CORE", 67, 719_900),
                ),
                longest=(LongOp("conv1/Conv2D", "Conv2D", "AI_CORE", 61_000),),
            ),
        ),
        BUSY,
        STEPS,
        KERNELS,
    ),
    Comparison(
        *(Fraction(1_500_000), Fraction(8, 100), None, None, False, "baseline"),
        InForce(Fraction(65, 1000), "with 1 session of 5 needed", decides=False),
    ),
    "kernel_time 1.62 ms, +8.0 % from 1.50 ms (baseline), 5.0 % allowed, "
    "6.5 % in force with 1 session of 5 needed",
    causes={
        "0": (
            Cause(
                CauseKind.MOVED,
                "Conv2D",
                "AI_CPU",
                "1,3,224,224;64,3,7,7",
                "FLOAT16;FLOAT16",
                before_count=1,
                count=1,
                before_total=10_000,
                total=130_000,
                from_core="AI_CORE",
            ),
        )
    },
)
"""The case of the documentation."""

FULL = compared(
    result(
        "卷积",
        (
            measured(
                {
                    BUSY: Value(Fraction(10, 3), 3),
                    STEPS: Value(Fraction(5), 2, data=(4, 6)),
                    CONV: Value(Fraction(53)),
                    IDLE: Value(Fraction(1, 3)),
                    MAC: Value(Fraction(9, 10), 53, Fraction(96, 100)),
                },
                ops=(
                    OpRow("Conv2D", "AI_CORE", 53, 9, "1,3;64", "FLOAT16"),
                    OpRow("\x1b\ud800", "", 1, 0),
                ),
            ),
            measured(
                {
                    BUSY: Value(Fraction(4)),
                    STEPS: Value(Fraction(5), 1, data=(5,)),
                    CONV: Value(None, reason="no type is given"),
                    IDLE: Value(Fraction(0)),
                    MAC: Value(Fraction(8, 10)),
                },
            ),
        ),
        BUSY,
        STEPS,
        CONV,
        IDLE,
        MAC,
    ),
    Comparison(Fraction(9, 10), Fraction(-1, 30), Fraction(-2, 25), Fraction(0), True, "./old"),
    "ops type=Conv2D aic_mac_ratio 0.85",
    against=OtherSide(
        "./old",
        ("rounds/1",),
        {"soc": "Ascend910B3"},
        (measured({STEPS: Value(Fraction(7), 1, data=(7,)), MAC: Value(Fraction(1, 2))}),),
    ),
)
ERROR = CaseResult(
    "bert", "tests/test_speed.py::test_bert", Verdict.ERROR, "", "a\n    b", notes=("one", "two")
)
CASES = [SMALL, FULL, ERROR]


def through_json(case: CaseResult) -> CaseResult:
    text = json.dumps(results.case_as_json(case), allow_nan=False)
    return results.case_from_json(json.loads(text))


def document(*cases: CaseResult) -> JSON:
    not_checked = [("yolov8", "no test uses this budget")]
    return results.document(cases, STARTED, 1, not_checked, COMMIT)


# --- to JSON and back -------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.case)
def test_a_case_means_the_same_after_a_round_trip(case: CaseResult) -> None:
    plain = results.case_as_json(case)
    back = through_json(case)
    assert results.case_as_json(back) == plain
    # What is judged is kept but for binary fractions; the small case has none.
    for field in ("case", "test", "verdict", "mode", "reason", "profiles", "recorded"):
        assert getattr(back, field) == getattr(case, field)
    for field in ("fingerprint", "notes", "blocks", "causes"):
        assert getattr(back, field) == getattr(case, field)
    assert [each.reason for each in back.limits] == [each.reason for each in case.limits]
    assert [each.limit.wanted for each in back.limits] == [e.limit.wanted for e in case.limits]


def test_what_reports_need_of_a_case_is_kept() -> None:
    back = through_json(SMALL)
    assert back.limits == SMALL.limits
    lane, original = back.rounds[0].lanes["0"], SMALL.rounds[0].lanes["0"]
    assert lane.ops == original.ops
    longest = (LongOp("conv1/Conv2D", "Conv2D", "AI_CORE", 61_000),)
    assert lane.longest == original.longest == longest
    assert lane.values[STEPS.wanted] == original.values[STEPS.wanted]
    assert lane.values[BUSY.wanted].value == original.values[BUSY.wanted].value


def test_the_other_side_is_kept() -> None:
    assert through_json(FULL).against == FULL.against
    assert through_json(SMALL).against is None


def test_a_change_from_zero_is_no_number() -> None:
    from_zero = Comparison(Fraction(0), None, None, None, False, "baseline of 1 session")
    back = through_json(compared(SMALL, from_zero, "1 after 0"))
    assert back.limits[-1].comparison == from_zero
    jsonschema.validate(document(back), results.schema(), jsonschema.Draft202012Validator)


def test_whole_numbers_are_integers_and_others_are_not() -> None:
    plain = results.case_as_json(FULL)
    numbers = [(limit["value"], limit["at_most"], limit["coverage"]) for limit in plain["limits"]]
    assert repr(numbers) == (
        "[(3.6666666666666665, 1700000, 1), (5, 1710000, 1), (None, None, 0), "
        "(0.16666666666666666, 0.3333333333333333, 1), (0.85, None, 0.96)]"
    )
    assert repr(plain["rounds"][1]["0"]) == (
        "{'busy_time': 4, 'step_time': [5], "
        "'ops type=Conv2D not_name=*_bn count': None, "
        "'idle_share': 0, 'ops type=Conv2D aic_mac_ratio': 0.8, 'ops': []}"
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (10**19 - 1, "9999999999999999999"),
        (10**19, "1e+19"),
        (-(10**19) + 1, "-9999999999999999999"),
        (-(10**20), "-1e+20"),
    ],
)
def test_a_number_of_the_tests_own_may_be_large(tmp_path: Path, number: int, text: str) -> None:
    own = Limit(Wanted("custom.flops"), Dimension.NUMBER, at_least=Fraction(1), better="higher")
    case = result("m", (measured({own: Value(Fraction(number))}),), own)
    path = tmp_path / "result.json"
    results.write(path, document(case))
    assert f'"custom.flops": {text},' in path.read_text()
    (found,) = results.read(path)["cases"]
    lane = results.case_from_json(found).rounds[0].lanes["0"]
    assert lane.values[own.wanted].value == number


def test_the_longest_ops_are_left_out_where_they_were_not_looked_for() -> None:
    plain = results.case_as_json(FULL)
    assert "longest" not in plain["rounds"][0]["0"]
    assert through_json(FULL).rounds[0].lanes["0"].longest == ()


def test_a_document_says_when_it_was_started_in_utc() -> None:
    cest = timezone(timedelta(hours=2))
    found = results.document([], datetime(2026, 1, 31, 1, 30, tzinfo=cest), 5)
    assert found == {
        "format": 1,
        "version": __version__,
        "started": "2026-01-30T23:30:00Z",
        "commit": "",
        "exit": 5,
        "cases": [],
        "not_checked": [],
    }


# --- the schema -------------------------------------------------------------------------------


def test_the_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(results.schema())


def test_what_is_written_fits_the_schema() -> None:
    found = json.loads(json.dumps(document(*CASES)))
    jsonschema.validate(found, results.schema(), jsonschema.Draft202012Validator)


def _objects(schema: JSON) -> Iterator[JSON]:
    """Yield every part of a schema that describes an object with named keys."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema
        for each in schema.values():
            yield from _objects(each)


def _written() -> list[JSON]:
    """Return one of each object of which the schema knows every key."""
    case, full = results.case_as_json(SMALL), results.case_as_json(FULL)
    lane, limit = case["rounds"][0]["0"], case["limits"][-1]
    found = document(SMALL)
    baseline = {"format": 1, "case": "resnet50", "soc": "Ascend310P3", "sessions": [{}]}
    session = {"date": "", "commit": "", "reason": "", "version": ""}
    return [
        found,
        found["not_checked"][0],
        case,
        full["against"],
        case["causes"]["0"][0],
        limit,
        limit["max_regression"],
        limit["comparison"],
        limit["comparison"]["in_force"],
        lane["ops"][0],
        lane["longest"][0],
        baseline,
        {**session, "fingerprint": {}, "rounds": []},
    ]


def test_everything_that_is_written_is_required_and_nothing_else() -> None:
    closed = [each for each in _objects(results.schema()) if "required" in each]
    closed.remove(results.schema()["$defs"]["lane"])
    assert all(each["additionalProperties"] is False for each in closed)
    assert all(list(each["properties"]) == each["required"] for each in closed)
    assert sorted(list(each) for each in _written()) == sorted(each["required"] for each in closed)


def test_the_lists_of_a_lane_are_the_distributions_of_the_catalogue_and_the_ops() -> None:
    lists = list(results.schema()["$defs"]["lane"]["properties"])
    distributions = [metric.name for metric in METRICS.values() if metric.distribution]
    assert lists == [*distributions, "ops", "longest"]
    (pattern, _) = results.schema()["$defs"]["accepted_lane"]["patternProperties"]
    assert pattern == f"^({'|'.join(lists)})$"


def test_every_key_of_the_schema_is_described() -> None:
    described = [each["properties"].values() for each in _objects(results.schema())]
    assert all(one["description"] for keys in described for one in keys)


def test_the_words_of_the_schema_are_those_of_the_program() -> None:
    definitions = results.schema()["$defs"]
    assert definitions["verdict"]["enum"] == [str(verdict) for verdict in Verdict]
    assert definitions["cause"]["properties"]["kind"]["enum"] == [str(kind) for kind in CauseKind]
    case = results.schema()["properties"]["cases"]["items"]["properties"]
    limit = case["limits"]["items"]
    units = [dimension.value for dimension in Dimension]
    assert limit["properties"]["unit"]["examples"] == units
    assert limit["else"]["properties"]["unit"]["enum"] == units
    comment = limit["else"]["properties"]["unit"]["$comment"]
    assert comment.endswith(f"is not a unit: {', '.join(units[:-1])} or {units[-1]}")


def test_the_documentation_shows_what_is_written() -> None:
    text = DOCS.read_text(encoding="utf-8")
    shown = json.loads(text.partition("```json\n")[2].partition("```")[0])
    assert shown == json.loads(json.dumps(document(SMALL)))
    jsonschema.validate(shown, results.schema(), jsonschema.Draft202012Validator)


def test_the_documentation_names_every_key() -> None:
    text = DOCS.read_text(encoding="utf-8")
    keys = {key for each in _objects(results.schema()) for key in each["properties"]}
    select = results.schema()["properties"]["cases"]["items"]["properties"]["limits"]["items"]
    keys -= set(select["properties"]["select"]["properties"])
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


# --- files ------------------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def refusal(act: Callable[..., object], *args: object) -> str:
    with pytest.raises(NpuperfError) as caught:
        act(*args)
    return str(caught.value)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "result.json"
    results.write(path, document(*CASES))
    assert results.read(path) == json.loads(json.dumps(document(*CASES)))
    assert path.read_text(encoding="ascii").endswith("}\n")
    assert names(path.parent) == ["result.json"]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    results.write(path, document())
    assert results.read(path)["cases"] == []


def test_who_reads_the_old_file_sees_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    with path.open() as reader:
        results.write(path, document())
        assert reader.read() == "old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, real = tmp_path / "link.json", tmp_path / "real" / "result.json"
    path.symlink_to(real)
    results.write(path, document())
    assert path.is_symlink()
    assert results.read(real)["cases"] == []


def test_what_is_not_json_is_a_fault_of_ours_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    with pytest.raises(ValueError, match="not JSON compliant"):
        results.write(path, {"value": float("nan")})
    assert path.read_text() == "old"
    assert names(tmp_path) == ["result.json"]


@pytest.mark.parametrize("name", ["file/result.json", "file/below/result.json"])
def test_a_file_in_the_place_of_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("here")
    path = tmp_path / name
    said = refusal(results.write, path, document())
    assert said == f"{path}: the results were not written: Not a directory"
    assert (tmp_path / "file").read_text() == "here"


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    said = refusal(results.write, tmp_path, document())
    assert said == f"{tmp_path}: the results were not written: Is a directory"
    assert names(tmp_path) == []
    assert refusal(results.read, tmp_path) == f"{tmp_path}: cannot be read: Is a directory"


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    said = refusal(results.write, path, document())
    assert said == f"{path}: the results were not written: No space left on device"
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["result.json"]


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


def test_a_disk_that_is_really_full_leaves_the_old_file(small_disk: Path) -> None:
    path = small_disk / "result.json"
    results.write(path, document())
    large = replace(SMALL, notes=("x" * 100_000,))
    said = refusal(results.write, path, document(large))
    assert said == f"{path}: the results were not written: No space left on device"
    assert results.read(path)["cases"] == []
    assert names(small_disk) == ["result.json"]


def test_control_characters_in_a_path_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31m.json"
    said = refusal(results.read, path)
    assert said == f"{tmp_path}/\\x1b[31m.json: cannot be read: No such file or directory"


def newer() -> JSON:
    return {**document(), "format": 2, "cases": "of another kind"}


NO_NUMBER = 'is not a result of pytest-npuperf; it has no "format" number'
AGAIN = "run pytest again for a whole one"
BAD_FILES = [
    ("", f"is not JSON: Expecting value: line 1 column 1 (char 0); {AGAIN}"),
    (
        "{",
        "is not JSON: Expecting property name enclosed in double quotes: "
        f"line 1 column 2 (char 1); {AGAIN}",
    ),
    ('{"format": NaN}', f"is not JSON: NaN is not a finite number; {AGAIN}"),
    ('{"format": 1e999}', f"is not JSON: 1e999 is not a finite number; {AGAIN}"),
    ("[]", NO_NUMBER),
    ("{}", NO_NUMBER),
    ('{"format": "1"}', NO_NUMBER),
    ('{"format": 1}', "$: 'version' is a required property"),
    (json.dumps({**document(), "format": 0}), "$.format: 1 was expected"),
    (json.dumps({**document(), "format": True}), "$.format: 1 was expected"),
    *(
        (
            json.dumps({**document(), "started": started}),
            f'$.started: {json.dumps(started)} is not a time such as "2026-01-31T12:00:00Z"',
        )
        for started in ("2099-13-01T00:00:00Z", "2026-01-31T24:00:00Z", "2099-13-01", 5)
    ),
    (
        json.dumps(newer()),
        f"has format 2, and pytest-npuperf {__version__} knows formats up to 1; "
        "upgrade pytest-npuperf to read it",
    ),
]


@pytest.mark.parametrize(("text", "said"), BAD_FILES)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "result.json"
    path.write_text(text, encoding="utf-8")
    assert refusal(results.read, path) == f"{path}: {said}"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(b'{"format": "\xff\xfe"}')
    assert refusal(results.read, path).startswith(f"{path}: is not JSON: 'utf-8' codec can't")


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("[" * 100_000)
    assert refusal(results.read, path).startswith(f"{path}: is not JSON: ")


def test_a_wrong_value_is_told_with_its_place_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    wrong = document(replace(SMALL, mode="\x1b[31m\n" + "long" * 200))
    path.write_text(json.dumps(wrong))
    said = refusal(results.read, path)
    assert said.startswith(f"{path}: $.cases[0].mode: '\\x1b[31m\\nlonglong")
    assert len(said) == len(f"{path}: ") + 300
    assert said.isprintable()
