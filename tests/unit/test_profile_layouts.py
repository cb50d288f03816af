from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from profile_tables import (
    FIRST_NS,
    Op,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    task_time,
    torch,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import Profile, open_profile

ONE, TWO, THREE = op_summary(Op("One")), op_summary(Op("Two")), op_summary(Op("Three"))
OLD = op_summary(Op("Old"), form="single")
MERGED = "mindstudio_profiler_output"


def types(profile: Profile) -> list[str]:
    return list(profile.op_summary["op_type"])


def read(path: Path, one_run: bool) -> None:
    profile = open_profile(path, one_run)
    for lane in profile.lanes:
        profile.lane_rows(lane, "op_summary")


def fault(path: Path, one_run: bool = False) -> str:
    """Return the message, without the folder of the test."""
    with pytest.raises(ProfileError) as caught:
        read(path, one_run)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{path}/", "").replace(str(path), ".")


# --- one profile ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {f"PROF_1_2_ABC/{MERGED}/op_summary_20260101000000.csv": ONE},
        {f"round/PROF_1_2_ABC/{MERGED}/op_summary_20260101000000.csv": ONE},
        {f"{MERGED}/op_summary_20260101000000.csv": ONE},
        {"PROF_1_2_ABC/device_0/summary/op_summary_0_1_1.csv": ONE},
        {"PROF_1_2_ABC/device_0/summary/op_summary_0_1_1_20230905213000.csv": ONE},
        {"device_0/summary/op_summary_0_1.csv": ONE},
        {"host_1_2026_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": ONE},
        {"rank-0_2026_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv": ONE},
        {"ASCEND_PROFILER_OUTPUT/kernel_details.csv": ONE},
        {"op_summary.csv": ONE},
        {"op_summary_0_1.csv": ONE},
        {"kernel_details.csv": ONE},
        {"op_summary.csv.gz": gzip.compress(ONE.encode())},
        # Told apart from what they look like.
        {"op_summary.csv": ONE, "op_summary_notes.csv": "a\n", "my_op_summary.csv": "a\n"},
        # A framework's output was made from the PROF folder beside it.
        {
            "a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv": ONE,
            f"a_ascend_pt/PROF_1/{MERGED}/op_summary_20260101000000.csv": TWO,
        },
        # Releases of 2023-09 to 2024-03 wrote the same rows twice.
        {
            f"PROF_1/{MERGED}/op_summary_20230905213001.csv": ONE,
            "PROF_1/device_0/summary/op_summary_0_1_1_20230905213000.csv": OLD,
        },
        {
            f"PROF_1/{MERGED}/README.txt": "",
            "PROF_1/device_0/summary/op_summary_0_1_1_20230905213000.csv": ONE,
        },
        # The newest export.
        {
            "op_summary_20260101000000.csv": TWO,
            "op_summary_20260102000000.csv": ONE,
            "op_summary.csv": TWO,
        },
        {
            "op_summary_slice_0_20260101000000.csv": TWO,
            "op_summary_slice_1_20260101000000.csv": TWO,
            "op_summary_20260101000100.csv": ONE,
        },
    ],
)
def test_every_layout_is_read_once(tmp_path: Path, files: dict[str, str]) -> None:
    profile = open_profile(write(tmp_path, files))
    assert types(profile) == ["One"]
    assert [lane.key for lane in profile.lanes] == ["0"]


@pytest.mark.parametrize("folder", [MERGED, "device_0", "ASCEND_PROFILER_OUTPUT", "PROF_1"])
def test_a_part_of_a_profile_can_be_named(tmp_path: Path, folder: str) -> None:
    inside = "summary/" if folder == "device_0" else ""
    inside = f"{MERGED}/" if folder == "PROF_1" else inside
    write(tmp_path, {f"{folder}/{inside}op_summary_0_1.csv": ONE})
    assert types(open_profile(tmp_path / folder)) == ["One"]


