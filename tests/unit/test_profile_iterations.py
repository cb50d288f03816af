"""Iterations that step_trace lost are missed where ops or calls of the run tell of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from profile_tables import Op, api_statistic, msprof, op_summary, step_trace

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import iterations, open_profile
from pytest_npuperf.profile.agreement import Source

EDITED = "one of the two was cut or edited, record again"
STEP = 100_000
"""An iteration takes 90 us, the next begins 10 us later."""

Ran = tuple[str | None, str | None, int | None]
"""The name of an op, its model, and when it started, ns."""


def run(number: int, *names: str, model: str | None = "1") -> list[Ran]:
    """Return the ops of one iteration, counted from 1."""
    begin = (number - 1) * STEP
    return [(name, model, begin + 10_000 * (i + 1)) for i, name in enumerate(names)]


def ops(*ran: list[Ran], devices: str = "0") -> Source:
    rows = [row for each in ran for row in each]
    names, models, starts = map(list, zip(*rows, strict=True))
    frame = pd.DataFrame(
        {
            "device_id": pd.Categorical((list(devices) * len(rows))[: len(rows)]),
            "op_name": pd.Categorical(names),
            "model_id": pd.Categorical(models),
            "task_start_ns": pd.array(starts, dtype="Int64"),
        }
    )
    return Source(Path("run", "op_summary.csv"), frame, says_device=True)


def trace(*rows: tuple[str | None, str, int | None], device: str = "0") -> Source:
    """Return iterations by model, number and end in ns."""
    models, ids, ends = map(list, zip(*rows, strict=True))
    frame = pd.DataFrame(
        {
            "device_id": pd.Categorical([device] * len(rows)),
            "iteration_id": pd.Categorical(ids),
            "model_id": pd.Categorical(models),
            "iteration_end_ns": pd.array(ends, dtype="Int64"),
        }
    )
    return Source(Path("run", "step_trace.csv"), frame, says_device=True)


def ended(count: int, model: str = "1") -> list[tuple[str | None, str, int | None]]:
    return [(model, str(i), i * STEP - 10_000) for i in range(1, count + 1)]


def refuse(found: Source, told: Source) -> None:
    iterations.refuse_lost(found, told, lambda: found)


def unread() -> Source:
    raise AssertionError("the names of all ops were read")


TWO = ended(2)
CONV_ADD = [run(i, "conv", "add") for i in (1, 2)]
CONV_ADD_AGAIN = [*CONV_ADD, run(3, "conv", "add")]


# --- ops after the last iteration -------------------------------------------------------------


@pytest.mark.parametrize(
    "ran",
    [
        CONV_ADD,
        # The recording stopped while an iteration was running.
        [*CONV_ADD, run(3, "conv")],
        # The one that was running when it began counts to the first.
        [[("conv", "1", 0), ("add", "1", 1)], *CONV_ADD, run(3, "conv")],
        # What runs twice in an iteration ran once.
        [run(1, "conv", "conv"), run(2, "conv", "conv"), run(3, "conv")],
        # A branch that was not taken in one of them.
        [run(1, "conv"), run(2, "add"), run(3, "add", "conv")],
        # Single operators, and those of another model.
        [*CONV_ADD, run(3, "conv", "add", model=None)],
        [*CONV_ADD, run(3, "conv", "add", model="2")],
        # Without names or times nothing is told.
        [*CONV_ADD, [(None, "1", 3 * STEP)]],
        [*CONV_ADD, [("conv", "1", None), ("add", "1", None)]],
        # The two count time from different zeros.
        [[(name, model, int(start or 0) + 10**12) for name, model, start in CONV_ADD[0]]],
    ],
)
def test_all_iterations_that_ran_whole_are_there(ran: list[list[Ran]]) -> None:
    refuse(ops(*ran), trace(*TWO))


def test_an_op_that_begins_with_the_end_of_the_last_iteration_is_not_after_it() -> None:
    found = ops(run(1, "conv"), [("conv", "1", STEP - 10_000 + 1000)])
    refuse(found, trace(*ended(1)))
    late = ops(run(1, "conv"), [("conv", "1", STEP - 10_000 + 1001)])
    with pytest.raises(ProfileError, match=r"all of its ops ran 1 time more"):
        refuse(late, trace(*ended(1)))


@pytest.mark.parametrize(
    ("ran", "told", "message"),
    [
        (CONV_ADD_AGAIN, TWO, "2 iterations of model 1, but in {} all of its ops ran 1 time more"),
        (
            [run(i, "conv", "conv", "add") for i in range(1, 6)],
            TWO,
            "2 iterations of model 1, but in {} all of its ops ran 3 times more",
        ),
        # Releases that export one iteration have no ops in the others.
        (
            [run(2, "conv", "add"), run(3, "conv", "add")],
            TWO,
            "2 iterations of model 1, but in {} all of its ops ran 1 time more",
        ),
        (
            [*CONV_ADD, *(run(i, "init", model="2") for i in (1, 2, 3))],
            [*TWO, *ended(1, "2")],
            "1 iteration of model 2, but in {} all of its ops ran 2 times more",
        ),
        # A model that ended before another does not hide behind it.
        (
            [*CONV_ADD, *(run(i, "init", model="2") for i in (1, 2))],
            [*TWO, *ended(1, "2")],
            "1 iteration of model 2, but in {} all of its ops ran 1 time more",
        ),
        # Some ops run now and then.
        (
            [*CONV_ADD, run(2, "log"), run(3, "conv", "add")],
            TWO,
            "2 iterations of model 1, but in {} all of its ops ran 1 time more",
        ),
    ],
)
def test_iterations_that_ran_after_the_last_one(
    ran: list[list[Ran]], told: list[tuple[str | None, str, int | None]], message: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        refuse(ops(*ran), trace(*told))
    assert str(caught.value) == (
        f"run/step_trace.csv: {message.format('op_summary.csv')} after the last one; {EDITED}"
    )


def test_the_ops_of_another_device_are_not_counted() -> None:
    refuse(ops(*CONV_ADD_AGAIN, devices="1"), trace(*TWO))


def test_names_are_not_read_where_no_op_begins_late() -> None:
    iterations.refuse_lost(ops(*CONV_ADD), trace(*TWO), unread)
    iterations.refuse_lost(ops(*CONV_ADD_AGAIN), trace(("1", "1", None)), unread)


@pytest.mark.parametrize("column", ["op_name", "model_id", "task_start_ns"])
def test_ops_without_a_column_tell_nothing(column: str) -> None:
    found = ops(*CONV_ADD_AGAIN)
    found.rows.pop(column)
    refuse(found, trace(*TWO))


@pytest.mark.parametrize("column", ["model_id", "iteration_end_ns"])
def test_iterations_without_a_column_tell_nothing(column: str) -> None:
    told = trace(*TWO)
    told.rows.pop(column)
    refuse(ops(*CONV_ADD_AGAIN), told)


# --- the first iteration ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        trace(*TWO),
        trace(("1", "0", 5), ("2", "1", 5)),
        # Steps of the user have no model, and are counted as the user likes.
        trace((None, "7", 5)),
    ],
)
def test_iterations_that_begin_with_the_first(told: Source) -> None:
    iterations.refuse_late_start(told)


@pytest.mark.parametrize("column", ["model_id", "iteration_id"])
def test_without_a_column_the_first_is_not_told(column: str) -> None:
    told = trace(("1", "6", 5))
    told.rows.pop(column)
    iterations.refuse_late_start(told)


def test_iterations_that_begin_later() -> None:
    with pytest.raises(ProfileError) as caught:
        iterations.refuse_late_start(trace(*TWO, ("2", "10", 5), ("2", "6", 5)))
    assert str(caught.value) == (
        "run/step_trace.csv: iteration 1 is missing of model 2; "
        "the file was cut or edited, record again"
    )


# --- calls ------------------------------------------------------------------------------------


def calls(**counts: float) -> Source:
    frame = pd.DataFrame(
        {"name": pd.Categorical(list(counts)), "count": np.array(list(counts.values()))}
    )
    return Source(Path("run", "api_statistic.csv"), frame, says_device=True)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (calls(aclmdlExecute=2.0), trace(*TWO)),
        (calls(aclmdlExecute=1.0, aclmdlExecuteAsync=2.0), trace(*TWO, *ended(1, "2"))),
        (calls(aclmdlExecute=1.0), trace(*TWO)),
        (calls(aclmdlExecuteV3=9.0, ModelExecute=9.0), trace(*TWO)),
        (calls(aclmdlExecute=9.0), trace((None, "1", 5))),
    ],
)
def test_calls_that_have_their_iterations(made: Source, told: Source) -> None:
    assert list(iterations.doubts(made, told)) == []


@pytest.mark.parametrize(
    ("made", "number"),
    [
        (calls(aclmdlExecute=3.0, aclrtMemcpy=50.0), "3 calls"),
        (calls(aclmdlExecute=1.0, aclmdlExecuteV2=1.0, aclmdlExecuteAsyncV2=2.0), "4 calls"),
    ],
)
def test_calls_without_iterations(made: Source, number: str) -> None:
    assert list(iterations.doubts(made, trace(*TWO))) == [
        f"api_statistic.csv has {number} that execute a model, but step_trace.csv has "
        "2 iterations; rows may be missing"
    ]


@pytest.mark.parametrize("column", ["name", "count"])
def test_calls_without_a_column_are_no_doubt(column: str) -> None:
    made = calls(aclmdlExecute=3.0)
    made.rows.pop(column)
    assert list(iterations.doubts(made, trace(*TWO))) == []
    told = trace(*TWO)
    told.rows.pop("model_id")
    assert list(iterations.doubts(calls(aclmdlExecute=3.0), told)) == []


# --- in a profile -----------------------------------------------------------------------------


def profile(folder: Path, first: int, last: int, names: bool = True) -> Path:
    """Write three iterations of a model, of which step_trace has some."""
    made = [Op(start=i * STEP, model="1", name="conv") for i in range(3)]
    ends = [(0, 1, i, i * STEP - 10_000, STEP - 10_000) for i in range(first, last + 1)]
    call = ("host", "acl", "aclmdlExecute", "6", "3", "2", "2", "2")
    tables = {"op_summary": op_summary(*made)} if names else {}
    return msprof(folder, step_trace=step_trace(*ends), api_statistic=api_statistic(call), **tables)


def test_a_profile_with_all_iterations(tmp_path: Path) -> None:
    found = open_profile(profile(tmp_path, 1, 3))
    assert found.steps(found.lanes[0]).count == 3
    assert found.doubts == ()


def test_a_profile_that_lost_the_last_iterations(tmp_path: Path) -> None:
    home = profile(tmp_path, 1, 2) / "mindstudio_profiler_output"
    found = open_profile(tmp_path)
    with pytest.raises(ProfileError) as caught:
        found.lane_rows(found.lanes[0], "op_summary")
    assert str(caught.value) == (
        f"{home}/step_trace_20260101000000.csv: 2 iterations of model 1, but in "
        f"op_summary_20260101000000.csv all of its ops ran 1 time more after the last one; {EDITED}"
    )


def test_a_profile_that_lost_the_first_iterations(tmp_path: Path) -> None:
    home = profile(tmp_path, 2, 3) / "mindstudio_profiler_output"
    found = open_profile(tmp_path)
    with pytest.raises(ProfileError) as caught:
        found.steps(found.lanes[0])
    assert str(caught.value) == (
        f"{home}/step_trace_20260101000000.csv: iteration 1 is missing of model 1; "
        "the file was cut or edited, record again"
    )


def test_calls_of_a_profile_without_ops_are_a_doubt(tmp_path: Path) -> None:
    assert open_profile(profile(tmp_path, 1, 2, names=False)).doubts == (
        "api_statistic_20260101000000.csv has 3 calls that execute a model, but "
        "step_trace_20260101000000.csv has 2 iterations; rows may be missing",
    )
