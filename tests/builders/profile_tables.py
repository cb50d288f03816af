"""Write small tables as msprof and torch_npu do, with the numbers that a test gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

FIRST_NS = 1_784_177_503_947_983_147
STAMP = "20260101000000"

HEADERS = {
    "current": "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,"
    "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Num,Input Shapes,Context ID,"
    "aicore_time(us),aic_mac_ratio,cube_utilization(%)",
    "2024": "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,"
    "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim",
    "2022": "Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,"
    "Task Start Time,Task Duration(us),Task Wait Time(us),Block Dim",
    "single": "Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,"
    "Task Start Time,Task Duration(us),Task Wait Time(us),Block Dim",
    "torch": "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
    "Start Time(us),Duration(us),Wait Time(us),Block Num",
    "torch2024": "Step Id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,"
    "Start Time(us),Duration(us),Wait Time(us),Block Num",
    "level0": "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),"
    "Block Dim",
}
"""The first line of an op_summary or kernel_details by generation."""

OP_STATISTIC = (
    "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
    "Ratio(%)"
)


@dataclass(frozen=True)
class Op:
    """One execution of an operator; a text stands for itself, a number is in ns."""

    type: str = "Conv2D"
    core: str = "AI_CORE"
    start: int | str = 0
    """Since the first one."""
    duration: int | str = 1000
    name: str = "conv_1"
    device: str = "0"
    step: str = "1"
    stream: str = "2"
    model: str = "4294967295"
    infer: str = "1"
    more: Mapping[str, str] = field(default_factory=dict)


def us(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def op_summary(*ops: Op, form: str = "current") -> str:
    """Return the table of a generation; cells that no test looks at are made up."""
    header = HEADERS[form].split(",")
    rows = [[_cell(op, name, number) for name in header] for number, op in enumerate(ops)]
    return csv(",".join(header), *rows)


def _cell(op: Op, header: str, number: int) -> str:
    start = us(FIRST_NS + op.start) + "\t" if isinstance(op.start, int) else op.start
    since_boot = str(FIRST_NS // 10**6 + op.start) if isinstance(op.start, int) else op.start
    duration = us(op.duration) if isinstance(op.duration, int) else op.duration
    cells = {
        "Device_id": op.device,
        "Step Id": op.step,
        "Model Name": "resnet50",
        "Model ID": op.model,
        "Infer ID": op.infer,
        "Task ID": str(number),
        "Stream ID": op.stream,
        "OP State": "static",
        "Block Num": "4",
        "Block Dim": "4",
        "Input Shapes": '"""1,3;64,3"""',
        "Context ID": "N/A",
        "aicore_time(us)": "1.5",
        "aic_mac_ratio": "0.5",
        "cube_utilization(%)": "50.0",
        **dict.fromkeys(("Op Name", "Name"), op.name),
        **dict.fromkeys(("OP Type", "Type"), op.type),
        **dict.fromkeys(("Task Type", "Accelerator Core"), op.core),
        **dict.fromkeys(("Task Start Time(us)", "Start Time(us)"), start),
        "Task Start Time": since_boot,
        **dict.fromkeys(("Task Duration(us)", "Duration(us)"), duration),
        **dict.fromkeys(("Task Wait Time(us)", "Wait Time(us)"), "0"),
    }
    return {**cells, **op.more}[header]


def op_statistic(*ops: Op, device: bool = True) -> str:
    """Return the op_statistic that agrees with an op_summary of these rows."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for op in ops:
        if op.core not in ("HCCL", "COMMUNICATION"):
            groups.setdefault((op.device, op.type, op.core), []).append(int(op.duration))
    whole = {key[0]: 0 for key in groups}
    for key, times in groups.items():
        whole[key[0]] += sum(times)
    rows = []
    for key, times in groups.items():
        numbers = (sum(times), min(times), Decimal(sum(times)) / len(times), max(times))
        ratio = Decimal(100 * sum(times)) / (whole[key[0]] or 1)
        cells = [str(len(times)), *(trimmed(Decimal(ns) / 1000) for ns in numbers), trimmed(ratio)]
        rows.append([*key, *cells] if device else [*key[1:], *cells])
    return csv(OP_STATISTIC if device else OP_STATISTIC.removeprefix("Device_id,"), *rows)


def trimmed(number: Decimal) -> str:
    """Return a number with at most three decimals, the zeros at its end cut."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def task_time(*ops: Op, device: bool = True) -> str:
    """Return the task_time of these tasks; their ``core`` is the kernel type."""
    header = "kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)"
    rows = []
    for number, op in enumerate(ops):
        start = FIRST_NS + int(op.start)
        times = [us(int(op.duration)), f"{us(start)}\t", f"{us(start + int(op.duration))}\t"]
        row = [op.name, op.core, op.stream, str(number), *times]
        rows.append([op.device, *row] if device else row)
    return csv(f"Device_id,{header}" if device else header, *rows)


def step_trace(*steps: Sequence[int | str], reduces: int = 0) -> str:
    """Return a step_trace of (device, model, iteration, end, time), the last two in ns."""
    header = (
        "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
        "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID"
    )
    rows = []
    for device, model, iteration, end, time in steps:
        ended = us(FIRST_NS + end) + "\t" if isinstance(end, int) else end
        took = us(time) if isinstance(time, int) else time
        start = [str(device), str(iteration), "N/A", "N/A", ended, took]
        rows.append([*start, "N/A", "N/A", "N/A", str(model)])
    return csv(header + ",Reduce Start(us),Reduce Duration(us)" * reduces, *rows)


def step_trace_time(*steps: tuple[str, str, str]) -> str:
    """Return torch_npu's table of (device, step, stage)."""
    header = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free"
    rows = [[device, step, "1", "0", "0", "0", "0", stage] for device, step, stage in steps]
    return csv(f"{header},Stage", *rows)


def api_statistic(*rows: Sequence[str]) -> str:
    """Return a table of (device, level, name, time, count, avg, min, max)."""
    header = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
    return csv(header, *([*row, "0"] for row in rows))


def csv(header: str, *rows: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in (header, *(",".join(row) for row in rows)))


def msprof(folder: Path, **tables: str) -> Path:
    """Write what one process leaves today, and return its folder; ``folder`` is the run's."""
    home = folder / "PROF_000001_20260101000000000_ABCDEFGH"
    return write(
        home, {f"mindstudio_profiler_output/{n}_{STAMP}.csv": t for n, t in tables.items()}
    )


def torch(folder: Path, **tables: str) -> Path:
    """Write what torch_npu leaves for one rank, and return its folder."""
    return write(folder, {f"ASCEND_PROFILER_OUTPUT/{name}.csv": t for name, t in tables.items()})


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return folder