@pytest.mark.parametrize("name", ["op_summary.csv", "kernel_details.csv.gz", "op_summary_0_1.csv"])
def test_a_single_file_is_a_profile(tmp_path: Path, name: str) -> None:
    text = gzip.compress(ONE.encode()) if name.endswith(".gz") else ONE
    write(tmp_path, {name: text, "op_summary_20260101000000.csv": TWO})
    assert types(open_profile(tmp_path / name)) == ["One"]


@pytest.mark.parametrize(
    "names",
    [
        ["slice_0_20260101000000", "slice_1_20260101000000", "slice_2_20260101000000"],
        # Python's writer leaves the last part without a number.
        ["slice_0_20260101000000", "slice_1_20260101000000", "20260101000000"],
        ["slice_0_20260101000000", "slice_1_20260101000003", "20260101000007"],
        ["slice_0_20260101000000", "slice_1_20260101000001", "slice_2_20260101000029"],
        ["slice_0_20251231235959", "slice_1_20260101000000", "slice_2_20260101000001"],
        ["0_slice_0", "0_slice_1", "0_slice_2"],
    ],
)
def test_slices_are_one_table(tmp_path: Path, names: list[str]) -> None:
    tables = zip(names, (ONE, TWO, THREE), strict=True)
    write(tmp_path, {f"op_summary_{name}.csv": table for name, table in tables})
    assert types(open_profile(tmp_path)) == ["One", "Two", "Three"]


def test_slices_of_an_older_export_are_left(tmp_path: Path) -> None:
    old = {f"op_summary_slice_{i}_20260101000000.csv": OLD for i in range(3)}
    new = {f"op_summary_slice_{i}_20260101000031.csv": t for i, t in enumerate((ONE, TWO))}
    assert types(open_profile(write(tmp_path, {**old, **new}))) == ["One", "Two"]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_hole_in_the_slices_is_an_error(tmp_path: Path, missing: int) -> None:
    names = [f"op_summary_slice_{i}_20260101000000.csv" for i in range(3) if i != missing]
    write(tmp_path, dict.fromkeys(names, ONE))
    assert fault(tmp_path) == (
        f"op_summary_slice_{missing + 1}_20260101000000.csv: slice {missing} of op_summary is "
        "missing before it; record or export the profile again"
    )


def test_times_of_different_tables_are_not_compared(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "op_summary_20260101000005.csv": ONE,
            "op_statistic_20260101000000.csv": op_statistic(Op("One")),
            "op_statistic_20250101000000.csv": op_statistic(Op("Two")),
        },
    )
    profile = open_profile(tmp_path)
    assert profile.lane_rows(profile.lanes[0], "op_summary") is not None
    assert profile.tables == ("op_summary", "op_statistic")


@pytest.mark.parametrize("other", ["op_summary.csv.gz", "kernel_details.csv"])
def test_the_same_table_twice_is_an_error(tmp_path: Path, other: str) -> None:
    text = gzip.compress(ONE.encode()) if other.endswith(".gz") else ONE
    write(tmp_path, {"op_summary.csv": ONE, other: text})
    first, second = sorted(["op_summary.csv", other])
    assert fault(tmp_path) == f"{first}: {second} beside it holds the same table; keep one"


def test_each_step_has_its_own_file_and_all_are_read(tmp_path: Path) -> None:
    files = {f"op_summary_0_2_{i}.csv": table for i, table in ((1, ONE), (2, TWO), (10, THREE))}
    assert types(open_profile(write(tmp_path, files))) == ["One", "Two", "Three"]


def test_a_table_of_the_whole_run_is_read_once_however_many_steps_it_is_named_for(
    tmp_path: Path,
) -> None:
    trace = step_trace((0, 2, 1, 1000, 900), (0, 2, 2, 3000, 900))
    profile = open_profile(
        write(tmp_path, {f"device_0/summary/step_trace_0_2_{i}.csv": trace for i in (1, 2)})
    )
    assert profile.step_trace["iteration_id"].tolist() == ["1", "2"]


