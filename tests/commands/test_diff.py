"""``npuperf diff``: exit statuses, what is printed, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from profile_tables import Op, msprof, op_statistic, op_summary, step_trace, torch
from profile_tables import write as write_files
from trace_files import complete, process

from pytest_npuperf import __version__, results
from pytest_npuperf.collect.manifest import Manifest, write_manifest
from pytest_npuperf.commands import diff
from pytest_npuperf.commands.cli import main
from pytest_npuperf.judge import judge, worst
from pytest_npuperf.model import (
    Case,
    CaseResult,
    LaneMeasurement,
    Limit,
    Measurement,
    OpRow,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.text import columns
from pytest_npuperf.units import Dimension

Diff = Callable[..., tuple[int, str, str]]
Captured = pytest.CaptureFixture[str]

US = 1000


def ops(conv: int = 100, add: int = 20, **more: Any) -> list[Op]:
    """Return a convolution and an addition; times in us."""
    return [
        Op("Conv2D", duration=conv * US, more=shapes("1,3;64,3"), **more),
        Op("Add", "AI_VECTOR_CORE", 2000 * US, add * US, "add_1", more=shapes("64,3"), **more),
    ]


def shapes(text: str) -> dict[str, str]:
    return {"Input Shapes": f'"""{text}"""'}


def profile(folder: Path, rows: Sequence[Op], **tables: str) -> Path:
    return msprof(folder, op_summary=op_summary(*rows), op_statistic=op_statistic(*rows), **tables)


def rounds(folder: Path, *conv: int) -> Path:
    for number, time in enumerate(conv, 1):
        profile(folder / f"round_{number}", ops(time))
    return folder


def ranks(folder: Path, *conv: int) -> Path:
    """Write what torch_npu leaves of several ranks."""
    for rank, time in enumerate(conv):
        rank_folder = folder / f"rank{rank}_1_20260101000000000_ascend_pt"
        rows = ops(time, device=str(rank))
        torch(rank_folder, kernel_details=op_summary(*rows, form="torch"))
        (rank_folder / f"profiler_info_{rank}.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.fixture
def compared(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> Diff:
    """Return a function that compares what lies at A and B; it gives the status and outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*more: str, sides: tuple[str, str] = ("A", "B")) -> tuple[int, str, str]:
        status = main(["diff", *sides, *more])
        return (status, *capsys.readouterr())

    return run


@pytest.fixture
def both(tmp_path: Path, compared: Diff) -> Diff:
    """Return a function that writes two profiles, and compares them."""

    def run(before: Sequence[Op], now: Sequence[Op], *more: str) -> tuple[int, str, str]:
        profile(tmp_path / "A", before)
        profile(tmp_path / "B", now)
        return compared(*more)

    return run


def table(out: str) -> list[list[str]]:
    """Return the words of each row of numbers."""
    lines = out.split("\n\n")[1].splitlines()[1:]
    return [line.split() for line in lines if not line.startswith(("note:", "next:", " "))]


def refused(done: tuple[int, str, str]) -> str:
    status, out, err = done
    assert (status, out, err.count("\n")) == (4, "", 1)
    return err.removeprefix("npuperf: ").removesuffix("\n")


# --- two profiles -----------------------------------------------------------------------------

FEW = "note: 1 round against 1 cannot tell noise from change\n"


def test_what_is_slower_is_worse_and_its_op_is_named(both: Diff) -> None:
    assert both(ops(100), ops(130, 19)) == (
        1,
        "A  A\n"
        "B  B\n"
        "\n"
        "verdict  number             A       B   change  allowed\n"
        "worse    kernel_time   120 us  149 us  +24.2 %    5.0 %\n"
        "same     kernel_count       2       2      0 %      0 %\n"
        f"{FEW}"
        "\n"
        "kernel_time changed by +29.0 us, of it:\n"
        "    change  what    op type  core            calls                time  shapes\n"
        "  +30.0 us  slower  Conv2D   AI_CORE             1    100 us -> 130 us  1,3;64,3\n"
        "  -1.00 us  faster  Add      AI_VECTOR_CORE      1  20.0 us -> 19.0 us  64,3\n",
        "",
    )


