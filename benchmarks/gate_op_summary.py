"""Measure what the gate costs, and compare it with the goals that it has.

Usage: gate_op_summary.py [--repeat N] [FOLDER]

FOLDER keeps the profile of a million rows for the next run; without it a temporary one is made.
Every measurement is a fresh process, imports included; what they cost is shown beside it.
Its CPU time is that of user and system together. The exit status is 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

ROWS = 1_000_000  # as many as msprof writes into one file
TESTS = 1_000
GOAL_RATIO, GOAL_MIB, GOAL_MS_PER_TEST = 2.5, 300.0, 2.0

EXAMPLE = Path(__file__).parents[1] / "example_project"
START = 8  # where op_summary has its start times; no cell before it has a comma

IMPORT_PANDAS = "import pandas"
READ_CSV = """
import json, sys, pandas
pandas.read_csv(sys.argv[1], usecols=json.loads(sys.argv[2]), engine="c")
"""
IMPORT_GATE = """
from pytest_npuperf.measure import measure
from pytest_npuperf.profile import open_profile
"""
# It prints the columns that it had to read, by the names that they have in the file.
GATE = """
import json, sys
from pathlib import Path
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, StepOptions, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_NAME

scalars = ["kernel_time", "compute_time", "busy_time", "idle_time", "window_time", "idle_share",
           "largest_gap", "kernel_count", "ai_core_time", "ai_cpu_time"]
rules = [("ops", statistic, Selector(type=(type_,)))
         for type_ in ("Conv2D", "Relu") for statistic in ("total", "count", "p99", "max")]
wanted = [Wanted(name) for name in scalars] + [Wanted(*rule) for rule in rules]
profile = open_profile(Path(sys.argv[1]).parent)
(lane,) = measure(profile, wanted, StepOptions()).lanes.values()
assert all(value.value is not None for value in lane.values.values()), lane.values
rows = profile.lane_rows(profile.lanes[0], "op_summary")
print(json.dumps([BY_NAME["op_summary"].header_of(name) for name in rows.columns]))
"""
TEST_FILE = """
import pytest

@pytest.mark.parametrize("number", range({tests}))
{mark}
def test_speed(number):
    pass
