from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from profile_tables import FIRST_NS, HEADERS, Op, csv, op_summary, step_trace

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import lines
from pytest_npuperf.profile.opprof_tables import CORE_TABLES
from pytest_npuperf.profile.reader import column_names, read_table, stacked
from pytest_npuperf.profile.tables import BY_NAME
from pytest_npuperf.text import clipped

OPS = [Op("Conv2D", start=0), Op("Relu", "AI_VECTOR_CORE", 2000, 345), Op("Cast", start=3000)]

Read = Callable[..., pd.DataFrame]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write_and_read(text: str | bytes, table: str = "op_summary", **how: object) -> pd.DataFrame:
        path = tmp_path / str(how.get("name", "t.csv"))
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_table(path, BY_NAME[table])

    return write_and_read


def fault(read: Read, text: str | bytes, table: str = "op_summary", name: str = "t.csv") -> str:
    """Return the message without the folder."""
    with pytest.raises(ProfileError) as caught:
        read(text, table, name=name)
    message = str(caught.value)
    assert "\n" not in message
    return message[message.index(name) :]


def with_cell(text: str, row: int, column: int, cell: str) -> str:
    """Return a table without quoted commas with one cell changed; row 0 is the header."""
    rows = [line.split(",") for line in text.splitlines()]
    rows[row][column] = cell
    return "".join(",".join(cells) + "\n" for cells in rows)


# --- what is read -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", HEADERS)
def test_every_generation_gives_the_same_columns(read: Read, form: str) -> None:
    frame = read(op_summary(*OPS, form=form))
    assert frame["op_type"].tolist() == ["Conv2D", "Relu", "Cast"]
    assert frame["task_type"].tolist() == ["AI_CORE", "AI_VECTOR_CORE", "AI_CORE"]
    assert frame["op_name"].tolist() == ["conv_1"] * 3
    assert frame["task_duration_us"].tolist() == [1.0, 0.345, 1.0]
    first = FIRST_NS // 10**6 if form in ("2022", "single") else FIRST_NS
    assert frame["task_start_ns"].tolist() == [first, first + 2000, first + 3000]
    assert str(frame["task_start_ns"].dtype) == "Int64"


