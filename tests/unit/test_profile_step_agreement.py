from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from profile_database import (
    FIRST_NS,
    Kernel,
    Row,
    call,
    collective,
    kernels,
    task_of_collective,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import Profile, open_profile, step_agreement
from pytest_npuperf.profile.agreement import Source

EDITED = "one of the two was cut or edited, record again"

Op = tuple[str | None, str | None, str | None, int | None, float]
"""Its name, task type, step, start in ns and duration in us."""


def kernel(start: int, duration: float, step: str | None = "1", name: str = "conv") -> Op:
    return (name, "AI_CORE", step, start, duration)


def reduce(start: int | None, duration: float, step: str | None = "1") -> Op:
    return ("hcom_allReduce__1", "HCCL", step, start, duration)


def ops(*rows: Op, devices: Sequence[str] = ("0",)) -> Source:
    columns = zip(*rows, strict=True) if rows else [()] * 5
    names, cores, steps, starts, times = map(list, columns)
    frame = pd.DataFrame(
        {
            "device_id": pd.Categorical((list(devices) * len(rows))[: len(rows)]),
            "op_name": pd.Categorical(names),
            "task_type": pd.Categorical(cores),
            "step_id": pd.Categorical(steps),
            "task_start_ns": pd.array(starts, dtype="Int64"),
            "task_duration_us": np.array(times, dtype=np.float64),
        }
    )
    return Source(Path("run", "kernel_details.csv"), frame, says_device=True)


def steps(*rows: tuple[str | None, float, float], name: str = "step_trace_time.csv") -> Source:
    """Return steps by their id, computing and communication in us."""
    ids, computing, communication = map(list, zip(*rows, strict=True))
    frame = pd.DataFrame(
        {
            "step": pd.Categorical(ids),
            "computing_us": np.array(computing, dtype=np.float64),
            "communication_us": np.array(communication, dtype=np.float64),
        }
    )
    return Source(Path("run", name), frame, says_device=True)


def refuse(found: Source, said: Source) -> None:
    step_agreement.refuse_cut(found, said, lambda: found)


def fault(found: Source, said: Source) -> str:
    with pytest.raises(ProfileError) as caught:
        refuse(found, said)
    return str(caught.value)


# --- steps of a text --------------------------------------------------------------------------

TWO = (reduce(1, 2.0), reduce(5001, 1.0))


@pytest.mark.parametrize(
    ("found", "communication"),
    [
        (ops(), 0),
        (ops(*TWO), 3.0),
        # 1 ns for each of the two, and 1 us for all.
        (ops(*TWO), 4.002),
        # Old releases leave out what begins with the step.
        (ops(*TWO), 0.5),
        # What overlaps counts once, and so do those that touch.
        (ops(reduce(1, 2.0), reduce(1001, 3.0), reduce(4001, 1.0)), 5.0),
        (ops(reduce(1, 9.0), reduce(1001, 1.0), reduce(5001, 5.0)), 10.0),
        # But not that on two devices.
        (ops(reduce(1, 2.0), reduce(1, 2.0), devices="01"), 4.0),
        # An interval belongs to the step in which it begins.
        (ops(reduce(1, 2.0), reduce(1001, 3.0, step="2")), 4.0),
        (ops(reduce(1, 2.0), reduce(2001, 3.0, step=None)), 5.0),
        # Times that end in hundreds of ns passed through a double of us.
        (ops(reduce(1700000000000000100, 2.0), reduce(1700000000000005200, 1.0)), 4.5),
        # What needs times that are absent tells it.
        (ops(reduce(None, 2.0)), 50.0),
        (ops(reduce(1, np.nan)), 50.0),
        # MC2: the op table does not show the collectives that a kernel runs.
        (ops(*TWO, ("MatmulAllReduceMc2AicpuKernel", "AI_CPU", "1", 1, 2.0)), 50.0),
        (ops(*TWO, ("MatmulAllReduceAicpu", "AI_CPU", "1", 1, 2.0)), 50.0),
        (ops(*TWO, ("allgatherAicpuKernel", None, "1", 1, 2.0)), 50.0),
        # Level 0: a collective without its core.
        (ops(*TWO, ("hcom_allReduce__1", None, "1", 1, 2.0)), 50.0),
    ],
)
def test_the_collectives_of_a_text_are_there(found: Source, communication: float) -> None:
    refuse(found, steps(("1", 0, communication), ("2", 0, 0)))


@pytest.mark.parametrize(
    ("found", "communication", "message"),
    [
        (ops(kernel(1, 9.0)), 1.001, "0 collectives of 0.000 us together"),
        (ops(*TWO), 4.003, "2 collectives of 3.000 us together"),
        (ops(reduce(1, 2.0), reduce(1001, 3.0)), 5.003, "2 collectives of 4.000 us together"),
        (
            ops(reduce(1700000000000000100, 2.0), reduce(1700000000000005200, 1.0)),
            4.501,
            "2 collectives of 3.000 us together",
        ),
        # What begins outside of all steps is in none.
        (ops(reduce(1, 2.0, step=None), reduce(5001, 1.0)), 3.1, "2 collectives of 1.000 us"),
        (ops(*TWO, ("Cast", "AI_CPU", "1", 1, 2.0)), 50.0, "2 collectives of 3.000 us together"),
        (ops(*TWO, kernel(1, 2.0, name="MyAicpu")), 50.0, "2 collectives of 3.000 us together"),
        (ops(*TWO, ("conv", None, "1", 1, 2.0)), 50.0, "2 collectives of 3.000 us together"),
    ],
)
def test_a_text_that_lost_collectives(found: Source, communication: float, message: str) -> None:
    said = fault(found, steps(("1", 0, communication / 2), ("2", 0, communication / 2)))
    assert said.startswith(f"run/kernel_details.csv: {message}")
    assert said.endswith(
        f", but step_trace_time.csv has {communication:.3f} us of communication; {EDITED}"
    )


def test_without_steps_all_ops_count() -> None:
    refuse(ops(reduce(1, 2.0, step=None)), steps((None, 0, 2.0)))
    without = ops(reduce(1, 2.0))
    without.rows.pop("step_id")
    refuse(without, steps(("1", 0, 2.0)))


@pytest.mark.parametrize("column", ["task_type", "op_name"])
def test_without_a_column_collectives_are_not_told(column: str) -> None:
    found = ops(("allgatherAicpuKernel", "AI_CPU", "1", 1, 2.0))
    found.rows.pop(column)
    assert "0 collectives of 0.000 us" in fault(found, steps(("1", 0, 50.0)))


def test_a_text_without_its_communication() -> None:
    said = steps(("1", 0, 50.0))
    said.rows.pop("communication_us")
    refuse(ops(), said)


# --- steps without any op ---------------------------------------------------------------------

WORKED = (kernel(1, 2.0), reduce(5001, 1.0))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (ops(*WORKED), [("1", 2.0, 1.0)]),
        # Nothing ran in the second, or as good as nothing.
        (ops(*WORKED), [("1", 2.0, 1.0), ("2", 0.0, 0.0), ("3", 1.0, 0.0)]),
        (ops(*WORKED), [("1", 2.0, 1.0), ("2", np.nan, 0.0)]),
        (ops(*WORKED, reduce(9001, 2.0, step="2")), [("1", 2.0, 1.0), ("2", 9.0, 2.0)]),
        # Ops that do not say their step.
        (ops(kernel(1, 2.0, step=None)), [("1", 2.0, 0.0)]),
        (ops(*WORKED), [("1", 2.0, 1.0), (None, 2.0, 0.0)]),
    ],
)
def test_each_step_with_computing_has_an_op(
    found: Source, said: list[tuple[str | None, float, float]]
) -> None:
    refuse(found, steps(*said))