def test_the_same_is_the_same(both: Diff) -> None:
    status, out, err = both(ops(), ops())
    assert (status, err) == (0, "")
    assert out.endswith(f"same     kernel_count       2       2     0 %      0 %\n{FEW}")
    assert table(out)[0] == ["same", "kernel_time", "120", "us", "120", "us", "0", "%", "5.0", "%"]


def test_what_is_faster_is_better(both: Diff) -> None:
    status, out, _ = both(ops(130), ops(100))
    assert status == 0
    assert table(out)[0][:2] == ["better", "kernel_time"]
    assert "not told from noise" not in out


def test_parts_of_a_time_that_has_not_changed_are_no_causes(both: Diff) -> None:
    status, out, _ = both(ops(100, 20), ops(90, 32))
    assert status == 0
    assert [row[0] for row in table(out)] == ["same", "same"]
    lines = out.split("\n\n")[2].splitlines()
    assert lines[:2] == [
        "not told from noise, as no change is beyond what is allowed:",
        "kernel_time changed by +2.00 us, of it:",
    ]
    assert [line.split()[2] for line in lines[3:]] == ["slower", "faster"]


@pytest.mark.parametrize(("now", "status"), [(105, 0), (106, 1)])
def test_a_change_as_large_as_is_allowed_is_no_regression(
    both: Diff, now: int, status: int
) -> None:
    assert (
        both([Op(duration=100 * US)], [Op(duration=now * US)], "--max-regression=5%")[0] == status
    )


@pytest.mark.parametrize(("now", "status"), [(15_000, 0), (15_001, 1)])
def test_a_time_of_a_few_us_never_counts(both: Diff, now: int, status: int) -> None:
    found, out, _ = both([Op(duration=10_000)], [Op(duration=now)])
    assert found == status
    assert (
        "note: 1 round against 1 cannot tell noise from change; the change is within" in out
    ) is (status == 0)


def test_an_allowed_change_that_rounds_tell_is_no_noise(tmp_path: Path, compared: Diff) -> None:
    rounds(tmp_path / "A", 200, 201, 199, 202, 200)
    rounds(tmp_path / "B", 240, 241, 239, 242, 240)
    status, out, _ = compared("--max-regression", "50 %")
    assert (status, table(out)[0][0]) == (0, "same")
    assert out.split("\n\n")[2].splitlines()[:2] == [
        "told from noise, and within what is allowed:",
        "kernel_time changed by +40.0 us, of it:",
    ]
    assert json.loads(compared("--max-regression", "50 %", "--json")[1])["told_from_noise"]
    # The way back is as sure, and no more than is allowed either.
    out = compared("--max-regression", "50 %", sides=("B", "A"))[1]
    assert "\ntold from noise, and within what is allowed:\n" in out


def test_one_round_tells_no_allowed_change_from_noise(both: Diff) -> None:
    status, out, _ = both(ops(100), ops(140), "--max-regression", "50 %")
    assert (status, table(out)[0][0]) == (0, "same")
    assert out.split("\n\n")[2].startswith(
        "not told from noise, as no change is beyond what is allowed:\n"
        "kernel_time changed by +40.0 us, of it:\n"
    )


@pytest.mark.parametrize("metric", ["kernel_time", "compute_time", "busy_time", "window_time"])
@pytest.mark.parametrize("sides", [("A", "B"), ("B", "A")])
def test_kernels_that_take_no_time_are_not_better(
    both: Diff, compared: Diff, sides: tuple[str, str], metric: str
) -> None:
    both([Op(duration=100 * US)], [Op(duration=0)])
    status, out, _ = compared("--metric", metric, sides=sides)
    assert (status, table(out)[0][:2]) == (2, ["not", "measured"])
    assert "op_summary has 1 task that takes 0 ns" in out


def test_totals_of_kernels_that_take_no_time_are_not_better(tmp_path: Path, compared: Diff) -> None:
    for side, time in (("A", 100), ("B", 0)):
        msprof(tmp_path / side, op_statistic=op_statistic(Op(duration=time)))
    status, out, _ = compared()
    assert (status, table(out)[0][:2]) == (2, ["not", "measured"])
    assert "note: B: op_statistic has 1 task that takes 0 ns\n" in out