def test_slices_of_a_table_of_the_whole_run_are_all_read(tmp_path: Path) -> None:
    traces = [step_trace((0, 2, i, 1000 * i, 900)) for i in (1, 2)]
    files = {f"step_trace_slice_{i}_20260101000000.csv": t for i, t in enumerate(traces)}
    profile = open_profile(write(tmp_path, files))
    assert profile.step_trace["iteration_id"].tolist() == ["1", "2"]


def test_exports_of_overlapping_steps_are_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"op_summary_0_2_1_9999999999.csv": ONE, "op_summary_0_2_3.csv": TWO})
    assert fault(tmp_path) == (
        "op_summary_0_2_3.csv: iteration 3 of model 2 is in op_summary_0_2_1_9999999999.csv too; "
        "keep one"
    )


def test_models_and_devices_have_iterations_of_their_own(tmp_path: Path) -> None:
    files = {f"device_{d}/summary/op_summary_{d}_{m}_1.csv": OLD for d in (0, 1) for m in (2, 3)}
    profile = open_profile(write(tmp_path, files))
    assert [lane.key for lane in profile.lanes] == ["0/0", "0/1"]
    assert profile.op_summary["lane"].tolist() == ["0/0", "0/0", "0/1", "0/1"]


# --- several profiles -------------------------------------------------------------------------


def test_processes_that_overlap_are_lanes_of_one_run(tmp_path: Path) -> None:
    for name, start in (("PROF_1_1_A", 0), ("PROF_1_1_B", 500)):
        write(
            tmp_path,
            {
                f"{name}/{MERGED}/op_summary_{i}.csv": op_summary(
                    Op("One", start=start), Op("Two", start=2000, device="1")
                )
                for i in ("20260101000000",)
            },
        )
    profile = open_profile(tmp_path)
    assert [lane.key for lane in profile.lanes] == ["0/0", "0/1", "1/0", "1/1"]
    lane = profile.lanes[2]
    rows = profile.lane_rows(lane, "op_summary")
    assert rows is not None
    assert rows["task_start_ns"].tolist() == [FIRST_NS + 500]
    assert profile.op_summary["lane"].tolist() == ["0/0", "0/1", "1/0", "1/1"]


def test_profiles_that_follow_each_other_are_different_runs(tmp_path: Path) -> None:
    for name, start in (("PROF_A", 0), ("PROF_B", 400), ("PROF_C", 1401)):
        msprof(tmp_path / name, op_summary=op_summary(Op(start=start)))
        (tmp_path / name / "PROF_000001_20260101000000000_ABCDEFGH").rename(tmp_path / f"{name}1")
        (tmp_path / name).rmdir()
    assert fault(tmp_path) == (
        ".: different runs side by side: PROF_C1 began after the others had ended "
        "(PROF_A1, PROF_B1, PROF_C1); keep one, or put rounds into round_1, round_2, ..."
    )
    assert len(open_profile(tmp_path, one_run=True).lanes) == 3


@pytest.mark.parametrize("table", ["op_summary", "task_time"])
def test_a_copy_of_a_profile_is_an_error(tmp_path: Path, table: str) -> None:
    make = op_summary if table == "op_summary" else task_time
    tables = {"a/PROF_1": Op(), "b/PROF_2": Op(name="other"), "c/PROF_1": Op()}
    for name, op in tables.items():
        write(tmp_path / name, {f"{MERGED}/{table}_20260101000000.csv": make(op)})
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    copy, first = tmp_path / "c" / "PROF_1", tmp_path / "a" / "PROF_1"
    assert str(caught.value) == f"{copy} is a copy of {first}; keep one"


