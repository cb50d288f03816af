"""What a profile holds of one device, iteration or rank, and not of another beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from profile_tables import Op, msprof, op_statistic, op_summary, step_trace, torch, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile

PROF = "PROF_1"
ALL_ALIKE = "export the same iterations of every device and table"
OPS = op_summary(Op(), form="2022")
EVENTS = '[{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "CANN"}}]'


def ops(device: int, *iterations: str) -> dict[str, str]:
    """Return an op_summary for each of a device's iterations, as their ids in its name."""
    return {f"{PROF}/device_{device}/summary/op_summary_{device}_{i}.csv": OPS for i in iterations}


def lanes(folder: Path) -> list[str]:
    return [lane.key for lane in open_profile(folder).lanes]


def fault(folder: Path) -> str:
    """Return the message, without the folder of the test."""
    with pytest.raises(ProfileError) as caught:
        lanes(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


# --- devices ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("", None),
        ("data", "x.slice_0"),
        ("summary", None),
        ("timeline", None),
        ("summary", "notes.csv"),
        ("", "op_summary_1_2_1.csv"),
    ],
)
@pytest.mark.parametrize("process", [PROF, "renamed"])
def test_a_device_that_was_not_exported_as_another_was(
    tmp_path: Path, process: str, folder: str, file: str | None
) -> None:
    write(tmp_path, ops(0, "2_1"))
    write(tmp_path / PROF / "device_1" / folder, {file: OPS} if file else {})
    (tmp_path / PROF).rename(tmp_path / process)
    assert fault(tmp_path) == (
        f"{process}/device_1: a device without tables, and device_0 beside it has some; export "
        f"it with `msprof --export=on --output={process}`, or remove the folder if nothing ran "
        "there"
    )


def test_a_device_whose_export_failed_is_none_that_was_not_exported(tmp_path: Path) -> None:
    failed = f"{PROF}/device_1/summary/op_summary_1_2_1.json"
    write(tmp_path, {**ops(0, "2_1"), failed: '{"status": 1}'})
    assert fault(tmp_path).startswith(f"{failed}: the export failed")


def test_raw_data_lies_beside_what_was_exported_of_all_devices(tmp_path: Path) -> None:
    raw = {f"device_{n}/data/x.slice_0": "" for n in (0, 1)}
    write(msprof(tmp_path, op_summary=op_summary(Op())), raw)
    assert lanes(tmp_path) == ["0"]


def test_one_device_may_be_named_whatever_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, {**ops(0, "2_1"), f"{PROF}/device_1/data/x.slice_0": ""})
    assert lanes(tmp_path / PROF / "device_0") == ["0"]


def test_where_only_the_host_was_exported_its_tables_are_read(tmp_path: Path) -> None:
    files = {f"{PROF}/device_{n}/data/x.slice_0": "" for n in (0, 1)}
    write(tmp_path, {f"{PROF}/host/summary/acl_statistic.csv": "Name\na\n", **files})
    assert open_profile(tmp_path).tables == ("acl_statistic",)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("summary/task_time_1_2_1.csv", "kernel_name,task_time(us)\na,1\n"),
        ("summary/fusion_op_1_2_1.csv", "Fusion Op\na\n"),
        ("timeline/msprof_1_2_1.json", EVENTS),
    ],
)
def test_a_device_that_only_the_name_of_another_table_knows(
    tmp_path: Path, name: str, text: str
) -> None:
    write(tmp_path, {**ops(0, "2_1"), f"{PROF}/device_1/{name}": text})
    assert fault(tmp_path) == (
        f"{PROF}/device_0/summary/op_summary_0_2_1.csv: no row of device 1, which "
        f"{Path(name).name} has; one of the two was cut or edited, record again"
    )


def test_a_name_is_not_believed_where_the_op_table_says_no_device(tmp_path: Path) -> None:
    write(tmp_path, {"op_summary.csv": OPS, "fusion_op_1_2_1.csv": "Fusion Op\na\n"})
    assert lanes(tmp_path) == ["0"]


def test_rows_are_believed_more_than_the_name_of_their_file(tmp_path: Path) -> None:
    write(tmp_path, {"op_summary_7.csv": op_summary(Op(device="3"))})
    assert [lane.device for lane in open_profile(tmp_path).lanes] == ["3"]


# --- processes --------------------------------------------------------------------------------


@pytest.mark.parametrize("left", ["device_0/data/x.slice_0", "mindstudio_profiler_output/x.txt"])
def test_a_process_without_its_export(tmp_path: Path, left: str) -> None:
    msprof(tmp_path, op_summary=op_summary(Op()))
    write(tmp_path, {f"PROF_2/{left}": ""})
    assert fault(tmp_path).startswith("PROF_2: a profile without tables; export it with `msprof")


