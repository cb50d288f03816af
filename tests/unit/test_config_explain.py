from __future__ import annotations

import re
from pathlib import Path

from pytest_npuperf.config import Marker, Options, Settings, load

TEXT = """[tool.npuperf]
mode = "run"
devices = [0, 1]
session_noise = "2 %"
msprof.options = { aic-metrics = "Memory" }

[tool.npuperf.budgets.vision]
warmup_steps = 1
idle_time = { at_most = "1 ms", at_least = "10 us" }
[tool.npuperf.budgets.resnet50]
extends = "vision"
app = ["main", "two words"]
step_time = { p95 = { at_most = "2.10 ms", on_fail = "warn" }, count = { equal = 25 } }
ops = [{ type = ["A", "B"], not_name = "C", on_fail = "warn", max = "60 us", count.at_least = 1 }]
apis = []
busy_time = { at_most = "2 ms", max_regression = true }
kernel_count = { max_regression = true }
overlap_share = { max_regression = "2 points", on_fail = "warn" }
against = { case = "vision" }
[tool.npuperf.budgets.resnet50.on."Ascend910B*"]
rounds = 5
idle_time = "5 us"
"""


def _load(tmp_path: Path, options: Options) -> Settings:
    (tmp_path / "pyproject.toml").write_text(TEXT, encoding="utf-8")
    settings = load(tmp_path, options)
    assert settings is not None
    return settings


EXPECTED = """\
resnet50.mode                        run                                            pyproject.toml:2 ([tool.npuperf])
resnet50.recordings                  recordings                                     built-in
resnet50.baselines                   baselines                                      built-in
resnet50.output                      .npuperf                                       built-in
resnet50.when_unavailable            skip                                           built-in
resnet50.inconclusive                warn                                           built-in
resnet50.max_regression              5 %                                            built-in
resnet50.min_effect                  5 us                                           built-in
resnet50.session_noise               2 %                                            pyproject.toml:4 ([tool.npuperf])
resnet50.strict                      true                                           command line
resnet50.record                      false                                          built-in
resnet50.collector                   msprof                                         built-in
resnet50.cwd                         .                                              built-in
resnet50.rounds                      1                                              built-in
resnet50.msprof.command              msprof                                         built-in
resnet50.msprof.timeout              10 min                                         built-in
resnet50.devices                     [0, 1]                                         pyproject.toml:3 ([tool.npuperf])
resnet50.msprof.options.aic-metrics  Memory                                         pyproject.toml:5 ([tool.npuperf])
resnet50.warmup_steps                1                                              pyproject.toml:8 (extends vision)
resnet50.idle_time                   at least 10 us and at most 1 ms                pyproject.toml:9 (extends vision)
resnet50.app                         ["main", "two words"]                          pyproject.toml:12 (budget)
resnet50.step_time.p95               at most 2.10 ms (warn)                         pyproject.toml:13 (budget)
resnet50.step_time.count             equal to 25                                    pyproject.toml:13 (budget)
resnet50.ops[0].max                  at most 60 us for type=A,B not_name=C (warn)   pyproject.toml:14 (budget)
resnet50.ops[0].count                at least 1 for type=A,B not_name=C (warn)      pyproject.toml:14 (budget)
resnet50.apis                        []                                             pyproject.toml:15 (budget)
resnet50.busy_time                   at most 2 ms and at most max_regression worse  pyproject.toml:16 (budget)
resnet50.kernel_count                at most 0 % worse                              pyproject.toml:17 (budget)
resnet50.overlap_share               at most 2 points worse (warn)                  pyproject.toml:18 (budget)
resnet50.against                     {"case": "vision"}                             pyproject.toml:19 (budget)
resnet50.soc                         Ascend910B*                                    pyproject.toml:20 (on Ascend910B*)
resnet50.rounds                      5                                              pyproject.toml:21 (on Ascend910B*)
resnet50.idle_time                   at most 5 us                                   pyproject.toml:22 (on Ascend910B*)
"""  # noqa: E501


def test_each_number_is_shown_with_its_place(tmp_path: Path) -> None:
    lines = _load(tmp_path, Options(config=Path("pyproject.toml"), strict=True)).explain("resnet50")

    assert "\n".join(lines) + "\n" == EXPECTED


def test_a_marker_and_the_command_line_hide_what_they_overrule(tmp_path: Path) -> None:
    marker = Marker({"idle_time": "7 us", "on": {"*": {"steps": 3}}}, "t.py::x (marker)")
    lines = _load(tmp_path, Options(rounds=9)).explain("resnet50", marker)
    rows = [re.split("  +", line) for line in lines]
    asked = ("resnet50.idle_time", "resnet50.rounds", "resnet50.steps")

    assert [row for row in rows if row[0] in asked] == [
        ["resnet50.rounds", "9", "command line"],
        ["resnet50.idle_time", "at most 7 us", "t.py::x (marker)"],
        ["resnet50.steps", "3", "t.py::x (marker)"],
    ]


def test_a_limit_for_each_layer_is_shown(tmp_path: Path) -> None:
    layers = {"Ascend Hardware": "5 ms", "CANN": {"at_least": "1 ms", "on_fail": "warn"}}
    marker = Marker({"timeline_time": layers}, "t.py::x (marker)")
    lines = _load(tmp_path, Options()).explain("resnet50", marker)

    assert [re.split("  +", line) for line in lines if "timeline" in line] == [
        ['resnet50.timeline_time."Ascend Hardware"', "at most 5 ms", "t.py::x (marker)"],
        ["resnet50.timeline_time.CANN", "at least 1 ms (warn)", "t.py::x (marker)"],
    ]