@pytest.mark.parametrize(
    ("share", "status"), [("0 %", 1), ("3.9 %", 1), ("4 %", 0), ("0.1%", 1), ("200 %", 0)]
)
def test_how_much_worse_a_time_may_be(both: Diff, share: str, status: int) -> None:
    before, now = [Op(duration=1000 * US)], [Op(duration=1040 * US)]
    assert both(before, now, "--max-regression", share)[0] == status


@pytest.mark.parametrize("share", ["5 %", "500 %"])
def test_no_count_may_be_worse_at_all(both: Diff, share: str) -> None:
    more = [*ops(), Op("Cast", start=3000 * US, duration=10, name="cast")]
    status, out, _ = both(ops(), more, "--max-regression", share)
    assert status == 1
    assert [row[:2] for row in table(out)] == [["same", "kernel_time"], ["worse", "kernel_count"]]
    assert "+10.0 ns  new   Cast " in out
    assert "not told from noise" not in out
    status, out, _ = both(more, ops())
    assert status == 0
    assert [row[:2] for row in table(out)] == [["same", "kernel_time"], ["better", "kernel_count"]]
    assert "not told from noise" not in out


def test_rounds_tell_noise_from_change(tmp_path: Path, compared: Diff) -> None:
    rounds(tmp_path / "A", 200, 201, 199, 202, 200)
    rounds(tmp_path / "B", 240, 241, 239, 242, 240)
    status, out, _ = compared()
    assert status == 1
    assert out.startswith("A  A (5 rounds)\nB  B (5 rounds)\n\nverdict  number ")
    assert table(out)[0][:8] == ["worse", "kernel_time", "220", "us", "260", "us", "+18.2", "%"]
    assert "note" not in out
    assert "of it:\n    change  what    op type " in out


def test_what_noise_hides_is_unclear(tmp_path: Path, compared: Diff) -> None:
    rounds(tmp_path / "A", 200, 300, 220, 280)
    rounds(tmp_path / "B", 210, 310, 250, 290)
    status, out, _ = compared()
    assert status == 2
    assert table(out)[0][:2] == ["unclear", "kernel_time"]
    assert "not told from noise" in out


def test_a_round_that_lacks_a_number_is_not_passed_over(tmp_path: Path, compared: Diff) -> None:
    rounds(tmp_path / "A", 200, 200)
    rounds(tmp_path / "B", 200)
    for path in (tmp_path / "A" / "round_2").rglob("*.csv"):
        path.unlink()
    steps = step_trace((0, 1, 1, 100, 100))
    msprof(tmp_path / "A" / "round_2", step_trace=steps)
    missing = "the profile has neither op_summary nor op_statistic"
    status, out, _ = compared()
    assert status == 2
    assert f"note: A does not have it: {missing}\n" in out
    assert table(out)[0][:6] == ["not", "measured", "kernel_time", "-", "220", "us"]
    status, out, _ = compared(sides=("B", "A"))
    assert status == 2
    assert f"note: B: {missing}\n" in out
    assert table(out)[0][:5] == ["not", "measured", "kernel_time", "-", "-"]


# --- lanes ------------------------------------------------------------------------------------


def test_the_worst_lane_decides_and_is_named(tmp_path: Path, compared: Diff) -> None:
    ranks(tmp_path / "A", 100, 100, 100)
    ranks(tmp_path / "B", 100, 150, 102)
    status, out, _ = compared()
    assert status == 1
    assert table(out)[0][:3] == ["worse", "kernel_time", "1/1"]
    heads = [line for line in out.splitlines() if line.endswith("of it:")]
    assert heads == [
        "kernel_time on lane 1/1 changed by +50.0 us, of it:",
    ]
    document = json.loads(compared("--json")[1])
    assert list(document["causes"]) == ["0/0", "1/1", "2/2"]
    assert [len(document["causes"][lane]) for lane in ("0/0", "1/1", "2/2")] == [0, 1, 1]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        (("A", "B"), "B: A has it, and the profile has 0/0, 1/1"),
        (("B", "A"), "A has no lane 2/2"),
    ],
)
def test_a_lane_that_one_side_lacks(
    tmp_path: Path, compared: Diff, sides: tuple[str, str], said: str
) -> None:
    ranks(tmp_path / "A", 100, 100, 100)
    ranks(tmp_path / "B", 100, 100)
    status, out, _ = compared(sides=sides)
    assert status == 2
    assert table(out)[0][:4] == ["not", "measured", "kernel_time", "2/2"]
    assert f"\nnote: {said}\n" in out


