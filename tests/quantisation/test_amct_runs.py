from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.amct import read_amct
from pytest_npuperf.accuracy.numbers import read_number
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import AmctFiles, NumberFile, Value

RECORD = "amct_log/accuracy_based_auto_calibration_record.json"
LOG = "amct_log/amct_pytorch.log"
WORST = (
    "features.1.conv.0.0 (similarity 0.98811, cosine 0.9762), "
    "features.2.conv.1.0 (similarity 0.99385, cosine 0.9877), "
    "features.3.conv.1.0 (similarity 0.9964, cosine 0.9928)"
)
FOURTH_AND_FIFTH = (
    "features.3.conv.0.0 (similarity 0.99702, cosine 0.994), "
    "features.2.conv.0.0 (similarity 0.99781, cosine 0.9956)"
)
RUNS = {
    "satisfied": (
        10,
        (
            f"{RECORD}: 10 of 10 layers quantised after 1 step",
            f"{LOG}: original 0.71875, all quantised 0.70045, saved 0.70045",
        ),
    ),
    "partial": (
        7,
        (
            f"{RECORD}: 7 of 10 layers quantised after 4 steps; rolled back: {WORST}",
            f"{LOG}: original 0.71875, all quantised 0.70045, saved 0.71495",
        ),
    ),
    "impossible": (
        0,
        (
            f"{RECORD}: 0 of 10 layers quantised after 5 steps, and no model was saved; "
            f"rolled back: {WORST}, {FOURTH_AND_FIFTH} and 5 more",
            f"{LOG}: original 0.71875, all quantised 0.70045, saved not said",
        ),
    ),
}


def run_of(quantisation: Path, name: str) -> Path:
    return quantisation / "hicann+amct" / "generated" / f"auto_calibration_{name}"


@pytest.mark.parametrize("name", RUNS)
def test_a_run_has_the_layers_and_accuracies_of_its_files(quantisation: Path, name: str) -> None:
    quantised, findings = RUNS[name]
    folder = run_of(quantisation, name)
    run = read_amct(AmctFiles(folder / "amct_log", folder / "results"))
    assert run.values() == {
        "rolled_back_share": Value(Fraction(10 - quantised, 10), samples=10),
        "quantised_count": Value(Fraction(quantised), samples=10),
    }
    assert tuple(line.removeprefix(f"{folder}/") for line in run.findings([])) == findings
    assert len(run.rolled_back) == 10 - quantised


@pytest.mark.parametrize("name", RUNS)
def test_a_record_file_that_is_cut_anywhere_gives_no_number(
    quantisation: Path, tmp_path: Path, name: str
) -> None:
    folder = run_of(quantisation, name)
    whole = (folder / RECORD).read_bytes()
    for length in range(len(whole)):
        # Where one object ends, the steps before it are sound JSON by themselves.
        if length % 10 == 0 or whole[length - 1 : length + 1] == b"}{":
            (tmp_path / Path(RECORD).name).write_bytes(whole[:length])
            with pytest.raises(AccuracyError):
                read_amct(AmctFiles(tmp_path, folder / "results"))


@pytest.mark.parametrize(
    ("file", "saved", "original"),
    [
        ("hicann+amct/generated/auto_calibration_satisfied/amct_log/*.log", "0.70045", "0.71875"),
        ("hicann+amct/generated/auto_calibration_partial/amct_log/*.log", "0.71495", "0.71875"),
        ("Ascend+samples/log-excerpts/amct_caffe_*.log", "0.710125", "0.7116875"),
        ("Ascend+samples/log-excerpts/amct_tensorflow_*.log", "71.476", "71.84"),
    ],
)
def test_a_log_says_the_accuracies_of_two_models(
    quantisation: Path, file: str, saved: str, original: str
) -> None:
    number = read_number(NumberFile(quantisation / file))
    assert (number.value, number.unit) == (Fraction(saved), "")
    assert number.before == Fraction(original)
    assert number.told.endswith(
        f".log: accuracy of the saved model {saved}, of the original {original}"
    )


def test_the_log_of_a_search_that_saved_no_model_has_no_number(quantisation: Path) -> None:
    path = run_of(quantisation, "impossible") / LOG
    with pytest.raises(AccuracyError) as caught:
        read_number(NumberFile(path))
    assert str(caught.value) == (
        f'{path}: no "Accuracy of saved model is", though other accuracies are there; AMCT saved '
        "no model, or the log is cut: look at its last lines"
    )


@pytest.mark.parametrize(
    ("key", "value", "unit"),
    [
        ("Number of images", "50000", ""),
        ("Number of classes", "1000", ""),
        ("Top1 accuracy", "77.37", "%"),
        ("Top2 accuracy", "87.1", "%"),
        ("Top3 accuracy", "90.61", "%"),
        ("Top4 accuracy", "92.42", "%"),
        ("Top5 accuracy", "93.54", "%"),
    ],
)
def test_a_result_of_modelzoo_has_a_number_for_each_key(
    quantisation: Path, key: str, value: str, unit: str
) -> None:
    path = quantisation / "Ascend+ModelZoo-PyTorch/excerpts/resnet101_result.json"
    number = read_number(NumberFile(path, key))
    assert (number.value, number.unit, number.before) == (Fraction(value), unit, None)
    assert number.told == f"{path}: {key} {value}{unit}"


def test_a_file_of_another_tool_is_refused(quantisation: Path) -> None:
    path = quantisation / "Ascend+ModelZoo-PyTorch/excerpts"
    path /= "resnet101_perf_vision_batchsize_16_device_1.txt"
    with pytest.raises(AccuracyError) as caught:
        read_number(NumberFile(path, "throughput"))
    assert str(caught.value) == (
        f'{path}: no column is "throughput"; there are "[e2e] throughputRate: 185.903", '
        '"latency: 268957"'
    )
