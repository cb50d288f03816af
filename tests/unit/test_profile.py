from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from profile_tables import Op, api_statistic, csv, msprof, op_summary, step_trace, torch

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile import Profile, open_profile, reader
from pytest_npuperf.profile.reader import read_table
from pytest_npuperf.profile.tables import Table


def test_a_table_is_an_attribute_with_its_lanes_and_all_its_columns(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=op_summary(Op("One"), Op("Two", start=5, device="3")))
    profile = open_profile(tmp_path)
    frame = profile.op_summary
    assert frame["lane"].tolist() == ["0/0", "0/3"]
    assert {"op_type", "aic_mac_ratio", "block_num", "context_id"} <= set(frame)
    pd.testing.assert_frame_equal(profile.table("op_summary"), frame)


def test_a_table_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=op_summary(Op()))
    profile = open_profile(tmp_path)
    with pytest.raises(ProfileError) as caught:
        _ = profile.step_trace
    assert str(caught.value) == f"{tmp_path}: no table step_trace; there is op_summary"
    with pytest.raises(AttributeError, match=r"^a profile has no table kernels; it may have op_su"):
        _ = profile.kernels
    assert not hasattr(profile, "__wrapped__")
    assert profile.lane_rows(profile.lanes[0], "step_trace") is None


def test_a_column_called_lane_gives_way(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=csv("Device_id,Op Name,Lane", ["0", "a", "x"]))
    assert open_profile(tmp_path).op_summary["lane"].tolist() == ["0"]


def test_what_was_read_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    msprof(tmp_path, op_summary=op_summary(Op(), Op(start=5)))
    reads: list[set[str]] = []

    def counted(path: Path, table: Table, wanted: set[str]) -> pd.DataFrame:
        reads.append(wanted)
        return read_table(path, table, wanted)

    monkeypatch.setattr(reader, "read_table", counted)
    profile = open_profile(tmp_path)
    for _ in range(2):
        profile.lane_rows(profile.lanes[0], "op_summary")
        profile.lane_rows(profile.lanes[0], "op_summary", ["op_name", "no_such"])
    assert reads == [
        {"device_id", "op_type", "task_type", "task_start_ns", "task_duration_us"},
        {"device_id", "op_name"},
    ]


def test_a_column_must_stand_in_every_file(tmp_path: Path) -> None:
    (tmp_path / "op_summary_0_1_1.csv").write_text("Op Name,OP Type\na,b\n", encoding="utf-8")
    (tmp_path / "op_summary_0_1_2.csv").write_text("Op Name\na\n", encoding="utf-8")
    profile = open_profile(tmp_path)
    assert profile.columns(0, "op_summary") == {"op_name"}
    assert "op_type" not in profile.op_summary


# --- devices ----------------------------------------------------------------------------------


def open_tables(tmp_path: Path, **tables: str) -> Profile:
    msprof(tmp_path, **tables)
    return open_profile(tmp_path)


def test_devices_are_sorted_as_numbers(tmp_path: Path) -> None:
    ops = [Op(start=i, device=device) for i, device in enumerate(("10", "2", "2"))]
    profile = open_tables(tmp_path, op_summary=op_summary(*ops))
    assert [(lane.key, lane.device) for lane in profile.lanes] == [("0/2", "2"), ("0/10", "10")]
    rows = profile.lane_rows(profile.lanes[1], "op_summary")
    assert rows is not None
    assert rows.index.tolist() == [0]


def test_a_profile_of_host_tables_has_one_lane(tmp_path: Path) -> None:
    row = ("host", "acl", "aclmdlExecute", "3", "1", "3", "3", "3")
    profile = open_tables(tmp_path, api_statistic=api_statistic(row))
    assert [lane.device for lane in profile.lanes] == ["0"]


def test_rows_of_the_host_belong_to_every_device(tmp_path: Path) -> None:
    fusion = csv("Device_id,Fusion Op", ["host", "a"], ["0", "b"], ["1", "c"])
    ops = op_summary(Op(), Op(start=5, device="1"))
    profile = open_tables(tmp_path, op_summary=ops, fusion_op=fusion)
    for lane, names in zip(profile.lanes, (["a", "b"], ["a", "c"]), strict=True):
        rows = profile.lane_rows(lane, "fusion_op")
        assert rows is not None
        assert rows["fusion_op"].tolist() == names


@pytest.mark.parametrize("cell", ["N/A", "", "4294967295"])
def test_a_row_without_a_device_among_others_is_refused(tmp_path: Path, cell: str) -> None:
    profile = open_tables(tmp_path, op_summary=op_summary(Op(), Op(start=5, device=cell)))
    with pytest.raises(ProfileError, match=r":3: the row has no device_id; other rows have one$"):
        _ = profile.lanes


def test_a_device_that_only_another_table_knows_is_a_contradiction(tmp_path: Path) -> None:
    steps = step_trace((0, 1, 1, 1000, 1000), (1, 1, 1, 1000, 1000))
    profile = open_tables(tmp_path, op_summary=op_summary(Op()), step_trace=steps)
    with pytest.raises(ProfileError) as caught:
        _ = profile.lanes
    message = str(caught.value)
    assert message[message.index("op_summary_") :] == (
        "op_summary_20260101000000.csv: no row of device 1, which step_trace_20260101000000.csv "
        "has; one of the two was cut or edited, record again"
    )


def test_a_table_without_devices_cannot_be_told_apart_where_another_has_several(
    tmp_path: Path,
) -> None:
    steps = step_trace((3, 1, 1, 1000, 1000), (4, 1, 1, 1000, 1000))
    torch(tmp_path, kernel_details=op_summary(Op(), form="torch2024"), step_trace=steps)
    with pytest.raises(ProfileError, match=r"no row of device 3, which step_trace\.csv has"):
        _ = open_profile(tmp_path).lanes


def test_a_table_without_devices_is_of_the_one_that_another_has(tmp_path: Path) -> None:
    steps = step_trace((3, 1, 1, 1000, 1000))
    torch(tmp_path, kernel_details=op_summary(Op(), form="torch2024"), step_trace=steps)
    profile = open_profile(tmp_path)
    assert [lane.key for lane in profile.lanes] == ["0"]
    assert profile.steps(profile.lanes[0]).count == 1


# --- scope ------------------------------------------------------------------------------------


def test_the_scope_is_the_run_unless_a_file_holds_one_step(tmp_path: Path) -> None:
    assert open_tables(tmp_path / "run", op_summary=op_summary(Op())).scope == "run"
    single = tmp_path / "device_0" / "summary"
    single.mkdir(parents=True)
    (single / "op_summary_0_1_1.csv").write_text(op_summary(Op(), form="2022"), encoding="utf-8")
    profile = open_profile(tmp_path / "device_0")
    assert profile.scope == "step"
    assert profile.steps(profile.lanes[0], StepOptions(steps=9)).count == 1