def test_one_rank_against_several_is_said(tmp_path: Path, compared: Diff) -> None:
    ranks(tmp_path / "A", 100, 100)
    ranks(tmp_path / "B", 100)
    how = "each is compared with the one of its name; one rank with another by the path of each"
    for sides, here, there in ((("A", "B"), "0", "0/0, 1/1"), (("B", "A"), "0/0, 1/1", "0")):
        status, out, _ = compared(sides=sides)
        assert status == 2
        said = f"note: B has lanes {here}, and A {there}: {how}\n"
        assert said in out.replace("\n      ", " ")
        document = json.loads(compared("--json", sides=sides)[1])
        assert document["differences"] == [said.removeprefix("note: ").rstrip()]
    (rank,) = (tmp_path / "A").glob("rank1*")
    assert compared(sides=(f"A/{rank.name}", "B"))[0] == 0


def test_a_lane_that_is_worse_hides_none_that_is_missing(tmp_path: Path, compared: Diff) -> None:
    ranks(tmp_path / "A", 100, 100, 100)
    ranks(tmp_path / "B", 100, 200)
    assert compared()[0] == 1


# --- profiles of few tables -------------------------------------------------------------------


def test_a_profile_of_single_steps_has_no_totals_but_the_next_command(
    tmp_path: Path, compared: Diff
) -> None:
    for side, time in (("A", 100), ("B", 200)):
        msprof(tmp_path / side, op_summary=op_summary(*ops(time), form="2022"))
    status, out, _ = compared()
    assert status == 2
    reason = "B: the profile holds single steps, not the whole run; write kernel_time_per_step"
    assert f"note: {reason}\n" in out.replace("\n      ", " ")
    command = "npuperf diff A B --metric kernel_time_per_step --metric kernel_count_per_step"
    assert f"next: {command}\n" in out
    status, out, _ = compared(*command.split()[4:])
    assert status == 1
    assert [row[:2] for row in table(out)] == [
        ["worse", "kernel_time_per_step"],
        ["same", "kernel_count_per_step"],
    ]


def test_where_only_one_side_holds_single_steps(tmp_path: Path, compared: Diff) -> None:
    msprof(tmp_path / "A 1", op_summary=op_summary(*ops(), form="2022"))
    profile(tmp_path / "B", ops())
    asked = "--metric kernel_time_per_step --metric kernel_count_per_step"
    for sides, shown in ((("A 1", "B"), "'A 1' B"), (("B", "A 1"), "B 'A 1'")):
        status, out, _ = compared(sides=sides)
        assert status == 2
        assert f"\nnext: npuperf diff {shown} {asked}\n" in out


OPPROF = "OPPROF_20260402160352_ABCDEFGHIJKLMNOP/OpBasicInfo.csv"
KERNEL = "Op Name,Op Type,Task Duration(us),Block Num,Device Id\nadd,vector,100.5,8,0\n"


def test_what_else_both_have_is_said_where_no_kernel_is_told(
    tmp_path: Path, compared: Diff
) -> None:
    trace = json.dumps([*process("CANN"), complete("call", 100)])
    for side in ("A", "B"):
        folder = tmp_path / side / "PROF_1" / "mindstudio_profiler_output"
        write_files(folder, {"msprof_20260101000000.json": trace})
    status, out, _ = compared()
    assert status == 2
    assert "note: both have what --metric can name: timeline_time.LAYER\n" in out
    status, out, _ = compared("--metric", "timeline_time.CANN")
    assert (status, "--metric can name" in out) == (0, False)


def test_kernels_of_msprof_op_are_not_compared(tmp_path: Path, compared: Diff) -> None:
    for side in ("A", "B"):
        write_files(tmp_path / side, {OPPROF: KERNEL})
    status, out, _ = compared()
    assert (status, [row[:2] for row in table(out)]) == (2, [["not", "measured"]] * 2)
    assert "note: B: the profile has neither op_summary nor op_statistic\n" in out
    assert "note: no metric is of what both have; npuperf show tells what that is\n" in out


