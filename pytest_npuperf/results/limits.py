"""Limits with their verdicts as JSON, and the change from what a number was before."""

from __future__ import annotations

from pytest_npuperf.model import (
    JSON,
    Comparison,
    InForce,
    Judged,
    Limit,
    Regression,
    Selector,
    Verdict,
    Wanted,
)
from pytest_npuperf.results.format import as_number, exact, exact_or_none
from pytest_npuperf.units import Dimension


def limit_as_json(judged: Judged) -> JSON:
    """Return a limit and its verdict as plain data."""
    limit, wanted = judged.limit, judged.limit.wanted
    return {
        "metric": wanted.metric,
        "statistic": wanted.statistic,
        "select": wanted.select.as_dict(),
        "column": wanted.column,
        "lane": judged.lane,
        "value": as_number(judged.value),
        "unit": limit.unit or limit.dimension.value,
        "at_most": as_number(limit.at_most),
        "at_least": as_number(limit.at_least),
        "equal": as_number(limit.equal),
        "max_regression": limit.max_regression and _regression_as_json(limit.max_regression),
        "better": limit.better,
        "samples": judged.samples,
        "coverage": as_number(judged.coverage),
        "verdict": judged.verdict.value,
        "on_fail": limit.on_fail,
        "why": limit.why,
        "reason": judged.reason,
        "remark": judged.remark,
        "comparison": judged.comparison and _comparison_as_json(judged.comparison),
        "where": limit.where,
    }


def _regression_as_json(regression: Regression) -> JSON:
    return {"value": as_number(regression.value), "in_points": regression.in_points}


def _comparison_as_json(comparison: Comparison) -> JSON:
    return {
        "baseline": as_number(comparison.baseline),
        "change": as_number(comparison.change),
        "low": as_number(comparison.low),
        "high": as_number(comparison.high),
        "improved": comparison.improved,
        "source": comparison.source,
        "in_force": comparison.in_force and _in_force_as_json(comparison.in_force),
    }


def _in_force_as_json(in_force: InForce) -> JSON:
    return {
        "value": as_number(in_force.value),
        "why": in_force.why,
        "decides": in_force.decides,
    }


def limit_from_json(data: JSON) -> Judged:
    """Return what :func:`limit_as_json` made plain."""
    return Judged(
        limit=_limit(data),
        verdict=Verdict(data["verdict"]),
        lane=data["lane"],
        value=exact_or_none(data["value"]),
        samples=data["samples"],
        coverage=exact(data["coverage"]),
        reason=data["reason"],
        remark=data["remark"],
        comparison=data["comparison"] and _comparison(data["comparison"]),
    )


def wanted_from_json(data: JSON) -> Wanted:
    """Return the number that a limit is on."""
    select = Selector(**{key: tuple(globs) for key, globs in data["select"].items()})
    return Wanted(data["metric"], data["statistic"], select, data["column"])


def _limit(data: JSON) -> Limit:
    unit = data["unit"]
    wanted = wanted_from_json(data)
    is_own = wanted.own_name is not None
    return Limit(
        wanted=wanted,
        dimension=Dimension.NUMBER if is_own else Dimension(unit),
        at_most=exact_or_none(data["at_most"]),
        at_least=exact_or_none(data["at_least"]),
        equal=exact_or_none(data["equal"]),
        max_regression=data["max_regression"] and _regression(data["max_regression"]),
        on_fail=data["on_fail"],
        why=data["why"],
        where=data["where"],
        better=data["better"],
        unit=unit if is_own and unit != Dimension.NUMBER.value else "",
    )


def _regression(data: JSON) -> Regression:
    return Regression(exact(data["value"]), data["in_points"])


def _comparison(data: JSON) -> Comparison:
    return Comparison(
        baseline=exact(data["baseline"]),
        change=exact_or_none(data["change"]),
        low=exact_or_none(data["low"]),
        high=exact_or_none(data["high"]),
        improved=data["improved"],
        source=data["source"],
        in_force=data["in_force"] and _in_force(data["in_force"]),
    )


def _in_force(data: JSON) -> InForce:
    return InForce(exact(data["value"]), data["why"], data["decides"])
