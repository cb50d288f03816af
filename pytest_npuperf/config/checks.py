"""Find what is wrong with settings though a schema cannot say it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from pytest_npuperf.catalogue import SPEEDUPS, metric_of
from pytest_npuperf.config.artefacts import incomplete
from pytest_npuperf.config.case import words
from pytest_npuperf.config.layers import USUAL, extended, leaves
from pytest_npuperf.config.limits import Asked, asked
from pytest_npuperf.config.problems import Problem, did_you_mean, quoted
from pytest_npuperf.config.where import KeyPath
from pytest_npuperf.model import JSON
from pytest_npuperf.units import Dimension, parse

Tables = Mapping[str, Mapping[str, JSON]]

# The bound on the better side, and the one that is meant.
_SIDES = {"higher": ("at_most", "at_least"), "lower": ("at_least", "at_most")}
# Shares of a whole that they are within. The share of an op can be more: of kernel_time, which
# has no communication.
_PARTS = ("idle_share", "overlap_share", "amct")

# The least that a number can be of which more is better.
_LEAST = {"speedup": 0, "step_speedup": 0, "layer_accuracy cosine": -1}

_NEVER_LOST = "can never fail where higher is better: no value is less than 0; write less"


def check_root(table: Mapping[str, JSON]) -> Iterator[Problem]:
    """Yield the problems of a table ``[tool.npuperf]`` that the schema has nothing against."""
    budgets: Tables = table.get("budgets", {})
    yield from _timeout(table)
    yield from _all_of_it(table)
    yield from _circles(budgets)
    for name, keys in budgets.items():
        yield from _below(("budgets", name), incomplete(_with_bases(name, budgets)))
        others = {other: table for other, table in budgets.items() if other != name}
        yield from _below(("budgets", name), check_budget(keys, others))


def check_budget(keys: Mapping[str, JSON], others: Tables) -> Iterator[Problem]:
    """Yield the problems of one budget, or of a marker's keywords; it can name the others."""
    against = keys.get("against", {})
    yield from _unknown(("extends",), keys.get("extends"), others)
    yield from _unknown(("against", "case"), against.get("case"), others)
    yield from _app(("app",), keys.get("app", ["-"]))
    yield from _app(("against", "app"), against.get("app", ["-"]))
    yield from _timeout(keys)
    for path, value in leaves(keys):
        for limit in asked(path, value):
            yield from _below(limit.path, _bounds(limit))
    for glob, table in keys.get("on", {}).items():
        yield from _below(("on", glob), check_budget(table, others))


def without(table: JSON, refused: Iterable[KeyPath]) -> JSON:
    """Return a copy of a table that lacks what the schema refused, so that the rest is sound.

    Elements of a list become empty tables, so that their neighbours keep their index.
    """
    rest = {"": copy.deepcopy(table)}
    for path in refused:
        _remove(rest, ("", *path))
    return rest.get("", {})


def _remove(table: JSON, path: KeyPath) -> None:
    *above, last = path
    try:
        for key in above:
            table = table[key]
    except KeyError:  # it went with a table around it
        return
    if isinstance(table, list):
        table[int(last)] = {}
    else:
        table.pop(last, None)


def _below(path: KeyPath, problems: Iterable[Problem]) -> Iterator[Problem]:
    for problem in problems:
        yield Problem((*path, *problem.path), problem.text)


def _with_bases(name: str, budgets: Tables) -> Mapping[str, JSON]:
    """Return the tables about a quantised model of a budget and of those that it extends."""
    whole: dict[str, dict[str, JSON]] = {}
    for link in reversed(extended(name, budgets)):
        for table in USUAL:
            if table in budgets[link]:
                whole[table] = {**whole.get(table, {}), **budgets[link][table]}
    return whole


def _unknown(path: KeyPath, name: str | None, others: Tables) -> Iterator[Problem]:
    if name is not None and name not in others:
        text = f"no other budget is called {quoted(name)}{did_you_mean(name, others)}"
        yield Problem(path, text)


