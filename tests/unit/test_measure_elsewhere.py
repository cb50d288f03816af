"""What one lane lacks, and another has."""

from __future__ import annotations

from pathlib import Path

import pytest
from profile_tables import Op, api_statistic, msprof, op_statistic, op_summary, torch

from pytest_npuperf.measure import Measurer, measure
from pytest_npuperf.model import Selector, StepOptions, Wanted
from pytest_npuperf.profile import open_profile

ADD = Wanted("ops", "total", Selector(type=("Add",)))
NOTHING = "no row of op_summary is type=Add"


def reasons(path: Path, wanted: Wanted = ADD) -> list[str]:
    lanes = measure(open_profile(path), [wanted]).lanes.values()
    return [lane.values[wanted].reason for lane in lanes]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["Add"], [""]),
        (["AddN"], [f"{NOTHING}; near it: AddN"]),
        # What is near is of the lane itself, and no help where another one has it.
        (["Add", "Mul"], ["", f"{NOTHING}; lane 0/0 has it"]),
        (["AddN", "Add"], [f"{NOTHING}; lane 0/1 has it", ""]),
        (["Mul", "AddN"], [NOTHING, f"{NOTHING}; near it: AddN"]),
        (["Add", "Add", "Mul"], ["", "", f"{NOTHING}; lanes 0/0 and 0/1 have it"]),
        (["Add", "Add", "Add", "Mul"], [*[""] * 3, f"{NOTHING}; lanes 0/0, 0/1 and 0/2 have it"]),
        (
            ["Add", "Add", "Add", "Add", "Add", "Mul"],
            [*[""] * 5, f"{NOTHING}; lanes 0/0, 0/1, 0/2 and 2 more have it"],
        ),
    ],
)
@pytest.mark.parametrize("table", ["op_summary", "op_statistic"])
def test_the_lanes_that_have_it_are_named(
    tmp_path: Path, types: list[str], expected: list[str], table: str
) -> None:
    ops = [Op(type_, start=2000 * i, device=str(i)) for i, type_ in enumerate(types)]
    text = op_summary(*ops) if table == "op_summary" else op_statistic(*ops)
    found = reasons(msprof(tmp_path, **{table: text}))
    assert found == [reason.replace("op_summary", table) for reason in expected]


def test_a_lane_of_another_rank_is_named(tmp_path: Path) -> None:
    for rank, type_ in enumerate(("Add", "Mul")):
        details = op_summary(Op(type_, duration=1000 + rank), form="torch")
        folder = torch(
            tmp_path / f"host_{rank}_20260101000000000_ascend_pt", kernel_details=details
        )
        (folder / f"profiler_info_{rank}.json").write_text(f'{{"rank_id": {rank}}}')
    nothing = "no row of kernel_details is type=Add"
    assert reasons(tmp_path) == ["", f"{nothing}; lane 0/0 has it"]


def test_where_it_cannot_be_measured_no_lane_is_named(tmp_path: Path) -> None:
    ops = [Op("Add", duration="N/A"), Op("Mul", start=2000, device="1")]
    absent = "op_summary has no Task Duration(us) in 1 of 1 row, first in row 1"
    assert reasons(msprof(tmp_path, op_summary=op_summary(*ops))) == [absent, NOTHING]


def test_an_api_of_another_process_is_named(tmp_path: Path) -> None:
    for number, name in enumerate(("aclmdlExecute", "aclrtMalloc"), start=1):
        msprof(
            tmp_path / str(number),
            op_summary=op_summary(Op(start=number, duration=1000 + number)),
            api_statistic=api_statistic(("host", "acl", name, "10", "4", "2.5", "1", "5")),
        )
        home = next((tmp_path / str(number)).iterdir())
        home.rename(tmp_path / home.name.replace("PROF_000001", f"PROF_00000{number}"))
    wanted = Wanted("apis", "total", Selector(name=("aclmdlExecute",)))
    nothing = "no row of api_statistic is name=aclmdlExecute"
    assert reasons(tmp_path, wanted) == ["", f"{nothing}; lane 0/0 has it"]


def test_what_was_asked_for_before_changes_nothing(tmp_path: Path) -> None:
    ops = [Op("Add"), Op("Mul", start=2000, device="1")]
    measurer = Measurer(open_profile(msprof(tmp_path, op_summary=op_summary(*ops))), StepOptions())
    first = measurer.measure([ADD]).lanes
    count = Wanted("kernel_count")
    assert [lane.values[count].value for lane in measurer.measure([count]).lanes.values()] == [1, 1]
    assert measurer.measure([ADD]).lanes == first