def test_a_step_with_computing_and_no_op() -> None:
    said = steps(("1", 2.0, 1.0), ("2", 1.001, 0.0), ("3", 9.0, 0.0))
    assert fault(ops(*WORKED, kernel(1, 2.0, step=None)), said) == (
        "run/kernel_details.csv: no row of step 2, of which step_trace_time.csv has 1.001 us of "
        f"computing; {EDITED}"
    )


def test_two_steps_of_a_database_may_share_an_op_which_counts_in_the_first() -> None:
    found = replace(ops(*WORKED), path=Path("run", "ascend_pytorch_profiler_0.db"))
    refuse(found, steps(("1", 2.0, 1.0), ("2", 2.0, 0.0)))


@pytest.mark.parametrize("column", ["step", "computing_us"])
def test_steps_without_a_column_are_not_compared(column: str) -> None:
    said = steps(("1", 2.0, 0.0), ("2", 9.0, 0.0))
    said.rows.pop(column)
    refuse(ops(*WORKED), said)


# --- doubts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "computing"),
    [
        (ops(kernel(1, 2.0), kernel(1001, 3.0), reduce(1, 9.0)), 4.0),
        (ops(kernel(1, 2.0), kernel(1001, 3.0)), 5.002),
        (ops(kernel(1, 2.0), kernel(1001, 3.0)), 2.998),
        (ops(kernel(1, 2.0), kernel(9001, 3.0, step=None)), 2.0),
        (ops(kernel(1, np.nan)), 50.0),
        # A database that had no steps has zeros.
        (ops(kernel(1, 9.0)), 0.0),
    ],
)
def test_kernels_that_are_the_computing_of_the_steps(found: Source, computing: float) -> None:
    assert list(step_agreement.doubts(found, steps(("1", computing, 0)))) == []


