from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from profile_database import FIRST_NS, LEVELS, Kernel, Row, Text, call, collective, kernels, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database, open_profile
from pytest_npuperf.profile.tables import BY_NAME

OPS = BY_NAME["op_summary"]
CALLS = BY_NAME["api_statistic"]
STEPS = BY_NAME["step_trace_time"]
STEP: Row = {"step": "5", "computing": 1.5, "communication": 0, "stage": 2.25, "bubble": None}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "msprof_20260101000000.db"


def texts(column: pd.Series[Any]) -> list[Any]:
    """Return the cells of a column, None where one is absent."""
    return [None if pd.isna(cell) else cell for cell in column.astype(object)]


def fault(path: Path, read: Callable[[], object]) -> str:
    """Return the one line of a ProfileError, without the folder."""
    with pytest.raises(ProfileError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{path.parent}/", "")


def fault_of_ops(path: Path) -> str:
    return fault(path, lambda: database.read_table(path, OPS))


def names_beside(path: Path) -> list[str]:
    return sorted(child.name for child in path.parent.iterdir())


# --- which tables -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "found"),
    [
        (kernels(Kernel()), ["op_summary"]),
        ({"COMMUNICATION_OP": [collective()]}, []),
        ({"TASK": kernels(Kernel())["TASK"], "COMMUNICATION_OP": [collective()]}, []),
        ({"CANN_API": [call()]}, ["api_statistic"]),
        ({"StepTraceTime": [STEP]}, ["step_trace_time"]),
        ({**kernels(Kernel()), "CANN_API": [call()]}, ["op_summary", "api_statistic"]),
        ({"TASK": kernels(Kernel())["TASK"]}, []),
        ({"COMPUTE_TASK_INFO": kernels(Kernel())["COMPUTE_TASK_INFO"]}, []),
        ({"users": [{"name": "x"}]}, []),
        ({}, []),
    ],
)
def test_the_tables_that_a_database_can_give(
    file: Path, tables: Mapping[str, list[Row]], found: list[str]
) -> None:
    write(file, tables)
    there = database.tables_in(file)
    assert sorted(table.name for table in there) == sorted(found)
    assert [table for table in BY_NAME.values() if table in there] == list(there)


def test_an_empty_file_is_refused(file: Path) -> None:
    file.touch()
    with pytest.raises(ProfileError) as caught:
        database.tables_in(file)
    assert str(caught.value) == f"{file}: the file is empty; the export wrote nothing"


def test_tables_that_a_viewer_made_and_left_empty(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        for name in ("TASK", "COMPUTE_TASK_INFO", "COMMUNICATION_OP", "CANN_API", "StepTraceTime"):
            connection.execute(f"CREATE TABLE {name} (id)")
    assert database.tables_in(file) == ()


def test_a_view_is_no_table(file: Path) -> None:
    write(file)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "CREATE VIEW CANN_API AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) "
            "SELECT x FROM n"
        )
    assert database.tables_in(file) == ()


# --- op_summary: rows -------------------------------------------------------------------------


def test_the_columns_of_a_kernel(file: Path) -> None:
    write(file, kernels(Kernel(start=1, duration=21_800)))
    frame = database.read_table(file, OPS)
    assert tuple(frame) == database.column_names(file, OPS)
    assert {name: texts(frame[name])[0] for name in frame} == {
        "device_id": "0",
        "model_id": None,
        "task_id": "0",
        "stream_id": "2",
        "context_id": None,
        "op_name": "Conv2D_0",
        "op_type": "Conv2D",
        "op_state": None,
        "task_type": "AI_CORE",
        "task_start_ns": FIRST_NS + 1,
        "task_duration_us": 21.8,
        "block_num": "4",
        "mix_block_num": "0",
        "input_shapes": "1,3;64,3",
    }
    assert frame["task_start_ns"].dtype == "Int64"
    assert frame["task_duration_us"].dtype == "float64"
    assert frame["op_type"].cat.categories.dtype == object


def test_only_the_wanted_columns_are_read(file: Path) -> None:
    write(file, kernels(Kernel(info={"inputShapes": 999})))
    wanted = {"op_type", "task_duration_us", "not_there"}
    assert set(database.read_table(file, OPS, wanted)) == {"op_type", "task_duration_us"}