"""


@dataclass(frozen=True)
class Cost:
    """What one process used: CPU seconds, and MiB of memory at its peak."""

    cpu: float
    peak: float
    output: str = ""


# --- the profile ------------------------------------------------------------------------------


def make_profile(folder: Path) -> Path:
    """Return an op_summary of a million rows, with the op_statistic that agrees with it."""
    tables = folder / "mindstudio_profiler_output"
    summary = tables / "op_summary_20260731093006.csv"
    if not summary.exists():
        tables.mkdir(parents=True, exist_ok=True)
        part = summary.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            file.writelines(_op_summary())
        _write_op_statistic(part, tables / "op_statistic_20260731093006.csv")
        part.rename(summary)
    return summary


def _op_summary() -> Iterator[str]:
    """Yield the rows of the example again and again, each time a little later."""
    (example,) = EXAMPLE.glob("recordings/resnet50/PROF_*/*/op_summary_*.csv")
    header, *lines = example.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [_split(line) for line in lines]
    period = rows[-1][1] - rows[0][1] + 200_000
    yield header
    times = range(0, (ROWS // len(rows) + 1) * period, period)
    repeated = ((row, later) for later in times for row in rows)
    for (before, start, after), later in islice(repeated, ROWS):
        time = start + later
        yield f"{before},{time // 1000}.{time % 1000:03d}\t,{after}"


def _split(line: str) -> tuple[str, int, str]:
    """Return a row as what is before its start time, this time in nanoseconds, and the rest."""
    cells = line.split(",", START + 1)
    return ",".join(cells[:START]), int(cells[START].strip().replace(".", "")), cells[-1]


def _write_op_statistic(summary: Path, path: Path) -> None:
    totals: dict[str, list[int]] = {}
    with summary.open(encoding="utf-8") as file:
        for line in islice(file, 1, None):
            cells = line.split(",", START + 2)
            group = totals.setdefault(f"{cells[5]},{cells[7]}", [0, 0, sys.maxsize, 0])
            time = int(cells[START + 1].replace(".", ""))
            group[:] = group[0] + 1, group[1] + time, min(group[2], time), max(group[3], time)
    everything = sum(total for _, total, _, _ in totals.values())
    with path.open("w", encoding="utf-8") as file:
        file.write(
            "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),"
            "Max Time(us),Ratio(%)\n"
        )
        for key, (count, total, least, most) in totals.items():
            times = [least, total / count, most]
            cells = [f"{time / 1000:.3f}" for time in (total, *times)]
            file.write(f"0,{key},{count},{','.join(cells)},{100 * total / everything:.3f}\n")


# --- measuring --------------------------------------------------------------------------------


def python(code: str, *args: str) -> Cost:
    """Return what a fresh interpreter uses to run some code."""
    return spent([sys.executable, "-c", code, *args], Path.cwd())


def spent(command: list[str], cwd: Path) -> Cost:
    """Return what a process and its children use."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=cwd, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode != 0:
        sys.exit(f"{text}\n{command[0]} ended with status {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def compare_reading(summary: Path, repeat: int) -> list[bool]:
    """Print the costs of the gate and of pandas on one op_summary; return the goals met."""
    columns = python(GATE, str(summary)).output.strip()
    gates, reads, bare_gates, bare_reads = [], [], [], []
    for _ in range(repeat):
        # In turn, so that a slower minute of the machine meets both.
        reads.append(python(READ_CSV, str(summary), columns))
        gates.append(python(GATE, str(summary)))
        bare_reads.append(python(IMPORT_PANDAS))
        bare_gates.append(python(IMPORT_GATE))
    size = summary.stat().st_size / 1e6
    print(f"{ROWS:,} rows, {size:.0f} MB, columns {', '.join(json.loads(columns))}")
    _line("pandas.read_csv", reads, bare_reads)
    _line("gate", gates, bare_gates)
    ratio = median(gate.cpu / read.cpu for gate, read in zip(gates, reads, strict=True))
    return [
        verdict("gate / read_csv, CPU", ratio, GOAL_RATIO, "x"),
        verdict("gate, memory at its peak", max(gate.peak for gate in gates), GOAL_MIB, "MiB"),
    ]


def _line(name: str, costs: list[Cost], imports: list[Cost]) -> None:
    cpu, bare = median(cost.cpu for cost in costs), median(cost.cpu for cost in imports)
    peak = max(cost.peak for cost in costs)
    print(f"{name:<24} {cpu:6.2f} s CPU, of which imports {bare:.2f} s; {peak:.0f} MiB")


def cost_of_tests(folder: Path, repeat: int) -> bool:
    """Print what a thousand tests on one recording cost more than without a mark."""
    marked = _project(folder / "marked", '@pytest.mark.npuperf("resnet50")')
    unmarked = _project(folder / "unmarked", "")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    pairs = [(spent(command, marked).cpu, spent(command, unmarked).cpu) for _ in range(repeat)]
    gated, plain = (median(side) for side in zip(*pairs, strict=True))
    print(f"{TESTS:,} tests on one recording {gated:6.2f} s CPU; without a mark {plain:.2f} s")
    each = 1000 * median(with_ - without for with_, without in pairs) / TESTS
    return verdict("a gated test, CPU", each, GOAL_MS_PER_TEST, "ms")


def _project(folder: Path, mark: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    settings = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    where = f"[tool.npuperf]\nrecordings = {json.dumps(str(EXAMPLE / 'recordings'))}\n"
    (folder / "pyproject.toml").write_text(where + settings, encoding="utf-8")
    tests = TEST_FILE.format(tests=TESTS, mark=mark)
    (folder / "test_speed.py").write_text(tests, encoding="utf-8")
    return folder


def verdict(name: str, value: float, goal: float, unit: str) -> bool:
    """Print a number beside its goal; return whether it meets it."""
    met = value <= goal
    word = "met" if met else "MISSED"
    print(f"{name:<24} {value:6.2f} {unit}, goal at most {goal:g} {unit}: {word}")
    return met


def main() -> int:
    """Make what is missing, measure, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, help="where the profile is kept")
    parser.add_argument("--repeat", type=int, default=5, help="times that each is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        summary = make_profile(options.folder or Path(temporary))
        goals = compare_reading(summary, options.repeat)
        goals.append(cost_of_tests(Path(temporary), options.repeat))
    return 0 if all(goals) else 1


if __name__ == "__main__":
    sys.exit(main())
