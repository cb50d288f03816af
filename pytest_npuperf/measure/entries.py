"""Numbers that are rows of a table: fused operators, and entries of advice."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from pytest_npuperf.catalogue import OLD_RULE_TYPES
from pytest_npuperf.measure.operators import Number
from pytest_npuperf.measure.rows import NotMeasuredError, filled
from pytest_npuperf.measure.rules import near_it, nearest
from pytest_npuperf.text import printable


def fused_count(rows: pd.DataFrame) -> Number:
    """Return how many operators were fused: the rows of a fusion_op."""
    return Number(Fraction(len(rows)), len(rows))


def advice_count(rows: pd.DataFrame, rule_type: str) -> Number:
    """Return the entries of a prof_rule with a rule type, whatever its release calls it.

    Raises NotMeasuredError where msprof did not check it. What it checked are the categories of
    the column: a type that found nothing is among them, and one that is misspelled is not.
    """
    column = filled(rows, "prof_rule", "rule_type")
    checked = list(column.cat.categories)
    if _current(rule_type) not in map(_current, checked):
        hint = near_it(nearest([rule_type], checked) or checked)
        raise NotMeasuredError(f'prof_rule has no rule type "{printable(rule_type)}"{hint}')
    count = [_current(text) for text in column].count(_current(rule_type))
    return Number(Fraction(count), len(rows))


def _current(rule_type: str) -> str:
    return OLD_RULE_TYPES.get(rule_type, rule_type)
