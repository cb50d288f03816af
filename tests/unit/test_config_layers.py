from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.config import Marker, Options, Settings, load
from pytest_npuperf.model import Case, Mode

SOC = "Ascend910B3"


def _settings(tmp_path: Path, text: str, options: Options | None = None) -> Settings:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path, options or Options())
    assert settings is not None
    return settings


def _case(tmp_path: Path, text: str, soc: str | None = None, **keywords: Any) -> Case:
    return _settings(tmp_path, text).case("b", Marker(keywords), soc)


def _limits(case: Case) -> dict[str, Fraction | None]:
    return {limit.wanted.title(): limit.at_most for limit in case.limits}


# --- who wins -----------------------------------------------------------------------------------

LOW_TO_HIGH = ("general", "extends", "budget", "on", "marker", "command line")


@dataclass(frozen=True)
class Said:
    """A key and its value, at each of the places that can say it."""

    text: str
    marker: Marker
    options: Options


NOTHING = Said("", Marker(), Options())


def _say(said: Said, place: str, mode: Mode) -> Said:
    headers = {
        "general": "tool.npuperf",
        "extends": "tool.npuperf.budgets.base",
        "budget": "tool.npuperf.budgets.b",
        "on": 'tool.npuperf.budgets.b.on."Ascend910B*"',
    }
    if place == "marker":
        return replace(said, marker=Marker({"mode": mode}))
    if place == "command line":
        return replace(said, options=Options(mode=mode))
    return replace(said, text=f"{said.text}[{headers[place]}]\nmode = '{mode}'\n")


def _mode(tmp_path: Path, said: Said) -> Mode:
    tables = "[tool.npuperf]\n" if "[tool.npuperf]" not in said.text else ""
    for table in ("base", "b"):
        if f"budgets.{table}]" not in said.text:
            tables += f"[tool.npuperf.budgets.{table}]\n"
    text = (said.text + tables).replace("budgets.b]\n", "budgets.b]\nextends = 'base'\n")
    return _settings(tmp_path, text, said.options).case("b", said.marker, SOC).mode


def test_what_is_built_in_holds_where_nobody_says_anything(tmp_path: Path) -> None:
    assert _mode(tmp_path, NOTHING) == "auto"


@pytest.mark.parametrize("place", LOW_TO_HIGH)
def test_each_place_alone_is_heard(tmp_path: Path, place: str) -> None:
    assert _mode(tmp_path, _say(NOTHING, place, "replay")) == "replay"


@pytest.mark.parametrize(("low", "high"), list(combinations(LOW_TO_HIGH, 2)))
def test_of_two_places_the_higher_wins(tmp_path: Path, low: str, high: str) -> None:
    said = _say(_say(NOTHING, low, "run"), high, "off")

    assert _mode(tmp_path, said) == "off"


# --- what merges --------------------------------------------------------------------------------


def test_tables_merge_key_by_key_through_all_places(tmp_path: Path) -> None:
    text = """
[tool.npuperf]
msprof = { command = "general", options = { a = "general", b = "general" }, timeout = "1 min" }
[tool.npuperf.budgets.base]
msprof.options = { b = "base", c = "base" }
env = { A = "base", B = "base" }
[tool.npuperf.budgets.b]
extends = "base"
msprof.command = "budget"
msprof.options = { c = "budget", d = "budget" }
env.B = "budget"
[tool.npuperf.budgets.b.on."Ascend910B3"]
msprof.options = { d = "on", e = "on" }
env.C = "on"
"""
    case = _case(tmp_path, text, SOC, msprof={"options": {"e": "marker", "f": True, "g": 5}})

    assert case.msprof.command == "budget"
    assert case.msprof.timeout_s == 60
    assert case.msprof.options == {
        "a": "general",
        "b": "base",
        "c": "budget",
        "d": "on",
        "e": "marker",
        "f": "on",
        "g": "5",
    }
    assert case.env == {"A": "base", "B": "budget", "C": "on"}


