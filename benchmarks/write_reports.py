"""Measure how long reports of 5,000 limits take, and compare it with the goal of two seconds.

Usage: write_reports.py [--cases N] [--repeat N]

Each is written to a file. Times are of the processor, so that what else runs on the machine
counts little, and stand beside what json.dumps takes for the same results, which tells a slow
machine from a slow report. That of the page has what only the page imports in it. The exit status
is 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import median

from pytest_npuperf.model import (
    CaseResult,
    Judged,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    OpRow,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.report import annotate, markdown, summary
from pytest_npuperf.results import document
from pytest_npuperf.units import Dimension

LIMITS, OP_TYPES, STEPS = 5_000, 100, 100
GOAL_S = 2.0
STARTED = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
IMPORTED = "import pandas, pytest_npuperf.report"
"""What a run has imported that judged anything."""


def made(name: str, limits: int) -> CaseResult:
    """Return a case of which every third limit is missed, with steps, op types and ops."""
    steps = tuple(1_500_000 + 997 * number % 10_007 for number in range(STEPS))
    p50 = Value(Fraction(steps[0]), STEPS, data=steps)
    lane = LaneMeasurement(
        {Wanted("step_time", "p50"): p50},
        tuple(OpRow(f"Type{n}", "AI_CORE", 3, 1_000_000 - n) for n in range(OP_TYPES)),
        tuple(LongOp(f"block{n}/conv", "Conv2D", "AI_CORE", 9000 - n) for n in range(50)),
    )
    judged = tuple(judge(number) for number in range(limits))
    measured = (Measurement({"0": lane}),)
    return CaseResult(
        name, f"t.py::{name}", Verdict.FAILED, "replay", "", rounds=measured, limits=judged
    )


def judge(number: int) -> Judged:
    """Return a limit on one op, over by a little or within."""
    wanted = Wanted("ops", "max", Selector(name=(f"block{number}/*",)))
    limit = Limit(wanted, Dimension.TIME, at_most=Fraction(10_000), where="pyproject.toml:12")
    value = Fraction(9_999 + 2 * (number % 3 == 0))
    verdict = Verdict.FAILED if value > 10_000 else Verdict.PASSED
    return Judged(limit, verdict, "0", value, 1, Fraction(1), f"{wanted.title()} is so long")


def page(cases: list[CaseResult]) -> str:
    """Return the page in HTML."""
    from pytest_npuperf.report.html import page

    return page(cases, [], STARTED)


Report = Callable[[list[CaseResult]], str]

REPORTS: dict[str, Report] = {
    "summary": lambda cases: "\n".join(line for line, _ in summary(cases, [], 100, 0)),
    "summary -v": lambda cases: "\n".join(line for line, _ in summary(cases, [], 100, 1)),
    "Markdown": lambda cases: markdown(cases, []),
    "annotations": lambda cases: "\n".join(annotate(cases, Path.cwd())),
    "HTML": page,
}


def seconds(write: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.process_time()
    write()
    return time.process_time() - start


def write_to(file: Path, report: Report, cases: list[CaseResult]) -> None:
    """Write a report."""
    file.write_text(report(cases), encoding="utf-8")


def importing(repeat: int) -> float:
    """Return how long it takes to import what only the page needs."""
    with_page, without = (
        median(seconds_afresh(code) for _ in range(repeat))
        for code in (f"{IMPORTED}.html", IMPORTED)
    )
    return with_page - without


def seconds_afresh(code: str) -> float:
    """Return how long code takes in a fresh interpreter, its start included."""
    told = f"{code}; import time; print(time.process_time())"
    done = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> int:
    """Write every report several times, print the medians, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10, help="how many share the limits")
    parser.add_argument("--repeat", type=int, default=5, help="times that each is measured")
    options = parser.parse_args()
    cases = [made(f"case{n}", LIMITS // options.cases) for n in range(options.cases)]
    base = median(
        seconds(lambda: json.dumps(document(cases, STARTED, 1))) for _ in range(options.repeat)
    )
    print(f"{LIMITS:,} limits in {options.cases} cases; json.dumps {base:.2f} s")
    imports = importing(options.repeat)
    met = True
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "report")
        for name, report in REPORTS.items():
            write = partial(write_to, file, report, cases)
            took = median(seconds(write) for _ in range(options.repeat))
            beside = f"{took / base:5.1f} x json.dumps, {file.stat().st_size / 1e6:.2f} MB"
            if report is page:
                beside += f", with {imports:.2f} s of imports"
                took += imports
            met &= took < GOAL_S
            goal = f"{'within' if took < GOAL_S else 'BEYOND'} {GOAL_S:g} s"
            print(f"{name:<12} {took:5.2f} s, {goal}, {beside}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
