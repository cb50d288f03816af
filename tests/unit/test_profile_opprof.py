from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import open_profile

OPPROF = "OPPROF_20260402160352_ABCDEFGHIJKLMNOP"
INFO = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,"
INFO += "Rated Freq"
PIPE = "block_id,sub_block_id,aiv_time(us),aiv_vec_ratio"


def info(name: str, duration: str, device: int = 0) -> str:
    """Return an OpBasicInfo.csv."""
    return f"{INFO}\n{name},vector,{duration},8,NA,{device},4711,1650,1650\n"


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files into a folder of `msprof op`."""
    for name, text in files.items():
        path = folder / OPPROF / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_one_kernel(tmp_path: Path) -> None:
    pipe = f"{PIPE}\n0,vector0,7.456666,0.5\n0,vector1,NA,NA\n"
    write(tmp_path, {"OpBasicInfo.csv": info("add", "157.600006"), "PipeUtilization.csv": pipe})
    profile = open_profile(tmp_path)
    (kernel,) = profile.op_basic_info.to_dict("records")
    assert kernel["op_name"] == "add"
    assert kernel["op_kind"] == "vector"
    assert kernel["task_duration_us"] == 157.600006
    assert kernel["block_num"] == "8"
    assert profile.op_basic_info["mix_block_num"].isna().all()
    assert "kernel" not in kernel
    cores = profile.op_pipe_utilization
    assert cores["sub_block_id"].tolist() == ["vector0", "vector1"]
    assert cores["aiv_time_us"].tolist()[0] == 7.456666
    assert cores["aiv_time_us"].isna().tolist() == [False, True]


@pytest.mark.parametrize("folder", [".", OPPROF])
def test_several_kernels_on_several_devices(tmp_path: Path, folder: str) -> None:
    write(
        tmp_path,
        {
            "device0/add/0/OpBasicInfo_20260402160352123.csv": info("add", "1.5"),
            "device0/add/0/PipeUtilization_20260402160352123.csv": f"{PIPE}\n0,vector0,1,1\n",
            "device0/add/1/OpBasicInfo_20260402160352456.csv": info("add", "2.5"),
            "device0/add/1/PipeUtilization_20260402160352456.csv": f"{PIPE}\n0,vector0,2,1\n",
            "device1/mul/0/OpBasicInfo_20260402160352789.csv": info("mul", "4", device=1),
            "device1/mul/0/PipeUtilization_20260402160352789.csv": f"{PIPE}\n0,cube0,1,1\n",
        },
    )
    profile = open_profile(tmp_path / folder)
    kernels = profile.op_basic_info
    assert kernels["kernel"].tolist() == ["add/0", "add/1", "mul/0"]
    assert kernels["lane"].tolist() == ["0/0", "0/0", "0/1"]
    assert kernels["task_duration_us"].tolist() == [1.5, 2.5, 4]
    cores = profile.op_pipe_utilization
    assert cores["kernel"].tolist() == ["add/0", "add/1", "mul/0"]
    assert cores["device_id"].tolist() == ["0", "0", "1"]


@pytest.mark.parametrize(
    "text",
    [
        f"{INFO},\nadd,vector,1.5,8,NA,0,4711,1650,1650,\n",
        f"{INFO}\nadd,vector,1.5,8,NA,0,4711,1650,1650,\n",
        f"{INFO},\nadd,vector,1.5,8,NA,0,4711,1650,1650\n",
    ],
)
def test_lines_may_end_in_a_comma(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"OpBasicInfo.csv": text})
    (kernel,) = open_profile(tmp_path).op_basic_info.to_dict("records")
    assert (kernel["task_duration_us"], kernel["rated_freq"]) == (1.5, 1650)
    assert "" not in kernel


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("add,vector,1.5,8,NA,0,4711,1650,1650,7", 10),
        ("add,vector,1.5,8,NA,0,4711,1650,1650,,", 11),
        ("add,vector,1.5", 3),
    ],
)
def test_a_row_of_another_width_is_refused(tmp_path: Path, row: str, found: int) -> None:
    write(tmp_path, {"OpBasicInfo.csv": f"{INFO}\n{row}\n"})
    with pytest.raises(ProfileError) as caught:
        _ = open_profile(tmp_path).op_basic_info
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / 'OpBasicInfo.csv'}:2: the row has {found} of 9 cells; "
        "the file is cut or damaged, export it again"
    )


def test_two_folders_are_two_runs(tmp_path: Path) -> None:
    write(tmp_path / "a", {"OpBasicInfo.csv": info("add", "1")})
    write(tmp_path / "b", {"OpBasicInfo.csv": info("add", "2")})
    with pytest.raises(ProfileError, match="one of several profile folders"):
        open_profile(tmp_path)


def test_ai_core_time_is_not_measured_rather_than_zero(tmp_path: Path) -> None:
    write(tmp_path, {"OpBasicInfo.csv": info("add", "1.5")})
    wanted = Wanted("ai_core_time")
    (lane,) = measure(open_profile(tmp_path), [wanted]).lanes.values()
    assert lane.values[wanted].value is None
    assert lane.values[wanted].reason == ("the profile has neither op_summary nor op_statistic")


# --- what is missing --------------------------------------------------------------------------

ADVICE = "measure it again with msprof op, or remove its folder"


@pytest.mark.parametrize(
    ("files", "kernel", "fault"),
    [
        (["PipeUtilization.csv"], "", "without OpBasicInfo, as every kernel has"),
        (
            ["a/0/OpBasicInfo.csv", "a/0/PipeUtilization.csv", "a/1/PipeUtilization.csv"],
            "a/1",
            "without OpBasicInfo, which a/0 has",
        ),
        (
            ["a/0/OpBasicInfo.csv", "b/0/OpBasicInfo.csv", "b/0/PipeUtilization.csv"],
            "a/0",
            "without PipeUtilization, which b/0 has",
        ),
        (
            ["a/0/OpBasicInfo.csv", "a/1/visualize_data.bin"],
            "a/1",
            "without OpBasicInfo, which a/0 has",
        ),
        (
            ["device0/a/0/OpBasicInfo.csv", "device1/a/0/dump/DeviceProf1.bin"],
            "device1/a/0",
            "without OpBasicInfo, which a/0 has",
        ),
        (["a/0/PipeUtilization.csv"], "a/0", "without OpBasicInfo, as every kernel has"),
    ],
)
def test_a_kernel_that_lost_a_table_is_refused(
    tmp_path: Path, files: list[str], kernel: str, fault: str
) -> None:
    write(tmp_path, dict.fromkeys(files, info("add", "1.5")))
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == f"{tmp_path / OPPROF / kernel}: a kernel {fault}; {ADVICE}"


@pytest.mark.parametrize(
    "files",
    [
        # What msprof op keeps beside the tables of a single kernel is none.
        ["OpBasicInfo.csv", "dump/0/DeviceProf1.bin", "visualize_data.bin"],
        ["a/0/OpBasicInfo.csv", "b/0/OpBasicInfo.csv", "b/0/dump/DeviceProf1.bin"],
    ],
)
def test_kernels_with_the_same_tables_are_whole(tmp_path: Path, files: list[str]) -> None:
    write(tmp_path, dict.fromkeys(files, info("add", "1.5")))
    assert open_profile(tmp_path).tables == ("op_basic_info",)


def test_a_folder_without_any_table_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"a/0/visualize_data.bin": ""})
    with pytest.raises(ProfileError, match="a profile without tables"):
        open_profile(tmp_path)