@pytest.mark.parametrize("names", [("conv_1", "conv_2"), ("conv_1", "convolution")])
def test_processes_with_the_same_window_are_no_copies(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    for folder, name in zip(("PROF_B", "PROF_A"), names, strict=True):
        table = {f"{MERGED}/op_summary_20260101000000.csv": op_summary(Op(name=name))}
        write(tmp_path / folder, table)
    assert [lane.key for lane in open_profile(tmp_path).lanes] == ["0/0", "1/0"]


def test_several_profiles_without_times_are_an_error(tmp_path: Path) -> None:
    for name in ("PROF_A", "PROF_B"):
        write(tmp_path, {f"{name}/{MERGED}/op_statistic_20260101000000.csv": op_statistic(Op())})
    assert fault(tmp_path) == (
        "PROF_A: one of several profile folders, without start times that tell whether they are "
        "one run; keep one"
    )


def test_profiles_of_different_kinds_are_an_error(tmp_path: Path) -> None:
    torch(tmp_path / "rank0_ascend_pt", kernel_details=ONE)
    write(tmp_path, {f"PROF_B/{MERGED}/op_summary_20260101000000.csv": ONE, "op_summary.csv": ONE})
    found = fault(tmp_path)
    assert found.startswith(".: profiles of different kinds: ")
    assert found.endswith("PROF_B, rank0_ascend_pt; keep one")


def test_ranks_are_lanes_by_their_number(tmp_path: Path) -> None:
    torch(tmp_path / "a_ascend_pt", kernel_details=ONE)
    torch(tmp_path / "b_ascend_pt", kernel_details=op_summary(Op("Two", device="3")))
    torch(tmp_path / "rank_7_ascend_pt", kernel_details=THREE)
    write(tmp_path, {"a_ascend_pt/profiler_info.json": json.dumps({"rank_id": 10})})
    write(tmp_path, {"b_ascend_pt/profiler_info_2.json": json.dumps({"rank_id": 2})})
    write(tmp_path, {"rank_7_ascend_pt/profiler_info_0.json": "no JSON"})
    profile = open_profile(tmp_path)
    assert [lane.key for lane in profile.lanes] == ["2/3", "7/0", "10/0"]
    assert types(profile) == ["Two", "Three", "One"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["rank1_a", "rank_01_b"], "rank_01_b: rank 1, and rank 1 in rank1_a beside it"),
        (["x_a", "y_b"], "y_b: an unknown rank, and an unknown rank in x_a beside it"),
        (["x_a", "rank1_b"], "rank1_b: rank 1, and an unknown rank in x_a beside it"),
    ],
)
def test_the_same_or_an_unknown_rank_beside_another_is_an_error(
    tmp_path: Path, names: list[str], message: str
) -> None:
    for name in names:
        torch(tmp_path / name, kernel_details=ONE)
    rest = "; keep one run in a recording, rounds in folders round_1, round_2, ..."
    assert fault(tmp_path) == message + rest


def test_a_single_framework_folder_needs_no_rank(tmp_path: Path) -> None:
    torch(tmp_path / "x", kernel_details=ONE)
    write(tmp_path, {"x/profiler_info.json": json.dumps({"rank_id": -1})})
    assert [lane.key for lane in open_profile(tmp_path).lanes] == ["0"]


RAW = "PROF_1/device_0/sample.json"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("rank1_ascend_pt", ["profiler_info_1.json", "profiler_metadata.json"]),
        ("rank1_ascend_pt", ["logs/x.log"]),
        ("rank1_ascend_ms", [RAW, "PROF_1/host/sqlite/x.db"]),
        ("renamed", ["profiler_info_1.json", RAW]),
        ("renamed", ["profiler_info.json", "ASCEND_PROFILER_OUTPUT/other.csv"]),
        ("round/rank1_ascend_pt", ["ASCEND_PROFILER_OUTPUT/other.csv", "FRAMEWORK/x.json"]),
    ],
)
@pytest.mark.parametrize("is_beside_another", [True, False])
def test_a_rank_without_tables_is_an_error(
    tmp_path: Path, name: str, files: list[str], is_beside_another: bool
) -> None:
    write(tmp_path / name, dict.fromkeys(files, "{}"))
    if is_beside_another:
        torch(tmp_path / "rank0_ascend_pt", kernel_details=ONE)
    there = "; there is other.csv" if "ASCEND_PROFILER_OUTPUT/other.csv" in files else ""
    assert fault(tmp_path) == (
        f"{name}: a rank without tables; run analyse() of the framework's profiler, "
        f"or remove the folder{there}"
    )