def test_op_statistic_alone_is_enough(tmp_path: Path, compared: Diff) -> None:
    for side, time in (("A", 100), ("B", 200)):
        msprof(tmp_path / side, op_statistic=op_statistic(*ops(time)))
    status, out, _ = compared()
    assert status == 1
    assert "  +100 us  slower  Conv2D   AI_CORE      1  100 us -> 200 us\n" in out
    status, out, _ = compared("--metric", "busy_time")
    assert status == 2
    assert "note: B: " in out
    assert "next:" not in out
    others = "kernel_time, kernel_count, ai_core_time, ai_cpu_time"
    assert f"note: both have what --metric can name: {others}\n" in out.replace("\n      ", " ")


def test_level_0_has_times_without_types(tmp_path: Path, compared: Diff) -> None:
    for side, time in (("A", 100), ("B", 200)):
        rows = [Op("N/A", "N/A", duration=time * US, name="a", step="")]
        torch(tmp_path / side, kernel_details=op_summary(*rows, form="level0"))
    status, out, _ = compared()
    assert status == 1
    assert table(out)[0][:2] == ["worse", "kernel_time"]
    assert "kernel_time changed by +100 us, of it:" in out
    assert "(no type)" in out


def test_a_single_table_is_a_profile(tmp_path: Path, compared: Diff) -> None:
    profile(tmp_path / "A", ops())
    (path,) = (tmp_path / "A").rglob("op_statistic*.csv")
    assert compared(sides=("A", str(path)))[0] == 0


def test_two_releases_are_compared_and_it_is_said(tmp_path: Path, both: Diff) -> None:
    for side, known in (("A", {"cann": "8.0.0", "driver": "24.1"}), ("B", {"cann": "8.5.0"})):
        (tmp_path / side).mkdir()
        write_manifest(tmp_path / side, Manifest("2026-01-31", known))
    status, out, _ = both(ops(), ops(200))
    assert status == 1
    assert "note: CANN 8.5.0, A has 8.0.0\nnote: driver unknown, A has 24.1\n" in out


# --- which metric decides ---------------------------------------------------------------------


def test_the_steps_can_decide(tmp_path: Path, compared: Diff) -> None:
    for side, times in (("A", (9, 10, 10, 10)), ("B", (9, 30, 10, 10))):
        trace = [(0, 1, n, n * 4000 * US, t * 100 * US) for n, t in enumerate(times, 1)]
        profile(tmp_path / side, ops(), step_trace=step_trace(*trace))
    status, out, _ = compared("--metric", "step_time.p50")
    assert (status, table(out)[0][:3]) == (0, ["same", "step_time", "p50"])
    status, out, _ = compared("--metric", "step_time.max", "--metric=step_time.count")
    assert status == 1
    assert [row[:3] for row in table(out)] == [
        ["worse", "step_time", "max"],
        ["same", "step_time", "count"],
    ]
    status, out, _ = compared("--metric", "step_time.p90", sides=("A", "A"))
    assert status == 2
    assert table(out)[0][0] == "unclear"
    assert "3 samples are too few for p90, 10 needed" in out


def test_a_metric_that_is_named_twice_is_compared_once(both: Diff) -> None:
    out = both(ops(), ops(), *["--metric", "busy_time"] * 2)[1]
    assert [row[1] for row in table(out)] == ["busy_time"]


def test_a_metric_that_was_0_has_no_change(both: Diff) -> None:
    status, out, _ = both(ops(), ops(), "--metric", "ai_cpu_time")
    assert status == 2
    assert "note: A has 0, and nothing is a share of 0\n" in out


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("kernel_tme", 'is no metric; did you mean "kernel_time"'),
        ("step_time", "write step_time.mean or step_time.p50 or step_time.p90 or "),
        ("step_time.p51", "write step_time.mean or step_time.p50 or step_time.p90 or "),
        ("kernel_time.p50", "write kernel_time"),
        ("timeline_time", "write timeline_time.LAYER"),
        ("", "is no metric; known are kernel_time, kernel_time_per_step, "),
        ("\x1b[31m", "is no metric; known are kernel_time, kernel_time_per_step, "),
    ],
)
def test_what_is_no_metric(compared: Diff, metric: str, said: str) -> None:
    shown = metric.replace("\x1b", r"\x1b")
    assert refused(compared("--metric", metric)).startswith(f"--metric {shown}: {said}")


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ("5", '"5" is not a share; write "5 %"'),
        ("", '"" is not a share; write "5 %"'),
        ("2 points", "'2 points' is a difference; write a share such as '5 %'"),
    ],
)
def test_what_is_no_share(share: str, said: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["diff", "A", "B", "--max-regression", share])
    assert exit_.value.code == 4
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"npuperf: argument --max-regression: {said}"