@pytest.mark.parametrize("wanted", [{"op_type"}, {"task_duration_us"}, {"op_type", "op_state"}])
def test_only_wanted_columns_are_read(tmp_path: Path, wanted: set[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text(op_summary(*OPS), encoding="utf-8")
    assert set(read_table(path, BY_NAME["op_summary"], {*wanted, "no_such"})) == wanted


def test_unknown_columns_are_kept_under_plain_names(read: Read) -> None:
    text = "Name,aic_mac_time(us),l2_read_bw(GB/s),Ünit (%),note\na,1.5,2,x,N/A\n"
    frame = read(text)
    assert frame.to_dict("list") == {
        "op_name": ["a"],
        "aic_mac_time_us": [1.5],
        "l2_read_bw_gb_s": [2.0],
        "nit_percent": ["x"],
        "note": [pytest.approx(float("nan"), nan_ok=True)],
    }


@pytest.mark.parametrize(
    "header",
    ["Op Name,OP Type", "OP NAME,op type", '"Op Name","OP Type"', " Op Name , OP Type\t"],
)
def test_headers_are_known_whatever_their_case_and_quotes(read: Read, header: str) -> None:
    assert list(read(f"{header}\na,b\n")) == ["op_name", "op_type"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.removesuffix(b"\n"),
        lambda text: text.replace(b"4294967295", b'"4294967295"'),
        lambda text: text + b"\n",
        lambda text: text + b"\r\n\n\n" * 100,
    ],
    ids=["CRLF", "BOM", "no final newline", "quoted cells", "empty line", "empty lines"],
)
@pytest.mark.parametrize("block", [7, 100, lines.BLOCK])
def test_how_lines_end_and_cells_are_quoted_does_not_matter(
    read: Read, change: Callable[[bytes], bytes], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "BLOCK", block)
    text = op_summary(*OPS).encode()
    assert change(text) != text
    pd.testing.assert_frame_equal(read(change(text)), read(text))


def test_a_table_of_one_column_may_end_its_lines_in_tabs(read: Read) -> None:
    assert read("Name\t\na\t\n").to_dict("list") == {"op_name": ["a"]}


def test_a_gzipped_table_is_read(read: Read) -> None:
    text = op_summary(*OPS)
    packed = read(gzip.compress(text.encode()), name="t.csv.gz")
    pd.testing.assert_frame_equal(packed, read(text))


@pytest.mark.parametrize("block", [1, 10, 100, 300, 1000])
def test_the_size_of_blocks_does_not_matter(
    read: Read, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    whole = read(op_summary(*OPS))
    monkeypatch.setattr(lines, "BLOCK", block)
    pd.testing.assert_frame_equal(read(op_summary(*OPS)), whole)
    bad = with_cell(op_summary(*OPS, form="2024"), 3, 8, "abc")
    assert fault(read, bad) == 't.csv:4: "abc" is not a number'


def test_shapes_lose_their_quotes_and_commas_in_them_separate_nothing(read: Read) -> None:
    assert read(op_summary(*OPS))["input_shapes"].tolist() == ["1,3;64,3"] * 3


@pytest.mark.parametrize("cell", ["N/A", "NA", "", "4294967295", "4.29E+09", "-1"])
def test_an_id_that_says_nothing_is_absent(read: Read, cell: str) -> None:
    assert read(f"Step Id,Name\n{cell},a\n7,b\n")["step_id"].isna().tolist() == [True, False]


@pytest.mark.parametrize("cell", ["4294967295", "-1", "nan"])
def test_a_text_may_look_like_a_number(read: Read, cell: str) -> None:
    assert read(f"Name\n{cell}\n")["op_name"].tolist() == [cell]


def test_durations_that_stand_in_quotes_of_their_own_are_read(read: Read) -> None:
    # So did msprof until September 2022.
    frame = read('Device_id,task_time(us),task_start(us)\n0,"""1.5""","""12.25"""\n', "task_time")
    assert frame["task_time_us"].tolist() == [1.5]
    assert frame["task_start_ns"].tolist() == [12250]


def test_rows_without_a_wanted_column_are_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Name,Type\na,b\nc,d\n", encoding="utf-8")
    for block in (lines.BLOCK, 5):
        monkeypatch.setattr(lines, "BLOCK", block)
        assert read_table(path, BY_NAME["op_summary"], {"task_type"}).shape == (2, 0)


@pytest.mark.parametrize("table", CORE_TABLES)
def test_cores_may_have_nothing_but_counters(read: Read, table: str) -> None:
    assert list(read("aicore_time(us),note\n1.5,x\n", table)) == ["aicore_time_us", "note"]
    assert fault(read, "total,note\n1.5,x\n", table) == (
        f"t.csv: no column of {table}, such as block_id, sub_block_id; there is total, note; "
        "export the file again, or rename it if it holds something else"
    )


def test_durations_of_0_and_1_are_numbers(read: Read) -> None:
    assert read("Duration(us)\n1\n0\nN/A\n")["task_duration_us"].tolist()[:2] == [1.0, 0.0]


# --- what is refused --------------------------------------------------------------------------

EMPTY = "t.csv: the file is empty; the export wrote nothing"
PAGE = (
    "t.csv: a web page, not the recording, as a download that failed leaves; "
    "download the file again"
)
UTF_16 = (
    "t.csv: the text is UTF-16, and UTF-8 is wanted; export the file again, or save it as UTF-8"
)
SEPARATED = (
    't.csv:1: the columns are separated by {}, and "," is wanted; '
    "export the file again: a spreadsheet that saved it may have changed numbers, too"
)
NONE_OF_ITS = (
    "t.csv: no column of op_summary, such as Step Id, Infer ID, Model ID; there is {}; "
    "export the file again, or rename it if it holds something else"
)
LONG = "Device_id, " + clipped("x" * 50 + r"\x1b", 40)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", EMPTY),
        (b"\n", EMPTY),
        (b"\xef\xbb\xbf", EMPTY),
        (b"Name,Type\n\n\n", "t.csv: the table has a header and no rows; nothing was recorded"),
        (b"Name,Type\n", "t.csv: the table has a header and no rows; nothing was recorded"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "t.csv: a Git LFS pointer, not the recording; fetch it with `git lfs pull`",
        ),
        (b"<!doctype html>\n<p>Not found, sorry\n", PAGE),
        (b"\n <HTML lang=en><body>404</body></HTML>", EMPTY),
        (b"  <HTML lang=en><body>404</body></HTML>", PAGE),
        (b'<?xml version="1.0"?><Error/>', PAGE),
        (codecs.BOM_UTF16_LE + "Name,Type\na,b\n".encode("utf-16-le"), UTF_16),
        (codecs.BOM_UTF16_BE + "Name,Type\na,b\n".encode("utf-16-be"), UTF_16),
        (b"Name;Type\na;b\n", SEPARATED.format('";"')),
        (b'"Name";"Type"\n"a";"b"\n', SEPARATED.format('";"')),
        (b"Name\tType\na\tb\n", SEPARATED.format("a TAB")),
        (b"vec_time(us),vec_ratio\n1,2\n", NONE_OF_ITS.format("vec_time(us), vec_ratio")),
        (b"a|b\n1|2\n", NONE_OF_ITS.format("a|b")),
        (b"a;b,c,d,\xc3\x9c;\n1,2,3,4\n", NONE_OF_ITS.format("a;b, c, d")),
        (b"Device_id,%s\x1b\n1,2\n" % (b"x" * 50), NONE_OF_ITS.format(LONG)),
        (b'Name,"Type\na,b\n', "t.csv:1: the header is not CSV text in UTF-8"),
        (b"Name,T\xff\na,b\n", "t.csv:1: the header is not CSV text in UTF-8"),
        (b"Name,Ty\0pe\na,b\n", "t.csv:1: a NUL byte in the text; the file is damaged"),
        (b"Name,Type\na,b\nc,\0d\n", "t.csv:3: a NUL byte in the text; the file is damaged"),
        (
            b"Name,Type\na,b\nc\rd,e\n",
            "t.csv:3: a carriage return without line feed in the text; the file is damaged",
        ),
        (b"Name,Type\na,\xff\n", "t.csv: the text from line 2 on is not UTF-8"),
        (b"Name,Type,Name\na,b,c\n", "t.csv:1: two columns are op_name; one is wanted"),
        (b"Name,Op Name\na,b\n", "t.csv:1: two columns are op_name; one is wanted"),
    ],
)
def test_a_file_that_is_no_table_is_refused(read: Read, text: bytes, message: str) -> None:
    assert fault(read, text) == message


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,b\nc\ne,f\n", "t.csv:3: the row has 1 of 2 cells"),
        ("a,b\n\ne,f\n", "t.csv:3: the row has 1 of 2 cells"),
        ("a,b\nc,d,\ne,f\n", "t.csv:3: the row has 3 of 2 cells"),
        ("a\nb,c,d\n", "t.csv:2: the row has 1 of 2 cells"),
        ('"a,b"\nc,d\n', "t.csv:2: the row has 1 of 2 cells"),
        ('"a,b",c,d\n', "t.csv:2: the row has 3 of 2 cells"),
        ("a,b\nc", "t.csv:3: the row has 1 of 2 cells"),
        ("\na,b\n", "t.csv:2: the row has 1 of 2 cells"),
        ("a,b\n\n\nc,d", "t.csv:3: the row has 1 of 2 cells"),
        ("a,b\n \n", "t.csv:3: the row has 1 of 2 cells"),
        ("a,b\n,\n\nc", "t.csv:4: the row has 1 of 2 cells"),
    ],
)
def test_a_row_of_another_width_is_refused_with_its_line(
    read: Read, rows: str, message: str
) -> None:
    found = fault(read, f"Name,Type\n{rows}")
    assert found == f"{message}; the file is cut or damaged, export it again"


