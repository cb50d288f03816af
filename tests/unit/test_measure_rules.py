"""Rules over operators and APIs, from tables of single calls and from tables of totals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from profile_tables import OP_STATISTIC, Op, api_statistic, csv, msprof, op_statistic, op_summary

from pytest_npuperf.catalogue import API_STATISTICS, FROM_OP_STATISTIC, METRICS, OP_STATISTICS
from pytest_npuperf.measure import measure
from pytest_npuperf.model import OpRow, Selector, StepOptions, Value, Wanted
from pytest_npuperf.profile import open_profile

OPS = [
    Op("Conv2D", "AI_CORE", 0, 1000, name="a/conv"),
    Op("Conv2D", "AI_CORE", 2000, 3000, name="b/conv"),
    Op("Conv2D", "MIX_AIC", 6000, 2000, name="a/conv[1]"),
    Op("Cast", "AI_VECTOR_CORE", 9000, 500, name="a/cast"),
    Op("Where", "AI_CPU", 10_000, 3500, name="where"),
    Op("hcom_allReduce_", "COMMUNICATION", 20_000, 40_000, name="hcom_allReduce__1"),
]
CONV = Selector(type=("Conv2D",))


def value(path: Path, wanted: Wanted, steps: int | None = None) -> Value:
    measured = measure(open_profile(path), [wanted], StepOptions(steps=steps))
    return measured.lanes["0"].values[wanted]


def rule(path: Path, statistic: str, select: Selector = CONV, steps: int | None = None) -> Value:
    return value(path, Wanted("ops", statistic, select), steps)


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    return msprof(tmp_path, op_summary=op_summary(*OPS))


@pytest.fixture
def statistic(tmp_path: Path) -> Path:
    return msprof(tmp_path, op_statistic=op_statistic(*OPS))


# --- op_summary -------------------------------------------------------------------------------

STATISTICS = {
    "total": (6000, 3),
    "mean": (2000, 3),
    "p50": (2000, 3),
    "p90": (2800, 3),
    "p95": (2900, 3),
    "p99": (2980, 3),
    "min": (1000, 3),
    "max": (3000, 3),
    "share": (Fraction(6, 10), 3),
    "count": (3, 6),
    "total_per_step": (1500, 3),
    "count_per_step": (Fraction(3, 4), 6),
}


@pytest.mark.parametrize("name", OP_STATISTICS)
def test_every_statistic_of_a_rule(summary: Path, name: str) -> None:
    found = rule(summary, name, steps=4)
    assert (found.value, found.samples) == STATISTICS[name]
    assert found.coverage == 1


@pytest.mark.parametrize(
    ("select", "total"),
    [
        (Selector(type=("Conv*",)), 6000),
        (Selector(type=("Conv2D", "Cast")), 6500),
        (Selector(type=("?ast",)), 500),
        (Selector(name=("a/*",)), 3500),
        (Selector(name=("a/conv[1]",)), 2000),
        (Selector(task_type=("AI_*",)), 8000),
        (Selector(task_type=("AI_*",), not_type=("Conv2D", "Wh*")), 500),
        (Selector(type=("Conv2D",), not_name=("a/*",)), 3000),
        (Selector(type=("Conv2D",), task_type=("MIX_AIC",), name=("*",)), 2000),
        (Selector(not_type=("hcom_*",)), 10_000),
        (Selector(), 50_000),
        (Selector(type=("hcom*",)), 40_000),
    ],
)
def test_selectors(summary: Path, select: Selector, total: int) -> None:
    assert rule(summary, "total", select).value == total


@pytest.mark.parametrize("name", sorted(set(OP_STATISTICS) - {"count", "count_per_step"}))
def test_a_rule_that_selects_nothing_is_not_measured(summary: Path, name: str) -> None:
    found = rule(summary, name, Selector(type=("conv2d", "Casts")), steps=1)
    assert found.value is None
    assert found.reason == ("no row of op_summary is type=conv2d,Casts; near it: Conv2D, Cast")


def test_without_anything_near_the_reason_says_less(summary: Path) -> None:
    select = Selector(type=("*zzzz*",), not_name=("a/conv",))
    assert rule(summary, "total", select).reason == (
        "no row of op_summary is type=*zzzz* not_name=a/conv"
    )


@pytest.mark.parametrize("table", ["op_summary", "op_statistic"])
def test_counting_what_is_not_there_gives_zero(tmp_path: Path, table: str) -> None:
    text = op_summary(*OPS) if table == "op_summary" else op_statistic(*OPS)
    path = msprof(tmp_path, **{table: text})
    assert rule(path, "count", Selector(type=("None",))).value == 0
    assert rule(path, "count", Selector(task_type=("DVPP",))).value == 0


HEALTHY = [
    Op("Conv2D", "AI_CORE", 0, 1000),
    Op("conv2d", "NEW_CORE", 2000, 3000),
    Op("Cast", "NEW_CORE", 6000, 500),
]
"""No op on the AI CPU, and a core that a later release may bring."""


@pytest.mark.parametrize("name", ["count", "count_per_step"])
@pytest.mark.parametrize("table", ["op_summary", "op_statistic"])
@pytest.mark.parametrize(
    ("select", "reason"),
    [
        (Selector(task_type=("AI_CPU",)), ""),
        (Selector(task_type=("KERNEL_AICPU", "HCCL")), ""),
        (Selector(task_type=("ai*cpu", "ai_cp?")), ""),
        (Selector(task_type=("NEW_CORE",), type=("Conv2D",)), ""),
        (Selector(type=("conv2d",), task_type=("AI_CORE",)), ""),
        (Selector(type=("con*2d",), task_type=("AI_CORE",)), ""),
        (
            Selector(task_type=("ai_cpu",)),
            "task_type=ai_cpu, and that is no task type that is known; did you mean AI_CPU?",
        ),
        (
            Selector(task_type=("DVPP", "AICPU")),
            "task_type=AICPU, and that is no task type that is known; did you mean AI_CPU?",
        ),
        (
            Selector(task_type=("AI CPU",)),
            "task_type=AI CPU, and that is no task type that is known; did you mean AI_CPU?",
        ),
        (
            Selector(task_type=("NEW_CORES",)),
            "task_type=NEW_CORES, and that is no task type that is known; did you mean NEW_CORE?",
        ),
        (
            Selector(task_type=("zzzz",)),
            "task_type=zzzz, and that is no task type that is known",
        ),
        (Selector(task_type=("new_core",)), "task_type=new_core; did you mean NEW_CORE?"),
        (Selector(type=("None", "CAST")), "type=CAST; did you mean Cast?"),
    ],
)
def test_a_misspelled_text_is_not_counted_as_none(
    tmp_path: Path, table: str, name: str, select: Selector, reason: str
) -> None:
    text = op_summary(*HEALTHY) if table == "op_summary" else op_statistic(*HEALTHY)
    found = rule(msprof(tmp_path, **{table: text}), name, select, steps=1)
    if reason:
        assert (found.value, found.reason) == (None, f"no row of {table} is {reason}")
    else:
        assert found.value == 0


def test_a_misspelled_name_is_not_counted_as_none(summary: Path) -> None:
    found = rule(summary, "count", Selector(name=("A/Conv",)))
    assert found.reason == "no row of op_summary is name=A/Conv; did you mean a/conv?"
    # What is written right is there, and only the other key says that none is meant.
    assert rule(summary, "count", Selector(name=("a/conv",), type=("Cast",))).value == 0


def test_what_is_left_out_by_a_misspelled_text_is_counted(summary: Path) -> None:
    assert rule(summary, "count", Selector(type=("None",), not_type=("cast",))).value == 0


@pytest.mark.parametrize("name", ["count", "total", "p50", "share"])
@pytest.mark.parametrize(
    ("change", "select", "reason"),
    [
        (
            {"type": "N/A"},
            CONV,
            "op_summary has no OP Type in 1 of 6 rows, first in row 4",
        ),
        (
            {"type": "N/A"},
            Selector(not_type=("Cast",)),
            "op_summary has no OP Type in 1 of 6 rows, first in row 4",
        ),
        (
            {"core": "N/A"},
            Selector(task_type=("AI_CPU",)),
            "op_summary has no Task Type in 1 of 6 rows, first in row 4",
        ),
        (
            {"name": ""},
            Selector(name=("a/*",)),
            "op_summary has no Op Name in 1 of 6 rows, first in row 4",
        ),
    ],
)
def test_a_row_that_does_not_say_what_it_is(
    tmp_path: Path, change: dict[str, str], select: Selector, reason: str, name: str
) -> None:
    cast = replace(OPS[3], **change)  # type: ignore[arg-type]
    rows = [*OPS[:3], cast, *OPS[4:]]
    found = rule(msprof(tmp_path, op_summary=op_summary(*rows)), name, select)
    assert (found.value, found.reason) == (None, reason)


@pytest.mark.parametrize("name", ["count", "total"])
@pytest.mark.parametrize("key", ["type", "not_type", "task_type"])
def test_level_0_cannot_answer_by_type(tmp_path: Path, name: str, key: str) -> None:
    rows = [replace(op, type="N/A", core="N/A") for op in OPS[:5]]
    path = msprof(tmp_path, op_summary=op_summary(*rows, form="level0"))
    found = rule(path, name, Selector(**{key: ("AI_CPU",)}))
    header = "Accelerator Core" if key == "task_type" else "Type"
    assert found.value is None
    assert found.reason == f"op_summary has no {header} in 5 of 5 rows, first in row 1"
    assert rule(path, "total", Selector(name=("a/*",))).value == 3500


def test_a_selector_whose_column_is_not_there(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(*OPS).replace("OP Type", "Kind"))
    assert rule(path, "count").reason == 'op_summary has no column "OP Type"'


def test_only_selected_rows_need_a_duration(tmp_path: Path) -> None:
    rows = [replace(op, duration="N/A") if op.type == "Cast" else op for op in OPS]
    path = msprof(tmp_path, op_summary=op_summary(*rows))
    assert rule(path, "total").value == 6000
    assert rule(path, "count", Selector(type=("Cast",))).value == 1
    for name, select in (("total", Selector(type=("C*",))), ("share", CONV)):
        assert "has no Task Duration(us) in 1 of " in rule(path, name, select).reason


def test_a_share_of_nothing(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op(duration=0)))
    assert rule(path, "share").reason == (
        "op_summary has a kernel_time of 0 ns, of which nothing is a share"
    )


# --- PMU columns ------------------------------------------------------------------------------


def pmu(tmp_path: Path, cells: Sequence[str], column: str = "aic_mac_ratio", **more: str) -> Value:
    rows = [
        Op(start=i * 5000, duration=1000 * (i + 1), more={"aic_mac_ratio": cell, **more})
        for i, cell in enumerate(cells)
    ]
    path = msprof(tmp_path, op_summary=op_summary(*rows, Op("Relu", start=999_000)))
    return value(path, Wanted("ops", None, CONV, column))


def test_a_pmu_mean_is_weighted_by_duration(tmp_path: Path) -> None:
    found = pmu(tmp_path, ["0.1", "0.4"])
    assert found == Value(Fraction(3, 10), 2)


def test_a_pmu_mean_is_exact_beyond_64_bits(tmp_path: Path) -> None:
    found = pmu(tmp_path, ["9000000000000", "9000000000000"])
    assert found.value == 9 * 10**12


@pytest.mark.parametrize(
    ("column", "name"),
    [("cube_utilization", "cube_utilization(%)"), ("aicore_time", "aicore_time(us)")],
)
def test_the_unit_of_a_pmu_column_may_be_left_out(tmp_path: Path, column: str, name: str) -> None:
    assert pmu(tmp_path, ["0.5"], column, **{name: "7.25"}).value == Fraction(29, 4)


@pytest.mark.parametrize(("there", "is_enough"), [(19, True), (949, False), (950, True)])
def test_a_pmu_mean_needs_95_percent_of_the_rows(
    tmp_path: Path, there: int, is_enough: bool
) -> None:
    whole = 20 if there == 19 else 1000
    found = pmu(tmp_path, ["0.5"] * there + ["N/A"] * (whole - there))
    if is_enough:
        assert (found.value, found.samples) == (Fraction(1, 2), there)
        assert found.coverage == Fraction(there, whole)
    else:
        assert found.value is None
        assert found.reason == (
            f"op_summary has aic_mac_ratio in {there} of {whole} rows; 95 % are needed"
        )


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (
            "aic_mac_ration",
            'op_summary has no PMU column "aic_mac_ration"; near it: aic_mac_ratio',
        ),
        ("zzzz", 'op_summary has no PMU column "zzzz"'),
        ("op_name", "op_summary has texts in op_name, not numbers"),
    ],
)
def test_a_column_that_is_no_pmu_column(tmp_path: Path, column: str, reason: str) -> None:
    assert pmu(tmp_path, ["0.5"], column).reason == reason


def test_pmu_means_of_nothing(tmp_path: Path, statistic: Path) -> None:
    path = msprof(tmp_path / "b", op_summary=op_summary(Op(duration=0)))
    wanted = Wanted("ops", None, CONV, "aic_mac_ratio")
    assert value(path, wanted).reason == (
        "the selected rows took 0 ns, so no mean can be weighted by duration"
    )
    none = replace(wanted, select=Selector(type=("Conv3D",)))
    assert value(path, none).reason == ("no row of op_summary is type=Conv3D; near it: Conv2D")
    assert value(statistic, wanted).reason == (
        "PMU columns need op_summary, which the profile does not have"
    )


# --- op_statistic alone -----------------------------------------------------------------------


@pytest.mark.parametrize("name", OP_STATISTICS)
def test_what_totals_answer(statistic: Path, name: str) -> None:
    found = rule(statistic, name, steps=4)
    if name in FROM_OP_STATISTIC:
        assert found.value == STATISTICS[name][0]
    else:
        assert found.reason == f"op_statistic has totals only; {name} needs op_summary"


SCALARS = {"kernel_time": 10_000, "kernel_count": 5, "ai_core_time": 6500, "ai_cpu_time": 3500}


@pytest.mark.parametrize("name", [name for name, m in METRICS.items() if "op_summary" in m.needs])
def test_metrics_that_totals_answer(statistic: Path, name: str) -> None:
    found = value(statistic, Wanted(name), steps=4)
    base = name.removesuffix("_per_step")
    if base in SCALARS:
        assert found.value == Fraction(SCALARS[base], 4 if base != name else 1)
    else:
        assert found.reason == (f"{base} needs op_summary, and the profile has only op_statistic")


def test_totals_leave_out_what_is_no_work(tmp_path: Path) -> None:
    table = op_statistic(*OPS, Op("Conv2D", "WRITE_BACK", duration=7))
    path = msprof(tmp_path, op_statistic=table)
    assert rule(path, "total").value == 6000
    assert value(path, Wanted("kernel_time")).value == 10_000


def test_totals_by_type_and_core(statistic: Path) -> None:
    (lane,) = measure(open_profile(statistic), []).lanes.values()
    assert lane.ops == (
        OpRow("Conv2D", "AI_CORE", 2, 4000),
        OpRow("Where", "AI_CPU", 1, 3500),
        OpRow("Conv2D", "MIX_AIC", 1, 2000),
        OpRow("Cast", "AI_VECTOR_CORE", 1, 500),
    )


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        (Selector(type=("Conv3D",)), "no row of op_statistic is type=Conv3D; near it: Conv2D"),
        (Selector(name=("a/*",)), "op_statistic does not tell name; op_summary would"),
        (Selector(not_name=("a/*",)), "op_statistic does not tell not_name; op_summary would"),
    ],
)
def test_what_totals_cannot_select(statistic: Path, select: Selector, reason: str) -> None:
    assert rule(statistic, "total", select).reason == reason


@pytest.mark.parametrize(
    ("rows", "wanted", "reason"),
    [
        (
            [["0", "a", "AI_CPU", "0", "0", "0", "0", "0", "0"]],
            Wanted("ops", "mean", Selector(type=("a",))),
            "op_statistic has no call of which to take the mean",
        ),
        (
            [["0", "a", "AI_CPU", "0", "0", "0", "0", "0", "0"]],
            Wanted("ops", "share", Selector(type=("a",))),
            "op_statistic has a kernel_time of 0 ns",
        ),
        (
            [["0", "a", "AI_CPU", "1", "5", "N/A", "5", "5", "100"]],
            Wanted("ops", "min", Selector(type=("a",))),
            "op_statistic has no min_time_us in row 1",
        ),
        (
            [["0", "a", "N/A", "1", "5", "5", "5", "5", "100"]],
            Wanted("ai_cpu_time"),
            "op_statistic has no task_type in row 1",
        ),
    ],
)
def test_what_totals_lack(
    tmp_path: Path, rows: Sequence[Sequence[str]], wanted: Wanted, reason: str
) -> None:
    path = msprof(tmp_path, op_statistic=csv(OP_STATISTIC, *rows))
    assert value(path, wanted).reason == reason


def test_a_column_that_totals_lack(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_statistic=csv("OP Type,Count", ["a", "1"]))
    assert value(path, Wanted("kernel_time")).reason == "op_statistic has no column task_type"
    assert rule(path, "total", Selector(type=("a",))).reason == (
        "op_statistic has no column total_time_us"
    )


# --- APIs -------------------------------------------------------------------------------------

APIS = [
    ("host", "acl", "aclmdlExecute", "10", "4", "2.5", "1", "5"),
    ("host", "acl", "aclrtMalloc", "3", "1", "3", "3", "3"),
    ("host", "runtime", "MemCopySync", "6", "2", "3", "2", "4"),
]


@pytest.mark.parametrize(
    ("select", "numbers"),
    [
        (Selector(name=("aclmdlExecute",)), (10_000, 2500, 1000, 5000, 4)),
        (Selector(api_level=("acl",)), (13_000, 2600, 1000, 5000, 5)),
        (Selector(name=("*",), api_level=("run*",)), (6000, 3000, 2000, 4000, 2)),
        (Selector(not_name=("acl*",)), (6000, 3000, 2000, 4000, 2)),
    ],
)
def test_every_statistic_of_an_api_rule(
    tmp_path: Path, select: Selector, numbers: tuple[int, ...]
) -> None:
    path = msprof(tmp_path, api_statistic=api_statistic(*APIS))
    found = [value(path, Wanted("apis", name, select), steps=2).value for name in API_STATISTICS]
    total, count = Fraction(numbers[0]), Fraction(numbers[-1])
    assert found == [*numbers, total / 2, count / 2]


def test_apis_of_old_releases(tmp_path: Path) -> None:
    header = "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID"
    rows = [
        ["aclmdlExecute", "ACL_MODEL", "2.29", "3128.72", "1", *["3128.72"] * 3, "8", t]
        for t in "12"
    ]
    path = msprof(tmp_path, acl_statistic=csv(header, *rows))
    select = Selector(name=("aclmdl*",), api_level=("ACL_MODEL",))
    assert value(path, Wanted("apis", "total", select)).value == 6_257_440


def test_apis_belong_to_the_process_whatever_its_devices(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=5, device="1"))
    path = msprof(tmp_path, op_summary=ops, api_statistic=api_statistic(*APIS))
    wanted = Wanted("apis", "count", Selector(api_level=("acl",)))
    lanes = measure(open_profile(path), [wanted]).lanes
    assert [lane.values[wanted].value for lane in lanes.values()] == [5, 5]


def test_apis_that_are_not_there(tmp_path: Path) -> None:
    path = msprof(tmp_path, api_statistic=api_statistic(*APIS))
    select = Selector(name=("aclmdlExecut",))
    assert value(path, Wanted("apis", "total", select)).reason == (
        "no row of api_statistic is name=aclmdlExecut; near it: aclmdlExecute"
    )
    for key, glob, meant in (("name", "aclRTMalloc", "aclrtMalloc"), ("api_level", "ACL", "acl")):
        wanted = Wanted("apis", "count", Selector(**{key: (glob,)}))
        assert value(path, wanted).reason == (
            f"no row of api_statistic is {key}={glob}; did you mean {meant}?"
        )


@pytest.mark.parametrize(
    ("key", "glob", "meant"),
    [
        ("name", "aclmdlExecut", "aclmdlExecute"),
        ("name", "aclmdlExecutte", "aclmdlExecute"),
        ("name", "aclmdlExacute", "aclmdlExecute"),
        ("name", "aclmdlExectue", "aclmdlExecute"),
        ("api_level", "runtme", "runtime"),
    ],
)
def test_an_api_written_with_a_slip_is_not_counted_as_none(
    tmp_path: Path, key: str, glob: str, meant: str
) -> None:
    path = msprof(tmp_path, api_statistic=api_statistic(*APIS))
    wanted = Wanted("apis", "count", Selector(**{key: (glob,)}))
    assert value(path, wanted).reason == (
        f"no row of api_statistic is {key}={glob}; did you mean {meant}? if not, write {glob}*"
    )


@pytest.mark.parametrize(
    "glob",
    ["aclmdlExecut*", "aclmdlExecuteAsync", "aclmdlExecute2", "aclmdlXxecute", "aclmdlExcut", "x"],
)
def test_another_api_is_counted_as_none(tmp_path: Path, glob: str) -> None:
    rows = [row for row in APIS if row[2] != "aclmdlExecute"] if "*" in glob else APIS
    path = msprof(tmp_path, api_statistic=api_statistic(*rows))
    assert value(path, Wanted("apis", "count", Selector(name=(glob,)))).value == 0


def test_ops_of_almost_the_same_type_are_different_ones(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=op_summary(Op("Sub")))
    assert value(path, Wanted("ops", "count", Selector(type=("Sum",)))).value == 0


def test_a_profile_without_apis(summary: Path) -> None:
    wanted = Wanted("apis", "count", Selector(name=("a",)))
    assert value(summary, wanted).reason == (
        "the profile has neither api_statistic nor acl_statistic"
    )
