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
    MANY,
    MIXED,
    NOISY,
    NOT_CHECKED,
    PASSING,
    RUNS,
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
from pytest_npuperf.report import markdown, summary
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


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("width", [60, 100])
def test_the_summary_of_a_run(width: int, name: str) -> None:
    cases, not_checked = RUNS[name]
    expected = (GOLDEN / f"summary-{width}-{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(lines(cases, width, 0, not_checked)) + "\n" == expected


def test_every_verdict_is_in_the_summary() -> None:
    found = {judged.verdict for case in ALL for judged in case.limits}
    assert found | {case.verdict for case in ALL} == set(Verdict)


@pytest.mark.parametrize("verbosity", [-1, 0, 1, 2])
@pytest.mark.parametrize("width", [*range(20, 121, 7), 500])
def test_no_line_is_wider_than_the_terminal_or_100_columns(width: int, verbosity: int) -> None:
    cases = [*ALL, *(case for name in ("fail", "changed", "tolerated") for case in RUNS[name][0])]
    found = lines(cases, width, verbosity, NOT_CHECKED)
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
        "npuperf: 2 limits in 1 case within budget, 1 replayed (recorded on an unknown date)"
    ]
    assert lines([PASSING, unknown], 60) == [
        "npuperf: 4 limits in 2 cases within budget, 2 replayed",
        "  (recorded 2026-01-31 and on an unknown date)",
    ]
    assert lines([PASSING, older, unknown], verbosity=-1) == [
        "replayed (recorded 2025-12-01): yolov8",
        "replayed (recorded 2026-01-31): yolov8",
        "replayed (recorded on an unknown date): yolov8",
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


def test_very_verbose_shows_where_each_profile_is_and_what_it_was_made_on() -> None:
    fingerprint = {"soc": "Ascend310P3", "app": "main", "app_sha256": "f" * 64}
    made = replace(LIVE, profiles=("out/1", "out/2"), fingerprint=fingerprint)
    told = "profile: llama: out/1, out/2; soc Ascend310P3; app main"
    assert lines([made], verbosity=1) == lines([LIVE], verbosity=1)
    assert lines([ERROR, made, made], verbosity=2).count(told) == 1
    assert lines([ERROR], verbosity=2) == lines([ERROR], verbosity=1)


def test_of_many_cases_the_worst_are_told_and_how_many_are_left() -> None:
    cases, not_checked = RUNS["many"]
    brief, whole = lines(cases, 100, 0, not_checked), lines(cases, 100, 1, not_checked)
    assert [line for line in brief if "more" in line] == [
        "and 80 more rows, which -v shows",
        "  case08, case09, 51 more cases, which -v shows",
        "not checked: 12 more cases, which -v shows",
    ]
    assert not [line for line in whole if " more" in line]
    assert sum(line.startswith("FAILED") for line in brief) == 40
    assert sum(line.startswith("FAILED") for line in whole) == 120
    assert lines(MANY[:20]).count("and 0 more rows, which -v shows") == 0


def test_tests_that_find_the_same_are_one_row() -> None:
    again = replace(MIXED, test="another")
    rows = [line for line in lines([MIXED, again]) if line.startswith("FAILED")]
    assert rows == [line for line in lines([MIXED]) if line.startswith("FAILED")]
    assert "npuperf: 6 failed" in " ".join(lines([MIXED, again]))


# --- long names -------------------------------------------------------------------------------

LONG = "test_it[" + "x" * 3000 + "]"
CUT = f"test_it[{'x' * 40}...{'x' * 48}]"


def named_so(case: CaseResult) -> CaseResult:
    return replace(case, case=LONG)


@pytest.mark.parametrize("verbosity", [-1, 0, 1, 2])
@pytest.mark.parametrize("width", [60, 100])
def test_a_long_name_is_cut_wherever_it_goes(width: int, verbosity: int) -> None:
    cases = [*map(named_so, [*ALL, changed(BETTER), *RUNS["tolerated"][0], *RUNS["new"][0]])]
    found = lines(cases, width, verbosity, [(LONG, LONG)])
    assert "x" * 200 not in "".join(line.strip() for line in found)
    assert len(found) < 150


def test_a_command_with_a_name_that_was_cut_would_be_a_wrong_one() -> None:
    assert next_action([named_so(RUNS["new"][0][0])]) == (
        "next: npuperf accept --case NAME --reason 'first baseline'"
    )
    assert next_action([named_so(ERROR)]).startswith(f"next: mend what stopped {CUT};")


def test_a_rule_with_many_names_is_cut() -> None:
    many = limit("ops", statistic="max", select={"name": ("layer*",) * 300}, at_most=1)
    found = " ".join(lines([result("a", {many: 2})], 60, -1))
    assert found.startswith("FAILED a: ops   name=layer*,layer*")
    assert len(found) < 300


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
        ("    [pyproject.toml:12]", ""),
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


def test_what_is_gone_is_held_by_a_bound() -> None:
    """Of a time of nothing no change is a share, so that it is no baseline."""
    (line,) = said([changed([0, 0, 0, 0])], "better")
    assert line.removesuffix(f" {WITHIN}").endswith(
        "; to keep it: at_most = 0 instead of max_regression"
    )


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


def test_a_change_is_told_from_what_is_allowed_in_every_report() -> None:
    allowed = Regression(Fraction(499, 10_000))
    slower = changed([105] * 4, kernels=replace(KERNELS, max_regression=allowed))
    assert lines([slower])[1] == (
        "FAILED   a b   kernel_time  105 ms  +4.99 %  +5.00 %  pyproject.toml:12"
    )
    assert "| 105 ms | +4.99 % |  | +5.00 % |" in markdown([slower], [])
    assert "+5.00 % from 100 ms (baseline), 4.99 % allowed, surely " in slower.limits[0].reason


def test_what_is_in_force_is_said_under_the_limit_as_written() -> None:
    worse = changed([120, 121, 119, 120], session_noise=Fraction(3, 100))
    assert lines([worse])[2] == "    9.5 % in force with 1 session of 5 needed"
    # Where a bound is shown, it says nothing of that.
    bound = replace(KERNELS, at_most=Fraction(110_000_000))
    over = changed([120, 121, 119, 120], kernels=bound, session_noise=Fraction(3, 100))
    assert "in force" not in " ".join(lines([over]))


def test_a_change_that_only_the_limit_in_force_allows_is_said_and_fails_nothing() -> None:
    tolerated = changed([107, 108, 107, 107], session_noise=Fraction(3, 100))
    assert (tolerated.verdict, tolerated.blocks) == (Verdict.PASSED, False)
    assert said([tolerated], "worse") == [
        "worse, but not failed: a b: kernel_time 107 ms, +7.0 % from 100 ms (baseline), "
        "5.0 % allowed, 9.5 % in force with 1 session of 5 needed, surely +5.9 % to +8.1 %, "
        "median of 4 rounds [pyproject.toml:12] "
        "npuperf: 2 limits in 1 case within budget, 1 only by the wider limit in force "
        "next: to hold kernel_time to its limit at pyproject.toml:12, accept more sessions "
        "(npuperf accept --case 'a b' --reason TEXT), or compare two builds with against"
    ]
    assert lines([tolerated, tolerated], verbosity=-1)[0].startswith("worse, but not failed: a b")
    assert [colour for _, colour in summary([tolerated], [], 500)][:2] == ["yellow"] * 2
    twice = replace(tolerated, limits=tolerated.limits * 2)
    assert "[pyproject.toml:12] (+1 more) npuperf: " in said([twice], "worse")[0]
    assert said([changed(STEADY, session_noise=Fraction(3, 100))], "worse") == []


def test_verbose_shows_what_is_in_force_for_what_passed_too() -> None:
    tolerated = changed([107, 108, 107, 107], session_noise=Fraction(3, 100))
    assert lines([tolerated], 100, 1)[:3] == [
        "verdict  case  number           now   limit   margin  change  where",
        "PASSED   a b   kernel_time   107 ms  +5.0 %           +7.0 %  pyproject.toml:12",
        "    9.5 % in force with 1 session of 5 needed",
    ]
    both = summary([tolerated], [], 100, 1)
    assert [colour for text, colour in both if text.startswith("PASSED")] == ["yellow", "green"]


def test_what_sessions_vary_by_is_not_told_apart_by_more_rounds() -> None:
    varying = changed([105, 106, 106, 106], session_noise=Fraction(3, 100), sessions=5)
    assert varying.verdict is Verdict.INCONCLUSIVE
    assert lines([varying])[2] == "    6.1 % in force by the noise between 5 sessions"
    assert said([varying], "next")[0].startswith(
        "next: to hold kernel_time to its limit at pyproject.toml:12, accept more sessions"
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
        "next: see the row of step_time p99 for why a could not be judged, and change that, "
        "or the limit at pyproject.toml:12"
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
            "see the row of idle_time for why gpt could not be judged, and change that, "
            "or the limit at pyproject.toml:12",
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


@pytest.mark.parametrize(
    ("mode", "profile", "how"),
    [
        (
            "replay",
            "recordings/m",
            "write it into recordings/m/npuperf-recording.json, "
            'for an Ascend910B3 as {"format": 1, "fingerprint": {"soc": "Ascend910B3"}}',
        ),
        (
            "replay",
            "recordings/m/round_1",
            "write it into recordings/m/npuperf-recording.json, "
            'for an Ascend910B3 as {"format": 1, "fingerprint": {"soc": "Ascend910B3"}}',
        ),
        (
            "replay",
            "recordings/op_summary.csv",
            "move recordings/op_summary.csv into a folder of its own, and write it there into "
            "npuperf-recording.json, "
            'for an Ascend910B3 as {"format": 1, "fingerprint": {"soc": "Ascend910B3"}}',
        ),
        ("run", "out/run/m/round_1", "let npu-smi tell it where the app runs"),
    ],
)
def test_a_profile_that_does_not_say_its_soc(mode: str, profile: str, how: str) -> None:
    case = Case("a b", soc="Ascend910B*", limits=(AT_MOST,))
    for soc, before in (("Ascend910B*", Before()), (None, Before(obstacle="no SoC"))):
        limits = (AT_MOST if soc else KERNELS,)
        measured = {limits[0].wanted: Value(Fraction(1))}
        rounds = (Measurement({"0": LaneMeasurement(measured)}),)
        judged = judge(replace(case, soc=soc, limits=limits), rounds, {}, before)
        found = CaseResult("a b", "t", worst(judged), mode, limits=judged, profiles=(profile,))
        assert next_action([found]) == f"next: say the SoC of a b: {how}"
        known = replace(found, fingerprint={"soc": "Ascend910B3"})
        assert "say the SoC" not in next_action([known])
        assert "say the SoC" not in next_action([replace(found, against=OtherSide("old"))])


def test_the_file_of_the_settings_is_repeated_where_one_was_given() -> None:
    config = "more/npu perf.toml"
    told = {
        "new": f"next: npuperf accept --config '{config}' --case resnet50 "
        "--reason 'first baseline'",
        "changed": "next: see the details under the failed test of a b; where the change is meant: "
        f"npuperf accept --config '{config}' --case 'a b' --replace --reason TEXT",
    }
    for name, action in told.items():
        assert next_action(RUNS[name][0], config) == action
    found = " ".join(line.strip() for line, _ in summary([changed(BETTER)], [], 500, 0, config))
    assert f"npuperf accept --config '{config}' --case 'a b' --replace" in found


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