def _circles(budgets: Tables) -> Iterator[Problem]:
    """Yield one problem for each circle, at the first of its budgets."""
    told: set[str] = set()
    for name in budgets:
        chain = extended(name, budgets)
        closed = budgets[chain[-1]].get("extends") == name
        if closed and len(chain) > 1 and name not in told:
            told.update(chain)
            way = " -> ".join([*chain, name])
            yield Problem(("budgets", name, "extends"), f"goes in a circle: {way}")


def _app(path: KeyPath, app: str | list[str]) -> Iterator[Problem]:
    try:
        if not any(words(app)):
            yield Problem(path, f"{quoted(app)} is empty; name the program to run")
    except ValueError:
        text = f"{quoted(app)} has a quote that is not closed; close it, or write a list"
        yield Problem(path, text)


def _timeout(keys: Mapping[str, JSON]) -> Iterator[Problem]:
    timeout = keys.get("msprof", {}).get("timeout")
    if timeout is not None and parse(timeout, Dimension.TIME) == 0:
        text = f"{quoted(timeout)} leaves the app no time; write more than 0"
        yield Problem(("msprof", "timeout"), text)


def _all_of_it(table: Mapping[str, JSON]) -> Iterator[Problem]:
    """Yield the problems of settings under which what is higher-better could fall to nothing."""
    for key in ("max_regression", "session_noise"):
        if parse(table.get(key, "0 %"), Dimension.SHARE) >= 1:
            yield Problem((key,), f"{quoted(table[key])} {_NEVER_LOST}")


def _bounds(limit: Asked) -> Iterator[Problem]:
    table, bounds = limit.table, limit.bounds
    if "at_least" in bounds and "at_most" in bounds and bounds["at_least"] > bounds["at_most"]:
        least, most = quoted(table["at_least"]), quoted(table["at_most"])
        text = f"at_least {least} is more than at_most {most}; no value can be within both"
        yield Problem((), text)
    yield from _too_much(limit) if "max_regression" in table else _never_fails(limit)


def _too_much(limit: Asked) -> Iterator[Problem]:
    """Yield the problem of a regression that no value reaches, or that there is none of."""
    said = limit.table["max_regression"]
    if limit.wanted.metric in SPEEDUPS:
        text = f"{quoted(said)} of what is a comparison already, with against; write at_least"
        yield Problem(("max_regression",), text)
        return
    allowed = limit.regression(usual=Fraction(0))
    if allowed is None or allowed.value < 1:
        return
    if allowed.in_points:
        text = f"{quoted(said)} can never fail: 100 points are the whole; write less"
        yield Problem(("max_regression",), text)
    elif limit.better == "higher":
        yield Problem(("max_regression",), f"{quoted(said)} {_NEVER_LOST}")


def _never_fails(limit: Asked) -> Iterator[Problem]:
    """Yield the problem of an only bound that no worse value breaks."""
    table, bounds = limit.table, limit.bounds
    metric = limit.wanted.metric
    if limit.dimension is Dimension.NUMBER:
        wrong, right = _SIDES[limit.better]
        is_known = "better" in table or metric_of(limit.wanted) is not None
        least = _LEAST.get(limit.wanted.title())
        if is_known and set(bounds) == {wrong}:
            text = f"{wrong} {quoted(table[wrong])} can never fail: better is {limit.better}"
            yield Problem((), f"{text}, so no worse value breaks it; write {right}")
        elif least is not None and set(bounds) == {"at_least"} and bounds["at_least"] <= least:
            text = f"at_least {quoted(table['at_least'])} can never fail: no value is less"
            yield Problem((), f"{text}; write more, or another bound")
    elif bounds == {"at_least": 0}:
        text = f"at_least {quoted(table['at_least'])} can never fail: no value is less"
        yield Problem((), f"{text}; write more, or another bound")
    elif metric in _PARTS and set(bounds) == {"at_most"} and bounds["at_most"] >= 1:
        text = f"at_most {quoted(table['at_most'])} can never fail: no value is more than 100 %"
        yield Problem((), f"{text}; write less, or another bound")
