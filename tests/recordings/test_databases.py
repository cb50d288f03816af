"""The recorded databases give what the text beside them, or an analysis of them, says.

The database and the text of ``torch-npu-910b-level1`` are of two runs of one app: what does not
depend on the run must be equal, and times are compared with what torch_npu made of the database.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, Wanted
from pytest_npuperf.profile import database, open_profile, reader
from pytest_npuperf.profile.tables import BY_NAME

pytestmark = pytest.mark.recordings

OUTPUT = "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT"
OPS, CALLS = BY_NAME["op_summary"], BY_NAME["api_statistic"]

NOT_IN_THE_DATABASE = {
    "op_state": "the schema of January 2025 does not have it",
    "hf32_eligible": "the schema of January 2025 does not have it",
    "task_wait_us": "made of the order of rows when the text is written",
    "cube_utilization_percent": "made of cycles and frequency when the text is written",
}
NOT_IN_THE_TEXT = {
    "device_id": "torch_npu wrote none into kernel_details at that time",
    "aiv_mac_time_us": "a vector core has no cube: msprof drops it from the text",
    "aiv_mac_ratio": "a vector core has no cube: msprof drops it from the text",
    "aiv_mte1_time_us": "a vector core has no MTE1: msprof drops it from the text",
    "aiv_mte1_ratio": "a vector core has no MTE1: msprof drops it from the text",
}
DIFFERENT = {
    "op_name": "the names of collectives have a number of the run",
    "task_type": "collectives are HCCL in the text of that release, COMMUNICATION in the database",
    "task_id": "counted by the device across runs",
    "task_start_ns": "two runs",
    "task_duration_us": "two runs",
}
"""And the counters, which are compared as to where they are absent."""

CALLS_OF_THE_RUN = {"aclrtQueryEventStatus": "polls until the event has come"}


@pytest.fixture
def of_text(recordings: Path) -> Path:
    return recordings / "torch-npu-910b-level1" / OUTPUT


@pytest.fixture
def of_database(recordings: Path) -> Path:
    return recordings / "torch-npu-910b-level1-db" / OUTPUT


@pytest.fixture
def frames(of_text: Path, of_database: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ops of the database and those of the text."""
    return (
        database.read_table(of_database / "ascend_pytorch_profiler_0.db", OPS),
        reader.read_table(of_text / "kernel_details.csv", OPS),
    )


@pytest.fixture(autouse=True)
def nothing_is_written(recordings: Path) -> Iterator[None]:
    """See to it that no file appears beside a database."""
    folders = [recordings / name for name in ("msprof-db-old", "torch-npu-910b-level1-db")]
    before = [sorted(folder.rglob("*")) for folder in folders]
    yield
    assert [sorted(folder.rglob("*")) for folder in folders] == before


def table_of(frame: pd.DataFrame, columns: list[str]) -> list[tuple[object, ...]]:
    """Return the rows of some columns, sorted: streams are in another order in another run."""
    rows = frame[columns].astype(object)
    return sorted(rows.where(rows.notna(), "").itertuples(index=False, name=None), key=str)


def counters(frame: pd.DataFrame) -> list[str]:
    ours = {column.name for column in OPS.columns}
    return [str(name) for name in frame if name not in ours]