def test_statistics_merge_and_limits_replace(tmp_path: Path) -> None:
    text = """
[tool.npuperf.budgets.base]
step_time = { p50 = { at_most = "3 ms", at_least = "1 ms", on_fail = "warn" }, p95 = "9 ms" }
custom.x = { at_most = 5, better = "lower" }
custom.y = { at_most = 5, better = "lower" }
[tool.npuperf.budgets.b]
extends = "base"
step_time.p50 = { at_most = "2 ms" }
custom.x = { at_least = 7, better = "higher" }
"""
    limits = {limit.wanted.title(): limit for limit in _case(tmp_path, text).limits}

    p50 = limits["step_time p50"]
    assert (p50.at_most, p50.at_least) == (Fraction(2_000_000), None)
    assert p50.on_fail == "fail"
    assert limits["step_time p95"].at_most == 9_000_000
    x = limits["custom.x"]
    assert (x.at_most, x.at_least) == (None, Fraction(7))
    assert x.better == "higher"
    assert limits["custom.y"].at_most == 5


def test_layers_and_rule_types_merge_through_all_places(tmp_path: Path) -> None:
    text = """
[tool.npuperf.budgets.base]
timeline_time = { CANN = { at_least = "1 ms", at_most = "80 ms" }, "Ascend Hardware" = "5 ms" }
advice_count = { Memory = 3, Computation = 1 }
[tool.npuperf.budgets.b]
extends = "base"
timeline_time.CANN = "70 ms"
[tool.npuperf.budgets.b.on."Ascend910B*"]
advice_count.Memory = 0
"""
    case = _case(tmp_path, text, SOC, timeline_time={"Communication": "1 ms"})

    assert _limits(case) == {
        "timeline_time CANN": 70_000_000,
        "timeline_time Ascend Hardware": 5_000_000,
        "advice_count Memory": 0,
        "advice_count Computation": 1,
        "timeline_time Communication": 1_000_000,
    }
    assert case.limits[0].at_least is None


def test_lists_replace(tmp_path: Path) -> None:
    text = """
[tool.npuperf]
devices = [0, 1, 2]
[tool.npuperf.budgets.base]
app = ["main", "a", "b"]
ops = [{ type = "A", max = "1 us" }, { type = "B", max = "1 us" }]
apis = [{ name = "a", max = "1 us" }]
[tool.npuperf.budgets.b]
extends = "base"
devices = [1]
app = "other"
ops = [{ type = "C", max = "2 us" }]
apis = []
"""
    case = _case(tmp_path, text)

    assert case.devices == (1,)
    assert case.app == ("other",)
    assert _limits(case) == {"ops type=C max": 2000}


def test_a_chain_of_budgets_is_inherited_all_but_its_links(tmp_path: Path) -> None:
    text = """
[tool.npuperf.budgets.b]
extends = "middle"
rounds = 1
[tool.npuperf.budgets.root]
rounds = 3
warmup_steps = 3
steps = 3
busy_time = "3 ms"
[tool.npuperf.budgets.middle]
extends = "root"
rounds = 2
warmup_steps = 2
idle_time = "2 ms"
"""
    case = _case(tmp_path, text)

    assert (case.rounds, case.steps.warmup_steps, case.steps.steps) == (1, 2, 3)
    assert _limits(case) == {"busy_time": 3_000_000, "idle_time": 2_000_000}


# --- hardware -----------------------------------------------------------------------------------

HARDWARE = """
[tool.npuperf.budgets.base]
busy_time = "9 ms"
[tool.npuperf.budgets.base.on."Ascend910*"]
busy_time = "8 ms"
idle_time = "8 ms"
[tool.npuperf.budgets.b]
extends = "base"
soc = "Ascend310*"
busy_time = "7 ms"
[tool.npuperf.budgets.b.on."Ascend910B?"]
idle_time = "6 ms"
rounds = 6
[tool.npuperf.budgets.b.on."*B3"]
rounds = 5
soc = "Ascend910B3"
"""

ON = [
    (None, 7, None, 1, "Ascend310*"),
    ("Ascend310P3", 7, None, 1, "Ascend310*"),
    ("ascend910b3", 7, None, 1, "Ascend310*"),
    ("Ascend910A", 8, 8, 1, "Ascend910*"),
    ("Ascend910B", 8, 8, 1, "Ascend910*"),
    ("Ascend910B1", 8, 6, 6, "Ascend910B?"),
    ("Ascend910B3", 8, 6, 5, "Ascend910B3"),
    ("Other B3", 7, None, 5, "Ascend910B3"),
]


@pytest.mark.parametrize(("soc", "busy", "idle", "rounds", "holds_on"), ON)
def test_tables_for_some_hardware(
    tmp_path: Path, soc: str | None, busy: int, idle: int | None, rounds: int, holds_on: str
) -> None:
    case = _case(tmp_path, HARDWARE, soc)
    expected = {"busy_time": busy, "idle_time": idle}

    assert _limits(case) == {key: ms * 10**6 for key, ms in expected.items() if ms is not None}
    assert case.rounds == rounds
    assert case.soc == holds_on