def test_ops_are_in_the_order_of_device_and_time(file: Path) -> None:
    ops = kernels(Kernel("B", start=1, device=10), Kernel("C", start=5, device=2), Kernel("D"))
    write(file, ops, {"COMMUNICATION_OP": [collective(7, deviceId=2)]})
    frame = database.read_table(file, OPS)
    assert texts(frame["device_id"]) == ["0", "2", "2", "10"]
    assert texts(frame["op_type"]) == ["D", "C", "hcom_allReduce_", "B"]
    assert list(frame.index) == [0, 1, 2, 3]


def test_a_task_without_a_kernel_is_no_op(file: Path) -> None:
    ops = kernels(Kernel("A"), Kernel("B", start=10))
    del ops["COMPUTE_TASK_INFO"][0]
    write(file, ops)
    assert texts(database.read_table(file, OPS)["op_type"]) == ["B"]


@pytest.mark.parametrize(("kept", "lost"), [([0], 2), ([0, 1], 1), ([2], 2)])
def test_a_kernel_without_its_task_is_refused(file: Path, kept: list[int], lost: int) -> None:
    ops = kernels(Kernel("A"), Kernel("B", start=10), Kernel("C", start=20))
    ops["TASK"] = [ops["TASK"][place] for place in kept]
    write(file, ops)
    assert fault_of_ops(file) == (
        f"{file.name}: {lost} of 3 kernels in COMPUTE_TASK_INFO without a row in TASK; "
        "the database was cut or edited, export it again"
    )


def test_a_kernel_that_ran_twice_has_two_rows(file: Path) -> None:
    ops = kernels(Kernel("A"), Kernel("A", start=10, task={"globalTaskId": 0}))
    del ops["COMPUTE_TASK_INFO"][1]
    write(file, ops)
    frame = database.read_table(file, OPS)
    assert texts(frame["op_name"]) == ["A_0", "A_0"]
    assert list(frame["task_start_ns"]) == [FIRST_NS, FIRST_NS + 10]


def test_ids_that_are_null_are_not_the_same_task(file: Path) -> None:
    none = {"globalTaskId": None}
    write(file, kernels(Kernel("A"), Kernel("B", task=none, info=none)))
    assert texts(database.read_table(file, OPS)["op_type"]) == ["A"]


def test_no_op_that_can_be_told_from_others(file: Path) -> None:
    none = {"globalTaskId": None}
    write(file, kernels(Kernel(task=none, info=none)))
    assert fault_of_ops(file) == f"{file.name}: no row for op_summary; nothing was recorded"


@pytest.mark.parametrize(
    ("info", "block", "mix"),
    [
        ({"blockNum": 3, "mixBlockNum": 1}, "3", "1"),
        ({"blockDim": 3, "mixBlockDim": 1}, "3", "1"),
        ({"block_dim": 3, "mixBlockDim": 1}, "3", "1"),
        # Since 2026 blockDim is a text about threads.
        ({"blockDim": Text("(1,1,1)"), "blockNum": 3, "mixBlockNum": 1}, "3", "1"),
    ],
)
def test_the_block_number_by_schema(file: Path, info: Row, block: str, mix: str) -> None:
    ops = kernels(Kernel())
    row = dict(ops["COMPUTE_TASK_INFO"][0])
    del row["blockNum"], row["mixBlockNum"]
    write(file, {**ops, "COMPUTE_TASK_INFO": [{**row, **info}]})
    frame = database.read_table(file, OPS)
    assert texts(frame["block_num"]) == [block]
    assert texts(frame["mix_block_num"]) == [mix]


@pytest.mark.parametrize(("table", "lost"), [("TASK", "modelId"), ("COMPUTE_TASK_INFO", "opType")])
def test_a_column_that_the_schema_does_not_have_yet(file: Path, table: str, lost: str) -> None:
    ops = kernels(Kernel())
    ops[table] = [{name: cell for name, cell in ops[table][0].items() if name != lost}]
    write(file, ops)
    ours = {"modelId": "model_id", "opType": "op_type"}[lost]
    assert ours not in database.column_names(file, OPS)
    assert ours not in database.read_table(file, OPS)


@pytest.mark.parametrize("cell", [None, -1, Text("N/A"), Text("")])
def test_a_text_that_is_absent(file: Path, cell: object) -> None:
    write(file, kernels(Kernel(info={"opType": cell})))
    assert texts(database.read_table(file, OPS)["op_type"]) == [None]


def test_a_time_that_is_absent(file: Path) -> None:
    write(file, kernels(Kernel(task={"endNs": None}), Kernel(task={"startNs": None})))
    frame = database.read_table(file, OPS)
    assert texts(frame["task_start_ns"]) == [None, FIRST_NS]
    assert texts(frame["task_duration_us"]) == [None, None]