def test_two_rows_whose_widths_make_up_for_each_other_are_refused(read: Read) -> None:
    assert fault(read, "Name,Type\na\nb,c,d\n").startswith("t.csv:2: the row has 1 of 2 cells")


@pytest.mark.parametrize("rows", ['a,b\nc,"d\ne,f\n', 'a,b\nc,"d'])
def test_a_quote_that_is_not_closed_is_refused(read: Read, rows: str) -> None:
    found = fault(read, f"Name,Type\n{rows}")
    assert found == "t.csv: a quote is opened after line 2 and not closed"


def test_a_truncated_gzip_is_refused(read: Read) -> None:
    packed = gzip.compress(op_summary(*OPS).encode())
    assert fault(read, packed[:-20], name="t.csv.gz") == (
        "t.csv.gz: cannot be read: Compressed file ended before the end-of-stream marker was "
        "reached"
    )
    assert fault(read, b"no gzip", name="t.csv.gz").startswith("t.csv.gz: cannot be read: ")


def test_a_file_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"t\.csv: cannot be read: No such file or directory$"):
        column_names(tmp_path / "t.csv", BY_NAME["op_summary"])


def test_many_lines_are_no_endless_one(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 200)
    monkeypatch.setattr(lines, "BLOCK", 7)
    # A block seldom ends where a line does.
    row = f"a,{'b' * 98}\n"
    assert len(read("Name,Type\n" + row * 20)) == 20


