"""Measure what reading a large timeline costs, and compare it with the goals that it has.

Usage: python -m benchmarks.read_timeline [--mib N] [--repeat N] [FOLDER]

It is run in the root of the repository. FOLDER keeps the timeline for the next run; without it a
temporary one is made. The reference is to decode its events, which each have a line of their own,
and to do nothing with them.
Every measurement is a fresh process, imports included, and costs the CPU time of user and system
together. The exit status is 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from benchmarks.gate_op_summary import Cost, python, verdict

MIB = 1024
GOAL_RATIO, GOAL_MIB = 2.5, 200.0

HARDWARE, CANN = 90075552, 90075391  # processes
STREAMS, OPERATORS = 8, 500

# Each prints how many complete events there are.
DECODE = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    events = (json.loads(line.rstrip(",\\n")) for line in file if line.startswith("{"))
    print(sum(event["ph"] == "X" for event in events))
"""
READ = """
import sys
from pathlib import Path
from pytest_npuperf.profile.tables import BY_NAME
from pytest_npuperf.profile.traces import read_table
print(int(read_table(Path(sys.argv[1]), BY_NAME["timeline"])["count"].sum()))
"""


def make_timeline(folder: Path, mib: int) -> Path:
    """Return a timeline of so many MiB; one complete event in twenty has a name of its own."""
    path = folder / f"msprof_{mib}_mib.json"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            file.write("[\n")
            number = 0
            while file.tell() < mib * 2**20:
                file.writelines(f"{line},\n" for line in _thousand_tasks(number))
                number += 1000
            # What names the layers comes last, as msprof writes it.
            file.write(",\n".join(_metadata()) + "\n]")
        part.rename(path)
    return path


def _thousand_tasks(first: int) -> Iterator[str]:
    """Yield the events of tasks: launch, flow and kernel."""
    for number in range(first, first + 1000):
        start = f"1784216{number:09}.{number % 1000:03}"
        layer = number % OPERATORS
        name = f"Default/network/layer{layer}/MatMul-op{layer}"
        if number % 10 == 0:
            name = f"hcom_allReduce__{number}_1"
        task = {"Model Id": 4294967295, "Task Type": "AI_CORE", "Task Id": number, "Batch Id": 0}
        call = {"Thread Id": 7, "Mode": "launch", "level": "node", "connection_id": number}
        flow = {"ph": "s", "cat": "HostToDevice", "id": str(number), "name": "HostToDevice"}
        kernel = {"name": name, "dur": 5 + number % 97 / 1000, "ph": "X", "args": task}
        launch = {"name": "Node@launch", "dur": 0.45077999999999996, "ph": "X", "args": call}
        yield _event(HARDWARE, number % STREAMS, start, kernel)
        yield _event(CANN, 7, start, launch)
        yield _event(CANN, 7, start, flow)


def _event(pid: int, tid: int, start: str, more: Mapping[str, object]) -> str:
    return _compact({"pid": pid, "tid": tid, "ts": start, **more})


def _metadata() -> Iterator[str]:
    for pid, layer, label in ((HARDWARE, "Ascend Hardware", "NPU 0"), (CANN, "CANN", "CPU")):
        names = {"process_name": {"name": layer}, "process_labels": {"labels": label}}
        for name, args in names.items():
            yield _compact({"name": name, "pid": pid, "tid": 0, "args": args, "ph": "M"})


def _compact(event: Mapping[str, object]) -> str:
    return json.dumps(event, separators=(",", ":"))


def compare(path: Path, repeat: int) -> list[bool]:
    """Print the costs of the reader and of the reference; return the goals met."""
    decoded, read = [], []
    for _ in range(repeat):
        # In turn, so that a slower minute of the machine meets both.
        decoded.append(python(DECODE, str(path)))
        read.append(python(READ, str(path)))
    found, wanted = read[0].output.strip(), decoded[0].output.strip()
    if found != wanted:
        sys.exit(f"{found} events were read of {wanted}")
    print(f"{int(found):,} complete events, {path.stat().st_size / 2**20:.0f} MiB")
    _line("json.loads", decoded)
    _line("timeline", read)
    ratio = median(mine.cpu / theirs.cpu for mine, theirs in zip(read, decoded, strict=True))
    return [
        verdict("timeline / loads, CPU", ratio, GOAL_RATIO, "x"),
        verdict("timeline, memory", max(cost.peak for cost in read), GOAL_MIB, "MiB"),
    ]


def _line(name: str, costs: list[Cost]) -> None:
    cpu, peak = median(cost.cpu for cost in costs), max(cost.peak for cost in costs)
    print(f"{name:<24} {cpu:6.2f} s CPU; {peak:.0f} MiB")


def main() -> int:
    """Make what is missing, measure, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where the timeline is kept")
    parser.add_argument("--mib", type=int, default=MIB, help="size of the timeline")
    parser.add_argument("--repeat", type=int, default=1, help="times that each is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = make_timeline(options.folder or Path(temporary), options.mib)
        goals = compare(path, options.repeat)
    return 0 if all(goals) else 1


if __name__ == "__main__":
    sys.exit(main())
