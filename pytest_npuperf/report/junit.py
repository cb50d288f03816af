"""Flat properties of a case, which build servers read from JUnit files."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from pytest_npuperf.model import CaseResult, Judged
from pytest_npuperf.report.words import headline, origin
from pytest_npuperf.text import printable
from pytest_npuperf.units import Dimension

_SUFFIXES = {Dimension.TIME: "_ns", Dimension.SIZE: "_bytes"}


def flat_properties(case: CaseResult) -> list[tuple[str, str]]:
    """Return names and values: ``npuperf.resnet50.busy_time_ns`` is ``1710000``.

    Values are plain decimal numbers, the unit is in the name; what was not measured is left out,
    and the verdict of its limit says so.
    """
    found = [("verdict", str(case.verdict))]
    found += [("mode", origin(case) or case.mode)] if case.mode else []
    found += [("reason", headline(case))] if case.reason else []
    for judged in case.limits:
        found += _of_limit(judged)
    return [(printable(f"npuperf.{case.case}.{name}"), printable(value)) for name, value in found]


def _of_limit(judged: Judged) -> list[tuple[str, str]]:
    title = judged.limit.wanted.title().replace(" ", ".")
    name = title + _SUFFIXES.get(judged.limit.dimension, "")
    found = [] if judged.value is None else [(name, _plain(judged.value))]
    found += [(f"{name}.{bound.kind}", _plain(bound.value)) for bound in judged.limit.bounds]
    found += _of_change(title, judged)
    return [*found, (f"{title}.verdict", str(judged.verdict))]


def _of_change(title: str, judged: Judged) -> list[tuple[str, str]]:
    """Return the change, and how much of one is allowed as it is written, and as it is in force."""
    regression, comparison = judged.limit.max_regression, judged.comparison
    found = []
    if comparison and comparison.change is not None:
        found.append(("change", comparison.change))
    if regression:
        found.append(("max_regression", regression.value))
    if comparison and comparison.in_force:
        found.append(("in_force", comparison.in_force.value))
    return [(f"{title}.{key}", _plain(value)) for key, value in found]


def _plain(value: Fraction) -> str:
    """Return a number as people and build servers write it, without an exponent."""
    if value.denominator == 1:
        return str(value.numerator)
    return format(Decimal(repr(float(value))), "f")
