from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pytest_npuperf.model import (
    CaseResult,
    Comparison,
    InForce,
    Judged,
    Limit,
    Regression,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.report import flat_properties
from pytest_npuperf.units import Dimension


def judged(wanted: Wanted, dimension: Dimension, value: Fraction | None, **bounds: Any) -> Judged:
    verdict = Verdict.PASSED if value is not None else Verdict.NOT_MEASURED
    limit = Limit(wanted, dimension, **bounds)
    return Judged(limit, verdict, "0", value, 1, Fraction(1), "")


def case(*limits: Judged, **more: Any) -> CaseResult:
    settings: dict[str, Any] = {"mode": "run", "verdict": Verdict.PASSED} | more
    return CaseResult("resnet50", "test_it", limits=limits, **settings)


HEAD = [("npuperf.resnet50.verdict", "PASSED"), ("npuperf.resnet50.mode", "run")]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (
            judged(
                Wanted("busy_time"),
                Dimension.TIME,
                Fraction(1_710_000),
                at_most=Fraction(1_700_000),
            ),
            {
                "busy_time_ns": "1710000",
                "busy_time_ns.at_most": "1700000",
                "busy_time.verdict": "PASSED",
            },
        ),
        (
            judged(
                Wanted("step_time", "p95"), Dimension.TIME, Fraction(1, 3), at_most=Fraction(1, 2)
            ),
            {
                "step_time.p95_ns": "0.3333333333333333",
                "step_time.p95_ns.at_most": "0.5",
                "step_time.p95.verdict": "PASSED",
            },
        ),
        (
            judged(
                Wanted("kernel_count"),
                Dimension.COUNT,
                Fraction(135),
                at_most=Fraction(140),
                at_least=Fraction(130),
            ),
            {
                "kernel_count": "135",
                "kernel_count.at_most": "140",
                "kernel_count.at_least": "130",
                "kernel_count.verdict": "PASSED",
            },
        ),
        (
            judged(Wanted("overlap_share"), Dimension.SHARE, None, at_least=Fraction(1, 10**7)),
            {
                "overlap_share.at_least": "0.0000001",
                "overlap_share.verdict": "NOT_MEASURED",
            },
        ),
        (
            judged(
                Wanted("ops", "count", Selector(task_type=("AI_CPU",), type=("A*", "B"))),
                Dimension.COUNT,
                Fraction(0),
                equal=Fraction(0),
            ),
            {
                "ops.type=A*,B.task_type=AI_CPU.count": "0",
                "ops.type=A*,B.task_type=AI_CPU.count.equal": "0",
                "ops.type=A*,B.task_type=AI_CPU.count.verdict": "PASSED",
            },
        ),
        (
            judged(Wanted("custom.memory"), Dimension.SIZE, Fraction(2**70)),
            {
                "custom.memory_bytes": "1180591620717411303424",
                "custom.memory.verdict": "PASSED",
            },
        ),
    ],
)
def test_a_limit_is_plain_numbers_with_the_unit_in_the_name(
    limit: Judged, expected: dict[str, str]
) -> None:
    named = [(f"npuperf.resnet50.{name}", value) for name, value in expected.items()]
    assert flat_properties(case(limit)) == [*HEAD, *named]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Fraction(86, 1000), {"step_time.p50.change": "0.086"}),
        (Fraction(-1, 10**7), {"step_time.p50.change": "-0.0000001"}),
        (Fraction(0), {"step_time.p50.change": "0"}),
        (None, {}),  # from zero
    ],
)
def test_a_change_is_a_number(change: Fraction | None, expected: dict[str, str]) -> None:
    limit = judged(Wanted("step_time", "p50"), Dimension.TIME, Fraction(2))
    compared = Comparison(Fraction(1), change, None, None, False, "baseline")
    found = dict(flat_properties(case(replace(limit, comparison=compared)))[len(HEAD) :])
    names = {"step_time.p50_ns": "2", **expected, "step_time.p50.verdict": "PASSED"}
    assert found == {f"npuperf.resnet50.{name}": value for name, value in names.items()}


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (None, {}),  # there is nothing to compare with yet
        (Comparison(Fraction(1), None, None, None, False, "baseline"), {}),
        (
            Comparison(
                Fraction(1),
                Fraction(7, 100),
                None,
                None,
                False,
                "baseline",
                InForce(Fraction(95, 1000), "with 1 session of 5 needed", decides=True),
            ),
            {"step_time.p50.change": "0.07", "step_time.p50.in_force": "0.095"},
        ),
    ],
)
def test_what_is_allowed_is_a_number_as_it_is_written_and_as_it_is_in_force(
    comparison: Comparison | None, expected: dict[str, str]
) -> None:
    five = Regression(Fraction(5, 100))
    limit = judged(Wanted("step_time", "p50"), Dimension.TIME, Fraction(2), max_regression=five)
    found = dict(flat_properties(case(replace(limit, comparison=comparison)))[len(HEAD) :])
    names = {
        "step_time.p50_ns": "2",
        "step_time.p50.max_regression": "0.05",
        **expected,
        "step_time.p50.verdict": "PASSED",
    }
    assert found == {f"npuperf.resnet50.{name}": value for name, value in names.items()}


def test_a_replay_says_so() -> None:
    found = dict(flat_properties(case(mode="replay", recorded="2026-01-31")))
    assert found["npuperf.resnet50.mode"] == "replayed (recorded 2026-01-31)"
    found = dict(flat_properties(case(mode="replay")))
    assert found["npuperf.resnet50.mode"] == "replayed (recorded on an unknown date)"


def test_an_error_says_its_reason_in_one_line_without_the_log() -> None:
    error = case(verdict=Verdict.ERROR, mode="", reason="it \x1b failed\n    log\n    log")
    assert flat_properties(error) == [
        ("npuperf.resnet50.verdict", "ERROR"),
        ("npuperf.resnet50.reason", "it \\x1b failed"),
    ]


def test_names_that_xml_cannot_hold_are_escaped() -> None:
    limit = judged(
        Wanted("ops", "max", Selector(name=("\x00\ud800卷积\ufffe",))), Dimension.TIME, None
    )
    assert flat_properties(case(limit))[-1] == (
        "npuperf.resnet50.ops.name=\\x00\\ud800卷积\\ufffe.max.verdict",
        "NOT_MEASURED",
    )
