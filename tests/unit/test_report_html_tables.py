"""What the tables of the page hold, before any of it is HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from case_results import BETTER, ERROR, LANES, MIXED, SKIPPED, changed, limit, result
from full_cases import CAUSES, OPS, beside, full, ops

from pytest_npuperf.model import (
    CaseResult,
    Cause,
    CauseKind,
    LaneMeasurement,
    LongOp,
    OpRow,
    Regression,
    Value,
)
from pytest_npuperf.report.html.changes import causes_table, changes_of
from pytest_npuperf.report.html.limits import HEADS, limits_table
from pytest_npuperf.report.html.machine import fingerprint_table, obstacles
from pytest_npuperf.report.html.operators import longest_table, types_table, work_of
from pytest_npuperf.report.html.sections import once, sections
from pytest_npuperf.report.html.steps import steps_of, steps_table
from pytest_npuperf.report.html.tables import ROWS, Cell, Head, Table, count_cell, time_cell
from pytest_npuperf.units import Dimension


def texts(table: Table | None) -> list[list[str]]:
    """Return the texts of a table, what is beneath them in brackets."""
    assert table is not None
    return [
        [f"{cell.text} ({cell.beneath})" if cell.beneath else cell.text for cell in row]
        for row in rows_of(table)
    ]


def rows_of(table: Table) -> list[Sequence[Cell]]:
    rows = list(table.rows)
    assert {len(row) for row in rows} <= {len(table.heads)}
    return rows


# --- limits -----------------------------------------------------------------------------------


def test_a_row_says_the_numbers_of_a_limit() -> None:
    over = limit("busy_time", at_most=1_700_000, why="the service promises 2 ms")
    case = result("resnet50", {over: 1_710_000})
    table = limits_table([case], {"resnet50": "case-1"})
    assert [head.text for head in table.heads] == [head.text for head in HEADS]
    assert texts(table) == [
        [
            "FAILED",
            "resnet50",
            "busy_time (the service promises 2 ms)",
            "1.71 ms",
            "1.70 ms",
            "+0.6 %",
            "",
            "pyproject.toml:12",
        ]
    ]
    (row,) = rows_of(limits_table([case], {"resnet50": "case-1"}))
    assert [cell.key for cell in row] == [
        1.1,
        None,
        None,
        1_710_000.0,
        1_700_000.0,
        float(Fraction(1, 170)),
        None,
        None,
    ]
    assert (row[0].kind, row[1].link) == ("failed", "case-1")


def test_a_change_has_a_column_of_its_own() -> None:
    rows = texts(limits_table([changed([120, 121, 119, 120])], {}))
    assert rows[0][3:7] == ["120 ms", "+5.0 %", "", "+20.0 % (from 100 ms)"]
    assert rows[1][3:7] == ["140", "200", "-30.0 %", "0 % (from 140)"]
    better = rows_of(limits_table([changed(BETTER)], {}))
    assert [row[6].key for row in better] == [pytest.approx(-0.2, abs=0.01), 0.0]


def test_what_came_of_nothing_has_no_end() -> None:
    never = limit("ops", Dimension.COUNT, "count", select={"task_type": ("AI_CPU",)}, at_most=0)
    case = result("resnet50", {never: 3})
    (judged,) = beside(full()).limits[:1]
    assert judged.comparison
    grown = replace(judged, comparison=replace(judged.comparison, change=None))
    rows = rows_of(limits_table([case, replace(full(), limits=(grown,))], {}))
    assert [(row[5].key, row[6].key) for row in rows] == [
        (math.inf, None),
        (pytest.approx(0.0197, abs=1e-4), math.inf),
    ]
    assert rows_of(limits_table([result("a", {never: 0})], {}))[0][5].key == 0.0


def test_what_was_not_measured_is_no_number() -> None:
    gone = limit("overlap_share", Dimension.SHARE, at_least=Fraction(8, 10), better="higher")
    case = result("a", {gone: Value(None, reason="no communication")})
    (row,) = rows_of(limits_table([case], {}))
    assert [cell.text for cell in row[3:7]] == ["-", ">= 80.0 %", "", ""]
    assert [cell.key for cell in row[3:7]] == [None, None, None, None]


def test_the_worst_is_first_and_cases_without_limits_have_a_row() -> None:
    rows = texts(limits_table([SKIPPED, MIXED, LANES, ERROR], {}))
    assert rows[0] == [
        "ERROR",
        "bert",
        "main ended with status 3; log: msprof.log",
        *[""] * 4,
        "tests/test_speed.py::test_bert",
    ]
    assert rows[-1][0] == "SKIPPED"
    assert ["llama", "idle_share on lane 1/3"] in [row[1:3] for row in rows]
    assert "FAILED (warn)" in [row[0] for row in rows]
    kinds = [row[0].kind for row in rows_of(limits_table([MIXED], {}))]
    assert kinds[0] == "failed"
    assert kinds.count("warned") == 1


# --- operators --------------------------------------------------------------------------------


def lanes(*rows: tuple[OpRow, ...]) -> list[LaneMeasurement]:
    return [LaneMeasurement({}, each) for each in rows]


def test_op_types_are_summed_up_over_shapes_and_are_means_of_the_rounds() -> None:
    twice = tuple(replace(row, total=3 * row.total, count=2 * row.count) for row in OPS)
    table = types_table(work_of(lanes(OPS, twice)), ", mean of 2 rounds")
    assert table.caption == "Op types by time, mean of 2 rounds"
    assert texts(table) == [
        ["Conv2D", "2.00 ms", "71.2 %", "12", "167 us", "AI_CORE"],
        ["hcom_allReduce_", "1.00 ms", "-", "1.50", "667 us", "HCCL"],
        ["Cast", "600 us", "21.4 %", "3", "200 us", "AI_CPU"],
        ["Cast", "200 us", "7.12 %", "3", "66.7 us", "AI_VECTOR_CORE"],
        ["(no type)", "10.0 us", "0.356 %", "1.50", "6.67 us", ""],
    ]


def test_of_no_time_nothing_is_a_share() -> None:
    assert texts(types_table(work_of(lanes((OpRow("Add", "AI_CORE", 1, 0),))), "")) == [
        ["Add", "0 ns", "-", "1", "0 ns", "AI_CORE"]
    ]
    assert work_of([]) == work_of(lanes(())) == []


@pytest.mark.parametrize(
    ("many", "rest"),
    [
        (ROWS, ""),
        (ROWS + 1, "and 1 more of 1.00 us together"),
        (ROWS + 2, "and 2 more of 2.00 us together"),
    ],
)
def test_types_beyond_fifty_are_summed_up(many: int, rest: str) -> None:
    rows = tuple(OpRow(f"T{number:02}", "AI_CORE", 1, 1000) for number in range(many))
    table = types_table(work_of(lanes(rows)), "")
    assert (len(rows_of(table)), table.rest) == (ROWS, rest)


def test_the_longest_ops_each_at_its_longest_in_any_round() -> None:
    case = full(steps=((1,), (2,)), longest=ops(60))
    first, second = case.rounds
    lane = second.lanes["0"]
    slower = (LongOp("block7/conv", "Type0", "AI_VECTOR_CORE", 99_000), LongOp("", "", "", 98_500))
    case = replace(
        case, rounds=(first, replace(second, lanes={"0": replace(lane, longest=slower)}))
    )
    table = longest_table(case)
    assert table is not None
    assert table.caption == "The longest 50 ops"
    assert texts(table)[:3] == [
        ["block7/conv", "99.0 us", "Type0", "AI_VECTOR_CORE"],
        ["(no name)", "98.5 us", "(no type)", ""],
        ["block0/conv", "60.0 us", "Type0", "AI_CORE"],
    ]
    assert len(rows_of(table)) == ROWS


def test_ops_of_several_lanes_say_theirs() -> None:
    table = longest_table(full(lanes=("0/0", "1/1"), longest=ops(1)))
    assert table is not None
    assert (table.caption, table.heads[-1].text) == ("The longest 2 ops", "lane")
    assert [row[-1] for row in texts(table)] == ["0/0", "1/1"]
    one = longest_table(full(longest=ops(1)))
    assert one is not None
    assert one.caption == "The longest op"
    assert longest_table(full(longest=())) is None


# --- steps ------------------------------------------------------------------------------------


def test_steps_of_all_rounds_with_their_limits_and_what_was_before() -> None:
    case = beside(full(steps=((1_500_000, 1_600_000), (1_400_000,))))
    steps = steps_of(case, "0", [each.lanes["0"] for each in case.rounds])
    assert steps is not None
    assert (steps.all, steps.starts) == ([1_500_000, 1_600_000, 1_400_000], [2])
    assert str(steps) == (
        "3 steps in 2 rounds, 1.40 ms to 1.60 ms, median 1.50 ms; "
        "p50 ≤ 1.52 ms; p50 was 1.40 ms; p95 ≤ 1.90 ms"
    )
    assert [line.is_limit for line in steps.lines] == [True, False, True]
    assert texts(steps_table(steps, " on lane 1")) == [
        ["1", "2", "1.50 ms", "1.55 ms", "1.60 ms"],
        ["2", "1", "1.40 ms", "1.40 ms", "1.40 ms"],
    ]


def test_what_was_before_is_known_of_the_lane_that_decides() -> None:
    case = beside(full(lanes=("0/0", "1/1")))
    other = steps_of(case, "1/1", [each.lanes["1/1"] for each in case.rounds])
    assert str(other).endswith("median 1.55 ms; p50 ≤ 1.52 ms; p95 ≤ 1.90 ms")


def test_a_number_of_steps_is_no_line_and_without_limits_there_are_no_steps() -> None:
    count = limit("step_time", Dimension.COUNT, "count", at_least=2, better="higher")
    least = limit("step_time", statistic="p50", at_least=1, better="higher")
    case = result("a", {count: Value(Fraction(3), 3, data=(1, 2, 3)), least: 2})
    lane = [each.lanes["0"] for each in case.rounds]
    assert str(steps_of(case, "0", lane)) == (
        "3 steps, 1.00 ns to 3.00 ns, median 2.00 ns; p50 ≥ 1.00 ns"
    )
    gone = result("a", {least: Value(None, reason="no steps")})
    assert steps_of(gone, "0", [each.lanes["0"] for each in gone.rounds]) is None
    assert steps_of(MIXED, "0", []) is None


# --- changes ----------------------------------------------------------------------------------


def test_a_change_is_told_by_lane_and_collectives_apart() -> None:
    case = full(causes={"0": CAUSES})
    kernels, collectives = changes_of(case)
    assert (kernels.title, kernels.total) == ("kernel_time", 30_000)
    assert str(collectives) == (
        "communication changed by +2.00 us: hcom_allReduce_ slower +2.00 us"
    )
    assert texts(causes_table(kernels))[0] == [
        "+40.0 us",
        "moved",
        "Cast",
        "AI_CPU (from AI_CORE)",
        "4",
        "4",
        "10.0 us",
        "50.0 us",
        "8,1000",
    ]
    several = full(lanes=("0/0", "1/1"), causes={"1/1": CAUSES[:1]})
    assert [change.title for change in changes_of(several)] == ["kernel_time on lane 1/1"]


def test_what_makes_a_better_time_better_is_first() -> None:
    (change,) = changes_of(full(causes={"0": CAUSES[1:3]}))
    assert [part.delta for part in change.parts] == [-20_000, 10_000]
    (worse,) = changes_of(full(causes={"0": CAUSES[:1]}))
    assert [part.text for part in worse.parts] == ["Cast to AI_CPU"]


def test_the_parts_sum_to_the_change_however_many_there_are() -> None:
    many = tuple(
        Cause(CauseKind.SLOWER, f"T{n}", "AI_CORE", "", "", 1, 1, 0, 100 - n) for n in range(60)
    )
    (change,) = changes_of(full(causes={"0": many}))
    assert len(change.parts) == 11
    assert change.parts[-1].text == "50 more"
    assert sum(part.delta for part in change.parts) == change.total == sum(range(41, 101))
    table = causes_table(change)
    assert (len(rows_of(table)), table.rest) == (50, "and 10 more, which add +455 ns")


# --- machine ----------------------------------------------------------------------------------


def test_where_fingerprints_differ_is_marked() -> None:
    assert texts(fingerprint_table(full())) == [["soc", "Ascend910B4"], ["cann", "9.0.0"]]
    table = fingerprint_table(beside(replace(full(), fingerprint={"soc": "Ascend910B4"})))
    assert table is not None
    assert [head.text for head in table.heads] == ["what", "this run", "old"]
    assert texts(table) == [
        ["soc", "Ascend910B4", "Ascend910B4"],
        ["cann", "unknown", "8.0.0 (differs)"],
    ]
    assert [row[2].kind for row in rows_of(table)] == ["", "differs"]
    assert fingerprint_table(replace(full(), fingerprint={})) is None


def test_what_keeps_a_case_from_being_compared_is_said_once() -> None:
    odd = limit("busy_time", max_regression=Regression(Fraction(5, 100)))
    case = result("a", {odd: 1, limit("kernel_time", max_regression=odd.max_regression): 2})
    remark = "CANN 9.0.0, the baseline has 8.0.0"
    case = replace(case, limits=tuple(replace(each, remark=remark) for each in case.limits))
    assert obstacles(case) == [remark]
    assert obstacles(full()) == []


# --- cells and sections -----------------------------------------------------------------------


def test_cells_are_sorted_by_what_they_mean() -> None:
    heads = [Head("op", is_name=True), Head("time", is_number=True)]
    cells = [Cell("a"), time_cell(1500)]
    rows = [cells, [Cell("b", math.inf, "c", "failed", "d"), count_cell(Fraction(3, 2))]]
    lines = [list(line) for line in Table("t", "T", heads, rows).lines]
    assert lines == [
        [
            (True, False, "", "a", None, "", "", ""),
            (False, True, "1500", "1.50 us", 1500.0, "", "", ""),
        ],
        [
            (True, False, "Infinity", "b", math.inf, "c", "failed", "d"),
            (False, True, "1.5", "1.50", 1.5, "", "", ""),
        ],
    ]


def test_tests_that_find_the_same_share_a_section() -> None:
    again = replace(MIXED, test="tests/test_more.py::test_it")
    odd = replace(MIXED, notes=("another run",))
    found = once([MIXED, again, again, odd, LANES])
    assert [(case.case, len(tests)) for case, tests in found] == [
        ("resnet50", 2),
        ("resnet50", 1),
        ("llama", 1),
    ]


def test_a_section_tells_the_worst_and_counts_the_rest() -> None:
    tests = [f"test_{number}" for number in range(22)]
    limits = {
        limit("ops", statistic="max", select={"name": (f"op{n}",)}, at_most=5): 6 + n % 2
        for n in range(22)
    }
    many = result("many", {**limits, limit("kernel_count", Dimension.COUNT, at_most=9): 9})
    (section,) = sections([(many, tests)], 1)
    assert section.tests[-2:] == ["test_19", "and 2 tests more"]
    assert len(section.missed) == 20
    assert section.missed[0].word == "FAILED"
    assert section.others == "and 2 more in the table of limits and 1 within budget"
    assert section.is_open


@pytest.mark.parametrize(
    ("case", "is_open", "others", "origin"),
    [
        (result("a", {limit("busy_time", at_most=5): 5}), False, "", "replayed"),
        (
            result("a", {limit("busy_time", at_most=5): 5}, live=True),
            False,
            "",
            "measured in 1 round",
        ),
        (result("a", {limit("busy_time", at_most=5, on_fail="warn"): 6}), True, "", "replayed"),
        (MIXED, True, "and 1 within budget", "replayed"),
        (ERROR, True, "", ""),
        (SKIPPED, False, "", ""),
    ],
    ids=["passed", "live", "warned", "mixed", "error", "skipped"],
)
def test_which_sections_are_open(case: CaseResult, is_open: bool, others: str, origin: str) -> None:
    (section,) = sections([(case, [])], 1)
    assert (section.is_open, section.others) == (is_open, others)
    assert section.origin.startswith(origin)
    assert bool(section.reason) is bool(case.reason)


def test_what_is_absent_is_said_and_not_drawn() -> None:
    (section,) = sections([(MIXED, [])], 1)
    assert section.charts == []
    assert section.remarks[:3] == [
        "step times are not shown: no limit asks for them, or the profile lacks them",
        "op types are not shown: the profile does not tell type, core and time of every op",
        "single ops are not shown: the profile does not name them",
    ]
    (nothing,) = sections([(ERROR, [])], 1)
    assert (nothing.charts, nothing.tables, nothing.remarks) == ([], [], [])


def test_everything_is_told_of_the_lane_that_decides() -> None:
    slow = full(lanes=("0/0", "1/1"), steps=((1,), (2,)), causes={"1/1": CAUSES, "0/0": CAUSES})
    worst = replace(slow, limits=tuple(replace(each, lane="1/1") for each in slow.limits))
    (section,) = sections([(worst, [])], 1)
    assert [chart.title for chart in section.charts] == [
        "What kernel_time on lane 1/1 has changed by",
        "What communication on lane 1/1 has changed by",
        "What kernel_time on lane 0/0 has changed by",
        "Step times in order",
        "Time by core and by op type on lane 1/1, mean of 2 rounds",
    ]
    assert [table.name for table in section.tables] == [
        *["causes"] * 3,
        "types",
        "longest",
        "steps",
        "fingerprint",
    ]
    assert section.remarks == ["also changed: communication on lane 0/0", *slow.notes]


def test_only_the_worst_cases_have_a_section() -> None:
    found = sections([(SKIPPED, []), (MIXED, []), (ERROR, [])], 2)
    assert [(section.id, section.case.case) for section in found] == [
        ("case-1", "bert"),
        ("case-2", "resnet50"),
    ]
