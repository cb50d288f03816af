"""Tables that contradict themselves or each other are refused, and others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from profile_tables import (
    FIRST_NS,
    OP_STATISTIC,
    Op,
    api_statistic,
    csv,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    step_trace_time,
    task_time,
    torch,
    write,
)

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile

CONV = [Op(start=i * 10_000, duration=1000 + i, stream=str(i)) for i in range(3)]
RELU = [Op("Relu", "AI_VECTOR_CORE", 40_000, 500), Op("Relu", "AI_VECTOR_CORE", 50_000, 700)]
CPU = Op("Where", "AI_CPU", 60_000, 9000)
REDUCE = Op("hcom_allReduce_", "COMMUNICATION", 20_000, 45_000, name="hcom_allReduce__1_0_1")
OPS = [*CONV, *RELU, CPU]
S = "op_summary_20260101000000.csv"
T = "op_statistic_20260101000000.csv"
TT = "task_time_20260101000000.csv"
EDITED = "; one of the two was cut or edited, record again"


def check(path: Path) -> str:
    """Read what is checked; return the message without the folder, empty when all is well."""
    try:
        profile = open_profile(path)
        for lane in profile.lanes:
            for table in profile.tables:
                profile.lane_rows(lane, table)
    except ProfileError as err:
        return str(err).rpartition("mindstudio_profiler_output/")[2].rpartition("OUTPUT/")[2]
    return ""


def both(tmp_path: Path, summary: str, statistic: str) -> str:
    return check(msprof(tmp_path, op_summary=summary, op_statistic=statistic))


# --- npu_mem -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ddr", "hbm", "memory", "fault"),
    [
        ("0", "46136396", "46136396", ""),
        # msprof divides bytes by 1024 three times, and cuts each time.
        ("1", "1", "3", ""),
        ("1.5", "1.5", "3.0", ""),
        ("N/A", "1", "9", ""),
        ("1", "1", "N/A", ""),
        ("1", "1", "4", "memory(KB) is 4, but ddr(KB) and hbm(KB) are 1 and 1"),
        ("10", "10", "18", "memory(KB) is 18, but ddr(KB) and hbm(KB) are 10 and 10"),
        ("0", "10", "0", "memory(KB) is 0, but ddr(KB) and hbm(KB) are 0 and 10"),
    ],
)
def test_memory_is_the_sum_of_its_parts(
    tmp_path: Path, ddr: str, hbm: str, memory: str, fault: str
) -> None:
    header = "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)"
    rows = [["0", "APP", *sizes, "1.5\t"] for sizes in (("1", "2", "3"), (ddr, hbm, memory))]
    found = check(msprof(tmp_path, npu_mem=csv(header, *rows)))
    wanted = f"npu_mem_20260101000000.csv:3: {fault}; the file was edited, record again"
    assert found == (wanted if fault else "")


# --- op_summary and op_statistic --------------------------------------------------------------


@pytest.mark.parametrize(
    ("summary", "statistic"),
    [
        (OPS, OPS),
        ([*OPS, REDUCE], OPS),
        ([*OPS, replace(REDUCE, core="HCCL")], OPS),
        ([*OPS, Op("N/A", "N/A", 70_000)], OPS),
        ([*OPS, Op("Old", "WRITE_BACK", 70_000), Op("Old", "INVALID", 70_000)], OPS),
        (OPS, [*OPS, Op("Old", "WRITE_BACK", 70_000)]),
        ([Op(duration=0)], [Op(duration=0)]),
        ([*OPS, *(replace(op, device="1") for op in OPS)],) * 2,
        ([Op("N/A", "N/A"), Op("N/A", "N/A", 5)], [Op("N/A", "N/A")]),
    ],
)
def test_what_agrees_passes(tmp_path: Path, summary: Sequence[Op], statistic: Sequence[Op]) -> None:
    assert both(tmp_path, op_summary(*summary), op_statistic(*statistic)) == ""


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        (
            OPS[:-1],
            f"{S}: 0 calls of Where on AI_CPU, 0.000 us in all, but {T} has 1 call, 9.000 us",
        ),
        (
            [*OPS, Op(start=70_000)],
            f"{S}: 4 calls of Conv2D on AI_CORE, 4.003 us in all, but {T} has 3 calls, 3.003 us",
        ),
        (
            [*OPS[:-1], replace(CPU, core="N/A")],
            f"{S}: 0 calls of Where on AI_CPU, 0.000 us in all, but {T} has 1 call, 9.000 us",
        ),
        (
            [*OPS[:-1], replace(CPU, duration=9003)],
            f"{S}: 1 call of Where on AI_CPU, 9.003 us in all, but {T} has 1 call, 9.000 us",
        ),
        (
            [*OPS[:-1], replace(CPU, type="Th\x7fere")],
            f"{S}: 1 call of Th\\x7fere on AI_CPU, 9.000 us in all, but {T} has 0 calls, 0.000 us",
        ),
    ],
)
def test_a_contradiction_is_an_error(tmp_path: Path, summary: Sequence[Op], message: str) -> None:
    assert both(tmp_path, op_summary(*summary), op_statistic(*OPS)) == message + EDITED


def test_rounding_is_no_contradiction(tmp_path: Path) -> None:
    # One row and its total may each be off by half a nanosecond, or cut.
    ops = [*OPS[:-1], replace(CPU, duration=9002)]
    assert both(tmp_path, op_summary(*ops), op_statistic(*OPS)) == ""


def test_a_duration_that_is_absent_is_left_to_what_needs_it(tmp_path: Path) -> None:
    ops = [*OPS[:-1], replace(CPU, duration="N/A")]
    assert both(tmp_path, op_summary(*ops), op_statistic(*OPS)) == ""
    ops = [*OPS[1:-1], replace(CPU, duration="N/A")]
    assert "2 calls of Conv2D" in both(tmp_path, op_summary(*ops), op_statistic(*OPS))


def test_devices_are_compared_where_both_tables_name_them(tmp_path: Path) -> None:
    moved = [replace(op, device="1") if op is CPU else op for op in OPS]
    found = both(tmp_path, op_summary(*moved), op_statistic(*OPS))
    assert found.startswith(f"{S}: 0 calls of Where on AI_CPU")


@pytest.mark.parametrize("device", ["0", "3"])
def test_a_table_that_names_no_device_is_compared_as_a_whole(tmp_path: Path, device: str) -> None:
    ops = [replace(op, device=device) for op in OPS]
    unnamed = op_statistic(*(replace(op, device="0") for op in OPS), device=False)
    assert both(tmp_path / "a", op_summary(*ops), unnamed) == ""
    other = both(tmp_path / "b", op_summary(*ops[1:]), unnamed)
    assert other.startswith(f"{S}: 2 calls of Conv2D")
    plain = op_summary(*OPS, form="torch2024")
    home = torch(tmp_path / "c", kernel_details=plain, op_statistic=op_statistic(*ops))
    assert check(home) == ""


def steps(home: Path, table: str, texts: Sequence[str], first: int = 1) -> None:
    write(
        home / "device_0" / "summary",
        {f"{table}_0_2_{number}.csv": text for number, text in enumerate(texts, start=first)},
    )


def test_files_of_single_steps_are_compared_as_a_whole(tmp_path: Path) -> None:
    steps(tmp_path, "op_summary", [op_summary(*OPS, form="2022"), op_summary(CPU, form="2022")])
    steps(tmp_path, "op_statistic", [op_statistic(*OPS), op_statistic(CPU)])
    assert check(tmp_path) == ""
    steps(tmp_path, "op_statistic", [op_statistic(*OPS), op_statistic(CPU, CPU)])
    assert "1 call of Where" not in check(tmp_path)
    assert "2 calls of Where on AI_CPU, 18.000 us in all" in check(tmp_path)


def test_files_of_different_steps_have_nothing_to_agree_on(tmp_path: Path) -> None:
    steps(tmp_path, "op_summary", [op_summary(*OPS, form="2022"), op_summary(CPU, form="2022")])
    steps(tmp_path, "op_statistic", [op_statistic(*OPS)])
    assert check(tmp_path) == ""


# --- op_statistic alone -----------------------------------------------------------------------

GOOD = [["0", "Conv2D", "AI_CORE", "3", "3.003", "1", "1.001", "1.002", "75"]]
GOOD = [*GOOD, ["0", "Relu", "AI_VECTOR_CORE", "1", "1.001", "1.001", "1.001", "1.001", "25"]]


def statistic(tmp_path: Path, *rows: Sequence[str]) -> str:
    return check(msprof(tmp_path, op_statistic=csv(OP_STATISTIC, *rows)))


def changed(row: int, **cells: str) -> list[list[str]]:
    header = [name.split(" ")[0].split("(")[0] for name in OP_STATISTIC.split(",")]
    rows = [list(cells) for cells in GOOD]
    for name, cell in cells.items():
        rows[row][header.index(name)] = cell
    return rows


@pytest.mark.parametrize(
    "rows",
    [
        GOOD,
        changed(0, Avg="1"),
        changed(0, Min="1.002"),
        changed(0, Ratio="74.999", Total="3.002"),
        changed(0, Ratio="N/A"),
        changed(1, Device_id="0", Core="AI_CORE"),
        [["0", "Zero", "AI_CORE", "2", "0", "0", "0", "0", "0.0"]],
        [[*GOOD[0][:-1], "100"], ["1", *GOOD[1][1:-1], "100"]],
    ],
)
def test_an_op_statistic_that_is_consistent_passes(
    tmp_path: Path, rows: Sequence[Sequence[str]]
) -> None:
    assert statistic(tmp_path, *rows) == ""


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            changed(0, Count="4"),
            "2: 4 calls cannot take 3.003 us with 1.000 us as their min; "
            "the file was edited, record again",
        ),
        (
            changed(0, Count="2"),
            "2: 2 calls cannot take 3.003 us with 1.001 us as their avg; "
            "the file was edited, record again",
        ),
        (
            changed(0, Avg="1.003"),
            "2: 3 calls cannot take 3.003 us with 1.003 us as their avg; "
            "the file was edited, record again",
        ),
        (
            changed(1, Max="0.9"),
            "3: 1 call cannot take 1.001 us with 0.900 us as their max; "
            "the file was edited, record again",
        ),
        (changed(1, Count="N/A"), "3: the row has no count; other rows have one"),
        (changed(1, Total="N/A"), "3: the row has no total_time_us; other rows have one"),
        (
            changed(1, Ratio="26"),
            "3: Ratio(%) is 26.000, but 1.001 us are another share of all rows; "
            "rows are missing or changed, record again",
        ),
        (
            GOOD[:1],
            "2: Ratio(%) is 75.000, but 3.003 us are another share of all rows; "
            "rows are missing or changed, record again",
        ),
        (
            [GOOD[0], GOOD[0], GOOD[1]],
            "3: a second row for Conv2D AI_CORE; the file was edited, record again",
        ),
    ],
)
def test_an_op_statistic_that_contradicts_itself_is_refused(
    tmp_path: Path, rows: Sequence[Sequence[str]], message: str
) -> None:
    assert statistic(tmp_path, *rows) == f"{T}:{message}"


@pytest.mark.parametrize("ratios", [("100", "100"), ("75", "25")])
def test_shares_may_be_of_a_model_or_of_the_device(tmp_path: Path, ratios: tuple[str, str]) -> None:
    header = OP_STATISTIC.replace("OP Type", "Model Name,OP Type")
    rows = [["0", model, *row[1:-1], r] for model, row, r in zip("ab", GOOD, ratios, strict=True)]
    assert check(msprof(tmp_path, op_statistic=csv(header, *rows))) == ""


def test_an_op_statistic_without_times_is_left_to_what_needs_them(tmp_path: Path) -> None:
    header = "OP Type,Core Type,Count,Ratio(%)"
    assert check(msprof(tmp_path, op_statistic=csv(header, ["a", "AI_CORE", "1", "5"]))) == ""


# --- op_summary alone -------------------------------------------------------------------------


def test_a_row_that_repeats_the_one_before_is_refused(tmp_path: Path) -> None:
    text = op_summary(*OPS)
    rows = text.splitlines(keepends=True)
    found = check(msprof(tmp_path, op_summary="".join([*rows[:3], *rows[2:]])))
    assert found == f"{S}: row 3 repeats row 2; the file was edited, record again"


@pytest.mark.parametrize(
    "rows",
    [
        # Two tasks that start together and take equally long.
        [CPU, replace(CPU, stream="3")],
        [CPU, replace(CPU, device="1")],
        [CPU, replace(CPU, duration=8000)],
    ],
)
def test_tasks_that_start_together_are_no_repetition(tmp_path: Path, rows: Sequence[Op]) -> None:
    assert check(msprof(tmp_path, op_summary=op_summary(*rows))) == ""


@pytest.mark.parametrize(("waits", "repeats"), [("37.5 37.5", True), ("37.5 0", False)])
def test_without_ids_the_wait_tells_a_repetition(tmp_path: Path, waits: str, repeats: bool) -> None:
    rows = [replace(CPU, more={"Wait Time(us)": wait}) for wait in waits.split()]
    found = check(msprof(tmp_path, op_summary=op_summary(*rows, form="level0")))
    assert ("row 2 repeats row 1" in found) is repeats


def test_a_file_that_passed_through_other_hands_is_taken_as_it_is(tmp_path: Path) -> None:
    rows = op_summary(CPU, *OPS).splitlines(keepends=True)
    assert check(msprof(tmp_path, op_summary="".join([*rows[:2], *rows[1:]]))) == ""


def test_without_times_nothing_repeats(tmp_path: Path) -> None:
    assert check(msprof(tmp_path, op_summary="Op Name,Stream ID,Task ID\na,1,1\na,1,1\n")) == ""


# --- task_time --------------------------------------------------------------------------------

EVENTS = [Op("", "EVENT_RECORD", 0, 10), Op("", "PROFILING_DISABLE", 90_000, 0)]


@pytest.mark.parametrize(
    ("summary", "tasks"),
    [
        (OPS, [*EVENTS, *OPS]),
        # FFTS+ sub tasks are left out of task_time.
        (OPS, [*OPS[1:], *EVENTS]),
        # The starts differ by a nanosecond, as in a recorded profile.
        (OPS, [replace(op, start=int(op.start) + 1) for op in OPS]),
        (OPS, [replace(op, duration=int(op.duration) + 1) for op in OPS]),
        # Level 0: the hardware's names for cores, no names in op_summary.
        (
            [replace(op, type="N/A", core="N/A") for op in OPS],
            [replace(op, core="KERNEL_AIVEC") for op in OPS],
        ),
        # The kernels of a collective stand in task_time alone.
        ([*OPS, REDUCE], [*OPS, *(Op("", "AI_VECTOR_CORE", 61_000 + i, 5) for i in range(9))]),
        # Tables that count time from different zeros.
        ([replace(op, start=int(op.start) + 10**15) for op in OPS], OPS),
        ([replace(op, start="N/A") for op in OPS], OPS),
        (OPS, EVENTS),
        ([*OPS, *(replace(op, device="1") for op in OPS)],) * 2,
    ],
)
def test_a_task_time_that_agrees_passes(
    tmp_path: Path, summary: Sequence[Op], tasks: Sequence[Op]
) -> None:
    home = msprof(tmp_path, op_summary=op_summary(*summary), task_time=task_time(*tasks))
    assert check(home) == ""


@pytest.mark.parametrize(
    ("summary", "message"),
    [
        (CONV, f"{S}: 3 compute kernels on device 0, but {TT} has 5"),
        (
            [*CONV, *RELU[:1], replace(RELU[1], duration=698), CPU],
            f"{S}: the task that starts at 1784177503948033.147 us took 0.698 us, but 0.700 us "
            f"in {TT}",
        ),
        (
            [*CONV, *RELU, replace(CPU, duration=900_000)],
            f"{S}: a task ends at 1784177503948943.147 us, but the last one of {TT} "
            "at 1784177503948069.147 us",
        ),
    ],
)
def test_a_task_time_that_knows_better_is_an_error(
    tmp_path: Path, summary: Sequence[Op], message: str
) -> None:
    tasks = task_time(*EVENTS[:1], *OPS, Op("", "EVENT_WAIT", 70_000, 16_000))
    home = msprof(tmp_path, op_summary=op_summary(*summary), task_time=tasks)
    assert check(home) == message + EDITED


def test_task_time_is_compared_by_device_where_both_name_it(tmp_path: Path) -> None:
    ops = [replace(op, device=device) for device in "01" for op in OPS]
    fewer = [op for op in ops if op.type != "Relu" or op.device == "0"]
    home = msprof(tmp_path, op_summary=op_summary(*fewer), task_time=task_time(*ops))
    assert check(home) == f"{S}: 3 compute kernels on device 1, but {TT} has 5{EDITED}"


def test_a_task_time_that_names_no_device_is_compared_as_a_whole(tmp_path: Path) -> None:
    ops = [replace(op, device="3") for op in OPS]
    unnamed = task_time(*OPS, device=False)
    home = msprof(tmp_path, op_summary=op_summary(*ops), task_time=unnamed)
    assert check(home) == ""
    msprof(tmp_path, op_summary=op_summary(*ops[2:]))
    assert check(home) == f"{S}: 3 compute kernels on device 3, but {TT} has 5{EDITED}"


def test_the_task_time_of_the_first_310_is_no_list_of_tasks(tmp_path: Path) -> None:
    table = csv("Time(%),Time(us),Count,Type,Op Name", ["1", "2", "3", "a", "b"])
    assert check(msprof(tmp_path, op_summary=op_summary(*OPS), task_time=table)) == ""


# --- step_trace -------------------------------------------------------------------------------


def trace(tmp_path: Path, *ids: tuple[int | str, int | str]) -> str:
    rows = [(0, model, iteration, 1000, 900) for model, iteration in ids]
    found = check(msprof(tmp_path, step_trace=step_trace(*rows)))
    return found.removeprefix("step_trace_20260101000000.csv:").strip()


@pytest.mark.parametrize(
    "ids",
    [
        [(1, 1), (1, 2), (1, 3)],
        [(1, 2), (1, 1)],
        [(1, 0), (1, 1), (2, 1)],
        [("N/A", 1), ("N/A", 1), (4294967295, 7)],
        [(1, "N/A"), (1, "N/A")],
    ],
)
def test_iterations_without_a_hole_pass(
    tmp_path: Path, ids: Sequence[tuple[int | str, int | str]]
) -> None:
    assert trace(tmp_path, *ids) == ""


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (
            [(1, 1), (1, 3)],
            "iteration 2 is missing of model 1; the file was cut or edited, record again",
        ),
        (
            [(2, 1), (1, 1), (1, 2), (1, 2)],
            "iteration 2 is there twice of model 1; the file was cut or edited, record again",
        ),
        (
            [(2, 1), (1, 3), (1, 2)],
            "iteration 1 is missing of model 1; the file was cut or edited, record again",
        ),
        ([(1, 1), ("N/A", 2)], "3: the row has no model_id; other rows have one"),
        ([(1, 1), (1, "N/A")], "3: the row has no iteration_id; other rows have one"),
    ],
)
def test_iterations_with_a_hole_are_refused(
    tmp_path: Path, ids: Sequence[tuple[int | str, int | str]], message: str
) -> None:
    assert trace(tmp_path, *ids) == message


def timed(tmp_path: Path, *rows: tuple[int | str, int | str, int | str]) -> str:
    """Check iterations of a model by number, end and time in ns."""
    table = step_trace(*((0, 1, number, end, time) for number, end, time in rows))
    return check(msprof(tmp_path, step_trace=table))


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 50_000, 50_000), (2, 90_000, 30_000)],
        # They touch, by 1 us at most.
        [(1, 50_000, 50_000), (2, 90_000, 41_000)],
        [(2, 90_000, 30_000), (1, 50_000, 50_000)],
        [(1, 50_000, 50_000), (2, 90_000, "N/A")],
        [(1, "N/A", 50_000), (2, 90_000, 80_000)],
        # Times since the boot may be ticks.
        [(1, 50_000 - FIRST_NS, 50_000), (2, 90_000 - FIRST_NS, 80_000)],
    ],
)
def test_iterations_one_after_the_other(
    tmp_path: Path, rows: list[tuple[int | str, int | str, int | str]]
) -> None:
    assert timed(tmp_path, *rows) == ""


@pytest.mark.parametrize(
    ("rows", "line", "took"),
    [
        ([(1, 50_000, 50_000), (2, 90_000, 41_001)], 3, "41.001"),
        ([(3, 150_000, 500_000), (1, 50_000, 50_000), (2, 90_000, 9)], 2, "500.000"),
    ],
)
def test_iterations_at_the_same_time(
    tmp_path: Path, rows: list[tuple[int | str, int | str, int | str]], line: int, took: str
) -> None:
    assert timed(tmp_path, *rows) == (
        f"step_trace_20260101000000.csv:{line}: iteration {rows[line - 2][0]} of model 1 took "
        f"{took} us, and so began before the one before it had ended; "
        "the file was edited, record again"
    )


def test_models_iterate_at_the_same_time(tmp_path: Path) -> None:
    rows = [(0, 1, 1, 50_000, 50_000), (0, 2, 1, 50_000, 50_000), (1, 1, 1, 50_000, 50_000)]
    ops = op_summary(Op(), Op(device="1"))
    assert check(msprof(tmp_path, step_trace=step_trace(*rows), op_summary=ops)) == ""


# --- step_trace_time --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ops", "rows"),
    [
        (OPS, [("0", "1", "70")]),
        (OPS, [("-1", "1", "70")]),
        (OPS, [("0", "", "9")]),
        (OPS, [("0", "1", "70"), ("0", "2", "N/A")]),
        # What lies outside of the steps may take as long as it will.
        ([Op(), replace(CPU, step="N/A")], [("0", "1", "2")]),
        ([replace(CPU, step="N/A")], [("0", "1", "2")]),
        ([Op(duration="N/A")], [("0", "1", "2")]),
    ],
)
def test_a_step_trace_time_that_agrees_passes(
    tmp_path: Path, ops: Sequence[Op], rows: Sequence[tuple[str, str, str]]
) -> None:
    details = op_summary(*ops, form="torch")
    assert (
        check(torch(tmp_path, kernel_details=details, step_trace_time=step_trace_time(*rows))) == ""
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("0", "1", "3"), ("0", "2", "4.999")],
            "kernel_details.csv: a task of 9.000 us, but all steps of step_trace_time.csv took "
            f"7.999 us{EDITED}",
        ),
        (
            [("0", "2", "70")],
            "kernel_details.csv: rows of step 1, which step_trace_time.csv does not have" + EDITED,
        ),
        (
            [("0", "1", "70"), ("0", "1", "70")],
            "step_trace_time.csv:3: a second row for 1; the file was edited, record again",
        ),
    ],
)
def test_a_step_trace_time_that_contradicts_is_an_error(
    tmp_path: Path, rows: Sequence[tuple[str, str, str]], message: str
) -> None:
    details = op_summary(*OPS, form="torch")
    home = torch(tmp_path, kernel_details=details, step_trace_time=step_trace_time(*rows))
    assert check(home) == message


# --- api_statistic ----------------------------------------------------------------------------

API = ("host", "acl", "aclmdlExecute", "6", "2", "3", "2", "4")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([API, ("host", "model", *API[2:])], ""),
        ([API, API], "3: a second row for acl aclmdlExecute; the file was edited, record again"),
        (
            [(*API[:3], "60", *API[4:])],
            "2: 2 calls cannot take 60.000 us with 3.000 us as their avg; "
            "the file was edited, record again",
        ),
    ],
)
def test_api_statistic(tmp_path: Path, rows: Sequence[Sequence[str]], message: str) -> None:
    found = check(msprof(tmp_path, api_statistic=api_statistic(*rows)))
    assert found.removeprefix("api_statistic_20260101000000.csv:") == message


@pytest.mark.parametrize(
    ("table", "lost", "column"),
    [
        ("op_statistic", "Count", "count"),
        ("op_statistic", "Core Type", "task_type"),
        ("task_time", "kernel_type", "kernel_type"),
        ("task_time", "task_time(us)", "task_time_us"),
    ],
)
def test_a_table_without_a_column_to_check_by_is_refused(
    tmp_path: Path, table: str, lost: str, column: str
) -> None:
    whole = {"op_statistic": op_statistic(*OPS), "task_time": task_time(*OPS)}
    damaged = {**whole, table: whole[table].replace(lost, "Renamed", 1)}
    found = check(msprof(tmp_path, op_summary=op_summary(*OPS), **damaged))
    assert f"no column for {column}, with which op_summary is checked; there is " in found