def test_a_task_of_no_time(file: Path) -> None:
    write(file, kernels(Kernel(duration=0)))
    assert list(database.read_table(file, OPS)["task_duration_us"]) == [0.0]


def test_durations_are_exact(file: Path) -> None:
    longest = 10**15
    write(file, kernels(Kernel(duration=1), Kernel(start=5, duration=longest)))
    frame = database.read_table(file, OPS)
    assert list(frame["task_duration_us"]) == [0.001, 1e12]


# --- op_summary: collectives ------------------------------------------------------------------


def test_a_collective_is_an_op(file: Path) -> None:
    write(file, kernels(Kernel()), {"COMMUNICATION_OP": [collective(5, 2500)]})
    frame = database.read_table(file, OPS)
    assert {name: texts(frame[name])[1] for name in frame} == {
        "device_id": "0",
        "model_id": None,
        "task_id": None,
        "stream_id": None,
        "context_id": None,
        "op_name": "hcom_allReduce__1_0_1",
        "op_type": "hcom_allReduce_",
        "op_state": None,
        "task_type": "COMMUNICATION",
        "task_start_ns": FIRST_NS + 5,
        "task_duration_us": 2.5,
        "block_num": "0",
        "mix_block_num": None,
        "input_shapes": None,
    }


@pytest.mark.parametrize(
    ("connections", "cells", "devices"),
    [
        ([100, 101], {"deviceId": 3}, ["3"]),
        ([100, 101], {"connectionId": 101}, ["2"]),
        ([100, 101], {"connectionId": 9}, [None]),
        ([100], {"connectionId": 9}, ["1"]),
    ],
)
def test_the_device_of_a_collective(
    file: Path, connections: list[int], cells: Mapping[str, int], devices: list[str | None]
) -> None:
    ops = [Kernel(device=1 + place) for place in range(len(connections))]
    write(file, kernels(*ops), {"COMMUNICATION_OP": [{**collective(), **cells}]})
    frame = database.read_table(file, OPS)
    found = frame[(frame["task_type"] == "COMMUNICATION").to_numpy()]
    assert texts(found["device_id"]) == devices


# --- op_summary: steps ------------------------------------------------------------------------


def steps(*intervals: tuple[int, int, int]) -> dict[str, list[Row]]:
    rows: list[Row] = [
        {"id": number, "startNs": FIRST_NS + start, "endNs": FIRST_NS + end}
        for number, start, end in intervals
    ]
    return {"STEP_TIME": rows}


def step_ids(file: Path) -> list[str | None]:
    return texts(database.read_table(file, OPS)["step_id"])


@pytest.mark.parametrize("start", [10, 11, 20])
def test_an_op_belongs_to_the_step_in_which_it_starts(file: Path, start: int) -> None:
    write(file, kernels(Kernel(start=start)), steps((5, 0, 9), (6, 10, 20)))
    assert step_ids(file) == ["6"]


def test_an_op_that_starts_in_two_steps_belongs_to_the_first(file: Path) -> None:
    write(file, kernels(Kernel(start=10)), steps((6, 10, 20), (5, 0, 10)))
    assert step_ids(file) == ["5"]


@pytest.mark.parametrize("start", [9, 21])
def test_an_op_outside_of_all_steps_has_none(file: Path, start: int) -> None:
    write(file, kernels(Kernel(start=start)), steps((5, 0, 8), (6, 10, 20)))
    assert step_ids(file) == [None]


def test_on_the_device_a_step_lasts_from_its_first_task_to_its_last(file: Path) -> None:
    launches = [call(start=start, connectionId=100 + n) for n, start in enumerate((1, 30, 55, 89))]
    ops = (
        Kernel("first", start=40, duration=5),
        # Launched in step 1, though the host is in step 2 by now.
        Kernel("last", start=70, duration=20),
        Kernel("of step 2", start=91, duration=5),
        # Its call ends when the step is over.
        Kernel("late", start=120),
    )
    outside = Kernel("before", start=5)
    write(
        file,
        kernels(*ops, outside),
        steps((2, 50, 98), (1, 0, 49)),
        {"CANN_API": launches},
    )
    frame = database.read_table(file, OPS)
    found = dict(zip(texts(frame["op_type"]), texts(frame["step_id"]), strict=True))
    expected = {"before": None, "first": "1", "last": "1", "of step 2": "2", "late": None}
    assert found == expected