def test_a_marker_beats_the_hardware_of_a_budget_and_has_hardware_of_its_own(
    tmp_path: Path,
) -> None:
    marker = {
        "busy_time": "5 ms",
        "idle_time": "5 ms",
        "on": {"*B3": {"idle_time": "4 ms"}, "Ascend310*": {"idle_time": "3 ms"}},
    }
    case = _case(tmp_path, HARDWARE, SOC, **marker)

    assert _limits(case) == {"busy_time": 5_000_000, "idle_time": 4_000_000}
    assert case.soc == "*B3"


def test_a_marker_can_extend_another_budget_than_its_own_does(tmp_path: Path) -> None:
    text = """
[tool.npuperf.budgets]
base = { idle_time = "1 ms" }
other = { window_time = "2 ms", busy_time = "2 ms" }
b = { extends = "base", busy_time = "3 ms" }
"""
    case = _case(tmp_path, text, extends="other")

    assert _limits(case) == {"busy_time": 3_000_000, "window_time": 2_000_000}


# --- where it was said --------------------------------------------------------------------------


def test_each_limit_knows_its_place(tmp_path: Path) -> None:
    text = """[tool.npuperf.budgets.base]
busy_time = "9 ms"
idle_time = "9 ms"
[tool.npuperf.budgets.b]
extends = "base"
step_time = { p50 = "1 ms", p95 = "2 ms" }
[[tool.npuperf.budgets.b.ops]]
type = "A"
max = "1 us"
pmu = { x = { at_most = 1 } }
[tool.npuperf.budgets.b.on."*"]
idle_time = "8 ms"
"""
    marker = Marker(
        {"window_time": "1 s", "apis": [{"name": "a", "max": "1 us"}]}, "t.py::x (marker)"
    )
    limits = _settings(tmp_path, text).case("b", marker, SOC).limits

    assert {limit.wanted.title(): limit.where for limit in limits} == {
        "busy_time": "pyproject.toml:2",
        "idle_time": "pyproject.toml:12",
        "step_time p50": "pyproject.toml:6",
        "step_time p95": "pyproject.toml:6",
        "ops type=A max": "pyproject.toml:9",
        "ops type=A x": "pyproject.toml:10",
        "window_time": "t.py::x (marker)",
        "apis name=a max": "t.py::x (marker)",
    }


def test_paths_start_at_the_file_that_says_them(tmp_path: Path) -> None:
    folder = tmp_path / "perf"
    folder.mkdir()
    (folder / "npuperf.toml").write_text(
        "recordings = 'saved'\noutput = 'out'\n"
        "[budgets.b]\ncwd = 'app'\nrecording = 'r'\n[budgets.c]\nrecording = '/r'\n",
        encoding="utf-8",
    )
    config = Path("perf/npuperf.toml")
    settings = load(tmp_path, Options(config=config))
    assert settings is not None

    case = settings.case("b")
    assert case.cwd == folder / "app"
    assert case.recording == folder / "saved" / "r"
    assert settings.output == folder / "out"
    assert settings.case("c").cwd == folder
    assert settings.case("c").recording == Path("/r")

    marked = settings.case("b", Marker({"cwd": "app", "recording": "m"}))
    assert marked.cwd == tmp_path / "app"
    assert marked.recording == folder / "saved" / "m"

    options = Options(config=config, recordings=tmp_path / "other", output=tmp_path / "o")
    settings = load(tmp_path, options)
    assert settings is not None
    assert settings.case("b").recording == tmp_path / "other" / "r"
    assert settings.output == tmp_path / "o"


def test_the_command_line_can_say_all_of_its_values(tmp_path: Path) -> None:
    options = Options(mode="run", strict=True, record=True, rounds=7)
    settings = _settings(tmp_path, "[tool.npuperf.budgets.b]\nrounds = 3\n", options)
    case = settings.case("b", Marker({"rounds": 5}))

    assert (case.mode, case.strict, case.record, case.rounds) == ("run", True, True, 7)
    assert (settings.mode, settings.strict) == ("run", True)


def test_the_command_line_can_say_no(tmp_path: Path) -> None:
    settings = _settings(tmp_path, "[tool.npuperf.budgets.b]\n", Options(strict=False))

    assert settings.strict is False
    assert settings.case("b").strict is False
