"""The tables about a quantised model: which files they name, and the limits that are usual."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.config import Marker, Options, Settings, load
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import (
    NO_ARTEFACTS,
    AmctFiles,
    Artefacts,
    CalibrationFiles,
    LayerFiles,
    NumberFile,
    Wanted,
)

TEXT = """[tool.npuperf.budgets.int8]
batch_size = 16
speedup = { at_least = 1.3 }
step_speedup = { at_least = 1.2, on_fail = "warn" }
custom.accuracy = { at_least = 0.7, better = "higher", from = "out/result.json", key = "Top1" }

[tool.npuperf.budgets.int8.layer_accuracy]
result = "out/result_*.csv"
judge = "all"
cosine = { at_least = 0.99, why = "the customer's limit" }
euclidean = 0.05

[tool.npuperf.budgets.int8.calibration]
config = "quant.cfg"
input_shape = "input:16,3,224,224"
data_dir = "images"

[tool.npuperf.budgets.int8.amct]
log_dir = "amct_log"
result_dir = "results"
rolled_back_share = "30 %"
"""


def settings_of(tmp_path: Path, text: str) -> Settings:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    settings = load(tmp_path, Options())
    assert settings is not None
    return settings


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        settings_of(tmp_path, text)
    return list(caught.value.problems)


def test_the_files_lie_beside_the_file_that_names_them(tmp_path: Path) -> None:
    case = settings_of(tmp_path, TEXT).case("int8")

    assert case.batch_size == 16
    assert case.artefacts == Artefacts(
        LayerFiles(result=tmp_path / "out" / "result_*.csv", judge="all"),
        CalibrationFiles(
            tmp_path / "quant.cfg",
            input_shape="input:16,3,224,224",
            data_dir=tmp_path / "images",
        ),
        AmctFiles(tmp_path / "amct_log", tmp_path / "results"),
        {"accuracy": NumberFile(tmp_path / "out" / "result.json", "Top1")},
    )


def test_each_table_has_the_limit_that_is_usual_beside_those_that_are_written(
    tmp_path: Path,
) -> None:
    limits = settings_of(tmp_path, TEXT).case("int8").limits
    found = {
        each.wanted.title(): (each.at_least, each.at_most, each.better, each.on_fail, each.where)
        for each in limits
    }

    at = "pyproject.toml:{}".format
    assert found == {
        "layer_accuracy broken": (None, 0, "lower", "fail", "built-in"),
        "calibration images": (10, 50, "higher", "warn", "built-in"),
        "amct quantised_count": (1, None, "higher", "fail", "built-in"),
        "speedup": (Fraction("1.3"), None, "higher", "fail", at(3)),
        "step_speedup": (Fraction("1.2"), None, "higher", "warn", at(4)),
        "custom.accuracy": (Fraction("0.7"), None, "higher", "fail", at(5)),
        "layer_accuracy cosine": (Fraction("0.99"), None, "higher", "fail", at(10)),
        "layer_accuracy euclidean": (None, Fraction("0.05"), "lower", "fail", at(11)),
        "amct rolled_back_share": (None, Fraction("0.3"), "lower", "fail", at(21)),
    }


def test_what_is_written_replaces_what_is_usual(tmp_path: Path) -> None:
    text = f"{TEXT}quantised_count = {{ at_least = 9 }}\n"
    limits = {each.wanted: each for each in settings_of(tmp_path, text).case("int8").limits}

    assert limits[Wanted("amct", "quantised_count")].at_least == 9


def test_a_budget_without_such_tables_has_neither_files_nor_their_limits(tmp_path: Path) -> None:
    text = '[tool.npuperf.budgets.float]\nkernel_time = "1 ms"\n'
    case = settings_of(tmp_path, text).case("float")

    assert case.artefacts == NO_ARTEFACTS
    assert [each.wanted.title() for each in case.limits] == ["kernel_time"]


def test_a_table_is_taken_over_key_by_key(tmp_path: Path) -> None:
    text = TEXT + (
        '[tool.npuperf.budgets.small]\nextends = "int8"\n'
        'calibration.data_dir = "few"\namct.rolled_back_share = "50 %"\n'
    )
    calibration = settings_of(tmp_path, text).case("small").artefacts.calibration

    assert calibration == CalibrationFiles(
        tmp_path / "quant.cfg", input_shape="input:16,3,224,224", data_dir=tmp_path / "few"
    )


def test_the_limits_are_explained_with_their_places(tmp_path: Path) -> None:
    lines = [" ".join(line.split()) for line in settings_of(tmp_path, TEXT).explain("int8")]

    assert "int8.layer_accuracy.broken at most 0 built-in" in lines
    assert "int8.calibration.images at least 10 and at most 50 (warn) built-in" in lines
    assert "int8.speedup at least 1.3 pyproject.toml:3 (budget)" in lines or (
        "int8.speedup at least 1.3 pyproject.toml:3" in lines
    )
    assert any(line.startswith("int8.layer_accuracy.result out/result_*.csv") for line in lines)


BUDGET = "[tool.npuperf.budgets.x]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "layer_accuracy.cosine = { at_least = 0.99 }",
            "2: budgets.x.layer_accuracy: names no file; "
            'write result = "result_*.csv", or stage1 and stage2',
        ),
        (
            'layer_accuracy = { result = "a.csv", stage1 = "b.csv", euclidean = 0.05 }',
            "2: budgets.x.layer_accuracy: has result and stage1; write result, or the stages",
        ),
        (
            "calibration = { batch_size = 16 }",
            '2: budgets.x.calibration: has no config; write for example config = "quant.cfg"',
        ),
        (
            'calibration.config = "quant.cfg"',
            "2: budgets.x.calibration: has neither of batch_size and input_shape; "
            "write one, as config has no batch size",
        ),
        (
            'calibration = { config = "quant.cfg", batch_size = 1, input_shape = "x:1" }',
            "2: budgets.x.calibration: has both of batch_size and input_shape; "
            "write one, as config has no batch size",
        ),
        (
            'amct.log_dir = "amct_log"',
            '2: budgets.x.amct: has no result_dir; write for example result_dir = "results"',
        ),
        (
            'amct = { log_dir = "a", result_dir = "b", quantised_count = 7 }',
            "2: budgets.x.amct.quantised_count: a bare 7 would mean at most, "
            "but higher is better; write { at_least = 7 }",
        ),
        (
            'layer_accuracy = { result = "a.csv", cosin = 0.99 }',
            '2: budgets.x.layer_accuracy.cosin: unknown key "cosin"; did you mean "cosine"?',
        ),
        (
            "speedup = 1.3",
            "2: budgets.x.speedup: a bare 1.3 would mean at most, "
            "but higher is better; write { at_least = 1.3 }",
        ),
        (
            "speedup = { at_least = 0 }",
            "2: budgets.x.speedup: at_least 0 can never fail: no value is less; "
            "write more, or another bound",
        ),
        (
            "step_speedup = { at_most = 100 }",
            "2: budgets.x.step_speedup: at_most 100 can never fail: better is higher, "
            "so no worse value breaks it; write at_least",
        ),
        (
            'speedup = { at_least = 1.3, max_regression = "5 %" }',
            '2: budgets.x.speedup.max_regression: "5 %" of what is a comparison already, '
            "with against; write at_least",
        ),
        (
            'layer_accuracy = { result = "a.csv", cosine = { at_least = -1 } }',
            "2: budgets.x.layer_accuracy.cosine: at_least -1 can never fail: no value is less; "
            "write more, or another bound",
        ),
        (
            'layer_accuracy = { result = "a.csv", kld = { at_least = 0 } }',
            "2: budgets.x.layer_accuracy.kld: at_least 0 can never fail: better is lower, "
            "so no worse value breaks it; write at_most",
        ),
        (
            'amct = { log_dir = "a", result_dir = "b", rolled_back_share = "100 %" }',
            '2: budgets.x.amct.rolled_back_share: at_most "100 %" can never fail: '
            "no value is more than 100 %; write less, or another bound",
        ),
    ],
)
def test_what_a_table_lacks_is_told_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    assert problems(tmp_path, f"{BUDGET}{text}\n") == [f"pyproject.toml:{expected}"]


def test_a_marker_that_names_no_file_is_refused(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, f'{BUDGET}kernel_time = "1 ms"\n')
    marker = Marker({"amct": {"log_dir": "a"}}, "test_it (marker)")
    with pytest.raises(ConfigError) as caught:
        settings.case("x", marker)

    assert caught.value.problems == (
        'test_it (marker): x: amct: has no result_dir; write for example result_dir = "results"',
    )