def test_a_rank_whose_database_is_empty_is_an_error(tmp_path: Path) -> None:
    torch(tmp_path / "rank0_ascend_pt", kernel_details=ONE)
    output = "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT"
    write(tmp_path, {"rank1_ascend_pt/profiler_info_1.json": "{}", f"{output}/analysis.db": ""})
    assert fault(tmp_path) == f"{output}/analysis.db: the file is empty; the export wrote nothing"


def test_a_rank_whose_tables_are_those_of_msprof_is_read(tmp_path: Path) -> None:
    write(tmp_path, {f"a_ascend_pt/PROF_1/{MERGED}/op_summary_20260101000000.csv": ONE})
    write(tmp_path, {"profiler_info.json": "{}"})
    assert types(open_profile(tmp_path)) == ["One"]


# --- no profile -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {},
            ".: not a profile: no PROF_*, *_ascend_pt or *_ascend_ms folder and no table such as "
            "op_summary_*.csv in it; the folder is empty",
        ),
        (
            {f"{name}.csv": "a\n" for name in "abcdefg"},
            ".: not a profile: no PROF_*, *_ascend_pt or *_ascend_ms folder and no table such as "
            "op_summary_*.csv in it; there is a.csv, b.csv, c.csv, d.csv, e.csv and 2 more",
        ),
        (
            {"msprof_0.db": ""},
            "msprof_0.db: the file is empty; the export wrote nothing",
        ),
        (
            {"PROF_1/device_0/data/x.bin": "", "PROF_1/device_0/sqlite/x.db": ""},
            "PROF_1: a profile without tables; export it with "
            "`msprof --export=on --output=DIR` and look for errors there",
        ),
        (
            {"PROF_1/msprof_20260101000000.db": "", "PROF_1/device_0/sqlite/x.db": ""},
            "PROF_1/msprof_20260101000000.db: the file is empty; the export wrote nothing",
        ),
        (
            {"PROF_1/device_0/timeline/other_0_2_1.json": "[]"},
            "PROF_1: a profile without tables; export it with `msprof --export=on --output=DIR` "
            "and look for errors there; there is other_0_2_1.json",
        ),
        (
            {
                "device.json": '{"status": 0}',
                "x_0.json": '{"status": 1, "info": "Parse\\u001b failed!"}',
            },
            'x_0.json: the export failed: "Parse\\x1b failed!"; export the profile again',
        ),
    ],
)
def test_what_is_no_profile_is_told_with_what_is_there(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    assert fault(write(tmp_path, files)) == message


@pytest.mark.parametrize("vanishing", ["rank1_ascend_pt", "kernel_details.csv"])
def test_what_vanishes_while_it_is_looked_for_is_missed(
    tmp_path: Path, vanishing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rank in (0, 1):
        write(tmp_path / f"rank{rank}_ascend_pt" / "ASCEND_PROFILER_OUTPUT", {
            "kernel_details.csv": op_summary(Op(), form="torch2024"), "op_statistic.csv": ONE,
        })  # fmt: skip
    iterdir = Path.iterdir

    def deleted_afterwards(path: Path) -> Iterator[Path]:
        for child in list(iterdir(path)):
            yield child
            if child.name == vanishing and "rank1" in str(child):
                shutil.rmtree(child) if child.is_dir() else child.unlink()

    monkeypatch.setattr(Path, "iterdir", deleted_afterwards)
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    (gone,) = (
        path
        for path in (
            tmp_path / "rank1_ascend_pt",
            tmp_path / "rank1_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        )
        if path.name == vanishing
    )
    assert str(caught.value) == f"{gone}: cannot be read: No such file or directory"


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    assert fault(tmp_path / "none") == ".: there is no such profile"


@pytest.mark.parametrize("target", ["none", "link"])
def test_a_link_that_leads_nowhere(tmp_path: Path, target: str) -> None:
    (tmp_path / "link").symlink_to(target)
    assert fault(tmp_path / "link") == (
        ".: a symbolic link that leads nowhere; name a folder or a file"
    )


@pytest.mark.parametrize("is_linked", [True, False])
def test_what_is_neither_a_folder_nor_a_file_is_said(tmp_path: Path, is_linked: bool) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        # The path of a socket may not be long.
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            server.bind("socket")
        places = {"a pipe": tmp_path / "fifo", "a socket": tmp_path / "socket"}
        for kind, path in {**places, "a device": Path(os.devnull)}.items():
            if is_linked:
                (tmp_path / f"to {kind}").symlink_to(path)
                path = tmp_path / f"to {kind}"
            assert fault(path) == f".: {kind}, and no profile; name a folder or a file"


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    write(tmp_path, {"trace.csv": "a\n"})
    assert fault(tmp_path / "trace.csv") == (
        ".: not a table, timeline or database that this version reads, by its name; "
        "docs/tables.md lists them"
    )


def test_of_a_single_file_only_its_own_failure_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"timeline_acl_0.json": "[]", "x_0.json": '{"status": 1}'})
    assert fault(tmp_path / "timeline_acl_0.json") == (
        ".: not a table, timeline or database that this version reads, by its name; "
        "docs/tables.md lists them"
    )
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path / "x_0.json")
    assert str(caught.value) == (
        f'{tmp_path}/x_0.json: the export failed: "no reason given"; export the profile again'
    )


