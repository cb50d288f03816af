"""A case against its baseline, or against the other side of its session, through the pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from profile_tables import Op, msprof, op_summary, step_trace

from pytest_npuperf import results
from pytest_npuperf.model import (
    Case,
    CaseResult,
    Limit,
    Noise,
    Regression,
    Reported,
    Session,
    StepOptions,
    Verdict,
    Wanted,
)
from pytest_npuperf.pipeline import Profiles, Recordings, Request, collect_case, gate
from pytest_npuperf.units import Dimension

SOC = "Ascend910B3"
TIME = Limit(
    Wanted("kernel_time"), Dimension.TIME, max_regression=Regression(Fraction(5, 100)), where="at:1"
)
MS = 1_000_000
STEADY = [100.0, 100.5, 99.5, 100.2, 99.8]
NOISY = [90.0, 110.0, 97.0, 106.0, 100.0]


def profile(folder: Path, ms: float) -> Path:
    """Write one round whose kernel_time is so many milliseconds, and return its folder."""
    return msprof(folder, op_summary=op_summary(Op(duration=round(ms * MS)))).parent


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """Return a case that is replayed from a recording, and fails by more than 5 %."""
    return Case(
        "resnet50",
        recording=tmp_path / "recordings" / "resnet50",
        mode="replay",
        limits=(TIME,),
        baselines=tmp_path / "baselines",
    )


def recorded(case: Case, *ms: float, **fingerprint: str) -> Case:
    """Write the rounds of a recording, which says its SoC and what else is given."""
    assert case.recording is not None
    for number, each in enumerate(ms, 1):
        profile(case.recording / f"round_{number}", each)
    told = {key: value for key, value in {"soc": SOC, **fingerprint}.items() if value}
    text = json.dumps({"format": 1, "fingerprint": told})
    (case.recording / "npuperf-recording.json").write_text(text, encoding="utf-8")
    return case


def gated(tmp_path: Path, case: Case, recordings: Recordings | None = None) -> CaseResult:
    """Gate a case in a folder of its own."""
    return gate(request(tmp_path, case), Profiles(recordings or Recordings()))


def request(tmp_path: Path, case: Case) -> Request:
    folder = tmp_path / "out" / str(len(list(tmp_path.glob("out/*"))))
    return Request("test_it", case.name, lambda _: case, folder, tmp_path, tmp_path / "dev")


def accept(case: Case, result: CaseResult, soc: str = SOC) -> Path:
    """Make a result the baseline of its case, and return the file."""
    path = results.baseline_path(case.baselines, case.name, soc)
    fingerprint = {**result.fingerprint, "soc": soc}
    session = Session(result.rounds, "2026-01-31T12:00:00Z", "", "first", fingerprint)
    results.add_session(path, case.name, soc, session, replace=False)
    return path


def told(result: CaseResult) -> tuple[str, str]:
    (judged,) = result.limits
    return str(judged.verdict), judged.reason


# --- against a baseline -----------------------------------------------------------------------


def test_from_the_first_run_to_a_change_that_is_found(tmp_path: Path, case: Case) -> None:
    first = gated(tmp_path, recorded(case, *STEADY))
    assert told(first) == (
        "NEW",
        "kernel_time 100 ms, median of 5 rounds; there is no baseline to compare it with",
    )
    accept(case, first)
    assert gated(tmp_path, case).verdict is Verdict.PASSED
    slower = gated(tmp_path, recorded(case, *(each * 1.2 for each in STEADY)))
    assert told(slower) == (
        "FAILED",
        "kernel_time 120 ms, +20.0 % from 100 ms (baseline), 5.0 % allowed, "
        "surely +19.4 % to +20.6 %, median of 5 rounds",
    )
    ((lane, (cause,)),) = slower.causes.items()
    assert (lane, str(cause.kind), cause.type, cause.delta) == ("0", "slower", "Conv2D", 20 * MS)
    faster = gated(tmp_path, recorded(case, *(each * 0.8 for each in STEADY)))
    assert faster.verdict is Verdict.PASSED
    assert faster.limits[0].comparison is not None
    assert faster.limits[0].comparison.improved


@pytest.mark.parametrize(("percent", "verdict"), [(3, Verdict.PASSED), (1, Verdict.FAILED)])
def test_noise_between_sessions_is_that_of_the_case(
    tmp_path: Path, case: Case, percent: int, verdict: Verdict
) -> None:
    accept(case, gated(tmp_path, recorded(case, *STEADY)))
    recorded(case, *(each * 1.08 for each in STEADY))
    noise = Noise(between_sessions=Fraction(percent, 100))
    assert gated(tmp_path, replace(case, noise=noise)).verdict is verdict


NO_SOC = (
    "the profile does not say its SoC, and baselines are kept by SoC; "
    "write it into recordings/resnet50/npuperf-recording.json"
)


def of_another_kind(difference: str) -> str:
    path = "baselines/resnet50/Ascend910B3.json"
    return f"{difference}; where that is to stay, delete {path} and accept anew"


@pytest.mark.parametrize(
    ("fingerprint", "remark"),
    [
        ({"soc": ""}, NO_SOC),
        (
            {"soc": "Ascend310P3"},
            "measured on Ascend310P3, and its baseline is of Ascend910B3; "
            "npuperf accept adds one of Ascend310P3",
        ),
        ({"cann": "9.0.0"}, of_another_kind("CANN 9.0.0, unknown in the baseline")),
        (
            {"driver": "24.1.0", "msprof.aic-metrics": "Memory"},
            of_another_kind(
                "driver 24.1.0, unknown in the baseline; "
                "msprof --aic-metrics Memory, not given in the baseline"
            ),
        ),
    ],
)
def test_what_was_measured_otherwise_is_not_compared(
    tmp_path: Path, case: Case, fingerprint: dict[str, str], remark: str
) -> None:
    accept(case, gated(tmp_path, recorded(case, 100)))
    result = gated(tmp_path, recorded(case, 200, **fingerprint))
    assert told(result) == ("INCONCLUSIVE", f"kernel_time 200 ms; {remark}")
    assert not result.blocks
    assert gated(tmp_path, replace(case, inconclusive="fail")).blocks


def test_an_older_session_of_another_kind_is_not_compared_either(
    tmp_path: Path, case: Case
) -> None:
    # As it is where git has merged what two people accepted.
    path = accept(case, gated(tmp_path, recorded(case, 100)))
    text = json.loads(path.read_text(encoding="utf-8"))
    older = {**text["sessions"][0], "fingerprint": {"soc": SOC, "cann": "8.0.0"}}
    text["sessions"].insert(0, older)
    path.write_text(json.dumps(text), encoding="utf-8")
    (judged,) = gated(tmp_path, case).limits
    assert judged.verdict is Verdict.INCONCLUSIVE
    assert "CANN unknown, the baseline has 8.0.0" in judged.remark


def test_what_another_session_accepts_counts_at_once(tmp_path: Path, case: Case) -> None:
    recordings = Recordings()
    first = gated(tmp_path, recorded(case, 100), recordings)
    assert gated(tmp_path, case, recordings) is not first
    (_, kept), *_ = recordings.judged.values()
    again = gated(tmp_path, case, recordings)
    assert (again.verdict, again.rounds) == (Verdict.NEW, kept.rounds)
    assert len(list(tmp_path.glob("out/*"))) == 1  # judged and written once
    accept(case, first)
    assert gated(tmp_path, case, recordings).verdict is Verdict.PASSED


def test_a_case_without_such_a_limit_looks_at_no_baseline(tmp_path: Path, case: Case) -> None:
    path = accept(case, gated(tmp_path, recorded(case, 100)))
    path.write_text("broken", encoding="utf-8")
    absolute = Limit(TIME.wanted, Dimension.TIME, at_most=Fraction(100 * MS))
    assert gated(tmp_path, replace(case, limits=(absolute,))).verdict is Verdict.PASSED


def test_a_limit_that_is_newer_than_the_baseline_is_new_and_the_file_is_named(
    tmp_path: Path, case: Case
) -> None:
    busy = replace(TIME, wanted=Wanted("busy_time"))
    both = replace(case, limits=(TIME, busy))
    accept(case, gated(tmp_path, recorded(case, 100)))
    result = gated(tmp_path, both)
    assert [each.verdict for each in result.limits] == [Verdict.PASSED, Verdict.NEW]
    assert result.limits[1].reason == (
        "busy_time 100 ms; baselines/resnet50/Ascend910B3.json does not have it yet"
    )
    # With one session that has it, the older ones need not.
    accept(both, result)
    assert [each.verdict for each in gated(tmp_path, both).limits] == [Verdict.PASSED] * 2


# --- a baseline that is broken ----------------------------------------------------------------


def edited(**keys: Any) -> Callable[[str], str]:
    return lambda text: json.dumps({**json.loads(text), **keys})


def numbers(value: Any) -> Callable[[str], str]:
    """Return what sets the number of the last round."""

    def change(text: str) -> str:
        found = json.loads(text)
        lane = found["sessions"][0]["rounds"][-1]["0"]
        if value is None:
            del lane["kernel_time"]
        else:
            lane["kernel_time"] = value
        return json.dumps(found)

    return change


def without_ops(text: str) -> str:
    """Set the number of the last round to zero, of a profile that does not tell its ops."""
    found = json.loads(text)
    found["sessions"][0]["rounds"][-1]["0"].update(kernel_time=0, ops=[])
    return json.dumps(found)


NUMBER = '$.sessions[0].rounds[1]["0"].kernel_time: '
BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "cut": (lambda text: text[:-9], "is not JSON: "),
    "empty": (lambda _: "", "is not JSON: Expecting value"),
    "of another case": (
        edited(case="bert"),
        "$.case: bert is not the case of the path, resnet50",
    ),
    "of another SoC": (
        edited(soc="Ascend310P3"),
        "$.soc: Ascend310P3 is not the soc of the path, Ascend910B3",
    ),
    "of a newer format": (
        edited(format=99),
        "has format 99, and pytest-npuperf 0.1.0 knows formats up to 1; "
        "upgrade pytest-npuperf to read it",
    ),
    "NaN": (numbers(float("nan")), "is not JSON: NaN is not a finite number"),
    "negative": (numbers(-1), NUMBER),
    "missing": (
        numbers(None),
        f"{NUMBER}is missing, and another round or lane of the session has it",
    ),
    "edited": (numbers(99 * MS), f"{NUMBER}is 99000000, and its ops sum to 101000000"),
    "zero": (
        without_ops,
        f"{NUMBER}is 0 ns, and no change is a share of that; give it at_most or at_least instead "
        "of max_regression, or npuperf accept --replace begins anew",
    ),
    "a text": (numbers("fast"), NUMBER),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_baseline_is_an_error_of_one_line(tmp_path: Path, case: Case, name: str) -> None:
    change, expected = BROKEN[name]
    path = accept(case, gated(tmp_path, recorded(case, 100, 101)))
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    result = gated(tmp_path, case)
    assert (result.verdict, result.blocks) == (Verdict.ERROR, True)
    assert result.reason.startswith(f"baselines/resnet50/Ascend910B3.json: {expected}")
    assert "\n" not in result.reason
    # What was measured is on disk all the same.
    (written,) = (tmp_path / "out" / "1").glob("result.json")
    found = json.loads(written.read_bytes())
    assert found["reason"] == result.reason
    assert [each["0"]["kernel_time"] for each in found["rounds"]] == [100 * MS, 101 * MS]


def test_limits_are_kept_of_a_case_whose_baseline_cannot_be_read(
    tmp_path: Path, case: Case
) -> None:
    """By them ``npuperf accept --replace`` knows what is to be compared from now on."""
    path = accept(case, gated(tmp_path, recorded(case, 100, 101)))
    path.write_text("<<<<<<<", encoding="utf-8")
    result = gated(tmp_path, recorded(case, 100, 101))
    assert (result.verdict, result.blocks) == (Verdict.ERROR, True)
    assert told(result)[0] == "INCONCLUSIVE"
    assert result.limits[0].limit.max_regression == case.limits[0].max_regression


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_newest_session_is_the_one_of_the_latest_date(
    tmp_path: Path, case: Case, order: list[int]
) -> None:
    """A count is compared with the newest session, wherever Git has put it."""
    count = Limit(Wanted("kernel_count"), Dimension.COUNT, max_regression=Regression(Fraction(0)))
    case = replace(case, limits=(count,))
    path = accept(case, gated(tmp_path, recorded(case, 100)))
    document = json.loads(path.read_text(encoding="utf-8"))
    old = document["sessions"][0]
    (number,) = [each["0"]["kernel_count"] for each in old["rounds"]]
    rounds = [{"0": {"kernel_count": number - 1, "ops": []}}]
    older = {**old, "date": "2025-01-01T00:00:00Z", "rounds": rounds}
    document["sessions"] = [[older, old][index] for index in order]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert gated(tmp_path, recorded(case, 100)).verdict is Verdict.PASSED


def test_a_session_that_a_merge_has_left_twice_counts_once(tmp_path: Path, case: Case) -> None:
    recorded(case, *STEADY)
    path = accept(case, gated(tmp_path / "1", case))
    found = json.loads(path.read_bytes())
    found["sessions"] *= 5
    path.write_text(json.dumps(found))
    recorded(case, *(1.07 * ms for ms in STEADY))
    comparison = gated(tmp_path / "2", case).limits[0].comparison
    assert comparison is not None
    assert comparison.source == "baseline"  # and not "of 5 sessions"


# --- rounds until it is clear -----------------------------------------------------------------


@pytest.fixture
def live(tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Return a case whose app copies the profile that is prepared for each round and side."""
    smi = tmp_path / "npu-smi"
    smi.write_text('#!/bin/sh\necho "| 0     910B3      | OK     |"\n', encoding="utf-8")
    app = tmp_path / "main"
    app.write_text(
        f'#!/bin/sh\nprintf %s "$1" >> {tmp_path}/order\n'
        f'cp -R "{tmp_path}/made/$1/$(basename "$NPUPERF_OUTPUT")/." "$NPUPERF_OUTPUT"\n',
        encoding="utf-8",
    )
    for each in (smi, app):
        each.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return replace(
        case, app=(str(app), "A"), collector="app", mode="run", rounds=5, steps=StepOptions(steps=1)
    )


