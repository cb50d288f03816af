"""What the pipeline adds to its stages; the plugin's tests run the whole of it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from profile_tables import Op, msprof, op_summary

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.model import Case, CaseResult, Collected, Limit, LongOp, Selector, Wanted
from pytest_npuperf.pipeline import Profiles, Recordings, Request, gate
from pytest_npuperf.profile import Profile, open_profile
from pytest_npuperf.units import Dimension

OPS = [
    Op("Conv2D", "AI_CORE", 0, 900, name="conv1"),
    Op("Conv2D", "AI_CORE", 1000, 800, name="conv2"),
    Op("MatMulV2", "AI_CORE", 2000, 700, name="fc"),
    Op("Cast", "AI_CPU", 3000, 100, name="cast"),
]
CONV1 = LongOp("conv1", "Conv2D", "AI_CORE", 900)
CONV2 = LongOp("conv2", "Conv2D", "AI_CORE", 800)
FC = LongOp("fc", "MatMulV2", "AI_CORE", 700)
CAST = LongOp("cast", "Cast", "AI_CPU", 100)

CPU_RULE = Wanted("ops", "count", Selector(task_type=("AI_CPU",)))
NO_CPU = Limit(CPU_RULE, Dimension.COUNT, equal=Fraction(0))
KERNELS = Limit(Wanted("kernel_time"), Dimension.TIME, at_most=Fraction(2499))
COUNT = Limit(Wanted("kernel_count"), Dimension.COUNT, at_most=Fraction(3))


def gated(tmp_path: Path, rounds: list[list[Op]], *limits: Limit) -> CaseResult:
    paths = [
        msprof(tmp_path / f"round_{number}", op_summary=op_summary(*ops))
        for number, ops in enumerate(rounds, 1)
    ]
    case = Case("resnet50", limits=limits)
    folder = tmp_path / "out"
    request = Request("test_it", case.name, lambda _: case, folder, tmp_path, tmp_path / "dev")
    return gate(request, Profiles(Recordings()), Collected(tuple(paths), "replay"))


def longest(result: CaseResult) -> list[tuple[LongOp, ...]]:
    return [measured.lanes["0"].longest for measured in result.rounds]


def test_the_operators_of_the_failed_limits_are_named_the_worst_first(tmp_path: Path) -> None:
    result = gated(tmp_path, [OPS], KERNELS, NO_CPU)
    # A count beyond zero is infinitely far beyond it.
    assert longest(result) == [(CAST, CONV1, CONV2, FC)]
    (written,) = json.loads((tmp_path / "out" / "result.json").read_bytes())["rounds"]
    assert [op["name"] for op in written["0"]["longest"]] == ["cast", "conv1", "conv2", "fc"]


def test_each_round_names_its_own(tmp_path: Path) -> None:
    slower = [*OPS[:3], Op("Cast", "AI_CPU", 3000, 200, name="cast")]
    result = gated(tmp_path, [OPS, slower], NO_CPU)
    assert longest(result) == [(CAST,), (LongOp("cast", "Cast", "AI_CPU", 200),)]


def test_a_failure_that_is_not_about_operators_names_none(tmp_path: Path) -> None:
    within = Limit(KERNELS.wanted, Dimension.TIME, at_most=Fraction(2500))
    assert longest(gated(tmp_path, [OPS], COUNT, within)) == [()]


def test_a_rank_that_goes_while_the_profile_is_opened_is_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = msprof(tmp_path / "round_1", op_summary=op_summary(*OPS))

    def open_late(path: Path, one_run: bool) -> Profile:
        profile = open_profile(path, one_run=one_run)
        next(folder.rglob("*.csv")).unlink()
        return profile

    monkeypatch.setattr("pytest_npuperf.pipeline.opened.open_profile", open_late)
    with pytest.raises(ProfileError) as caught:
        Profiles(Recordings()).open(folder, "replay")
    assert str(caught.value) == (
        f"{folder}: files came, went or changed while it was opened; "
        "wait until nothing writes there, and try again"
    )
