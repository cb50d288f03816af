"""Each table as the oldest release that has it wrote it, and as it is written now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from profile_tables import FIRST_NS, STAMP, Op, csv, msprof, op_summary, us, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.reader import read_table
from pytest_npuperf.profile.tables import BY_FILE, BY_NAME, BY_TRACE, TABLES, Column

NOW = us(FIRST_NS)
ABSENT = None
MERGED = f"mindstudio_profiler_output/NAME_{STAMP}.csv"
OLD = "device_0/summary/NAME_0_1_1.csv"


class Form(NamedTuple):
    """How one generation wrote a table: file, header, one row; and what the row means."""

    file: str
    place: str
    header: str
    row: str
    means: Mapping[str, object]


CALLS = {"count": 69.0, "total_time_us": 841.306, "avg_time_us": 12.193, "min_time_us": 8.021}
COMMUNICATION = {
    "op_type": "hcom_allReduce_",
    "count": 2.0,
    "total_time_us": 30.5,
    "min_time_us": 10.0,
    "avg_time_us": 15.25,
    "max_time_us": 20.5,
    "ratio_percent": 100.0,
}

FORMS = {
    "acl": Form(
        "acl",
        OLD,
        "Name,Type,Start Time,Duration(us),Process ID,Thread ID",
        "aclmdlExecute,ACL_MODEL,497845389418920,3128.72,85078,281470640607248",
        {
            "name": "aclmdlExecute",
            "api_level": "ACL_MODEL",
            "start_ns": 497845389418920,
            "duration_us": 3128.72,
            "process_id": "85078",
            "thread_id": "281470640607248",
        },
    ),
    "acl_statistic": Form(
        "acl_statistic",
        OLD,
        "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID",
        "aclmdlExecute,ACL_MODEL,2.293195,3128.72,1,3128.72,3128.72,3128.72,85078,85078",
        {"name": "aclmdlExecute", "count": 1.0, "total_time_us": 3128.72},
    ),
    "api_statistic 2023": Form(
        "api_statistic",
        "host/summary/NAME.csv",
        "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance",
        "hccl,Launch_Ffts,3128.72,1,3128.72,3128.72,3128.72,0",
        {"api_level": "hccl", "name": "Launch_Ffts", "count": 1.0, "total_time_us": 3128.72},
    ),
    "api_statistic": Form(
        "api_statistic",
        MERGED,
        "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance",
        "host,acl,aclmdlExecute,3128.720,1,3128.720,3128.720,3128.720,0.000",
        {"api_level": "acl", "name": "aclmdlExecute", "count": 1.0, "max_time_us": 3128.72},
    ),
    "runtime_api": Form(
        "runtime_api",
        OLD,
        "Name,Stream ID,Time(%),Time(ns),Calls,Avg(ns),Min(ns),Max(ns),Process ID,Thread ID",
        "KernelLaunch,2,0.022437,841306,69,12193,8021,54531,2122,281470640607248",
        {"name": "KernelLaunch", "stream_id": "2", **CALLS, "max_time_us": 54.531},
    ),
    "ai_stack_time": Form(
        "ai_stack_time",
        OLD,
        "Infer ID,Module,API,Start Time,Duration(ns)",
        "1,ACL,aclmdlExecute,497845389418920,3128721",
        {
            "infer_id": "1",
            "module": "ACL",
            "api": "aclmdlExecute",
            "start_ns": 497845389418920,
            "duration_us": 3128.721,
        },
    ),
    "ge_op_execute 2022": Form(
        "ge_op_execute",
        OLD,
        "Thread ID,OP Type,Event Type,Start Time,Duration(us)",
        "281470640607248,Add,Tiling,497845389418.92,12.5",
        {
            "thread_id": "281470640607248",
            "op_type": "Add",
            "event_type": "Tiling",
            "start_ns": 497845389418920,
            "duration_us": 12.5,
        },
    ),
    "ge_op_execute": Form(
        "ge_op_execute",
        "host/summary/NAME.csv",
        "Thread ID,OP Name,OP Type,Event Type,Start Time,Duration(us)",
        "2122,add_1,Add,Tiling,497845389418.92,12.5",
        {"op_name": "add_1", "op_type": "Add", "start_ns": 497845389418920},
    ),
    "task_time 2022": Form(
        "task_time",
        OLD,
        "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(ns),task_stop(ns)",
        'conv,KERNEL_AICORE,2,7,"""1.5""","""497845389418920""","""497845389420420"""',
        {"task_time_us": 1.5, "task_start_ns": 497845389418920, "task_stop_ns": 497845389420420},
    ),
    "task_time 310": Form(
        "task_time",
        OLD,
        "Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Waiting(us),Running(us),Pending(us),Type,"
        "API,Task ID,Op Name,Stream ID",
        "2.3872,175838.84,91,1932.29,1889.63,2026.92,0,175838.84,0,kernel AI core task,"
        "KernelLaunch,35,conv,2",
        {
            "summed_type": "kernel AI core task",
            "api": "KernelLaunch",
            "op_name": "conv",
            "task_id": "35",
            "stream_id": "2",
            "count": 91.0,
            "total_time_us": 175838.84,
            "waiting_us": 0.0,
            "running_us": 175838.84,
            "pending_us": 0.0,
            "ratio_percent": 2.3872,
        },
    ),
    "task_time": Form(
        "task_time",
        MERGED,
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
        "task_stop(us)",
        f"0,conv,AI_CORE,46,0,1.500,{NOW}\t,{NOW}\t",
        {"task_time_us": 1.5, "task_start_ns": FIRST_NS, "kernel_type": "AI_CORE"},
    ),
    "op_statistic 2022": Form(
        "op_statistic",
        OLD,
        "Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
        "Max Time(us),Ratio(%)",
        "resnet50,Conv2D,AI_CORE,2,3,1,1.5,2,100",
        {"model_name": "resnet50", "op_type": "Conv2D", "count": 2.0, "total_time_us": 3.0},
    ),
    "op_statistic": Form(
        "op_statistic",
        MERGED,
        "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
        "Ratio(%)",
        "0,matmul_kernel,AI_CORE,5,30.144,5.482,6.029,6.56,100",
        {
            "device_id": "0",
            "op_type": "matmul_kernel",
            "task_type": "AI_CORE",
            "count": 5.0,
            "total_time_us": 30.144,
            "min_time_us": 5.482,
            "avg_time_us": 6.029,
            "max_time_us": 6.56,
            "ratio_percent": 100.0,
        },
    ),
    "step_trace 2022": Form(
        "step_trace",
        OLD,
        "Iteration ID,FP Start,BP End,Iteration End,Iteration Time(us),FP to BP Time(us),"
        "Grad Refresh Bound(us),Data Aug Bound(us),Model ID,Reduce Start,Reduce Duration(us)",
        "1,N/A,N/A,497845389418920,575.6430142,N/A,N/A,N/A,1,N/A,18446744073709521.304",
        {
            "iteration_id": "1",
            "model_id": "1",
            "iteration_end_ns": 497845389418920,
            "iteration_time_us": 575.6430142,
            "reduce_duration_us": ABSENT,
        },
    ),
    "step_trace, a row that is short": Form(
        "step_trace",
        MERGED,
        "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
        "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID,"
        "Reduce Start(us),Reduce Duration(us),Reduce Start(us),Reduce Duration(us)",
        f"0,1,0.000\t,0.000\t,{NOW}\t,575.643,0.000,0.000,0.000,13,{NOW}\t,18446744073709521.304",
        {
            "iteration_id": "1",
            "model_id": "13",
            "iteration_end_ns": FIRST_NS,
            "iteration_time_us": 575.643,
            "reduce_duration_us": ABSENT,
            "reduce_duration_us_2": ABSENT,
        },
    ),
    "fusion_op 2022": Form(
        "fusion_op",
        OLD,
        "Model Name,Model ID,Fusion Op,Original Ops,Memory Input(Bytes),Memory Output(Bytes),"
        "Memory Weight(Bytes),Memory Workspace(Bytes),Memory Total(Bytes)",
        "resnet50,1,conv_relu,conv;relu,192,1024,0,N/A,1216",
        {
            "fusion_op": "conv_relu",
            "original_ops": "conv;relu",
            "memory_input_kb": 0.1875,
            "memory_output_kb": 1.0,
            "memory_weight_kb": 0.0,
            "memory_workspace_kb": ABSENT,
            "memory_total_kb": 1.1875,
        },
    ),
    "fusion_op": Form(
        "fusion_op",
        MERGED,
        "Device_id,Model Name,Model ID,Fusion Op,Original Ops,Memory Input(KB),Memory Output(KB),"
        "Memory Weight(KB),Memory Workspace(KB),Memory Total(KB)",
        "host,resnet50,1,conv_relu,conv;relu,0.1875,1.0,0.0,N/A,1.1875",
        {
            "memory_input_kb": 0.1875,
            "memory_output_kb": 1.0,
            "memory_weight_kb": 0.0,
            "memory_workspace_kb": ABSENT,
            "memory_total_kb": 1.1875,
        },
    ),
    "hccl_statistic": Form(
        "hccl_statistic",
        f"device_0/summary/NAME_0_1_1_{STAMP}.csv",
        "OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)",
        "hcom_allReduce_,2,30.5,10,15.25,20.5,100",
        COMMUNICATION,
    ),
    "communication_statistic": Form(
        "communication_statistic",
        MERGED,
        "Device_id,OP Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)",
        "0,hcom_allReduce_,2,30.500,10.000,15.250,20.500,100.000",
        COMMUNICATION,
    ),
    "l2_cache 2022": Form(
        "l2_cache",
        OLD,
        "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name",
        "2,4,0.75,0,conv",
        {"stream_id": "2", "task_id": "4", "hit_rate": 0.75, "victim_rate": 0.0, "op_name": "conv"},
    ),
    "l2_cache": Form(
        "l2_cache",
        "ASCEND_PROFILER_OUTPUT/NAME.csv",
        "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name",
        "2,11054,N/A,0.066608,trans_TransData_1",
        {
            "stream_id": "2",
            "task_id": "11054",
            "hit_rate": ABSENT,
            "victim_rate": 0.066608,
            "op_name": "trans_TransData_1",
        },
    ),
    "ai_core_utilization 2022": Form(
        "ai_core_utilization",
        OLD,
        "Core ID,vec_ratio,mac_ratio,icache_miss_rate,memory_bound",
        "Average,0.373,0.348,0.003,1.5",
        {"core_id": "Average", "vec_ratio": 0.373, "mac_ratio": 0.348, "memory_bound": 1.5},
    ),
    "ai_core_utilization": Form(
        "ai_core_utilization",
        MERGED,
        "Device_id,Core ID,vec_ratio,mac_ratio",
        "0,Core0,0.373,0.348",
        {"device_id": "0", "core_id": "Core0", "vec_ratio": 0.373, "mac_ratio": 0.348},
    ),
    "ai_vector_core_utilization": Form(
        "ai_vector_core_utilization",
        MERGED,
        "Device_id,Core ID,vec_ratio",
        "0,Core0,0.373",
        {"core_id": "Core0", "vec_ratio": 0.373},
    ),
    "npu_mem": Form(
        "npu_mem",
        MERGED,
        "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)",
        f"0,Device,0,1024.5,1024.5,{NOW}\t",
        {
            "event": "Device",
            "ddr_kb": 0.0,
            "hbm_kb": 1024.5,
            "memory_kb": 1024.5,
            "timestamp_ns": FIRST_NS,
        },
    ),
    "memory_record": Form(
        "memory_record",
        MERGED,
        "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device",
        f"0,GE,{NOW}\t,192,502336,NPU:0",
        {
            "component": "GE",
            "timestamp_ns": FIRST_NS,
            "total_allocated_kb": 192.0,
            "total_reserved_kb": 502336.0,
            "device_type": "NPU:0",
        },
    ),
    "memory_record torch": Form(
        "memory_record",
        "ASCEND_PROFILER_OUTPUT/NAME.csv",
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),"
        "Stream Ptr,Device Type",
        f"PTA,{NOW}\t,0.1875,-1,,187651,NPU:0",
        {
            "component": "PTA",
            "timestamp_ns": FIRST_NS,
            "total_allocated_mb": 0.1875,
            "total_reserved_mb": ABSENT,
            "total_active_mb": ABSENT,
            "stream_ptr": "187651",
            "device_type": "NPU:0",
        },
    ),
    "operator_memory": Form(
        "operator_memory",
        MERGED,
        "Device_id,Name,Size(KB),Allocation Time(us),Duration(us),Allocation Total Allocated(KB),"
        "Allocation Total Reserved(KB),Release Total Allocated(KB),"
        "Release Total Reserved(KB),Device",
        f"0,Graph_21,192,{NOW}\t,92.6\t,192,502336,0,502336,NPU:0",
        {
            "name": "Graph_21",
            "size_kb": 192.0,
            "allocation_time_ns": FIRST_NS,
            "duration_us": 92.6,
            "allocation_total_allocated_kb": 192.0,
            "allocation_total_reserved_kb": 502336.0,
            "release_total_allocated_kb": 0.0,
            "release_total_reserved_kb": 502336.0,
        },
    ),
    "operator_memory torch, taken before the profile began": Form(
        "operator_memory",
        "ASCEND_PROFILER_OUTPUT/NAME.csv",
        "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),"
        "Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),"
        "Allocation Total Active(MB),Release Total Allocated(MB),Release Total Reserved(MB),"
        "Release Total Active(MB),Stream Ptr,Device Type",
        f",-192.5,,{NOW}\t,,,,,,,1.5,2,1.5,,NPU:0",
        {
            "name": ABSENT,
            "size_kb": -192.5,
            "allocation_time_ns": ABSENT,
            "release_time_ns": FIRST_NS,
            "active_release_time_ns": ABSENT,
            "duration_us": ABSENT,
            "active_duration_us": ABSENT,
            "allocation_total_allocated_mb": ABSENT,
            "release_total_allocated_mb": 1.5,
            "release_total_reserved_mb": 2.0,
            "release_total_active_mb": 1.5,
        },
    ),
}
"""op_summary has its own tests of every generation; timelines, advice and databases too.

