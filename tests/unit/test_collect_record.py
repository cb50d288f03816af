from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from pytest_npuperf.collect import collect, save_recording
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected, Msprof

STEMS = ("op_summary", "op_statistic", "step_trace", "kernel_details", "step_trace_time")
DAY = date(2026, 1, 31)
PROF = "PROF_000001_20260716234406816_00087964RCEQMIQB"
OUTPUT = f"{PROF}/mindstudio_profiler_output"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "run/round_1"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "recordings/resnet50"


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"the text of {path.name}")


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def save(rounds: Sequence[Path], recording: Path, stems: Sequence[str] = STEMS) -> None:
    save_recording(rounds, recording, stems, {"soc": "Ascend310P3"}, DAY)


def test_the_wanted_tables_keep_their_places(source: Path, recording: Path) -> None:
    wanted = [
        f"{OUTPUT}/op_summary_20260716234416.csv",
        f"{OUTPUT}/op_summary_slice_0_20260716234416.csv",
        f"{OUTPUT}/op_statistic_20260716234417.csv.gz",
        f"{PROF}/device_0/summary/op_summary_0_2_1.csv",
        f"{PROF}/device_1/summary/step_trace_1_2_1_20230905213000.csv",
        f"{PROF}/device_1/summary/op_statistic_1_2_1.json",
    ]
    unwanted = [
        f"{OUTPUT}/task_time_20260716234416.csv",
        f"{OUTPUT}/msprof_20260716234416.json",
        f"{PROF}/device_1/timeline/step_trace_1_2_1.json",
        f"{PROF}/msprof_20260716234416.db",
        f"{OUTPUT}/README.txt",
        f"{OUTPUT}/step_trace_time_x.csv",
        f"{PROF}/device_0/data/op_summary_0_1.csv",
        f"{PROF}/host/info.json",
    ]
    write(source, *wanted, *unwanted)
    save([source], recording)
    assert tree(recording) == sorted([*wanted, "npuperf-recording.json"])
    assert (recording / wanted[0]).read_text() == "the text of op_summary_20260716234416.csv"
    assert json.loads((recording / "npuperf-recording.json").read_text()) == {
        "format": 1,
        "recorded": "2026-01-31",
        "rounds": 1,
        "fingerprint": {"soc": "Ascend310P3"},
    }


def test_tables_that_lie_bare(source: Path, recording: Path) -> None:
    write(source, "op_summary_0_1.csv")
    save([source], recording)
    assert tree(recording) == ["npuperf-recording.json", "op_summary_0_1.csv"]


def test_several_rounds(tmp_path: Path, recording: Path) -> None:
    rounds = [tmp_path / "run/round_1", tmp_path / "run/round_2"]
    for folder in rounds:
        write(folder, f"{OUTPUT}/op_summary_20260716234416.csv")
    save(rounds, recording)
    assert tree(recording) == [
        "npuperf-recording.json",
        f"round_1/{OUTPUT}/op_summary_20260716234416.csv",
        f"round_2/{OUTPUT}/op_summary_20260716234416.csv",
    ]


@pytest.mark.parametrize(("left", "found"), [(2, "2 rounds"), (1, "1 round")])
def test_a_round_that_is_lost_is_missed(
    tmp_path: Path, recording: Path, left: int, found: str
) -> None:
    rounds = [tmp_path / f"run/round_{number}" for number in (1, 2, 3)]
    for folder in rounds:
        write(folder, "op_summary_0_1.csv")
    save(rounds, recording)
    case = Case("a", mode="replay", recording=recording)
    assert isinstance(collect(case, tmp_path), Collected)
    for number in range(left + 1, 4):
        shutil.rmtree(recording / f"round_{number}")
    with pytest.raises(CollectError) as caught:
        collect(case, tmp_path)
    assert str(caught.value) == (
        f"{recording}: found {found}, wanted 3 rounds, as npuperf-recording.json says; "
        "restore it, or record again with --npuperf-record"
    )


TORCH = "ascend-node7_1784298_20260114085947065_ascend_pt"


def test_a_framework_loses_its_host_and_its_settings(source: Path, recording: Path) -> None:
    write(source, f"{TORCH}/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    info = {
        "config": {"path": "/home/anna/train.py"},
        "host": "ascend-node7",
        "torch_npu_version": "2.7.1",
        "cann_version": "8.3.RC1",
        "rank_id": "3",
    }
    (source / TORCH / "profiler_info_3.json").write_text(json.dumps(info))
    save([source], recording)
    assert tree(recording) == [
        "npuperf-recording.json",
        "rank_3_20260114085947065_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "rank_3_20260114085947065_ascend_pt/profiler_info_3.json",
    ]
    kept = recording / "rank_3_20260114085947065_ascend_pt/profiler_info_3.json"
    assert json.loads(kept.read_text()) == {
        "torch_npu_version": "2.7.1",
        "cann_version": "8.3.RC1",
        "rank_id": "3",
    }


