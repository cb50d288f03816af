"""Planted changes in copies of recorded profiles are named first, and every sum is exact."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import pytest

from pytest_npuperf.judge.attribution import explain
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import Cause, CauseKind, OpRow, StepOptions
from pytest_npuperf.profile import open_profile

pytestmark = pytest.mark.recordings

Row = dict[str, str]
Told = tuple[str, str, str, int, int]
"""Kind (and core before, of a move), type, core, calls before and now."""

PAIRS = ("torch-npu-910b-level1", "torch-npu-910a-level1")
RANKS = ("rank0_ascend_pt", "rank1_ascend_pt")


def op_rows(path: Path) -> tuple[OpRow, ...]:
    measured = Measurer(open_profile(path), StepOptions()).measure([], by_shape=True)
    (lane,) = measured.lanes.values()
    return lane.ops


def explained(before: Sequence[OpRow], now: Sequence[OpRow]) -> tuple[Cause, ...]:
    """Return the causes, whose sum must be the change."""
    causes = explain(before, now)
    change = sum(row.total for row in now) - sum(row.total for row in before)
    assert sum(cause.delta for cause in causes) == change
    return causes


def told(cause: Cause) -> Told:
    kind = f"{cause.kind} from {cause.from_core}" if cause.from_core else str(cause.kind)
    return kind, cause.type, cause.core, cause.before_count, cause.count


# --- the same work ----------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("order", [RANKS, RANKS[::-1]])
def test_two_ranks_with_the_same_work_have_the_same_ops(
    recordings: Path, pair: str, order: tuple[str, str]
) -> None:
    before, now = (op_rows(recordings / pair / rank) for rank in order)
    assert {cause.kind for cause in explained(before, now)} == {
        CauseKind.SLOWER,
        CauseKind.FASTER,
    }


def test_a_database_gives_the_keys_of_the_tables(recordings: Path) -> None:
    database = op_rows(recordings / "torch-npu-910b-level1-db")
    tables = op_rows(recordings / PAIRS[0] / RANKS[0])
    assert {cause.kind for cause in explained(tables, database)} <= {
        CauseKind.SLOWER,
        CauseKind.FASTER,
    }


@pytest.mark.parametrize(
    "profile",
    [*PAIRS, "torch-npu-cann70", "torch-npu-cann83-level2", "msprof-ascend950-l1"],
)
def test_rows_by_shape_sum_to_those_by_type(recordings: Path, profile: str) -> None:
    measurer = Measurer(open_profile(recordings / profile), StepOptions())
    by_shape, by_type = (measurer.measure([], by_shape=flag).lanes for flag in (True, False))
    for key, lane in by_shape.items():
        assert any(row.shapes for row in lane.ops)
        assert not any(mark in row.shapes + row.dtypes for row in lane.ops for mark in "\"'")
        assert explained(by_type[key].ops, lane.ops) == ()


# --- planted changes --------------------------------------------------------------------------


@pytest.fixture(params=[f"{pair}/{rank}" for pair in PAIRS for rank in RANKS])
def recorded(request: pytest.FixtureRequest, recordings: Path) -> Path:
    """The folder of one recorded rank."""
    return recordings / str(request.param)


def planted(recorded: Path, copy: Path, change: Callable[[Row], list[Row]]) -> tuple[Cause, ...]:
    """Return what explains a copy, each row of which became those that ``change`` returns.

    The copy has only the table of the kernels: others would contradict it.
    """
    table = Path("ASCEND_PROFILER_OUTPUT", "kernel_details.csv")
    with (recorded / table).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(chain.from_iterable(map(change, reader)))
    (copy / table).parent.mkdir(parents=True)
    with (copy / table).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames or ())
        writer.writeheader()
        writer.writerows(rows)
    return explained(op_rows(recorded), op_rows(copy))


def times(row: Row, factor: float) -> str:
    return f"{float(row['Duration(us)']) * factor:.3f}"


def calls(recorded: Path, type_: str) -> int:
    return sum(row.count for row in op_rows(recorded) if row.type == type_)


def test_a_copy_has_no_causes(recorded: Path, tmp_path: Path) -> None:
    assert planted(recorded, tmp_path, lambda row: [row]) == ()


def test_a_renamed_op_is_no_cause(recorded: Path, tmp_path: Path) -> None:
    renamed = lambda row: [{**row, "Name": f"{row['Name']}_99"}]  # noqa: E731
    assert planted(recorded, tmp_path, renamed) == ()


def test_one_type_20_percent_slower(recorded: Path, tmp_path: Path) -> None:
    def slower(row: Row) -> list[Row]:
        return [{**row, "Duration(us)": times(row, 1.2)} if row["Type"] == "Conv2D" else row]

    causes = planted(recorded, tmp_path, slower)
    assert {(cause.kind, cause.type) for cause in causes} == {(CauseKind.SLOWER, "Conv2D")}
    for cause in causes:
        assert cause.total == pytest.approx(1.2 * cause.before_total, rel=1e-4)
        assert cause.shapes
    deltas = [cause.delta for cause in causes]
    assert deltas == sorted(deltas, reverse=True)


def test_one_type_20_percent_slower_among_noise(recordings: Path, tmp_path: Path) -> None:
    """The other rank's ops are slower and faster by up to 17 %."""
    noise = op_rows(recordings / PAIRS[0] / RANKS[1])
    slower = [
        OpRow(r.type, r.core, r.count, r.total * 6 // 5, r.shapes, r.dtypes)
        if r.type == "ForeachAddList"
        else r
        for r in noise
        if r.core != "HCCL"
    ]
    before = [r for r in op_rows(recordings / PAIRS[0] / RANKS[0]) if r.core != "HCCL"]
    first = explained(before, slower)[0]
    assert (first.kind, first.type) == (CauseKind.SLOWER, "ForeachAddList")


def test_one_type_moved_to_the_ai_cpu(recorded: Path, tmp_path: Path) -> None:
    def moved(row: Row) -> list[Row]:
        if row["Type"] != "Conv2D":
            return [row]
        return [{**row, "Accelerator Core": "AI_CPU", "Duration(us)": times(row, 8)}]

    causes = planted(recorded, tmp_path, moved)
    assert {told(cause)[:3] for cause in causes} == {("moved from AI_CORE", "Conv2D", "AI_CPU")}
    assert sum(cause.count for cause in causes) == calls(recorded, "Conv2D") == 5
    assert all(cause.shapes and cause.delta > 0 for cause in causes)


def test_one_call_moved_to_the_ai_cpu(recorded: Path, tmp_path: Path) -> None:
    left = [1]

    def moved(row: Row) -> list[Row]:
        if row["Type"] != "TransData" or not left:
            return [row]
        left.pop()
        return [{**row, "Accelerator Core": "AI_CPU", "Duration(us)": times(row, 3)}]

    first, *others = planted(recorded, tmp_path, moved)
    assert first.kind is CauseKind.MOVED
    assert (first.type, first.core, first.count) == ("TransData", "AI_CPU", 1)
    # The call was not just as long as the mean of those of its shapes.
    assert {cause.kind for cause in others} <= {CauseKind.SLOWER, CauseKind.FASTER}
    assert {cause.type for cause in others} <= {"TransData"}


PARTS = {"MeanPart": 0.4, "SubPart": 0.5, "MulPart": 0.3}


def test_one_fused_op_broken_into_three(recorded: Path, tmp_path: Path) -> None:
    def broken(row: Row) -> list[Row]:
        if row["Type"] != "MaxPoolGradWithArgmaxV1":
            return [row]
        return [
            {**row, "Type": name, "Name": name, "Duration(us)": times(row, part)}
            for name, part in PARTS.items()
        ]

    causes = planted(recorded, tmp_path, broken)
    core = causes[0].core
    assert [told(cause) for cause in causes] == [
        ("vanished", "MaxPoolGradWithArgmaxV1", core, 3, 0),
        ("new", "SubPart", core, 0, 3),
        ("new", "MeanPart", core, 0, 3),
        ("new", "MulPart", core, 0, 3),
    ]
    assert sum(cause.delta for cause in causes) == pytest.approx(
        0.2 * causes[0].before_total, rel=1e-4
    )


def test_one_fused_op_broken_into_three_that_are_there(recorded: Path, tmp_path: Path) -> None:
    parts = {"Mul": 0.4, "Add": 0.5, "Cast": 0.3}
    core = {row.type: row.core for row in op_rows(recorded) if row.core.startswith("AI_")}

    def broken(row: Row) -> list[Row]:
        if row["Type"] != "MaxPoolGradWithArgmaxV1":
            return [row]
        return [
            {**row, "Type": name, "Accelerator Core": core[name], "Duration(us)": times(row, part)}
            for name, part in parts.items()
        ]

    causes = planted(recorded, tmp_path, broken)
    assert {cause.type for cause in causes} == {*parts, "MaxPoolGradWithArgmaxV1"}
    assert [told(cause)[:2] for cause in causes if cause.delta < 0] == [
        ("vanished", "MaxPoolGradWithArgmaxV1")
    ]
    assert causes[-1].kind is CauseKind.VANISHED
    assert (causes[0].kind, causes[0].type) == (CauseKind.MORE_CALLS, "Add")