def test_a_call_at_another_level_launches_nothing(file: Path) -> None:
    other = call(start=1, level=20000, connectionId=100)
    write(file, kernels(Kernel(start=500)), steps((1, 0, 49)), {"CANN_API": [other]})
    assert step_ids(file) == [None]


def test_steps_without_calls(file: Path) -> None:
    write(file, kernels(Kernel(start=5)), steps((1, 0, 49)))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE CANN_API (startNs, endNs, type, connectionId)")
    assert step_ids(file) == ["1"]


def test_no_steps_without_markers(file: Path) -> None:
    write(file, kernels(Kernel()))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE STEP_TIME (id, startNs, endNs)")
    assert "step_id" not in database.column_names(file, OPS)


# --- op_summary: counters ---------------------------------------------------------------------


def counter(task: object, name: str, value: object) -> Row:
    return {"globalTaskId": task, "name": Text(name), "value": value}


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("aic_total_time", "aicore_time_us", 1.5),
        ("total_time", "aicore_time_us", 1.5),
        ("aiv_total_time", "aiv_time_us", 1.5),
        ("aic_mac_time", "aic_mac_time_us", 1.5),
        ("aic_total_cycles", "aic_total_cycles", 1500),
        ("aic_mac_ratio", "aic_mac_ratio", 1500),
        ("aic_mac_ratio_extra", "aic_mac_ratio", 1500),
        ("aic_l2_read_bw", "aic_l2_read_bw_gb_s", 1500),
        ("aic_l2_read_bw(GB/s)", "aic_l2_read_bw_gb_s", 1500),
        ("aiv_gm_to_ub_datas", "aiv_gm_to_ub_datas_kb", 1500),
    ],
)
def test_a_counter_has_the_name_and_unit_of_the_text(
    file: Path, name: str, column: str, value: float
) -> None:
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": [counter(0, name, 1500)]})
    frame = database.read_table(file, OPS)
    assert tuple(frame)[-1] == database.column_names(file, OPS)[-1] == column
    assert list(frame[column]) == [value]
    assert frame[column].dtype == "float64"


def test_counters_belong_to_their_task(file: Path) -> None:
    ops = kernels(Kernel(start=9), Kernel(start=5), Kernel(start=1), Kernel(start=0))
    rows = [
        counter(0, "aic_mac_ratio", 0.25),
        counter(1, "aic_mac_ratio", 0.5),
        counter(1, "aic_total_time", 2000),
        counter(2, "aic_mac_ratio", None),
        counter(-1, "aic_mac_ratio", 0.75),
    ]
    write(file, ops, {"TASK_PMU_INFO": rows, "COMMUNICATION_OP": [collective(20)]})
    frame = database.read_table(file, OPS)
    assert texts(frame["aic_mac_ratio"]) == [None, None, 0.5, 0.25, None]
    assert texts(frame["aicore_time_us"]) == [None, None, 2.0, None, None]
    assert set(database.read_table(file, OPS, {"aicore_time_us"})) == {"aicore_time_us"}


def test_a_counter_with_two_values_is_absent(file: Path) -> None:
    rows = [counter(0, "aic_mac_ratio", 0.25), counter(0, "aic_mac_ratio", 0.5)]
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": rows})
    assert texts(database.read_table(file, OPS)["aic_mac_ratio"]) == [None]


def test_a_counter_of_a_task_that_ran_twice_is_absent(file: Path) -> None:
    ops = kernels(Kernel(), Kernel(start=10, task={"globalTaskId": 0}))
    del ops["COMPUTE_TASK_INFO"][1]
    write(file, ops, {"TASK_PMU_INFO": [counter(0, "aic_mac_ratio", 0.25)]})
    assert texts(database.read_table(file, OPS)["aic_mac_ratio"]) == [None, None]


@pytest.mark.parametrize("name", [None, -1, 999])
def test_a_counter_without_a_name_is_left_out(file: Path, name: object) -> None:
    rows = [{"globalTaskId": 0, "name": name, "value": 1}]
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": rows})
    assert database.column_names(file, OPS)[-1] == "input_shapes"


