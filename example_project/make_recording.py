"""Make the three recordings of this example: synthetic, but laid out as msprof writes them.

Run it without arguments to write them beside this file, or with a folder to write them there.
Each recording is 25 steps of a ResNet-50 and always the same, byte for byte.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from resnet50 import Op, quantised, regressed, resnet50

STEPS = 25
DEVICE, MODEL, STREAM, COPY_STREAM = 0, 1, 6, 7
BEGIN = 1_785_490_203_417_208_940  # 2026-07-31, in nanoseconds of Unix time
EXPORTED = "20260731093006"
MANIFEST = {
    "format": 1,
    "recorded": "2026-07-31",
    "fingerprint": {"soc": "Ascend910B4", "cann": "9.0.0"},
}
CUBE_CORES, CLOCK_MHZ = 20, 1650

AIC_UNITS = {"mac": 0.42, "scalar": 0.11, "mte1": 0.31, "mte2": 0.58, "fixpipe": 0.16}
AIV_UNITS = {"vec": 0.24, "scalar": 0.08, "mte2": 0.61, "mte3": 0.47}


@dataclass(frozen=True)
class Row:
    """One execution of an operator; times in nanoseconds."""

    op: Op
    task_id: int
    start: int
    duration: int

    @property
    def end(self) -> int:
        """Return when it ended."""
        return self.start + self.duration


# --- what happened ----------------------------------------------------------------------------


def simulate(ops: list[Op], noise: random.Random) -> list[list[Row]]:
    """Return the rows of each step."""
    steps, clock = [], BEGIN
    for step in range(STEPS):
        # The first step finds cold caches, and a host that still prepares its launches.
        # Later it is sometimes in a hurry with other things.
        tenths = 60 if step == 0 else _vary(12, 0.8, noise)
        rows = []
        for task_id, op in enumerate(ops, start=2):
            clock += tenths * _vary(420, 0.30, noise) // 10
            rows.append(Row(op, task_id, clock, _vary(op.duration, 0.02, noise)))
            clock = rows[-1].end
        steps.append(rows)
        clock += _vary(146_000, 0.25, noise)
    return steps


def _vary(usual: int, spread: float, noise: random.Random) -> int:
    """Return a number near the usual one; three draws, since one is too even to be real."""
    draws = noise.random() + noise.random() + noise.random()
    return round(usual * (1 + spread * (draws / 1.5 - 1)))


# --- the tables of msprof ---------------------------------------------------------------------

OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
    "Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,"
    "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID"
)


def op_summary(steps: list[list[Row]], noise: random.Random) -> Iterator[str]:
    """Yield a line for each operator that ran, with its tensors and its PipeUtilization."""
    yield ",".join([OP_SUMMARY, *_pmu_names()])
    previous: Row | None = None
    for row in _flat(steps):
        op = row.op
        wait = "0" if previous is None else _us(max(0, row.start - previous.end)) + "000"
        blocks = 1 if op.task_type == "AI_CPU" else CUBE_CORES
        yield (
            f"{DEVICE},{MODEL},{row.task_id},{STREAM},{op.name},{op.type},static,{op.task_type},"
            f"{_us(row.start)}\t,{_us(row.duration)},{wait},"
            f"{blocks},{2 * blocks if op.task_type == 'MIX_AIC' else 0},NO,"
            # The shapes bring quotes of their own, so that there are three.
            f'"""{op.inputs.shapes}""",{op.inputs.dtypes},{op.inputs.formats},'
            f'"""{op.output.shapes}""",{op.output.dtypes},{op.output.formats},N/A,'
            + ",".join(_pmu_cells(row, noise))
        )
        previous = row


def _pmu_names() -> Iterator[str]:
    for core, total, units in (("aic", "aicore", AIC_UNITS), ("aiv", "aiv", AIV_UNITS)):
        yield from (f"{total}_time(us)", f"{core}_total_cycles")
        for unit in units:
            yield from (f"{core}_{unit}_time(us)", f"{core}_{unit}_ratio")
        yield f"{core}_icache_miss_rate"
    yield "cube_utilization(%)"


def _pmu_cells(row: Row, noise: random.Random) -> list[str]:
    """Return the counters of the cores that an operator used: zeros for the other kind."""
    if row.op.task_type == "AI_CPU":
        return ["N/A"] * len(list(_pmu_names()))
    cube = row.duration - 1_300 if row.op.task_type in ("AI_CORE", "MIX_AIC") else 0
    vector = row.duration - 1_300 if row.op.task_type in ("AI_VECTOR_CORE", "MIX_AIC") else 0
    busy = round(100_000 * cube / row.duration)
    return [
        *_core_cells(cube, AIC_UNITS, noise),
        *_core_cells(vector, AIV_UNITS, noise),
        f"{busy // 1000}.{busy % 1000:03d}",
    ]


def _core_cells(busy: int, units: dict[str, float], noise: random.Random) -> Iterator[str]:
    yield from (_trimmed(busy), str(busy * CLOCK_MHZ * CUBE_CORES // 1000))
    for usual in units.values():
        ratio = _vary(round(1000 * usual), 0.05, noise) if busy else 0
        yield from (_trimmed(busy * ratio // 1000), _trimmed(ratio))
    yield _trimmed(_vary(9, 0.5, noise) if busy else 0)


def op_statistic(steps: list[list[Row]]) -> Iterator[str]:
    """Yield a line for each op type and core, the longest total first."""
    yield (
        "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
        "Max Time(us),Ratio(%)"
    )
    groups: dict[tuple[str, str], list[int]] = {}
    for row in _flat(steps):
        groups.setdefault((row.op.type, row.op.task_type), []).append(row.duration)
    everything = sum(map(sum, groups.values()))
    for (type_, core), times in sorted(groups.items(), key=lambda group: -sum(group[1])):
        ratio = _trimmed(_divided(100_000 * sum(times), everything))
        cells = map(
            _trimmed, (sum(times), min(times), _divided(sum(times), len(times)), max(times))
        )
        yield ",".join([f"{DEVICE},{type_},{core},{len(times)}", *cells, ratio])


def step_trace(steps: list[list[Row]]) -> Iterator[str]:
    """Yield a line for each step; there is no forward and backward pass in inference."""
    yield (
        "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),"
        "FP to BP Time(us),Iteration Refresh(us),Data Aug Bound(us),Model ID"
    )
    for number, (begin, end) in enumerate(_windows(steps), start=1):
        yield (
            f"{DEVICE},{number},0.000\t,0.000\t,{_us(end)}\t,{_us(end - begin)},"
            f"0.000,0.000,0.000,{MODEL}"
        )


def task_time(steps: list[list[Row]]) -> Iterator[str]:
    """Yield a line for everything that the device did, copies and events included."""
    yield (
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),"
        "task_stop(us)"
    )
    yield _task("N/A", "PROFILING_ENABLE", COPY_STREAM, 0, (BEGIN - 190_000_000, 20))
    yield _task("N/A", "TASK_TIMEOUT_SET", COPY_STREAM, 1, (BEGIN - 181_000_000, 74_902))
    for number, rows in enumerate(steps):
        begin, end = rows[0].start, rows[-1].end
        copies = 2 + 2 * number
        yield _task("N/A", "MEMCPY_ASYNC", COPY_STREAM, copies, (begin - 41_300, 33_180))
        for row in rows:
            kernel = (row.start, row.duration)
            yield _task(row.op.name, row.op.task_type, STREAM, row.task_id, kernel)
        yield _task("N/A", "EVENT_RECORD", STREAM, rows[-1].task_id + 1, (end + 700, 40))
        yield _task("N/A", "MEMCPY_ASYNC", COPY_STREAM, copies + 1, (end + 9_600, 2_240))
    stopped = steps[-1][-1].end + 52_000_000
    yield _task("N/A", "PROFILING_DISABLE", COPY_STREAM, 2 + 2 * STEPS, (stopped, 0))


def _task(name: str, type_: str, stream: int, task_id: int, window: tuple[int, int]) -> str:
    start, duration = window
    return (
        f"{DEVICE},{name},{type_},{stream},{task_id},{_us(duration)},"
        f"{_us(start)}\t,{_us(start + duration)}\t"
    )


def api_statistic(steps: list[list[Row]]) -> Iterator[str]:
    """Yield a line for each function that the host called."""
    yield "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
    executed = [end - begin for begin, end in _windows(steps)]
    calls = {
        ("acl", "aclmdlExecute"): [time + 23_400 for time in executed],
        ("acl", "aclmdlLoadFromFile"): [284_311_507],
        ("acl", "aclrtMemcpy"): [52_760 + time % 9_000 for time in executed * 2],
        ("acl", "aclrtSetDevice"): [131_204_770],
        ("model", "ModelExecute"): [time + 11_900 for time in executed],
    }
    for (level, name), times in calls.items():
        count, total = len(times), sum(times)
        variance = _divided(count * sum(time**2 for time in times) - total**2, 1000 * count**2)
        numbers = (_divided(total, count), min(times), max(times), variance)
        yield ",".join([f"host,{level},{name},{_trimmed(total)},{count}", *map(_trimmed, numbers)])


# --- small parts ------------------------------------------------------------------------------


def _flat(steps: list[list[Row]]) -> Iterator[Row]:
    for rows in steps:
        yield from rows


def _windows(steps: list[list[Row]]) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end of each step, as the task scheduler marks them."""
    for rows in steps:
        yield rows[0].start - 1_800, rows[-1].end + 2_500


