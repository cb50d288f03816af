from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.config import Marker, Options, Settings, load
from pytest_npuperf.errors import ConfigError

TEXT = """[tool.npuperf]
output = "out"

[tool.npuperf.budgets.base]
rounds = 2
[tool.npuperf.budgets.resnet50]
extends = "base"
busy_time = "2 ms"
[[tool.npuperf.budgets.resnet50.ops]]
type = "Conv2D"
max = "60 us"
[tool.npuperf.budgets.resnet50.on."Ascend910B*"]
busy_time = "1 ms"
[tool.npuperf.budgets.resnet50_fp16]
"""


def _settings(tmp_path: Path, text: str = TEXT, options: Options | None = None) -> Settings:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path, options or Options())
    assert settings is not None
    return settings


def _refusal(settings: Settings, name: str, marker: Marker | None = None) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as refused:
        settings.case(name, marker)
    with pytest.raises(ConfigError) as explained:
        settings.explain(name, marker)
    assert explained.value.problems == refused.value.problems
    return refused.value.problems


def test_what_a_file_says_of_budgets(tmp_path: Path) -> None:
    settings = _settings(tmp_path)

    assert settings.budgets == ("base", "resnet50", "resnet50_fp16")
    assert settings.bases == {"base"}
    assert settings.where("resnet50") == "pyproject.toml:6"
    assert settings.file == tmp_path / "pyproject.toml"
    assert settings.output == tmp_path / "out"
    assert settings.baselines == tmp_path / "baselines"
    assert (settings.mode, settings.strict) == ("auto", False)


def test_a_project_without_a_file(tmp_path: Path) -> None:
    settings = Settings.empty(tmp_path, Options(mode="off"))

    assert (settings.budgets, settings.bases) == ((), frozenset())
    assert settings.output == tmp_path / ".npuperf"
    assert settings.mode == "off"
    assert settings.case("x", Marker({"busy_time": "1 ms"})).limits[0].at_most == 1_000_000


def test_a_case_is_made_once(tmp_path: Path) -> None:
    settings = _settings(tmp_path)

    assert settings.case("resnet50") is settings.case("resnet50", Marker())
    assert settings.case("resnet50", soc="Ascend910B3").limits[0].at_most == 1_000_000
    assert settings.case("resnet50").limits[0].at_most == 2_000_000
    assert settings.case("resnet50", Marker({"rounds": 9})).rounds == 9
    assert settings.case("resnet50").rounds == 2


UNKNOWN = [
    (
        TEXT,
        "resnet5",
        'no budget of that name in pyproject.toml; did you mean "resnet50" or "resnet50_fp16"?',
    ),
    (TEXT, "bas", 'no budget of that name in pyproject.toml; did you mean "base"?'),
    (
        TEXT,
        "yolov8",
        "no budget of that name in pyproject.toml; known are base, resnet50, resnet50_fp16",
    ),
    ("[tool.npuperf]\n", "x", "no budget of that name: there are no budgets in pyproject.toml"),
]


@pytest.mark.parametrize(("text", "name", "problem"), UNKNOWN)
def test_a_name_that_no_budget_has(tmp_path: Path, text: str, name: str, problem: str) -> None:
    settings = _settings(tmp_path, text)

    assert _refusal(settings, name) == (f'marker npuperf("{name}"): {problem}',)
    assert _refusal(settings, name, Marker({}, "t.py::x")) == (
        f'marker npuperf("{name}"): {problem}',
    )


def test_a_name_where_there_is_no_file(tmp_path: Path) -> None:
    assert _refusal(Settings.empty(tmp_path, Options()), "x") == (
        'marker npuperf("x"): no budget of that name: there is no [tool.npuperf] in pyproject.toml',
    )


@pytest.mark.parametrize(
    "keywords",
    [
        {"busy_time": "1 ms"},
        {"app": "main"},
        {"recording": "r"},
        {"extends": "resnet50"},
        {"ops": [{"type": "A", "count": 0}]},
    ],
)
def test_keywords_that_make_a_budget(tmp_path: Path, keywords: dict[str, Any]) -> None:
    case = _settings(tmp_path).case("t.py::x", Marker(keywords))

    assert case.name == "t.py::x"