# --- results ----------------------------------------------------------------------------------

KERNELS = Limit(Wanted("kernel_time"), Dimension.TIME, at_most=Fraction(10**9))
BUSY = Limit(Wanted("busy_time"), Dimension.TIME, at_most=Fraction(10**9))
P50 = Limit(Wanted("step_time", "p50"), Dimension.TIME, at_most=Fraction(10**9))
OWN = Limit(Wanted("custom.speed"), Dimension.NUMBER, at_least=Fraction(1))


def case(name: str, kernels: float | None, *more: Limit, **other: Any) -> CaseResult:
    value = Value(None if kernels is None else Fraction(kernels), reason="no table")
    values = {KERNELS.wanted: value, **{limit.wanted: Value(Fraction(1)) for limit in more}}
    row = OpRow("Conv2D", "AI_CORE", 1, int(kernels or 0), "1,3;64,3")
    found = (Measurement({"0": LaneMeasurement(values, (row,))}),)
    judged = judge(Case(name, limits=(KERNELS, *more)), found, {})
    result = CaseResult(name, "t.py::t", worst(judged), "run", rounds=found, limits=judged)
    return replace(result, **other)


def write(path: Path, *cases: CaseResult) -> None:
    started = datetime(2026, 1, 31, tzinfo=timezone.utc)
    results.write(path, results.document(cases, started, 0))


RESULTS = ("A.json", "B.json")
TIME = ("--metric", "kernel_time")


def test_two_results(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 100 * US))
    write(tmp_path / "B.json", case("m", 150 * US))
    status, out, _ = compared(*TIME, sides=RESULTS)
    assert status == 1
    assert out.startswith("A  A.json\nB  B.json\n")
    assert "  +50.0 us  slower  Conv2D   AI_CORE      1  100 us -> 150 us  1,3;64,3\n" in out


def test_a_result_and_a_profile(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 100 * US))
    profile(tmp_path / "B", ops(150))
    status, out, _ = compared(*TIME, sides=("A.json", "B"))
    assert status == 1
    assert "  +50.0 us  slower  Conv2D   AI_CORE" in out
    assert compared(*TIME, sides=("B", "A.json"))[0] == 0


def test_what_a_result_does_not_have(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 1, P50, OWN))
    write(tmp_path / "B.json", case("m", 1, BUSY))
    assert refused(compared(sides=RESULTS)) == (
        "A.json: m has no kernel_count, as its budget does not limit that; "
        "choose what to compare with --metric, of: kernel_time, step_time.p50"
    )
    chosen = ("--metric", "step_time.p95", "--metric", "busy_time")
    assert refused(compared(*chosen, sides=("B.json", "A.json"))).startswith(
        "B.json: m has no step_time.p95, as its budget "
    )


def test_a_result_of_nothing_that_can_be_compared(tmp_path: Path, compared: Diff) -> None:
    values = {OWN.wanted: Value(Fraction(1))}
    only_own = replace(case("m", 1, OWN), rounds=(Measurement({"0": LaneMeasurement(values)}),))
    write(tmp_path / "A.json", replace(only_own, limits=only_own.limits[1:]))
    assert refused(compared(sides=("A.json", "A.json"))).endswith("with --metric, of: none")


