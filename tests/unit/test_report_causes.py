"""The table of where a changed time comes from."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pytest_npuperf.model import (
    CaseResult,
    Cause,
    CauseKind,
    LaneMeasurement,
    Measurement,
    Verdict,
)
from pytest_npuperf.report.causes import causes, signed
from pytest_npuperf.text import columns

US = 1000
SHAPES = "32,256,4096;4096,4096"


def cause(
    kind: CauseKind, type_: str, before: tuple[int, int], now: tuple[int, int], **more: str
) -> Cause:
    """Return a part by its calls and time (us) on both sides."""
    return Cause(
        kind=kind,
        type=type_,
        core=more.get("core", "AI_CORE"),
        shapes=more.get("shapes", ""),
        dtypes="",
        before_count=before[0],
        count=now[0],
        before_total=before[1] * US,
        total=now[1] * US,
        from_core=more.get("from_core", ""),
    )


def case(*lanes: Sequence[Cause]) -> CaseResult:
    keys = ["0"] if len(lanes) == 1 else [f"{rank}/{rank}" for rank in range(len(lanes))]
    measured = Measurement({key: LaneMeasurement({}) for key in keys})
    of = {key: tuple(each) for key, each in zip(keys, lanes, strict=True)}
    return CaseResult("m", "", Verdict.FAILED, "run", rounds=(measured,), causes=of)


MOVED = cause(CauseKind.MOVED, "Cast", (2, 10), (2, 60), core="AI_CPU", from_core="AI_VECTOR_CORE")
SLOWER = cause(CauseKind.SLOWER, "MatMulV2", (4, 100), (4, 130), shapes=SHAPES)
GONE = cause(CauseKind.VANISHED, "Fused", (1, 30), (0, 0))
REDUCE = cause(CauseKind.SLOWER, "hcom_allReduce_", (4, 50), (4, 70), core="COMMUNICATION")


def test_each_part_is_a_row_and_they_sum_to_the_change() -> None:
    assert causes(case([MOVED, GONE]), 100) == [
        "kernel_time changed by +20.0 us, of it:",
        "    change  what      op type  core     from             calls                time",
        "  +50.0 us  moved     Cast     AI_CPU   AI_VECTOR_CORE       2  10.0 us -> 60.0 us",
        "  -30.0 us  vanished  Fused    AI_CORE                  1 -> 0     30.0 us -> 0 ns",
    ]
    assert causes(case([SLOWER]), 100)[1:] == [
        "    change  what    op type   core     calls              time  shapes",
        "  +30.0 us  slower  MatMulV2  AI_CORE      4  100 us -> 130 us  32,256,4096;4096,4096",
    ]


@pytest.mark.parametrize("nothing", [case([]), case([], [])])
def test_without_causes_there_is_no_table(nothing: CaseResult) -> None:
    assert causes(nothing, 100) == []


def test_what_does_not_fit_is_told_together() -> None:
    many = [cause(CauseKind.SLOWER, f"Op{n}", (1, 100), (1, 100 + n)) for n in range(9, 0, -1)]
    lines = causes(case(many), 100)
    assert lines[0] == "kernel_time changed by +45.0 us, of it:"
    assert [line.split()[0] for line in lines[2:]] == [
        "+9.00",
        "+8.00",
        "+7.00",
        "+6.00",
        "+5.00",
        "+10.0",
    ]
    assert lines[-1] == "  +10.0 us  4 more"
    assert len(causes(case(many[:5]), 100)) == 2 + 5


def test_of_a_time_that_is_better_the_largest_part_is_first_either_way() -> None:
    lines = causes(case([SLOWER, GONE, cause(CauseKind.FASTER, "Add", (1, 90), (1, 10))]), 100)
    assert lines[0] == "kernel_time changed by -80.0 us, of it:"
    assert [line.split()[2] for line in lines[2:]] == ["faster", "slower", "vanished"]


def test_parts_that_cancel_out_are_told_too() -> None:
    assert causes(case([SLOWER, GONE]), 60)[0] == "kernel_time changed by 0 ns, of it:"


def test_collectives_are_no_part_of_the_kernels() -> None:
    lines = causes(case([SLOWER, REDUCE]), 80)
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == [
        "kernel_time changed by +30.0 us, of it:",
        "communication changed by +20.0 us, of it:",
    ]
    assert causes(case([REDUCE]), 80)[0] == heads[1]


def test_lanes_are_named_where_there_are_several() -> None:
    lines = causes(case([SLOWER], [], [GONE, REDUCE]), 80)
    assert [line for line in lines if not line.startswith(" ")] == [
        "kernel_time on lane 0/0 changed by +30.0 us, of it:",
        "kernel_time on lane 2/2 changed by -30.0 us, of it:",
        "communication on lane 2/2 changed by +20.0 us, of it:",
    ]


def test_names_are_made_safe_and_no_name_is_said() -> None:
    odd = cause(CauseKind.NEW, "a\x1b[31m\n", (0, 0), (1, 5), core="\u202ecore", shapes="\t1")
    lines = causes(case([odd, cause(CauseKind.NEW, "", (0, 0), (1, 4), core="")]), 100)
    assert lines[2:] == [
        r"  +5.00 us  new   a\x1b[31m\n  \u202ecore  0 -> 1  0 ns -> 5.00 us  \t1",
        r"  +4.00 us  new   (no type)                0 -> 1  0 ns -> 4.00 us",
    ]


LONG = cause(
    CauseKind.FEWER_CALLS,
    "MaxPoolGradWithArgmaxV1DataFormatNHWC",
    (100, 3000),
    (50, 1500),
    core="AI_VECTOR_CORE",
    from_core="KERNEL_MIX_AIC",
    shapes=SHAPES * 3,
)
CJK = cause(CauseKind.SLOWER, "矩阵乘法算子" * 6, (1, 9), (1, 10), shapes="形" * 30)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_is_wider_than_asked_for(width: int) -> None:
    lines = causes(case([MOVED, LONG, CJK]), width)
    assert max(map(columns, lines)) <= width
    assert any("AI_VECTOR_CORE" in line for line in lines)


@pytest.mark.parametrize(
    ("ns", "text"), [(0, "0 ns"), (1, "+1.00 ns"), (-1, "-1.00 ns"), (1_320_000, "+1.32 ms")]
)
def test_a_change_has_its_sign(ns: int, text: str) -> None:
    assert signed(ns) == text
