"""``npuperf accept``: what becomes a baseline, what is told of it, and what is refused."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf import results
from pytest_npuperf.commands.cli import main
from pytest_npuperf.judge import Before, judge, worst
from pytest_npuperf.model import (
    Baseline,
    Case,
    CaseResult,
    LaneMeasurement,
    Limit,
    LongOp,
    Measurement,
    OpRow,
    OtherSide,
    Regression,
    Session,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.units import Dimension

Accept = Callable[..., tuple[int, str, str]]
Number = float | Fraction | None
"""What a test says that a number is; times in ns."""

FIVE = Regression(Fraction(5, 100))
KERNELS = Limit(Wanted("kernel_time"), Dimension.TIME, max_regression=FIVE)
COUNT = Limit(Wanted("kernel_count"), Dimension.COUNT, max_regression=Regression(Fraction(0)))
OVERLAP = Limit(
    Wanted("overlap_share"),
    Dimension.SHARE,
    max_regression=Regression(Fraction(2, 100), True),
    better="higher",
)
FUSED = Limit(Wanted("fused_count"), Dimension.COUNT, max_regression=FIVE, better="higher")
IDLE = Limit(Wanted("idle_share"), Dimension.SHARE, max_regression=FIVE)
PEAK = Limit(Wanted("memory_peak"), Dimension.SIZE, max_regression=Regression(Fraction(0)))
SPEED = Limit(
    Wanted("custom.speed"), Dimension.NUMBER, max_regression=FIVE, better="higher", unit="1/s"
)
BUSY = Limit(Wanted("busy_time"), Dimension.TIME, at_most=Fraction(10**7))
P50 = Limit(Wanted("step_time", "p50"), Dimension.TIME, max_regression=FIVE)

FINGERPRINT = {"soc": "Ascend910B3", "cann": "8.0.0", "level": "Level1"}


def ops(values: Mapping[Wanted, Value]) -> tuple[OpRow, ...]:
    """Return what sums to the kernels' time and count, where they are known."""
    time, count = (values.get(each.wanted, Value(None)).value for each in (KERNELS, COUNT))
    total = 900 if time is None else int(time)
    calls = 3 * bool(total) if count is None else int(count)
    return (OpRow("Conv2D", "AI_CORE", calls, total, "1,3;64,3", "FLOAT16"),)


def lane(values: Mapping[Limit, Number | Value]) -> LaneMeasurement:
    found = {limit.wanted: _value(number) for limit, number in values.items()}
    return LaneMeasurement(found, ops(found), (LongOp("conv_1", "Conv2D", "AI_CORE", 500),))


def _value(number: Number | Value) -> Value:
    if isinstance(number, Value):
        return number
    return Value(None if number is None else Fraction(str(number)), reason="it lacks a cell")


def rounds(*values: Mapping[Limit, Number | Value]) -> tuple[Measurement, ...]:
    """Return rounds of one lane."""
    return tuple(Measurement({"0": lane(each)}) for each in values)


def measured(*found: Measurement, limits: Sequence[Limit] = (), **more: Any) -> CaseResult:
    """Return a case whose limits are those of the numbers that were measured."""
    known = {limit.wanted: limit for limit in (*ALL, *limits)}
    wanted = next(iter(found[0].lanes.values())).values
    judged = judge(Case("m", limits=tuple(known[each] for each in wanted)), found, FINGERPRINT)
    verdict = worst(judged)
    case = CaseResult("m", "test_it.py::test_m", verdict, "run", rounds=found, limits=judged)
    return replace(case, **{"fingerprint": FINGERPRINT, **more})


ALL = (KERNELS, COUNT, OVERLAP, FUSED, IDLE, PEAK, SPEED, BUSY, P50)
FIVE_ROUNDS = tuple({KERNELS: 10**6 + n, COUNT: 120} for n in range(5))
USUAL = measured(*rounds(*FIVE_ROUNDS))


def slower(case: CaseResult, by: float) -> CaseResult:
    """Return a case of which each time is longer."""
    values = [each.lanes["0"].values for each in case.rounds]
    scaled = [
        {
            KERNELS: round((value[KERNELS.wanted].value or 0) * Fraction(str(by))),
            COUNT: value[COUNT.wanted].value,
        }
        for value in values
    ]
    return replace(case, rounds=rounds(*scaled))


