"""What a budget is compared with in the same session: another app, or another case."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.config import Marker, Options, Settings, load
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import Case

SOC = "Ascend910B3"
TEXT = """[tool.npuperf]
recordings = "saved"
[tool.npuperf.budgets.float]
app = "./main float.om"
recording = "float"
rounds = 9
env = { A = "float" }
busy_time = "9 ms"
against = { case = "int8" }
[tool.npuperf.budgets.float.on."Ascend910B*"]
warmup_steps = 3
[tool.npuperf.budgets.int8]
app = ["./main", "int8.om"]
recording = "int8"
rounds = 5
kernel_time = { max_regression = true }
against = { case = "float" }
"""


def _settings(tmp_path: Path, text: str = TEXT, options: Options | None = None) -> Settings:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path, options or Options())
    assert settings is not None
    return settings


def _against(case: Case) -> Case:
    assert case.against is not None
    return case.against


def test_a_case_is_compared_with_another_as_that_is_for_itself(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    other = _against(settings.case("int8", soc=SOC))

    assert other == replace(settings.case("float", soc=SOC), against=None)
    assert other.app == ("./main", "float.om")
    assert other.recording == tmp_path / "saved" / "float"
    assert other.steps.warmup_steps == 3
    assert _against(settings.case("int8")).steps.warmup_steps is None


def test_two_cases_that_are_compared_with_each_other_are_no_circle(tmp_path: Path) -> None:
    settings = _settings(tmp_path)

    assert _against(settings.case("int8")).against is None
    assert _against(settings.case("float")).name == "int8"


def test_the_command_line_speaks_of_both_sides(tmp_path: Path) -> None:
    options = Options(mode="replay", recordings=tmp_path / "other", rounds=7)
    case = _settings(tmp_path, options=options).case("int8")

    assert (case.mode, case.rounds) == ("replay", 7)
    assert (_against(case).mode, _against(case).rounds) == ("replay", 7)
    assert _against(case).recording == tmp_path / "other" / "float"


@pytest.mark.parametrize("app", ["./old/main 'int8 old.om'", ["./old/main", "int8 old.om"]])
def test_another_app_is_the_same_case_but_for_its_recording(tmp_path: Path, app: Any) -> None:
    marker = Marker({"against": {"app": app}}, "here")
    case = _settings(tmp_path).case("int8", marker)

    assert case.against == replace(
        case, name="./old/main", app=("./old/main", "int8 old.om"), recording=None, against=None
    )
    assert case.recording == tmp_path / "saved" / "int8"


@pytest.mark.parametrize(
    ("own", "other", "name"),
    [
        ("./main new", "./main old", "the other ./main"),
        ("python3 ./main", "./main", "./main"),
        ("./main", "./old/main", "./old/main"),
    ],
)
def test_the_same_program_with_other_arguments_is_told_apart(
    tmp_path: Path, own: str, other: str, name: str
) -> None:
    marker = Marker({"app": own, "against": {"app": other}}, "here")
    assert _against(_settings(tmp_path).case("int8", marker)).name == name


def test_what_is_said_higher_up_replaces_the_whole(tmp_path: Path) -> None:
    text = f"""{TEXT}
[tool.npuperf.budgets.child]
extends = "int8"
[tool.npuperf.budgets.child.on."Ascend910B*"]
against = {{ app = "old" }}
"""
    settings = _settings(tmp_path, text)

    assert _against(settings.case("child")).name == "float"
    assert _against(settings.case("child", soc=SOC)).name == "old"


def test_a_case_without_it_is_compared_with_nothing_in_its_session(tmp_path: Path) -> None:
    assert _settings(tmp_path, "[tool.npuperf.budgets.b]\n").case("b").against is None


def test_no_test_need_use_a_case_that_another_is_compared_with(tmp_path: Path) -> None:
    text = """[tool.npuperf.budgets]
base = {}
float = {}
old = {}
int8 = { extends = "base", against = { case = "float" }, on."*".against = { case = "old" } }
app = { against = { app = "old" } }
"""
    assert _settings(tmp_path, text).bases == {"base", "float", "old"}


ITSELF = [
    ("float", Marker(), "pyproject.toml:2"),
    ("int8", Marker({"against": {"case": "int8"}}, "t.py::x (marker)"), "t.py::x (marker)"),
]


@pytest.mark.parametrize(("name", "marker", "where"), ITSELF)
def test_a_case_is_not_compared_with_itself(
    tmp_path: Path, name: str, marker: Marker, where: str
) -> None:
    text = """[tool.npuperf.budgets]
base = { against = { case = "float" }, app = "main" }
float = { extends = "base" }
int8 = { extends = "base" }
"""
    with pytest.raises(ConfigError) as refused:
        _settings(tmp_path, text).case(name, marker)

    assert refused.value.problems == (
        f'{where}: {name}: against.case: "{name}" would be compared with itself; '
        "name another budget",
    )


def test_both_sides_are_the_same_in_another_process(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    arrived = Settings.from_json(json.loads(json.dumps(settings.to_json())))

    assert arrived.case("int8", soc=SOC) == settings.case("int8", soc=SOC)


def test_a_marker_alone_can_name_another_app_but_no_case_that_is_not_there(
    tmp_path: Path,
) -> None:
    settings = Settings.empty(tmp_path, Options())
    keywords: dict[str, Any] = {"app": "new", "kernel_time": {"max_regression": True}}

    case = settings.case("t", Marker({**keywords, "against": {"app": "old"}}))
    assert _against(case).app == ("old",)
    with pytest.raises(ConfigError) as refused:
        settings.case("t", Marker({**keywords, "against": {"case": "old"}}, "here"))
    assert refused.value.problems == ('here: against.case: no other budget is called "old"',)