@pytest.mark.parametrize("keywords", [{"rounds": 3}, {"ops": []}, {"extends": "base"}])
def test_keywords_that_measure_nothing_make_no_budget(
    tmp_path: Path, keywords: dict[str, Any]
) -> None:
    assert _refusal(_settings(tmp_path), "resnet5", Marker(keywords)) == (
        'marker npuperf("resnet5"): no budget of that name in pyproject.toml; '
        'did you mean "resnet50" or "resnet50_fp16"?',
    )


KEYWORDS: list[tuple[dict[Any, Any], list[str]]] = [
    ({"rounds": 0}, ["rounds: 0 is too small; the least is 1"]),
    (
        {"busy_tme": "1 ms", "app": "'"},
        [
            'app: "\'" has a quote that is not closed; close it, or write a list',
            'busy_tme: unknown metric or key "busy_tme"; did you mean "busy_time"?',
        ],
    ),
    (
        {"step_time": {95: "1 ms"}},
        ['step_time.95: unknown statistic "95"; did you mean "p95"?'],
    ),
    (
        {"busy_time": "1,7 ms"},
        ['busy_time: "1,7 ms" is not a duration; write "1.7 ms" or "1700 us"'],
    ),
    (
        {"ops": [{"type": "A", "max": 5}]},
        ['ops[0].max: 5 has no unit; write "5 us", "5 ms" or "5 s"'],
    ),
    (
        {"extends": "resnet5"},
        ['extends: no other budget is called "resnet5"; did you mean "resnet50"?'],
    ),
    ({"budgets": {}}, ['budgets: unknown metric or key "budgets"; it belongs in [tool.npuperf]']),
    ({"rounds": {1}}, ['rounds: "{1}" is not a whole number; write for example 1']),
    ({"busy_time": None}, ['busy_time: null is not a duration; write "1.7 ms" or "1700 us"']),
    (
        {"busy_time": {"max_regression": "1 point"}},
        [
            'busy_time.max_regression: "1 point" is in points, which are for max_regression of '
            "shares and custom numbers; write it in %"
        ],
    ),
    (
        {"against": {"case": "resnet5"}},
        ['against.case: no other budget is called "resnet5"; did you mean "resnet50"?'],
    ),
]


@pytest.mark.parametrize(("keywords", "problems"), KEYWORDS)
def test_wrong_keywords_are_told_as_those_of_a_file(
    tmp_path: Path, keywords: dict[Any, Any], problems: list[str]
) -> None:
    marker = Marker(keywords, "t.py::x (marker)")

    assert _refusal(_settings(tmp_path), "resnet50", marker) == tuple(
        f"t.py::x (marker): {problem}" for problem in problems
    )


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(
            config=Path("pyproject.toml"),
            mode="run",
            recordings=Path("a"),
            output=Path("b"),
            strict=False,
            record=True,
            rounds=3,
        ),
    ],
)
def test_settings_go_to_another_process_as_plain_data(tmp_path: Path, options: Options) -> None:
    settings = _settings(tmp_path, options=options)
    data = json.loads(json.dumps(settings.to_json()))
    arrived = Settings.from_json(data)

    assert arrived == settings
    assert arrived.case("resnet50", soc="Ascend910B1") == settings.case(
        "resnet50", soc="Ascend910B1"
    )
    assert arrived.explain("resnet50") == settings.explain("resnet50")


def test_settings_without_a_file_go_to_another_process_too(tmp_path: Path) -> None:
    settings = Settings.empty(tmp_path, Options())

    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_jsonschema_is_imported_only_when_there_is_something_to_check(tmp_path: Path) -> None:
    script = f"""
import json, sys
from pathlib import Path
from pytest_npuperf.config import Marker, Options, Settings, load

root = Path({str(tmp_path)!r})
assert load(root / "without", Options()) is None
Settings.empty(root, Options()).mode
assert "jsonschema" not in sys.modules
settings = Settings.from_json(json.loads(sys.argv[1]))
settings.case("resnet50", Marker())
assert "jsonschema" not in sys.modules
settings.case("resnet50", Marker({{"rounds": 3}}))
assert "jsonschema" in sys.modules
assert "pandas" not in sys.modules
"""
    data = json.dumps(_settings(tmp_path).to_json())
    done = subprocess.run(
        [sys.executable, "-c", script, data], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