def write(path: Path, *cases: CaseResult, hour: int = 12) -> Path:
    started = datetime(2026, 1, 31, hour, tzinfo=timezone.utc)
    results.write(path, results.document(cases, started, 1, commit="1f0c3a5d8e7b+"))
    return path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project, and go there."""
    (tmp_path / "pyproject.toml").write_text("[tool.npuperf]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def accept(root: Path, capsys: pytest.CaptureFixture[str]) -> Accept:
    """Return a function that accepts what a result has; it gives the status and both outputs."""

    def run(*cases: CaseResult, more: Sequence[str] = (), hour: int = 12) -> tuple[int, str, str]:
        path = write(root / "result.json", *cases, hour=hour)
        asked = ["accept", str(path), "--case", "m", "--reason", "first one", *more]
        status = main(asked)
        out, err = capsys.readouterr()
        return status, out, err

    return run


def baseline(root: Path, soc: str = "Ascend910B3") -> Baseline | None:
    place = results.baseline_path(root / "baselines", "m", soc)
    return results.read_baseline(place, ALL)


def found(root: Path) -> Baseline:
    kept = baseline(root)
    assert kept is not None
    return kept


def refused(done: tuple[int, str, str]) -> str:
    """Return the one line that says why nothing was accepted."""
    status, out, err = done
    assert (status, out, err.count("\n")) == (1, "", 1)
    return err.removeprefix("npuperf: ").removesuffix("\n")


# --- what is accepted -------------------------------------------------------------------------


def test_the_first_session_is_kept_and_told(root: Path, accept: Accept) -> None:
    assert accept(USUAL) == (
        0,
        "now: result.json, run of 2026-01-31 12:00:00 UTC\n"
        "number        before      now  change\n"
        "kernel_time        -  1.00 ms     new\n"
        "kernel_count       -      120     new\n"
        "baselines/m/Ascend910B3.json: 1 session\n",
        "",
    )
    kept = found(root)
    assert (kept.case, kept.soc) == ("m", "Ascend910B3")
    (session,) = kept.sessions
    assert (session.date, session.commit) == ("2026-01-31T12:00:00Z", "1f0c3a5d8e7b+")
    assert (session.reason, session.fingerprint) == ("first one", FINGERPRINT)
    values = [each.lanes["0"].values[KERNELS.wanted].value for each in session.rounds]
    assert [sum(row.total for row in each.lanes["0"].ops) for each in session.rounds] == values
    assert values == [10**6 + n for n in range(5)]


def test_another_session_is_added_and_the_change_is_told(root: Path, accept: Accept) -> None:
    accept(USUAL)
    assert accept(slower(USUAL, 1.086), hour=13) == (
        0,
        "now: result.json, run of 2026-01-31 13:00:00 UTC\n"
        "number         before      now  change\n"
        "kernel_time   1.00 ms  1.09 ms  +8.6 %\n"
        "kernel_count      120      120     0 %\n"
        "baselines/m/Ascend910B3.json: 2 sessions\n",
        "",
    )
    assert [each.date[11:13] for each in found(root).sessions] == ["12", "13"]


def test_one_session_replaces_all(root: Path, accept: Accept) -> None:
    for hour, by in enumerate((1, 1.01)):
        accept(slower(USUAL, by), hour=hour)
    status, out, _ = accept(slower(USUAL, 0.5), more=["--replace"], hour=13)
    assert (status, out.splitlines()[2:]) == (
        0,
        [
            "kernel_time   1.01 ms  0.500 ms  -50.2 %",
            "kernel_count      120       120      0 %",
            "baselines/m/Ascend910B3.json: 1 session, 2 replaced",
        ],
    )
    assert [each.date[11:13] for each in found(root).sessions] == ["13"]


def test_there_may_be_nothing_to_replace(accept: Accept) -> None:
    status, out, _ = accept(USUAL, more=["--replace"])
    assert (status, out.splitlines()[-1]) == (0, "baselines/m/Ascend910B3.json: 1 session")


def test_the_last_run_is_taken_unless_a_result_is_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root / ".npuperf" / "20260131-110000-9" / "result.json", USUAL, hour=11)
    write(root / ".npuperf" / "20260131-130000-8" / "result.json", USUAL, hour=13)
    assert main(["accept", "--case", "m", "--reason", "r"]) == 0
    assert found(root).sessions[0].date == "2026-01-31T13:00:00Z"
    assert capsys.readouterr().out.splitlines()[0] == (
        "now: .npuperf/20260131-130000-8/result.json, run of 2026-01-31 13:00:00 UTC"
    )


def test_which_run_was_taken_is_told_on_a_narrow_terminal_too(
    accept: Accept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert accept(USUAL)[1].splitlines()[:2] == [
        "now: result.json, run of 2026-01-31",
        "12:00:00 UTC",
    ]


def test_the_settings_may_be_in_another_file(root: Path, accept: Accept) -> None:
    (root / "more").mkdir()
    (root / "more" / "npuperf.toml").write_text('baselines = "kept"\n', encoding="utf-8")
    (root / "pyproject.toml").unlink()
    status, out, _ = accept(USUAL, more=["--config", "more/npuperf.toml"])
    assert (status, out.splitlines()[-1]) == (0, "more/kept/m/Ascend910B3.json: 1 session")


def test_baselines_may_lie_outside_of_the_project(
    root: Path, accept: Accept, tmp_path_factory: pytest.TempPathFactory
) -> None:
    kept = tmp_path_factory.mktemp("kept")
    (root / "pyproject.toml").write_text(f'[tool.npuperf]\nbaselines = "{kept}"\n')
    assert accept(USUAL)[1].splitlines()[-1] == f"{kept}/m/Ascend910B3.json: 1 session"


def test_each_lane_is_a_row(accept: Accept) -> None:
    def both(first: int, second: int) -> CaseResult:
        found = Measurement({"0/0": lane({KERNELS: first}), "1/1": lane({KERNELS: second})})
        return measured(found, found)

    accept(both(100_000, 200_000))
    assert accept(both(100_000, 210_000))[1].splitlines()[1:4] == [
        "number       lane  before     now  change",
        "kernel_time  0/0   100 us  100 us     0 %",
        "kernel_time  1/1   200 us  210 us  +5.0 %",
    ]


def test_a_number_that_the_baseline_lacks_is_new_beside_the_others(accept: Accept) -> None:
    accept(measured(*rounds({KERNELS: 100})))
    out = accept(measured(*rounds({KERNELS: 110, COUNT: 3})))[1]
    assert out.splitlines()[2:4] == [
        "kernel_time   100 ns  110 ns  +10.0 %",
        "kernel_count       -       3      new",
    ]


def test_what_failed_or_is_slower_may_be_accepted_as_well(accept: Accept) -> None:
    failed = measured(*rounds({KERNELS: 10**6, BUSY: 10**9}))
    assert failed.verdict is Verdict.FAILED
    assert accept(failed)[0] == 0


@pytest.mark.parametrize("now", [200_000, 50_000])
def test_a_change_beside_the_sessions_before_it_is_said(
    root: Path, accept: Accept, now: int
) -> None:
    accept(measured(*rounds({KERNELS: 100_000})))
    before = Before(tuple(each.rounds for each in found(root).sessions), "baseline")
    case = measured(*rounds({KERNELS: now}))
    case = replace(case, limits=judge(Case("m", limits=(KERNELS,)), case.rounds, {}, before))
    assert accept(case)[1].splitlines()[3:] == [
        "baselines/m/Ascend910B3.json: 2 sessions",
        "note: kernel_time changed, and the sessions from before it are still in the",
        "baseline; where the change is to stay, accept with --replace",
    ]
    assert accept(case, more=["--replace"])[1].splitlines()[3:] == [
        "baselines/m/Ascend910B3.json: 1 session, 2 replaced"
    ]


def test_a_count_that_was_0_before_may_be_accepted(root: Path, accept: Accept) -> None:
    accept(measured(*rounds({COUNT: 0})))
    now = rounds({COUNT: 5})
    before = Before(tuple(each.rounds for each in found(root).sessions), "baseline")
    limits = judge(Case("m", limits=(COUNT,)), now, FINGERPRINT, before)
    assert [each.comparison.change for each in limits if each.comparison] == [None]
    status, out, _ = accept(replace(measured(*now), limits=limits))
    assert (status, out.splitlines()[2]) == (0, "kernel_count       0    5")


def test_a_number_that_nothing_compares_may_be_missing(root: Path, accept: Accept) -> None:
    case = measured(*rounds({KERNELS: 10**6, BUSY: 7}, {KERNELS: 10**6, BUSY: None}))
    assert accept(case)[0] == 0
    for each in found(root).sessions[0].rounds:
        assert list(each.lanes["0"].values) == [KERNELS.wanted]


def test_other_numbers_are_kept_for_later(root: Path, accept: Accept) -> None:
    assert accept(measured(*rounds({KERNELS: 10**6, BUSY: 7})))[0] == 0
    assert found(root).sessions[0].rounds[0].lanes["0"].values[BUSY.wanted] == Value(Fraction(7))


def test_single_steps_are_kept(root: Path, accept: Accept) -> None:
    steps = Value(Fraction(20), samples=3, data=(10, 20, 90))
    assert accept(measured(*rounds({P50: steps})))[0] == 0
    text = (root / "baselines" / "m" / "Ascend910B3.json").read_text(encoding="utf-8")
    (session,) = json.loads(text)["sessions"]
    assert session["rounds"][0]["0"]["step_time"] == [10, 20, 90]
    assert "longest" not in session["rounds"][0]["0"]


def test_a_reason_is_kept_as_it_was_said_and_nothing_of_it_is_obeyed(
    root: Path, accept: Accept
) -> None:
    odd = " 更快 \x1b[31m\n"
    assert accept(USUAL, more=["--reason", odd])[0] == 0
    assert found(root).sessions[0].reason == odd.strip()
    assert refused(accept(USUAL)).startswith(
        f"{root}/baselines/m/Ascend910B3.json: has these rounds already, accepted as "
        r"'更快 \x1b[31m'; "
    )


@pytest.mark.parametrize("width", [50, 60, 80])
def test_a_long_number_fits(accept: Accept, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    long = replace(SPEED, wanted=Wanted("custom." + "speed" * 40))
    lines = accept(measured(*rounds({long: 100_000}), limits=[long]))[1].splitlines()
    assert lines[2].split()[-1] == "new"
    assert max(map(len, lines)) <= width


# --- what is refused --------------------------------------------------------------------------


def test_a_reason_must_say_something(accept: Accept, root: Path) -> None:
    said = refused(accept(USUAL, more=["--reason", " \t"]))
    assert said == "--reason is blank; say why these numbers are right"
    assert not (root / "baselines").exists()


@pytest.mark.parametrize("missing", ["--case", "--reason"])
def test_what_must_be_given(missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = {"--case": "m", "--reason": "r"}
    del given[missing]
    with pytest.raises(SystemExit) as exit_:
        main(["accept", *(each for pair in given.items() for each in pair)])
    assert exit_.value.code == 4
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"npuperf: the following arguments are required: {missing}"
    )


def test_a_folder_without_settings(root: Path, accept: Accept) -> None:
    (root / "pyproject.toml").unlink()
    assert refused(accept(USUAL)) == (
        "pyproject.toml: has no table [tool.npuperf]; go to the root directory of the project, "
        "or name the file with --config"
    )


def test_a_file_of_settings_that_is_not_there(root: Path, accept: Accept) -> None:
    said = refused(accept(USUAL, more=["--config", "nope"]))
    assert said == "nope: no such file; the settings were to be read from it"
    (root / "other").mkdir()
    (root / "other" / "pyproject.toml").touch()
    said = refused(accept(USUAL, more=["--config", "other/pyproject.toml"]))
    assert said == (
        "other/pyproject.toml: no table [tool.npuperf]; the settings were to be read from it"
    )


def test_nothing_was_run(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accept", "--case", "m", "--reason", "r"]) == 1
    said = f"npuperf: {root}/.npuperf: has no run; run pytest first\n"
    assert capsys.readouterr() == ("", said)


def test_a_result_that_is_not_there(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accept", "nowhere.json", "--case", "m", "--reason", "r"]) == 1
    said = "npuperf: nowhere.json: cannot be read: No such file or directory\n"
    assert capsys.readouterr() == ("", said)


def test_a_case_that_the_result_lacks(root: Path, accept: Accept) -> None:
    other = replace(USUAL, case="other\x07")
    assert refused(accept(other, replace(other, test="t"))) == (
        rf"{root}/result.json: has no case m; it has other\x07"
    )
    assert refused(accept()) == f"{root}/result.json: has no case m; it has none"


def test_long_names_and_many_of_them_are_not_told_whole(root: Path, accept: Accept) -> None:
    others = [replace(USUAL, case=f"{number:04}" + "x" * 3000) for number in range(22)]
    said = refused(accept(*others))
    names = [f"{number:04}{'x' * 44}...{'x' * 49}" for number in range(20)]
    assert said == f"{root}/result.json: has no case m; it has {', '.join(names)}, 2 more cases"


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.SKIPPED])
def test_a_case_that_was_not_measured(root: Path, accept: Accept, verdict: Verdict) -> None:
    reason = "no NPU\nthe log is long"
    case = CaseResult("m", "t", verdict, "", reason=reason, fingerprint=FINGERPRINT)
    said = f"{root}/result.json: m was not measured: {verdict}: no NPU"
    assert refused(accept(case)) == said


def test_a_case_that_was_not_judged(root: Path, accept: Accept) -> None:
    case = replace(USUAL, verdict=Verdict.ERROR, reason="broken off", limits=())
    said = f"{root}/result.json: m was not measured: ERROR: broken off"
    assert refused(accept(case)) == said


def test_several_tests_must_have_measured_the_same(root: Path, accept: Accept) -> None:
    again = replace(USUAL, test="test_it.py::test_again")
    assert accept(replace(USUAL, verdict=Verdict.ERROR, rounds=()), USUAL, again)[0] == 0
    for other in (slower(again, 2), replace(again, fingerprint={"soc": "Ascend910B3"})):
        assert refused(accept(USUAL, other)) == (
            f"{root}/result.json: m was measured by test_it.py::test_m and, with other numbers, "
            "by test_it.py::test_again; run one of them alone, and take its result"
        )


def test_a_case_that_has_its_other_side_in_the_session(root: Path, accept: Accept) -> None:
    case = replace(USUAL, against=OtherSide("old"))
    said = "m: is compared against another side in each session, so it has no use for a baseline"
    assert refused(accept(case)) == said
    # Where the other side could not be measured, only the budget tells.
    budget = '[tool.npuperf.budgets.m]\napp = "new"\nagainst = { app = "old" }\n'
    (root / "pyproject.toml").write_text(budget, encoding="utf-8")
    assert refused(accept(USUAL)) == said
    (root / "pyproject.toml").write_text(budget.replace(".m]", ".n]"), encoding="utf-8")
    assert accept(USUAL)[0] == 0


def test_a_case_that_compares_nothing(accept: Accept) -> None:
    assert refused(accept(measured(*rounds({BUSY: 5})))) == (
        "m: no limit of its budget has max_regression, so nothing would be compared with a baseline"
    )


def test_an_unknown_soc(root: Path, accept: Accept) -> None:
    lacks = f"{root}/result.json: m does not say its SoC, and baselines are kept by SoC; "
    for fingerprint in ({}, {"soc": "", "cann": "8.0.0"}, {"soc": " "}):
        unknown = replace(USUAL, fingerprint=fingerprint)
        assert refused(accept(unknown)) == (
            f"{lacks}let npu-smi tell it where the app runs, and run pytest again"
        )
        replayed = replace(unknown, mode="replay", profiles=("recordings/m/round_1",))
        assert refused(accept(replayed)) == (
            f"{lacks}write it into recordings/m/npuperf-recording.json, and run pytest again"
        )
    assert not (root / "baselines").exists()


@pytest.mark.parametrize("more", [[], ["--replace"]])
def test_another_kind_of_run(root: Path, accept: Accept, more: list[str]) -> None:
    accept(USUAL)
    other = replace(slower(USUAL, 2), fingerprint={"soc": "Ascend910B3", "cann": "8.5.0"})
    assert refused(accept(other, more=more)) == (
        f"{root}/baselines/m/Ascend910B3.json: CANN 8.5.0, the baseline has 8.0.0; "
        "profiling level unknown, the baseline has Level1; "
        "one baseline is of one kind of run: delete the file to begin anew"
    )
    assert len(found(root).sessions) == 1
    (root / "baselines" / "m" / "Ascend910B3.json").unlink()
    assert accept(other)[0] == 0


def test_another_kind_that_another_writer_accepts_meanwhile(
    root: Path, accept: Accept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was not there when the command began, and is when its turn has come."""
    lock = fcntl.flock
    other = Session(USUAL.rounds, "2026-01-31T11:00:00Z", fingerprint={"soc": "Ascend910B3"})

    def after_another(folder: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        place = results.baseline_path(root / "baselines", "m", "Ascend910B3")
        results.add_session(place, "m", "Ascend910B3", other, False)
        lock(folder, how)

    monkeypatch.setattr(fcntl, "flock", after_another)
    assert refused(accept(slower(USUAL, 2))).startswith(
        f"{root}/baselines/m/Ascend910B3.json: CANN 8.0.0, unknown in the baseline; "
    )
    assert [each.fingerprint for each in found(root).sessions] == [other.fingerprint]


def test_a_limit_may_go_and_come_back(root: Path, accept: Accept) -> None:
    accept(USUAL)
    assert accept(measured(*rounds({COUNT: 120})))[0] == 0
    assert accept(slower(USUAL, 2))[0] == 0
    held = [KERNELS.wanted in each.rounds[0].lanes["0"].values for each in found(root).sessions]
    assert held == [True, False, True]


def test_a_full_baseline_loses_its_oldest_session_by_date(root: Path, accept: Accept) -> None:
    """Git puts the sessions of two branches in any order."""
    accept(USUAL)
    place = root / "baselines" / "m" / "Ascend910B3.json"
    document = json.loads(place.read_text(encoding="utf-8"))
    (one,) = document["sessions"]
    days = [*range(2, 21), 1]
    document["sessions"] = [{**one, "date": f"2026-01-{day:02}T00:00:00Z"} for day in days]
    place.write_text(json.dumps(document), encoding="utf-8")
    assert accept(slower(USUAL, 2))[0] == 0
    dates = [each.date for each in found(root).sessions]
    assert dates[:-1] == [f"2026-01-{day:02}T00:00:00Z" for day in range(2, 21)]


def test_another_app_is_what_is_to_be_compared(root: Path, accept: Accept) -> None:
    accept(USUAL)
    other = replace(slower(USUAL, 2), fingerprint={**FINGERPRINT, "app": "new", "app_sha256": "f"})
    assert accept(other)[0] == 0


def test_another_soc_has_a_file_of_its_own(root: Path, accept: Accept) -> None:
    accept(USUAL)
    accept(replace(USUAL, fingerprint={**FINGERPRINT, "soc": "Ascend310P3"}))
    assert baseline(root, "Ascend310P3") is not None
    assert len(found(root).sessions) == 1


def test_the_same_rounds_are_no_other_session(root: Path, accept: Accept) -> None:
    accept(USUAL)
    accept(slower(USUAL, 1.01))
    assert refused(accept(USUAL, hour=15)) == (
        f"{root}/baselines/m/Ascend910B3.json: has these rounds already, accepted as "
        "'first one'; another session must be measured anew, a recording is always the same one"
    )
    assert accept(USUAL, hour=15, more=["--replace"])[0] == 0


@pytest.mark.parametrize("second", [None, Value(None, reason="no table")])
def test_what_was_not_measured(accept: Accept, second: Number | Value) -> None:
    case = measured(*rounds({KERNELS: 5}, {KERNELS: second}))
    said = "m: kernel_time of round 2 was not measured, and cannot be a baseline"
    assert refused(accept(case)) == said


def test_a_lane_that_lacks_a_number(accept: Accept) -> None:
    found = Measurement({"0/0": lane({KERNELS: 5}), "1/1": lane({KERNELS: None})})
    said = "m: kernel_time on lane 1/1 was not measured, and cannot be a baseline"
    assert refused(accept(measured(found))) == said


def test_a_lane_that_only_one_round_has(root: Path, accept: Accept) -> None:
    one = {"0": lane({KERNELS: 5})}
    case = measured(Measurement(one), Measurement({**one, "1": lane({KERNELS: 5})}))
    assert refused(accept(case)) == (
        "m: round 1 has lanes 0, and round 2 0, 1; one of them cannot be a baseline"
    )
    assert not (root / "baselines" / "m" / "Ascend910B3.json").exists()


INSTEAD = "give it a bound such as at_most or at_least instead of max_regression"


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        (KERNELS, 0, "kernel_time is 0 ns, and no change is a share of that"),
        (KERNELS, 1, ""),
        (COUNT, 0, ""),
        (PEAK, 0, ""),
        (FUSED, 0, "fused_count is 0, and can never be worse by more than 5.0 %"),
        (FUSED, 1, ""),
        (OVERLAP, 0, "overlap_share is 0 %, and can never be worse by more than 2 points"),
        (OVERLAP, 0.02, "overlap_share is 2.00 %, and can never be worse by more than 2 points"),
        (OVERLAP, 0.021, ""),
        (IDLE, 0, "idle_share is 0 %, and no change is a share of that"),
        (IDLE, 0.95, ""),
        (IDLE, 0.953, "idle_share is 95.3 %, and can never be worse by more than 5.0 %"),
        (IDLE, 1, "idle_share is 100 %, and can never be worse by more than 5.0 %"),
        (SPEED, 0, "custom.speed is 0 1/s, and no change is a share of that"),
        (SPEED, -4, "custom.speed is -4.00 1/s, and no change is a share of that"),
        (SPEED, 4, ""),
        (
            replace(SPEED, max_regression=Regression(Fraction(1))),
            4,
            "custom.speed is 4.00 1/s, and can never be worse by more than 100 %",
        ),
        (replace(SPEED, max_regression=Regression(Fraction(9), True)), -4, ""),
        (
            replace(IDLE, max_regression=Regression(Fraction(1, 2), True)),
            0.5,
            "idle_share is 50.0 %, and can never be worse by more than 50 points",
        ),
        (replace(IDLE, max_regression=Regression(Fraction(1, 2), True)), 0.49, ""),
    ],
)
def test_a_baseline_that_cannot_fail(
    accept: Accept, limit: Limit, value: Number, said: str
) -> None:
    done = accept(measured(*rounds({limit: value}), limits=[limit]))
    if said:
        assert refused(done) == f"m: {said}; {INSTEAD}"
    else:
        assert done[0] == 0