def made(tmp_path: Path, side: str, ms: Sequence[float]) -> None:
    for number, each in enumerate(ms, 1):
        profile(tmp_path / "made" / side / f"round_{number}", each)


def order(tmp_path: Path) -> str:
    return (tmp_path / "order").read_text(encoding="utf-8")


@pytest.fixture
def baseline(tmp_path: Path, live: Case) -> Case:
    """Return the case with a baseline of five steady rounds."""
    made(tmp_path, "A", STEADY)
    accept(live, gated(tmp_path, live))
    (tmp_path / "order").unlink()
    return live


SETTLES = [100.0, 108.0, 99.0, 100.0, 101.0, *STEADY * 3]
WORSE = [each * 1.2 for each in STEADY]


@pytest.mark.parametrize(
    ("now", "rounds", "verdict"),
    [
        (STEADY, 5, "PASSED"),
        (WORSE, 5, "FAILED"),
        (SETTLES, 10, "PASSED"),
        (NOISY * 4, 20, "INCONCLUSIVE"),
    ],
)
def test_a_run_goes_on_while_noise_hides_the_change(
    tmp_path: Path, baseline: Case, now: list[float], rounds: int, verdict: str
) -> None:
    made(tmp_path, "A", now)
    result = gated(tmp_path, baseline)
    assert (str(result.verdict), len(result.rounds)) == (verdict, rounds)
    assert order(tmp_path) == "A" * rounds
    assert f"median of {rounds} rounds" in result.limits[0].reason
    said = f"{rounds} rounds were run, as noise hid a change after 5"
    assert (said in result.notes) == (rounds > 5)
    (written,) = (tmp_path / "out" / "1").glob("result.json")
    assert len(json.loads(written.read_bytes())["rounds"]) == rounds