def test_frameworks_without_a_rank_are_numbered(source: Path, recording: Path) -> None:
    for name in ("node7_1_ascend_ms", "node7_2_ascend_ms", "my_ascend_copy"):
        write(source, f"{name}/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    save([source], recording)
    assert tree(recording) == [
        "my_ascend_copy/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "npuperf-recording.json",
        "process_1_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "process_2_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
    ]


def test_one_rank_twice_stays_two(source: Path, recording: Path) -> None:
    for name in ("a_1_ascend_pt", "b_1_ascend_pt"):
        write(source, f"{name}/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
        (source / name / "profiler_info_0.json").write_text("{}")
    save([source], recording)
    folders = sorted(path.name for path in recording.iterdir() if path.is_dir())
    assert folders == ["process_1_ascend_pt", "rank_0_ascend_pt"]


def test_a_damaged_profiler_info(source: Path, recording: Path) -> None:
    write(source, f"{TORCH}/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    info = source / TORCH / "profiler_info_0.json"
    info.write_text("{")
    with pytest.raises(CollectError, match=rf"^{info}: is not JSON \(.*\); profile again$"):
        save([source], recording)
    info.write_text("[]")
    save([source], recording)
    assert json.loads(next(recording.glob("rank_0*/profiler_info_0.json")).read_text()) == {}


def test_links_are_left_out(tmp_path: Path, source: Path, recording: Path) -> None:
    write(tmp_path, "secret.csv")
    write(source, f"{OUTPUT}/op_summary_0_1.csv")
    (source / OUTPUT / "op_statistic_0_1.csv").symlink_to(tmp_path / "secret.csv")
    save([source], recording)
    assert set(tree(recording)) == {"npuperf-recording.json", f"{OUTPUT}/op_summary_0_1.csv"}


def test_none_of_the_tables(source: Path, recording: Path) -> None:
    write(source, f"{OUTPUT}/task_time_0_1.csv")
    with pytest.raises(CollectError) as caught:
        save([source], recording, ["op_summary", "op_statistic"])
    assert str(caught.value) == (
        f"{source}: none of the tables to be recorded is there; wanted op_summary, op_statistic"
    )
    assert list(recording.parent.iterdir()) == []


def test_our_own_is_replaced_whole(source: Path, recording: Path) -> None:
    write(source, f"{OUTPUT}/op_summary_0_1.csv")
    save([source], recording)
    (source / OUTPUT / "op_summary_0_1.csv").rename(source / OUTPUT / "op_summary_0_2.csv")
    save([source], recording)
    assert set(tree(recording)) == {"npuperf-recording.json", f"{OUTPUT}/op_summary_0_2.csv"}
    assert list(recording.parent.iterdir()) == [recording]


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_anothers_is_not_replaced(source: Path, recording: Path, kind: str) -> None:
    write(source, f"{OUTPUT}/op_summary_0_1.csv")
    recording.parent.mkdir()
    if kind == "folder":
        recording.mkdir()
    elif kind == "file":
        recording.touch()
    else:
        recording.symlink_to("nowhere")
    with pytest.raises(CollectError) as caught:
        save([source], recording)
    assert str(caught.value) == (
        f"{recording}: is not a recording made by --npuperf-record "
        "(it has no npuperf-recording.json); move it away, or name another recording"
    )


@pytest.mark.parametrize("fails", ["copy", "rename"])
def test_a_failure_changes_nothing(
    source: Path, recording: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    write(source, f"{OUTPUT}/op_summary_0_1.csv")
    save([source], recording)
    write(source, f"{OUTPUT}/op_statistic_0_1.csv")
    rename = Path.rename

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def not_the_new(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return rename(path, target)

    with monkeypatch.context() as patch:
        if fails == "copy":
            patch.setattr(shutil, "copyfile", full)
        else:
            patch.setattr(Path, "rename", not_the_new)
        with pytest.raises(CollectError) as caught:
            save([source], recording)
    assert str(caught.value) == (
        f"{recording}: cannot be written: No space left on device; nothing was changed"
    )
    assert set(tree(recording)) == {"npuperf-recording.json", f"{OUTPUT}/op_summary_0_1.csv"}
    assert list(recording.parent.iterdir()) == [recording]


@pytest.fixture
def npu_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standin: Path) -> None:
    """Put an npu-smi on PATH that knows of one NPU."""
    tool = tmp_path / "bin/npu-smi"
    write(tmp_path, "bin/npu-smi")
    rows = "| npu-smi 24.1.0   Version: 24.1.0 |\n| 0     310P3   | OK    | 18.4 |"
    tool.write_text(f"#!/bin/sh\ncat <<.\n{rows}\n.\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.usefixtures("npu_smi")
@pytest.mark.parametrize("rounds", [1, 2])
def test_what_was_run_can_be_replayed(
    tmp_path: Path, recording: Path, make_app: Callable[..., Path], rounds: int
) -> None:
    app = make_app()
    options = {"aic-metrics": "Memory", "reports": str(tmp_path / "reports.json")}
    case = Case(
        "a",
        app=(str(app), "argument"),
        mode="run",
        rounds=rounds,
        env={"TOKEN": "variable"},
        msprof=Msprof(options=options),
    )
    ran = collect(case, tmp_path / "run", tmp_path)
    assert isinstance(ran, Collected)
    assert ran.fingerprint == {
        "soc": "Ascend310P3",
        "driver": "24.1.0",
        "level": "level1",
        "metrics": "Memory",
        "msprof.aic-metrics": "Memory",
        "msprof.reports": "reports.json",
        "app": "main",
        "app_sha256": hashlib.sha256(app.read_bytes()).hexdigest(),
    }
    save_recording(ran.rounds, recording, STEMS, ran.fingerprint, DAY)
    replayed = collect(Case("a", mode="replay", recording=recording), tmp_path)
    assert isinstance(replayed, Collected)
    assert (replayed.mode, replayed.recorded) == ("replay", "2026-01-31")
    assert replayed.fingerprint == ran.fingerprint
    assert len(replayed.rounds) == rounds
    for before, after in zip(ran.rounds, replayed.rounds, strict=True):
        for table in after.rglob("op_*.csv"):
            assert table.read_bytes() == (before / table.relative_to(after)).read_bytes()
    text = "".join(path.read_text() for path in recording.rglob("*") if path.is_file())
    for private in (os.uname().nodename, str(tmp_path), "argument", "variable"):
        assert private not in text
