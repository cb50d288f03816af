"""The op rows of a lane: by type and core, and by input shapes and data types, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pytest
from profile_tables import HEADERS, Op, csv, msprof, op_statistic, op_summary, torch

from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import OpRow, StepOptions, Wanted
from pytest_npuperf.profile import Lane, Profile, open_profile

SHAPED = f"{HEADERS['2024']},Input Shapes,Input Data Types"


def shaped(
    type: str = "Conv2D",
    shapes: str = '"""1,3;64,3"""',
    dtypes: str = "FLOAT;FLOAT",
    **op: str | int,
) -> Op:
    """Return an op with the cells of its inputs as they stand in the file."""
    more = {"Input Shapes": shapes, "Input Data Types": dtypes}
    return Op(type, more=more, **op)  # type: ignore[arg-type]


def table(*ops: Op) -> str:
    """Return an op_summary that has the two columns of inputs."""
    lines = op_summary(*ops, form="2024").splitlines()[1:]
    cells = [f"{op.more['Input Shapes']},{op.more['Input Data Types']}" for op in ops]
    return csv(SHAPED, *([line, more] for line, more in zip(lines, cells, strict=True)))


def op_rows(path: Path, by_shape: bool = True) -> tuple[OpRow, ...]:
    measured = Measurer(open_profile(path), StepOptions()).measure([], by_shape=by_shape)
    (lane,) = measured.lanes.values()
    return lane.ops


def places(rows: Collection[OpRow]) -> Counter[tuple[str, str, str]]:
    """Return count and total of each type and core."""
    found: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        found[row.type, row.core, "calls"] += row.count
        found[row.type, row.core, "ns"] += row.total
    return found


OPS = (
    shaped(start=0, duration=500_000, name="conv_1"),
    shaped(start=1, duration=400_000, name="conv_2"),
    shaped("Cast", '"""1,3"""', "FLOAT", start=2, duration=50_000),
    shaped("Cast", '"""1,3"""', "INT64", start=3, duration=49_000),
    shaped("Cast", '"""1,3"""', "INT64", start=4, duration=1_000, core="AI_CPU"),
    shaped("hcom_allReduce_", "N/A", "N/A", start=5, duration=90_000_000, core="HCCL"),
)
"""Of 1 ms of kernels."""


@pytest.mark.parametrize("order", [OPS, OPS[::-1]])
def test_one_row_for_each_type_core_shapes_and_dtypes(
    tmp_path: Path, order: tuple[Op, ...]
) -> None:
    path = msprof(tmp_path, op_summary=table(*order))
    assert op_rows(path) == (
        OpRow("hcom_allReduce_", "HCCL", 1, 90_000_000),
        OpRow("Conv2D", "AI_CORE", 2, 900_000, "1,3;64,3", "FLOAT;FLOAT"),
        OpRow("Cast", "AI_CORE", 1, 50_000, "1,3", "FLOAT"),
        OpRow("Cast", "AI_CORE", 1, 49_000, "1,3", "INT64"),
        OpRow("Cast", "AI_CPU", 1, 1_000, "1,3", "INT64"),
    )
    assert op_rows(path, by_shape=False) == (
        OpRow("hcom_allReduce_", "HCCL", 1, 90_000_000),
        OpRow("Conv2D", "AI_CORE", 2, 900_000),
        OpRow("Cast", "AI_CORE", 2, 99_000),
        OpRow("Cast", "AI_CPU", 1, 1_000),
    )


def test_rows_of_equal_time_are_in_the_order_of_their_key(tmp_path: Path) -> None:
    ops = [
        shaped("Cast", "8", start=0),
        shaped("Cast", "4", start=1),
        shaped("Add", "9", "INT8", start=2),
        shaped("Add", "9", "FLOAT", start=3),
        shaped("Add", "9", "FLOAT", start=4, core="AI_CPU"),
        shaped("Add", "N/A", "N/A", start=5, core="AI_CPU"),
    ]
    found = op_rows(msprof(tmp_path, op_summary=table(*ops)))
    assert [(row.type, row.core, row.shapes, row.dtypes) for row in found] == [
        ("Add", "AI_CORE", "9", "FLOAT"),
        ("Add", "AI_CORE", "9", "INT8"),
        ("Add", "AI_CPU", "", ""),
        ("Add", "AI_CPU", "9", "FLOAT"),
        ("Cast", "AI_CORE", "4", "FLOAT;FLOAT"),
        ("Cast", "AI_CORE", "8", "FLOAT;FLOAT"),
    ]


# --- the floor --------------------------------------------------------------------------------


@pytest.mark.parametrize(("ns", "shapes"), [(1000, "4"), (999, "")])
def test_less_than_a_thousandth_of_the_kernels_is_pooled(
    tmp_path: Path, ns: int, shapes: str
) -> None:
    small = shaped("Cast", "4", "FLOAT", start=1, duration=ns)
    large = shaped(start=2, duration=1_000_000 - ns)
    wait = shaped("hcom_allReduce_", "N/A", "N/A", start=3, duration=10**9, core="HCCL")
    found = op_rows(msprof(tmp_path, op_summary=table(small, large, wait)))
    assert found[2] == OpRow("Cast", "AI_CORE", 1, ns, shapes, "FLOAT" if shapes else "")


def test_a_pool_is_of_one_type_and_core_and_leaves_sums_exact(tmp_path: Path) -> None:
    small = [
        shaped("Cast", "4", start=1, duration=100),
        shaped("Cast", "8", start=2, duration=200),
        shaped("Cast", "8", start=3, duration=200, core="AI_CPU"),
        shaped("Add", "8", start=4, duration=300),
        # What has no shapes is with the pool, whatever its time.
        shaped("Cast", "N/A", "N/A", start=5, duration=70_000),
        # Together they are not small.
        *(shaped("Cast", "9", start=10 + n, duration=300) for n in range(8)),
    ]
    path = msprof(tmp_path, op_summary=table(*OPS, *small))
    found = op_rows(path)
    assert found[2:] == (
        OpRow("Cast", "AI_CORE", 3, 70_300),
        OpRow("Cast", "AI_CORE", 1, 50_000, "1,3", "FLOAT"),
        OpRow("Cast", "AI_CORE", 1, 49_000, "1,3", "INT64"),
        OpRow("Cast", "AI_CORE", 8, 2_400, "9", "FLOAT;FLOAT"),
        OpRow("Cast", "AI_CPU", 2, 1_200),
        OpRow("Add", "AI_CORE", 1, 300),
    )
    assert places(found) == places(op_rows(path, by_shape=False))


def test_without_kernels_there_is_no_floor(tmp_path: Path) -> None:
    wait = shaped("hcom_allReduce_", "N/A", "N/A", duration=7, core="HCCL")
    nothing = shaped("Cast", "4", "FLOAT", start=9, duration=0)
    assert op_rows(msprof(tmp_path, op_summary=table(wait, nothing))) == (
        OpRow("hcom_allReduce_", "HCCL", 1, 7),
        OpRow("Cast", "AI_CORE", 1, 0, "4", "FLOAT"),
    )


# --- one key whatever wrote it ----------------------------------------------------------------


@pytest.mark.parametrize("cell", ['"""1,3;64,3"""', '"1,3;64,3"', '" 1,3;64,3\t"'])
def test_quotes_of_every_generation_are_stripped(tmp_path: Path, cell: str) -> None:
    path = msprof(tmp_path, op_summary=table(shaped(shapes=cell, dtypes='"FLOAT;FLOAT"')))
    assert op_rows(path) == (OpRow("Conv2D", "AI_CORE", 1, 1000, "1,3;64,3", "FLOAT;FLOAT"),)


@pytest.mark.parametrize("cell", ["N/A", "", '""""""'])
def test_inputs_without_shapes(tmp_path: Path, cell: str) -> None:
    path = msprof(tmp_path, op_summary=table(shaped(shapes=cell, dtypes="INT32")))
    assert op_rows(path) == (OpRow("Conv2D", "AI_CORE", 1, 1000, "", "INT32"),)


def test_a_renamed_op_keeps_its_row(tmp_path: Path) -> None:
    before = msprof(tmp_path / "a", op_summary=table(shaped(name="trans_Cast_10")))
    now = msprof(tmp_path / "b", op_summary=table(shaped(name="trans_Cast_11")))
    assert op_rows(before) == op_rows(now)


# --- tables without shapes --------------------------------------------------------------------


def test_totals_have_no_shapes(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_statistic=op_statistic(Op(), Op(start=5)))
    assert op_rows(path) == op_rows(path, by_shape=False) == (OpRow("Conv2D", "AI_CORE", 2, 2000),)


def test_level_0_has_no_shapes(tmp_path: Path) -> None:
    ops = [Op("N/A", "N/A"), Op("hcom_allReduce_", "HCCL", start=9, duration=999)]
    path = torch(tmp_path, kernel_details=op_summary(*ops, form="level0"))
    assert op_rows(path) == (OpRow("", "", 1, 1000), OpRow("hcom_allReduce_", "HCCL", 1, 999))
    assert op_rows(path) == op_rows(path, by_shape=False)


def test_one_of_the_two_columns_is_enough(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op(), Op(start=5)))
    assert op_rows(path) == (OpRow("Conv2D", "AI_CORE", 2, 2000, "1,3;64,3"),)


def test_without_a_duration_there_are_no_rows(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=table(shaped(), shaped(start=5, duration="N/A")))
    assert op_rows(path) == op_rows(path, by_shape=False) == ()


# --- what it costs ----------------------------------------------------------------------------


def test_shapes_are_read_only_when_they_are_wanted_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[set[str]] = []
    lane_rows = Profile.lane_rows

    def spy(self: Profile, lane: Lane, table: str, columns: Collection[str] = ()) -> object:
        if columns:
            read.append(set(columns))
        return lane_rows(self, lane, table, columns)

    monkeypatch.setattr(Profile, "lane_rows", spy)
    measurer = Measurer(open_profile(msprof(tmp_path, op_summary=table(*OPS))), StepOptions())
    first = measurer.measure([Wanted("kernel_time")])
    assert read == []
    for _ in range(2):
        shaped_rows = measurer.measure([Wanted("kernel_time")], by_shape=True)
        assert shaped_rows.lanes["0"].values == first.lanes["0"].values
    assert read == [{"input_shapes", "input_data_types"}]
    assert measurer.measure([]).lanes["0"].ops == first.lanes["0"].ops


def test_totals_without_a_type_are_a_part_of_the_sum(tmp_path: Path) -> None:
    rows = [Op(duration=2000), Op("N/A", duration=3000)]
    path = msprof(tmp_path, op_statistic=op_statistic(*rows))
    assert op_rows(path) == (OpRow("", "AI_CORE", 1, 3000), OpRow("Conv2D", "AI_CORE", 1, 2000))
