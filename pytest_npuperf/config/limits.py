"""Turn what budgets say about metrics into limits on single numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pytest_npuperf import catalogue
from pytest_npuperf.config.layers import Merged
from pytest_npuperf.config.where import KeyPath
from pytest_npuperf.model import CUSTOM, JSON, Limit, Regression, Selector, Wanted
from pytest_npuperf.units import Dimension, parse

BOUNDS = ("at_most", "at_least", "equal")

_SELECTOR = tuple(vars(Selector()))
_NOTHING: Mapping[str, JSON] = {}


@dataclass(frozen=True)
class Asked:
    """One limit as it was written, and the number that it is about."""

    path: KeyPath
    wanted: Wanted
    dimension: Dimension
    raw: JSON
    """A quantity, or a table of bounds."""
    rule: Mapping[str, JSON]
    """The rule around it; empty where there is none."""

    @property
    def table(self) -> Mapping[str, JSON]:
        """Return the table of bounds; a bare quantity means at most."""
        return self.raw if isinstance(self.raw, dict) else {"at_most": self.raw}

    @property
    def bounds(self) -> dict[str, Fraction]:
        """Return the bounds that are set. Raises ValueError where one is no quantity."""
        table = self.table
        return {key: parse(table[key], self.dimension) for key in BOUNDS if key in table}

    @property
    def better(self) -> Literal["lower", "higher"]:
        """Return which way is better: what is written, known, or meant by the only bound."""
        if "better" in self.table:
            return "higher" if self.table["better"] == "higher" else "lower"
        if self.wanted.column is not None:
            return "higher" if "at_least" in self.table and "at_most" not in self.table else "lower"
        metric = catalogue.metric_of(self.wanted)
        return metric.better if metric else "lower"

    def regression(self, usual: Fraction) -> Regression | None:
        """Return how much worse than before the number may become; None where any will do.

        ``usual`` is what ``true`` means, but for a count, of which there is no noise. Raises
        ValueError where it is no share.
        """
        said = self.table.get("max_regression")
        if said is None:
            return None
        if said is True:
            return Regression(Fraction(0) if self.dimension is Dimension.COUNT else usual)
        return Regression(parse(said, Dimension.SHARE), in_points="point" in said)


def asked(path: KeyPath, value: JSON) -> Iterator[Asked]:
    """Yield the limits that a key of a budget sets; none where it sets something else."""
    key = path[0]
    if key in catalogue.RULES:
        for index, rule in enumerate(value):
            yield from _of_rule((*path, index), str(key), rule)
    elif key == "custom":
        yield Asked(path, Wanted(f"{CUSTOM}{path[1]}"), Dimension.NUMBER, value, _NOTHING)
    elif metric := catalogue.METRICS.get(str(key)) or catalogue.SPEEDUPS.get(str(key)):
        yield _of_metric(path, metric, value)
    elif metric := catalogue.ARTEFACTS.get(" ".join(map(str, path))):
        yield Asked(path, Wanted(str(key), str(path[1])), metric.dimension, value, _NOTHING)


def limits_of(merged: Merged) -> Iterator[Limit]:
    """Yield the limits of a case, whose settings are known to be right."""
    usual = parse(merged["max_regression",].value, Dimension.SHARE)
    for setting in merged.values():
        for each in asked(setting.path, setting.value):
            yield _limit(each, usual, setting.layer.where(each.path))


def _limit(each: Asked, usual: Fraction, where: str) -> Limit:
    bounds = each.bounds
    return Limit(
        each.wanted,
        each.dimension,
        at_most=bounds.get("at_most"),
        at_least=bounds.get("at_least"),
        equal=bounds.get("equal"),
        max_regression=each.regression(usual),
        on_fail=each.table.get("on_fail", each.rule.get("on_fail", "fail")),
        why=each.table.get("why", each.rule.get("why", "")),
        where=where,
        better=each.better,
    )


def _of_metric(path: KeyPath, metric: catalogue.Metric, raw: JSON) -> Asked:
    if not metric.takes_table:
        return Asked(path, Wanted(metric.name), metric.dimension, raw, _NOTHING)
    which = str(path[1])
    counts = metric.distribution and which == "count"
    dimension = Dimension.COUNT if counts else metric.dimension
    return Asked(path, Wanted(metric.name, which), dimension, raw, _NOTHING)


def _of_rule(path: KeyPath, metric: str, rule: Mapping[str, JSON]) -> Iterator[Asked]:
    select = Selector(**{key: _globs(rule[key]) for key in _SELECTOR if key in rule})
    for name, dimension in catalogue.RULES[metric].items():
        if name in rule:
            yield Asked((*path, name), Wanted(metric, name, select), dimension, rule[name], rule)
    for column, raw in rule.get("pmu", {}).items():
        wanted = Wanted(metric, None, select, column)
        yield Asked((*path, "pmu", column), wanted, Dimension.NUMBER, raw, rule)


def _globs(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