@pytest.mark.parametrize(
    "link",
    [
        "op_summary.csv",
        "op_statistic_20260101000000.csv.gz",
        "PROF_1",
        "rank1_ascend_pt",
        "rank1_ascend_ms",
        "ASCEND_PROFILER_OUTPUT",
        MERGED,
        "device_1",
        f"PROF_2/{MERGED}",
        f"PROF_2/{MERGED}/task_time_20260101000000.csv",
        "PROF_2/device_0",
        "PROF_2/device_0/summary",
        "PROF_2/host",
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT",
        "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv",
        "PROF_1.old",
        "OPPROF_1",
        "rank_1_ascend_pt",
        "host_42_20260101000000_ascend_pt",
        "rank1",
        "Rank_12.backup",
        "node/my rank 3",
        "round_2",
        "profiler_info_1.json",
        "rank0_ascend_pt/PROF_1",
    ],
)
@pytest.mark.parametrize("is_dangling", [True, False])
def test_a_symbolic_link_that_would_be_read_is_an_error(
    tmp_path: Path, link: str, is_dangling: bool
) -> None:
    home = write(tmp_path / "run", {"kernel_details.csv": ONE})
    target = "none" if is_dangling else "outside"
    write(tmp_path / "outside", {"op_summary.csv": ONE})
    (home / link).parent.mkdir(parents=True, exist_ok=True)
    (home / link).symlink_to(tmp_path / target)
    assert fault(home) == (
        f"{link}: a symbolic link, which is not followed out of a profile; "
        "put the files themselves there"
    )


def test_other_symbolic_links_are_left_alone(tmp_path: Path) -> None:
    home = write(tmp_path / "run", {f"PROF_1/{MERGED}/op_summary_0_1.csv": ONE})
    outside = write(tmp_path / "outside", {"op_summary.csv": TWO})
    for name in ("notes", "README.txt", "PROF_1/logs", f"PROF_1/{MERGED}/op_summary_notes.csv"):
        (home / name).symlink_to(outside)
    for name in ("rank0.log", "PROF_1/rank_1"):
        (home / name).symlink_to(outside / "op_summary.csv")
    assert types(open_profile(home)) == ["One"]


@pytest.mark.parametrize(
    "name",
    [
        *("PROF_2", "OPPROF_2", "rank1_ascend_pt", "a.b_1_ascend_ms", MERGED, "device_1"),
        *("ASCEND_PROFILER_OUTPUT", f"PROF_1/{MERGED}", "PROF_1/device_1"),
    ],
)
def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"PROF_1/device_0/summary/op_summary_0_1.csv": ONE, name: "../elsewhere"})
    assert fault(tmp_path) == (
        f"{name}: no folder, but has the name of one of a profile; put the folder there"
    )