@pytest.mark.parametrize(
    ("kept", "lost"),
    [
        (
            [1, 2],
            "1 kernel in TASK_PMU_INFO without a row in COMPUTE_TASK_INFO, first globalTaskId 0",
        ),
        (
            [0],
            "2 kernels in TASK_PMU_INFO without a row in COMPUTE_TASK_INFO, first globalTaskId 1",
        ),
    ],
)
@pytest.mark.parametrize("tables", [["COMPUTE_TASK_INFO"], ["COMPUTE_TASK_INFO", "TASK"]])
def test_a_kernel_that_only_its_counters_know(
    file: Path, kept: list[int], lost: str, tables: list[str]
) -> None:
    ops = kernels(Kernel(), Kernel("Cast", start=10), Kernel("Cast", start=20))
    for table in tables:
        ops[table] = [ops[table][place] for place in kept]
    rows = [
        counter(task, name, 1) for task in (0, 1, 2) for name in ("aic_mac_ratio", "aic_mac_time")
    ]
    write(file, ops, {"TASK_PMU_INFO": rows})
    assert fault_of_ops(file) == (
        f"{file.name}: {lost}; the database was cut or edited, export it again"
    )


NO_ID: Row = {"globalTaskId": None}
OF_NO_TASK = (Kernel(start=10, task=NO_ID, info=NO_ID), Kernel(start=20, task=NO_ID, info=NO_ID))


@pytest.mark.parametrize("task", [None, -1])
def test_counters_of_no_task_tell_of_no_kernel(file: Path, task: object) -> None:
    rows = [counter(task, "aic_mac_ratio", 1)]
    write(file, kernels(Kernel(), *OF_NO_TASK), {"TASK_PMU_INFO": rows})
    assert len(database.read_table(file, OPS)) == 1


def test_a_kernel_without_an_id_is_none_that_counters_know(file: Path) -> None:
    rows = [counter(7, "aic_mac_ratio", 1)]
    write(file, kernels(Kernel(), *OF_NO_TASK), {"TASK_PMU_INFO": rows})
    assert "1 kernel in TASK_PMU_INFO without" in fault_of_ops(file)


def test_a_counter_of_a_task_that_is_a_text(file: Path) -> None:
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": [counter("x", "aic_mac_ratio", 1)]})
    assert fault_of_ops(file) == (
        f'{file.name}: TASK_PMU_INFO.globalTaskId is "x", which is not a whole number; {EDITED}'
    )


def test_counters_of_a_schema_that_does_not_say_whose_they_are(file: Path) -> None:
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": [{"name": Text("x"), "value": 1}]})
    assert len(database.read_table(file, OPS, {"op_type"})) == 1


@pytest.mark.parametrize("second", [Kernel(), Kernel("Cast")])
def test_two_kernels_with_one_id(file: Path, second: Kernel) -> None:
    ops = kernels(Kernel(), Kernel("Cast", start=10), second)
    ops["COMPUTE_TASK_INFO"][2] = {**ops["COMPUTE_TASK_INFO"][2], "globalTaskId": 1}
    write(file, ops)
    assert fault_of_ops(file) == (
        f"{file.name}: COMPUTE_TASK_INFO has globalTaskId 1 twice; {EDITED}"
    )


# --- api_statistic ----------------------------------------------------------------------------


def test_calls_are_summed_up_by_level_and_name(file: Path) -> None:
    calls = [
        call("launch", start=0, duration=1500),
        call("launch", start=5000, duration=2501),
        call("launch", level=20000, duration=7),
    ]
    write(file, {"CANN_API": calls}, LEVELS)
    frame = database.read_table(file, CALLS)
    assert tuple(frame) == database.column_names(file, CALLS)
    assert frame.astype(object).to_dict("list") == {
        "device_id": ["host", "host"],
        "api_level": ["node", "acl"],
        "name": ["launch", "launch"],
        "total_time_us": [4.001, 0.007],
        "count": [2.0, 1.0],
        "avg_time_us": [2.0005, 0.007],
        "min_time_us": [1.5, 0.007],
        "max_time_us": [2.501, 0.007],
    }
    assert set(database.read_table(file, CALLS, {"name", "count"})) == {"name", "count"}


def test_a_level_without_a_name(file: Path) -> None:
    write(file, {"CANN_API": [call(level=7)]}, LEVELS)
    assert fault(file, lambda: database.read_table(file, CALLS)) == (
        f"{file.name}: api_level is 7, an id for which there is no text; the database was cut or "
        "edited, export it again"
    )


def test_a_call_without_an_end(file: Path) -> None:
    write(file, {"CANN_API": [call(endNs=None)]}, LEVELS)
    assert fault(file, lambda: database.read_table(file, CALLS)) == (
        f'{file.name}: CANN_API.startNs or endNs is "NULL", which is not a time; '
        "the database was edited, export it again"
    )


