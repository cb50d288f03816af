"""The gate errs as rarely as docs/noise.md says; the whole table takes minutes, these a second."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).parents[2]


def benchmark() -> ModuleType:
    """Return the benchmark, without the checkout on the path, where it would hide the wheel."""
    path = ROOT / "benchmarks" / "gate_error_rates.py"
    spec = spec_from_file_location("benchmarks_gate_error_rates", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their module
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from benchmarks import gate_error_rates as rates
else:
    rates = benchmark()

DOCUMENT = (ROOT / "docs" / "noise.md").read_text(encoding="utf-8")
TABLE = re.findall(r"^\| (?:baseline|interleaved|[0-9]+ sessions?) \|.*$", DOCUMENT, re.MULTILINE)
FEW_TRIALS = 60


def documented() -> dict[rates.Cell, rates.Rates]:
    """Return the table of the document; it says how many were undecided of no change only."""
    shares = [
        float(cell.removesuffix(" %")) / 100
        for line in TABLE[1:]
        for cell in line.split(" | ")[3 : 3 + len(rates.CHANGES)]
    ]
    return {
        cell: rates.Rates(share, 0, 0) for cell, share in zip(rates.cells(), shares, strict=True)
    }


@pytest.mark.parametrize("goal", rates.GOALS, ids=lambda goal: goal.title)
def test_the_gate_meets_its_goals_in_few_trials(goal: rates.Goal) -> None:
    found = fmean(
        rates.simulate(cell, FEW_TRIALS).worse for cell in rates.cells() if goal.holds_of(cell)
    )
    assert goal.met(found), found


@pytest.mark.parametrize("goal", rates.GOALS, ids=lambda goal: goal.title)
def test_the_gate_meets_its_goals_in_the_document(goal: rates.Goal) -> None:
    assert goal.met(goal.found(documented()))


def test_the_document_has_every_row() -> None:
    lines = rates.markdown({cell: rates.Rates(0, 0, 0) for cell in rates.cells()})
    (head, _, *rows) = lines
    assert TABLE[0] == head
    assert [line.split(" | ")[:3] for line in TABLE[1:]] == [row.split(" | ")[:3] for row in rows]


def test_the_document_says_what_the_simulation_finds() -> None:
    cell = rates.Cell("CV 2 %, outliers", 0.03, 1, 0.2)
    # Releases of numpy may differ in the last digit, by which a trial or two may end otherwise.
    assert documented()[cell].worse == pytest.approx(
        rates.simulate(cell, rates.TRIALS).worse, abs=0.002
    )


def test_the_same_trials_give_the_same_rates() -> None:
    cell = rates.Cell("CV 5 %", 0.03, 5, 0.05)
    assert rates.simulate(cell, 20) == rates.simulate(cell, 20)


def test_no_noise_and_no_change_is_decided_at_the_first_look() -> None:
    found = rates.simulate(rates.Cell("CV 1 %", 0.0, 1, 0.0), 50)
    assert found == rates.Rates(worse=0.0, undecided=0.0, rounds=5.0)


def test_undecided_trials_take_more_rounds() -> None:
    found = rates.simulate(rates.Cell("CV 5 %", 0.0, 0, 0.05), 50)
    assert found.undecided > 0
    assert 5 < found.rounds <= 20


def test_a_goal_that_is_missed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    table = {cell: rates.Rates(float(cell.change > 0), 0, 0) for cell in rates.cells()}
    assert rates.judge(table)
    assert "NOT MET" not in capsys.readouterr().out
    missed = rates.Cell("CV 5 %", 0.015, 0, 0.0)
    assert not rates.judge({**table, missed: replace(table[missed], worse=0.026)})
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "interleaved A/B, no change: FAILED 2.6 %, goal at most 2.5 %: NOT MET"
    assert all(line.endswith(": met") for line in others)