def test_the_same_columns(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    ours, theirs = frames
    assert set(theirs) - set(ours) == set(NOT_IN_THE_DATABASE)
    assert set(ours) - set(theirs) == set(NOT_IN_THE_TEXT)
    both = [str(name) for name in ours if name in theirs]
    assert [str(ours[name].dtype) for name in both] == [str(theirs[name].dtype) for name in both]


def test_what_does_not_depend_on_the_run(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    ours, theirs = frames
    apart = {*DIFFERENT, *counters(ours)}
    same = [str(name) for name in ours if name in theirs and name not in apart]
    assert len(same) == 13
    assert table_of(ours, same) == table_of(theirs, same)


def test_what_depends_on_the_run(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Where they could be equal after all, a difference would be listed for nothing."""
    for name in DIFFERENT:
        assert table_of(frames[0], [name]) != table_of(frames[1], [name])
    kernels = [frame[~frame["task_type"].isin(["HCCL", "COMMUNICATION"])] for frame in frames]
    for name in ("op_name", "task_type"):
        assert table_of(kernels[0], [name]) == table_of(kernels[1], [name])


def test_counters_are_absent_for_the_same_ops(
    frames: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    names = [name for name in counters(frames[0]) if name not in NOT_IN_THE_TEXT]
    assert len(names) == 24
    keys = ["op_type", "input_shapes", "input_formats", "input_data_types"]
    shown = [frame[keys].join(frame[names].isna()) for frame in frames]
    assert table_of(shown[0], [*keys, *names]) == table_of(shown[1], [*keys, *names])


def test_counters_have_the_unit_of_the_text(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Of a kernel that no cache can help, two runs differ by a few percent."""
    first = [frame[frame["op_name"] == "trans_TransData_0"].iloc[0] for frame in frames]
    for name in ("aiv_time_us", "aiv_total_cycles", "aiv_mte2_time_us", "aiv_mte2_ratio"):
        assert first[0][name] == pytest.approx(first[1][name], rel=0.05)


def test_the_same_calls(of_text: Path, of_database: Path) -> None:
    frames = (
        database.read_table(of_database / "ascend_pytorch_profiler_0.db", CALLS),
        reader.read_table(of_text / "api_statistic.csv", CALLS),
    )
    counts = [
        {(row.api_level, row.name): row.count for row in frame.itertuples(index=False)}
        for frame in ([frame[["api_level", "name", "count"]] for frame in frames])
    ]
    assert counts[0].keys() == counts[1].keys()
    apart = {name for (level, name), count in counts[0].items() if counts[1][level, name] != count}
    assert apart == set(CALLS_OF_THE_RUN)


# --- what torch_npu made of the same run ------------------------------------------------------


def measured(path: Path, wanted: Sequence[Wanted]) -> dict[str, Fraction | None]:
    """Return metrics of a profile of one lane; times are in ns."""
    (lane,) = measure(open_profile(path), wanted).lanes.values()
    return {each.title(): lane.values[each].value for each in wanted}


def test_the_times_are_those_that_torch_npu_found_in_it(of_database: Path) -> None:
    steps = database.read_table(of_database / "analysis.db", BY_NAME["step_trace_time"])
    (row,) = steps.to_dict("records")
    theirs = {
        "compute_time": row["computing_us"],
        "communication_time": row["communication_us"],
        "idle_time": row["free_us"],
        "window_time": row["stage_us"],
    }
    wanted = [Wanted(name) for name in theirs]
    assert measured(of_database, wanted) == {
        name: round(time * 1000) for name, time in theirs.items()
    }


def test_the_ops_belong_to_the_step(of_database: Path) -> None:
    assert measured(of_database, [Wanted("kernel_count_per_step")]) == {
        "kernel_count_per_step": Fraction(187)
    }


def test_counts_by_core_are_those_of_the_text(
    of_database: Path, expected: dict[str, Any], recordings: Path
) -> None:
    entry = expected[f"torch-npu-910b-level1/{OUTPUT}/kernel_details.csv"]
    counts = {core: count for core, (count, _) in entry["by_core"].items()}
    assert set(counts) == {"AI_CORE", "AI_VECTOR_CORE", "DSA_SQE", "MIX_AIV"}
    wanted = [Wanted("ops", "count", Selector(task_type=(core,))) for core in counts]
    assert list(measured(of_database, wanted).values()) == list(counts.values())


# --- text beside database ---------------------------------------------------------------------


def test_a_database_of_another_run_beside_a_text_is_a_contradiction(
    of_text: Path, of_database: Path, tmp_path: Path
) -> None:
    for file in (of_text / "kernel_details.csv", of_database / "ascend_pytorch_profiler_0.db"):
        shutil.copyfile(file, tmp_path / file.name)
    with pytest.raises(ProfileError) as caught:
        measured(tmp_path, [Wanted("kernel_time")])
    assert str(caught.value) == (
        f"{tmp_path}/kernel_details.csv: 1 call of AdaptiveAvgPool3d on AI_VECTOR_CORE, "
        "17.700 us in all, but ascend_pytorch_profiler_0.db has 1 call, 17.421 us; one of the "
        "two was cut or edited, record again"
    )


def test_a_database_beside_a_text_of_the_same_run_agrees(
    of_database: Path, tmp_path: Path, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    """No recording has both: write the text of its ops as msprof does."""
    shutil.copyfile(
        of_database / "ascend_pytorch_profiler_0.db", tmp_path / "ascend_pytorch_profiler_0.db"
    )
    lines = ["Name,Type,Accelerator Core,Start Time(us),Duration(us)"]
    for op in frames[0].astype(object).to_dict("records"):
        start, duration = op["task_start_ns"], op["task_duration_us"]
        times = f"{start // 1000}.{start % 1000:03d}\t,{duration:.3f}"
        lines.append(f"{op['op_name']},{op['op_type']},{op['task_type']},{times}")
    (tmp_path / "kernel_details.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    calls = database.read_table(of_database / "ascend_pytorch_profiler_0.db", CALLS)
    lines = ["Level,API Name,Time(us),Count"]
    for call in calls.astype(object).to_dict("records"):
        lines.append(
            f"{call['api_level']},{call['name']},{call['total_time_us']:.3f},{call['count']:.0f}"
        )
    (tmp_path / "api_statistic.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = ("kernel_time", "communication_time", "compute_time")
    wanted = [*map(Wanted, names), Wanted("apis", "total", Selector(name=("acl*",)))]
    assert measured(tmp_path, wanted) == measured(of_database, wanted)


# --- an old one -------------------------------------------------------------------------------


def test_the_database_of_2023_is_read(recordings: Path) -> None:
    """A viewer has added tables, emptied COMMUNICATION_OP and kept a few rows of each other."""
    path = recordings / "msprof-db-old" / "msprof_0.db"
    assert [table.name for table in database.tables_in(path)] == ["op_summary", "api_statistic"]
    rows = database.read_table(path, OPS).astype(object)
    assert len(rows) == 12
    lost, first = (rows.iloc[row] for row in (0, 1))
    assert [lost[name] for name in ("device_id", "op_name", "task_type")] == [
        *("2", "hcom_allGather__305_879_1", "COMMUNICATION")
    ]
    assert [first[name] for name in ("device_id", "op_type", "block_num", "input_shapes")] == [
        *("2", "ZerosLike", "48"),
        "1676480000",
    ]
    names = ("kernel_time", "kernel_count", "communication_time", "window_time")
    assert measured(recordings / "msprof-db-old", [Wanted(name) for name in names]) == {
        "kernel_time": Fraction(663_872),
        "kernel_count": Fraction(11),
        # When the collective ran is not known.
        "communication_time": None,
        "window_time": None,
    }


# --- memory -----------------------------------------------------------------------------------


def test_memory_peaks(of_database: Path) -> None:
    """They are the largest bytes in the database, of the process and of PTA+GE."""
    wanted = [Wanted(f"{kind}memory_peak") for kind in ("", "allocated_", "reserved_")]
    assert measured(of_database, wanted) == {
        "memory_peak": Fraction(2_216_402_944),
        "allocated_memory_peak": Fraction(1_263_251_456),
        "reserved_memory_peak": Fraction(1_600_913_408),
    }
    tables = open_profile(of_database).tables
    assert {"npu_mem", "memory_record"} < set(tables)


# --- ops that were lost ---------------------------------------------------------------


def without(of_database: Path, folder: Path, *deletions: str) -> Path:
    """Copy the databases, delete rows, and return the path of the one that lost them."""
    for name in ("ascend_pytorch_profiler_0.db", "analysis.db"):
        shutil.copyfile(of_database / name, folder / name)
    path = folder / "ascend_pytorch_profiler_0.db"
    with closing(sqlite3.connect(path)) as connection:
        for deletion in deletions:
            connection.execute(f"DELETE FROM {deletion}")
        connection.commit()
    return path


@pytest.mark.parametrize(
    ("deletions", "fault"),
    [
        (
            ["COMMUNICATION_OP WHERE opId = 2"],
            "1 of 4 collectives in COMMUNICATION_TASK_INFO without a row in COMMUNICATION_OP, "
            "first opId 2; the database was cut or edited, export it again",
        ),
        (
            ["COMMUNICATION_OP WHERE opId = 2", "COMMUNICATION_TASK_INFO WHERE opId = 2"],
            "3 collectives of 99927.776 us together, but analysis.db has 102108.100 us of "
            "communication in step 50; one of the two was cut or edited, record again",
        ),
        (
            ["COMMUNICATION_OP", "COMMUNICATION_TASK_INFO"],
            "0 collectives of 0.000 us together, but analysis.db has 102108.100 us of "
            "communication in step 50; one of the two was cut or edited, record again",
        ),
        (
            ["COMPUTE_TASK_INFO WHERE globalTaskId % 2"],
            "90 kernels in TASK_PMU_INFO without a row in COMPUTE_TASK_INFO, first globalTaskId 3; "
            "the database was cut or edited, export it again",
        ),
        (
            [f"{table} WHERE globalTaskId = 3" for table in ("COMPUTE_TASK_INFO", "TASK_PMU_INFO")],
            "186 kernels of 8849.670 us together, but analysis.db has 8903.431 us of computing in "
            "step 50; one of the two was cut or edited, record again",
        ),
    ],
)
def test_a_lost_op_is_refused(
    of_database: Path, tmp_path: Path, deletions: list[str], fault: str
) -> None:
    path = without(of_database, tmp_path, *deletions)
    with pytest.raises(ProfileError) as caught:
        measured(tmp_path, [Wanted("kernel_time")])
    assert str(caught.value) == f"{path}: {fault}"


def test_without_any_collective_their_time_is_not_measured(
    of_database: Path, tmp_path: Path
) -> None:
    without(of_database, tmp_path, "COMMUNICATION_OP")
    kernel_time, communication = Wanted("kernel_time"), Wanted("communication_time")
    assert measured(tmp_path, [kernel_time, communication]) == {
        **measured(of_database, [kernel_time]),
        "communication_time": None,
    }
