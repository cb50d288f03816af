from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from profile_database import (
    LEVELS,
    Kernel,
    Row,
    call,
    collective,
    kernels,
    task_of_collective,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import Profile, open_profile

OPS = "OP Type,Task Type,Task Start Time(us),Task Duration(us)"
CALLS = "Level,API Name,Time(us),Count"
CONV = "Conv2D,AI_CORE,1,1.000"
EDITED = "one of the two was cut or edited, record again"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with one op and one call, beside which each test writes its texts."""
    return write(
        tmp_path / "msprof_1.db", kernels(Kernel()), {"CANN_API": [call(duration=2000)]}, LEVELS
    )


def rows_of(folder: Path, table: str, texts: Mapping[str, str]) -> int:
    """Return how many rows a table has after the texts were written."""
    for name, content in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    profile: Profile = open_profile(folder)
    rows = [profile.lane_rows(lane, table) for lane in profile.lanes]
    return sum(len(frame) for frame in rows if frame is not None)


def csv(header: str, *rows: str) -> str:
    return "\n".join((header, *rows)) + "\n"


SAME: Mapping[str, str] = {
    "op_summary.csv": csv(OPS, CONV),
    "api_statistic.csv": csv(CALLS, "node,launch,2.000,1"),
}
OTHER_CALLS: Mapping[str, str] = {**SAME, "api_statistic.csv": csv(CALLS, "node,launch,4.000,2")}
OF_AN_ITERATION: Mapping[str, str] = {
    "op_summary.csv": csv(f"Infer ID,{OPS}", f"1,{CONV}", "1,Conv2D,AI_CORE,9,1.000"),
    "api_statistic.csv": OTHER_CALLS["api_statistic.csv"],
}


@pytest.mark.parametrize("table", ["op_summary", "api_statistic"])
def test_a_text_and_a_database_of_one_run(database: Path, table: str) -> None:
    assert rows_of(database.parent, table, SAME) == 1


def test_a_text_with_other_ops(database: Path) -> None:
    texts = {**SAME, "op_summary.csv": csv(OPS, CONV, "Conv2D,AI_CORE,9,1.000")}
    with pytest.raises(ProfileError) as caught:
        rows_of(database.parent, "op_summary", texts)
    assert str(caught.value) == (
        f"{database.parent}/op_summary.csv: 2 calls of Conv2D on AI_CORE, 2.000 us in all, but "
        f"msprof_1.db has 1 calls, 1.000 us; {EDITED}"
    )


def test_a_text_with_other_calls(database: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        rows_of(database.parent, "api_statistic", OTHER_CALLS)
    assert str(caught.value) == (
        f"{database.parent}/api_statistic.csv: 2 calls of launch (node), 4.000 us in all, but "
        f"msprof_1.db has 1 calls, 2.000 us; {EDITED}"
    )


def test_calls_are_read_of_the_database_only_where_they_are_wanted(database: Path) -> None:
    assert rows_of(database.parent, "op_summary", OTHER_CALLS) == 1


@pytest.mark.parametrize(("table", "rows"), [("op_summary", 2), ("api_statistic", 1)])
def test_a_text_of_one_iteration_is_no_twin_of_the_whole_run(
    database: Path, table: str, rows: int
) -> None:
    assert rows_of(database.parent, table, OF_AN_ITERATION) == rows


def test_a_text_whose_name_says_an_iteration_is_none_either(tmp_path: Path) -> None:
    folder = tmp_path / "PROF_1"
    folder.mkdir()
    write(folder / "msprof_1.db", kernels(Kernel()), {"CANN_API": [call()]}, LEVELS)
    of_step = {
        f"device_0/summary/{name.removesuffix('.csv')}_0_1_1.csv": text
        for name, text in OTHER_CALLS.items()
    }
    assert rows_of(folder, "api_statistic", of_step) == 1


def test_calls_beside_ops_that_do_not_tell_whether_the_text_holds_the_run(database: Path) -> None:
    """Only the database has ops."""
    assert rows_of(database.parent, "op_summary", {}) == 1
    texts = {"api_statistic.csv": OTHER_CALLS["api_statistic.csv"]}
    assert rows_of(database.parent, "api_statistic", texts) == 1


def test_calls_beside_no_ops(tmp_path: Path) -> None:
    write(tmp_path / "msprof_1.db", {"CANN_API": [call()]}, LEVELS)
    texts = {"api_statistic.csv": OTHER_CALLS["api_statistic.csv"]}
    assert rows_of(tmp_path, "api_statistic", texts) == 1


def test_a_database_without_calls(tmp_path: Path) -> None:
    write(tmp_path / "msprof_1.db", kernels(Kernel()))
    assert rows_of(tmp_path, "api_statistic", OTHER_CALLS) == 1


# --- collectives of a database, and its steps -------------------------------------------------


def with_steps(folder: Path, *communication_us: float, of_steps: str = "analysis.db") -> Path:
    """Write a database with two collectives of 3 us in all, and steps beside it."""
    collectives = [collective(0, 1000, opId=1), collective(5000, 2000, opId=2)]
    path = folder / "ascend_pytorch_profiler_0.db"
    write(path, kernels(Kernel()), {"COMMUNICATION_OP": collectives})
    steps: list[Row] = [
        {"step": str(number), "communication": time, "stage": 100}
        for number, time in enumerate(communication_us)
    ]
    if of_steps == "analysis.db":
        write(folder / of_steps, {"StepTraceTime": steps})
    else:
        rows = [f"{step['step']},{step['communication']},100" for step in steps]
        (folder / of_steps).write_text(csv("Step,Communication,Stage", *rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "steps",
    [
        (3.0,),
        # The same collective may count in two steps.
        (3.0, 2.0),
        # Some may lie outside of all steps, and without steps torch_npu writes 0.
        (1.0,),
        (0.0,),
        # What rounding may do.
        (4.0,),
    ],
)
def test_the_collectives_of_the_steps_are_there(tmp_path: Path, steps: tuple[float, ...]) -> None:
    with_steps(tmp_path, *steps)
    assert rows_of(tmp_path, "op_summary", {}) == 3


@pytest.mark.parametrize("steps", [(4.001,), (0.0, 4.001)])
def test_a_step_with_more_communication_than_there_is(
    tmp_path: Path, steps: tuple[float, ...]
) -> None:
    path = with_steps(tmp_path, *steps)
    with pytest.raises(ProfileError) as caught:
        rows_of(tmp_path, "op_summary", {})
    assert str(caught.value) == (
        f"{path}: 2 collectives of 3.000 us in all, but a step of analysis.db has 4.001 us of "
        f"communication; {EDITED}"
    )


def test_collectives_without_times_are_told_by_what_needs_them(tmp_path: Path) -> None:
    path = tmp_path / "ascend_pytorch_profiler_0.db"
    write(path, kernels(Kernel()), {"COMMUNICATION_TASK_INFO": [task_of_collective(0)]})
    steps: list[Row] = [{"step": "1", "communication": 50.0, "stage": 100}]
    write(tmp_path / "analysis.db", {"StepTraceTime": steps})
    assert rows_of(tmp_path, "op_summary", {}) == 2


def test_communication_in_steps_of_a_text_may_be_more(tmp_path: Path) -> None:
    with_steps(tmp_path, 50.0, of_steps="step_trace_time.csv")
    assert rows_of(tmp_path, "op_summary", {}) == 3


def test_steps_that_do_not_say_their_communication(tmp_path: Path) -> None:
    write(tmp_path / "ascend_pytorch_profiler_0.db", kernels(Kernel()))
    write(tmp_path / "analysis.db", {"StepTraceTime": [{"step": "1", "stage": 100}]})
    assert rows_of(tmp_path, "op_summary", {}) == 1