# --- iterations -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (["2_1", "2_2", "2_3"], ["2_1", "2_3"], (0, "2_2", "iteration 2 of model 2", 1)),
        (["2_1", "2_3"], ["2_1", "2_2", "2_3"], (1, "2_2", "iteration 2 of model 2", 0)),
        (["2_1", "2_2"], ["2_1"], (0, "2_2", "iteration 2 of model 2", 1)),
        (["2_2"], ["2_1"], (0, "2_2", "iteration 2 of model 2", 1)),
        (["2_1", "3_1"], ["2_1"], (0, "3_1", "iteration 1 of model 3", 1)),
        (["2_1_4"], ["2_1", "2_2_3"], (0, "2_1_4", "iteration 4 of model 2", 1)),
        (["2_1_9999999999"], ["2_1_2", "2_4"], (0, "2_1_9999999999", "iteration 3 of model 2", 1)),
        # Single operators have no model.
        (["1", "2"], ["1"], (0, "2", "iteration 2", 1)),
        (["0"], ["1"], (0, "0", "iteration 0", 1)),
    ],
)
def test_an_iteration_that_another_device_has(
    tmp_path: Path, first: list[str], second: list[str], message: tuple[int, str, str, int]
) -> None:
    device, ids, iteration, other = message
    write(tmp_path, {**ops(0, *first), **ops(1, *second)})
    assert fault(tmp_path) == (
        f"{PROF}/device_{device}/summary/op_summary_{device}_{ids}.csv: {iteration}, of which "
        f"there is no op_summary of device {other}; {ALL_ALIKE}"
    )


def test_an_iteration_of_which_only_the_sums_are_there(tmp_path: Path) -> None:
    home = tmp_path / PROF / "device_0" / "summary"
    sums = op_statistic(Op(), device=False)
    write(tmp_path, ops(0, "2_1", "2_3"))
    write(home, {f"op_statistic_0_2_{i}.csv": sums for i in (1, 2, 3)})
    assert fault(home) == (
        f"op_statistic_0_2_2.csv: iteration 2 of model 2, of which there is no op_summary of "
        f"device 0; {ALL_ALIKE}"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["2_1", "2_3"], ["2_1", "2_3"]),
        (["2_1_3"], ["2_1", "2_2", "2_3"]),
        (["2_1_2", "2_3"], ["2_1", "2_2_3"]),
        (["1", "2"], ["2", "1"]),
        # Different graphs on different devices.
        (["2_1", "2_2"], ["3_1"]),
        # A name that says no iteration tells nothing.
        (["2_1", "2_2"], []),
        (["1", "2"], []),
    ],
)
def test_devices_with_the_same_iterations(
    tmp_path: Path, first: list[str], second: list[str]
) -> None:
    whole = {} if second else {f"{PROF}/device_1/summary/op_summary.csv": OPS}
    write(tmp_path, {**ops(0, *first), **ops(1, *second), **whole})
    assert lanes(tmp_path) == ["0/0", "0/1"]


def test_kinds_of_files_are_compared_each_with_its_own(tmp_path: Path) -> None:
    timelines = {f"{PROF}/device_{n}/timeline/msprof_{n}_2_2.json": EVENTS for n in (0, 1)}
    write(tmp_path, {**ops(0, "2_1"), **ops(1, "2_1"), **timelines})
    assert lanes(tmp_path) == ["0/0", "0/1"]
    (tmp_path / PROF / "device_1/timeline/msprof_1_2_2.json").rename(
        tmp_path / PROF / "device_1/timeline/msprof_1_2_1.json"
    )
    assert fault(tmp_path) == (
        f"{PROF}/device_0/timeline/msprof_0_2_2.json: iteration 2 of model 2, of which there is "
        f"no msprof of device 1; {ALL_ALIKE}"
    )


def test_a_table_of_the_whole_run_may_be_named_for_other_iterations(tmp_path: Path) -> None:
    traces = {
        f"{PROF}/device_{n}/summary/step_trace_{n}_2_{i}.csv": step_trace((n, 2, 1, 5000, 4000))
        for n, i in ((0, 1), (0, 2), (1, 2))
    }
    write(tmp_path, {**ops(0, "2_1"), **ops(1, "2_1"), **traces})
    assert lanes(tmp_path) == ["0/0", "0/1"]


# --- ranks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "empty"),
    [
        ("rank0", "rank1"),
        ("rank_0", "Rank_1"),
        ("job_rank-0_a", "job_rank-1_a"),
        ("rank 0", "rank 1"),
    ],
)
@pytest.mark.parametrize("holds", ["", "logs/x.log"])
def test_a_folder_called_like_that_of_a_rank_beside_it(
    tmp_path: Path, there: str, empty: str, holds: str
) -> None:
    torch(tmp_path / there, kernel_details=op_summary(Op()))
    write(tmp_path / empty, {holds: ""} if holds else {})
    assert fault(tmp_path) == (
        f"{empty}: a rank without tables; run analyse() of the framework's profiler, "
        "or remove the folder"
    )


@pytest.mark.parametrize("other", ["rank1_logs", "logs", "crank", "my_rank_0"])
def test_folders_that_are_called_otherwise_are_left_alone(tmp_path: Path, other: str) -> None:
    torch(tmp_path / "rank_0", kernel_details=op_summary(Op()))
    write(tmp_path / other, {"x.log": ""})
    assert lanes(tmp_path) == ["0"]


@pytest.mark.parametrize(
    ("name", "rank"), [("rank_10", "10"), ("Rank.07x", "7"), ("rank 3", "3"), ("rankings", None)]
)
def test_the_rank_in_the_name_of_a_folder(tmp_path: Path, name: str, rank: str | None) -> None:
    torch(tmp_path / name, kernel_details=op_summary(Op()))
    (unit,) = open_profile(tmp_path).units
    assert unit.rank == rank
