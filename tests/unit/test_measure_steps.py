"""How many steps a profile holds, and how long each took."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from profile_tables import (
    Op,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    step_trace_time,
    torch,
    write,
)

from pytest_npuperf.catalogue import STATISTICS
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, StepOptions, Value, Wanted
from pytest_npuperf.profile import open_profile

# Two kernels in each of four steps of 10 us.
OPS = [
    Op(start=start, duration=1000, step=str(1 + start // 10_000))
    for start in range(0, 40_000, 5000)
]
TRACE = [(0, 1, 1 + i, 10_000 * i + 9000, 9000 + i) for i in range(4)]
UNKNOWN = "the profile does not say how many steps it holds; add `steps = N`"
PLAIN, DIVIDED = Wanted("kernel_time"), Wanted("kernel_time_per_step")


def ask(
    path: Path,
    *wanted: Wanted,
    lane: str = "0",
    options: StepOptions = StepOptions(),  # noqa: B008
) -> list[Value]:
    lanes = measure(open_profile(path), wanted, options).lanes
    return list(lanes[lane].values.values())


def per_step(path: Path, **options: int) -> Fraction | str:
    (found,) = ask(path, DIVIDED, options=StepOptions(**options))
    return found.reason if found.value is None else found.value


# --- counting ---------------------------------------------------------------------------------


def test_steps_of_step_trace(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS), step_trace=step_trace(*TRACE))
    assert per_step(path, steps=99) == 2000
    assert [v.value for v in ask(path, PLAIN, Wanted("kernel_count_per_step"))] == [8000, 2]


def test_steps_of_the_step_ids(tmp_path: Path) -> None:
    path = torch(tmp_path, kernel_details=op_summary(*OPS, form="torch"))
    assert per_step(path, steps=99) == 2000
    assert [v.value for v in ask(path, PLAIN)] == [8000]


def test_steps_of_the_setting(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS))
    assert per_step(path, steps=5) == 1600
    assert per_step(path) == UNKNOWN


def test_step_ids_that_some_rows_lack(tmp_path: Path) -> None:
    rows = [*OPS, Op(start=40_000, step="")]
    path = torch(tmp_path, kernel_details=op_summary(*rows, form="torch"))
    assert per_step(path) == "no step id in 1 of 9 rows of the op table; add `steps = N`"
    assert per_step(path, steps=5) == 1800
    rows = [Op(start=start, step="N/A") for start in (0, 5000)]
    path = torch(tmp_path / "none", kernel_details=op_summary(*rows, form="torch"))
    assert per_step(path) == UNKNOWN


def test_steps_that_op_statistic_covers(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_statistic=op_statistic(*OPS), step_trace=step_trace(*TRACE))
    assert per_step(path) == 2000


def test_the_model_with_most_iterations_says_how_many_steps(tmp_path: Path) -> None:
    first = [(0, 7, 1, 500, 400)]
    trace = step_trace(*first, *TRACE)
    path = msprof(tmp_path, op_summary=op_summary(*OPS), step_trace=trace)
    assert per_step(path) == 2000
    assert per_step(path, model=7) == 8000
    assert per_step(path, model=8) == UNKNOWN


def test_of_models_that_iterate_equally_often_the_smallest_id(tmp_path: Path) -> None:
    rows = [(0, 10, 1, 9000, 7000), (0, 9, 1, 9000, 5000)]
    path = msprof(tmp_path, step_trace=step_trace(*rows))
    assert ask(path, Wanted("step_time", "mean"))[0].value == 5000


@pytest.mark.parametrize("cell", ["N/A", "4294967295"])
def test_iterations_of_no_named_model_are_counted_together(tmp_path: Path, cell: str) -> None:
    rows = [(device, cell, i, end, time) for device, _, i, end, time in TRACE]
    path = msprof(tmp_path, op_summary=op_summary(*OPS), step_trace=step_trace(*rows))
    assert per_step(path) == 2000


@pytest.mark.parametrize("ends", ["far", "absent"])
def test_steps_whose_times_cannot_be_compared_are_all_counted(tmp_path: Path, ends: str) -> None:
    rows = [
        (device, model, i, end - 10**15 if ends == "far" else "N/A", time)
        for device, model, i, end, time in TRACE
    ]
    path = msprof(tmp_path, op_summary=op_summary(*OPS), step_trace=step_trace(*rows))
    assert per_step(path) == 2000


def test_each_device_counts_its_own_steps(tmp_path: Path) -> None:
    ops = [*OPS, Op(start=0, duration=1000, device="1")]
    trace = [*TRACE, (1, 1, 1, 9000, 9000)]
    path = msprof(tmp_path, op_summary=op_summary(*ops), step_trace=step_trace(*trace))
    found = [ask(path, DIVIDED, lane=lane)[0].value for lane in ("0/0", "0/1")]
    assert found == [2000, 1000]


# --- single steps of a longer run -------------------------------------------------------------

ALONE = "the profile holds single steps, not the whole run; write kernel_time_per_step"


@pytest.fixture
def one_of_four(tmp_path: Path) -> Path:
    return msprof(tmp_path, op_summary=op_summary(*OPS[2:4]), step_trace=step_trace(*TRACE))


def test_a_total_of_one_step_is_no_total_of_the_run(one_of_four: Path) -> None:
    conv = Selector(type=("Conv2D",))
    rules = [Wanted("ops", name, conv) for name in ("total", "total_per_step", "count", "max")]
    plain, divided, *found = ask(one_of_four, PLAIN, DIVIDED, *rules, Wanted("largest_gap"))
    assert (plain.value, plain.reason) == (None, ALONE)
    assert divided.value == 2000
    assert [value.value for value in found] == [None, 2000, None, 1000, 4000]
    assert found[2].reason == ALONE.replace("kernel_time_per_step", "count_per_step")
    assert open_profile(one_of_four).scope == "step"


def files(path: Path, names: Sequence[str], form: str = "2022") -> Path:
    table = op_summary(*OPS[:2], form=form)
    return write(path, {f"device_0/summary/op_summary_{name}.csv": table for name in names})


@pytest.mark.parametrize(
    ("names", "steps"),
    [
        (["0_1_1"], 1),
        (["0_1_1", "0_1_2"], 2),
        (["0_1_1_4", "0_1_7"], 5),
        (["0_1_3_2026", "0_1_1_2"], 2026),
        # Another model beside the one with most iterations.
        (["0_1_1", "0_2_1", "0_2_2"], 2),
    ],
)
def test_files_of_single_steps(tmp_path: Path, names: list[str], steps: int) -> None:
    path = files(tmp_path, names)
    plain, divided = ask(path, PLAIN, DIVIDED)
    assert plain.reason == ALONE
    assert divided.value == Fraction(2000 * len(names), steps)


def test_files_of_single_steps_of_a_given_model(tmp_path: Path) -> None:
    path = files(tmp_path, ["0_1_1", "0_2_1", "0_2_2"])
    assert per_step(path, model=1) == 6000
    assert per_step(path, model=3) == "no file holds an iteration of model 3"


def test_files_of_single_operator_runs_hold_the_run(tmp_path: Path) -> None:
    path = files(tmp_path, ["0_1"], form="single")
    plain, divided = ask(path, PLAIN, DIVIDED)
    assert plain.value == 2000
    assert divided.reason == UNKNOWN


def test_the_column_infer_id_means_single_steps(tmp_path: Path) -> None:
    path = write(tmp_path, {"op_summary.csv": op_summary(*OPS, form="2022")})
    plain, divided = ask(path, PLAIN, DIVIDED)
    assert plain.reason == ALONE
    assert divided.value == 8000


def test_infer_ids_that_some_rows_lack(tmp_path: Path) -> None:
    rows = op_summary(*OPS[:7], Op(start=99_000, infer="N/A"), form="2022")
    path = write(tmp_path, {"op_summary.csv": rows})
    assert per_step(path, steps=4) == "no step id in 1 of 8 rows of the op table"


# --- step_time --------------------------------------------------------------------------------

NUMBERS = {
    "mean": 9002,
    "p50": 9002,
    "p90": Fraction(90028, 10),
    "p95": Fraction(90029, 10),
    "p99": Fraction(900298, 100),
    "min": 9001,
    "max": 9003,
    "count": 3,
}


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("order", [1, -1])
def test_every_statistic_of_step_time(tmp_path: Path, name: str, order: int) -> None:
    path = msprof(tmp_path, step_trace=step_trace(*TRACE[::order]))
    (found,) = ask(path, Wanted("step_time", name))
    assert (found.value, found.samples) == (NUMBERS[name], 3)
    assert found.data == (9001, 9002, 9003)


@pytest.mark.parametrize(
    ("warmup", "rows", "found"),
    [
        (0, 4, (9000, 9001, 9002, 9003)),
        (3, 4, (9003,)),
        (4, 4, "4 steps, 4 of them warm-up: none is left"),
        (None, 1, (9000,)),
        (1, 1, "1 step, 1 of them warm-up: none is left"),
    ],
)
def test_warm_up_is_left_out(
    tmp_path: Path, warmup: int | None, rows: int, found: tuple[int, ...] | str
) -> None:
    path = msprof(tmp_path, step_trace=step_trace(*TRACE[:rows]))
    options = StepOptions(warmup_steps=warmup)
    wanted = Wanted("step_time", "mean")
    value = measure(open_profile(path), [wanted], options).lanes["0"].values[wanted]
    assert (value.data or value.reason) == found


def test_the_model_whose_steps_are_timed(tmp_path: Path) -> None:
    path = msprof(tmp_path, step_trace=step_trace(*TRACE, (0, 2, 1, 9, 5)))
    wanted = Wanted("step_time", "mean")
    assert ask(path, wanted)[0].value == 9002
    assert ask(path, wanted, options=StepOptions(model=2))[0].value == 5
    assert (
        ask(path, wanted, options=StepOptions(model=3))[0].reason
        == "step_trace has no iteration of model 3"
    )


@pytest.mark.parametrize("change", ["time", "zero", "column"])
def test_a_step_without_a_time(tmp_path: Path, change: str) -> None:
    last = (90_000, 0) if change == "zero" else (9000, "N/A")
    text = step_trace(*TRACE[:2], (0, 1, 3, *last))
    if change == "column":
        text = text.replace("Iteration Time(us)", "Iteration Time(ms)")
    (found,) = ask(msprof(tmp_path, step_trace=text), Wanted("step_time", "p50"))
    assert (
        found.reason
        == {
            "time": "step_trace has no time in row 3",
            "zero": "step_trace has 0 in row 3, and a step takes time",
            "column": 'step_trace has no column "Iteration Time(us)"',
        }[change]
    )


def test_a_device_without_iterations(tmp_path: Path) -> None:
    ops = op_summary(*OPS, Op(device="1"))
    path = msprof(tmp_path, op_summary=ops, step_trace=step_trace(*TRACE))
    (found,) = ask(path, Wanted("step_time", "p50"), lane="0/1")
    assert found.reason == "step_trace has no iteration"


def test_an_iteration_that_lost_its_model_is_refused(tmp_path: Path) -> None:
    path = msprof(tmp_path, step_trace=step_trace(*TRACE, (0, "N/A", 5, 49_000, 90_000)))
    with pytest.raises(ProfileError, match=r":6: the row has no model_id; other rows have one$"):
        ask(path, Wanted("step_time", "max"))


def stages(path: Path, *rows: tuple[str, str], device: str = "0") -> Value:
    table = step_trace_time(*((device, step, stage) for step, stage in rows))
    details = op_summary(Op(step=rows[0][0], duration=1), form="torch")
    torch(path, kernel_details=details, step_trace_time=table)
    return ask(path, Wanted("step_time", "mean"))[0]


@pytest.mark.parametrize("device", ["0", "-1", "4"])
def test_stages_of_torch_without_the_last_and_the_first(tmp_path: Path, device: str) -> None:
    rows = [("10", "7"), ("1", "50"), ("2", "3.499999999"), ("3", "5.5")]
    found = stages(tmp_path, *rows, device=device)
    assert found.data == (3500, 5500)
    assert found.value == 4500


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("", "50")], "step_trace_time has no step ids; the app marks no steps"),
        ([("1", "5")], "step_trace_time has one step, whose end is not marked by a next one"),
        ([("1", "5"), ("2", "N/A"), ("3", "5")], "step_trace_time has no time in row 2"),
        (
            [("1", "5"), ("2", "0.000"), ("3", "5")],
            "step_trace_time has 0 in row 2, and a step takes time",
        ),
    ],
)
def test_stages_that_time_no_step(
    tmp_path: Path, rows: Sequence[tuple[str, str]], reason: str
) -> None:
    assert stages(tmp_path, *rows).reason == reason


def test_ops_of_more_devices_than_have_steps_are_refused(tmp_path: Path) -> None:
    table = step_trace_time(("4", "1", "9"), ("4", "2", "9"))
    first, second = Op(step="1", duration=1), Op(step="2", duration=1, device="1")
    torch(tmp_path, kernel_details=op_summary(first, second, form="torch"), step_trace_time=table)
    with pytest.raises(ProfileError) as caught:
        ask(tmp_path, Wanted("kernel_count"))
    assert str(caught.value).endswith(
        "kernel_details.csv: rows of devices 0, 1, but step_trace_time.csv has steps of 4 only; "
        "one of the two was cut or edited, record again"
    )


def test_a_profile_without_steps(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS))
    (found,) = ask(path, Wanted("step_time", "mean"))
    assert found.reason == "the profile has neither step_trace nor step_trace_time"


@pytest.mark.parametrize(
    ("start", "duration", "notes"),
    [
        (
            "1784177503947983.147\t",
            "18446744073709521.304",
            ("step_trace lacks 1 reduce duration: msprof wrote an underflow",),
        ),
        ("1784177503947983.147\t", "30.312", ()),
        ("N/A", "N/A", ()),
    ],
)
@pytest.mark.parametrize("header", ["Reduce Start(us)", "Reduce Start"])
def test_a_note_says_that_a_reduce_has_an_underflow(
    tmp_path: Path, start: str, duration: str, notes: tuple[str, ...], header: str
) -> None:
    text = step_trace(TRACE[0], reduces=1).replace(",1\n", f",1,{start},{duration}\n")
    text = text.replace("Reduce Start(us)", header)
    path = msprof(tmp_path, step_trace=text)
    measured = measure(open_profile(path), [Wanted("step_time", "max")])
    assert [lane.values[Wanted("step_time", "max")].value for lane in measured.lanes.values()] == [
        Fraction(9000)
    ]
    assert measured.notes == notes
