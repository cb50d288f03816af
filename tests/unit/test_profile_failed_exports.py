"""A failed export is the error of what needs its table, and is always told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from profile_tables import Op, msprof, op_statistic, op_summary, step_trace, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import LaneMeasurement, Selector, Value, Wanted
from pytest_npuperf.profile import open_profile

FAILED = json.dumps({"status": 1, "info": "Parse\x1b failed!"})
SAID = 'the export failed: "Parse\\x1b failed!"; export the profile again'
STATISTIC, SUMMARY = "op_time_statistic_0.json", "op_summary_0_1.json"
TIME, STEP, APIS = (
    *(Wanted("kernel_time"), Wanted("step_time", "max")),
    Wanted("apis", "count", Selector(name=("a",))),
)


def lanes(path: Path, *wanted: Wanted) -> tuple[Mapping[str, LaneMeasurement], tuple[str, ...]]:
    found = measure(open_profile(path), wanted)
    return found.lanes, found.notes


def test_only_what_needs_the_table_is_not_measured(tmp_path: Path) -> None:
    steps = step_trace((0, 1, 1, 5000, 4000))
    write(tmp_path, {STATISTIC: FAILED, "step_trace_0.csv": steps})
    found, notes = lanes(tmp_path, TIME, STEP, APIS)
    assert list(found) == ["0"]
    assert found["0"].values[TIME] == Value(
        None, reason=f"the profile has neither op_summary nor op_statistic; {STATISTIC}: {SAID}"
    )
    assert found["0"].values[STEP].value == 4000
    assert found["0"].values[APIS].reason == (
        "the profile has neither api_statistic nor acl_statistic"
    )
    assert notes == (f"{STATISTIC}: {SAID}",)


def test_another_table_stands_in_and_the_failure_is_told(tmp_path: Path) -> None:
    home = tmp_path / "PROF_1/device_0/summary"
    write(home, {SUMMARY: FAILED, "op_statistic_0_1.csv": op_statistic(Op(), device=False)})
    found, notes = lanes(tmp_path, TIME)
    assert found["0"].values[TIME].value == 1000
    assert notes == (f"{SUMMARY}: {SAID}",)


def test_a_failed_table_is_not_compared_with(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op()))
    write(path / "mindstudio_profiler_output", {"op_statistic_20260101000000.json": FAILED})
    found, notes = lanes(tmp_path, TIME)
    assert found["0"].values[TIME].value == 1000
    assert notes == (
        f"op_statistic_20260101000000.json: {SAID}",
        "nothing to check op_summary against: neither op_statistic nor task_time is there",
    )


def test_a_newer_export_makes_up_for_a_failed_one(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op()))
    write(path / "mindstudio_profiler_output", {"op_summary_20250101000000.json": FAILED})
    _, notes = lanes(tmp_path, TIME)
    assert notes == (
        "nothing to check op_summary against: neither op_statistic nor task_time is there",
    )


def test_the_devices_are_those_of_the_names_where_no_table_tells_them(tmp_path: Path) -> None:
    names = [f"device_{n}/summary/op_statistic_{n}_1.json" for n in (1, 0)]
    write(
        tmp_path / "PROF_1",
        {**dict.fromkeys(names, FAILED), "device_0/summary/acl_0.csv": "a\n1\n"},
    )
    profile = open_profile(tmp_path)
    assert [lane.key for lane in profile.lanes] == ["0/0", "0/1"]


def test_a_device_that_only_the_failed_table_knows_is_missed(tmp_path: Path) -> None:
    home = tmp_path / "PROF_1"
    files = {
        "device_0/summary/op_summary_0_1.json": FAILED,
        "device_1/summary/step_trace_1.csv": step_trace((1, 1, 1, 5000, 4000)),
    }
    write(home, files)
    with pytest.raises(ProfileError) as caught:
        lanes(tmp_path, STEP)
    assert str(caught.value) == f"{home / next(iter(files))}: {SAID}"


def test_a_part_of_a_table_is_none(tmp_path: Path) -> None:
    home = tmp_path / "PROF_1"
    ops = op_summary(Op(), form="2022")
    files = {
        "device_0/summary/op_summary_0_1.json": FAILED,
        "device_1/summary/op_summary_1_1.csv": ops,
        "device_0/summary/step_trace_0.csv": step_trace((0, 1, 1, 5000, 4000)),
        "device_1/summary/step_trace_1.csv": step_trace((1, 1, 1, 5000, 4000)),
    }
    found, notes = lanes(write(home, files), TIME, STEP)
    reason = f"the profile has neither op_summary nor op_statistic; op_summary_0_1.json: {SAID}"
    assert [lane.values[TIME].reason for lane in found.values()] == [reason, reason]
    assert [lane.values[STEP].value for lane in found.values()] == [4000, 4000]
    assert notes == (f"op_summary_0_1.json: {SAID}",)


def test_a_table_that_failed_on_one_rank_is_not_given_for_the_others(tmp_path: Path) -> None:
    details = {"kernel_details.csv": op_summary(Op(), form="torch2024")}
    for rank, table in enumerate((details, {"kernel_details.json": FAILED})):
        statistic = {"op_statistic.csv": op_statistic(Op(), device=False)}
        write(tmp_path / f"rank{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT", table | statistic)
    profile = open_profile(tmp_path)
    assert profile.op_statistic["lane"].tolist() == ["0/0", "1/0"]
    with pytest.raises(ProfileError) as caught:
        _ = profile.op_summary
    failed = tmp_path / "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.json"
    assert str(caught.value) == f"{failed}: {SAID}"


@pytest.mark.parametrize("name", ["msprof_0.json", "prof_rule_0.json", "step_trace_0.json"])
def test_any_file_can_hold_a_failure(tmp_path: Path, name: str) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op()))
    write(path / "mindstudio_profiler_output", {name: FAILED})
    found, notes = lanes(tmp_path, TIME)
    assert found["0"].values[TIME].value == 1000
    assert notes[0] == f"{name}: {SAID}"


@pytest.mark.parametrize("home", ["", "PROF_1/mindstudio_profiler_output/", "a_ascend_pt/"])
def test_nothing_but_failures_is_an_error(tmp_path: Path, home: str) -> None:
    write(tmp_path, {f"{home}op_statistic_0.json": FAILED})
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == f"{tmp_path / home}/op_statistic_0.json: {SAID}"


def test_a_single_file_that_failed(tmp_path: Path) -> None:
    path = write(tmp_path, {STATISTIC: FAILED}) / STATISTIC
    with pytest.raises(ProfileError) as caught:
        open_profile(path)
    assert str(caught.value) == f"{path}: {SAID}"


def test_what_is_too_long_for_a_reason_fails_where_it_is_read(tmp_path: Path) -> None:
    failed = json.dumps({"status": 1, "info": "no data", "data": " " * 2**16})
    path = write(
        tmp_path, {STATISTIC: failed, "step_trace_0.csv": step_trace((0, 1, 1, 5000, 4000))}
    )
    profile = open_profile(path)
    with pytest.raises(ProfileError) as caught:
        _ = profile.op_statistic
    assert str(caught.value) == (
        f'{path / STATISTIC}: the export failed: "no data"; export the profile again'
    )
