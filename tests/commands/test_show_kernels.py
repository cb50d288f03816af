"""What ``npuperf show`` says of kernels of ``msprof op``, and how many steps timelines cover."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from profile_tables import Op, csv, msprof, op_summary, step_trace, torch, write
from trace_files import complete, iteration, process, step_trace_json, trace

from pytest_npuperf.commands.render import plain
from pytest_npuperf.commands.show import as_json, look_at
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import open_profile

OPPROF = "OPPROF_20260402160352_ABCDEFGHIJKLMNOP"
INFO = (
    "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,"
    "Rated Freq,"
)
PIPES = (
    "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_time(us),aic_cube_ratio,"
    "aic_mte3_time(us),aiv_time(us),aiv_vec_time(us),aiv_mte2_time(us),aiv_scalar_wait_time(us)"
)
ABSENT = ("NA",) * 4


def info(
    name: str = "add", duration: str = "157.600006", mix: str = "NA", device: str = "0"
) -> str:
    """Return an OpBasicInfo, whose lines end in a comma."""
    row = (name, "vector", duration, "8", mix, device, "4711", "1500", "1650", "")
    return csv(INFO, row)


def cube(block: str, time: str, pipe: str = "60", mte3: str = "NA") -> tuple[str, ...]:
    return (block, "cube0", time, "9", pipe, "0.5", mte3, *ABSENT)


def vector(
    block: str, time: str, vec: str = "1.5", mte2: str = "5.5", core: str = "vector0"
) -> tuple[str, ...]:
    return (block, core, *ABSENT, "NA", time, vec, mte2, "30")


def opprof(folder: Path, **files: str) -> Path:
    """Write the tables of one kernel, and return their folder."""
    return write(folder / OPPROF, {f"{name}.csv": text for name, text in files.items()})


def shown(path: Path, by: str | None = None, top: int = 10) -> dict[str, Any]:
    document: dict[str, Any] = as_json(look_at(path, top, by))
    return document


def kernel_row(**cells: Any) -> dict[str, Any]:
    known = {"lane": "0", "kernel": None, "name": "add", "kind": "vector", "blocks": 8}
    clocks = {"clock_mhz": 1500, "rated_clock_mhz": 1650}
    return {**known, "mix_blocks": None, "duration_ns": 157_600, **clocks, **cells}


def core_row(**cells: Any) -> dict[str, Any]:
    names = ("median_ns", "max_ns", "max_above_median", "slowest", "pipe", "pipe_share")
    return {"lane": "0", "kernel": None, **dict.fromkeys(names), **cells}


def test_a_kernel_is_told_with_its_cores(tmp_path: Path) -> None:
    cores = csv(PIPES, vector("0", "7.5"), vector("1", "14.25", mte2="13"), vector("2", "7"))
    path = opprof(tmp_path, OpBasicInfo=info(), PipeUtilization=cores)
    document = shown(path)
    assert document["scope"] == {"ops": None, "timeline": None}
    assert document["areas"] == {
        "kernels": {"rows": [kernel_row()], "more": 0, "reason": ""},
        "kernel_cores": {
            "rows": [
                core_row(
                    core="vector",
                    count=3,
                    median_ns=7_500,
                    max_ns=14_250,
                    max_above_median=0.9,
                    slowest="1/vector0",
                    pipe="mte2",
                    pipe_share=24 / 28.75,
                )
            ],
            "more": 0,
            "reason": "",
        },
    }


def test_a_kernel_is_printed_without_the_areas_of_msprof(tmp_path: Path) -> None:
    cores = csv(PIPES, vector("0", "7.5"), vector("1", "14.25", mte2="13"))
    path = opprof(tmp_path, OpBasicInfo=info(), PipeUtilization=cores)
    facts, text = plain(look_at(path, 10, None), 100).split("\n\n", 1)
    assert facts.splitlines()[1] == "tables   op_basic_info, op_pipe_utilization"
    assert text == (
        "kernels by duration\n"
        "op   kind    blocks  mix blocks  duration   MHz  rated MHz\n"
        "add  vector       8           -    158 us  1500       1650\n"
        "\n"
        "cores of each kernel, slowest first\n"
        "core    cores   median      max   above  slowest    pipe    busy\n"
        "vector      2  10.9 us  14.2 us  31.0 %  1/vector0  mte2  85.1 %\n"
    )


def test_several_kernels_come_by_duration_and_cores_by_the_slowest(tmp_path: Path) -> None:
    files = {
        "add/0/OpBasicInfo_20260402160352123": info(duration="9.5"),
        "add/0/PipeUtilization_20260402160352123": csv(PIPES, vector("0", "7.5")),
        "mul/0/OpBasicInfo_20260402160352456": info("mul", "90.5", mix="16"),
        "mul/0/PipeUtilization_20260402160352456": csv(
            PIPES, vector("0", "20"), cube("0", "80"), vector("0", "21", core="vector1")
        ),
    }
    path = opprof(tmp_path, **files)
    areas = shown(path)["areas"]
    assert [(row["kernel"], row["duration_ns"]) for row in areas["kernels"]["rows"]] == [
        ("mul/0", 90_500),
        ("add/0", 9_500),
    ]
    assert areas["kernels"]["rows"][0]["mix_blocks"] == 16
    keys = ("kernel", "core", "count", "max_ns", "slowest", "pipe")
    assert [tuple(row[key] for key in keys) for row in areas["kernel_cores"]["rows"]] == [
        ("mul/0", "cube", 1, 80_000, "0/cube0", "cube"),
        ("mul/0", "vector", 2, 21_000, "0/vector1", "mte2"),
        ("add/0", "vector", 1, 7_500, "0/vector0", "mte2"),
    ]
    few = shown(path, top=1)["areas"]
    assert [(len(area["rows"]), area["more"]) for area in few.values()] == [(1, 1), (1, 2)]


def test_each_device_is_a_lane(tmp_path: Path) -> None:
    files = {
        f"device{device}/add/0/{name}": text
        for device in "01"
        for name, text in {
            "OpBasicInfo": info(device=device),
            "PipeUtilization": csv(PIPES, vector("0", f"{device}.5")),
        }.items()
    }
    areas = shown(opprof(tmp_path, **files))["areas"]
    assert [row["lane"] for row in areas["kernels"]["rows"]] == ["0/0", "0/1"]
    cores = [(row["lane"], row["max_ns"]) for row in areas["kernel_cores"]["rows"]]
    assert cores == [("0/0", 500), ("0/1", 1_500)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([vector("0", "7"), vector("1", "NA")], {"core": "vector", "count": 2}),
        (
            [vector("0", "7"), vector("1", "8", vec="NA")],
            {
                "core": "vector",
                "count": 2,
                "median_ns": 7_500,
                "max_ns": 8_000,
                "max_above_median": pytest.approx(1 / 15),
                "slowest": "1/vector0",
            },
        ),
        (
            [vector("0", "0", vec="0", mte2="0")],
            {"core": "vector", "count": 1, "median_ns": 0, "max_ns": 0, "slowest": "0/vector0"},
        ),
        ([vector("0", "7", core="simt0")], {"core": "simt", "count": 1}),
    ],
    ids=["a core without a time", "a pipe without a time", "no time at all", "an unknown core"],
)
def test_what_some_core_does_not_say_is_absent(
    tmp_path: Path, rows: list[tuple[str, ...]], expected: dict[str, Any]
) -> None:
    path = opprof(tmp_path, OpBasicInfo=info(), PipeUtilization=csv(PIPES, *rows))
    assert shown(path, "core")["areas"]["kernel_cores"]["rows"] == [core_row(**expected)]


def test_an_unknown_clock_is_absent(tmp_path: Path) -> None:
    path = opprof(tmp_path, OpBasicInfo=info().replace("1500", "-1"))
    assert shown(path, "op")["areas"]["kernels"]["rows"] == [kernel_row(clock_mhz=None)]


def test_a_core_without_a_time_comes_last(tmp_path: Path) -> None:
    cores = csv(PIPES, vector("0", "NA"), cube("0", "0", pipe="0"))
    path = opprof(tmp_path, OpBasicInfo=info(), PipeUtilization=cores)
    found = shown(path, "core")["areas"]["kernel_cores"]["rows"]
    assert [(row["core"], row["max_ns"]) for row in found] == [("cube", 0), ("vector", None)]


def test_chips_with_one_kind_of_core_do_not_name_it(tmp_path: Path) -> None:
    header = "Op Name,Op Type,Task Duration(us),Block Dim,Device Id,Pid"
    kernel = csv(header, ("add", "NA", "NA", "NA", "0", "4711"))
    cores = csv("aic_time(us),aic_vec_time(us),aic_vec_ratio", ("4", "3", "0.75"), ("6", "3", "1"))
    path = opprof(tmp_path, OpBasicInfo=kernel, PipeUtilization=cores)
    areas = shown(path)["areas"]
    absent = dict.fromkeys(("kind", "blocks", "duration_ns", "clock_mhz", "rated_clock_mhz"))
    assert areas["kernels"]["rows"] == [kernel_row(**absent)]
    numbers = {"median_ns": 5_000, "max_ns": 6_000, "max_above_median": 0.2}
    assert areas["kernel_cores"]["rows"] == [
        core_row(core=None, count=2, **numbers, pipe="vec", pipe_share=0.6)
    ]


@pytest.mark.parametrize(
    ("name", "header", "cells", "numbers"),
    [
        (
            "Memory",
            "block_id,sub_block_id,aiv_time(us),aiv_mte2_ratio",
            ("3", "vector1", "7", "0.5"),
            {"median_ns": 7_000, "max_ns": 7_000, "max_above_median": 0, "slowest": "3/vector1"},
        ),
        ("L2Cache", "block_id,sub_block_id,aiv_read_cache_hit", ("3", "vector1", "7"), {}),
    ],
)
def test_other_tables_know_the_times_but_not_the_pipes(
    tmp_path: Path, name: str, header: str, cells: tuple[str, ...], numbers: dict[str, Any]
) -> None:
    path = opprof(tmp_path, OpBasicInfo=info(), **{name: csv(header, cells)})
    (row,) = shown(path)["areas"]["kernel_cores"]["rows"]
    assert row == core_row(core="vector", count=1, **numbers)


def test_a_kernel_without_metrics_says_what_its_cores_need(tmp_path: Path) -> None:
    area = shown(opprof(tmp_path, OpBasicInfo=info()))["areas"]["kernel_cores"]
    assert area["rows"] == []
    assert area["reason"].startswith("needs op_pipe_utilization or op_arithmetic_utilization or ")


def test_a_table_of_cores_alone_is_enough_for_them(tmp_path: Path) -> None:
    path = write(tmp_path, {"PipeUtilization.csv": csv(PIPES, vector("0", "7"))})
    areas = shown(path / "PipeUtilization.csv")["areas"]
    assert areas["kernels"]["reason"] == "needs op_basic_info"
    assert [row["max_ns"] for row in areas["kernel_cores"]["rows"]] == [7_000]


@pytest.mark.parametrize(
    ("by", "areas"),
    [("op", ["kernels"]), ("core", ["kernel_cores"]), ("api", ["apis"]), ("type", ["op_types"])],
)
def test_by_chooses_what_the_profile_is_about(tmp_path: Path, by: str, areas: list[str]) -> None:
    document = shown(opprof(tmp_path, OpBasicInfo=info()), by)
    assert (list(document["areas"]), document["scope"]) == (areas, None)


def test_tables_of_both_kinds_give_the_areas_of_both(tmp_path: Path) -> None:
    path = write(tmp_path, {"OpBasicInfo.csv": info(), "op_summary.csv": op_summary(Op())})
    assert {"lanes", "ops", "kernels", "kernel_cores"} <= set(shown(path)["areas"])
    assert list(shown(path, "op")["areas"]) == ["ops", "kernels"]


# --- how many steps a timeline covers ---------------------------------------------------------

EVENTS = trace([*process("Ascend Hardware"), complete("MatMul", 2.0)])
HOME = "device_0/timeline"
SINGLE = Wanted("timeline_time", "Ascend Hardware")
PER_STEP = Wanted("timeline_time_per_step", "Ascend Hardware")


def layers(path: Path) -> list[tuple[object, ...]]:
    rows = shown(path, "layer")["areas"]["layers"]["rows"]
    return [(row["source"], row["steps"], row["total_ns"]) for row in rows]


def test_a_timeline_of_single_steps_is_no_run(tmp_path: Path) -> None:
    steps = step_trace_json(*(iteration(number) for number in range(1, 5)))
    files = {f"{HOME}/msprof_0_2_1.json": EVENTS, f"{HOME}/msprof_0_2_3.json": EVENTS}
    path = write(tmp_path, {**files, f"{HOME}/step_trace_0_2_1.json": steps})
    assert shown(path)["scope"] == {"ops": None, "timeline": "step"}
    assert layers(path) == [("step_trace", 4, 42_000), ("msprof", 2, 4_000)]
    # As the gate has it, which refuses the total of it and divides by the same steps.
    values = measure(open_profile(path), [SINGLE, PER_STEP]).lanes["0"].values
    assert values[SINGLE].reason == (
        "the profile holds single steps, not the whole run; write timeline_time_per_step"
    )
    assert values[PER_STEP].value == 4_000 / 2


def test_a_timeline_of_the_run_has_its_steps(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=5_000, step="2"), form="torch")
    path = torch(tmp_path, kernel_details=ops)
    write(path, {"ASCEND_PROFILER_OUTPUT/trace_view.json": EVENTS})
    assert shown(path)["scope"] == {"ops": "run", "timeline": "run"}
    assert layers(path) == [("trace_view", 2, 2_000)]
    values = measure(open_profile(path), [SINGLE, PER_STEP]).lanes["0"].values
    assert values[SINGLE].value == 2_000
    assert values[PER_STEP].value == 1_000


def test_op_tables_and_timeline_may_differ(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=10_000))
    steps = step_trace((0, 1, 1, 9_000, 9_000), (0, 1, 2, 19_000, 9_000))
    path = msprof(tmp_path, op_summary=ops, step_trace=steps)
    write(path, {"mindstudio_profiler_output/msprof_0_1_1.json": EVENTS})
    assert shown(path)["scope"] == {"ops": "run", "timeline": "step"}
    assert layers(path) == [("msprof", 1, 2_000)]


def test_the_steps_of_a_timeline_may_be_unknown(tmp_path: Path) -> None:
    path = write(tmp_path, {"msprof_20260101000000.json": EVENTS})
    assert shown(path)["scope"] == {"ops": None, "timeline": "run"}
    assert layers(path) == [("msprof", None, 2_000)]