def _us(time: int) -> str:
    """Return nanoseconds as microseconds with three decimals."""
    return f"{time // 1000}.{time % 1000:03d}"


def _trimmed(thousandths: int) -> str:
    """Return a number as the statistics of msprof show it: 12.5 rather than 12.500."""
    text = _us(thousandths).rstrip("0")
    return text + "0" if text.endswith(".") else text


def _divided(number: int, by: int) -> int:
    return (2 * number + by) // (2 * by)


def make(recording: Path, ops: list[Op], process: str) -> None:
    """Write one recording: what msprof leaves for one process, and what is known of it."""
    steps = simulate(ops, random.Random(50))
    tables: dict[str, Iterable[str]] = {
        "api_statistic": api_statistic(steps),
        "op_statistic": op_statistic(steps),
        "op_summary": op_summary(steps, random.Random(51)),
        "step_trace": step_trace(steps),
        "task_time": task_time(steps),
    }
    folder = recording / f"PROF_000001_20260731093003094_{process}" / "mindstudio_profiler_output"
    folder.mkdir(parents=True, exist_ok=True)
    for table, lines in tables.items():
        _write(folder / f"{table}_{EXPORTED}.csv", "\n".join(lines))
    _write(recording / "npuperf-recording.json", json.dumps(MANIFEST, indent=2))


def _write(path: Path, text: str) -> None:
    path.write_bytes(f"{text}\n".encode())


if __name__ == "__main__":
    recordings = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "recordings")
    make(recordings / "resnet50", resnet50(), "00041728CFKGRAHB")
    make(recordings / "resnet50_int8", quantised(resnet50()), "00044356QGLCNBJD")
    make(recordings / "resnet50_regressed", regressed(resnet50()), "00042913MKBAQDLE")