def test_a_number_that_a_result_says_is_missing(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", None))
    write(tmp_path / "B.json", case("m", 5))
    status, out, _ = compared(*TIME, sides=RESULTS)
    assert (status, "note: A does not have it\n" in out) == (2, True)
    status, out, _ = compared(*TIME, sides=RESULTS[::-1])
    assert (status, "note: B: the profile does not have it\n" in out) == (2, True)


@pytest.mark.parametrize("name", ["B.json", "B", "B.json.old"])
@pytest.mark.parametrize(
    "rewritten",
    [
        lambda found: json.dumps(found, sort_keys=True, indent=2),
        lambda found: json.dumps(dict(reversed(found.items()))),
        lambda found: "\ufeff" + json.dumps(found),
    ],
    ids=["sorted", "reversed", "with a mark"],
)
def test_a_result_is_known_by_what_it_holds(
    tmp_path: Path, compared: Diff, name: str, rewritten: Callable[[Any], str]
) -> None:
    write(tmp_path / "A.json", case("m", 100 * US))
    write(tmp_path / name, case("m", 150 * US))
    found = json.loads((tmp_path / name).read_bytes())
    (tmp_path / name).write_text(rewritten(found), encoding="utf-8")
    assert compared(*TIME, sides=("A.json", name))[0] == 1


def test_a_baseline_is_no_side(tmp_path: Path, compared: Diff) -> None:
    (tmp_path / "A.json").write_text('{"format": 1, "case": "m", "sessions": []}')
    assert refused(compared(sides=("A.json", "A.json"))) == (
        "A.json: is a baseline, which pytest compares with, and no result"
    )


def test_a_number_that_was_taken_out_of_a_result(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 100 * US))
    found = json.loads((tmp_path / "A.json").read_bytes())
    del found["cases"][0]["rounds"][0]["0"]["kernel_time"]
    (tmp_path / "B.json").write_text(json.dumps(found))
    assert refused(compared(*TIME, sides=("B.json", "A.json"))) == (
        'B.json: $.cases[0].rounds[0]["0"].kernel_time: is missing, and a limit is on it'
    )


def test_a_case_must_be_chosen_where_there_are_several(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 100), case("n", 10**6), case("m", 100))
    write(tmp_path / "B.json", case("m", 100))
    said = "A.json: has 2 cases, choose one with --case: m, n"
    assert refused(compared(*TIME, sides=RESULTS)) == said
    assert compared(*TIME, "--case", "m", sides=RESULTS)[0] == 0
    said = "B.json: has no case n; it has m"
    assert refused(compared(*TIME, "--case", "n", sides=RESULTS)) == said


def test_a_case_that_several_tests_measured(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 100), case("m", 200, test="t.py::u"))
    assert refused(compared(*TIME, sides=("A.json", "A.json"))) == (
        "A.json: m was measured by t.py::t and, with other numbers, by t.py::u; "
        "run one of them alone, and take its result"
    )


def test_a_result_without_a_measurement(tmp_path: Path, compared: Diff) -> None:
    write(tmp_path / "A.json", case("m", 1, verdict=Verdict.SKIPPED, rounds=(), reason="no NPU"))
    write(tmp_path / "B.json")
    said = "A.json: m was not measured: SKIPPED: no NPU"
    assert refused(compared(*TIME, sides=RESULTS)) == said
    said = "B.json: has no case; no gated test was run"
    assert refused(compared(*TIME, sides=RESULTS[::-1])) == said


def test_a_case_of_two_profiles(both: Diff) -> None:
    said = "--case m: neither side is a result, which has cases"
    assert refused(both(ops(), ops(), "--case", "m")) == said


# --- what cannot be read ----------------------------------------------------------------------


def test_a_side_that_is_not_there(tmp_path: Path, compared: Diff) -> None:
    profile(tmp_path / "A", ops())
    assert refused(compared()).startswith("B: there is no such recording; ")
    assert refused(compared(sides=("B", "A"))).startswith("B: there is no such recording; ")


def test_a_side_that_cannot_be_trusted(tmp_path: Path, both: Diff, compared: Diff) -> None:
    both(ops(), ops())
    (path,) = (tmp_path / "B").rglob("op_summary*.csv")
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    assert refused(compared()).startswith(f"{path.relative_to(tmp_path)}:3: ")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text[:-9], "is not JSON: "),
        (lambda text: text.replace('"format": 1', '"format": 9'), "has format 9, and "),
        (lambda text: text.replace('"exit": 0', '"exit": "0"'), "$.exit: "),
    ],
)
def test_a_result_that_cannot_be_read(
    tmp_path: Path, compared: Diff, change: Callable[[str], str], said: str
) -> None:
    path = tmp_path / "A.json"
    write(path, case("m", 1))
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert refused(compared(*TIME, sides=("A.json", "A.json"))).startswith(f"A.json: {said}")