def test_a_bound_that_is_broken_needs_no_more_rounds(tmp_path: Path, baseline: Case) -> None:
    made(tmp_path, "A", NOISY * 4)
    bounded = replace(TIME, at_most=Fraction(99 * MS))
    result = gated(tmp_path, replace(baseline, limits=(bounded,)))
    assert (result.verdict, len(result.rounds)) == (Verdict.FAILED, 5)


def test_with_too_few_rounds_to_tell_noise_none_follow(tmp_path: Path, baseline: Case) -> None:
    made(tmp_path, "A", NOISY * 4)
    result = gated(tmp_path, replace(baseline, rounds=3))
    assert (result.verdict, len(result.rounds)) == (Verdict.PASSED, 3)
    assert "3 rounds against 5 cannot tell noise from change" in result.limits[0].remark


def test_no_round_follows_while_recording(tmp_path: Path, baseline: Case) -> None:
    made(tmp_path, "A", NOISY * 4)
    saved = replace(baseline, record=True, recording=tmp_path / "recordings" / "noisy")
    result = gated(tmp_path, saved)
    assert (result.verdict, len(result.rounds)) == (Verdict.INCONCLUSIVE, 5)
    assert len(list((tmp_path / "recordings" / "noisy").glob("round_*"))) == 5


def test_what_the_test_ran_itself_is_judged_as_it_is(tmp_path: Path, baseline: Case) -> None:
    made(tmp_path, "A", NOISY * 4)
    asked = request(tmp_path, baseline)
    result = gate(asked, Profiles(Recordings()), collect_case(baseline, asked))
    assert (result.verdict, len(result.rounds)) == (Verdict.INCONCLUSIVE, 5)
    assert order(tmp_path) == "A" * 5