def test_each_limit_must_be_able_to_fail(root: Path, accept: Accept) -> None:
    case = measured(*rounds({KERNELS: 5, FUSED: 0, BUSY: 0}))
    assert refused(accept(case)).startswith("m: fused_count is 0, and can never be worse")
    assert not (root / "baselines").exists()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_a_number_that_is_none(root: Path, accept: Accept, number: str) -> None:
    path = write(root / "bad.json", USUAL)
    text = path.read_text(encoding="utf-8").replace("1000004", number)
    path.write_text(text, encoding="utf-8")
    assert main(["accept", str(path), "--case", "m", "--reason", "r"]) == 1
    assert not (root / "baselines").exists()


@pytest.mark.parametrize("more", [[], ["--replace"]])
def test_a_baseline_that_cannot_be_read_stays(root: Path, accept: Accept, more: list[str]) -> None:
    accept(USUAL)
    place = root / "baselines" / "m" / "Ascend910B3.json"
    cut = place.read_bytes()[:-20]
    place.write_bytes(cut)
    assert refused(accept(slower(USUAL, 2), more=more)).startswith(f"{place}: is not JSON: ")
    assert place.read_bytes() == cut


def test_a_folder_that_cannot_be_made(root: Path, accept: Accept) -> None:
    (root / "baselines").touch()
    said = refused(accept(USUAL))
    assert said.startswith(f"{root}/baselines/m/Ascend910B3.json: ")
    assert said.endswith("Not a directory")


def test_lanes_that_are_gone_since_the_baseline(root: Path, accept: Accept) -> None:
    accept(measured(Measurement({key: lane({KERNELS: 5000}) for key in ("0/0", "1/1")})))
    one = measured(Measurement({"0": lane({KERNELS: 6000})}))
    assert refused(accept(one)) == (
        f"{root}/baselines/m/Ascend910B3.json: has lanes 0/0, 1/1, and this run has 0; "
        "where that is to stay, add --replace"
    )
    assert accept(one, more=["--replace"])[0] == 0
    assert [list(each.rounds[0].lanes) for each in found(root).sessions] == [["0"]]


def test_a_lane_more_than_the_baseline_has(root: Path, accept: Accept) -> None:
    accept(measured(Measurement({"0/0": lane({KERNELS: 5000})})))
    both = Measurement({key: lane({KERNELS: 6000}) for key in ("0/0", "1/1")})
    assert accept(measured(both))[0] == 0
    assert len(found(root).sessions) == 2
