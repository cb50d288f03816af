"""Every metric of the catalogue, by hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from profile_tables import Op, csv, msprof, op_statistic, op_summary, task_time, torch, write
from trace_files import complete, process, trace

from pytest_npuperf.catalogue import METRICS
from pytest_npuperf.measure import Measurer, measure
from pytest_npuperf.measure.intervals import Ns, Span, overlap, span
from pytest_npuperf.model import (
    LaneMeasurement,
    LongOp,
    OpRow,
    Selector,
    StepOptions,
    Value,
    Wanted,
)
from pytest_npuperf.profile import Lane, Profile, open_profile
from pytest_npuperf.text import many

#    0....100                               Conv2D
#       50....150                           Relu
#            120.................400        allReduce
#                      300..350             Where
#                                  500      Conv2D, no time at all
#                                     600...700  Cast
CONV = Op("Conv2D", "AI_CORE", 0, 100)
REDUCE = Op("hcom_allReduce_", "COMMUNICATION", 120, 280, name="hcom_allReduce__1")
WHERE = Op("Where", "AI_CPU", 300, 50)
CAST = Op("Cast", "AI_VECTOR_CORE", 600, 100)
OPS = [
    CONV,
    Op("Relu", "AI_VECTOR_CORE", 50, 100),
    REDUCE,
    WHERE,
    Op("Conv2D", "MIX_AIC", 500, 0),
    CAST,
]
NUMBERS = {
    "kernel_time": (350, 5),
    "compute_time": (300, 5),
    "busy_time": (500, 6),
    "window_time": (700, 6),
    "idle_time": (200, 6),
    "idle_share": (Fraction(2, 7), 6),
    "largest_gap": (100, 6),
    "kernel_count": (5, 5),
    "ai_core_time": (300, 4),
    "ai_cpu_time": (50, 1),
    "communication_time": (280, 1),
    "overlap_share": (Fraction(2, 7), 1),
}


def lanes(
    path: Path, names: Sequence[str], options: StepOptions | None = None
) -> dict[str, LaneMeasurement]:
    return dict(measure(open_profile(path), [Wanted(name) for name in names], options).lanes)


def values(path: Path, *names: str, steps: int | None = None) -> dict[str, Value]:
    (lane,) = lanes(path, names, StepOptions(steps=steps)).values()
    return {wanted.metric: value for wanted, value in lane.values.items()}


def reason(path: Path, name: str) -> str:
    value = values(path, name)[name]
    assert value.value is None
    return value.reason


@pytest.mark.parametrize("order", [OPS, OPS[::-1], OPS[3:] + OPS[:3]])
@pytest.mark.parametrize("form", ["current", "2022", "torch"])
def test_every_metric_of_operators(tmp_path: Path, order: Sequence[Op], form: str) -> None:
    rows = [replace(op, infer="N/A") for op in order]
    path = msprof(tmp_path, op_summary=op_summary(*rows, form=form))
    found = values(path, *NUMBERS)
    assert {name: (value.value, value.samples) for name, value in found.items()} == NUMBERS
    assert {value.coverage for value in found.values()} == {1}


def test_the_table_has_every_metric_that_operators_give() -> None:
    assert set(NUMBERS) == {
        name
        for name, metric in METRICS.items()
        if "op_summary" in metric.needs and not name.endswith("_per_step")
    }


def test_one_row(tmp_path: Path) -> None:
    found = values(msprof(tmp_path, op_summary=op_summary(CAST)), *NUMBERS)
    numbers = {name: value.value for name, value in found.items()}
    assert numbers == {
        **dict.fromkeys(NUMBERS, 100),
        "idle_time": 0,
        "idle_share": 0,
        "largest_gap": 0,
        "kernel_count": 1,
        "ai_cpu_time": 0,
        "communication_time": 0,
        "overlap_share": None,
    }
    assert found["overlap_share"].reason == (
        "op_summary has no communication that could be overlapped"
    )


def test_shares_of_nothing_are_not_measured(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(replace(CAST, duration=0)))
    assert reason(path, "idle_share") == (
        "op_summary has a window of 0 ns, of which nothing is a share"
    )


def test_the_old_name_of_communication(tmp_path: Path) -> None:
    rows = [replace(op, core="HCCL") if op is REDUCE else op for op in OPS]
    found = values(msprof(tmp_path, op_summary=op_summary(*rows)), *NUMBERS)
    assert {name: (value.value, value.samples) for name, value in found.items()} == NUMBERS


ALONE = "nothing to check op_summary against: neither op_statistic nor task_time is there"


def test_rows_that_are_no_work_are_left_out_and_counted(tmp_path: Path) -> None:
    more = [Op("Old", "WRITE_BACK", 800, 50), Op("Old", "INVALID", 900, 50)]
    path = msprof(tmp_path, op_summary=op_summary(*OPS, *more))
    measured = measure(open_profile(path), [Wanted("kernel_time"), Wanted("window_time")])
    (lane,) = measured.lanes.values()
    assert [value.value for value in lane.values.values()] == [350, 700]
    assert measured.notes == ("2 rows marked WRITE_BACK or INVALID are left out", ALONE)
    assert sum(row.count for row in lane.ops) == 6


def test_one_row_that_is_no_work_has_no_plural(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS, Op("Old", "INVALID", 800, 50)))
    notes = measure(open_profile(path), []).notes
    assert notes == ("1 row marked WRITE_BACK or INVALID is left out", ALONE)


@pytest.mark.parametrize(
    ("tables", "notes"),
    [
        ({"op_summary": op_summary(*OPS), "op_statistic": op_statistic(*OPS)}, ()),
        ({"op_summary": op_summary(*OPS), "task_time": task_time(*OPS)}, ()),
        ({"op_statistic": op_statistic(*OPS)}, ()),
        ({"op_summary": op_summary(*OPS)}, (ALONE,)),
        (
            {"op_summary": op_summary(*OPS), "l2_cache": "Op Name\nconv\n"},
            (f"{ALONE}; not compared: l2_cache",),
        ),
        ({"op_summary": op_summary(*OPS), "api_statistic": "API Name\nlaunch\n"}, (ALONE,)),
        # Once, however many lanes there are.
        ({"op_summary": op_summary(*OPS, Op(start=800, device="1"))}, (ALONE,)),
    ],
)
def test_a_note_says_that_nothing_checks_the_operators(
    tmp_path: Path, tables: dict[str, str], notes: tuple[str, ...]
) -> None:
    path = msprof(tmp_path, **tables)
    assert measure(open_profile(path), [Wanted("kernel_time")]).notes == notes


def test_the_note_names_the_tables_that_are_not_compared(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS), l2_cache="Op Name\nconv\n")
    timeline = trace([*process("Ascend Hardware"), complete("conv")])
    write(path / "mindstudio_profiler_output", {"msprof_20260101000000.json": timeline})
    notes = measure(open_profile(path), [Wanted("kernel_time")]).notes
    assert notes == (f"{ALONE}; not compared: timeline, l2_cache",)


def test_the_table_of_a_framework_is_called_as_its_file(tmp_path: Path) -> None:
    # What profiling level 0 leaves: no types, and no other table.
    ops = [Op("N/A", "N/A", start, 100) for start in (0, 200)]
    path = torch(tmp_path, kernel_details=op_summary(*ops, form="level0"))
    wanted = Wanted("ops", "total", Selector(type=("Conv2D",)))
    measured = measure(open_profile(path), [wanted])
    assert measured.lanes["0"].values[wanted].reason == (
        "kernel_details has no Type in 2 of 2 rows, first in row 1"
    )
    assert measured.notes == (
        "nothing to check kernel_details against: neither op_statistic nor task_time is there",
    )


# --- what is absent ---------------------------------------------------------------------------


def holed(tmp_path: Path, **change: int | str) -> Path:
    where = replace(WHERE, **change)  # type: ignore[arg-type]
    return msprof(tmp_path, op_summary=op_summary(*OPS[:3], where, *OPS[4:]))


@pytest.mark.parametrize("cell", ["N/A", "NA", "", "18446744073709521.304"])
@pytest.mark.parametrize("name", NUMBERS)
def test_one_duration_that_is_absent(tmp_path: Path, name: str, cell: str) -> None:
    path = holed(tmp_path, duration=cell)
    if name in ("kernel_count", "communication_time", "ai_core_time"):
        assert values(path, name)[name].value == NUMBERS[name][0]
    else:
        of = {"kernel_time": 5, "compute_time": 5, "ai_cpu_time": 1, "overlap_share": 5}
        assert reason(path, name) == (
            f"op_summary has no Task Duration(us) in 1 of {many(of.get(name, 6), 'row')}, "
            "first in row 4"
        )


@pytest.mark.parametrize("cell", ["N/A", "5.42118E+14"])
@pytest.mark.parametrize("name", NUMBERS)
def test_one_start_that_is_absent(tmp_path: Path, name: str, cell: str) -> None:
    path = holed(tmp_path, start=cell)
    if name in ("kernel_count", "kernel_time", "communication_time", "ai_core_time", "ai_cpu_time"):
        assert values(path, name)[name].value == NUMBERS[name][0]
    else:
        of = {"compute_time": 5, "overlap_share": 5}
        assert reason(path, name) == (
            f"op_summary has no Task Start Time(us) in 1 of {of.get(name, 6)} rows, first in row 4"
        )


TYPELESS = {"busy_time", "window_time", "idle_time", "idle_share", "largest_gap"}


@pytest.mark.parametrize("name", NUMBERS)
def test_one_task_type_that_is_absent(tmp_path: Path, name: str) -> None:
    path = holed(tmp_path, core="N/A")
    if name in TYPELESS:
        assert values(path, name)[name].value == NUMBERS[name][0]
    else:
        assert reason(path, name) == "op_summary has no Task Type in 1 of 6 rows, first in row 4"


@pytest.mark.parametrize("name", NUMBERS)
def test_a_column_that_is_absent(tmp_path: Path, name: str) -> None:
    text = op_summary(*OPS).replace("Task Duration(us)", "Duration")
    path = msprof(tmp_path, op_summary=text)
    if name == "kernel_count":
        assert values(path, name)[name].value == 5
    else:
        assert reason(path, name) == 'op_summary has no column "Task Duration(us)"'
    text = op_summary(*OPS).replace("Task Type", "Task Kind")
    path = msprof(tmp_path / "b", op_summary=text)
    if name in TYPELESS:
        assert values(path, name)[name].value == NUMBERS[name][0]
    else:
        assert reason(path, name) == 'op_summary has no column "Task Type"'


@pytest.mark.parametrize(
    ("number", "tasks"), [(1, "1 task that takes"), (2, "2 tasks that together take")]
)
def test_work_that_takes_no_time_is_not_measured(tmp_path: Path, number: int, tasks: str) -> None:
    path = msprof(
        tmp_path,
        op_summary=op_summary(*(Op(start=5, duration=0, stream=str(i)) for i in range(number))),
    )
    assert reason(path, "kernel_time") == f"op_summary has {tasks} 0 ns"


# --- level 0 ----------------------------------------------------------------------------------

LEVEL_0 = [op if op is REDUCE else replace(op, type="N/A", core="N/A") for op in OPS]


def test_level_0_has_times_but_no_cores(tmp_path: Path) -> None:
    rows = [replace(op, type="N/A") for op in LEVEL_0]
    path = msprof(tmp_path, op_summary=op_summary(*rows, form="level0"))
    found = values(path, *NUMBERS)
    absent = "op_summary has no Accelerator Core in 5 of 6 rows, first in row 1"
    for name, (number, samples) in NUMBERS.items():
        if name in ("ai_core_time", "ai_cpu_time"):
            assert (found[name].value, found[name].reason) == (None, absent)
        else:
            assert (found[name].value, found[name].samples) == (number, samples)


def test_level_0_without_communication_cannot_know_that_there_is_none(tmp_path: Path) -> None:
    rows = [op for op in LEVEL_0 if op is not REDUCE]
    path = msprof(tmp_path, op_summary=op_summary(*rows))
    assert values(path, "kernel_time")["kernel_time"].value == 350
    for name in ("communication_time", "overlap_share"):
        assert reason(path, name) == "op_summary has no Task Type in any row"


@pytest.mark.parametrize("name", sorted(set(NUMBERS) - TYPELESS))
def test_a_collective_whose_type_is_lost_is_not_taken_for_a_kernel(
    tmp_path: Path, name: str
) -> None:
    lost = replace(REDUCE, type="N/A", core="N/A", start=800)
    path = msprof(tmp_path, op_summary=op_summary(*LEVEL_0, lost, form="level0"))
    if name in ("ai_core_time", "ai_cpu_time"):
        assert reason(path, name).startswith("op_summary has no Accelerator Core in 6 of 7 rows")
    else:
        assert reason(path, name) == (
            "op_summary has no Accelerator Core in row 7, which is called hcom_allReduce__1 "
            "and may be communication"
        )


# --- lanes ------------------------------------------------------------------------------------


def test_devices_are_measured_apart_and_models_and_streams_together(tmp_path: Path) -> None:
    rows = [
        Op(start=0, duration=10, model="1", stream="1"),
        Op(start=0, duration=30, device="1"),
        Op(start=5, duration=20, model="2", stream="2"),
    ]
    path = msprof(tmp_path, op_summary=op_summary(*rows))
    found = lanes(path, ["kernel_time", "compute_time"])
    numbers = {k: [v.value for v in lane.values.values()] for k, lane in found.items()}
    assert numbers == {"0/0": [30, 25], "0/1": [30, 30]}


def test_a_row_is_named_by_its_place_in_the_table(tmp_path: Path) -> None:
    rows = [Op(device="1"), Op(start=5), Op(start=9, device="1", duration="N/A")]
    path = msprof(tmp_path, op_summary=op_summary(*rows))
    found = lanes(path, ["kernel_time"])["0/1"].values[Wanted("kernel_time")]
    assert found.reason == "op_summary has no Task Duration(us) in 1 of 2 rows, first in row 3"


# --- what else is told ------------------------------------------------------------------------


def test_ops_by_type_and_core_longest_first(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS, replace(CAST, start=800)))
    (lane,) = lanes(path, []).values()
    assert lane.ops == (
        OpRow("hcom_allReduce_", "COMMUNICATION", 1, 280),
        OpRow("Cast", "AI_VECTOR_CORE", 2, 200),
        OpRow("Conv2D", "AI_CORE", 1, 100),
        OpRow("Relu", "AI_VECTOR_CORE", 1, 100),
        OpRow("Where", "AI_CPU", 1, 50),
        OpRow("Conv2D", "MIX_AIC", 1, 0),
    )


@pytest.mark.parametrize("change", [{"duration": "N/A"}, {"type": "N/A"}])
def test_ops_are_told_as_far_as_they_are_known(tmp_path: Path, change: dict[str, str]) -> None:
    (lane,) = lanes(holed(tmp_path, **change), []).values()
    named = OpRow("", "AI_CPU", 1, 50)
    assert lane.ops == () if "duration" in change else named in lane.ops


def longest(path: Path, *selects: Selector) -> tuple[LongOp, ...]:
    (found,) = Measurer(open_profile(path), StepOptions()).longest(iter(selects)).values()
    return found


ALL = Selector()
STEPS = [
    Op("Conv2D", "AI_CORE", 0, 90, name="conv1"),
    Op("Conv2D", "AI_CORE", 100, 80, name="conv2"),
    Op("Cast", "AI_CPU", 200, 10, name="cast"),
    REDUCE,
    Op("Conv2D", "MIX_AIC", 500, 95, name="conv1"),
    Op("Conv2D", "AI_CORE", 600, 85, name="conv2"),
    Op("Relu", "AI_VECTOR_CORE", 700, 20, name="relu"),
    Op("Cast", "AI_CPU", 800, 10, name="cast"),
]
CONV1 = LongOp("conv1", "Conv2D", "MIX_AIC", 95)
CONV2 = LongOp("conv2", "Conv2D", "AI_CORE", 85)
RELU = LongOp("relu", "Relu", "AI_VECTOR_CORE", 20)
ALL_REDUCE = LongOp("hcom_allReduce__1", "hcom_allReduce_", "COMMUNICATION", 280)


@pytest.mark.parametrize("steps", [STEPS, STEPS[::-1]])
def test_the_three_longest_ops_each_once_with_its_longest_run(
    tmp_path: Path, steps: list[Op]
) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*steps))
    assert longest(path, ALL) == (ALL_REDUCE, CONV1, CONV2)
    assert longest(path, Selector(type=("Conv*",))) == (CONV1, CONV2)
    assert longest(path, Selector(not_type=("hcom_*",))) == (CONV1, CONV2, RELU)
    # Among the rows that a rule means, not of the op altogether.
    on_core = (LongOp("conv1", "Conv2D", "AI_CORE", 90), CONV2)
    assert longest(path, Selector(task_type=("AI_CORE",))) == on_core
    assert longest(path, Selector(name=("gelu",))) == ()


def test_several_rules_name_their_longest_ops_in_order_without_repeats(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*STEPS))
    cast = Selector(task_type=("AI_CPU",))
    expected = (LongOp("cast", "Cast", "AI_CPU", 10), ALL_REDUCE, CONV1, CONV2)
    assert longest(path, cast, ALL, Selector(name=("conv*",))) == expected
    assert longest(path) == ()


def test_the_longest_ops_of_each_lane(tmp_path: Path) -> None:
    rows = [Op(name="a", device="1", duration=7), Op(name="b", duration=5, start=9)]
    path = msprof(tmp_path, op_summary=op_summary(*rows))
    assert Measurer(open_profile(path), StepOptions()).longest(iter([ALL])) == {
        "0/1": (LongOp("a", "Conv2D", "AI_CORE", 7),),
        "0/0": (LongOp("b", "Conv2D", "AI_CORE", 5),),
    }


def test_one_absent_duration_leaves_the_longest_of_other_rules(tmp_path: Path) -> None:
    path = holed(tmp_path, duration="N/A", name="where")
    reduce = Selector(type=("hcom_*",))
    assert longest(path, ALL, Selector(name=("where",)), reduce) == (ALL_REDUCE,)


def test_a_rule_that_a_row_does_not_answer_has_no_longest_ops(tmp_path: Path) -> None:
    path = holed(tmp_path, type="N/A", duration=500)
    assert longest(path, Selector(type=("hcom_*",))) == ()
    assert longest(path, ALL)[0] == LongOp("conv_1", "", "AI_CPU", 500)


@pytest.mark.parametrize("column", ["Op Name", "OP Type", "Task Type", "Task Duration(us)"])
def test_without_a_column_there_are_no_longest_ops(tmp_path: Path, column: str) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS).replace(column, "Other"))
    assert longest(path, ALL) == ()


def test_op_names_are_read_only_when_there_is_something_to_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurer = Measurer(
        open_profile(msprof(tmp_path, op_summary=op_summary(*STEPS))), StepOptions()
    )
    measurer.measure([Wanted("kernel_time")])
    read = []
    lane_rows = Profile.lane_rows

    def spy(self: Profile, lane: Lane, table: str, columns: Collection[str] = ()) -> object:
        read.append((table, set(columns)))
        return lane_rows(self, lane, table, columns)

    monkeypatch.setattr(Profile, "lane_rows", spy)
    measurer.longest([])
    assert read == []
    measurer.longest([ALL, Selector(name=("conv1",)), Selector(type=("Cast",))])
    measurer.longest([ALL])
    assert read == [("op_summary", {"op_name"})]


def test_a_profile_without_op_tables(tmp_path: Path) -> None:
    path = msprof(tmp_path, fusion_op=csv("Model Name,Fusion Op", ["m", "a"], ["m", "b"]))
    assert values(path, "fused_count")["fused_count"].value == 2
    assert reason(path, "kernel_time") == "the profile has neither op_summary nor op_statistic"
    assert Measurer(open_profile(path), StepOptions()).longest([ALL]) == {"0": ()}
    assert lanes(path, [])["0"].ops == ()


def test_fusion_is_not_measured_without_its_table(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS))
    assert reason(path, "fused_count") == "the profile has no table fusion_op"


def test_a_number_is_worked_out_once_for_all_who_ask(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS))
    measurer = Measurer(open_profile(path), StepOptions())
    wanted = Wanted("kernel_time")
    first, second = (measurer.measure([wanted]).lanes["0"].values[wanted] for _ in range(2))
    assert first is second


# --- intervals --------------------------------------------------------------------------------


def arrays(*intervals: tuple[int, int]) -> tuple[Ns, Ns]:
    table = np.array(intervals, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@pytest.mark.parametrize(
    ("intervals", "found"),
    [
        ([], Span(0, 0, 0)),
        ([(5, 0)], Span(0, 0, 0)),
        ([(5, 7)], Span(7, 7, 0)),
        ([(0, 10), (10, 5)], Span(15, 15, 0)),
        ([(0, 10), (11, 5)], Span(15, 16, 1)),
        ([(0, 100), (10, 5), (120, 1), (130, 1)], Span(102, 131, 20)),
        ([(0, 10), (0, 10), (0, 10)], Span(10, 10, 0)),
        ([(2**62, 5), (2**62 + 7, 1)], Span(6, 8, 2)),
    ],
)
def test_span(intervals: list[tuple[int, int]], found: Span) -> None:
    assert span(*arrays(*intervals)) == found
    assert span(*arrays(*intervals[::-1])) == found


INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12)


def covered(intervals: list[tuple[int, int]]) -> set[int]:
    return {moment for start, length in intervals for moment in range(start, start + length)}


@given(INTERVALS)
def test_a_union_is_what_is_covered(intervals: list[tuple[int, int]]) -> None:
    found = span(*arrays(*intervals))
    assert found.busy == len(covered(intervals))
    ends = [start + length for start, length in intervals]
    starts = [start for start, _ in intervals]
    assert found.window == (max(ends) - min(starts) if intervals else 0)
    assert 0 <= found.largest_gap <= found.window - found.busy


@given(INTERVALS, INTERVALS)
def test_an_overlap_is_what_both_cover(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    wanted = len(covered(first) & covered(second))
    assert overlap(arrays(*first), arrays(*second)) == wanted


CORES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_CPU", "COMMUNICATION", "HCCL")
ROWS = st.lists(
    st.builds(
        Op,
        type=st.sampled_from(["Conv2D", "Cast"]),
        core=st.sampled_from(CORES),
        start=st.integers(0, 10**6),
        duration=st.integers(1, 10**5),
        stream=st.integers(1, 10**9).map(str),
    ),
    min_size=2,
    max_size=20,
    unique_by=lambda op: op.stream,
)


@settings(max_examples=50)
@given(ROWS, st.data())
def test_slices_measure_like_the_whole_table(
    tmp_path_factory: pytest.TempPathFactory, ops: list[Op], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(1, len(ops) - 1))
    whole = msprof(tmp_path_factory.mktemp("whole"), op_summary=op_summary(*ops))
    parts = write(
        tmp_path_factory.mktemp("parts"),
        {
            f"op_summary_slice_{i}.csv": op_summary(*part)
            for i, part in enumerate((ops[:cut], ops[cut:]))
        },
    )
    expected, found = (lanes(path, [*NUMBERS]) for path in (whole, parts))
    assert found == expected
    numbers = {wanted.metric: value.value for wanted, value in found["0"].values.items()}
    assert numbers["busy_time"] is not None
    assert numbers["idle_time"] is not None
    assert numbers["busy_time"] + numbers["idle_time"] == numbers["window_time"]
    assert numbers["compute_time"] is not None
    assert numbers["kernel_time"] is not None
    assert numbers["compute_time"] <= numbers["kernel_time"]