@pytest.mark.parametrize("computing", [5.003, 2.997, 8.0])
def test_kernels_that_are_not(computing: float) -> None:
    found = ops(kernel(1, 2.0), kernel(1001, 3.0), reduce(9001, 9.0))
    assert list(step_agreement.doubts(found, steps(("1", computing, 0)))) == [
        "all kernels of kernel_details.csv together take 4.000 us, but step_trace_time.csv has "
        f"{computing:.3f} us of computing; rows may be missing"
    ]


def test_nothing_is_doubted_without_computing_or_of_a_database() -> None:
    said = steps(("1", 9.0, 0), name="analysis.db")
    assert list(step_agreement.doubts(ops(kernel(1, 2.0)), said)) == []
    said = steps(("1", 9.0, 0))
    said.rows.pop("computing_us")
    assert list(step_agreement.doubts(ops(kernel(1, 2.0)), said)) == []


def test_a_text_beside_the_steps_of_a_database_is_not_opened_as_one() -> None:
    said = steps(("1", 0, 3.0), ("2", 0, 0), name="analysis.db")
    assert fault(ops(kernel(1, 9.0)), said) == (
        "run/kernel_details.csv: 0 collectives of 0.000 us together, but analysis.db has "
        f"3.000 us of communication in step 1; {EDITED}"
    )
    # Two steps may share a collective, and a text does not say when they began.
    refuse(ops(kernel(1, 9.0), reduce(1, 3.0, step="2")), said)


# --- steps of a database ----------------------------------------------------------------------


def rows_of(folder: Path) -> int:
    """Return how many ops there are once they were checked."""
    profile: Profile = open_profile(folder)
    rows = [profile.lane_rows(lane, "op_summary") for lane in profile.lanes]
    return sum(len(frame) for frame in rows if frame is not None)


def analysis(folder: Path, *rows: tuple[object, float, float]) -> None:
    """Write the steps by their id, computing and communication in us."""
    told: list[Row] = [
        {"step": step, "computing": computing, "communication": communication, "stage": 100}
        for step, computing, communication in rows
    ]
    write(folder / "analysis.db", {"StepTraceTime": told})


def run(folder: Path) -> Path:
    """Write a kernel of 1 us and three collectives in two steps, which overlap from 40 to 60 us."""
    ops = [Kernel(), Kernel("Cast", start=40_000), Kernel("Cast", start=70_000)]
    launched = [
        call(start=1, connectionId=100),
        call(start=30_001, connectionId=101),
        call(start=30_002, connectionId=102),
    ]
    steps: list[Row] = [
        {"id": 1, "startNs": FIRST_NS, "endNs": FIRST_NS + 60_000},
        {"id": 2, "startNs": FIRST_NS + 30_000, "endNs": FIRST_NS + 90_000},
    ]
    collectives = [
        collective(5_000, 2_000, opId=1),
        collective(50_000, 1_000, opId=2),
        collective(80_000, 4_000, opId=3),
    ]
    return write(
        folder / "ascend_pytorch_profiler_0.db",
        kernels(*ops),
        {"STEP_TIME": steps, "CANN_API": launched, "COMMUNICATION_OP": collectives},
    )


