"""What explains a change: each part of it in order, and nothing that a pool only hides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_npuperf.judge.attribution import explain, middle_ops
from pytest_npuperf.model import Cause, LaneMeasurement, Measurement, OpRow

Told = tuple[str, str, str, int, int, int]
"""Kind (and core before, of a move), op, core, calls before and now, and ns."""


def op(name: str, count: int, total: int, core: str = "AI_CORE") -> OpRow:
    """Return a row: ``Conv2D`` is a pool, ``Conv2D 1,3`` has shapes."""
    type_, _, shapes = name.partition(" ")
    return OpRow(type_, core, count, total, shapes, "FLOAT16" if shapes else "")


def told(cause: Cause) -> Told:
    kind = f"{cause.kind} from {cause.from_core}" if cause.from_core else str(cause.kind)
    name = f"{cause.type} {cause.shapes}".strip()
    assert cause.dtypes == ("FLOAT16" if cause.shapes else "")
    return kind, name, cause.core, cause.before_count, cause.count, cause.delta


def total(rows: Iterable[OpRow]) -> int:
    return sum(row.total for row in rows)


def check(before: Sequence[OpRow], now: Sequence[OpRow]) -> list[Told]:
    causes = explain(before, now)
    assert sum(cause.delta for cause in causes) == total(now) - total(before)
    return [told(cause) for cause in causes]


AIV, CPU = "AI_VECTOR_CORE", "AI_CPU"
REST = (op("Conv2D 1,3", 10, 900_000), op("Relu 1,3", 10, 40_000, AIV), op("Relu", 3, 300, AIV))


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ([], [], []),
        ([op("Cast 4", 5, 100)], [op("Cast 4", 5, 100)], []),
        ([op("Cast", 5, 100)], [op("Cast", 5, 100)], []),
        (
            [op("Cast 4", 5, 100)],
            [op("Cast 4", 5, 101)],
            [("slower", "Cast 4", "AI_CORE", 5, 5, 1)],
        ),
        (
            [op("Cast", 5, 100)],
            [op("Cast", 5, 99)],
            [("faster", "Cast", "AI_CORE", 5, 5, -1)],
        ),
        # At the old speed first: 7 calls at 20 ns, and then those 7 take 33 ns less.
        (
            [op("Cast 4", 5, 100)],
            [op("Cast 4", 7, 107)],
            [
                ("more calls", "Cast 4", "AI_CORE", 5, 7, 40),
                ("faster", "Cast 4", "AI_CORE", 7, 7, -33),
            ],
        ),
        (
            [op("Cast 4", 3, 100)],
            [op("Cast 4", 2, 100)],
            [
                ("slower", "Cast 4", "AI_CORE", 2, 2, 33),
                ("fewer calls", "Cast 4", "AI_CORE", 3, 2, -33),
            ],
        ),
        # Two calls at a third of a ns are one, rounded.
        (
            [op("Cast 4", 3, 1)],
            [op("Cast 4", 2, 1)],
            [("fewer calls", "Cast 4", "AI_CORE", 3, 2, 0)],
        ),
        ([], [op("Cast 4", 5, 100)], [("new", "Cast 4", "AI_CORE", 0, 5, 100)]),
        ([op("Cast 4", 5, 100)], [], [("vanished", "Cast 4", "AI_CORE", 5, 0, -100)]),
        (
            [],
            [op("Cast 4", 5, 100), op("Cast 8", 2, 7), op("Cast", 1, 1)],
            [("new", "Cast", "AI_CORE", 0, 8, 108)],
        ),
        # The type is not new on this core, its shapes are.
        (
            [op("Cast 4", 5, 100)],
            [op("Cast 4", 5, 100), op("Cast 8", 2, 7)],
            [("more calls", "Cast 8", "AI_CORE", 0, 2, 7)],
        ),
        (
            [op("Cast 4", 5, 100), op("Cast 8", 2, 7), op("Cast 9", 1, 3)],
            [op("Cast 4", 5, 100)],
            [
                ("fewer calls", "Cast 8", "AI_CORE", 2, 0, -7),
                ("fewer calls", "Cast 9", "AI_CORE", 1, 0, -3),
            ],
        ),
        # A row of which one side lost the count.
        (
            [op("Cast 4", 0, 5)],
            [op("Cast 4", 2, 9)],
            [("more calls", "Cast 4", "AI_CORE", 0, 2, 4)],
        ),
        ([op("Cast", 0, 5)], [op("Cast", 0, 9)], [("slower", "Cast", "AI_CORE", 0, 0, 4)]),
    ],
)
def test_one_op(before: list[OpRow], now: list[OpRow], expected: list[Told]) -> None:
    assert check([*REST, *before], [*REST, *now]) == expected


def test_an_op_in_more_places_leaves_the_small_ones_of_its_type_alone() -> None:
    small = op("Cast", 90, 900)
    assert check([*REST, small], [*REST, small, op("Cast 8", 3, 90_000)]) == [
        ("more calls", "Cast 8", "AI_CORE", 0, 3, 90_000)
    ]


def test_a_collective_is_the_same_under_both_names_of_its_core() -> None:
    old, new = (op("hcom_allReduce_", 2, 90, core) for core in ("HCCL", "COMMUNICATION"))
    assert check([old], [new]) == check([new], [old]) == []
    slower = op("hcom_allReduce_", 2, 95, "HCCL")
    assert check([old], [slower]) == [("slower", "hcom_allReduce_", "COMMUNICATION", 2, 2, 5)]


def test_the_same_op_in_several_rows_is_summed_up() -> None:
    assert check([op("Cast 4", 2, 7), op("Cast 4", 3, 8)], [op("Cast 4", 5, 15)]) == []


# --- what a pool hides ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        # The same ops; one was small enough for the pool on one side.
        ([op("Cast 4", 5, 100), op("Cast", 2, 9)], [op("Cast", 7, 109)], []),
        (
            [op("Cast", 7, 109)],
            [op("Cast 4", 5, 101), op("Cast", 2, 9)],
            [("slower", "Cast", "AI_CORE", 7, 7, 1)],
        ),
        ([op("Cast 4", 5, 100)], [op("Cast", 5, 90)], [("faster", "Cast", "AI_CORE", 5, 5, -10)]),
        # One in, another out of the pool.
        (
            [op("Cast 4", 5, 100), op("Cast", 5, 90)],
            [op("Cast 8", 5, 100), op("Cast", 5, 90)],
            [],
        ),
        # One of two rows can have come out of the pool, and the larger one is new for sure.
        (
            [op("Cast", 5, 50)],
            [op("Cast 4", 5, 100), op("Cast 8", 5, 200)],
            [
                ("more calls", "Cast 8", "AI_CORE", 0, 5, 200),
                ("slower", "Cast", "AI_CORE", 5, 5, 50),
            ],
        ),
        # What both sides have a row of tells nothing of the pool.
        (
            [op("Cast 4", 10, 200), op("Cast 8", 5, 50)],
            [op("Cast 4", 5, 100), op("Cast", 5, 50)],
            [("fewer calls", "Cast 4", "AI_CORE", 10, 5, -100)],
        ),
        # Measured by type alone on one side.
        (
            [op("Cast", 9, 60)],
            [op("Cast 4", 6, 40), op("Cast 8", 3, 30)],
            [("slower", "Cast", "AI_CORE", 9, 9, 10)],
        ),
        # On two cores on both sides; it only looks as if it had moved from one to the other.
        (
            [op("Cast 4", 5, 100), op("Cast", 5, 90, CPU)],
            [op("Cast", 5, 90), op("Cast 4", 5, 100, CPU)],
            [
                ("slower", "Cast", CPU, 5, 5, 10),
                ("faster", "Cast", "AI_CORE", 5, 5, -10),
            ],
        ),
    ],
)
def test_a_pool_on_one_side_is_no_change_of_ops(
    before: list[OpRow], now: list[OpRow], expected: list[Told]
) -> None:
    assert check([*REST, *before], [*REST, *now]) == expected


# --- moves ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (
            [op("Cast 4", 5, 100, AIV)],
            [op("Cast 4", 5, 700, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 5, 5, 600)],
        ),
        # Two of five calls: those two at the mean of before.
        (
            [op("Cast 4", 5, 100, AIV)],
            [op("Cast 4", 3, 61, AIV), op("Cast 4", 2, 700, CPU)],
            [
                (f"moved from {AIV}", "Cast 4", CPU, 2, 2, 660),
                ("slower", "Cast 4", AIV, 3, 3, 1),
            ],
        ),
        # And the op that was on both cores: two calls of 350 ns join those of 100 ns.
        (
            [op("Cast 4", 5, 100, AIV), op("Cast 4", 1, 100, CPU)],
            [op("Cast 4", 3, 60, AIV), op("Cast 4", 3, 300, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 2, 2, 160)],
        ),
        # The pools of both cores are not touched by it.
        (
            [op("Cast 4", 5, 100, AIV), op("Cast", 9, 9, AIV), op("Cast", 4, 400, CPU)],
            [op("Cast", 9, 9, AIV), op("Cast 4", 5, 700, CPU), op("Cast", 4, 400, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 5, 5, 600)],
        ),
        # It was too small for a row of its own, or has no shapes there.
        (
            [op("Cast", 4, 40, AIV)],
            [op("Cast", 3, 30, AIV), op("Cast 4", 1, 700, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 1, 1, 690)],
        ),
        (
            [op("Cast 4", 1, 10, AIV)],
            [op("Cast", 1, 700, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 1, 1, 690)],
        ),
        # The rest of its shapes stay, and on the AI CPU it has none.
        (
            [op("Cast 4", 5, 100, AIV)],
            [op("Cast 4", 4, 80, AIV), op("Cast", 1, 700, CPU)],
            [(f"moved from {AIV}", "Cast 4", CPU, 1, 1, 680)],
        ),
        # Two ops of one type, that with most time first.
        (
            [op("Cast 4", 1, 10, AIV), op("Cast 8", 1, 30, AIV)],
            [op("Cast", 2, 700, CPU)],
            [
                (f"moved from {AIV}", "Cast 8", CPU, 1, 1, 320),
                (f"moved from {AIV}", "Cast 4", CPU, 1, 1, 340),
            ][::-1],
        ),
        # Of two, only one moved.
        (
            [op("Cast 4", 1, 10, AIV), op("Cast 8", 1, 30, AIV)],
            [op("Cast", 1, 700, CPU)],
            [
                (f"moved from {AIV}", "Cast 8", CPU, 1, 1, 670),
                ("vanished", "Cast 4", AIV, 1, 0, -10),
            ],
        ),
        # Each op from where it was, whatever took longer.
        (
            [op("Cast 4", 1, 10, AIV), op("Cast 8", 1, 30, AIV)],
            [op("Cast 4", 1, 700, CPU), op("Cast 8", 1, 50, CPU)],
            [
                (f"moved from {AIV}", "Cast 4", CPU, 1, 1, 690),
                (f"moved from {AIV}", "Cast 8", CPU, 1, 1, 20),
            ],
        ),
        (
            [op("Cast 4", 1, 10, AIV)],
            [op("Cast 4", 1, 700, CPU), op("Cast 8", 1, 50, CPU)],
            [
                (f"moved from {AIV}", "Cast 4", CPU, 1, 1, 690),
                ("new", "Cast 8", CPU, 0, 1, 50),
            ],
        ),
        # The shapes changed, not the core.
        (
            [op("Cast 4", 5, 100), op("Cast 8", 5, 100)],
            [op("Cast 4", 4, 80), op("Cast 8", 6, 120)],
            [
                ("more calls", "Cast 8", "AI_CORE", 5, 6, 20),
                ("fewer calls", "Cast 4", "AI_CORE", 5, 4, -20),
            ],
        ),
        # More than moved.
        (
            [op("Cast 4", 1, 10, AIV)],
            [op("Cast 4", 3, 60, CPU)],
            [
                (f"moved from {AIV}", "Cast 4", CPU, 1, 1, 10),
                ("new", "Cast 4", CPU, 0, 2, 40),
            ],
        ),
        # From two cores to one, from the one with most time first.
        (
            [op("Cast 4", 1, 10), op("Cast 4", 2, 40, AIV)],
            [op("Cast 4", 3, 120, CPU)],
            [
                (f"moved from {AIV}", "Cast 4", CPU, 2, 2, 40),
                ("moved from AI_CORE", "Cast 4", CPU, 1, 1, 30),
            ],
        ),
        # The AI CPU takes before others do, and is told first even where it is no slower.
        (
            [op("Cast 4", 3, 30)],
            [op("Cast 4", 1, 90, AIV), op("Cast 4", 1, 5, CPU), op("Cast 4", 1, 10)],
            [
                ("moved from AI_CORE", "Cast 4", CPU, 1, 1, -5),
                ("moved from AI_CORE", "Cast 4", AIV, 1, 1, 80),
            ],
        ),
        (
            [op("Cast 4", 3, 30)],
            [op("Cast 4", 1, 90, AIV), op("Cast 4", 1, 5, CPU), op("Cast 4", 2, 20)],
            [
                ("moved from AI_CORE", "Cast 4", CPU, 1, 1, -5),
                ("new", "Cast 4", AIV, 0, 1, 90),
            ],
        ),
        # Another op is on the other core.
        (
            [op("Cast 4", 1, 10, AIV)],
            [op("Castle 4", 1, 10, CPU)],
            [("vanished", "Cast 4", AIV, 1, 0, -10), ("new", "Castle 4", CPU, 0, 1, 10)],
        ),
    ],
)
def test_a_move_from_core_to_core(
    before: list[OpRow], now: list[OpRow], expected: list[Told]
) -> None:
    assert check([*REST, *before], [*REST, *now]) == expected


# --- order ------------------------------------------------------------------------------------

BEFORE = (
    op("Conv2D 1,3", 100, 1_000_000),
    op("MatMul 8,8", 10, 400_000),
    op("LayerNorm 8", 10, 300_000, AIV),
    op("Cast 8", 10, 50_000, AIV),
    op("Add 8", 10, 30_000, AIV),
    op("Add", 10, 300, AIV),
)
"""What the planted changes are planted in; each op of the other side is slower or faster a bit."""

NOISE = {"Conv2D": 9_000, "MatMul": -20_000, "LayerNorm": 1_000, "Cast": 500, "Add": -10}


def noisy(*changed: OpRow, without: tuple[str, ...] = ()) -> list[OpRow]:
    rows = [
        OpRow(r.type, r.core, r.count, r.total + NOISE[r.type], r.shapes, r.dtypes) for r in BEFORE
    ]
    return [*(row for row in rows if row.type not in without), *changed]


def test_one_type_that_is_slower_is_named_first() -> None:
    found = check(BEFORE, noisy(op("LayerNorm 8", 10, 360_000, AIV), without=("LayerNorm",)))
    assert [(kind, name) for kind, name, *_ in found] == [
        ("slower", "LayerNorm 8"),
        ("slower", "Conv2D 1,3"),
        ("slower", "Cast 8"),
        ("faster", "MatMul 8,8"),
        ("faster", "Add"),
        ("faster", "Add 8"),
    ]


def test_a_move_to_the_ai_cpu_is_named_first_however_small() -> None:
    found = check(BEFORE, noisy(op("Cast 8", 10, 50_001, CPU), without=("Cast",)))
    assert found[:2] == [
        (f"moved from {AIV}", "Cast 8", CPU, 10, 10, 1),
        ("slower", "Conv2D 1,3", "AI_CORE", 100, 100, 9_000),
    ]


def test_a_move_to_another_core_is_named_by_what_it_costs() -> None:
    found = check(BEFORE, noisy(op("Cast 8", 10, 55_000, "AI_CORE"), without=("Cast",)))
    assert [kind for kind, *_ in found[:2]] == ["slower", f"moved from {AIV}"]


def test_an_op_that_became_three_is_read_together() -> None:
    parts = (op("Mean 8", 10, 90_000), op("Rsqrt 8", 10, 120_000), op("Sub 8", 10, 200_000))
    found = check(BEFORE, noisy(*parts, without=("LayerNorm",)))
    assert found[:5] == [
        ("vanished", "LayerNorm 8", AIV, 10, 0, -300_000),
        ("new", "Sub 8", "AI_CORE", 0, 10, 200_000),
        ("new", "Rsqrt 8", "AI_CORE", 0, 10, 120_000),
        ("new", "Mean 8", "AI_CORE", 0, 10, 90_000),
        ("slower", "Conv2D 1,3", "AI_CORE", 100, 100, 9_000),
    ]


def test_what_only_went_is_an_improvement() -> None:
    found = check(BEFORE, noisy(without=("LayerNorm",)))
    assert [kind for kind, *_ in found] == [
        *("slower", "slower", "vanished", "faster", "faster", "faster")
    ]


def test_the_order_of_rows_changes_nothing() -> None:
    now = noisy(op("Sub", 1, 9_000), op("Cast 8", 4, 90_000, CPU), without=("Cast", "LayerNorm"))
    assert explain(BEFORE[::-1], now[::-1]) == explain(BEFORE, now)


# --- whatever the rows ------------------------------------------------------------------------

ROWS = st.lists(
    st.builds(
        OpRow,
        st.sampled_from(["Cast", "Add"]),
        st.sampled_from(["AI_CORE", "AI_CPU", "MIX_AIV"]),
        st.integers(1, 9),
        st.integers(0, 10**12),
        st.sampled_from(["", "4", "8,8", "1"]),
        st.sampled_from(["", "FLOAT"]),
    ),
    max_size=12,
    unique_by=lambda row: (row.type, row.core, row.shapes, row.dtypes),
)


@given(ROWS, ROWS)
def test_the_parts_always_sum_to_the_change(before: list[OpRow], now: list[OpRow]) -> None:
    causes = explain(before, now)
    assert sum(cause.delta for cause in causes) == total(now) - total(before)
    calls = sum(row.count for row in now) - sum(row.count for row in before)
    assert sum(cause.count - cause.before_count for cause in causes) == calls
    assert min((c.before_total for c in causes), default=0) >= 0
    assert all(c.total >= 0 and c.count >= 0 and c.before_count >= 0 for c in causes)


@given(ROWS)
def test_nothing_explains_no_change(rows: list[OpRow]) -> None:
    assert explain(rows, rows[::-1]) == ()


@given(st.data(), ROWS)
def test_pooling_is_no_change(data: st.DataObject, rows: list[OpRow]) -> None:
    def pooled() -> list[OpRow]:
        small = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
        return [
            replace(row, shapes="", dtypes="") if is_small else row
            for row, is_small in zip(rows, small, strict=True)
        ]

    assert explain(pooled(), pooled()) == ()


# --- which round ------------------------------------------------------------------------------


def middle(*rounds: tuple[OpRow, ...]) -> Sequence[OpRow]:
    return middle_ops([Measurement({"0": LaneMeasurement({}, ops)}) for ops in rounds], "0")


@pytest.mark.parametrize(
    ("totals", "lower"),
    [([7], 7), ([9, 7], 7), ([9, 7, 8], 8), ([1, 9, 3, 5], 3), ([4, 4], 4)],
)
def test_the_middle_round_is_the_lower_median(totals: list[int], lower: int) -> None:
    rounds = [(op("Cast", 1, ns - 1), op("Add", 1, 1)) for ns in totals]
    assert total(middle(*rounds)) == lower


def test_the_middle_round_is_that_of_the_kernels() -> None:
    rounds = [
        (op("Cast", 1, kernels), op("hcom_allReduce_", 1, waits, "HCCL"))
        for kernels, waits in ((10, 1), (20, 900), (30, 5))
    ]
    assert middle(*rounds) is rounds[1]


def test_the_middle_of_equal_rounds_is_the_first() -> None:
    first, second = (op("Cast", 1, 5),), (op("Add", 1, 5),)
    assert middle(first, second) is first
    assert middle((), first) == ()


def test_a_lane_that_no_round_has_has_no_middle() -> None:
    only = Measurement({"1": LaneMeasurement({}, (op("Cast", 1, 5),))})
    assert middle_ops([only], "0") == ()
