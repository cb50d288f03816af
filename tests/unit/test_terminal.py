from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from case_results import (
    ALL,
    AT_MOST,
    BETTER,
    ERROR,
    HARDWARE,
    KERNELS,
    LANES,
    LEFT_OUT,
    LIVE,
    MIXED,
    NOISY,
    NOT_CHECKED,
    PASSING,
    SKIPPED,
    STEADY,
    changed,
    limit,
    result,
)

from pytest_npuperf.judge import Before, judge, worst
from pytest_npuperf.model import (
    Case,
    CaseResult,
    LaneMeasurement,
    Measurement,
    OtherSide,
    Regression,
    Value,
    Verdict,
)
from pytest_npuperf.report import summary
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.text import columns
from pytest_npuperf.units import Dimension

GOLDEN = Path(__file__).parents[1] / "golden"


def lines(
    cases: Sequence[CaseResult],
    width: int = 100,
    verbosity: int = 0,
    not_checked: Sequence[tuple[str, str]] = (),
) -> list[str]:
    return [text for text, _ in summary(cases, not_checked, width, verbosity)]


# --- whole summaries --------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "verbosity"), [("quiet", -1), ("default", 0), ("verbose", 1)])
@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_whole_summary(width: int, name: str, verbosity: int) -> None:
    found = lines(ALL, width, verbosity, NOT_CHECKED)
    expected = (GOLDEN / f"summary-{width}-{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(found) + "\n" == expected


def test_every_verdict_is_in_the_summary() -> None:
    found = {judged.verdict for case in ALL for judged in case.limits}
    assert found | {case.verdict for case in ALL} == set(Verdict)


@pytest.mark.parametrize("verbosity", [-1, 0, 1])
@pytest.mark.parametrize("width", [*range(20, 121, 7), 500])
def test_no_line_is_wider_than_the_terminal_or_100_columns(width: int, verbosity: int) -> None:
    found = lines(ALL, width, verbosity, NOT_CHECKED)
    assert max(map(columns, found)) <= min(width, 100)
    assert all(line.isprintable() and line == line.rstrip() and line for line in found)


def test_every_number_is_whole_however_narrow_the_terminal_is() -> None:
    for width in (20, 40, 60, 80, 100):
        text = " ".join(" ".join(lines([MIXED], width)).split())
        assert "1.71 ms" in text
        assert "1.70 ms" in text


# --- quiet when all passed --------------------------------------------------------------------


def test_one_line_when_all_passed() -> None:
    assert summary([LIVE], [], 100) == [("npuperf: 1 limit in 1 case within budget", "green")]
    assert lines([LIVE, PASSING]) == [
        "npuperf: 3 limits in 2 cases within budget, 1 replayed (recorded 2026-01-31)"
    ]


def test_replays_of_several_dates_are_said_in_one_line() -> None:
    older, unknown = replace(PASSING, recorded="2025-12-01"), replace(PASSING, recorded="")
    assert lines([PASSING, older]) == [
        "npuperf: 4 limits in 2 cases within budget, 2 replayed (recorded 2025-12-01 to 2026-01-31)"
    ]
    assert lines([unknown]) == [
        "npuperf: 2 limits in 1 case within budget, 1 replayed (recorded date unknown)"
    ]


def test_nothing_is_said_where_nothing_was_asked() -> None:
    for verbosity in (-1, 0, 1):
        assert summary([], [], 80, verbosity) == []


def test_quiet_leaves_what_fails_what_is_in_doubt_and_what_was_replayed() -> None:
    assert summary([LIVE, SKIPPED], [], 80, -1) == []
    assert summary([LIVE], NOT_CHECKED[:1], 80, -1) == [
        ("not checked: ssd: no test uses this budget", "yellow")
    ]
    assert summary([PASSING], [], 80, -1) == [("replayed (recorded 2026-01-31): yolov8", "")]
    assert summary([ERROR], [], 80, -1) == [
        ("ERROR bert: main ended with status 3; log: msprof.log", "red")
    ]


def test_what_is_not_checked_is_said_though_all_passed() -> None:
    assert summary([LIVE], NOT_CHECKED[:1], 80) == [
        ("not checked: ssd: no test uses this budget", "yellow"),
        ("npuperf: 1 limit in 1 case within budget", "green"),
    ]
    assert lines([], not_checked=NOT_CHECKED) == [
        "not checked: ssd: no test uses this budget",
        "not checked: unet\\x1b[2J: the body of tests/test_speed.py::test_unet failed",
    ]


def test_verbose_shows_what_passed() -> None:
    assert lines([LIVE], verbosity=1) == [
        "verdict  case   number         now    limit  margin  where",
        "PASSED   llama  busy_time  1.60 ms  1.70 ms  -5.9 %  pyproject.toml:12",
        f"note: llama: {LEFT_OUT}",
        "npuperf: 1 limit in 1 case within budget",
    ]


# --- rows -------------------------------------------------------------------------------------


def test_colours_go_with_words() -> None:
    coloured = [
        (line.split("  ")[0], colour) for line, colour in summary(ALL, [], 200, 1) if colour
    ]
    assert list(dict.fromkeys(coloured))[:-2] == [
        ("verdict", "bold"),
        ("ERROR", "red"),
        ("FAILED", "red"),
        ("NOT_MEASURED", "red"),
        ("INCONCLUSIVE", "yellow"),
        ("NEW", "yellow"),
        ("FAILED (warn)", "yellow"),
        ("PASSED", "green"),
        ("SKIPPED", "yellow"),
    ]
    assert [colour for _, colour in coloured[-2:]] == ["red", "red"]  # the counts, on two lines


def test_a_limit_that_only_warns_is_counted_and_fails_nothing() -> None:
    warned = result("resnet50", {limit("busy_time", at_most=1000, on_fail="warn"): 1001}, live=True)
    assert not warned.blocks
    assert summary([warned], [], 80) == [
        ("verdict        case      number          now     limit  margin", "bold"),
        ("FAILED (warn)  resnet50  busy_time  1.001 us  1.000 us  +0.1 %", "yellow"),
        ("npuperf: 1 over but only warned of in 1 case", "yellow"),
        (
            'next: look at busy_time of resnet50; on_fail = "fail" at pyproject.toml:12',
            "",
        ),
        ("  would make it count", ""),
    ]


def test_the_lane_is_a_column_only_where_there_are_several() -> None:
    assert "lane" in lines([LANES])[0]
    assert "lane" not in lines([MIXED])[0]


def test_the_worst_comes_first_whatever_the_order_of_the_cases() -> None:
    forwards, backwards = lines(ALL, 100), lines(ALL[::-1], 100)
    assert forwards == backwards


def test_beyond_zero_is_further_than_any_share() -> None:
    count = limit("ops", Dimension.COUNT, "count", equal=0)
    found = lines([result("a", {AT_MOST: 10**12, count: 1}, live=True)])
    assert [line.split()[2] for line in found[1:3]] == ["ops", "busy_time"]
    assert found[1].split()[-2:] == ["+1", "pyproject.toml:12"]


def test_a_number_on_a_case_without_limits_is_its_own_row() -> None:
    bare = CaseResult("a", "t", Verdict.NOT_MEASURED, "run", blocks=True)
    assert lines([bare]) == [
        "verdict       case",
        "NOT_MEASURED  a",
        "npuperf: 1 not measured in 1 case",
        "next: give the budget of a a limit",
    ]


# --- changes ----------------------------------------------------------------------------------


def said(cases: Sequence[CaseResult], word: str) -> list[str]:
    """Return what a line says that begins with a word, unfolded, and all that follows."""
    found = lines(cases)
    starts = [index for index, line in enumerate(found) if line.startswith(word)]
    return [" ".join(" ".join(found[start:]).split()) for start in starts]


KEEP = "; to keep it: npuperf accept --case 'a b' --replace --reason TEXT"
WITHIN = "npuperf: 2 limits in 1 case within budget"


@pytest.mark.parametrize(
    ("count", "line"),
    [
        (140, "better: a b: kernel_time 80.0 ms, -20.0 % from 100 ms (baseline)"),
        (139, "better: a b: kernel_time 80.0 ms, -20.0 % from 100 ms (baseline) (+1 more)"),
    ],
)
def test_an_improvement_is_said_in_one_line_and_can_be_kept(count: int, line: str) -> None:
    better = changed(BETTER, count)
    assert said([better], "better") == [f"{line}{KEEP} {WITHIN}"]
    assert summary([better], [], 100, -1) == []


def test_an_improvement_that_many_tests_find_is_said_once() -> None:
    found = said([changed(BETTER), replace(changed(BETTER), test="another")], "better")
    assert [each.count("better") for each in found] == [1]


def test_what_is_better_than_another_app_is_no_baseline() -> None:
    better = replace(changed(BETTER), against=OtherSide("old"))
    assert KEEP not in said([better], "better")[0]


@pytest.mark.parametrize(
    "case",
    [
        changed(STEADY),
        changed(BETTER, 141),  # what else has become worse is not to be accepted with it
        changed(BETTER, kernels=replace(KERNELS, better="higher")),
        replace(changed(BETTER), verdict=Verdict.INCONCLUSIVE),
    ],
)
def test_what_is_not_better_is_not_called_so(case: CaseResult) -> None:
    assert said([case], "better") == []


def test_noise_that_hides_a_change_is_said_with_its_bounds() -> None:
    found = lines([changed(NOISY)])
    assert found[1].split()[:8] == [
        *("INCONCLUSIVE", "a", "b", "kernel_time"),
        *("100", "ms", "+5.0", "%"),
    ]
    assert found[2] == "    noise hides the change: surely -10.0 % to +20.0 %, in 4 rounds"
    assert said([changed(NOISY)], "next") == [
        "next: measure a b again with more rounds, or on a quieter device: "
        "noise hides how kernel_time at pyproject.toml:12 has changed"
    ]


def test_noise_counts_in_the_worse_direction() -> None:
    higher = changed([98, 102, 90, 101], kernels=replace(KERNELS, better="higher"))
    assert lines([higher])[2] == (
        "    noise hides the change: surely -10.0 % to +2.0 %, in 4 rounds"
    )


def test_a_sample_that_is_too_small_is_not_called_noise() -> None:
    p99 = limit("step_time", statistic="p99", max_regression=Regression(Fraction(5, 100)))
    steps = Value(Fraction(100), 5, data=(100, 101, 99, 100, 100))
    rounds = (Measurement({"0": LaneMeasurement({p99.wanted: steps})}),) * 4
    judged = judge(Case("a", limits=(p99,)), rounds, {}, Before((rounds,), "baseline"))
    few = CaseResult("a", "t", worst(judged), "run", rounds=rounds, limits=judged)
    assert few.verdict is Verdict.INCONCLUSIVE
    assert few.limits[0].comparison is not None
    assert (
        said([few], "    ") == said([few], "    20 samples are too few for p99, 100 needed") != []
    )
    assert said([few], "next") == [
        "next: measure a so that the limit on step_time p99 at pyproject.toml:12 can be judged"
    ]


def test_a_change_for_the_worse_is_to_be_accepted_or_mended() -> None:
    worse = changed([120, 121, 119, 120])
    details = "next: see the details under the failed test of a b"
    assert said([worse], "next") == [
        f"{details}; where the change is meant: npuperf accept --case 'a b' --replace --reason TEXT"
    ]
    beside = replace(worse, against=OtherSide("./old/main"))
    assert said([beside], "next") == [f"{details}: it is worse than ./old/main"]


# --- what to do next --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "action"),
    [
        (ERROR, "mend what stopped bert; until then none of its limits holds"),
        (
            LANES,
            "see the details under the failed test of llama; "
            "where the change is meant, change the limit at pyproject.toml:12",
        ),
        (
            result("a", {AT_MOST: Value(None, reason="no")}),
            "profile a with what busy_time needs, or take the limit out at pyproject.toml:12",
        ),
        (
            HARDWARE,
            "measure gpt so that the limit on idle_time at pyproject.toml:12 can be judged",
        ),
        (
            result("a[1]", {limit("busy_time", max_regression=Regression(Fraction(0))): 1}),
            "npuperf accept --case 'a[1]' --reason 'first baseline'",
        ),
        (
            SKIPPED,
            "run vgg where there is an NPU, with --npuperf-record, and keep the recording",
        ),
    ],
)
def test_the_last_line_says_what_to_do(case: CaseResult, action: str) -> None:
    found = lines([PASSING, case], 500)
    start = next(index for index, line in enumerate(found) if line.startswith("next:"))
    assert " ".join(line.strip() for line in found[start:]) == f"next: {action}"


def test_where_all_passed_nothing_is_to_do() -> None:
    assert next_action([PASSING, LIVE]) == ""


# --- tables -----------------------------------------------------------------------------------

HEADS = (Column("a"), Column("name", least=5), Column("n", right=True, drop=1))
ROW = ("x", "abcdefghij", "1")


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (16, ["a  name        n", "x  abcdefghij  1"]),
        (15, ["a  name       n", "x  abc...hij  1"]),
        (11, ["a  name   n", "x  a...j  1"]),
        (10, ["a  name", "x  ab...ij"]),
        (8, ["a  name", "x  a...j"]),
        (7, ["a  name", "x  a...j"]),
    ],
)
def test_columns_are_dropped_before_text_is_lost(width: int, expected: list[str]) -> None:
    assert lay_out(HEADS, [ROW], width) == expected


def test_a_column_without_text_is_left_out() -> None:
    assert lay_out(HEADS, [("x", "", "1"), ("y", "", "22")], 80) == ["a   n", "x   1", "y  22"]
    assert lay_out(HEADS, [], 80) == [""]
