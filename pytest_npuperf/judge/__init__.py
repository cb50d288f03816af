"""Verdicts: pure functions from what was measured to what is said of it."""

from pytest_npuperf.judge.budgets import blocks, judge, nothing_can_fail, worst

__all__ = ["blocks", "judge", "nothing_can_fail", "worst"]
