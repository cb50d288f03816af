"""All files about a quantised model together: one that cannot be read hides no other."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.accuracy import read
from pytest_npuperf.model import (
    NO_ARTEFACTS,
    AmctFiles,
    Artefacts,
    CalibrationFiles,
    Limit,
    NumberFile,
    Value,
    Wanted,
)
from pytest_npuperf.units import Dimension

LOG = (
    "[AMCT]: Accuracy of original model is 0.7188\n"
    "[AMCT]: Accuracy of global quantized model is 0.7004\n"
    "[AMCT]: Accuracy of saved model is 0.7149\n"
)


def artefacts(tmp_path: Path) -> Artefacts:
    """Return a calibration and two numbers that are there, and a search and one that are not."""
    (tmp_path / "quant.cfg").write_text("batch_num : 2\n", encoding="utf-8")
    (tmp_path / "amct.log").write_text(LOG, encoding="utf-8")
    told = {"title": "x", "value": [{"key": "Top1", "value": "71.01%"}]}
    (tmp_path / "result.json").write_text(json.dumps(told), encoding="utf-8")
    return Artefacts(
        calibration=CalibrationFiles(tmp_path / "quant.cfg", batch_size=16),
        amct=AmctFiles(tmp_path / "amct_log", tmp_path / "results"),
        numbers={
            "accuracy": NumberFile(tmp_path / "amct.log"),
            "top1": NumberFile(tmp_path / "result.json"),
            "top5": NumberFile(tmp_path / "top5.json"),
        },
    )


def test_what_can_be_read_is_a_number_and_what_cannot_says_why(tmp_path: Path) -> None:
    values = read(artefacts(tmp_path)).values()

    assert {wanted.title(): value.value for wanted, value in values.items()} == {
        "calibration images": 32,
        "amct rolled_back_share": None,
        "amct quantised_count": None,
        "custom.accuracy": Fraction("0.7149"),
        "custom.top1": Fraction("71.01"),
        "custom.top5": None,
    }
    lost = values[Wanted("amct", "quantised_count")].reason
    assert lost.startswith(f"{tmp_path}/amct_log/accuracy_based_auto_calibration_record.json: ")
    assert values[Wanted("custom.top5")].reason.startswith(f"{tmp_path}/top5.json: ")


def test_the_float_model_stands_in_the_log_of_a_search(tmp_path: Path) -> None:
    assert read(artefacts(tmp_path)).before() == {
        Wanted("custom.accuracy"): Value(Fraction("0.7188"))
    }


def test_each_table_is_told_of_its_own_limits(tmp_path: Path) -> None:
    limit = Limit(Wanted("calibration", "images"), Dimension.COUNT, at_most=Fraction(50))
    findings = read(artefacts(tmp_path)).findings([limit])

    assert findings[-1] == f"{tmp_path}/quant.cfg: 2 batches x 16 images = 32 images, fine"
    assert any("result.json" in line for line in findings)
    assert any("amct.log" in line for line in findings)


def test_a_budget_that_names_nothing_has_nothing() -> None:
    found = read(NO_ARTEFACTS)

    assert (found.values(), found.before(), found.findings([]), found.rolled_back) == (
        {},
        {},
        (),
        (),
    )
