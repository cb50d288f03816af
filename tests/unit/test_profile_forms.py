from __future__ import annotations

import errno
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from profile_database import Kernel, kernels
from profile_database import write as write_database
from profile_tables import Op, msprof, op_summary
from profile_tables import write as write_texts

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import forms, open_profile

OUTPUT = "PROF_1/mindstudio_profiler_output"


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Write JSON files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def trace(*durations_us: float) -> list[dict[str, Any]]:
    """Return the events of a timeline with one layer."""
    name = {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "Ascend Hardware"}}
    return [
        name,
        *({"name": "a", "ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": d} for d in durations_us),
    ]


def iterations(*times_us: float) -> list[dict[str, Any]]:
    """Return the events of a step trace of model 2."""
    return [
        {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "Step Trace"}},
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": 2, "args": {"name": "Model ID:2"}},
        *(
            {
                "name": f"Iteration {number}",
                "ph": "X",
                "pid": 1,
                "tid": 2,
                "ts": 1000 * number,
                "dur": time,
                "args": {
                    "Iteration ID": number,
                    "Iteration End": 1000 * number + time,
                    "Iteration Time(us)": time,
                },
            }
            for number, time in enumerate(times_us, start=1)
        ),
    ]


RECORDS = [{"Op Name": "a", "OP Type": "Json", "Task Type": "AI_CORE", "Task Duration(us)": 1.5}]


def test_rows_in_json_are_a_table(tmp_path: Path) -> None:
    profile = open_profile(write(tmp_path, {f"{OUTPUT}/op_summary_20260101000000.json": RECORDS}))
    assert profile.op_summary["task_duration_us"].tolist() == [1.5]


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("op_summary_20991231235959.json", ["Json"]),
        ("op_summary_20260101000001.json", ["Json"]),
        ("op_summary_20251231235959.json", ["Csv"]),
        ("op_summary.json", ["Csv"]),
    ],
)
def test_the_newer_of_csv_and_json_is_read(tmp_path: Path, name: str, types: list[str]) -> None:
    msprof(tmp_path, op_summary=op_summary(Op("Csv")))
    (output,) = tmp_path.glob("PROF_*/mindstudio_profiler_output")
    write(output, {name: RECORDS})
    assert open_profile(tmp_path).op_summary["op_type"].tolist() == types


CSV = op_summary(Op("Csv"), form="2022")


@pytest.mark.parametrize(
    ("csv", "other"),
    [
        ("op_summary.csv", "op_summary.json"),
        ("op_summary_20260101000000.csv", "op_summary_20260101000000.json"),
        ("op_summary_slice_0_20260101000000.csv", "op_summary_slice_0_20260101000000.json"),
        ("op_summary_slice_0_20260101000000.csv", "op_summary_slice_1_20260101000001.json"),
        ("op_summary_slice_0_20260101000000.csv", "op_summary_20260101000001.json"),
        ("op_summary_0_1_1.csv", "op_summary_0_1_1.json"),
        ("op_summary_20260101000000.csv", "op_summary_0_1.json"),
        ("op_summary.csv", "op_summary_0_1_1.csv"),
    ],
)
def test_the_same_table_twice_is_refused(tmp_path: Path, csv: str, other: str) -> None:
    text = CSV if other.endswith("csv") else json.dumps(RECORDS)
    write_texts(tmp_path, {csv: CSV, other: text})
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) in (
        f"{tmp_path / one}: {two} beside it holds the same table; keep one"
        for one, two in ((csv, other), (other, csv))
    )


def test_steps_in_csv_and_in_json_are_read_together(tmp_path: Path) -> None:
    files = {"op_summary_0_1_1.csv": CSV, "op_summary_0_1_2.json": json.dumps(RECORDS)}
    profile = open_profile(write_texts(tmp_path, files))
    assert profile.op_summary["op_type"].tolist() == ["Csv", "Json"]
    assert profile.op_summary["task_duration_us"].tolist() == [1.0, 1.5]


def test_events_under_the_name_of_a_table_are_a_timeline(tmp_path: Path) -> None:
    home = "PROF_1/device_3/timeline"
    write(tmp_path, {f"{home}/task_time_3_1.json": trace(5), f"{home}/hccl_3_1.json": trace(7)})
    profile = open_profile(tmp_path)
    assert profile.tables == ("timeline",)
    rows = profile.timeline[["source", "total_time_us"]].astype(object)
    assert sorted(rows.to_numpy().tolist()) == [["hccl", 7], ["task_time", 5]]


