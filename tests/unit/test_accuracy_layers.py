"""What a comparison comes to: the numbers a budget limits, and where the accuracy is lost."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from pytest_npuperf.accuracy.layers import LayerAccuracy, read_layers
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import LayerFiles, Limit, Value, Wanted
from pytest_npuperf.units import Dimension

HEADER = (
    "Index,NPUDump,GroundTruth,TensorIndex,OverFlow,CosineSimilarity,RelativeEuclideanDistance,"
    "KullbackLeiblerDivergence,RootMeanSquareError,CompareFailReason"
)
NO_DUMP = "[x] There is no dump file for my output operator x. The type is Relu."
NO_ORIGINAL = "[x] There is no the ground truth dump file for x:output:0."
SHAPES = "[x] Due to the different shapes on the left and right the left dump data can not be."
ZERO = "Cannot compare by Cosine Similarity. All the data is zero in /srv/demo/x.npy."
SCALAR = "This tensor is scalar."

UNJUDGED = ' (not judged: judge = "output")'
STAGE1 = (
    "stage1 loses it, in quantisation: check that the calibration data are 10 to 100 images like "
    "those that the model will see; then leave the first and the last layer in float"
)


def stage2(place: str) -> str:
    return (
        f"stage2 loses it, in conversion: leave {place} in float, and quantise again; where many "
        "operators lose a little each, go back to stage1"
    )


def row(
    index: int,
    cosine: str = "1.0",
    euclidean: str = "0.01",
    kld: str = "0.001",
    rmse: str = "0.1",
    *,
    tensor: str = "output:0",
    golden: str = "",
    overflow: str = "NO",
    reason: str = "",
) -> str:
    """Return a row of the operator ``opINDEX``; an empty tensor is one that is not said."""
    name = f"op{index}"
    at = f"{name}:{tensor}" if tensor else "NaN"
    metrics = f"{cosine},{euclidean},{kld},{rmse}"
    return f"{index},{name},{golden or name},{at},{overflow},{metrics},{reason}"


def none(index: int, reason: str = NO_DUMP, *, tensor: str = "output:0", golden: str = "") -> str:
    return row(index, *["NaN"] * 4, tensor=tensor, golden=golden, reason=reason)


def dead(index: int) -> str:
    return row(index, "NaN", "1.0", "0.02", "0.6", reason=ZERO)


def lost(index: int, *, tensor: str = "output:0", overflow: str = "NO") -> str:
    return row(index, "nan", "inf", "nan", "inf", tensor=tensor, overflow=overflow)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, so that sentences name files shortly."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, rows: Sequence[str], header: str = HEADER) -> Path:
    path = Path(name)
    path.write_text("\r\n".join([header, *rows, ""]), encoding="utf-8", newline="")
    return path


def read(
    *rows: str, judge: Literal["output", "all"] = "output", header: str = HEADER
) -> LayerAccuracy:
    return read_layers(LayerFiles(result=write("r.csv", rows, header), judge=judge))


def read_stages(
    first: Sequence[str], second: Sequence[str], judge: Literal["output", "all"] = "output"
) -> LayerAccuracy:
    files = LayerFiles(stage1=write("1.csv", first), stage2=write("2.csv", second), judge=judge)
    return read_layers(files)


def limit(key: str, *, at_least: str = "", at_most: str = "") -> Limit:
    return Limit(
        Wanted("layer_accuracy", key),
        Dimension.NUMBER,
        at_least=Fraction(at_least) if at_least else None,
        at_most=Fraction(at_most) if at_most else None,
    )


def number(text: str, samples: int = 1, coverage: Fraction = Fraction(1)) -> Value:
    return Value(Fraction(text), samples, coverage)


def lacks(reason: str) -> Value:
    return Value(None, reason=f"r.csv: {reason}")


# Numbers


@pytest.mark.usefixtures("folder")
def test_the_last_output_or_the_worst_is_judged() -> None:
    rows = (
        row(0, "0.5", "0.02", "0.004", "0.3", tensor="input:0"),
        row(0, "0.98", "0.6", "0.002", "0.9"),
        row(1, "0.97", "0.02", "0.004", "0.3"),
        row(2, "0.999", "0.05", "-0.000000", "0.25"),
        row(3, "0.1", "9", "9", "9", golden="*"),
    )
    counts = {"broken": number("0", 3), "not_compared": number("0", 3)}

    assert read(*rows).values() == {
        "cosine": number("0.999"),
        "euclidean": number("0.05"),
        "kld": number("0"),
        "rmse": number("0.25"),
        **counts,
    }
    assert read(*rows, judge="all").values() == {
        "cosine": number("0.97", 3),
        "euclidean": number("0.6", 3),
        "kld": number("0.004", 3),
        "rmse": number("0.9", 3),
        **counts,
    }


@pytest.mark.parametrize(
    ("rows", "value"),
    [
        ([row(0)], number("1")),
        ([row(0), row(1, "0.5", tensor="")], number("0.5")),
        # Of several outputs of the last operator every one is the network's.
        ([row(0), row(1, "0.7"), row(1, "0.9", tensor="output:1")], number("0.7", 2)),
        ([row(1, "0.7", tensor=""), row(1, "0.9", tensor="")], number("0.9")),
        (
            [row(0), lost(1)],
            lacks("the last output, Index 1 op1, is broken (nan)"),
        ),
        (
            [row(0), row(1, overflow="YES")],
            lacks("the last output, Index 1 op1, is broken (overflow)"),
        ),
        (
            [row(0), dead(1)],
            lacks("the last output, Index 1 op1, is broken (all zero on one side)"),
        ),
        (
            [row(0), none(1, SHAPES)],
            lacks("the last output, Index 1 op1, was not compared (other shapes)"),
        ),
        (
            [row(0), none(1, "")],
            lacks("the last output, Index 1 op1, was not compared (without a reason)"),
        ),
        (
            [row(0), row(1, "")],
            lacks("the last output, Index 1 op1, was not compared (without a reason)"),
        ),
        (
            [row(0), row(1), none(1, NO_ORIGINAL, tensor="output:1")],
            lacks("the last output, Index 1 op1, was not compared (no dump of the original)"),
        ),
        (
            [row(0), row(1, reason=SCALAR)],
            lacks(
                "the last output, Index 1 op1, is a scalar, of which a cosine says nothing; limit "
                "euclidean or rmse"
            ),
        ),
        (
            [row(0), row(1, tensor="input:0")],
            lacks("the last operator, Index 1 op1, has no output in it; judge all outputs"),
        ),
        (
            [row(0, golden="*"), none(1, golden="*")],
            lacks("no operator has a counterpart; compare with the dumps of the same model"),
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_an_output_that_is_not_known_is_not_replaced_by_an_earlier_one(
    rows: Sequence[str], value: Value
) -> None:
    assert read(*rows).values()["cosine"] == value


@pytest.mark.parametrize(
    ("rows", "key", "value"),
    [
        ([row(0, "0.9"), lost(1), dead(2), none(3)], "cosine", number("0.9")),
        ([row(0, reason=SCALAR), row(1, "0.9")], "cosine", number("0.9", 1, Fraction(1, 2))),
        ([row(0, "1", "2", reason=SCALAR), row(1)], "euclidean", number("2", 2)),
        (
            [row(0, reason=SCALAR)],
            "cosine",
            lacks("no output that was compared has a CosineSimilarity"),
        ),
        ([none(0)], "kld", lacks("no output that was compared has a KullbackLeiblerDivergence")),
        # Of bool tensors the tool gives two metrics, and says why.
        (
            [row(0), row(1, kld="NaN", rmse="NaN", reason="Not for bool."), row(2, rmse="0.2")],
            "rmse",
            number("0.2", 2, Fraction(2, 3)),
        ),
        (
            [row(0), row(1, rmse="NaN")],
            "rmse",
            lacks("an output, Index 1 op1, has RootMeanSquareError NaN"),
        ),
        (
            [row(0), row(1, rmse="")],
            "rmse",
            lacks("an output, Index 1 op1, has RootMeanSquareError blank"),
        ),
        (
            [row(0, kld="inf"), row(1)],
            "kld",
            lacks("an output, Index 0 op0, has KullbackLeiblerDivergence inf"),
        ),
        (
            [row(0, kld="inf", reason="Look at it.")],
            "kld",
            lacks("an output, Index 0 op0, has KullbackLeiblerDivergence inf"),
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_of_all_outputs_what_nobody_explains_is_not_passed_by(
    rows: Sequence[str], key: str, value: Value
) -> None:
    assert read(*rows, judge="all").values()[key] == value


@pytest.mark.parametrize("key", ["euclidean", "kld", "rmse"])
@pytest.mark.usefixtures("folder")
def test_a_broken_output_has_no_distance_though_the_tool_writes_one(key: str) -> None:
    value = read(row(0), dead(1)).values()[key]
    assert value == lacks("the last output, Index 1 op1, is broken (all zero on one side)")


@pytest.mark.usefixtures("folder")
def test_a_metric_of_the_last_output_that_is_infinite_is_no_number() -> None:
    value = read(row(0), row(1, kld="inf")).values()["kld"]
    assert value == lacks("the last output, Index 1 op1, has KullbackLeiblerDivergence inf")


@pytest.mark.parametrize("judge", ["output", "all"])
@pytest.mark.usefixtures("folder")
def test_a_metric_without_a_column_is_no_number(judge: Literal["output", "all"]) -> None:
    reading = read(
        "0,a,a,0.9", judge=judge, header="Index,NPUDump,GroundTruth,RelativeEuclideanDistance"
    )
    values = reading.values()
    assert values["euclidean"] == number("0.9")
    for key, column in (
        ("cosine", "CosineSimilarity"),
        ("kld", "KullbackLeiblerDivergence"),
        ("rmse", "RootMeanSquareError"),
    ):
        assert values[key] == lacks(f"no column {column}; let -alg name it, or limit another")


@pytest.mark.parametrize(
    ("rows", "broken", "not_compared"),
    [
        ([row(0)], 0, 0),
        ([row(0), lost(1), dead(2), row(3, overflow="YES"), none(4), none(5, "")], 3, 2),
        # One operator, though two of its outputs are so.
        ([row(0), lost(1), lost(1, tensor="output:1")], 1, 0),
        ([none(0), none(0, tensor="output:1"), row(1)], 0, 1),
        ([row(0), none(0, SHAPES, tensor="output:1")], 0, 1),
        # Its input is another one's output; of AscendQuant nothing but the input is there.
        ([lost(0, tensor="input:0"), row(0)], 0, 0),
        ([row(0), lost(1, tensor="input:0")], 1, 0),
        # Weights have no dump; an output that is not there may not hide behind them.
        ([row(0, tensor="input:0"), none(0, tensor="input:1")], 0, 0),
        ([row(0, tensor="input:0"), none(0)], 0, 1),
        # Rows of which nobody knows what they are, as in results that were cut down.
        ([row(0, tensor=""), none(0, tensor="")], 0, 0),
        ([row(0), none(1, tensor=""), none(1, tensor="")], 0, 1),
        ([row(0), none(1, golden="*"), row(2, "nan", golden="*")], 0, 0),
        ([row(0), row(1, "0.999", "nan"), row(2, kld="inf")], 1, 0),
    ],
)
@pytest.mark.usefixtures("folder")
def test_operators_are_counted_by_their_outputs(
    rows: Sequence[str], broken: int, not_compared: int
) -> None:
    values = read(*rows).values()
    assert values["broken"].value == broken
    assert values["not_compared"].value == not_compared


@pytest.mark.usefixtures("folder")
def test_where_nothing_was_compared_nothing_is_known_to_be_sound() -> None:
    values = read(none(0), none(1)).values()
    assert values["broken"] == lacks("no operator was compared")
    assert values["not_compared"] == number("2", 2)


@pytest.mark.usefixtures("folder")
def test_where_nothing_has_a_counterpart_there_is_no_number_at_all() -> None:
    for judge in ("output", "all"):
        values = read(row(0, golden="*"), judge=judge).values()
        assert len(values) == 6
        assert all(value.value is None for value in values.values())


@pytest.mark.usefixtures("folder")
def test_of_two_stages_the_worse_and_the_sum_are_taken() -> None:
    first = [none(0), row(1, "0.99", "0.01", "0.002", "0.3")]
    second = [none(0), lost(1), row(2, "0.98", "0.02", "0.001", "0.2")]
    assert read_stages(first, second).values() == {
        "cosine": number("0.98", 2),
        "euclidean": number("0.02", 2),
        "kld": number("0.002", 2),
        "rmse": number("0.3", 2),
        "broken": number("1", 5),
        "not_compared": number("2", 5),
    }


@pytest.mark.parametrize(
    ("first", "second", "cosine"),
    [
        ([row(0), lost(1)], [row(0)], "1.csv: the last output, Index 1 op1, is broken (nan)"),
        ([row(0)], [row(0), lost(1)], "2.csv: the last output, Index 1 op1, is broken (nan)"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_stage_that_is_not_known_is_not_replaced_by_the_other(
    first: Sequence[str], second: Sequence[str], cosine: str
) -> None:
    assert read_stages(first, second).values()["cosine"] == Value(None, reason=cosine)


@pytest.mark.usefixtures("folder")
def test_counts_of_a_stage_in_which_nothing_was_compared_are_not_known() -> None:
    values = read_stages([row(0)], [none(0)]).values()
    assert values["broken"] == Value(None, reason="2.csv: no operator was compared")


def test_a_stage_that_is_not_there_is_refused(folder: Path) -> None:
    files = LayerFiles(stage1=write("1.csv", [row(0)]), stage2=folder / "2.csv")
    with pytest.raises(AccuracyError) as caught:
        read_layers(files)
    assert str(caught.value) == f"{folder}/2.csv: no such file; make it, or mend the path"


# Sentences


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([row(0), row(1)], ["r.csv: 2 of 2 operators compared, no bad output"]),
        ([row(0, "0.99")], ["r.csv: 1 of 1 operator compared, no bad output"]),
        (
            [row(0), row(1, "0.989999")],
            ["r.csv: first bad: Index 1 op1 cosine 0.989999; last good: Index 0 op0"],
        ),
        (
            [row(0, "0.9"), row(1, "0.8")],
            [
                "r.csv: first bad: Index 0 op0 cosine 0.9; no output before it is known to be good",
            ],
        ),
        (
            [row(3, "0.9"), row(4)],
            [
                "r.csv: first bad: Index 3 op3 cosine 0.9; no output before it is known to be good"
                + UNJUDGED,
            ],
        ),
        # What no row is about was not compared; what only the device has needs not to be.
        (
            [row(0), row(1, golden="*"), none(2, golden="*"), row(4, "0.9")],
            [
                "r.csv: first bad: Index 4 op4 cosine 0.9; last good: Index 0 op0; "
                "1 operator between them was not compared",
            ],
        ),
        (
            [row(5), none(6), none(7, SHAPES), row(9, "0.9"), row(10, "0.9")],
            [
                "r.csv: first bad: Index 9 op9 cosine 0.9; last good: Index 5 op5; "
                "3 operators between them were not compared",
                "r.csv: 2 operators not compared: 1 no dump of the model (Index 6 op6); "
                "1 other shapes (Index 7 op7)",
            ],
        ),
        # A scalar is neither good nor bad.
        (
            [row(0), row(1, reason=SCALAR), row(2, "0.9")],
            ["r.csv: first bad: Index 2 op2 cosine 0.9; last good: Index 0 op0"],
        ),
        (
            [row(0), row(1, tensor="input:0"), none(1, tensor="input:1"), row(1, "0.9")],
            [
                "r.csv: first bad: Index 1 op1 cosine 0.9; last good: Index 0 op0; "
                "introduced here, as its inputs are good",
            ],
        ),
        (
            [row(0), row(3), row(3, "0.97", tensor="input:4"), row(3, "0.9", tensor="output:1")],
            [
                "r.csv: first bad: Index 3 op3 cosine 0.9; last good: Index 3 op3; "
                "inherited, as its input 4 is bad already (cosine 0.97)",
            ],
        ),
        (
            [row(0), none(1, tensor="input:0"), row(1, "0.9")],
            ["r.csv: first bad: Index 1 op1 cosine 0.9; last good: Index 0 op0"],
        ),
        (
            [row(0), lost(2, tensor="input:0", overflow="YES"), row(2, "0.5")],
            [
                "r.csv: first bad: Index 2 op2 cosine 0.5; last good: Index 0 op0; "
                "1 operator between them was not compared; "
                "inherited, as its input 0 is bad already (overflow)",
            ],
        ),
        # Broken is counted, whatever becomes of the output.
        (
            [row(0), lost(1), dead(2), row(3)],
            [
                "r.csv: first bad: Index 1 op1 nan; last good: Index 0 op0",
                "r.csv: 2 operators broken: Index 1 op1 (nan), Index 2 op2 (all zero on one side)",
            ],
        ),
        (
            [row(0, "0.9"), lost(1), row(2)],
            [
                "r.csv: first bad: Index 0 op0 cosine 0.9; no output before it is known to be good"
                + UNJUDGED,
                "r.csv: 1 operator broken: Index 1 op1 (nan)",
            ],
        ),
        (
            [none(0), none(1), none(2, NO_ORIGINAL), none(3, "")],
            [
                "r.csv: 0 of 4 operators compared",
                "r.csv: 4 operators not compared: 2 no dump of the model (Index 0 op0, Index 1 "
                "op1); 1 no dump of the original (Index 2 op2); 1 without a reason (Index 3 op3)",
            ],
        ),
        (
            [row(0), *(none(each) for each in range(1, 8))],
            [
                "r.csv: 1 of 8 operators compared, no bad output",
                "r.csv: 7 operators not compared: no dump of the model (Index 1 op1, Index 2 op2, "
                "Index 3 op3, Index 4 op4, Index 5 op5 and 2 more)",
            ],
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_where_it_is_lost_is_told(rows: Sequence[str], told: Sequence[str]) -> None:
    assert [*read(*rows).findings([])] == told


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ([], "first bad: Index 1 op1 cosine 0.98; last good: Index 0 op0"),
        ([limit("broken", at_most="0")], "first bad: Index 1 op1 cosine 0.98; last good: Index 0"),
        ([limit("cosine")], "first bad: Index 1 op1 cosine 0.98; last good: Index 0 op0"),
        ([limit("cosine", at_least="0.98")], "3 of 3 operators compared, no bad output"),
        ([limit("euclidean", at_most="0.3")], "3 of 3 operators compared, no bad output"),
        (
            [limit("euclidean", at_most="0.299")],
            "first bad: Index 2 op2 euclidean 0.3; last good: Index 1 op1",
        ),
        (
            [limit("cosine", at_least="0.99"), limit("euclidean", at_most="0.05")],
            "first bad: Index 1 op1 cosine 0.98, euclidean 0.2; last good: Index 0 op0",
        ),
        ([limit("kld", at_most="7")], "first bad: Index 2 op2 kld inf; last good: Index 1 op1"),
        ([limit("rmse", at_most="1")], "3 of 3 operators compared, no bad output"),
        (
            [limit("rmse", at_most="1"), limit("cosine", at_least="0.99")],
            "first bad: Index 1 op1 cosine 0.98; last good: Index 0 op0",
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_bad_depends_on_the_limits(limits: Sequence[Limit], told: str) -> None:
    rows = [
        row(0),
        row(1, "0.98", "0.2", rmse="NaN", reason="Not for bool."),
        row(2, "0.985", "0.3", "inf"),
    ]
    (line,) = read(*rows, judge="all").findings(limits)
    assert line.startswith(f"r.csv: {told}")


@pytest.mark.parametrize("judge", ["output", "all"])
@pytest.mark.usefixtures("folder")
def test_only_outputs_before_a_good_one_are_not_judged(judge: Literal["output", "all"]) -> None:
    (line,) = read(row(0, "0.9"), row(1), judge=judge).findings([])
    assert line.endswith(UNJUDGED) == (judge == "output")


@pytest.mark.usefixtures("folder")
def test_of_a_network_whose_output_is_not_known_the_bad_is_no_side_matter() -> None:
    told = read(row(0, "0.9"), none(1)).findings([])
    assert told == (
        "r.csv: first bad: Index 0 op0 cosine 0.9; no output before it is known to be good",
        "r.csv: 1 operator not compared: no dump of the model (Index 1 op1)",
    )


GOOD = "2 of 2 operators compared, no bad output"
BAD = "first bad: Index 1 op1 cosine 0.9; last good: Index 0 op0"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ([row(0), row(1)], [row(0), row(1)], [f"1.csv: {GOOD}", f"2.csv: {GOOD}"]),
        (
            [row(0), row(1, "0.9")],
            [row(0), row(1)],
            [f"1.csv: {BAD}", STAGE1, f"2.csv: {GOOD}"],
        ),
        (
            [row(0), row(1)],
            [row(0), row(1, "0.9")],
            [f"1.csv: {GOOD}", f"2.csv: {BAD}", f"stage1 is good, and {stage2('Index 1 op1')}"],
        ),
        (
            [row(0), row(1, "0.9")],
            [row(0), row(1, "0.9")],
            [f"1.csv: {BAD}", STAGE1, f"2.csv: {BAD}", stage2("Index 1 op1")],
        ),
        # An earlier one is told, but nobody is to do anything about it.
        (
            [row(0), row(1, "0.9"), row(2)],
            [row(0), row(1)],
            [f"1.csv: {BAD}{UNJUDGED}", f"2.csv: {GOOD}"],
        ),
        # Nothing is said of a stage whose output is not known.
        (
            [row(0), none(1)],
            [row(0), row(1, "0.9")],
            [
                "1.csv: 1 of 2 operators compared, no bad output",
                f"2.csv: {BAD}",
                stage2("Index 1 op1"),
                "1.csv: 1 operator not compared: no dump of the model (Index 1 op1)",
            ],
        ),
        # A broken layer is a loss even if the output is good.
        (
            [row(0), row(1)],
            [row(0), row(1, "0.9"), lost(2), row(3)],
            [
                f"1.csv: {GOOD}",
                f"2.csv: {BAD}{UNJUDGED}",
                f"stage1 is good, and {stage2('Index 2 op2')}",
                "2.csv: 1 operator broken: Index 2 op2 (nan)",
            ],
        ),
        (
            [row(0), dead(1), row(2)],
            [row(0), row(1, "0.9")],
            [
                "1.csv: first bad: Index 1 op1 all zero on one side; last good: Index 0 op0",
                STAGE1,
                f"2.csv: {BAD}",
                stage2("Index 1 op1"),
                "1.csv: 1 operator broken: Index 1 op1 (all zero on one side)",
            ],
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_the_stage_that_loses_it_is_told_with_what_to_do(
    first: Sequence[str], second: Sequence[str], told: Sequence[str]
) -> None:
    assert [*read_stages(first, second).findings([])] == told


@pytest.mark.parametrize(
    ("stage", "advice"), [("stage1", STAGE1), ("stage2", stage2("Index 1 op1"))]
)
@pytest.mark.usefixtures("folder")
def test_a_stage_by_itself_has_advice_too(stage: str, advice: str) -> None:
    path = write("s.csv", [row(0), row(1, "0.9")])
    files = LayerFiles(stage1=path) if stage == "stage1" else LayerFiles(stage2=path)
    assert read_layers(files).findings([]) == (f"s.csv: {BAD}", advice)


@pytest.mark.usefixtures("folder")
def test_names_are_safe_to_print_and_short() -> None:
    name = "a\x1b[31m{0}" + "b" * 200
    told = read(f"0,{name},x,NaN,NO,0.9,0,0,0,").findings([])
    short = f"a\\x1b[31m{{0}}{'b' * 36}...{'b' * 49}"
    assert told == (
        f"r.csv: first bad: Index 0 {short} cosine 0.9; no output before it is known to be good",
    )