# --- step_trace_time --------------------------------------------------------------------------


def test_step_times(tmp_path: Path) -> None:
    path = write(tmp_path / "analysis.db", {"StepTraceTime": [STEP, {**STEP, "step": None}]})
    frame = database.read_table(path, STEPS)
    assert tuple(frame) == database.column_names(path, STEPS)
    assert texts(frame["step"]) == ["5", None]
    assert list(frame["computing_us"]) == [1.5, 1.5]
    assert list(frame["communication_us"]) == [0.0, 0.0]
    assert list(frame["stage_us"]) == [2.25, 2.25]
    assert frame["bubble_us"].isna().all()


def test_step_times_by_device(tmp_path: Path) -> None:
    path = write(tmp_path / "analysis.db", {"StepTraceTime": [{"deviceId": 3, **STEP}]})
    assert texts(database.read_table(path, STEPS)["device_id"]) == ["3"]


def test_a_step_time_that_is_none(tmp_path: Path) -> None:
    path = write(tmp_path / "analysis.db", {"StepTraceTime": [{**STEP, "stage": "soon"}]})
    assert fault(path, lambda: database.read_table(path, STEPS)) == (
        'analysis.db: StepTraceTime.stage is "soon", which is not a number; '
        "the database was edited, export it again"
    )


@pytest.mark.parametrize(
    ("rows", "fault_of_row"),
    [
        ([STEP, {**STEP, "step": "6"}, STEP], "row 3: a second row for 5; the file was edited"),
        (
            [{"deviceId": 3, **STEP}, {"deviceId": None, **STEP}],
            "row 2: the row has no device_id; other rows have one",
        ),
    ],
)
def test_a_row_of_a_database_has_no_line(
    tmp_path: Path, rows: list[Row], fault_of_row: str
) -> None:
    path = write(tmp_path / "analysis.db", {"StepTraceTime": rows})
    message = fault(path, lambda: open_profile(tmp_path).table("step_trace_time"))
    assert message.startswith(f"analysis.db: step_trace_time, {fault_of_row}")


# --- what is wrong in a database --------------------------------------------------------------

EDITED = "the database was edited, export it again"


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            Kernel(task={"startNs": "soon"}),
            f'TASK.startNs is "soon", which is not a whole number; {EDITED}',
        ),
        (
            Kernel(task={"endNs": 1.5}),
            f'TASK.endNs is "1.5", which is not a whole number; {EDITED}',
        ),
        (
            Kernel(task={"deviceId": b"\x1b"}),
            f"TASK.deviceId is \"b'\\x1b'\", which is not a whole number; {EDITED}",
        ),
        (
            Kernel(task={"startNs": -2}),
            f'TASK.startNs is "-2", which is not a number of 0 or more; {EDITED}',
        ),
        (
            Kernel(task={"taskId": 10**11}),
            f'task_id is "100000000000", which is not an id; {EDITED}',
        ),
        (
            Kernel(core="nan"),
            f'task_type is "nan", which is not a task type; {EDITED}',
        ),
        (
            Kernel(duration=-1),
            f"an op from {FIRST_NS} to {FIRST_NS - 1} ns, which is not from 0 ns to 11 days; "
            f"{EDITED}",
        ),
        (
            Kernel(duration=10**15 + 1),
            f"an op from {FIRST_NS} to {FIRST_NS + 10**15 + 1} ns, which is not from 0 ns to 11 "
            f"days; {EDITED}",
        ),
        (
            Kernel(info={"opType": 77}),
            "op_type is 77, an id for which there is no text; the database was cut or edited, "
            "export it again",
        ),
    ],
)
def test_a_wrong_cell(file: Path, op: Kernel, message: str) -> None:
    write(file, kernels(Kernel(start=10), op))
    assert fault_of_ops(file) == f"{file.name}: {message}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("much", 'TASK_PMU_INFO.value is "much", which is not a number'),
        (float("inf"), 'TASK_PMU_INFO.value is "inf", which is not a number'),
    ],
)
def test_a_wrong_counter(file: Path, value: object, message: str) -> None:
    rows = [counter(0, "aic_mac_ratio", 1), counter(0, "aic_mac_ratio", value)]
    write(file, kernels(Kernel()), {"TASK_PMU_INFO": rows})
    assert fault_of_ops(file) == f"{file.name}: {message}; {EDITED}"