def test_the_steps_of_a_run_that_each_file_repeats_count_once(tmp_path: Path) -> None:
    home = "PROF_1/device_0/timeline"
    events = iterations(50, 20, 30)
    files = {f"{home}/step_trace_0_2_{step}.json": events for step in (1, 2)}
    profile = open_profile(write(tmp_path, files))
    assert profile.step_trace["iteration_time_us"].tolist() == [50, 20, 30]
    assert profile.timeline["count"].sum() == 3
    whole, per_step = (
        Wanted(name, "Step Trace") for name in ("timeline_time", "timeline_time_per_step")
    )
    (lane,) = measure(profile, [whole, per_step]).lanes.values()
    assert lane.values[whole].value == 100_000
    assert lane.values[per_step].value == Fraction(100_000, 3)


def test_what_nobody_reads_is_named(tmp_path: Path) -> None:
    write(tmp_path, {f"{OUTPUT}/op_summary_20260101000000.json": RECORDS})
    write(tmp_path, {f"{OUTPUT}/later_20260101000000.json": [], f"{OUTPUT}/README.txt": ""})
    (unit,) = open_profile(tmp_path).units
    assert unit.unknown == ("README.txt", "later_20260101000000.json")


@pytest.mark.parametrize("name", ["msprof_20260101000000.db", f"{Path(OUTPUT).name}/acl_0.json"])
def test_a_link_out_of_the_profile_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, {f"{OUTPUT}/op_summary_20260101000000.json": RECORDS, "elsewhere": []})
    link = tmp_path / "PROF_1" / name
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == (
        f"{link}: a symbolic link, which is not followed out of a profile; "
        "put the files themselves there"
    )


def test_a_file_that_vanishes_is_told(tmp_path: Path) -> None:
    write(tmp_path, {f"{OUTPUT}/op_summary_20260101000000.json": RECORDS})
    profile = open_profile(tmp_path)
    (path,) = tmp_path.glob(f"{OUTPUT}/*.json")
    path.unlink()
    with pytest.raises(ProfileError) as caught:
        _ = profile.op_summary
    assert str(caught.value) == f"{path}: cannot be read: No such file or directory"


def test_a_folder_that_cannot_be_entered_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == f"{tmp_path}: cannot be read: Permission denied"


TEXT = (Op("Conv2D", duration=1000), Op("Cast", "AI_CPU", 2000, 500))


@pytest.mark.parametrize("duration", [500, 499])
def test_a_database_beside_a_text_agrees_and_is_not_read(tmp_path: Path, duration: int) -> None:
    msprof(tmp_path, op_summary=op_summary(*TEXT))
    (home,) = tmp_path.glob("PROF_*")
    ops = kernels(Kernel("Conv2D"), Kernel("Cast", "AI_CPU", 2000, duration))
    write_database(home / "msprof_20260101000000.db", ops)
    measured = measure(open_profile(tmp_path), [Wanted("kernel_time")])
    assert measured.lanes["0"].values[Wanted("kernel_time")].value == 1500
    assert measured.notes == ()


def test_a_database_that_contradicts_the_text_is_an_error(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=op_summary(*TEXT))
    (home,) = tmp_path.glob("PROF_*")
    ops = kernels(Kernel("Conv2D"), Kernel("Cast", "AI_CPU", 2000, 900))
    write_database(home / "msprof_20260101000000.db", ops)
    with pytest.raises(ProfileError) as caught:
        measure(open_profile(tmp_path), [Wanted("kernel_time")])
    (text,) = home.glob("mindstudio_profiler_output/op_summary_*.csv")
    assert str(caught.value) == (
        f"{text}: 1 call of Cast on AI_CPU, 0.500 us in all, but msprof_20260101000000.db has "
        "1 call, 0.900 us; one of the two was cut or edited, record again"
    )


@pytest.mark.parametrize(
    ("name", "text", "column", "header"),
    [
        ("op_summary.csv", op_summary(Op()), "task_type", "Task Type"),
        ("kernel_details.csv", op_summary(Op(), form="torch"), "task_type", "Accelerator Core"),
        ("kernel_details.csv", op_summary(Op(), form="torch"), "aic_mac_ratio", "aic_mac_ratio"),
        ("op_summary.csv", "OP Type , Task Type\nConv2D,AI_CORE\n", "task_type", "Task Type"),
        # What a file does not have is called as it is today.
        ("kernel_details.csv", "Type\nConv2D\n", "task_type", "Task Type"),
        ("op_summary.json", '[{"Type": "Conv2D"}]', "op_type", "OP Type"),
    ],
)
def test_a_column_is_called_as_in_its_file(
    tmp_path: Path, name: str, text: str, column: str, header: str
) -> None:
    write_texts(tmp_path, {name: text})
    ((file,),) = (unit.of("op_summary") for unit in open_profile(tmp_path, one_run=True).units)
    assert forms.header_of(file, column) == header