@pytest.mark.parametrize(
    "said",
    [
        # The one in the middle counts in both steps, as it begins in both.
        [("1", 2.0, 3.0), ("2", 2.0, 5.0)],
        [("1", 2.0, 3.0), ("2", 1.0, 4.0)],
        [("1", 3.002, 4.002), ("2", 0, 0)],
        # Some begin outside of all steps, and without steps torch_npu writes 0.
        [(None, 0.0, 0.0)],
        [(None, 3.0, 7.0)],
    ],
)
def test_the_ops_of_the_steps_are_there(
    tmp_path: Path, said: list[tuple[object, float, float]]
) -> None:
    run(tmp_path)
    analysis(tmp_path, *said)
    assert rows_of(tmp_path) == 6


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            [("1", 0.0, 4.003), ("2", 0.0, 0.0)],
            "2 collectives of 3.000 us together, but analysis.db has 4.003 us of communication in "
            "step 1",
        ),
        (
            [("1", 0.0, 3.0), ("2", 0.0, 6.003)],
            "2 collectives of 5.000 us together, but analysis.db has 6.003 us of communication in "
            "step 2",
        ),
        (
            [("1", 0.0, 0.0), ("2", 3.003, 0.0)],
            "2 kernels of 2.000 us together, but analysis.db has 3.003 us of computing in step 2",
        ),
        (
            [("1", 0.0, 0.0), ("2", 0.0, 0.0), ("7", 0.0, 1.001)],
            "0 collectives of 0.000 us together, but analysis.db has 1.001 us of communication in "
            "step 7",
        ),
        (
            [(None, 0.0, 8.004)],
            "3 collectives of 7.000 us together, but analysis.db has 8.004 us of communication",
        ),
    ],
)
def test_a_step_with_more_than_there_is(
    tmp_path: Path, said: list[tuple[object, float, float]], message: str
) -> None:
    path = run(tmp_path)
    analysis(tmp_path, *said)
    with pytest.raises(ProfileError) as caught:
        rows_of(tmp_path)
    assert str(caught.value) == f"{path}: {message}; {EDITED}"


def test_steps_that_the_database_of_the_ops_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "ascend_pytorch_profiler_0.db"
    write(path, kernels(Kernel()), {"COMMUNICATION_OP": [collective(duration=3000)]})
    analysis(tmp_path, ("1", 1.0, 3.0), ("2", 1.0, 3.0))
    assert rows_of(tmp_path) == 2
    (tmp_path / "analysis.db").unlink()
    analysis(tmp_path, ("1", 1.0, 4.002))
    with pytest.raises(ProfileError, match=r"1 collective of 3\.000 us together, but "):
        rows_of(tmp_path)


def test_collectives_without_times_are_told_by_what_needs_them(tmp_path: Path) -> None:
    path = tmp_path / "ascend_pytorch_profiler_0.db"
    write(path, kernels(Kernel()), {"COMMUNICATION_TASK_INFO": [task_of_collective(0)]})
    analysis(tmp_path, ("1", 1.0, 50.0))
    assert rows_of(tmp_path) == 2


def test_a_text_leaves_out_kernels_that_the_database_beside_it_counts(tmp_path: Path) -> None:
    row = "Conv2D,AI_CORE,1.001,1.000"
    text = f"Type,Accelerator Core,Start Time(us),Duration(us)\n{row}\n"
    (tmp_path / "kernel_details.csv").write_text(text, encoding="utf-8")
    analysis(tmp_path, (None, 50.0, 0.0))
    assert rows_of(tmp_path) == 1


@pytest.mark.parametrize("said", [{"stage": 100}, {"communication": 50.0}])
def test_steps_that_do_not_say_what_they_hold(tmp_path: Path, said: Row) -> None:
    write(tmp_path / "ascend_pytorch_profiler_0.db", kernels(Kernel()))
    write(tmp_path / "analysis.db", {"StepTraceTime": [{"computing": 1.0, **said}]})
    assert rows_of(tmp_path) == 1


def test_the_steps_of_a_text_are_those_of_a_database_without_one(tmp_path: Path) -> None:
    run(tmp_path)
    text = "Step,Computing,Communication\n1,2,7\n2,1,0\n"
    (tmp_path / "step_trace_time.csv").write_text(text, encoding="utf-8")
    assert rows_of(tmp_path) == 6
