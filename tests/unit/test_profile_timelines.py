"""Each timeline as the oldest release that has it wrote it, and as it is written now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from profile_tables import STAMP, write
from trace_files import Event, complete, iteration, metadata, process, trace

from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_TRACE

HOME = "PROF_000001_20260101000000000_ABCDEFGH"
OLD, HOST = "device_0/timeline/NAME_0_2_1.json", "host/timeline/NAME.json"
MERGED = f"mindstudio_profiler_output/NAME_{STAMP}.json"
CANN, HARDWARE = 90075391, 90075552  # processes


class Form(NamedTuple):
    """How one generation wrote a timeline: file, events; and what its row with most time means."""

    file: str
    place: str
    events: Sequence[Event]
    means: Mapping[str, object]


def old(layer: str, name: str, tid: object = 16027, thread: str | None = None) -> list[Event]:
    """Return a layer of a source of its own: numbers, times since boot, no labels."""
    named = [] if thread is None else [metadata("thread_name", thread, 10036, tid)]
    return [
        *process(layer, pid=10036),
        *named,
        complete(name, 23.1, 10036, tid, ts=56635864664.91, args={"Mode": "ACL_RTS"}),
    ]


def now(layer: str, label: str, name: str, pid: int, thread: str) -> list[Event]:
    """Return a layer of today, whose names come last."""
    return [
        complete(name, 23.1, pid, 46, ts="1784216647596110.805"),
        *process(layer, label, pid),
        metadata("thread_name", thread, pid, 46),
    ]


def means(layer: str | None, thread: str | None, name: str) -> dict[str, object]:
    return {"layer": layer, "thread": thread, "name": name, "count": 1.0, "total_time_us": 23.1}


STEP = {"Iteration ID": 1, "Iteration End": 56635912240.3}

FORMS = {
    "msprof 2022": Form(
        "msprof",
        OLD,
        [
            *old("Task Scheduler", "conv_1", tid="Stream 2"),
            # A process was its name, before it had a number.
            complete("aclmdlExecute", 9.0, "AscendCL", 16027),
        ],
        {**means("Task Scheduler", "Stream 2", "conv_1"), "device_id": "0"},
    ),
    "msprof": Form(
        "msprof",
        MERGED,
        [
            *now("Ascend Hardware", "NPU 3", "matmul_kernel", HARDWARE, "Stream 46"),
            *process("CANN", "CPU", CANN),
            complete("Node@launch", 0.45077999999999996, CANN, 88000),
        ],
        {**means("Ascend Hardware", "Stream 46", "matmul_kernel"), "device_id": "3"},
    ),
    "acl": Form(
        "acl",
        OLD,
        old("AscendCL", "aclmdlExecute"),
        means("AscendCL", None, "aclmdlExecute"),
    ),
    "ai_stack_time": Form(
        "ai_stack_time",
        OLD,
        old("AI Stack Time", "Infer", 1, "GE"),
        means("AI Stack Time", "GE", "Infer"),
    ),
    "ge": Form("ge", HOST, old("GE", "GE@Infer"), means("GE", None, "GE@Infer")),
    # The same as acl, ge, ge_op_execute and runtime_api, by thread; no event names the process.
    "thread_group": Form(
        "thread_group",
        OLD,
        [
            complete("ACL@aclmdlExecute", 23.1, 10036, "Thread 16027", args={"Mode": "ACL_MODEL"}),
            complete("GE@Infer", 21.5, 10036, "Thread 16027", args={"Model Name": None}),
            complete("GE_OP_EXECUTE@Add_Tiling", 12.5, 10036, "Thread 16028"),
            complete("Runtime@KernelLaunch", 8.0, 10036, "Thread 16027"),
        ],
        means(None, "Thread 16027", "ACL@aclmdlExecute"),
    ),
    "ge_op_execute": Form(
        "ge_op_execute",
        HOST,
        old("GeOPExecute", "Add_Tiling"),
        means("GeOPExecute", None, "Add_Tiling"),
    ),
    "runtime_api": Form(
        "runtime_api",
        OLD,
        old("Runtime", "KernelLaunch"),
        means("Runtime", None, "KernelLaunch"),
    ),
    "hccl": Form(
        "hccl",
        OLD,
        old("HCCL", "Notify_Wait", 1, "Plane 1"),
        means("HCCL", "Plane 1", "Notify_Wait"),
    ),
    "task_time 2022": Form(
        "task_time",
        OLD,
        old("Task Scheduler", "conv_1", tid="Stream 2"),
        means("Task Scheduler", "Stream 2", "conv_1"),
    ),
    "task_time": Form(
        "task_time",
        f"device_3/timeline/NAME_3_1_{STAMP}.json",
        now("Ascend Hardware", "NPU 3", "conv_1", HARDWARE, "Stream 46"),
        {**means("Ascend Hardware", "Stream 46", "conv_1"), "device_id": "3"},
    ),
    "step_trace 2022": Form(
        "step_trace",
        OLD,
        [
            *process("Step Trace", pid=10036),
            metadata("thread_name", "Model ID:2", 10036, 10036),
            {
                **iteration(
                    1, 23.1, {**STEP, "Iteration Time(ns)": 23100.0}, 10036, 56635864652.49
                ),
                "pid": 10036,
            },
        ],
        means("Step Trace", "Model ID:2", "Iteration 1"),
    ),
    "step_trace": Form(
        "step_trace",
        MERGED,
        [
            iteration(1, 23.1, {**STEP, "Iteration Time(us)": 23.1}, ts="1784216647596110.805"),
            *process("Step Trace", "NPU 0"),
            metadata("thread_name", "Step Trace(Model ID:2)", tid=70002),
        ],
        {**means("Step Trace", "Step Trace(Model ID:2)", "Iteration 1"), "device_id": "0"},
    ),
    "trace_view": Form(
        "trace_view",
        "ASCEND_PROFILER_OUTPUT/NAME.json",
        [
            *now("Ascend Hardware", "NPU", "aclnnMatmul", 3, "Stream 2"),
            complete("aten::mm", 9.0, 1, 16027, cat="cpu_op"),
        ],
        means("Ascend Hardware", "Stream 2", "aclnnMatmul"),
    ),
}


def opened(tmp_path: Path, name: str, table: str) -> pd.DataFrame:
    form = FORMS[name]
    write(tmp_path / HOME, {form.place.replace("NAME", form.file): trace(form.events)})
    frame: pd.DataFrame = open_profile(tmp_path / HOME).table(table)
    return frame


@pytest.mark.parametrize("name", FORMS)
def test_a_timeline_means_the_same_in_every_generation(tmp_path: Path, name: str) -> None:
    form = FORMS[name]
    frame = opened(tmp_path, name, "timeline")
    ordered = frame.sort_values("total_time_us", ascending=False).astype(object)
    most = {str(key): None if pd.isna(cell) else cell for key, cell in ordered.iloc[0].items()}
    assert form.means.items() <= most.items()
    assert len(frame) == sum(event["ph"] == "X" for event in form.events)
    assert set(frame["source"]) == {form.file}


@pytest.mark.parametrize("name", ["step_trace 2022", "step_trace"])
def test_steps_of_a_timeline_mean_the_same_in_every_generation(tmp_path: Path, name: str) -> None:
    frame = opened(tmp_path, name, "step_trace")
    assert frame[["iteration_id", "model_id", "iteration_time_us"]].to_numpy().tolist() == [
        ["1", "2", 23.1]
    ]


def test_every_timeline_has_a_form_here() -> None:
    assert {form.file for form in FORMS.values()} == set(BY_TRACE)
