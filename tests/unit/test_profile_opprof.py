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
    """Write files into a folder of `msprof op`; a name that ends in / is a folder."""
    for name, text in files.items():
        path = folder / OPPROF / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
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


def test_the_number_of_a_device_may_be_another_in_its_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "device0/add/0/OpBasicInfo.csv": info("add", "1.5", device=4),
            "device0/add/0/PipeUtilization.csv": f"{PIPE}\n0,vector0,1,1\n",
        },
    )
    profile = open_profile(tmp_path)
    assert [lane.device for lane in profile.lanes] == ["4"]
    assert len(profile.op_pipe_utilization) == 1


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


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("0,vector0,1", 3),
        ("0,vector0", 2),
        ("0,vector0,", 3),
        ("0", 1),
        ("0,vector0,1,1,1", 5),
        ("0,vector0,1,1,,", 6),
        ("", 0),
    ],
)
@pytest.mark.parametrize("comma", ["", ","])
def test_a_row_of_a_core_is_as_wide_as_the_header(
    tmp_path: Path, row: str, found: int, comma: str
) -> None:
    core = f"{PIPE}{comma}\n0,cube0,1,1{comma}\n{row}\n0,vector1,1,1{comma}\n"
    write(tmp_path, {"OpBasicInfo.csv": info("add", "1.5"), "PipeUtilization.csv": core})
    with pytest.raises(ProfileError) as caught:
        _ = open_profile(tmp_path).op_pipe_utilization
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / 'PipeUtilization.csv'}:3: the row has {found} of 4 cells; "
        "the file is cut or damaged, export it again"
    )


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (PIPE, ["0,vector0,1,1", "0,vector0,1,1"], "3: a second row for 0 vector0"),
        (PIPE, ["0,cube0,1,1", "1,cube0,2,1", "0,cube0,3,1"], "4: a second row for 0 cube0"),
        ("block_id,aiv_time(us)", ["7,1", "7,2"], "3: a second row for 7"),
    ],
)
def test_a_core_that_is_there_twice_is_refused(
    tmp_path: Path, header: str, rows: list[str], message: str
) -> None:
    cores = "".join(f"{line}\n" for line in (header, *rows))
    write(tmp_path, {"OpBasicInfo.csv": info("add", "1.5"), "PipeUtilization.csv": cores})
    with pytest.raises(ProfileError) as caught:
        _ = open_profile(tmp_path).op_pipe_utilization
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / 'PipeUtilization.csv'}:{message}; the file was edited, record again"
    )


def test_a_core_that_a_row_does_not_name_is_refused(tmp_path: Path) -> None:
    cores = f"{PIPE}\n0,cube0,1,1\nN/A,cube0,1,1\n"
    write(tmp_path, {"OpBasicInfo.csv": info("add", "1.5"), "PipeUtilization.csv": cores})
    with pytest.raises(ProfileError, match=r":3: the row has no block_id; other rows have one$"):
        _ = open_profile(tmp_path).op_pipe_utilization


@pytest.mark.parametrize(
    "cores",
    [
        f"{PIPE}\n0,cube0,1,1\n0,vector0,1,1\n1,cube0,1,1\n",
        # Some chips do not name their cores.
        "aic_time(us),aic_mac_ratio\n1,1\n1,1\n1,1\n",
        f"{PIPE}\nN/A,N/A,1,1\nN/A,N/A,1,1\nN/A,N/A,1,1\n",
    ],
)
def test_cores_with_the_same_numbers_are_apart(tmp_path: Path, cores: str) -> None:
    write(tmp_path, {"OpBasicInfo.csv": info("add", "1.5"), "PipeUtilization.csv": cores})
    assert len(open_profile(tmp_path).op_pipe_utilization) == 3


