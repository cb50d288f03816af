"""The tasks of task_time must be those of op_summary, though each rounds starts in its own way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import open_profile

OPS = "OP Type,Task Type,Task Start Time(us),Task Duration(us)"
TASKS = "kernel_name,kernel_type,task_start(us),task_time(us)"
EDITED = "one of the two was cut or edited, record again"

Task = tuple[str, float, float]
"""Core, start and duration in us."""
THREE: list[Task] = [("AI_CORE", 10, 5), ("AI_VECTOR_CORE", 20, 3), ("AI_CORE", 30, 4)]


def count(tmp_path: Path, ops: Sequence[Task], tasks: Sequence[Task]) -> int:
    """Return the kernel_count of a profile with both tables. Raises ProfileError."""
    rows = [f"Conv2D,{core},{start:.3f},{time:.3f}" for core, start, time in ops]
    (tmp_path / "op_summary_1.csv").write_text("\n".join([OPS, *rows, ""]), encoding="utf-8")
    rows = [f"k,{core},{start:.3f},{time:.3f}" for core, start, time in tasks]
    (tmp_path / "task_time_1.csv").write_text("\n".join([TASKS, *rows, ""]), encoding="utf-8")
    wanted = Wanted("kernel_count")
    value = measure(open_profile(tmp_path), [wanted]).lanes["0"].values[wanted].value
    assert value is not None
    return int(value)


def refused(tmp_path: Path, ops: Sequence[Task], tasks: Sequence[Task]) -> str:
    with pytest.raises(ProfileError) as caught:
        count(tmp_path, ops, tasks)
    return str(caught.value).removeprefix(f"{tmp_path}/op_summary_1.csv: ")


@pytest.mark.parametrize("apart", [0, 0.001, -0.002])
def test_starts_that_are_rounded_otherwise_are_the_same(tmp_path: Path, apart: float) -> None:
    tasks = [(core, start + apart, time) for core, start, time in THREE]
    assert count(tmp_path, THREE, [*tasks, ("EVENT_RECORD", 40, 0)]) == 3


def test_durations_are_compared_though_starts_are_rounded_otherwise(tmp_path: Path) -> None:
    tasks = [(core, start + 0.001, time + 1) for core, start, time in THREE]
    assert refused(tmp_path, THREE, tasks) == (
        "the task that starts at 10.000 us took 5.000 us, but 6.000 us in task_time_1.csv; "
        + EDITED
    )


def test_a_kernel_that_was_written_over_with_another_is_missed(tmp_path: Path) -> None:
    ops = [THREE[0], ("AI_VECTOR_CORE", 12, 3), THREE[2]]
    assert refused(tmp_path, ops, THREE) == (
        f"no task starts at 20.000 us, where task_time_1.csv has a kernel; {EDITED}"
    )


def test_a_row_that_is_there_twice_is_told(tmp_path: Path) -> None:
    assert refused(tmp_path, [*THREE, THREE[0]], THREE) == (
        f"two tasks start at 10.000 us, where task_time_1.csv has one; {EDITED}"
    )


def test_two_kernels_may_start_at_once_where_both_tables_say_so(tmp_path: Path) -> None:
    both: list[Task] = [*THREE, ("AI_VECTOR_CORE", 10, 2)]
    assert count(tmp_path, both, both) == 4


def test_clocks_with_different_zeros_are_not_compared(tmp_path: Path) -> None:
    tasks = [(core, start + 1000, time) for core, start, time in THREE]
    assert count(tmp_path, [*THREE, THREE[0]], tasks) == 4


def test_small_kernels_inside_of_collectives_are_in_task_time_only(tmp_path: Path) -> None:
    ops: list[Task] = [*THREE, ("COMMUNICATION", 40, 9)]
    assert count(tmp_path, ops, [*THREE, ("AI_VECTOR_CORE", 42, 1)]) == 3