The names of 2020 are read from a recording.
"""


def row(frame: pd.DataFrame, number: int = 0) -> dict[str, object]:
    """Return a row by name; what is absent is None."""
    return {
        str(name): None if pd.isna(cell) else cell
        for name, cell in frame.astype(object).iloc[number].to_dict().items()
    }


@pytest.mark.parametrize("name", FORMS)
def test_a_table_means_the_same_in_every_generation(tmp_path: Path, name: str) -> None:
    form = FORMS[name]
    home = tmp_path / "PROF_000001_20260101000000000_ABCDEFGH"
    write(home, {form.place.replace("NAME", form.file): f"{form.header}\n{form.row}\n"})
    frame = open_profile(home).table(BY_FILE[form.file].name)
    assert form.means.items() <= row(frame).items()
    assert len(frame) == 1


def test_every_summary_of_rows_has_a_form_here() -> None:
    from_here = {BY_FILE[form.file].name for form in FORMS.values()}
    elsewhere = {"op_summary", "step_trace_time", "prof_rule", "timeline"}
    opprof = {table.name for table in TABLES if table.files and table.files[0][0].isupper()}
    assert from_here == set(BY_NAME) - elsewhere - opprof


@pytest.mark.parametrize(
    ("cell", "value"), [("3128721", 3128.721), ("0", 0.0), ("1", 0.001), ("N/A", ABSENT)]
)
def test_a_duration_in_ns_is_exact_in_us(tmp_path: Path, cell: str, value: float | None) -> None:
    path = tmp_path / "t.csv"
    path.write_text(csv("Duration(ns)", [cell], ["2000"]), encoding="utf-8")
    assert row(read_table(path, BY_NAME["ai_stack_time"])) == {"duration_us": value}


def table_of(tmp_path: Path, table: str, text: str) -> pd.DataFrame:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(path, BY_NAME[table])


@pytest.mark.parametrize(
    ("table", "header", "cell", "wanted"),
    [
        ("ai_stack_time", "Duration(ns)", "-1", "a duration of 0 or more"),
        ("ai_stack_time", "Duration(ns)", "2e15", "a duration below 11 days"),
        ("ai_stack_time", "Duration(ns)", "True", "a number"),
        ("runtime_api", "Calls", "1.5", "a count"),
        ("npu_mem", "hbm(KB)", "-2", "a size of 0 or more"),
        ("npu_mem", "hbm(KB)", "1e400", "a size of 0 or more"),
        ("npu_mem", "hbm(KB)", "True", "a number"),
        ("fusion_op", "Memory Total(Bytes)", "-1024", "a size of 0 or more"),
        ("operator_memory", "Size(KB)", "1e400", "a number"),
        ("acl", "Start Time", "now", "a time"),
        ("acl", "Start Time", "9223372036854775808", "a time"),
    ],
)
def test_what_a_column_cannot_hold_is_refused(
    tmp_path: Path, table: str, header: str, cell: str, wanted: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        table_of(tmp_path, table, f"Device_id,{header}\n0,{cell}\n")
    assert str(caught.value) == f'{tmp_path / "t.csv"}:2: "{cell}" is not {wanted}'


def test_ten_days_in_ns_are_no_duration_that_is_too_long(tmp_path: Path) -> None:
    frame = table_of(tmp_path, "ai_stack_time", "Duration(ns)\n864000000000000\n")
    assert frame["duration_us"].tolist() == [864e9]


@pytest.mark.parametrize(("cell", "value"), [("-1", ABSENT), ("-1.0", ABSENT), ("0", 0.0)])
@pytest.mark.parametrize("beside", ["1", "1024.5"])
def test_a_size_of_minus_one_says_nothing(
    tmp_path: Path, cell: str, value: float | None, beside: str
) -> None:
    frame = table_of(tmp_path, "npu_mem", f"hbm(KB)\n{cell}\n{beside}\n")
    assert (row(frame), row(frame, 1)) == ({"hbm_kb": value}, {"hbm_kb": float(beside)})


def test_minus_one_byte_is_no_part_of_a_kilobyte(tmp_path: Path) -> None:
    frame = table_of(tmp_path, "fusion_op", "Memory Total(Bytes)\n-1\n2048\n")
    assert row(frame) == {"memory_total_kb": ABSENT}
    assert row(frame, 1) == {"memory_total_kb": 2.0}


def test_names_of_operators_may_hold_commas_and_line_breaks(tmp_path: Path) -> None:
    text = 'Name,Size(KB)\r\n"aten::add,\n out",512\r\n"cann::x",1.5\r\n'
    frame = table_of(tmp_path, "operator_memory", text)
    assert frame["name"].tolist() == ["aten::add,\n out", "cann::x"]
    assert frame["size_kb"].tolist() == [512.0, 1.5]


# --- what names mean --------------------------------------------------------------------------


def test_no_two_tables_claim_a_file_or_a_header_twice() -> None:
    files = [file for table in TABLES for file in table.files]
    assert len(files) == len(set(files))
    for table in TABLES:
        claimed = [header for column in table.columns for header in set(folded(column))]
        names = [column.name for column in table.columns]
        assert (len(claimed), len(names)) == (len(set(claimed)), len(set(names))), table.name


def folded(column: Column) -> list[str]:
    return [header.casefold() for header in column.headers]


def test_a_timeline_of_steps_is_a_table_of_steps_too() -> None:
    assert [table.name for table in BY_TRACE["step_trace"]] == ["step_trace", "timeline"]
    assert [table.name for table in BY_TRACE["msprof"]] == ["timeline"]


@pytest.mark.parametrize(
    ("table", "name", "header"),
    [
        ("acl", "start_ns", "Start Time"),
        ("timeline", "total_time_us", "dur"),
        ("timeline", "source", "source"),
        ("npu_mem", "no_such", "no_such"),
    ],
)
def test_a_message_names_the_header_where_there_is_one(table: str, name: str, header: str) -> None:
    assert BY_NAME[table].header_of(name) == header


@pytest.mark.parametrize(
    ("file", "rows"),
    [("acl", 1), ("runtime_api", 1), ("ge_op_execute", 1), ("ai_stack_time", 2), ("l2_cache", 2)],
)
def test_what_holds_the_whole_run_is_read_once(tmp_path: Path, file: str, rows: int) -> None:
    text = {"l2_cache": "Op Name\nconv\n", "runtime_api": "Name\nKernelLaunch\n"}.get(
        file, "Start Time\n1\n"
    )
    home = write(
        tmp_path / "PROF_000001_20220101000000000_ABCDEFGH",
        {f"device_0/summary/{file}_0_1_{step}.csv": text for step in (1, 2)},
    )
    assert len(open_profile(home).table(file)) == rows


# --- the sums of the first 310 ----------------------------------------------------------------


def test_sums_by_task_are_not_compared_with_tasks(tmp_path: Path) -> None:
    form = FORMS["task_time 310"]
    home = msprof(tmp_path, op_summary=op_summary(Op()), task_time=f"{form.header}\n{form.row}\n")
    profile = open_profile(home)
    (lane,) = profile.lanes
    rows = profile.lane_rows(lane, "op_summary")
    assert rows is not None
    assert len(rows) == 1
    assert {"kernel_type", "task_time_us", "task_start_ns"}.isdisjoint(profile.task_time)


def test_sums_by_task_do_not_tell_whether_two_folders_are_one_run(tmp_path: Path) -> None:
    form = FORMS["task_time 310"]
    for number in (1, 2):
        write(
            tmp_path / f"PROF_00000{number}_20220101000000000_ABCDEFGH",
            {"device_0/summary/task_time_0_1_1.csv": f"{form.header}\n" + f"{form.row}\n" * number},
        )
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value).endswith(
        "one of several profile folders, without start times that tell whether they are one "
        "run; keep one"
    )
