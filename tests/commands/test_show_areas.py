"""The numbers of ``npuperf show``: exact, the same as the gate's, and absent where they are."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from profile_tables import (
    Op,
    api_statistic,
    csv,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    step_trace_time,
    torch,
    write,
)
from trace_files import complete, process, trace

from pytest_npuperf.commands import host_areas
from pytest_npuperf.commands.area import Area
from pytest_npuperf.commands.show import as_json, look_at
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, Wanted
from pytest_npuperf.profile import Lane, open_profile

Rows = list[dict[str, Any]]


def areas(path: Path, by: str | None = None, top: int = 10) -> dict[str, Any]:
    found: dict[str, Any] = as_json(look_at(path, top, by))["areas"]
    return found


def rows(path: Path, by: str, area: str, top: int = 10) -> Rows:
    found: Rows = areas(path, by, top)[area]["rows"]
    return found


def test_the_document_says_what_the_profile_is(profile: Path) -> None:
    write(profile, {"mindstudio_profiler_output/README.txt": "unknown"})
    document = as_json(look_at(profile, 10, None))
    assert {key: document[key] for key in document if key not in ("areas", "version")} == {
        "format": 1,
        "profile": str(profile),
        "scope": {"ops": "run", "timeline": None},
        "tables": ["op_summary", "op_statistic", "step_trace", "api_statistic"],
        "unread": ["README.txt"],
        "lost": [],
        "notes": [],
    }
    assert list(document["areas"]) == [
        *("lanes", "layers", "op_types", "ops", "cores", "step_time", "steps"),
        *("apis", "fusion", "memory", "advice"),
    ]


UNDERFLOW = "step_trace lacks 1 reduce duration: msprof wrote an underflow"
LEFT_OUT = "1 row marked WRITE_BACK or INVALID is left out"
ALONE = "nothing to check op_summary against: neither op_statistic nor task_time is there"


@pytest.mark.parametrize(
    ("by", "notes"),
    [
        (None, [LEFT_OUT, ALONE, UNDERFLOW]),
        ("step", [UNDERFLOW]),
        ("type", [LEFT_OUT, ALONE]),
        ("op", [LEFT_OUT, ALONE]),
        ("core", [LEFT_OUT, ALONE]),
        ("api", []),
        ("layer", []),
    ],
)
def test_what_is_to_be_known_of_the_tables_is_told(
    tmp_path: Path, by: str | None, notes: list[str]
) -> None:
    trace = step_trace((0, 1, 1, 9000, 9000), reduces=1)
    path = msprof(
        tmp_path,
        op_summary=op_summary(Op(), Op("Old", "INVALID", 2000)),
        step_trace=trace.replace(",1\n", ",1,1784177503947983.147\t,18446744073709521.304\n"),
    )
    assert as_json(look_at(path, 10, by))["notes"] == notes


def test_where_tables_differ_is_told_of_a_whole_profile(tmp_path: Path) -> None:
    details = op_summary(Op(duration=3000), Op(start=9000, step="2"), form="torch")
    text = step_trace_time(("0", "1", "9"), ("0", "2", "9")).replace(",1,0,0,", ",5,0,0,")
    path = torch(tmp_path, kernel_details=details, step_trace_time=text)
    (doubt,) = open_profile(path).doubts
    assert as_json(look_at(path, 10, None))["notes"][0] == doubt
    assert doubt not in as_json(look_at(path, 10, "step"))["notes"]


def test_lanes_have_the_totals_of_the_gate(profile: Path) -> None:
    assert areas(profile)["lanes"]["rows"] == [
        {
            "lane": "0",
            "device": "0",
            "steps": 2,
            "kernel_count": 4,
            "kernel_time_ns": 10_000,
            "kernel_time_per_step_ns": 5_000,
            "compute_time_ns": 10_000,
            "window_time_ns": 20_000,
            "idle_share": 0.4,
        }
    ]


def op_type(type_: str | None, core: str | None, *numbers: float | None) -> dict[str, Any]:
    names = ("count", "total_ns", "share", "mean_ns", "max_ns")
    found = dict(zip(names, numbers, strict=True))
    return {"lane": "0", "type": type_, "core": core, **found}


def test_op_types_come_by_total_time_and_communication_is_no_share(profile: Path) -> None:
    assert rows(profile, "type", "op_types") == [
        op_type("Conv2D", "AI_CORE", 2, 8_000, 0.8, 4_000, 5_000),
        op_type("allReduce", "HCCL", 1, 2_000, None, 2_000, 2_000),
        op_type("Add", "AI_VECTOR_CORE", 1, 1_000, 0.1, 1_000, 1_000),
        op_type("Cast", "AI_VECTOR_CORE", 1, 1_000, 0.1, 1_000, 1_000),
    ]


def test_numbers_of_op_types_are_those_of_ops_rules(profile: Path) -> None:
    names = {"count": "count", "total_ns": "total", "mean_ns": "mean", "max_ns": "max"}
    for row in rows(profile, "type", "op_types"):
        select = Selector(type=(row["type"],), task_type=(row["core"],))
        wanted = {key: Wanted("ops", name, select) for key, name in names.items()}
        if row["share"] is not None:
            wanted["share"] = Wanted("ops", "share", select)
        found = measure(open_profile(profile), wanted.values()).lanes["0"].values
        measured = {key: found[number].value for key, number in wanted.items()}
        assert measured == {key: Fraction(str(row[key])) for key in wanted}


@pytest.mark.parametrize(("top", "shown", "more"), [(1, 1, 3), (3, 3, 1), (4, 4, 0), (9, 4, 0)])
def test_top_leaves_the_rest_out_and_counts_it(
    profile: Path, top: int, shown: int, more: int
) -> None:
    for by, area in (("type", "op_types"), ("op", "ops")):
        found = areas(profile, by, top)[area]
        assert (len(found["rows"]), found["more"], found["reason"]) == (shown, more, "")


def test_a_total_with_an_absent_part_is_absent(tmp_path: Path) -> None:
    ops = (
        Op("Conv2D", duration=3_000, name="conv_1"),
        Op("Conv2D", start=4_000, duration="N/A", name="conv_2"),
        Op("Add", start=8_000, duration=1_000, name="add_1"),
    )
    path = msprof(tmp_path, op_summary=op_summary(*ops))
    assert rows(path, "type", "op_types") == [
        op_type("Add", "AI_CORE", 1, 1_000, None, 1_000, 1_000),
        op_type("Conv2D", "AI_CORE", 2, None, None, None, None),
    ]
    durations = {row["name"]: row["duration_ns"] for row in rows(path, "op", "ops")}
    assert durations == {"conv_1": 3_000, "add_1": 1_000, "conv_2": None}


def test_rows_that_are_no_work_are_left_out(tmp_path: Path) -> None:
    ops = (Op("Conv2D"), Op("Conv2D", "WRITE_BACK", start=2_000, name="back_1"))
    path = msprof(tmp_path, op_summary=op_summary(*ops))
    assert [row["core"] for row in rows(path, "core", "cores")] == ["AI_CORE"]
    assert [row["name"] for row in rows(path, "op", "ops")] == ["conv_1"]


def test_an_op_that_runs_often_is_one_line_with_its_longest_run(profile: Path) -> None:
    found = rows(profile, "op", "ops", top=2)
    assert found == [
        {
            "lane": "0",
            "name": "conv_1",
            "type": "Conv2D",
            "core": "AI_CORE",
            "count": 2,
            "start_ns": 10_000,
            "duration_ns": 5_000,
        },
        {
            "lane": "0",
            "name": "hcom_allReduce_1",
            "type": "allReduce",
            "core": "HCCL",
            "count": 1,
            "start_ns": 18_000,
            "duration_ns": 2_000,
        },
    ]


def test_an_absent_start_is_absent_and_not_the_first(tmp_path: Path) -> None:
    ops = (Op(start=5_000, name="a"), Op(start="N/A", name="b"), Op(start=8_000, name="c"))
    path = msprof(tmp_path, op_summary=op_summary(*ops))
    starts = {row["name"]: row["start_ns"] for row in rows(path, "op", "ops")}
    assert starts == {"a": 0, "b": None, "c": 3_000}


def test_level_0_says_neither_type_nor_core(tmp_path: Path) -> None:
    ops = (
        Op("N/A", "N/A", duration=3_000, name="conv_1"),
        Op("N/A", "N/A", start=4_000, duration=1_000, name="add_1"),
    )
    path = torch(tmp_path, kernel_details=op_summary(*ops, form="level0"))
    assert rows(path, "type", "op_types") == [op_type(None, None, 2, 4_000, 1, 2_000, 3_000)]
    assert [row["name"] for row in rows(path, "op", "ops")] == ["conv_1", "add_1"]


def test_an_op_statistic_alone_gives_types_and_cores(tmp_path: Path) -> None:
    ops = (
        Op("Conv2D", duration=3_000),
        Op("Conv2D", duration=5_000),
        Op("Add", "AI_VECTOR_CORE", duration=2_000),
        Op("Cast", "AI_VECTOR_CORE", duration=0),
    )
    path = write(tmp_path, {"op_statistic.csv": op_statistic(*ops)}) / "op_statistic.csv"
    found = areas(path)
    assert found["op_types"]["rows"] == [
        op_type("Conv2D", "AI_CORE", 2, 8_000, 0.8, 4_000, 5_000),
        op_type("Add", "AI_VECTOR_CORE", 1, 2_000, 0.2, 2_000, 2_000),
        op_type("Cast", "AI_VECTOR_CORE", 1, 0, 0, 0, 0),
    ]
    assert [(row["core"], row["total_ns"]) for row in found["cores"]["rows"]] == [
        ("AI_CORE", 8_000),
        ("AI_VECTOR_CORE", 2_000),
    ]
    assert found["lanes"]["rows"][0]["kernel_time_ns"] == 10_000
    assert found["lanes"]["rows"][0]["window_time_ns"] is None
    assert {key: area["reason"] for key, area in found.items() if area["reason"]} == {
        "layers": "needs timeline",
        "ops": "needs op_summary",
        "step_time": "needs step_trace or step_trace_time",
        "steps": "needs step_trace or step_trace_time",
        "apis": "needs api_statistic or acl_statistic",
        "fusion": "needs fusion_op",
        "memory": "needs npu_mem or memory_record",
        "advice": "needs prof_rule",
    }


def test_an_op_statistic_without_cores_has_no_shares(tmp_path: Path) -> None:
    text = csv("OP Type,Count,Total Time(us)", ("Conv2D", "2", "8"), ("Add", "0", "0"))
    path = write(tmp_path, {"op_statistic.csv": text})
    assert rows(path, "type", "op_types") == [
        op_type("Conv2D", None, 2, 8_000, None, 4_000, None),
        op_type("Add", None, 0, 0, None, None, None),
    ]


def test_several_ranks_have_a_lane_each_and_their_own_top(tmp_path: Path) -> None:
    for rank in (0, 1):
        ops = (Op(duration=1_000 + rank), Op(start=4_000, duration=10, name="conv_2"))
        torch(tmp_path / f"rank{rank}_ascend_pt", kernel_details=op_summary(*ops, form="torch"))
    found = rows(tmp_path, "op", "ops", top=1)
    assert [(row["lane"], row["duration_ns"]) for row in found] == [("0/0", 1_000), ("1/0", 1_001)]


# --- steps ------------------------------------------------------------------------------------


def test_steps_come_by_time_and_the_statistics_are_those_of_the_gate(profile: Path) -> None:
    found = areas(profile, "step")
    assert found["steps"]["rows"] == [
        {"lane": "0", "step": "2", "model": "1", "time_ns": 10_500},
        {"lane": "0", "step": "1", "model": "1", "time_ns": 9_500},
    ]
    assert found["step_time"]["rows"] == [
        {"lane": "0", "count": 1, "p50_ns": 10_500, "p95_ns": 10_500, "max_ns": 10_500}
    ]


def test_steps_are_those_of_the_model_with_most_of_them(tmp_path: Path) -> None:
    trace = step_trace((0, 7, 1, 100, 90), (0, 8, 1, 200, 50), (0, 8, 2, 300, 60))
    path = msprof(tmp_path, step_trace=trace)
    found = [(row["model"], row["time_ns"]) for row in rows(path, "step", "steps")]
    assert found == [("8", 60), ("8", 50)]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_table_without_a_column_that_is_read_anyhow_has_rows(tmp_path: Path, suffix: str) -> None:
    cells = {"csv": "Op Name\nconv\nconv\n", "json": '[{"Op Name": "conv"}, {"Op Name": "conv"}]'}
    write(tmp_path, {f"op_summary_1.{suffix}": cells[suffix]})
    (op,) = rows(tmp_path, "op", "ops")
    absent = dict.fromkeys(("type", "core", "start_ns", "duration_ns"))
    assert op == {"lane": "0", "name": "conv", "count": 2, **absent}
    (lane,) = areas(tmp_path)["lanes"]["rows"]
    assert (lane["lane"], lane["kernel_time_ns"]) == ("0", None)


@pytest.mark.parametrize("table", ["op_summary", "op_statistic", "api_statistic", "step_trace"])
@pytest.mark.parametrize("header", ["Op Name;Count", "this,that"])
def test_a_table_without_any_column_of_its_name_is_not_shown(
    tmp_path: Path, table: str, header: str
) -> None:
    path = write(tmp_path, {f"{table}_1.csv": f"{header}\n1,2\n"}) / f"{table}_1.csv"
    with pytest.raises(ProfileError) as caught:
        look_at(tmp_path, 10, None)
    wanted = {
        "op_summary": "Step Id, Infer ID, Model ID",
        "op_statistic": "Model Name, OP Type, Core Type",
        "api_statistic": "Level, API Name, Time(us)",
        "step_trace": "Iteration ID, Iteration Time(us), Iteration End(us)",
    }
    found = {
        "Op Name;Count": ':1: the columns are separated by ";", and "," is wanted; export the '
        "file again: a spreadsheet that saved it may have changed numbers, too",
        "this,that": f": no column of {table}, such as {wanted[table]}; there is this, that; "
        "export the file again, or rename it if it holds something else",
    }
    assert str(caught.value) == f"{path}{found[header]}"


def test_a_column_that_is_not_there_is_absent(tmp_path: Path) -> None:
    path = write(tmp_path, {"api_statistic.csv": csv("API Name,Time(us)", ("aclInit", "3"))})
    (row,) = rows(path, "api", "apis")
    assert (row["level"], row["count"], row["total_ns"], row["mean_ns"]) == (
        None,
        None,
        3_000,
        None,
    )


def test_stages_of_a_framework_are_steps(tmp_path: Path) -> None:
    stages = step_trace_time(("0", "7", "30.5"), ("0", "8", "20"), ("0", "9", "N/A"))
    path = torch(tmp_path, step_trace_time=stages)
    found = areas(path, "step")
    assert [(row["step"], row["time_ns"]) for row in found["steps"]["rows"]] == [
        ("7", 30_500),
        ("8", 20_000),
        ("9", None),
    ]
    assert found["step_time"] == {
        "rows": [],
        "more": 0,
        "reason": "step_trace_time has no time in row 3",
    }


# --- the host ---------------------------------------------------------------------------------


def test_apis_come_by_total_time(profile: Path) -> None:
    names = ("name", "count", "total_ns", "mean_ns", "max_ns")
    found = [tuple(row[name] for name in names) for row in rows(profile, "api", "apis")]
    assert found == [
        ("aclmdlExecute", 2, 40_500, 20_250, 20_500),
        ("launch", 0, 0, None, 0),
        ("aclrtMalloc", 3, None, None, 2_000),
    ]


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("api_statistic", "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us)"),
        ("acl_statistic", "Device_id,Type,Name,Time(us),Count,Avg(us),Min(us),Max(us)"),
    ],
)
def test_a_table_of_apis_alone_is_enough(tmp_path: Path, name: str, header: str) -> None:
    row = ("host", "acl", "aclInit", "3", "2", "1.5", "1", "2")
    path = write(tmp_path, {f"{name}.csv": csv(header, row)})
    assert areas(path)["apis"]["rows"] == [
        {
            "lane": "0",
            "level": "acl",
            "name": "aclInit",
            "count": 2,
            "total_ns": 3_000,
            "mean_ns": 1_500,
            "max_ns": 2_000,
        }
    ]


def test_apis_of_a_process_with_two_devices_are_told_once(tmp_path: Path) -> None:
    ops = (Op(device="0"), Op(device="1", start=5))
    apis = api_statistic(("host", "acl", "aclInit", "3", "2", "1.5", "1", "2"))
    path = msprof(tmp_path, op_summary=op_summary(*ops), api_statistic=apis)
    assert [row["lane"] for row in rows(path, "op", "ops")] == ["0/0", "0/1"]
    assert [row["lane"] for row in rows(path, "api", "apis")] == ["0/*"]


def test_fusion_is_counted(profile: Path) -> None:
    header = "Model Name,Model ID,Fusion Op,Original Ops"
    text = csv(header, ("m", "1", "conv_relu", "conv;relu"), ("m", "1", "add_cast", "add;cast"))
    write(profile, {"mindstudio_profiler_output/fusion_op_20260101000000.csv": text})
    assert areas(profile)["fusion"]["rows"] == [{"lane": "0", "fused_count": 2}]


def test_memory_peaks_are_the_metrics(profile: Path) -> None:
    text = csv(
        "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)",
        ("0", "APP", "0", "8", "8", "1"),
        ("0", "APP", "0", "4.5", "4.5", "2"),
        ("0", "Device", "0", "90", "90", "1"),
    )
    write(profile, {"mindstudio_profiler_output/npu_mem_20260101000000.csv": text})
    assert areas(profile)["memory"]["rows"] == [
        {
            "lane": "0",
            "memory_peak_bytes": 8_192,
            "allocated_memory_peak_bytes": None,
            "reserved_memory_peak_bytes": None,
        }
    ]


def test_memory_that_is_not_measured_says_why(profile: Path) -> None:
    text = csv("Device_id,event,memory(KB),timestamp(us)", ("0", "Device", "90", "1"))
    write(profile, {"mindstudio_profiler_output/npu_mem_20260101000000.csv": text})
    assert areas(profile)["memory"] == {
        "rows": [],
        "more": 0,
        "reason": "npu_mem has no row of the event APP, which is the process; it has Device",
    }


# --- tables as the profile gives them ---------------------------------------------------------


class Unit:
    def __init__(self, tables: dict[str, pd.DataFrame]) -> None:
        self._tables = tables

    def of(self, table: str) -> tuple[str, ...]:
        return (table,) if table in self._tables else ()


class Stub:
    """A profile of one lane with the frames that a test gives."""

    def __init__(self, **tables: pd.DataFrame) -> None:
        self.lanes = (Lane("0", 0, "0"),)
        self.units = (Unit(tables),)
        self._tables = tables

    def lane_rows(self, _: Lane, table: str) -> pd.DataFrame | None:
        return self._tables.get(table)

    def unit_rows(self, _: int, table: str, __: object = ()) -> pd.DataFrame:
        return self._tables[table]


def categories(**columns: list[str | None]) -> dict[str, Any]:
    return {name: pd.Categorical(texts) for name, texts in columns.items()}


def content(area: Area) -> list[tuple[object, ...]]:
    return [row[1:] for row in area.rows]


def test_layers_come_by_total_time_with_the_heaviest_name(tmp_path: Path) -> None:
    cann = [
        *(complete("launch", dur, tid=tid) for tid, dur in ((1, 1.5), (1, 0.5), (2, 3.0))),
        complete("wait", 4.5, tid=1),
    ]
    odd = {**complete("odd", pid=9), "ph": "B"}
    sent = [complete("send", dur) for dur in (9.0, 6.0, 5.0)]
    write(
        tmp_path,
        {
            "msprof_20260101000000.json": trace([*process("CANN"), *cann, odd]),
            "hccl_20260101000000.json": trace([*process("HCCL"), *sent]),
        },
    )
    found = areas(tmp_path, "layer")["layers"]["rows"]
    keys = ("source", "layer", "count", "total_ns", "max_ns", "longest_name")
    assert [tuple(row[key] for key in keys) for row in found] == [
        ("hccl", "HCCL", 3, 20_000, 9_000, "send"),
        ("msprof", "CANN", 4, 9_500, 4_500, "launch"),
        ("msprof", None, 1, None, None, "odd"),
    ]
    assert areas(tmp_path, "layer", top=1)["layers"]["more"] == 2


def test_advice_is_told_as_it_stands() -> None:
    names = ("rule_type", "rule_subtype", "suggestion", "op_names")
    cells = ["Computation", None, "use a larger block", "conv_1;conv_2"]
    stub: Any = Stub(
        prof_rule=pd.DataFrame(categories(**{n: [c] for n, c in zip(names, cells, strict=True)}))
    )
    assert content(host_areas.advice(stub, 10)) == [tuple(cells)]


def test_a_table_without_rows_says_so() -> None:
    empty: dict[str, list[str | None]] = {"rule_type": [], "suggestion": []}
    stub: Any = Stub(prof_rule=pd.DataFrame(categories(**empty)))
    assert host_areas.advice(stub, 10).reason == "the table has no row"
