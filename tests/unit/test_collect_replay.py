from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_npuperf.collect.replay import replay
from pytest_npuperf.errors import CollectError, ProfileError
from pytest_npuperf.profile import open_profile

PROF = "PROF_000001_20260716234406816_00087964RCEQMIQB"
TORCH = "host_1784298_20260114085947065_ascend_pt"


def touch(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_is_one_round(tmp_path: Path) -> None:
    touch(tmp_path / "resnet50/op_summary_0_1.csv")
    found = replay(tmp_path / "resnet50")
    assert found.rounds == (tmp_path / "resnet50",)
    assert (found.mode, found.recorded, found.fingerprint) == ("replay", "", {})


def test_a_file_is_one_round(tmp_path: Path) -> None:
    table = touch(tmp_path / "op_summary_20260716234416.csv")
    found = replay(table)
    assert found.rounds == (table,)
    assert found.recorded == "2026-07-16"


def test_rounds_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in range(1, 12):
        (tmp_path / f"round_{number}").mkdir()
    assert [path.name for path in replay(tmp_path).rounds] == [f"round_{n}" for n in range(1, 12)]


def test_a_round_that_is_a_link_to_nothing_or_a_file_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "round_1").mkdir()
    (tmp_path / "round_2").symlink_to("nowhere")
    touch(tmp_path / "round_3", "../elsewhere")  # what Git makes of a link where it cannot
    rounds = replay(tmp_path).rounds
    assert [path.name for path in rounds] == ["round_1", "round_2", "round_3"]
    for path, problem in zip(rounds[1:], ("leads nowhere", "not a table"), strict=True):
        with pytest.raises(ProfileError, match=problem):
            open_profile(path)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (
            ["round_1", "round_3"],
            "round_2 is missing; found round_1, round_3; number the rounds from 1 without a hole",
        ),
        (
            ["round_2"],
            "round_1 is missing; found round_2; number the rounds from 1 without a hole",
        ),
        (
            ["round_0", "round_1"],
            "round_2 is missing; found round_0, round_1; number the rounds from 1 without a hole",
        ),
        (
            ["round_01"],
            "round_1 is missing; found round_01; number the rounds from 1 without a hole",
        ),
        (["round_1", PROF], f"has both round_1 and {PROF}; keep one of them"),
        (["round_1", "device_0"], "has both round_1 and device_0; keep one of them"),
        (["round_1", TORCH], f"has both round_1 and {TORCH}; keep one of them"),
    ],
)
def test_rounds_that_cannot_be_meant(tmp_path: Path, names: list[str], problem: str) -> None:
    for name in names:
        (tmp_path / name).mkdir()
    with pytest.raises(CollectError) as caught:
        replay(tmp_path)
    assert str(caught.value) == f"{tmp_path}: {problem}"


def test_what_is_not_there_names_at_most_three_that_are_near(tmp_path: Path) -> None:
    names = ("alexnet", "resnet18", "resnet50", "resnet50_fp16", "resnet51", "shadow", ".resnet50")
    for name in names:
        (tmp_path / name).mkdir()
    with pytest.raises(CollectError) as caught:
        replay(tmp_path / "resnet5O")
    assert str(caught.value) == (
        f"{tmp_path}/resnet5O: there is no such recording; "
        f"{tmp_path} has resnet51, resnet50, resnet18"
    )


@pytest.mark.parametrize(("count", "others"), [(1, "1 other recording"), (2, "2 other recordings")])
def test_names_that_are_not_near_are_only_counted(tmp_path: Path, count: int, others: str) -> None:
    for number in range(count):
        (tmp_path / f"r{number}").mkdir()
    with pytest.raises(CollectError) as caught:
        replay(tmp_path / "unlike")
    assert str(caught.value) == (
        f"{tmp_path}/unlike: there is no such recording; {tmp_path} has {others}"
    )