@pytest.mark.parametrize(
    "name", ["PROF_2.tar.gz", "x_ascend_pt.zip", "rank1", "host", "summary", "device_1.txt"]
)
def test_other_files_are_left_alone(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"PROF_1/device_0/summary/op_summary_0_1.csv": ONE, name: ""})
    assert types(open_profile(tmp_path)) == ["One"]


def test_a_link_to_a_profile_may_be_named(tmp_path: Path) -> None:
    write(tmp_path / "real", {f"{MERGED}/op_summary_0_1.csv": ONE})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert types(open_profile(tmp_path / "link")) == ["One"]
    output = torch(tmp_path / "rank1_ascend_pt", kernel_details=TWO) / "ASCEND_PROFILER_OUTPUT"
    for link, target in (("PROF_1", "real"), ("ASCEND_PROFILER_OUTPUT", output)):
        (tmp_path / link).symlink_to(target)
    assert types(open_profile(tmp_path / "PROF_1")) == ["One"]
    assert types(open_profile(tmp_path / "ASCEND_PROFILER_OUTPUT")) == ["Two"]


def test_a_folder_is_searched_four_levels_deep(tmp_path: Path) -> None:
    write(tmp_path, {"1/2/3/4/op_summary.csv": ONE})
    assert types(open_profile(tmp_path)) == ["One"]
    assert "not a profile" in fault(write(tmp_path / "deep", {"1/2/3/4/5/op_summary.csv": ONE}))


def test_times_that_are_no_times_are_told_apart_all_the_same(tmp_path: Path) -> None:
    names = ("op_summary_slice_0_20261399000000.csv", "op_summary_slice_0_99999999999999.csv")
    write(tmp_path, dict(zip(names, (TWO, ONE), strict=True)))
    assert types(open_profile(tmp_path)) == ["One"]


@pytest.mark.parametrize("info", ["no JSON", "[]", '{"rank_id": null}', '{"rank_id": "-1"}'])
def test_a_rank_that_nothing_says_is_taken_from_the_name(tmp_path: Path, info: str) -> None:
    for rank, ops in enumerate((ONE, TWO)):
        home = torch(tmp_path / f"rank{rank}_ascend_pt", kernel_details=ops)
        write(home, {"profiler_info.json": info, "profiler_metadata.json": "{}"})
    assert [lane.key for lane in open_profile(tmp_path).lanes] == ["0/0", "1/0"]


def test_processes_are_compared_by_task_time_where_there_is_no_op_summary(tmp_path: Path) -> None:
    for name, start in (("PROF_A", 0), ("PROF_B", 5000)):
        tasks = {f"{MERGED}/task_time_20260101000000.csv": task_time(Op(start=start))}
        write(tmp_path / name, tasks)
    assert "PROF_B began after the others had ended" in fault(tmp_path)
    untimed = op_summary(Op(start="N/A"))
    write(tmp_path / "PROF_A", {f"{MERGED}/op_summary_20260101000000.csv": untimed})
    assert "PROF_B began after the others had ended" in fault(tmp_path)
    write(tmp_path / "PROF_A", {f"{MERGED}/op_summary_20260101000000.csv": "Op Name\na\n"})
    assert "PROF_B began after the others had ended" in fault(tmp_path)


def test_a_table_of_the_whole_run_is_read_for_each_model_that_it_is_told_by(
    tmp_path: Path,
) -> None:
    fusion = {f"fusion_op_0_{m}_{i}.csv": f"Fusion Op\nm{m}\n" for m in (1, 2) for i in (1, 2)}
    profile = open_profile(write(tmp_path / "device_0" / "summary", fusion))
    assert profile.fusion_op["fusion_op"].tolist() == ["m1", "m2"]