def test_more_rounds_are_of_the_case_that_was_collected(tmp_path: Path, baseline: Case) -> None:
    """What a table for some hardware says is known only after the first rounds."""
    made(tmp_path, "A", SETTLES)
    for_soc = replace(baseline, rounds=7, app=("/nonexistent",))
    asked = replace(request(tmp_path, baseline), resolve=lambda soc: for_soc if soc else baseline)
    result = gate(asked, Profiles(Recordings()))
    assert (result.verdict, len(result.rounds)) == (Verdict.PASSED, 10)
    assert "10 rounds were run, as noise hid a change after 5" in result.notes
    assert order(tmp_path) == "A" * 10


# --- against the other side -------------------------------------------------------------------


@pytest.fixture
def both(live: Case) -> Case:
    """Return the case that is compared with the same app as it was before."""
    old = replace(live, name="old", app=(live.app[0], "B"), limits=())
    # Neither a baseline nor noise between sessions has a part in it.
    noise = Noise(between_sessions=Fraction(50, 100))
    return replace(live, against=old, noise=noise, baselines=Path("/nonexistent"))


@pytest.mark.parametrize(
    ("now", "before", "rounds", "verdict"),
    [
        (WORSE, STEADY, 5, "FAILED"),
        (STEADY, STEADY, 5, "PASSED"),
        (SETTLES, STEADY * 4, 10, "PASSED"),
    ],
)
def test_both_sides_run_in_turn_and_are_compared(
    tmp_path: Path,
    both: Case,
    now: list[float],
    before: list[float],
    rounds: int,
    verdict: str,
) -> None:
    made(tmp_path, "A", now)
    made(tmp_path, "B", before)
    result = gated(tmp_path, both)
    assert str(result.verdict) == verdict
    assert order(tmp_path) == ("ABBA" * rounds)[: 2 * rounds]
    other = result.against
    assert other is not None
    assert (other.title, len(other.rounds), len(result.rounds)) == ("old", rounds, rounds)
    assert other.profiles == tuple(f"out/0/against/round_{n + 1}" for n in range(rounds))
    assert result.limits[0].comparison is not None
    assert result.limits[0].comparison.source == "old"
    written = json.loads((tmp_path / "out" / "0" / "result.json").read_bytes())
    back = results.case_from_json(written)
    assert back.against == replace(other, rounds=back.against.rounds if back.against else ())
    assert [str(cause.kind) for of in result.causes.values() for cause in of] == (
        ["slower"] if verdict == "FAILED" else []
    )