def test_an_endless_line_is_refused(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 2**20)
    monkeypatch.setattr(lines, "BLOCK", 2**19)
    assert fault(read, "Name\n" + "a" * 2**21) == "t.csv: a line is longer than 1 MiB"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("abc", '"abc" is not a number'),
        ("nan", '"nan" is not a number'),
        ("inf", '"inf" is not a number'),
        ("True", '"True" is not a number'),
        ("1e400", '"1e400" is not a duration below 11 days'),
        ("-1.000", '"-1.000" is not a duration of 0 or more'),
        ("x" * 300, f'"{clipped("x" * 300, 40)}" is not a number'),
        ("a\x1b[31mb", '"a\\x1b[31mb" is not a number'),
    ],
)
@pytest.mark.parametrize("many", [1, 3])
def test_a_bad_duration_is_refused_with_its_line(
    read: Read, cell: str, message: str, many: int
) -> None:
    text = op_summary(*[Op(duration=cell)] * many)
    assert fault(read, text) == f"t.csv:2: {message}"
    text = op_summary(Op(), *[Op(duration=cell)] * many)
    assert fault(read, text) == f"t.csv:3: {message}"


@pytest.mark.parametrize(
    ("header", "cell", "message"),
    [
        ("Device_id", "nan", '"nan" is not a device'),
        ("Device_id", "-5", '"-5" is not a device'),
        ("Device_id", "host", '"host" is not a device'),
        ("Device_id", "123456", '"123456" is not a device'),
        ("Step Id", "inf", '"inf" is not an id'),
        ("Step Id", "-5", '"-5" is not an id'),
        ("Step Id", "1" * 60, f'"{clipped("1" * 60, 40)}" is not an id'),
        ("Task Type", "NaN", '"NaN" is not a task type'),
        ("Task Type", "inf", '"inf" is not a task type'),
        ("Task Type", "-5", '"-5" is not a task type'),
        ("Task Type", "A" * 65, f'"{clipped("A" * 65, 40)}" is not a task type'),
        ("Start Time(us)", "abc", '"abc" is not a time'),
        ("aic_mac_ratio", "1e999", '"1e999" is not a number'),
        ("aic_mac_ratio", "half", '"half" is not a number'),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(
    read: Read, header: str, cell: str, message: str
) -> None:
    good = {"Device_id": "0", "Task Type": "AI_CORE", "Start Time(us)": "1.5"}.get(header, "1")
    assert fault(read, csv(f"{header},Name", [good, "a"], [cell, "b"])) == f"t.csv:3: {message}"


@pytest.mark.parametrize("cell", ["-1", "1.5", "many"])
def test_a_bad_count_is_refused(read: Read, cell: str) -> None:
    wanted = "a number" if cell == "many" else "a count"
    text = csv("OP Type,Count", ["a", "2"], ["b", cell])
    assert fault(read, text, "op_statistic") == f't.csv:3: "{cell}" is not {wanted}'


@pytest.mark.parametrize("cell", ["host", "3"])
def test_an_api_may_belong_to_the_host(read: Read, cell: str) -> None:
    text = csv("Device_id,API Name", [cell, "aclmdlExecute"])
    assert read(text, "api_statistic")["device_id"].tolist() == [cell]


# --- step_trace, whose rows may be short ------------------------------------------------------

STEPS = [(0, 1, 1, 5000, 4000), (0, 1, 2, 9000, 3000)]


def test_a_step_trace_may_have_short_rows_and_repeated_headers(read: Read) -> None:
    frame = read(step_trace(*STEPS, reduces=2), "step_trace")
    assert frame["iteration_time_us"].tolist() == [4.0, 3.0]
    assert frame["iteration_end_ns"].tolist() == [FIRST_NS + 5000, FIRST_NS + 9000]
    assert {"reduce_start_us", "reduce_start_us_2", "reduce_duration_us_2"} <= set(frame)
    assert frame["reduce_start_us"].isna().all()


@pytest.mark.parametrize("end", ["\n", "\n\n\n", "\r\n"])
def test_a_step_trace_may_end_in_empty_lines(read: Read, end: str) -> None:
    text = step_trace(*STEPS, reduces=2)
    pd.testing.assert_frame_equal(read(text + end, "step_trace"), read(text, "step_trace"))


def test_the_underflow_of_a_first_reduce_is_no_fault(read: Read) -> None:
    text = step_trace(STEPS[0], reduces=1).replace(
        ",1\n", ",1,1784177503947983.147\t,18446744073709521.304\n"
    )
    assert read(text, "step_trace")["iteration_time_us"].tolist() == [4.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(",N/A,1\n", "\n"), "t.csv:2: the row has 8 of 12 cells"),
        (lambda text: text.replace("\n0,1,", "\n\n0,1,"), "t.csv:2: the row has 0 of 12 cells"),
        (lambda text: text.removesuffix("\n"), "t.csv:3: the row has 10 of 12 cells"),
        (lambda text: text.replace(",1\n", ",1,2,3,4\n"), "t.csv:2: the row has 13 of 12 cells"),
    ],
    ids=["cut before the model", "blank line", "cut in the last line", "too long"],
)
def test_a_step_trace_may_not_be_shorter_than_what_we_know(
    read: Read, change: Callable[[str], str], message: str
) -> None:
    found = fault(read, change(step_trace(*STEPS, reduces=1)), "step_trace")
    assert found == f"{message}; the file is cut or damaged, export it again"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda text: text.replace(b"N/A", b'"N/A', 1),
            "t.csv: not CSV: unexpected end of data",
        ),
        (lambda text: text.replace(b"N/A", b"\xff", 1), "t.csv: the text from line 2 on is not "),
        (lambda text: text.replace(b"N/A", b"\0", 1), "t.csv:2: a NUL byte in the text; the file "),
    ],
)
def test_a_damaged_step_trace_is_refused(
    read: Read, change: Callable[[bytes], bytes], message: str
) -> None:
    text = change(step_trace(*STEPS, reduces=1).encode())
    assert fault(read, text, "step_trace").startswith(message)


def test_a_step_trace_without_rows_is_refused(read: Read) -> None:
    found = fault(read, step_trace(reduces=1), "step_trace")
    assert found == "t.csv: the table has a header and no rows; nothing was recorded"


@pytest.mark.parametrize("first", ["0", "1", None])
def test_categories_of_both_dtypes_and_of_any_text_are_stacked(first: str | None) -> None:
    # What pandas 3 makes of texts is str, and what is read is object.
    frames = [
        pd.DataFrame({"device_id": pd.Categorical([first])}),
        pd.DataFrame({"device_id": pd.Categorical(["0", None], pd.Index(["0"], dtype=object))}),
        pd.DataFrame({"device_id": pd.Categorical(["\ud800"], pd.Index(["\ud800"], dtype=object))}),
    ]
    found = stacked(frames)["device_id"]
    assert found.astype(object).where(found.notna(), None).tolist() == [first, "0", None, "\ud800"]
    assert found.cat.categories.dtype == object
