"""A table as JSON gives what the same table gives as CSV, or one line that says why not."""

from __future__ import annotations

import csv as csv_module
import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profile_tables import (
    HEADERS,
    Op,
    api_statistic,
    op_statistic,
    op_summary,
    step_trace,
    step_trace_time,
    task_time,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import envelopes, open_profile, reader, records
from pytest_npuperf.profile.tables import BY_NAME

OPS = [Op("Conv2D", start=0), Op("Relu", "AI_VECTOR_CORE", 2000, 345), Op("Cast", start=3000)]
AGAIN = "the file is cut or damaged, export it again"


def never(cell: str) -> bool:
    return False


def as_json(text: str, bare: Callable[[str], bool] = never) -> str:
    """Return a CSV table as a list of objects; ``bare`` tells which cells become numbers."""
    header, *rows = csv_module.reader(io.StringIO(text))
    return f"[{', '.join(as_object(header, row, bare) for row in rows)}]"


def as_object(header: Sequence[str], row: Sequence[str], bare: Callable[[str], bool]) -> str:
    cells = zip(header, row, strict=True)
    pairs = (f"{json.dumps(k)}: {v if bare(v) else json.dumps(v)}" for k, v in cells)
    return f"{{{', '.join(pairs)}}}"


def is_number(cell: str) -> bool:
    """Return whether JSON could hold it bare: true, NaN and [] are none."""
    return re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", cell) is not None


def read_both(folder: Path, table: str, text: str, content: str) -> list[pd.DataFrame]:
    """Return the frame of a table as CSV and as JSON."""
    write(folder, {"t.csv": text, "t.json": content})
    return [
        reader.read_table(folder / "t.csv", BY_NAME[table]),
        records.read_table(folder / "t.json", BY_NAME[table]),
    ]


TABLES = {
    **{f"op_summary {form}": ("op_summary", op_summary(*OPS, form=form)) for form in HEADERS},
    "op_statistic": ("op_statistic", op_statistic(*OPS)),
    "task_time": ("task_time", task_time(*OPS, device=False)),
    "step_trace": ("step_trace", step_trace((0, 1, 1, 5000, 4000), reduces=1).replace(
        ",1\n", ",1,N/A,18446744073709521.304\n"
    )),
    "step_trace_time": ("step_trace_time", step_trace_time(("0", "", "8827.472999999998"))),
    "api_statistic": ("api_statistic", api_statistic(
        ("host", "acl", "aclmdlExecute", "1e1", "2", "5", "5", "5")
    )),
    "memory_record": (
        "memory_record", "Component,Timestamp(us),Total Reserved(KB)\nGE,16995.95,-1\nGE,,1.5\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("bare", [is_number, never])
@pytest.mark.parametrize("name", TABLES)
def test_json_and_csv_of_the_same_rows_give_equal_frames(
    tmp_path: Path, name: str, bare: Callable[[str], bool]
) -> None:
    table, text = TABLES[name]
    ours, theirs = read_both(tmp_path, table, text, as_json(text, bare))
    pd.testing.assert_frame_equal(theirs, ours)
    path = tmp_path / "t.json"
    some = [str(name) for name in ours][1:3]
    pd.testing.assert_frame_equal(records.read_table(path, BY_NAME[table], some), ours[some])


TIMES = st.decimals(0, 10**15, places=3, allow_nan=False).map(lambda number: f"{number:f}")
NAMES = st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]))


