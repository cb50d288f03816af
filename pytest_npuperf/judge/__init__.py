"""Verdicts: pure functions from what was measured to what is said of it."""

from pytest_npuperf.judge.budgets import blocks, judge, nothing_can_fail, undecided, worst
from pytest_npuperf.judge.comparable import differences, differences_from_any
from pytest_npuperf.judge.gain import explain_gain, tell_gain
from pytest_npuperf.judge.relative import Before, causes_by_lane, explain_changes
from pytest_npuperf.judge.speedup import wanted_for_speedups, with_speedups

__all__ = [
    "Before",
    "blocks",
    "causes_by_lane",
    "differences",
    "differences_from_any",
    "explain_changes",
    "explain_gain",
    "judge",
    "nothing_can_fail",
    "tell_gain",
    "undecided",
    "wanted_for_speedups",
    "with_speedups",
    "worst",
]