def replayed(case: Case, tmp_path: Path) -> Case:
    """Return a case that is compared with the recording ``old``."""
    other = Case("old", recording=tmp_path / "recordings" / "old", mode="replay")
    return replace(case, against=other)


def test_two_recordings_are_compared(tmp_path: Path, case: Case) -> None:
    both = replayed(recorded(case, *WORSE), tmp_path)
    assert both.against is not None
    recorded(both.against, *STEADY)
    recordings = Recordings()
    result = gated(tmp_path, both, recordings)
    assert told(result) == (
        "FAILED",
        "kernel_time 120 ms, +20.0 % from 100 ms (old), 5.0 % allowed, "
        "surely +19.4 % to +20.6 %, median of 5 rounds",
    )
    # The other recording is a part of what was asked.
    recorded(both.against, *WORSE)
    assert gated(tmp_path, both, recordings).verdict is Verdict.PASSED


def test_a_number_that_only_this_side_reports_is_not_measured(tmp_path: Path, case: Case) -> None:
    wanted = Wanted("custom.accuracy")
    own = Limit(wanted, Dimension.NUMBER, max_regression=Regression(Fraction(5, 100)))
    both = replayed(replace(recorded(case, 100), limits=(own,)), tmp_path)
    assert both.against is not None
    recorded(both.against, 100)
    asked = replace(request(tmp_path, both), reported={"accuracy": Reported(Fraction(71, 100))})
    result = gate(asked, Profiles(Recordings()))
    assert result.verdict is Verdict.NOT_MEASURED
    assert result.limits[0].remark.startswith("old does not have it")


