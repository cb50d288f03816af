"""Verdicts: pure functions from what was measured to what is said of it."""

from pytest_npuperf.judge.budgets import blocks, judge, nothing_can_fail, undecided, worst
from pytest_npuperf.judge.comparable import differences, differences_from_any
from pytest_npuperf.judge.relative import Before, causes_by_lane, explain_changes

__all__ = [
    "Before",
    "blocks",
    "causes_by_lane",
    "differences",
    "differences_from_any",
    "explain_changes",
    "judge",
    "nothing_can_fail",
    "undecided",
    "worst",
]
