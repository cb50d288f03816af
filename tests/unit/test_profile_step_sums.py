"""A row of step_trace_time whose parts are not as long as the step is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import Profile, open_profile

HEADER = "Step,Computing,Communication,Overlapped,Free,Stage,Bubble"


def stage_of(home: Path, *rows: str, header: str = HEADER) -> float:
    """Return the sum of all stages once they were checked."""
    home.mkdir(parents=True, exist_ok=True)
    text = "\n".join((header, *rows, ""))
    (home / "step_trace_time.csv").write_text(text, encoding="utf-8")
    profile: Profile = open_profile(home)
    rows_of = profile.lane_rows(profile.lanes[0], "step_trace_time")
    assert rows_of is not None
    return float(rows_of["stage_us"].sum())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "rank0_ascend_pt" / "ASCEND_PROFILER_OUTPUT"


@pytest.mark.parametrize(
    "row",
    [
        "1,50,0,0,50,100,0",
        "1,50,30,10,30,100,0",
        # Receiving from another stage is no part of Stage.
        "1,50,30,10,30,75,25",
        # By 1 us and a millionth.
        "1,50,0,0,50,101,0",
        "1,50,0,0,50,99.001,0",
        "1,500000,0,0,500000,1000001.9,0",
        # A collective that goes on in the next step, of which parts begin there.
        "1,50,30,25,45,130,0",
        "1,50,30,25,45,101,0",
        "1,0,0,0,0,0,0",
        # Without a number nothing is known.
        "1,50,0,0,50,N/A,0",
        "1,50,N/A,0,50,900,0",
    ],
)
def test_parts_that_are_as_long_as_the_step(home: Path, row: str) -> None:
    stage_of(home, row)


@pytest.mark.parametrize(
    ("row", "whole", "parts"),
    [
        ("2,50,0,0,50,98.998,0", "98.998", "100.000"),
        ("2,50,0,0,50,101.002,0", "101.002", "100.000"),
        ("2,50,30,10,30,10,25", "35.000", "100.000"),
        ("2,50,30,10,30,131.002,0", "131.002", "100.000"),
        ("2,500000,0,0,500000,1000002.1,0", "1000002.100", "1000000.000"),
        ("2,0,0,0,0,900,0", "900.000", "0.000"),
    ],
)
def test_parts_that_are_not(home: Path, row: str, whole: str, parts: str) -> None:
    with pytest.raises(ProfileError) as caught:
        stage_of(home, "1,50,0,0,50,100,0", row)
    assert str(caught.value) == (
        f"{home}/step_trace_time.csv:3: Stage and Bubble are {whole} us together, but Computing, "
        f"Communication(Not Overlapped) and Free {parts} us; the file was edited, record again"
    )


WRONG = "1,50,0,0,50,900,0"


@pytest.mark.parametrize("name", ["ascend_pt", "rank0_ascend_ms", "rank0_ascend_pt_copy"])
def test_steps_that_may_be_of_mindspore_have_other_times(tmp_path: Path, name: str) -> None:
    assert stage_of(tmp_path / name / "ASCEND_PROFILER_OUTPUT", WRONG) == 900


def test_torch_npu_is_known_by_the_device_too(tmp_path: Path) -> None:
    header = f"Device_id,{HEADER}"
    with pytest.raises(ProfileError, match="Stage and Bubble are 900"):
        stage_of(tmp_path / "any", f"0,{WRONG}", header=header)
    of_mindspore = tmp_path / "rank0_ascend_ms" / "ASCEND_PROFILER_OUTPUT"
    assert stage_of(of_mindspore, f"0,{WRONG}", header=header) == 900


@pytest.mark.parametrize("name", ["Computing", "Communication", "Overlapped", "Free", "Bubble"])
def test_without_a_column_nothing_is_compared(home: Path, name: str) -> None:
    assert stage_of(home, WRONG, header=HEADER.replace(name, "Other")) == 900
