from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from profile_database import LEVELS, Kernel, call, kernels, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
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
        f"msprof_1.db has 1 call, 1.000 us; {EDITED}"
    )


def test_a_text_with_other_calls(database: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        rows_of(database.parent, "api_statistic", OTHER_CALLS)
    assert str(caught.value) == (
        f"{database.parent}/api_statistic.csv: 2 calls of launch (node), 4.000 us in all, but "
        f"msprof_1.db has 1 call, 2.000 us; {EDITED}"
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


# --- steps of a framework ---------------------------------------------------------------------

STEPS = "Step,Computing,Communication,Stage"


def test_a_text_that_lost_its_collectives(tmp_path: Path) -> None:
    texts = {"op_summary.csv": csv(OPS, CONV), "step_trace_time.csv": csv(STEPS, ",1,5,10")}
    with pytest.raises(ProfileError) as caught:
        rows_of(tmp_path, "op_summary", texts)
    assert str(caught.value) == (
        f"{tmp_path}/op_summary.csv: 0 collectives of 0.000 us together, but step_trace_time.csv "
        f"has 5.000 us of communication; {EDITED}"
    )


def test_names_are_read_where_steps_have_more_communication_than_the_ops(tmp_path: Path) -> None:
    kernel = "9,MatmulAllReduceMc2AicpuKernel,MatmulAllReduce,AI_CPU,1,1.000"
    texts = {
        "op_summary.csv": csv(f"Step Id,Op Name,{OPS}", kernel),
        "step_trace_time.csv": csv(STEPS, "9,1,5,10"),
    }
    assert rows_of(tmp_path, "op_summary", texts) == 1


def test_steps_of_another_iteration_say_nothing_of_the_ops(tmp_path: Path) -> None:
    texts = {
        "PROF_1/device_0/summary/op_summary_0_1_1.csv": csv(OPS, CONV),
        "PROF_1/device_0/summary/step_trace_time_0_1_2.csv": csv(STEPS, ",1,5,10"),
    }
    assert rows_of(tmp_path, "op_summary", texts) == 1
    assert open_profile(tmp_path).doubts == ()


def test_tables_that_differ_without_proof_are_a_doubt(tmp_path: Path) -> None:
    texts = {"op_summary.csv": csv(OPS, CONV), "step_trace_time.csv": csv(STEPS, ",3,0,10")}
    assert rows_of(tmp_path, "op_summary", texts) == 1
    doubt = (
        "all kernels of op_summary.csv together take 1.000 us, but step_trace_time.csv has 3.000 "
        "us of computing; rows may be missing"
    )
    profile = open_profile(tmp_path)
    assert profile.doubts == (doubt,)
    assert measure(profile, [Wanted("compute_time")]).notes[0] == doubt


def test_a_profile_without_ops_has_no_doubts(tmp_path: Path) -> None:
    (tmp_path / "step_trace_time.csv").write_text(csv(STEPS, ",3,0,10"), encoding="utf-8")
    assert open_profile(tmp_path).doubts == ()


# --- collectives by type ----------------------------------------------------------------------

COLLECTIVES = "OP Type,Count,Total Time(us)"
REDUCE = "hcom_allReduce_,HCCL,5,3.000"


@pytest.mark.parametrize(
    ("ops", "calls"),
    [
        ([CONV, REDUCE], ["hcom_allReduce_,1,3"]),
        # Whether all calls are counted in the same way is not known.
        ([CONV, REDUCE], ["hcom_allReduce_,2,6"]),
        ([CONV], ["hcom_allReduce_,0,0"]),
        # Level 0 has no types.
        (["N/A,N/A,1,1.000", "N/A,HCCL,5,3.000"], ["hcom_allReduce_,1,3"]),
        (["MatmulAllReduceMc2AicpuKernel,AI_CPU,1,1.000"], ["MatmulAllReduce,1,3"]),
    ],
)
@pytest.mark.parametrize("name", ["communication_statistic", "hccl_statistic"])
def test_the_collectives_that_are_counted_are_there(
    tmp_path: Path, ops: list[str], calls: list[str], name: str
) -> None:
    rows = [f"{op.split(',')[0]},{op}" for op in ops]
    texts = {
        "op_summary.csv": csv(f"Op Name,{OPS}", *rows),
        f"{name}.csv": csv(COLLECTIVES, *calls),
    }
    assert rows_of(tmp_path, "op_summary", texts) == len(ops)


def test_ops_without_types_among_which_there_is_no_collective(tmp_path: Path) -> None:
    texts = {
        "op_summary.csv": csv("Op Name,Task Type", "conv,AI_CORE"),
        "communication_statistic.csv": csv(COLLECTIVES, "hcom_allReduce_,1,3"),
    }
    with pytest.raises(ProfileError, match=r"no hcom_allReduce_, of which .* has 1 call; "):
        rows_of(tmp_path, "op_summary", texts)


@pytest.mark.parametrize(
    "ops", [[CONV], [CONV, "hcom_allGather_,COMMUNICATION,5,3.000"], ["N/A,N/A,1,1.000"]]
)
def test_a_type_of_collectives_that_is_counted_and_not_there(
    tmp_path: Path, ops: list[str]
) -> None:
    texts = {
        "op_summary.csv": csv(OPS, *ops),
        "communication_statistic.csv": csv(COLLECTIVES, "hcom_allReduce_,2,6"),
    }
    with pytest.raises(ProfileError) as caught:
        rows_of(tmp_path, "op_summary", texts)
    assert str(caught.value) == (
        f"{tmp_path}/op_summary.csv: no hcom_allReduce_, of which communication_statistic.csv has "
        f"2 calls; {EDITED}"
    )
