from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from profile_database import (
    Kernel,
    Row,
    Text,
    collective,
    kernels,
    task_of_collective,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import database, open_profile
from pytest_npuperf.profile.tables import BY_NAME

OPS = BY_NAME["op_summary"]
EDITED = "the database was cut or edited, export it again"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "msprof_20260101000000.db"


def written(
    file: Path,
    collectives: Sequence[Row],
    tasks: Sequence[Row],
    ops: Sequence[Kernel] = (Kernel(), Kernel("Cast", start=5000)),
) -> None:
    parts = {"COMMUNICATION_OP": collectives, "COMMUNICATION_TASK_INFO": tasks}
    write(file, kernels(*ops), {name: rows for name, rows in parts.items() if rows})


def communication(file: Path) -> list[dict[str, object]]:
    """Return the rows of collectives without what is absent in them."""
    frame = database.read_table(file, OPS)
    rows = frame[(frame["task_type"] == "COMMUNICATION").to_numpy()].astype(object)
    return [
        {str(name): cell for name, cell in row.items() if not pd.isna(cell)}
        for row in rows.to_dict("records")
    ]


@pytest.mark.parametrize(
    ("collectives", "tasks"),
    [
        ([], []),
        ([collective(opId=7)], []),
        ([collective(opId=7)], [task_of_collective(0, of=7), task_of_collective(1, of=7)]),
        # msprof knows of collectives without tasks (level 0).
        ([collective(opId=7), collective(opId=8)], [task_of_collective(0, of=7)]),
        ([collective(opId=7)], [task_of_collective(0, of=None), task_of_collective(1, of=-1)]),
    ],
)
def test_each_collective_is_an_op(file: Path, collectives: list[Row], tasks: list[Row]) -> None:
    written(file, collectives, tasks)
    assert len(communication(file)) == len(collectives)
    assert all("task_duration_us" in row for row in communication(file))


@pytest.mark.parametrize(("kept", "fault"), [([8, 9], "1 of 3"), ([9], "2 of 3")])
def test_a_collective_that_only_its_tasks_know(file: Path, kept: list[int], fault: str) -> None:
    tasks = [task_of_collective(number, of=of) for number, of in enumerate((7, 7, 8, 9))]
    written(file, [collective(opId=number) for number in kept], tasks)
    with pytest.raises(ProfileError) as caught:
        database.read_table(file, OPS)
    assert str(caught.value) == (
        f"{file}: {fault} collectives in COMMUNICATION_TASK_INFO without a row in "
        f"COMMUNICATION_OP, first opId 7; {EDITED}"
    )


@pytest.mark.parametrize("lost", ["opId", "globalTaskId", "name"])
def test_tasks_of_a_schema_that_does_not_tell(file: Path, lost: str) -> None:
    task = {name: cell for name, cell in task_of_collective(0, of=7).items() if name != lost}
    written(file, [collective(opId=8)], [task])
    assert len(communication(file)) == 1
    without_ops = file.with_name("msprof_1.db")
    written(without_ops, [], [task])
    assert communication(without_ops) == []


def test_collectives_of_a_schema_that_does_not_tell(file: Path) -> None:
    row = {name: cell for name, cell in collective().items() if name != "opId"}
    written(file, [row], [task_of_collective(0, of=7)])
    assert len(communication(file)) == 1


# --- COMMUNICATION_OP is empty ----------------------------------------------------------------


def test_collectives_that_a_viewer_has_removed_have_no_times(file: Path) -> None:
    named = [Text("hcom_allGather__1_0_1"), Text("hcom_send__2_0_1")]
    tasks = [
        task_of_collective(0, of=7, name=named[0]),
        task_of_collective(1, of=7, name=named[0]),
        task_of_collective(77, of=8, name=named[1]),
    ]
    written(file, [], tasks)
    assert database.column_names(file, OPS)[:5] == (
        *("device_id", "model_id", "task_id", "stream_id", "context_id"),
    )
    assert communication(file) == [
        {"device_id": "0", "op_name": name, "task_type": "COMMUNICATION", "block_num": "0"}
        for name in named
    ]
    assert list(database.read_table(file, OPS, {"task_type"})["task_type"]) == [
        *("COMMUNICATION", "COMMUNICATION", "AI_CORE", "AI_CORE")
    ]


def test_the_device_is_that_of_the_first_task(file: Path) -> None:
    ops = [Kernel(device=1), Kernel("Cast", device=2)]
    tasks = [task_of_collective(1, of=7), task_of_collective(0, of=7), task_of_collective(0, of=8)]
    written(file, [], tasks, ops)
    assert [row["device_id"] for row in communication(file)] == ["1", "2"]


def test_without_their_times_kernels_are_measured_and_what_needs_them_is_not(file: Path) -> None:
    written(file, [], [task_of_collective(0, of=7)])
    wanted = [
        Wanted(name) for name in ("kernel_time", "kernel_count", "communication_time", "busy_time")
    ]
    (lane,) = measure(open_profile(file.parent), wanted).lanes.values()
    found = [lane.values[each] for each in wanted]
    assert [each.value for each in found] == [2000, 2, None, None]
    assert [each.reason for each in found[2:]] == [
        "op_summary has no Task Start Time(us) in 1 of 1 row, first in row 1",
        "op_summary has no Task Start Time(us) in 1 of 3 rows, first in row 1",
    ]