def test_a_kernel_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    twice = info("add", "1.5") + info("add", "1.5").splitlines()[1] + "\n"
    write(tmp_path, {"OpBasicInfo.csv": twice})
    with pytest.raises(ProfileError, match=r"OpBasicInfo\.csv:3: a second row for add; the file"):
        _ = open_profile(tmp_path).op_basic_info


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
        (["a/0/OpBasicInfo.csv", "b/"], "b", "without OpBasicInfo, which a/0 has"),
        (["a/0/OpBasicInfo.csv", "a/1/"], "a/1", "without OpBasicInfo, which a/0 has"),
        (
            ["device0/a/0/OpBasicInfo.csv", "device0/b/"],
            "device0/b",
            "without OpBasicInfo, which a/0 has",
        ),
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
        ["a/0/OpBasicInfo.csv", "dump/", "a/0/dump/", "a/0/more/", "a/0/device3/"],
        ["OpBasicInfo.csv", "more/", "device1/"],
        ["device7/0/OpBasicInfo.csv", "device7/1/OpBasicInfo.csv"],
        # Numbers count as such.
        [f"a/{number}/OpBasicInfo.csv" for number in range(11)],
    ],
)
def test_kernels_with_the_same_tables_are_whole(tmp_path: Path, files: list[str]) -> None:
    write(tmp_path, dict.fromkeys(files, info("add", "1.5")))
    assert open_profile(tmp_path).tables == ("op_basic_info",)


@pytest.mark.parametrize(
    ("numbers", "last", "missing"),
    [([0, 2], 2, 1), ([1], 1, 0), ([0, 1, 3, 4], 4, 2), ([*range(9), 10], 10, 9)],
)
@pytest.mark.parametrize("device", ["", "device1/"])
def test_a_hole_in_the_executions_of_a_kernel_is_refused(
    tmp_path: Path, device: str, numbers: list[int], last: int, missing: int
) -> None:
    files = [f"{device}add/{number}/OpBasicInfo.csv" for number in numbers]
    write(tmp_path, dict.fromkeys([*files, f"{device}mul/0/OpBasicInfo.csv"], info("add", "1")))
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / device / 'add' / str(last)}: a kernel without add/{missing} before "
        "it; measure it again with msprof op, or number the folders from 0 without a hole"
    )


@pytest.mark.parametrize("files", [["device1/"], ["device1/dump/x.bin"]])
def test_a_device_without_kernels_beside_another_is_refused(
    tmp_path: Path, files: list[str]
) -> None:
    write(tmp_path, dict.fromkeys(["device0/a/0/OpBasicInfo.csv", *files], info("add", "1")))
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / 'device1'}: a device without kernels; {ADVICE}"
    )


@pytest.mark.parametrize("link", ["a/1", "b", "device1", "device0/b", "device0/a/1"])
@pytest.mark.parametrize("is_dangling", [True, False])
def test_a_link_in_the_place_of_a_kernel_is_refused(
    tmp_path: Path, link: str, is_dangling: bool
) -> None:
    first = "device0/a/0" if link.startswith("device") else "a/0"
    write(tmp_path, {f"{first}/OpBasicInfo.csv": info("add", "1")})
    (tmp_path / "outside").mkdir()
    (tmp_path / OPPROF / link).symlink_to(tmp_path / ("none" if is_dangling else "outside"))
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path / OPPROF)
    assert str(caught.value) == (
        f"{tmp_path / OPPROF / link}: a symbolic link, which is not followed out of a profile; "
        "put the files themselves there"
    )


def test_other_links_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a/0/OpBasicInfo.csv": info("add", "1"), "x.bin": ""})
    (tmp_path / OPPROF / "y.bin").symlink_to("x.bin")
    (tmp_path / OPPROF / "a/0/dump").symlink_to(tmp_path)
    assert len(open_profile(tmp_path / OPPROF).op_basic_info) == 1


def test_a_folder_without_any_table_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"a/0/visualize_data.bin": ""})
    with pytest.raises(ProfileError, match="a profile without tables"):
        open_profile(tmp_path)
