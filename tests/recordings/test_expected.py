"""The recorded profiles give the reference values to the nanosecond, or are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.measure import Measurer, measure
from pytest_npuperf.model import Judged, Limit, Selector, StepOptions, Verdict, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.units import Dimension

pytestmark = pytest.mark.recordings

Judge = Callable[[Path, Sequence[Limit]], dict[Limit, Judged]]


class Reference(NamedTuple):
    """A number as the reference has it: ns, or a count."""

    wanted: Wanted
    value: Fraction
    dimension: Dimension = Dimension.TIME


def ns(us: str) -> Fraction:
    return Fraction(us) * 1000


def op_rule(statistic: str, **select: tuple[str, ...]) -> Wanted:
    return Wanted("ops", statistic, Selector(**select))


def counted(count: int, total: str, **select: tuple[str, ...]) -> Iterator[Reference]:
    yield Reference(op_rule("count", **select), Fraction(count), Dimension.COUNT)
    if count:
        yield Reference(op_rule("total", **select), ns(total))


def references(entry: dict[str, Any]) -> Iterator[Reference]:
    """Yield every number of an entry that its profile can give."""
    yield Reference(Wanted("kernel_time"), ns(entry["kernel_time_us"]))
    yield Reference(Wanted("kernel_count"), Fraction(entry["kernel_count"]), Dimension.COUNT)
    yield Reference(op_rule("max", name=("*",)), ns(entry["longest"][0]))
    yield Reference(op_rule("max", name=(entry["longest"][1],)), ns(entry["longest"][0]))
    if entry["rows_without_type"] == 0:
        yield from typed_references(entry)
    for device in entry.get("devices", {}).values():
        for name in ("window", "busy", "compute", "idle"):
            yield Reference(Wanted(f"{name}_time"), ns(device[f"{name}_us"]))
        # Collectives of these recordings do not overlap each other: their union is their sum.
        yield Reference(Wanted("communication_time"), ns(entry["communication_time_us"]))


def typed_references(entry: dict[str, Any]) -> Iterator[Reference]:
    yield from counted(
        entry["communication_count"], entry["communication_time_us"], task_type=COMMUNICATION
    )
    for core, (count, total) in entry["by_core"].items():
        yield from counted(count, total, task_type=(core,))
    for op_type, (count, total, longest) in entry["by_type_top10"].items():
        yield from counted(count, total, type=(op_type,))
        yield Reference(op_rule("max", type=(op_type,)), ns(longest))


def test_each_value_is_reproduced(recordings: Path, expected: dict[str, Any], table: str) -> None:
    wanted = list(references(expected[table]))
    measurement = measure(open_profile(recordings / table), [each.wanted for each in wanted])
    (lane,) = measurement.lanes.values()
    found = {each.wanted.title(): lane.values[each.wanted].value for each in wanted}
    assert found == {each.wanted.title(): each.value for each in wanted}


def test_a_limit_at_the_value_passes_and_one_below_fails(
    recordings: Path, expected: dict[str, Any], table: str, judged: Judge
) -> None:
    wanted = list(references(expected[table]))
    at = [Limit(each.wanted, each.dimension, at_most=each.value) for each in wanted]
    below = [Limit(each.wanted, each.dimension, at_most=each.value - 1) for each in wanted]
    found = judged(recordings / table, [*at, *below])
    assert {limit.wanted.title(): found[limit].verdict for limit in at} == {
        limit.wanted.title(): Verdict.PASSED for limit in at
    }
    assert {limit.wanted.title(): found[limit].verdict for limit in below} == {
        limit.wanted.title(): Verdict.FAILED for limit in below
    }


def test_the_longest_operator_is_named(
    recordings: Path, expected: dict[str, Any], table: str
) -> None:
    longest = Measurer(open_profile(recordings / table), StepOptions()).longest([Selector()])
    worst = longest["0"][0]
    assert [Fraction(worst.duration), worst.name] == [
        ns(expected[table]["longest"][0]),
        expected[table]["longest"][1],
    ]


REFUSALS = {
    "empty file": "{path}: the file is empty; the export wrote nothing",
    "line 17 has 31 of 32 cells": (
        "{path}:17: the row has 31 of 32 cells; the file is cut or damaged, export it again"
    ),
}


def test_what_must_be_refused_is_refused_in_one_line(
    recordings: Path, expected: dict[str, Any], refused_table: str
) -> None:
    path = recordings / refused_table
    with pytest.raises(NpuperfError) as caught:
        measure(open_profile(path), [Wanted("kernel_time")])
    message = REFUSALS[expected[refused_table]["refused"]]
    assert str(caught.value) == message.format(path=path)


def test_damaged_start_times_leave_what_needs_them_not_measured(
    recordings: Path, expected: dict[str, Any], judged: Judge
) -> None:
    (table,) = [table for table, entry in expected.items() if "start_times" in entry]
    names = ("window_time", "busy_time", "compute_time", "idle_time", "idle_share", "largest_gap")
    limits = [Limit(Wanted(name), Dimension.TIME, at_most=Fraction(10**18)) for name in names]
    found = judged(recordings / table, limits)
    assert [found[limit].reason for limit in limits] == [
        f"{name} not measured: op_summary has no Task Start Time in 4 of 4 rows, first in row 1"
        for name in names
    ]
    assert {judgement.verdict for judgement in found.values()} == {Verdict.NOT_MEASURED}


# --- profiling level 0 ------------------------------------------------------------------------

LEVEL_0 = "torch-npu-level0/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"
NO_TYPE = "kernel_details has no Type in 191 of 191 rows, first in row 1"
NO_CORE = "kernel_details has no Accelerator Core in 187 of 191 rows, first in row 1"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (op_rule("total", type=("MatMul*",)), NO_TYPE),
        (op_rule("count", type=("MatMul*",)), NO_TYPE),
        (op_rule("count", not_type=("MatMul*",)), NO_TYPE),
        (op_rule("count", task_type=("AI_CPU",)), NO_CORE),
        (op_rule("total", task_type=("AI_CPU",)), NO_CORE),
        (op_rule("total", task_type=("HCCL",)), NO_CORE),
        (Wanted("ai_cpu_time"), NO_CORE),
        (Wanted("ai_core_time"), NO_CORE),
    ],
    ids=lambda value: value.title() if isinstance(value, Wanted) else "",
)
def test_level_0_does_not_say_types(
    recordings: Path, judged: Judge, wanted: Wanted, reason: str
) -> None:
    dimension = Dimension.COUNT if wanted.statistic == "count" else Dimension.TIME
    limit = Limit(wanted, dimension, at_most=Fraction(0))
    found = judged(recordings / LEVEL_0, [limit])[limit]
    assert found.verdict is Verdict.NOT_MEASURED
    assert found.value is None
    assert found.reason == f"{wanted.title()} not measured: {reason}"


# --- whole folders ----------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["torch-npu-910a-level1", "torch-npu-910b-level1"])
def test_two_ranks_are_two_lanes_and_the_worse_decides(
    recordings: Path, expected: dict[str, Any], judged: Judge, folder: str
) -> None:
    entries = [
        expected[f"{folder}/rank{rank}_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"]
        for rank in (0, 1)
    ]
    profile = open_profile(recordings / folder)
    wanted = [each.wanted for each in references(entries[0])]
    lanes = measure(profile, wanted).lanes
    assert list(lanes) == ["0/0", "1/0"]
    for lane, entry in zip(lanes.values(), entries, strict=True):
        for each in references(entry):
            if each.wanted in lane.values:
                assert lane.values[each.wanted].value == each.value, each.wanted.title()
    values = [ns(entry["kernel_time_us"]) for entry in entries]
    worse = max(values)
    at, below = (
        Limit(Wanted("kernel_time"), Dimension.TIME, at_most=bound) for bound in (worse, worse - 1)
    )
    found = judged(recordings / folder, [at, below])
    assert (found[at].verdict, found[below].verdict) == (Verdict.PASSED, Verdict.FAILED)
    assert found[below].lane == f"{values.index(worse)}/0"


CHECKED_FOLDERS = [
    "msprof-ascend950-l1",
    "msprof-cann85-dsa",
    "torch-npu-10-steps",
    "torch-npu-cann83-level2/rank_0_ascend_pt",
]


@pytest.mark.parametrize("folder", CHECKED_FOLDERS)
def test_a_folder_gives_what_its_table_gives_and_its_tables_agree(
    recordings: Path, expected: dict[str, Any], folder: str
) -> None:
    (entry,) = [entry for table, entry in expected.items() if table.startswith(f"{folder}/")]
    wanted = list(references(entry))
    (lane,) = measure(
        open_profile(recordings / folder), [each.wanted for each in wanted]
    ).lanes.values()
    assert {each.wanted.title(): lane.values[each.wanted].value for each in wanted} == {
        each.wanted.title(): each.value for each in wanted
    }


FRAMEWORK_FOLDERS = [
    *(f"torch-npu-910{chip}-level1/rank{rank}_ascend_pt" for chip in "ab" for rank in (0, 1)),
    "torch-npu-cann83-level2/rank_0_ascend_pt",
    "torch-npu-level0/rank0_ascend_pt",
]


@pytest.mark.parametrize("folder", FRAMEWORK_FOLDERS)
def test_step_trace_time_agrees(recordings: Path, folder: str) -> None:
    profile = open_profile(recordings / folder)
    names = ("compute_time", "idle_time", "window_time", "communication_time")
    (lane,) = measure(profile, [Wanted(name) for name in names]).lanes.values()
    compute, idle, window, communication = (
        float(lane.values[Wanted(name)].value or 0) / 1000 for name in names
    )
    (step,) = profile.step_trace_time.itertuples()
    assert compute == pytest.approx(step.computing_us, abs=0.0265)
    assert idle == pytest.approx(step.free_us, abs=0.02)
    assert communication == pytest.approx(step.communication_us, abs=0.0265)
    # The profiler writes the stage in quarters of a microsecond.
    assert window == pytest.approx(step.stage_us, abs=0.25)


def test_the_stages_of_ten_steps(recordings: Path, judged: Judge) -> None:
    # The first is warm-up, and the last ends with its last task, not with a next step.
    stages = ["381.5", "399.5", "375.0", "376.25", "377.25", "370.25", "362.5", "361.75"]
    in_order = sorted(ns(stage) for stage in stages)
    references = {
        "count": Fraction(8),
        "min": in_order[0],
        "max": in_order[-1],
        "mean": sum(in_order, Fraction(0)) / 8,
        "p50": (in_order[3] + in_order[4]) / 2,
    }
    limits = {
        name: [
            Limit(Wanted("step_time", name), Dimension.TIME, at_most=value - less)
            for less in (0, 1)
        ]
        for name, value in references.items()
    }
    found = judged(
        recordings / "torch-npu-10-steps", [limit for pair in limits.values() for limit in pair]
    )
    assert {
        name: [(found[limit].value, found[limit].verdict) for limit in pair]
        for name, pair in limits.items()
    } == {
        name: [(value, Verdict.PASSED), (value, Verdict.FAILED)]
        for name, value in references.items()
    }


def test_per_step_divides_by_the_steps(recordings: Path) -> None:
    wanted = [Wanted("kernel_time_per_step"), op_rule("count_per_step", type=("matmul_kernel",))]
    (lane,) = measure(open_profile(recordings / "torch-npu-10-steps"), wanted).lanes.values()
    assert [lane.values[each].value for each in wanted] == [ns("88.842"), 1]


def test_op_statistic_alone_gives_totals(recordings: Path, judged: Judge) -> None:
    select = {"type": ("MatMulV2",), "task_type": ("AI_CORE",)}
    references = {
        "count": (Fraction(32689), Dimension.COUNT),
        "total": (ns("327673.06"), Dimension.TIME),
        "min": (ns("3.1"), Dimension.TIME),
        "max": (ns("613.3"), Dimension.TIME),
        "mean": (ns("327673.06") / 32689, Dimension.TIME),
    }
    for name, (value, dimension) in references.items():
        at, below = (
            Limit(op_rule(name, **select), dimension, at_most=bound) for bound in (value, value - 1)
        )
        found = judged(recordings / "torch-npu-cann85", [at, below])
        assert found[at].value == value
        assert (found[at].verdict, found[below].verdict) == (Verdict.PASSED, Verdict.FAILED)


UNREAD = {
    "msprof-empty-files": r".*op_summary_20230919172305\.csv: the file is empty; .*",
    "msprof-empty-slices": r".*op_summary_slice_[01]_\d+\.csv: the file is empty; .*",
    "torch-npu-ragged-row": r".*:17: the row has 31 of 32 cells; .*",
    "op-summary-subtasks": r".*:17: the row has 31 of 32 cells; .*",
}


@pytest.mark.parametrize("folder", UNREAD)
def test_a_folder_that_cannot_be_read_is_refused_in_one_line(recordings: Path, folder: str) -> None:
    with pytest.raises(NpuperfError) as caught:
        measure(open_profile(recordings / folder), [Wanted("kernel_time")])
    assert re.fullmatch(UNREAD[folder], str(caught.value)), str(caught.value)
