"""docs/metrics.md says which times of 0 ns are not measured."""

from __future__ import annotations

import re
from pathlib import Path

from profile_tables import Op, msprof, op_summary

from pytest_npuperf.catalogue import METRICS, PER_STEP
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.units import Dimension

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
CORES = ("AI_CORE", "AI_CPU", "HCCL")
TIMES = [
    name
    for name, metric in METRICS.items()
    if metric.dimension is Dimension.TIME
    and "op_summary" in metric.needs
    and not name.endswith(PER_STEP)
]


def test_times_of_tasks_that_take_none(tmp_path: Path) -> None:
    ops = [Op(core=core, name=core, duration=0) for core in CORES]
    profile = open_profile(msprof(tmp_path, op_summary=op_summary(*ops)))
    total = Wanted("ops", "total", Selector(type=("*",)))
    wanted = [*(Wanted(name) for name in TIMES), total]
    values = measure(profile, wanted).lanes["0"].values
    absent = {each.metric for each in wanted if values[each].value is None}
    assert {values[each].value for each in wanted} == {None, 0}
    refused, measured = PAGE.partition("\nWork takes time: ")[2].split("such task,")
    assert set(re.findall(r"`(\w+)`", refused)) == absent
    assert set(re.findall(r"`(\w+)`", measured)) == {*TIMES} - absent | {"total"}


def test_times_of_no_task(tmp_path: Path) -> None:
    profile = open_profile(msprof(tmp_path, op_summary=op_summary(Op())))
    wanted = [Wanted("ai_cpu_time"), Wanted("communication_time")]
    values = measure(profile, wanted).lanes["0"].values
    assert [values[each].value for each in wanted] == [0, 0]
