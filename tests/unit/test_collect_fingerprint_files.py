from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_npuperf.collect.fingerprint_files import told_by_files
from pytest_npuperf.model import JSON

PROF = "PROF_000001_20260716234406816_00087964RCEQMIQB"


def write(path: Path, content: JSON) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def torch(level: JSON, metrics: JSON = "ACL_AICORE_PIPE_UTILIZATION") -> JSON:
    settings = {"_profiler_level": level, "_aic_metrics": metrics, "_l2_cache": False}
    return {"config": {"common_config": {}, "experimental_config": settings}, "rank_id": "0"}


def msprof(level: str, metrics: str = "PipeUtilization", collected: str = "on") -> JSON:
    return {"prof_level": level, "ai_core_metrics": metrics, "ai_core_profiling": collected}


@pytest.mark.parametrize(
    ("infos", "known"),
    [
        ([{"cann_version": "8.3.RC1"}, {"cann_version": "8.3.RC1"}], {"cann": "8.3.RC1"}),
        ([{"cann_version": "8.3.RC1"}, {}], {"cann": "8.3.RC1"}),
        ([{"cann_version": "8.3.RC1"}, {"cann_version": "8.5.0"}], {}),
        ([{"cann_version": "not known"}], {}),
        ([{"cann_version": ""}], {}),
        (
            [{"cann_version": "8.5.0", **torch("Level2")}],
            {"cann": "8.5.0", "level": "Level2", "metrics": "ACL_AICORE_PIPE_UTILIZATION"},
        ),
        (
            [torch("Level0", "ACL_AICORE_NONE"), torch("Level1", "ACL_AICORE_NONE")],
            {"metrics": "ACL_AICORE_NONE"},
        ),
        # Only the CPU was profiled.
        ([{"config": {"experimental_config": None}}], {}),
        ([{"config": []}, torch(1, None), "", "[]", "{", "[" * 100_000], {}),
    ],
)
def test_a_framework(tmp_path: Path, infos: list[JSON], known: dict[str, str]) -> None:
    for rank, content in enumerate(infos):
        write(tmp_path / f"rank{rank}_ascend_pt/profiler_info_{rank}.json", content)
    assert told_by_files([tmp_path]) == known


@pytest.mark.parametrize(
    ("place", "content", "known"),
    [
        ("host", msprof("level1"), {"level": "level1", "metrics": "PipeUtilization"}),
        ("device_12", msprof("level0", collected="off"), {"level": "level0", "metrics": "off"}),
        ("device_0", {"ai_core_metrics": "Memory"}, {"metrics": "Memory"}),
        ("device_0", "", {}),
        ("data", msprof("level1"), {}),
        (".", msprof("level1"), {}),
    ],
)
def test_msprof(tmp_path: Path, place: str, content: JSON, known: dict[str, str]) -> None:
    write(tmp_path / PROF / place / "sample.json", content)
    assert told_by_files([tmp_path]) == known
    assert told_by_files([tmp_path / PROF]) == known


def test_the_framework_goes_before_msprof_key_by_key(tmp_path: Path) -> None:
    rank = tmp_path / "round_1/host_1_ascend_pt"
    write(rank / PROF / "host/sample.json", msprof("level1"))
    write(rank / "profiler_info.json", {"cann_version": "8.5.0"})
    assert told_by_files([tmp_path]) == {
        "cann": "8.5.0",
        "level": "level1",
        "metrics": "PipeUtilization",
    }
    write(rank / "profiler_info.json", torch("Level1"))
    assert told_by_files([tmp_path]) == {
        "level": "Level1",
        "metrics": "ACL_AICORE_PIPE_UTILIZATION",
    }


def test_rounds_must_agree(tmp_path: Path) -> None:
    for number, level in enumerate(("level0", "level1")):
        write(tmp_path / f"{number}/{PROF}/host/sample.json", msprof(level))
    assert told_by_files([tmp_path / "0"]) == {"level": "level0", "metrics": "PipeUtilization"}
    assert told_by_files([tmp_path / "0", tmp_path / "1"]) == {"metrics": "PipeUtilization"}
    assert told_by_files([tmp_path / "nothing"]) == {}
    assert told_by_files([]) == {}


def test_only_files_of_the_profile_itself_are_read(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere.json", {"cann_version": "8.5.0"})
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "profiler_info.json").symlink_to(tmp_path / "elsewhere.json")
    (profile / "profiler_info_0.json").mkdir()
    # Whoever opens it waits for a writer.
    os.mkfifo(profile / "profiler_info_1.json")
    assert told_by_files([profile]) == {}
