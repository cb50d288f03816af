"""One result of the accuracy comparison: what each row means, and which files are refused."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.comparison import read_comparison
from pytest_npuperf.accuracy.tensors import Comparison, State, Tensor
from pytest_npuperf.errors import AccuracyError

HEADER = (
    "Index,OpType,NPUDump,DataType,Address,GroundTruth,DataType,Address,TensorIndex,Shape,OverFlow,"
    "CosineSimilarity,MaxAbsoluteError,RelativeEuclideanDistance,KullbackLeiblerDivergence,"
    "StandardDeviation,RootMeanSquareError,CompareFailReason"
)
ZERO = (
    "Cannot compare by Cosine Similarity. All the data is zero in /srv/demo/conv1.0.1700000000.npy."
)
AGAIN = "the file is cut or damaged, make it again"


def line(
    *metrics: str,
    index: int | str = 3,
    mine: str = "conv1",
    golden: str = "conv1",
    overflow: str = "NO",
    reason: str = "",
) -> str:
    """Return a row of all columns with a cosine, euclidean, kld and rmse."""
    cosine, euclidean, kld, rmse = metrics
    return (
        f'{index},Conv2D,"{mine}",float16,2063,"{golden}",float32,NaN,conv1:output:0,"[1,16,8,8]",'
        f'{overflow},{cosine},0.1,{euclidean},{kld},"(0.1;0.2),(0.1;0.2)",{rmse},"{reason}"'
    )


GOOD = ("0.999", "0.01", "0.002", "0.03")
NONE = ("NaN",) * 4


def read(folder: Path, *lines: str, end: str = "\r\n") -> Comparison:
    path = folder / "result_20260101000000.csv"
    path.write_bytes("".join(each + end for each in lines).encode())
    return read_comparison(path)


def refusal(folder: Path, text: str | bytes) -> str:
    """Return why a file is refused, after its name."""
    path = folder / "result_20260101000000.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(AccuracyError) as caught:
        read_comparison(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def numbers(tensor: Tensor) -> dict[str, Decimal | None]:
    return {key: tensor.number(key) for key in ("cosine", "euclidean", "kld", "rmse")}


# What a row means


@pytest.mark.parametrize(
    ("row", "state", "fault"),
    [
        (line(*GOOD), State.COMPARED, ""),
        (line(*GOOD, overflow="NaN"), State.COMPARED, ""),
        (line("1.0", *GOOD[1:]), State.COMPARED, ""),
        (line("1.000000", *GOOD[1:], reason="This tensor is scalar."), State.COMPARED, ""),
        (line("1", "0", "NaN", "NaN", reason="KLD is not for bool."), State.COMPARED, ""),
        # A KLD has inf where the original is zero, and squares of float16 may overflow.
        (line("0.9", "0.4", "inf", "inf"), State.COMPARED, ""),
        (line("nan", "nan", "nan", "nan"), State.BROKEN, "nan"),
        (line("inf", "inf", "nan", "inf"), State.BROKEN, "inf"),
        (line("-inf", *GOOD[1:]), State.BROKEN, "-inf"),
        (line(*GOOD, overflow="YES"), State.BROKEN, "overflow"),
        (line("nan", "inf", "nan", "inf", overflow="YES"), State.BROKEN, "overflow"),
        (line("NaN", "1.0", "0.02", "0.6", reason=ZERO), State.BROKEN, "all zero on one side"),
        (line("", "1.0", "0.02", "0.6", reason=ZERO), State.BROKEN, "all zero on one side"),
        (line("0.9", *GOOD[1:], reason=ZERO), State.COMPARED, ""),
        (line(*NONE, reason="There is no dump file"), State.NOT_COMPARED, ""),
        (line(*NONE), State.NOT_COMPARED, ""),
        (line("", "", "", ""), State.NOT_COMPARED, ""),
        (line("", *GOOD[1:]), State.NOT_COMPARED, ""),
        (line("NaN", *GOOD[1:]), State.NOT_COMPARED, ""),
        (line(*GOOD, golden="*"), State.DEVICE_ONLY, ""),
        (line(*NONE, golden="*"), State.DEVICE_ONLY, ""),
        (line(*GOOD, mine="*"), State.GOLDEN_ONLY, ""),
    ],
)
def test_a_row_is_of_one_class(tmp_path: Path, row: str, state: State, fault: str) -> None:
    (tensor,) = read(tmp_path, HEADER, row).tensors
    assert (tensor.state, tensor.fault) == (state, fault)


def test_what_only_the_device_has_is_not_broken_whatever_it_holds(tmp_path: Path) -> None:
    rows = [line("nan", "inf", "nan", "inf", golden="*", overflow="YES", index=1)]
    comparison = read(tmp_path, HEADER, *rows, line(*GOOD, index=2))
    assert [each.state for each in comparison.tensors] == [State.DEVICE_ONLY, State.COMPARED]
    assert [op.index for op in comparison.operators] == [2]


@pytest.mark.parametrize(
    ("columns", "row", "state"),
    [
        ("RelativeEuclideanDistance", "0.1", State.COMPARED),
        ("RelativeEuclideanDistance", "inf", State.BROKEN),
        ("RootMeanSquareError,RelativeEuclideanDistance", "0.1,nan", State.BROKEN),
        ("RootMeanSquareError,RelativeEuclideanDistance", "NaN,0.1", State.COMPARED),
        ("RootMeanSquareError,RelativeEuclideanDistance", "NaN,NaN", State.NOT_COMPARED),
        ("MaxAbsoluteError", "0.1", State.NOT_COMPARED),
    ],
)
def test_without_a_cosine_every_metric_tells(
    tmp_path: Path, columns: str, row: str, state: State
) -> None:
    header = f"Index,NPUDump,GroundTruth,{columns}"
    assert read(tmp_path, header, f"0,conv1,conv1,{row}").tensors[0].state is state


def test_a_row_has_what_stands_in_its_columns(tmp_path: Path) -> None:
    names = "conv1,conv1_dequant_layer"
    row = line(*GOOD, mine=names, golden=",conv1", reason='no ""x""')
    assert read(tmp_path, HEADER, row).tensors == (
        Tensor(
            index=3,
            op_type="Conv2D",
            name="conv1,conv1_dequant_layer",
            golden=",conv1",
            tensor="conv1:output:0",
            overflow=False,
            cells=dict(zip(("cosine", "euclidean", "kld", "rmse"), GOOD, strict=True)),
            reason='no "x"',
        ),
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", Decimal(1)),
        ("0.975515", Decimal("0.975515")),
        ("-0.000000", Decimal(0)),
        ("1.5e-05", Decimal("0.000015")),
        ("2.E2", Decimal(200)),
        ("NaN", None),
        ("", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_a_metric_is_exact(tmp_path: Path, text: str, number: Decimal | None) -> None:
    (tensor,) = read(tmp_path, HEADER, line("0.9", text, "0", "0")).tensors
    assert tensor.number("euclidean") == number
    assert tensor.is_lost("euclidean") == (text in ("nan", "inf"))


def test_the_cosine_of_a_scalar_is_no_number_and_its_distance_is(tmp_path: Path) -> None:
    row = line("1.000000", "0.5", "0", "2", reason="[x] This tensor is scalar.")
    (tensor,) = read(tmp_path, HEADER, row).tensors
    assert numbers(tensor) == {
        "cosine": None,
        "euclidean": Decimal("0.5"),
        "kld": Decimal(0),
        "rmse": Decimal(2),
    }


@pytest.mark.parametrize("cosine", ["1.00001", "-1.00001", "1.000001", "-1"])
def test_a_cosine_may_be_beyond_one_by_rounding(tmp_path: Path, cosine: str) -> None:
    (tensor,) = read(tmp_path, HEADER, line(cosine, "0", "0", "0")).tensors
    assert tensor.number("cosine") == Decimal(cosine)


@pytest.mark.parametrize(
    ("tensor", "side"),
    [
        ("conv1:output:0", "output"),
        ("conv1:output:10", "output"),
        ("conv1:input:1", "input"),
        ("a:input:0/b:output:1", "output"),
        ("Sub_40:ou...", ""),
        ("Conv_77:i...", ""),
        ("NaN", ""),
        ("", ""),
    ],
)
def test_a_tensor_is_an_input_an_output_or_either(tmp_path: Path, tensor: str, side: str) -> None:
    row = f"0,conv1,conv1,{tensor},1"
    header = "Index,NPUDump,GroundTruth,TensorIndex,CosineSimilarity"
    assert read(tmp_path, header, row).tensors[0].side == side


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ('[a] There is no dump file for my output operator ""a"".', "no dump of the model"),
        ('[a] There is no the my output dump file for the op ""a"".', "no dump of the model"),
        ("[a] There is no the ground truth dump file for a:input:1.", "no dump of the original"),
        ("[a] Due to the different shapes on the left and right", "other shapes"),
        ("[a] Something else.", "Something else."),
        ("Something \x1b[31melse.", "Something \\x1b[31melse."),
        ("", "without a reason"),
    ],
)
def test_reasons_of_one_kind_are_alike(tmp_path: Path, reason: str, why: str) -> None:
    assert read(tmp_path, HEADER, line(*NONE, reason=reason)).tensors[0].why == why


# Which columns and rows there may be


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Index,LeftOp,RightOp,TensorIndex,CosineSimilarity", "3,conv1,c,conv1:output:0,0.9"),
        (
            "Index,OpSequence,OpType,NPUDump,DataType,GroundTruth,DataType,TensorIndex,Shape,"
            "RelativeEuclideanDistance,CosineSimilarity,my_algorithm,CompareFailReason",
            "3,7,Conv2D,conv1,float32,c,float32,conv1:output:0,[1],0.1,0.9,77,",
        ),
        (
            "Index , NPUDump,GroundTruth,CosineSimilarity,IsNpuOps,IsOutputNode,IsPrecisionError",
            " 3 , conv1 , c , 0.9 ,NO,NO,NO",
        ),
    ],
)
def test_columns_are_found_wherever_they_are(tmp_path: Path, header: str, row: str) -> None:
    comparison = read(tmp_path, header, row)
    (tensor,) = comparison.tensors
    assert (tensor.index, tensor.name, tensor.golden) == (3, "conv1", "c")
    assert tensor.cells["cosine"] == "0.9"
    assert comparison.metrics == {*tensor.cells}


def test_rows_are_in_the_order_of_the_network_whatever_sorted_the_file(tmp_path: Path) -> None:
    rows = [line(*GOOD, index=each) for each in (10, 9, 100)]
    found = [each.index for each in read(tmp_path, HEADER, *rows).tensors]
    assert found == [9, 10, 100]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_blank_lines_and_a_mark_do_no_harm(tmp_path: Path, end: str, mark: str) -> None:
    comparison = read(tmp_path, mark + HEADER, "", line(*GOOD), "", end=end)
    assert len(comparison.tensors) == 1


def test_a_typed_file_may_lack_the_end_of_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "result.csv"
    path.write_text(f"{HEADER}\n{line(*GOOD)}", encoding="utf-8")
    assert len(read_comparison(path).tensors) == 1


def test_a_short_row_without_a_number_is_not_compared(tmp_path: Path) -> None:
    header = "Index,NPUDump,GroundTruth,CosineSimilarity,RelativeEuclideanDistance"
    comparison = read(tmp_path, header, "0,a,a,1,0", "1,Mul_6,Mul_6,NaN")
    assert [each.state for each in comparison.tensors] == [State.COMPARED, State.NOT_COMPARED]


def test_the_newest_file_is_read(tmp_path: Path) -> None:
    for stamp, cosine in (("20261201210507", "0.5"), ("20270101000000", "0.6")):
        row = f"0,a,a,{cosine}"
        (tmp_path / f"result_{stamp}.csv").write_text(
            f"Index,NPUDump,GroundTruth,CosineSimilarity\n{row}\n", encoding="utf-8"
        )
    (tmp_path / "result_20261201210507.csv").touch()
    comparison = read_comparison(tmp_path / "result_*.csv")
    assert comparison.path == tmp_path / "result_20270101000000.csv"
    assert comparison.tensors[0].cells == {"cosine": "0.6"}


def test_of_two_files_without_a_date_neither_is_read(tmp_path: Path) -> None:
    for name in ("result_a.csv", "result_b.csv"):
        (tmp_path / name).touch()
    with pytest.raises(AccuracyError) as caught:
        read_comparison(tmp_path / "result_*.csv")
    assert str(caught.value) == (
        f"{tmp_path}/result_*.csv: result_a.csv, result_b.csv have such a name, and none is the "
        "newest by a date or number in it; name the one that is meant"
    )


def test_a_glob_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AccuracyError) as caught:
        read_comparison(tmp_path / "result_*.csv")
    assert str(caught.value) == (
        f"{tmp_path}/result_*.csv: no file has such a name; make it, or mend the path"
    )


# What is refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty; make it again"),
        ("\r\n \r\n", ": the file is empty; make it again"),
        (b"Index,\xff\r\n", ":1: the text is not UTF-8; save it as UTF-8"),
        (
            HEADER + "\r\n",
            ": a header and no row; compare again, with dumps on both sides",
        ),
        (
            "NPU Name,Bench Name,Cosine,Accuracy Reached or Not,Err_message\r\na,b,1.0,Yes,\r\n",
            ': a result of the PyTorch comparison, which has "Accuracy Reached or Not" and no '
            "operators by Index; name the result_*.csv of the offline model",
        ),
        (
            "model,top1\r\nresnet50,0.77\r\n",
            ': no column is Index; there are "model", "top1"; a result of the accuracy comparison '
            "has the columns Index, NPUDump and GroundTruth",
        ),
        (
            "Index;NPUDump;GroundTruth\n0;a;a\n",
            ': no column is Index; there are "Index;NPUDump;GroundTruth"; a result of the accuracy '
            "comparison has the columns Index, NPUDump and GroundTruth",
        ),
        (
            "Index,GroundTruth\n0,a\n",
            ': no column is NPUDump or LeftOp; there are "Index", "GroundTruth"; a result of the '
            "accuracy comparison has the columns Index, NPUDump and GroundTruth",
        ),
        (
            "Index,NPUDump,Golden\n0,a,a\n",
            ': no column is GroundTruth or RightOp; there are "Index", "NPUDump", "Golden"; a '
            "result of the accuracy comparison has the columns Index, NPUDump and GroundTruth",
        ),
        (
            "Index,NPUDump,GroundTruth,CosineSimilarity,CosineSimilarity\n0,a,a,1,1\n",
            ": two columns are CosineSimilarity; take one of them out",
        ),
        (
            f"{HEADER}\r\n{line(*GOOD)}",
            f":2: the line has no end; {AGAIN}",
        ),
        (
            f'{HEADER}\n3,Conv2D,conv1,"[1,16\n',
            f":2: not CSV (unexpected end of data); {AGAIN}",
        ),
        (
            f"{HEADER}\r\n{line(*GOOD)}\r\n3,Conv2D,conv1\r\n",
            f":3: 3 of 18 cells; {AGAIN}",
        ),
        (
            f"{HEADER}\r\n{line(*GOOD)},1\r\n",
            f":2: 19 of 18 cells; {AGAIN}",
        ),
        (
            "Index,NPUDump,GroundTruth,CosineSimilarity,RootMeanSquareError\n0,a,a,0.99\n",
            f":2: 4 of 5 cells; {AGAIN}",
        ),
        (
            "Index,NPUDump,GroundTruth,CosineSimilarity\n0,a,a\n",
            f":2: 3 of 4 cells; {AGAIN}",
        ),
        (
            "Index,NPUDump,GroundTruth\n0,a\n",
            f":2: 2 of 3 cells; {AGAIN}",
        ),
        (
            f"{HEADER}\n{line(*GOOD, index='3.0')}\n",
            f':2: Index is "3.0", which is no whole number; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line(*GOOD, index='1234567890')}\n",
            f':2: Index is "1234567890", which is no whole number; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line(*GOOD, overflow='yes')}\n",
            f':2: OverFlow is "yes", not YES, NO or NaN; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line('0.9', '(0.1;0.2)', '0', '0')}\n",
            f':2: RelativeEuclideanDistance is "(0.1;0.2)", no number; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line('N/A', '0', '0', '0')}\n",
            f':2: CosineSimilarity is "N/A", no number; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line('0.9', '0', '0', '1' * 41)}\n",
            f':2: RootMeanSquareError is "{"1" * 18}...{"1" * 19}", no number; {AGAIN}',
        ),
        (
            f"{HEADER}\n{line('1.0000101', '0', '0', '0')}\n",
            f":2: CosineSimilarity is 1.0000101, not within -1 and 1; {AGAIN}",
        ),
        (
            f"{HEADER}\n{line('-1.1', '0', '0', '0', golden='*')}\n",
            f":2: CosineSimilarity is -1.1, not within -1 and 1; {AGAIN}",
        ),
        (
            f"{HEADER}\n{line('1', '-1.5', '0', '0')}\n",
            f":2: RelativeEuclideanDistance is -1.5, and none is below 0; {AGAIN}",
        ),
        (
            f"{HEADER}\n{line('1', '-0.000000', '-0.000001', '-0.1')}\n",
            f":2: RootMeanSquareError is -0.1, and none is below 0; {AGAIN}",
        ),
        (
            f"{HEADER}\n{line('1e999', '0', '0', '0')}\n",
            f":2: CosineSimilarity is 1e999, not within -1 and 1; {AGAIN}",
        ),
    ],
)
def test_what_cannot_be_trusted_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert refusal(tmp_path, text) == message


def test_a_file_that_is_cut_within_a_line_is_refused_wherever_it_is(tmp_path: Path) -> None:
    reason = 'no ""dump"" of it, and more'
    rows = [HEADER, line(*GOOD, index=1), line(*NONE, index=2, reason=reason)]
    whole = "".join(f"{each}\r\n" for each in rows).encode()
    ends = {match.end() for match in re.finditer(b"\r\n", whole)}
    for length in {*range(len(whole))} - ends:
        refusal(tmp_path, whole[:length])


def test_a_large_network_is_read_in_reasonable_time(tmp_path: Path) -> None:
    rows = [line(*GOOD, index=each) for each in range(20_000)]
    before = time.process_time()
    comparison = read(tmp_path, HEADER, *rows)
    assert len(comparison.operators) == 20_000
    assert time.process_time() - before < 6