@settings(derandomize=True)
@given(rows=st.lists(st.tuples(TIMES, TIMES, NAMES), min_size=1))
def test_any_times_and_names_are_the_same_to_the_ns(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    header = ["Task Start Time(us)", "aic_mac_time(us)", "Op Name"]
    out = io.StringIO()
    csv_module.writer(out, lineterminator="\n").writerows([header, *rows])
    content = "[" + ",".join(as_object(header, row, is_number) for row in rows) + "]"
    folder = tmp_path_factory.mktemp("same")
    ours, theirs = read_both(folder, "op_summary", out.getvalue(), content)
    pd.testing.assert_frame_equal(theirs, ours)


def test_null_is_an_empty_cell(tmp_path: Path) -> None:
    content = '[{"Op Name": null, "Task Duration(us)": null}]'
    ours, theirs = read_both(tmp_path, "op_summary", "Op Name,Task Duration(us)\n,\n", content)
    pd.testing.assert_frame_equal(theirs, ours)
    assert theirs.isna().all().all()


def test_keys_may_stand_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        '[{"Op Name": "a", "Stream ID": 1}, {"Stream ID": 2, "Op Name": "b"}]', encoding="utf-8"
    )
    frame = records.read_table(path, BY_NAME["op_summary"])
    assert frame.to_dict("list") == {"op_name": ["a", "b"], "stream_id": ["1", "2"]}


@pytest.mark.parametrize("begin", ["", "\ufeff", "\n "])
def test_how_the_text_begins_does_not_matter(tmp_path: Path, begin: str) -> None:
    (tmp_path / "t.json").write_text(begin + '[{"Op Name": "é"}]', encoding="utf-8")
    frame = records.read_table(tmp_path / "t.json", BY_NAME["op_summary"])
    assert frame["op_name"].tolist() == ["é"]


def test_a_profile_of_json_tables_is_read_and_its_tables_compared(tmp_path: Path) -> None:
    home = tmp_path / "PROF_000001_20220101000000000_ABCDEFGH"
    tables = {"op_summary": op_summary(*OPS, form="2022"), "task_time": task_time(*OPS[:2])}
    for name, text in tables.items():
        write(home, {f"device_0/summary/{name}_0_1_1.json": as_json(text, is_number)})
    profile = open_profile(home)
    assert profile.op_summary["task_duration_us"].tolist() == [1.0, 0.345, 1.0]
    assert profile.op_summary["device_id"].tolist() == ["0"] * 3
    write(home, {"device_0/summary/op_statistic_0_1_1.json": as_json(op_statistic(*OPS[:2]))})
    profile = open_profile(home)
    with pytest.raises(ProfileError, match=r"1 call of Cast on AI_CORE, .* op_statistic_0_1_1"):
        profile.lane_rows(profile.lanes[0], "op_summary")


# --- envelopes of 2020 ------------------------------------------------------------------------

ROW = '{"Name": "KernelLaunch", "Stream ID": 2, "Time(ns)": 841306, "Calls": 69}'


@pytest.mark.parametrize(
    "data",
    [
        f'{{"table": [{ROW}], "total_count": 1}}',
        f'{{"table": [{ROW}], "total_count": [[92]]}}',
        f'{{"table": [{ROW}]}}',
        f"[{ROW}]",
    ],
)
@pytest.mark.parametrize("status", ["0", '"0"'])
def test_an_envelope_is_taken_off(tmp_path: Path, status: str, data: str) -> None:
    content = f'{{"status": {status}, "info": "", "data": {data}}}'
    write(tmp_path, {"summary_runtime_0.json": content})
    frame = open_profile(tmp_path / "summary_runtime_0.json").runtime_api
    assert frame["total_time_us"].tolist() == [841.306]
    assert frame["count"].tolist() == [69.0]


# --- what is refused --------------------------------------------------------------------------

