from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.numbers import Number, read_number
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import NumberFile

SHAPE = '{"title": ..., "value": [{"key": "Top1 accuracy", "value": "77.37%"}]}'


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str | bytes, name: str) -> Path:
    path = Path(name)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def number(text: str, key: str = "", name: str = "file") -> Number:
    return read_number(NumberFile(written(text, name), key))


def refusal(file: NumberFile) -> str:
    with pytest.raises(AccuracyError) as caught:
        read_number(file)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def result(**values: object) -> str:
    entries = [{"key": key, "value": value} for key, value in values.items()]
    return json.dumps({"title": "Overall statistical evaluation", "value": entries})


# --- what is read -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "read"),
    [
        (
            result(images="50000", top1="77.37%"),
            "top1",
            Number(Fraction("77.37"), "%", None, "file: top1 77.37%"),
        ),
        (result(top1="77.37 %"), "", Number(Fraction("77.37"), "%", None, "file: top1 77.37 %")),
        (result(top1=0.7737), "top1", Number(Fraction("0.7737"), "", None, "file: top1 0.7737")),
        ("\n " + result(top1="1"), "", Number(Fraction(1), "", None, "file: top1 1")),
        ("top1\n0.75\n", "", Number(Fraction("0.75"), "", None, "file: top1 0.75")),
        (
            'model,"top1 "\r\nresnet50,75 %\r\n\r\n',
            "top1",
            Number(Fraction(75), "%", None, "file: top1 75 %"),
        ),
        (
            "\ufefftop1, top5\n0.75, 0.9",
            "top5",
            Number(Fraction("0.9"), "", None, "file: top5 0.9"),
        ),
        (
            "Accuracy of saved model is   70.5%\n",
            "",
            Number(Fraction("70.5"), "%", None, "file: accuracy of the saved model 70.5%"),
        ),
        (
            "Accuracy of original model is 0.71\nAccuracy of saved model is 0.705\n",
            "",
            Number(
                Fraction("0.705"),
                "",
                Fraction("0.71"),
                "file: accuracy of the saved model 0.705, of the original 0.71",
            ),
        ),
        ("a\x1bb\n1\n", "", Number(Fraction(1), "", None, "file: a\\x1bb 1")),
    ],
)
def test_the_content_says_what_a_file_is(text: str, key: str, read: Number) -> None:
    assert number(text, key) == read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("-0.5", "-0.5"),
        ("+3.", "3"),
        (".25", "0.25"),
        ("9.999999999998899e-05", "0.00009999999999998899"),
        ("0.1", "0.1"),
        ("1E2", "100"),
        ("9" * 30, "9" * 30),
    ],
)
def test_numbers_are_exact(text: str, value: str) -> None:
    assert number(f"top1\n{text}\n").value == Fraction(value)
    assert number(result(top1=text)).value == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nan",
        "inf",
        "-Infinity",
        "9" * 31,
        "1e100",
        "0.7.1",
        "77;37",
        "77 pct",
        "%",
        "1/2",
        "\u0667",
    ],
)
def test_other_texts_are_no_numbers(text: str) -> None:
    path = written(result(top1=text), "result.json")
    assert refusal(NumberFile(path)) == (
        f'result.json: "top1" is "{text}", which is no number such as 0.7737 or "77.37%"'
    )


# --- ModelZoo's result.json -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        (
            result(images="1", top1="2"),
            "",
            ': 2 keys; say in key which is meant: one of "images", "top1"',
        ),
        (
            result(a="1", b="1", c="1", d="1", e="1", f="1"),
            "top1",
            ': no key is "top1"; there are "a", "b", "c", "d", "e" and 1 more',
        ),
        (result(top1="1"), "top", ': no key is "top"; there are "top1"'),
        (
            '{"value": [{"key": "a", "value": "1"}, {"key": "a", "value": "2"}]}',
            "a",
            ': 2 keys are "a"; rename all but one',
        ),
        (result(), "", f": not a result of ModelZoo, which is {SHAPE}; name another"),
        ("{}", "", f": not a result of ModelZoo, which is {SHAPE}; name another"),
        (
            '{"value": {"top1": "77%"}}',
            "",
            f": not a result of ModelZoo, which is {SHAPE}; name another",
        ),
        (
            '{"value": ["77%"]}',
            "",
            f": value 1: not an object with a key and a value, as in {SHAPE}",
        ),
        (
            '{"value": [{"key": "a", "value": "1"}, {"key": "b"}]}',
            "a",
            f": value 2: not an object with a key and a value, as in {SHAPE}",
        ),
        (result(top1=True), "", ': value 1: "top1" is true; it must be a number'),
        (result(top1=None), "", ': value 1: "top1" is null; it must be a number'),
        (
            '{"value": [],\n"value": []}',
            "",
            ':2: an object has the key "value" twice; take one of them out',
        ),
        (
            '{"value": [\n{"key',
            "",
            ":2: not JSON at column 2 (Unterminated string starting at); "
            "the file is cut or damaged, make it again",
        ),
        ("{} {}", "", ':1: "{}" after the end of the JSON; make the file again'),
    ],
)
def test_a_result_that_cannot_be_trusted(text: str, key: str, message: str) -> None:
    path = written(text, "result.json")
    assert refusal(NumberFile(path, key)) == f"result.json{message}"


