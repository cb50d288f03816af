"""Ranks side by side: a copy of another and what is of another job are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from profile_tables import FIRST_NS, Op, op_statistic, op_summary, torch, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile

HOUR = 3600 * 10**9
ONE = op_summary(Op(), form="torch")
STEPS = "Step,Computing,Communication,Overlapped,Free,Stage,Bubble\n1,2.02,0,0,1,3,0\n"


def fault(path: Path) -> str:
    with pytest.raises(ProfileError) as caught:
        open_profile(path)
    return str(caught.value)


def lanes(path: Path) -> list[str]:
    return [lane.key for lane in open_profile(path).lanes]


# --- copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"kernel_details": ONE}, {"kernel_details": ONE}),
        # What lies beside the same kernels does not make another rank of it.
        (
            {"kernel_details": ONE, "step_trace_time": STEPS},
            {"kernel_details": ONE, "op_statistic": op_statistic(Op())},
        ),
        ({"step_trace_time": STEPS}, {"step_trace_time": STEPS}),
    ],
)
def test_a_rank_that_is_a_copy_of_another(
    tmp_path: Path, first: dict[str, str], second: dict[str, str]
) -> None:
    for rank, tables in enumerate((first, {"kernel_details": op_summary(Op("Two"))}, second)):
        torch(tmp_path / f"rank{rank}_ascend_pt", **tables)
    assert fault(tmp_path) == (
        f"{tmp_path}/rank2_ascend_pt is a copy of {tmp_path}/rank0_ascend_pt; keep one"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"kernel_details": ONE}, {"kernel_details": op_summary(Op("Two"), form="torch")}),
        # A few ops may take equally long, and steps where the kernels differ.
        (
            {"op_statistic": op_statistic(Op())},
            {"op_statistic": op_statistic(Op())},
        ),
        (
            {"kernel_details": ONE, "step_trace_time": STEPS},
            {"kernel_details": op_summary(Op(start=5), form="torch"), "step_trace_time": STEPS},
        ),
    ],
)
def test_ranks_that_are_no_copies(
    tmp_path: Path, first: dict[str, str], second: dict[str, str]
) -> None:
    for rank, tables in enumerate((first, second)):
        torch(tmp_path / f"rank{rank}_ascend_pt", **tables)
    assert lanes(tmp_path) == ["0/0", "1/0"]


# --- ranks of different jobs ------------------------------------------------------------------


def ranks(path: Path, *starts: int | str) -> Path:
    """Write a rank for each start of a task of 1 us, ns."""
    for rank, start in enumerate(starts):
        torch(
            path / f"rank{rank}_ascend_pt",
            kernel_details=op_summary(Op(f"Op{rank}", start=start), form="torch"),
        )
    return path


@pytest.mark.parametrize(
    "starts",
    [
        (0, 5),
        # Ranks need not work at the same time, nor need the clocks of their hosts agree.
        (HOUR + 1000, 0),
        (0, HOUR, 2 * HOUR),
        (0, "N/A"),
        ("N/A", "N/A"),
        # Times since the boots of two hosts.
        (1000 - FIRST_NS, 9 * HOUR - FIRST_NS),
    ],
)
def test_ranks_of_one_job(tmp_path: Path, starts: tuple[int | str, ...]) -> None:
    assert lanes(ranks(tmp_path, *starts)) == [f"{rank}/0" for rank in range(len(starts))]


@pytest.mark.parametrize(
    ("starts", "late", "hours"),
    [
        ((0, HOUR + 1001), 1, 1),
        ((26 * HOUR, 5, HOUR), 0, 24),
        # One without times does not hold the others together.
        ((0, "N/A", 3 * HOUR), 2, 2),
    ],
)
def test_ranks_that_worked_at_other_times(
    tmp_path: Path, starts: tuple[int | str, ...], late: int, hours: int
) -> None:
    names = ", ".join(f"rank{rank}_ascend_pt" for rank in range(len(starts)))
    assert fault(ranks(tmp_path, *starts)) == (
        f"{tmp_path}: ranks of different jobs side by side: rank{late}_ascend_pt began {hours} h "
        f"after the others had ended ({names}); keep the ranks of one"
    )


def test_a_rank_that_worked_all_the_time_holds_others_together(tmp_path: Path) -> None:
    ranks(tmp_path, 1000, 3 * HOUR)
    long = op_summary(Op("Long", duration=3 * HOUR), form="torch")
    torch(tmp_path / "rank7_ascend_pt", kernel_details=long)
    assert lanes(tmp_path) == ["0/0", "1/0", "7/0"]


def say(path: Path, *releases: object) -> None:
    for rank, release in enumerate(releases):
        info = {"rank_id": rank, "cann_version": release}
        write(path / f"rank{rank}_ascend_pt", {f"profiler_info_{rank}.json": json.dumps(info)})


@pytest.mark.parametrize(
    "releases",
    [
        ("8.3.RC1", "8.3.RC1"),
        ("8.3.RC1", None),
        ("not known", "8.3.RC1"),
        ("", "8.3.RC1"),
        (8, "8.3.RC1"),
    ],
)
def test_ranks_with_one_release_of_cann(tmp_path: Path, releases: tuple[object, object]) -> None:
    say(ranks(tmp_path, 0, 5), *releases)
    assert lanes(tmp_path) == ["0/0", "1/0"]


def test_ranks_with_two_releases_of_cann(tmp_path: Path) -> None:
    say(ranks(tmp_path, 0, 5, 9), None, "8.3.RC1", "8.5\x1b")
    assert fault(tmp_path) == (
        f"{tmp_path}: ranks of different jobs side by side: rank1_ascend_pt was recorded with "
        "CANN 8.3.RC1, rank2_ascend_pt with CANN 8.5\\x1b; keep the ranks of one"
    )


def test_what_came_from_one_start_of_the_app_is_not_compared(tmp_path: Path) -> None:
    assert len(open_profile(ranks(tmp_path, 0, 9 * HOUR), one_run=True).lanes) == 2