@pytest.mark.parametrize(
    ("table", "lost", "there"),
    [
        ("TASK", "endNs", "startNs, deviceId, connectionId, globalTaskId, taskType, contextId, "),
        ("COMPUTE_TASK_INFO", "globalTaskId", "name, blockNum, mixBlockNum, taskType, opType, "),
    ],
)
def test_a_column_without_which_there_are_no_ops(
    file: Path, table: str, lost: str, there: str
) -> None:
    ops = kernels(Kernel())
    ops[table] = [{name: cell for name, cell in ops[table][0].items() if name != lost}]
    write(file, ops)
    message = fault_of_ops(file)
    assert message.startswith(f"{file.name}: table {table} has no column {lost}; there is {there}")
    assert message.endswith("; export the profile again")


def test_no_texts(file: Path) -> None:
    write(file, kernels(Kernel()), strings=False)
    assert fault_of_ops(file) == (
        f"{file.name}: no table STRING_IDS with its texts; export it again"
    )


def with_second_text(file: Path, text: object) -> Path:
    """Write an op whose id of ``Conv2D`` has a second text."""
    write(file, kernels(Kernel()), strings=False)
    with closing(sqlite3.connect(file)) as connection:
        texts = enumerate(("KERNEL_AICORE", "Conv2D_0", "AI_CORE", "Conv2D", '"1,3"', "N/A"))
        connection.execute("CREATE TABLE STRING_IDS (id, value)")
        connection.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", [*texts, (3, text)])
        connection.commit()
    return file


@pytest.mark.parametrize(("text", "shown"), [("Cast", "Cast"), ("\x1b", "\\x1b"), (None, "")])
def test_an_id_with_two_texts(file: Path, text: object, shown: str) -> None:
    assert fault_of_ops(with_second_text(file, text)) == (
        f'{file.name}: STRING_IDS has "Conv2D" and "{shown}" for one id, 3; {EDITED}'
    )


def test_the_same_text_twice_does_no_harm(file: Path) -> None:
    frame = database.read_table(with_second_text(file, "Conv2D"), OPS)
    assert texts(frame["op_type"]) == ["Conv2D"]


def test_a_level_with_two_names(file: Path) -> None:
    levels = [{"id": 10000, "name": "node"}, {"id": 10000, "name": "acl"}]
    write(file, {"CANN_API": [call()], "ENUM_API_TYPE": levels})
    assert fault(file, lambda: database.read_table(file, CALLS)) == (
        f'{file.name}: ENUM_API_TYPE has "node" and "acl" for one id, 10000; {EDITED}'
    )


def test_a_text_that_is_none(file: Path) -> None:
    write(file, {"CANN_API": [call()], "ENUM_API_TYPE": [{"id": 10000, "name": 3}]})
    assert fault(file, lambda: database.read_table(file, CALLS)) == (
        f'{file.name}: ENUM_API_TYPE.name is "3", which is not a text; {EDITED}'
    )


# --- opening ----------------------------------------------------------------------------------

UNREADABLE = "export the profile again"


def test_no_database(file: Path) -> None:
    file.write_bytes(b"this is no database at all" * 100)
    assert fault(file, lambda: database.tables_in(file)) == (
        f"{file.name}: not a whole SQLite database (file is not a database); {UNREADABLE}"
    )


MALFORMED = f"not a whole SQLite database (database disk image is malformed); {UNREADABLE}"


def of_page(size: int, page: int, page_size: int) -> str:
    return (
        f"{size} bytes, of which the last {page} are no whole page of {page_size}; "
        "the file was cut, copy it again or export the profile again"
    )


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("page", [512, 4096, 65536])
def test_a_cut_database(file: Path, page: int, mode: str) -> None:
    write(file, kernels(*(Kernel(start=place) for place in range(300))))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA page_size = {page}")
        connection.execute("VACUUM")
        connection.execute(f"PRAGMA journal_mode = {mode}")
    whole = file.read_bytes()
    assert len(open_profile(file).op_summary) == 300
    for lost in (1, page - 1):
        file.write_bytes(whole[:-lost])
        assert fault_of_ops(file) == f"{file.name}: " + of_page(
            len(whole) - lost, page - lost, page
        )
    for lost in (page, 2 * page):
        file.write_bytes(whole[:-lost])
        assert fault_of_ops(file) == f"{file.name}: {MALFORMED}"
    for kept in (90, 30, 18, 17, 16):
        file.write_bytes(whole[:kept])
        assert fault_of_ops(file).startswith(f"{file.name}: ")


