"""What the summary says of a quantised model, and what it says to do next."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_npuperf.judge import judge, worst
from pytest_npuperf.model import (
    Case,
    CaseResult,
    LaneMeasurement,
    Limit,
    Measurement,
    Value,
    Wanted,
)
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.terminal import summary
from pytest_npuperf.units import Dimension

BROKEN = Limit(
    Wanted("layer_accuracy", "broken"), Dimension.COUNT, at_most=Fraction(0), where="built-in"
)
COSINE = Limit(
    Wanted("layer_accuracy", "cosine"),
    Dimension.NUMBER,
    at_least=Fraction("0.99"),
    where="pyproject.toml:7",
    better="higher",
)


def result(limit: Limit, value: Value, findings: int = 0) -> CaseResult:
    rounds = (Measurement({"0": LaneMeasurement({limit.wanted: value})}),)
    limits = judge(Case("int8", limits=(limit,)), rounds, {})
    said = tuple(f"finding {number}" for number in range(1, findings + 1))
    return CaseResult("int8", "test_it", worst(limits), "replay", limits=limits, findings=said)


@pytest.mark.parametrize(
    ("limit", "value", "action"),
    [
        (
            BROKEN,
            Value(Fraction(1)),
            "see the details under the failed test of int8; where the change is meant, change the "
            "limit, by saying another in the budget",
        ),
        (
            COSINE,
            Value(Fraction("0.9")),
            "see the details under the failed test of int8; where the change is meant, change the "
            "limit at pyproject.toml:7",
        ),
        (
            COSINE,
            Value(None, reason="result.csv: no such file; make it, or mend the path"),
            "see the row of layer_accuracy cosine for what int8 lacks, and add that, or take the "
            "limit out at pyproject.toml:7",
        ),
    ],
)
def test_what_to_do_next(limit: Limit, value: Value, action: str) -> None:
    assert next_action([result(limit, value)]) == f"next: {action}"


@pytest.mark.parametrize(
    ("findings", "verbosity", "last"),
    [
        (20, 0, "  finding 20"),
        (22, 0, "  2 more lines, which -v shows"),
        (22, 1, "  finding 22"),
    ],
)
def test_the_limits_take_no_room_from_the_findings(
    findings: int, verbosity: int, last: str
) -> None:
    case = result(COSINE, Value(Fraction(1)), findings)
    lines = [text for text, _ in summary([case], [], 100, verbosity)]
    title = lines.index("quantised: int8")
    assert lines[title + 1] == "  PASSED layer_accuracy cosine 1.00, limit >= 0.990 (+1.0 %)"
    assert lines[title + 2] == "  finding 1"
    assert lines[lines.index(last) + 1].startswith("npuperf: 1 limit")