# --- CSV --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        (
            "top1,top5\n1,2\n",
            "",
            ': 2 columns; say in key which is meant: one of "top1", "top5"',
        ),
        ("top1,top5\n1,2\n", "top3", ': no column is "top3"; there are "top1", "top5"'),
        ("top1,top1\n1,2\n", "top1", ': 2 columns are "top1"; rename all but one'),
        (
            "top1\n",
            "",
            ": 0 rows of data, and which one is meant cannot be known; "
            "write a file with a header and one row",
        ),
        (
            "top1\n1\n2\n",
            "top1",
            ": 2 rows of data, and which one is meant cannot be known; "
            "write a file with a header and one row",
        ),
        (
            "top1,top5\n1\n",
            "top1",
            ": the row has 1 of 2 cells; the file is cut or damaged, make it again",
        ),
        ("top1\nbad\n", "", ': "top1" is "bad", which is no number such as 0.7737 or "77.37%"'),
        ('top1\n"1', "", ": neither JSON, an AMCT log nor CSV (unexpected end of data)"),
        ('"\n"', "top1", ': no column is "top1"; there are ""'),
    ],
)
def test_a_csv_that_cannot_be_trusted(text: str, key: str, message: str) -> None:
    assert refusal(NumberFile(written(text, "acc.csv"), key)) == f"acc.csv{message}"


# --- AMCT logs --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        (
            "Accuracy of saved model is 0.7\n",
            "top1",
            ': an AMCT log has no keys, and "top1" is asked for; leave key out',
        ),
        (
            "Accuracy of original model is 0.7\nAccuracy of saved model is 0.6",
            "",
            ': no "Accuracy of saved model is", though other accuracies are there; AMCT saved no '
            "model, or the log is cut: look at its last lines",
        ),
        (
            "Accuracy of original model is 0.7\nAccuracy of saved model is 70%\n",
            "",
            ": 0.7 of the original model and 70% of the saved one are not in one unit; "
            "write both with % or both without",
        ),
        (
            "Accuracy of saved model is (0.7, 0.9)\n",
            "",
            ': the accuracy of the saved model is "(0.7, 0.9)", '
            'which is no number such as 0.7737 or "77.37%"',
        ),
        (
            "Accuracy of original model is nan\nAccuracy of saved model is 1\n",
            "",
            ': the accuracy of the original model is "nan", '
            'which is no number such as 0.7737 or "77.37%"',
        ),
    ],
)
def test_a_log_that_cannot_be_trusted(text: str, key: str, message: str) -> None:
    assert refusal(NumberFile(written(text, "amct.log"), key)) == f"amct.log{message}"


# --- which file -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "glob", "meant"),
    [
        (["result.json"], "res*.json", "result.json"),
        (["acc_9.csv", "acc_10.csv", "acc_010.txt"], "acc_*.csv", "acc_10.csv"),
        (["r_20260102.csv", "r_20251231.csv"], "r_????????.csv", "r_20260102.csv"),
        (["a_1_10.csv", "a_2_3.csv"], "*", "a_2_3.csv"),
        (["a[1].csv"], "a[1].csv", "a[1].csv"),
    ],
)
def test_the_newest_of_a_glob_is_read(names: list[str], glob: str, meant: str) -> None:
    for name in names:
        written("top1\n1\n", name)
    assert read_number(NumberFile(Path(glob))).told == f"{meant}: top1 1"


@pytest.mark.parametrize("is_link", [False, True])
def test_a_newest_that_is_no_file_hides_no_older_one(is_link: bool) -> None:
    written("top1\n1\n", "acc_1.csv")
    newest = Path("acc_2.csv")
    newest.symlink_to("gone") if is_link else newest.mkdir()
    assert refusal(NumberFile(Path("acc_*.csv"))) == (
        "acc_2.csv: no file, or a link to none; take it away, or make it"
    )


@pytest.mark.parametrize(
    "names", [["a_1.csv", "b_2.csv"], ["a_1.csv", "a_01.csv"], ["a_0.csv", "a_1.csv", "a_01.csv"]]
)
def test_a_glob_without_a_newest_is_refused(names: list[str]) -> None:
    for name in names:
        written("top1\n1\n", name)
    assert refusal(NumberFile(Path("*_*.csv"))) == (
        f"*_*.csv: {', '.join(sorted(names))} have such a name, and none is the newest by a date "
        "or number in it; name the one that is meant"
    )


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("*.json", "*.json: no file has such a name; make it, or mend the path"),
        ("gone/*.json", "gone: no such folder; mend the path"),
        ("file/*.json", "file: cannot be read: Not a directory; mend the path"),
        ("gone.json", "gone.json: no such file; make it, or mend the path"),
        (".", ".: is no file; mend the path"),
        ("pipe", "pipe: is no file; mend the path"),
    ],
)
def test_a_file_that_is_not_there_is_refused(path: str, message: str) -> None:
    written("top1\n1\n", "file")
    os.mkfifo("pipe")  # to open it would wait for ever
    assert refusal(NumberFile(Path(path))) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": the file is empty; make it again"),
        (b"\xef\xbb\xbf \n", ": the file is empty; make it again"),
        (b"top1\n\xff\n", ":2: the text is not UTF-8; save it as UTF-8"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            ": a Git LFS pointer; fetch the file with `git lfs pull`",
        ),
    ],
    ids=["empty", "blank", "not UTF-8", "Git LFS"],
)
def test_a_file_without_text_is_refused(content: bytes, message: str) -> None:
    assert refusal(NumberFile(written(content, "acc.csv"))) == f"acc.csv{message}"


def test_a_file_that_is_no_such_file_by_its_size_is_not_read() -> None:
    path = written("top1\n1\n", "acc.csv")
    os.truncate(path, 64 * 2**20 + 1)
    assert refusal(NumberFile(path)) == "acc.csv: larger than 64 MiB; name another file"