def test_a_database_whose_header_is_damaged_is_judged_by_sqlite(file: Path) -> None:
    write(file, kernels(Kernel()))
    whole = file.read_bytes()
    file.write_bytes(whole[:16] + b"\0\0" + whole[18:])
    assert fault_of_ops(file) == (
        f"{file.name}: not a whole SQLite database (file is not a database); {UNREADABLE}"
    )


def test_a_text_that_is_not_utf_8(file: Path) -> None:
    write(file, kernels(Kernel()))
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("INSERT INTO STRING_IDS VALUES (99, CAST(x'ff1b' AS TEXT))")
        connection.commit()
    message = fault_of_ops(file)
    assert message.startswith(
        f"{file.name}: not a whole SQLite database (Could not decode to UTF-8"
    )
    assert "\x1b" not in message


@pytest.mark.parametrize("name", ["msprof_1.db", "a?mode=rwc#50%41 b.db"])
def test_any_name_can_be_opened(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, kernels(Kernel()))
    assert len(database.read_table(path, OPS)) == 1
    assert names_beside(path) == [name]


def test_a_path_from_here(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, kernels(Kernel()))
    monkeypatch.chdir(file.parent)
    assert len(database.read_table(Path(file.name), OPS)) == 1


def test_a_file_that_has_vanished(file: Path) -> None:
    assert fault(file, lambda: database.tables_in(file)) == (
        f"{file.name}: cannot be read: No such file or directory"
    )
    assert names_beside(file) == []


def test_a_locked_database(file: Path) -> None:
    write(file, kernels(Kernel()))
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert fault_of_ops(file) == (
            f"{file.name}: another program is writing it; wait until the export has ended"
        )
        writer.rollback()
    assert len(database.read_table(file, OPS)) == 1


def wal(file: Path) -> sqlite3.Connection:
    write(file, kernels(Kernel()))
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    return connection


def test_reading_makes_no_files_beside_a_database_in_wal_mode(file: Path) -> None:
    wal(file).close()
    before = file.read_bytes()
    assert len(database.read_table(file, OPS)) == 1
    assert names_beside(file) == [file.name]
    assert file.read_bytes() == before


def test_a_database_that_a_viewer_has_open_but_does_not_change(file: Path) -> None:
    with closing(wal(file)) as viewer:
        viewer.execute("SELECT count(*) FROM TASK").fetchall()
        beside = names_beside(file)
        assert Path(f"{file}-wal").stat().st_size == 0
        assert len(database.read_table(file, OPS)) == 1
        assert names_beside(file) == beside


def test_changes_that_are_not_in_the_database_yet(file: Path) -> None:
    with closing(wal(file)) as viewer:
        viewer.execute("DELETE FROM TASK")
        viewer.commit()
        assert fault_of_ops(file) == (
            f"{file.name}: {file.name}-wal beside it holds changes that are not in it yet; end "
            "the program that has it open (a viewer, an export), or export the profile again"
        )


def test_a_change_that_was_cut_off(file: Path) -> None:
    write(file, kernels(*(Kernel(start=place) for place in range(2000))))
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("UPDATE TASK SET endNs = 0")
        for path in (file, Path(f"{file}-journal")):
            copy = path.read_bytes()
            path.with_name(path.name.replace("msprof_2", "msprof_1")).write_bytes(copy)
        writer.rollback()
    killed = file.with_name(file.name.replace("msprof_2", "msprof_1"))
    before = {name: file.with_name(name).read_bytes() for name in names_beside(file)}
    assert fault_of_ops(killed) == (
        f"{killed.name}: a change of it was cut off (a -journal is beside it); {UNREADABLE}"
    )
    assert {name: file.with_name(name).read_bytes() for name in names_beside(file)} == before


def test_a_python_without_sqlite(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    assert fault(file, lambda: database.tables_in(file)) == (
        f"{file.name}: this Python was built without sqlite3"
    )


def test_ten_thousand_ops_are_read_in_blocks(file: Path) -> None:
    ops = kernels(*(Kernel(start=place, duration=place) for place in range(10_001)))
    rows = [counter(place, "aic_mac_ratio", place) for place in range(10_001)]
    write(file, ops, {"TASK_PMU_INFO": rows})
    frame = database.read_table(file, OPS, {"task_duration_us", "aic_mac_ratio"})
    assert list(frame["task_duration_us"] * 1000) == pytest.approx(list(range(10_001)))
    assert list(frame["aic_mac_ratio"]) == list(range(10_001))