FAULTS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", ": the file is empty; the export wrote nothing"),
    "blank": (" \n", ": the file is empty; the export wrote nothing"),
    "a pointer": (
        "version https://git-lfs.github.com/spec/v1\n",
        ": a Git LFS pointer, not the recording; fetch it with `git lfs pull`",
    ),
    "cut": ('[{"Op Name": "a"},\n {"Op N', f":2: not JSON at column 3 (Unterminated string "
            f"starting at); {AGAIN}"),
    "cut between": ('[{"Op Name": "a"},', f":1: not JSON at column 19 (Expecting value); {AGAIN}"),
    "two lists": ("[] []", f":1: not JSON at column 4 (Extra data); {AGAIN}"),
    "a control character": ('[{"Op Name": "a\0"}]', ":1: not JSON at column 16 (Invalid control "
                            f"character at); {AGAIN}"),
    "not UTF-8": (b'[{"Op Name": "\xff"}]', ": the text is not UTF-8"),
    "deep lists": ("[" * 100_000, ": lists or objects are nested too deeply for a table; "
                   "export it again"),
    "deep objects": ('[{"a":' * 100_000, ": lists or objects are nested too deeply for a table; "
                     "export it again"),
    "no rows": ("[]", ": the table has no rows; nothing was recorded"),
    "a web page": ("<!DOCTYPE html>", ": a web page, not the recording, as a download that failed "
                   "leaves; download the file again"),
    "UTF-16": ("[]".encode("utf-16"), ": the text is UTF-16, and UTF-8 is wanted; export the file "
               "again, or save it as UTF-8"),
    "another table": ('[{"Level": "acl", "API Name": "a", "Time(us)": 1, "Count": 1}]',
                      ": no column of op_summary, such as Step Id, Infer ID, Model ID; there is "
                      "Level, API Name, Time(us); export the file again, or rename it if it holds "
                      "something else"),
    "no list": ('{"a": 1, "\x1b": 2}'.replace("\x1b", "\\u001b"),
                ': an object of "a", "\\x1b" where a list of rows is wanted; export it as CSV, or '
                "leave the file out"),
    "a text": ('"a"', ': "a" where a list of rows is wanted; export it as CSV, or leave the file '
               "out"),
    "null": ("null", ": null where a list of rows is wanted; export it as CSV, or leave the file "
             "out"),
    "a number among rows": ('[{"Op Name": "a"}, 7]', ': row 2 is "7"; an object with a value for '
                            "each column is wanted"),
    "a list of lists": ("[[1]]", ": row 1 is a list; an object with a value for each column is "
                        "wanted"),
    "an empty row": ("[{}]", ": row 1 is an empty object; an object with a value for each column "
                     "is wanted"),
    "a key lost": ('[{"Op Name": "a", "Stream ID": 1}, {"Op Name": "b"}]', ': row 2 has no "Stream '
                   'ID", unlike row 1; the file is damaged, export it again'),
    "a key more": ('[{"Op Name": "a"}, {"Op Name": "b", "x": 1}]', ': row 2 alone has "x", unlike '
                   "row 1; the file is damaged, export it again"),
    "a key twice": ('[{"Op Name": "a", "x": 1, "x": 2}]', ': an object has the key "x" twice; '
                    "the file is damaged, export it again"),
    "two keys of one column": ('[{"Op Name": "a", "Name": "b"}]', ":1: two columns are op_name; "
                               "one is wanted"),
    "a number that is none": ('[{"Task Duration(us)": 1}, {"Task Duration(us)": "abc"}]',
                              ': row 2, "Task Duration(us)": "abc" is not a number'),
    "an endless number": ('[{"Task Duration(us)": Infinity}]',
                          ': row 1, "Task Duration(us)": "Infinity" is not a number'),
    "true": ('[{"Task Duration(us)": true}]',
             ': row 1, "Task Duration(us)": true where a text or number is wanted'),
    "false": ('[{"Op Name": false}]',
              ': row 1, "Op Name": false where a text or number is wanted'),
    "a list as a cell": ('[{"Op Name": ["a"]}]',
                         ': row 1, "Op Name": a list where a text or number is wanted'),
    "an object as a cell": ('[{"Op Name": {}}]',
                            ': row 1, "Op Name": an object where a text or number is wanted'),
    "half a character": ('[{"Op Name": "é\\ud800"}]',
                         ': row 1, "Op Name": "é\\ud800" has half of a character; the file is '
                         "damaged, export it again"),
    "failed": ('{"status": 1, "info": "no\\nsuch table"}',
               ': the export failed: "no\\nsuch table"; export the profile again'),
    "failed without a reason": ('{"status": 1}', ': the export failed: "no reason given"; export '
                                "the profile again"),
    "neither": ('{"status": 2, "data": []}', ': status "2" where 0 with data, or 1 with the reason '
                "of a failure, is wanted; export the profile again"),
    "no data": ('{"status": 0}', ': status "0" where 0 with data, or 1 with the reason of a '
                "failure, is wanted; export the profile again"),
    "rows lost": ('{"status": 0, "data": {"table": [{"Name": "a"}], "total_count": 2}}',
                  ': 1 row, but total_count is "2"; the file was cut or edited, export it again'),
    "another shape of 2020": ('{"status": 0, "data": {"maxTime": 1, "usage": {}}}',
                              ': an object of "maxTime", "usage" where a list of rows is wanted; '
                              "export it as CSV, or leave the file out"),
    "no table in it": ('{"status": 0, "data": {"table": {}}}', ": an object where a list of rows "
                       "is wanted; export it as CSV, or leave the file out"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_no_table_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, message = FAULTS[name]
    path = tmp_path / "t.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ProfileError) as caught:
        records.read_table(path, BY_NAME["op_summary"])
    assert str(caught.value) == f"{path}{message}"


def test_rows_without_a_wanted_column_are_rows(tmp_path: Path) -> None:
    write(tmp_path, {"t.json": '[{"Op Name": "a"}, {"Op Name": "b"}]'})
    frame = records.read_table(tmp_path / "t.json", BY_NAME["op_summary"], {"task_type"})
    assert frame.shape == (2, 0)


def test_a_row_of_json_has_no_line(tmp_path: Path) -> None:
    calls = ("host", "acl", "aclmdlExecute", "6", "2", "3", "2", "4")
    write(tmp_path, {"api_statistic_1.json": as_json(api_statistic(calls, calls))})
    profile = open_profile(tmp_path)
    with pytest.raises(ProfileError) as caught:
        profile.table("api_statistic")
    assert str(caught.value) == (
        f"{tmp_path}/api_statistic_1.json: row 2: a second row for acl aclmdlExecute; "
        "the file was edited, record again"
    )


def test_a_file_that_vanishes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        records.read_table(tmp_path / "t.json", BY_NAME["op_summary"])
    assert str(caught.value) == f"{tmp_path / 't.json'}: cannot be read: No such file or directory"


def test_json_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = {"op_summary": op_summary(*OPS), "op_statistic": op_statistic(*OPS)}
    files = {f"{name}_20260101000000.json": as_json(text) for name, text in tables.items()}
    path = write(tmp_path / "mindstudio_profiler_output", files)
    profile = open_profile(path)
    parsed: list[str] = []
    content = envelopes.content

    def counted(path: Path) -> object:
        parsed.append(path.name)
        return content(path)

    monkeypatch.setattr(envelopes, "content", counted)
    for columns in ((), ("op_name",), ("stream_id", "op_name")):
        for name in tables:
            profile.lane_rows(profile.lanes[0], name, columns)
    assert profile.op_summary["op_name"].tolist() == ["conv_1"] * 3
    assert sorted(parsed) == sorted(files)


def test_json_files_of_one_table_may_have_columns_of_their_own(tmp_path: Path) -> None:
    row = {"Name": "KernelLaunch", "Stream ID": 2, "Time(ns)": 841306, "Calls": 69}
    files = {
        f"device_{device}/summary/runtime_api_{device}_1.json": json.dumps([{**row, **more}])
        for device, more in enumerate(({"x": 1}, {"y": 2}))
    }
    profile = open_profile(write(tmp_path, files))
    assert list(profile.runtime_api) == [
        *("lane", "name", "stream_id", "total_time_us", "count", "device_id")
    ]
    assert profile.runtime_api["device_id"].tolist() == ["0", "1"]


def test_any_cut_of_a_table_is_refused(tmp_path: Path) -> None:
    content = as_json(op_summary(*OPS), is_number)
    path = tmp_path / "t.json"
    for length in range(len(content)):
        path.write_text(content[:length], encoding="utf-8")
        with pytest.raises(ProfileError):
            records.read_table(path, BY_NAME["op_summary"])
