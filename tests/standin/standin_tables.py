"""Write the tables of one profiled process as today's msprof does, with given numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

# 2026-07-16, in ns of Unix time.
FIRST_NS = 1_784_177_503_947_983_147
GAP_NS = 1_000
STEP_GAP_NS = 10_000
NONE = 4294967295

OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles,aic_mac_ratio,aic_mte2_ratio,aiv_time(us),aiv_total_cycles,"
    "aiv_vec_ratio,cube_utilization(%)"
)
OP_STATISTIC = (
    "Device_id,OP Type,Core Type,Count,"
    "Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"
)
STEP_TRACE = (
    "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
    "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID"
)
TASK_TIME = (
    "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)"
)
API_STATISTIC = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
SHAPES = '"""1,64,56,56;64,64,3,3"""'


class Task(NamedTuple):
    """One execution of an operator; times in ns."""

    name: str
    type: str
    core: str
    step: int
    start: int
    duration: int

    @property
    def end(self) -> int:
        return self.start + self.duration


def write_tables(numbers: Path, profile: Path, stamps: Sequence[str]) -> None:
    """Write every table; ``stamps`` are the times of the export, which differ between files."""
    content = json.loads(numbers.read_text(encoding="utf-8"), parse_float=Decimal)
    steps = content["steps"]
    tasks = schedule(content["ops"], steps)
    folder = profile / "mindstudio_profiler_output"
    folder.mkdir(mode=0o750, exist_ok=True)
    model = 1 if steps else NONE
    tables = {
        "op_summary": (OP_SUMMARY, op_summary(tasks, model)),
        "op_statistic": (OP_STATISTIC, op_statistic(tasks)),
        "task_time": (TASK_TIME, task_time(tasks)),
        "api_statistic": (API_STATISTIC, api_statistic(max(steps, 1))),
    }
    if steps:
        tables["step_trace"] = (STEP_TRACE, step_trace(tasks, model))
    for number, (name, (header, rows)) in enumerate(tables.items()):
        path = folder / f"{name}_{stamps[number % len(stamps)]}.csv"
        path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    (folder / "README.txt").write_text("Written by a stand-in.\n", encoding="utf-8")


def schedule(ops: list[list[Any]], steps: int) -> list[Task]:
    """Deal the durations of each op to the steps, and run them one after another."""
    tasks = []
    clock = FIRST_NS
    for step in range(max(steps, 1)):
        for number, (kind, core, durations) in enumerate(ops):
            for i, duration in enumerate(durations):
                if i * max(steps, 1) // len(durations) == step:
                    name = f"{kind.lower()}_{number}"
                    tasks.append(Task(name, kind, core, step, clock, int(duration * 1000)))
                    clock = tasks[-1].end + GAP_NS
        clock += STEP_GAP_NS - GAP_NS
    return tasks


def op_summary(tasks: Sequence[Task], model: int) -> Iterable[str]:
    before = None
    for number, task in enumerate(tasks):
        wait = f"{us(task.start - before.end)}000" if before else "0"
        if task.core == "AI_CPU":
            counters = ["N/A"] * 8
        else:
            counters = [
                us(task.duration),
                "40146",
                "0.500",
                "0.250",
                "0.000",
                "0",
                "0.000",
                "50.000",
            ]
        block, tensors = "24,0,NO", f'{SHAPES},FLOAT16;FLOAT16,ND;ND,"""1,64,56,56""",FLOAT16,ND'
        start = [0, model, number % 65536, 2, task.name, task.type, "static", task.core]
        times = [f"{us(task.start)}\t", us(task.duration), wait]
        yield ",".join(map(str, [*start, *times, block, tensors, "N/A", *counters]))
        before = task


def op_statistic(tasks: Sequence[Task]) -> Iterable[str]:
    groups: dict[tuple[str, str], list[int]] = {}
    for task in tasks:
        groups.setdefault((task.type, task.core), []).append(task.duration)
    whole = sum(task.duration for task in tasks)
    for (kind, core), spans in sorted(groups.items(), key=lambda group: -sum(group[1])):
        mean = Decimal(sum(spans)) / len(spans)
        values = [Decimal(sum(spans)), Decimal(min(spans)), mean, Decimal(max(spans))]
        times = ",".join(short(value / 1000) for value in values)
        ratio = short(Decimal(sum(spans)) * 100 / whole) if whole else "0.0"
        yield f"0,{kind},{core},{len(spans)},{times},{ratio}"


def step_trace(tasks: Sequence[Task], model: int) -> Iterable[str]:
    for step in sorted({task.step for task in tasks}):
        own = [task for task in tasks if task.step == step]
        end = max(task.end for task in own)
        yield f"0,{step + 1},N/A,N/A,{us(end)}\t,{us(end - own[0].start)},N/A,N/A,N/A,{model}"


def task_time(tasks: Sequence[Task]) -> Iterable[str]:
    for number, task in enumerate(tasks):
        times = f"{us(task.duration)},{us(task.start)}\t,{us(task.end)}\t"
        yield f"0,{task.name},{task.core},2,{number % 65536},{times}"


def api_statistic(calls: int) -> Iterable[str]:
    for level, name, each in (("acl", "aclmdlExecute", 1500), ("runtime", "MemCopySync", 12)):
        times = ",".join([f"{each}.000"] * 3)
        yield f"host,{level},{name},{each * calls}.000,{calls},{times},0.000"


def us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def short(value: Decimal) -> str:
    """Return a number with at most three decimals, the zeros at its end cut."""
    return f"{value:.3f}".rstrip("0").rstrip(".")