def test_an_empty_and_an_absent_folder_of_recordings(tmp_path: Path) -> None:
    with pytest.raises(CollectError) as empty:
        replay(tmp_path / "x")
    assert str(empty.value) == f"{tmp_path}/x: there is no such recording; {tmp_path} is empty"
    with pytest.raises(CollectError) as absent:
        replay(tmp_path / "no" / "x")
    assert str(absent.value) == (
        f"{tmp_path}/no/x: there is no such recording, nor a folder {tmp_path}/no"
    )


@pytest.mark.parametrize(
    ("files", "day"),
    [
        # The start of the profile counts, not the export of its tables.
        ([f"{PROF}/mindstudio_profiler_output/op_summary_20260801000000.csv"], "2026-07-16"),
        ([f"{TORCH}/ASCEND_PROFILER_OUTPUT/kernel_details.csv"], "2026-01-14"),
        (["x_20230628101435_ascend_ms/ASCEND_PROFILER_OUTPUT/a.csv"], "2023-06-28"),
        (["mindstudio_profiler_output/task_time_20260511093035.csv.gz"], "2026-05-11"),
        (["PROF_000001_20220129014731273_KEDKPORHMAGPGD/x.csv"], "2022-01-29"),
        (["OPPROF_20240102030405_ABCDEFGHIJKLMNOP/x.csv"], "2024-01-02"),
        (["a_20260512000000.csv", "b_20260511000000.csv"], "2026-05-11"),
        # Numbers that are no date.
        (["op_summary_20261332000000.csv", "op_summary_0_1.csv"], ""),
        (["a/b/c/d/op_summary_20260511093035.csv"], "2026-05-11"),
        (["a/b/c/d/e/op_summary_20260511093035.csv"], ""),
    ],
)
def test_the_date_is_in_the_names(tmp_path: Path, files: list[str], day: str) -> None:
    for name in files:
        touch(tmp_path / "recording" / name)
    assert replay(tmp_path / "recording").recorded == day


def test_the_name_of_the_recording_itself_may_hold_the_date(tmp_path: Path) -> None:
    touch(tmp_path / PROF / "mindstudio_profiler_output/op_summary_0.csv")
    assert replay(tmp_path / PROF).recorded == "2026-07-16"


def test_the_manifest_wins_over_names(tmp_path: Path) -> None:
    touch(tmp_path / "op_summary_20260511093035.csv")
    touch(tmp_path / "profiler_info.json", '{"cann_version": "8.3.RC1"}')
    manifest = {
        "format": 1,
        "recorded": "2026-01-31",
        "fingerprint": {"soc": "Ascend310P3", "cann": "8.0.0"},
    }
    touch(tmp_path / "npuperf-recording.json", json.dumps(manifest))
    found = replay(tmp_path)
    assert found.recorded == "2026-01-31"
    assert found.fingerprint == {"soc": "Ascend310P3", "cann": "8.0.0"}


def test_the_profile_tells_what_the_manifest_does_not(tmp_path: Path) -> None:
    touch(
        tmp_path / "round_1/rank_0_ascend_pt/profiler_info_0.json",
        '{"cann_version": "8.3.RC1", "config": {"experimental_config": {"_profiler_level": "L1"}}}',
    )
    assert replay(tmp_path).fingerprint == {"cann": "8.3.RC1", "level": "L1"}
    touch(
        tmp_path / "npuperf-recording.json",
        '{"format": 1, "fingerprint": {"soc": "Ascend910B3", "level": "Level1", "app": "main"}}',
    )
    assert replay(tmp_path).fingerprint == {
        "soc": "Ascend910B3",
        "cann": "8.3.RC1",
        "level": "Level1",
        "app": "main",
    }


def test_links_are_not_followed(tmp_path: Path) -> None:
    touch(tmp_path / "elsewhere/op_summary_20260511093035.csv")
    (tmp_path / "recording").mkdir()
    (tmp_path / "recording/link").symlink_to(tmp_path / "elsewhere")
    assert replay(tmp_path / "recording").recorded == ""