def test_sides_that_were_measured_otherwise_are_not_compared(tmp_path: Path, case: Case) -> None:
    both = replayed(recorded(case, *WORSE, cann="9.0.0"), tmp_path)
    assert both.against is not None
    recorded(both.against, *STEADY, cann="8.0.0")
    result = gated(tmp_path, both)
    assert (result.verdict, result.limits[0].remark) == (
        Verdict.INCONCLUSIVE,
        "CANN 9.0.0, old has 8.0.0",
    )


@pytest.mark.parametrize(
    ("recording", "remark"),
    [
        (None, "old has no recording; both are compared where there is an NPU"),
        (Path("old"), "old was not measured beside it, as the test opened the profile itself"),
    ],
)
def test_a_side_that_is_not_there_is_said(
    tmp_path: Path, case: Case, recording: Path | None, remark: str
) -> None:
    both = replace(recorded(case, 100), against=Case("old", recording=recording))
    asked = request(tmp_path, both)
    collected = collect_case(replace(both, against=None), asked)
    result = gate(asked, Profiles(Recordings()), collected)
    assert told(result) == ("INCONCLUSIVE", f"kernel_time 100 ms; {remark}")


# --- several rounds and absolute limits -------------------------------------------------------


def test_bounds_hold_for_the_rounds_of_a_recording(tmp_path: Path, case: Case) -> None:
    """Of times the median counts, of counts each round, of percentiles the steps of all."""
    assert case.recording is not None
    for number, (ops, steps) in enumerate(((1, (10, 10, 10)), (3, (20, 20, 20)), (2, (12,))), 1):
        msprof(
            case.recording / f"round_{number}",
            op_summary=op_summary(*(Op(start=i * MS, duration=MS // 10) for i in range(ops))),
            step_trace=step_trace(
                *((0, 1, i, i * 50 * MS, ms * MS) for i, ms in enumerate(steps, 1))
            ),
        )
    limits = (
        Limit(Wanted("kernel_time"), Dimension.TIME, at_most=Fraction(2 * MS // 10)),
        Limit(Wanted("kernel_count"), Dimension.COUNT, at_most=Fraction(2)),
        Limit(Wanted("step_time", "p50"), Dimension.TIME, at_most=Fraction(12 * MS)),
        Limit(Wanted("step_time", "mean"), Dimension.TIME, at_most=Fraction(12 * MS)),
    )
    result = gated(tmp_path, replace(case, limits=limits, steps=StepOptions(warmup_steps=0)))
    assert [(str(each.verdict), each.reason) for each in result.limits] == [
        ("PASSED", "kernel_time 200 us, limit 200 us (0 %), median of 3 rounds"),
        ("FAILED", "kernel_count 3, limit 2 (+50.0 %) in round 2 (worst of 3)"),
        ("PASSED", "step_time p50 12.0 ms, limit 12.0 ms (0 %), steps of 3 rounds"),
        ("PASSED", "step_time mean 12.0 ms, limit 12.0 ms (0 %), median of 3 rounds"),
    ]
    assert result.limits[2].samples == 7
