"""Every result of the accuracy comparison has the strict verdict that VERDICTS.tsv gives it."""

from __future__ import annotations

import csv
from ast import literal_eval
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from pytest_npuperf.accuracy.comparison import read_comparison
from pytest_npuperf.accuracy.interval import USUAL, Interval, interval_of
from pytest_npuperf.accuracy.layers import read_layers
from pytest_npuperf.accuracy.tensors import Tensor
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import LayerFiles

MADE = "Ascend+msprobe/generated"
MSIT = "xiaobingling93-pixel+Ascend-msit"
RESULTS = (
    f"{MADE}/npu_vs_npu/result_20261201210540.csv",
    f"{MADE}/resnet50_om_bad_res4c_branch2b/result_20261201211056.csv",
    f"{MADE}/resnet50_om_good/result_20261201211052.csv",
    f"{MADE}/stage1_bad_conv3_1/result_20261201210507.csv",
    f"{MADE}/stage1_dead_layer/result_20261201210607.csv",
    f"{MADE}/stage1_good/result_20261201210504.csv",
    f"{MADE}/stage1_nan_layer/result_20261201210611.csv",
    f"{MADE}/stage1_shape_mismatch/result_20261201210609.csv",
    f"{MADE}/stage2_good/result_20261201210537.csv",
    f"{MADE}/stage2_overflow/result_20261201210538.csv",
    "Ascend+msprobe/transcribed/offline_data_compare_result.csv",
    f"{MSIT}/msit/test/UT/msquickcmp_ut/fake_test_csv.csv",
    f"{MSIT}/transcribed/overflow.csv",
)
FIRST, LAST_GOOD, BROKEN, COMPARED, LAST = range(5, 10)
"""Columns of VERDICTS.tsv."""


@pytest.fixture(scope="module")
def verdicts(quantisation: Path) -> dict[str, list[str]]:
    """Return the rows, by the file."""
    text = (quantisation / "VERDICTS.tsv").read_text(encoding="utf-8")
    _, *rows = csv.reader(text.splitlines(), delimiter="\t")
    return {row[0]: row for row in rows}


def test_all_files_are_asked_about(verdicts: dict[str, list[str]]) -> None:
    assert {*verdicts} == {*RESULTS}


def interval(quantisation: Path, file: str) -> Interval:
    return interval_of(read_comparison(quantisation / file), USUAL)


def place(tensor: Tensor | None, cosine: bool) -> object:
    if tensor is None:
        return None
    told = (str(tensor.index), tensor.name)
    return (*told, tensor.cells["cosine"]) if cosine else told


@pytest.mark.parametrize("file", RESULTS)
def test_the_first_bad_output_and_the_last_good_before_it(
    quantisation: Path, verdicts: dict[str, list[str]], file: str
) -> None:
    found, row = interval(quantisation, file), verdicts[file]
    assert place(found.first_bad, cosine=True) == literal_eval(row[FIRST])
    assert place(found.last_good, cosine=False) == literal_eval(row[LAST_GOOD])


@pytest.mark.parametrize("judge", ["output", "all"])
@pytest.mark.parametrize("file", RESULTS)
def test_how_many_are_broken_and_were_not_compared(
    quantisation: Path,
    verdicts: dict[str, list[str]],
    file: str,
    judge: Literal["output", "all"],
) -> None:
    values = read_layers(LayerFiles(result=quantisation / file, judge=judge)).values()
    compared, shared = map(int, verdicts[file][COMPARED].split("/"))
    assert values["broken"].value == int(verdicts[file][BROKEN])
    assert values["not_compared"].value == shared - compared
    assert values["not_compared"].samples == shared


@pytest.mark.parametrize("file", RESULTS)
def test_the_last_output_is_judged(
    quantisation: Path, verdicts: dict[str, list[str]], file: str
) -> None:
    reading = read_layers(LayerFiles(result=quantisation / file))
    index, cosine = literal_eval(verdicts[file][LAST])
    assert reading.values()["cosine"].value == Fraction(cosine)
    assert [each.index for each in reading.comparisons[""].last_outputs] == [int(index)]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (
            "stage1_dead_layer",
            "first bad: Index 5 conv2_1,conv2_1_dequant_layer all zero on one side; "
            "last good: Index 3 relu1",
        ),
        (
            "stage1_nan_layer",
            "first bad: Index 12 relu3_1 nan; last good: Index 11 conv3_1,conv3_1_dequant_layer",
        ),
        ("stage1_shape_mismatch", "13 of 14 operators compared, no bad output"),
        (
            "stage1_bad_conv3_1",
            "first bad: Index 11 conv3_1,conv3_1_dequant_layer cosine 0.831677; "
            'last good: Index 9 relu2_2 (not judged: judge = "output")',
        ),
        (
            "resnet50_om_bad_res4c_branch2b",
            "first bad: Index 196 res5a_branch2cres5a_branch2c_dequant_layer cosine 0.975515; "
            "last good: Index 139 res4a_branch2cres4a_branch2c_dequant_layer; "
            "18 operators between them were not compared",
        ),
        (
            "stage2_overflow",
            "first bad: Index 16 relu3_1 overflow; last good: Index 15 conv3_1_dequant_layer; "
            "introduced here, as its inputs are good",
        ),
    ],
)
def test_what_the_vendor_calls_fine_is_told(quantisation: Path, case: str, told: str) -> None:
    folder = quantisation / MADE / case
    first, *_ = read_layers(LayerFiles(result=folder / "result_*.csv")).findings([])
    assert first == f"{next(folder.glob('result_*.csv'))}: {told}"


@pytest.mark.parametrize("file", RESULTS[:10])
def test_a_file_that_is_cut_within_a_line_is_refused(
    quantisation: Path, tmp_path: Path, file: str
) -> None:
    whole = (quantisation / file).read_bytes()
    path = tmp_path / "result.csv"
    for length in range(0, len(whole), max(1, len(whole) // 40)):
        if not whole[:length].endswith(b"\n"):
            path.write_bytes(whole[:length])
            with pytest.raises(AccuracyError):
                read_comparison(path)


@pytest.mark.parametrize("name", ["20230703104808", "without_accuracy"])
def test_a_result_of_another_comparison_is_refused(quantisation: Path, name: str) -> None:
    resources = quantisation / "Ascend+msprobe/test/msprobe_test/resources"
    path = resources / f"compare_result_{name}.csv"
    with pytest.raises(AccuracyError) as caught:
        read_comparison(path)
    assert str(caught.value) == (
        f'{path}: a result of the PyTorch comparison, which has "Accuracy Reached or Not" and no '
        "operators by Index; name the result_*.csv of the offline model"
    )