def test_a_fault_of_our_own_is_not_worse(compared: Diff, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(diff, "compare", fail)
    said = "a fault of npuperf itself, please report it: KeyError('x')"
    assert refused(compared()) == said


# --- the terminal -----------------------------------------------------------------------------

ODD = [
    Op("矩阵乘法算子" * 5, duration=900 * US, more=shapes("形;状" * 20)),
    Op("a\x1b[31mb\u202e", "AI_VECTOR_CORE", 2000 * US, 300 * US, "x"),
    Op("MaxPoolGradWithArgmaxV1", "AI_VECTOR_CORE", 4000 * US, 300 * US, "x"),
]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_lines_fit_and_names_are_harmless(
    both: Diff, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    slower = [replace(op, duration=int(op.duration) * 2) for op in ODD]
    slower[2] = replace(slower[2], core="AI_CPU")
    status, out, _ = both(ODD, slower)
    assert status == 1
    assert max(map(columns, out.splitlines())) <= width
    assert all(line.isprintable() for line in out.splitlines())
    assert r"a\x1b[31mb\u202e" in out
    assert "moved" in out.splitlines()[-3]


def test_a_path_is_harmless(tmp_path: Path, compared: Diff) -> None:
    name = "A\x1b[31m\n"
    profile(tmp_path / name, ops())
    assert compared(sides=(name, name))[1].startswith("A  A\\x1b[31m\\n\nB  A\\x1b[31m\\n\n\n")


# --- as one document --------------------------------------------------------------------------


def schema() -> dict[str, Any]:
    """Return what the document must be like; limits and causes are those of a result."""
    whole = results.schema()
    of_case = whole["properties"]["cases"]["items"]["properties"]
    texts = {"type": "array", "items": {"type": "string"}}
    side = of(
        {
            "path": {"type": "string"},
            "fingerprint": {"$ref": "#/$defs/fingerprint"},
            "rounds": {"type": "integer", "minimum": 1},
            "notes": texts,
        }
    )
    return {
        **of(
            {
                "format": {"const": diff.FORMAT},
                "version": {"const": __version__},
                "before": side,
                "now": side,
                "exit": {"enum": [0, 1, 2]},
                "told_from_noise": {"type": "boolean"},
                "differences": texts,
                "limits": of_case["limits"],
                "causes": of_case["causes"],
            }
        ),
        "$defs": whole["$defs"],
    }


def of(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(("now", "status"), [(100, 0), (200, 1)])
def test_the_document(both: Diff, now: int, status: int) -> None:
    found, out, err = both(ops(100), ops(now), "--json")
    document = json.loads(out)
    jsonschema.validate(document, schema())
    assert (found, err, document["exit"], document["told_from_noise"]) == (
        status,
        "",
        status,
        status == 1,
    )
    assert document["before"] == {"path": "A", "fingerprint": {}, "rounds": 1, "notes": []}
    limit = document["limits"][0]
    assert (limit["metric"], limit["unit"], limit["value"]) == (
        "kernel_time",
        "ns",
        (now + 20) * US,
    )
    assert limit["comparison"]["baseline"] == 120 * US
    deltas = [each["total"] - each["before_total"] for each in document["causes"]["0"]]
    assert deltas == ([100 * US] if status else [])


def test_the_document_of_what_could_not_be_compared(tmp_path: Path, compared: Diff) -> None:
    msprof(tmp_path / "A", op_statistic=op_statistic(*ops()))
    status, out, _ = compared("--json", "--metric", "largest_gap", sides=("A", "A"))
    document = json.loads(out)
    jsonschema.validate(document, schema())
    assert (status, document["exit"]) == (2, 2)
    assert document["limits"][0]["verdict"] == "NOT_MEASURED"


def test_a_count_that_was_0_is_still_a_document(both: Diff) -> None:
    fused = [*ops(), Op("Cast", "AI_CPU", start=3000 * US, duration=9 * US, name="cast")]
    status, out, _ = both(ops(), fused, "--json", "--metric", "kernel_count")
    jsonschema.validate(json.loads(out), schema())
    assert status == 1
