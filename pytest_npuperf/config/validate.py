"""Refuse settings that are wrong, with every problem at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from pytest_npuperf.config.checks import Tables, check_budget, check_root, without
from pytest_npuperf.config.inputs import Marker
from pytest_npuperf.config.problems import Problem, dotted
from pytest_npuperf.config.schema import budget_problems, root_problems
from pytest_npuperf.config.source import Source
from pytest_npuperf.config.where import line_of
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import JSON


def require_sound(source: Source) -> None:
    """Raise ConfigError with all problems of a file, in the order of their lines."""
    refused = root_problems(source.table)
    rest = without(source.table, (problem.path for problem in refused))
    # A budget that is wrong is still there to be extended.
    names = rest.get("budgets") and source.table["budgets"]
    for name in names or ():
        rest["budgets"].setdefault(name, {})
    problems = sorted([*refused, *check_root(rest)], key=_by_path)
    problems.sort(key=lambda problem: line_of(problem.path, source.lines) or 0)
    _refuse(_line(source.where(problem.path), problem) for problem in problems)


def sound_keywords(marker: Marker, budgets: Tables) -> Marker:
    """Return a marker as plain data. Raises ConfigError with all problems of its keywords."""
    keywords = {key: _plain(value) for key, value in marker.keywords.items()}
    refused = budget_problems(keywords) if keywords else []
    rest = without(keywords, (problem.path for problem in refused))
    problems = sorted([*refused, *check_budget(rest, budgets)], key=_by_path)
    _refuse(_line(marker.where, problem) for problem in problems)
    return Marker(keywords, marker.where)


def _plain(value: object) -> JSON:
    """Return what a test wrote as TOML would have it: lists, tables with names, paths as text."""
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(element) for key, element in value.items()}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _by_path(problem: Problem) -> list[str]:
    # Numbers are padded, so that ops[10] comes after ops[2].
    return [f"{part:09}" if isinstance(part, int) else part for part in problem.path]


def _line(where: str, problem: Problem) -> str:
    return f"{where}: {dotted(problem.path) or 'tool.npuperf'}: {problem.text}"


def _refuse(lines: Iterable[str]) -> None:
    found = list(lines)
    if found:
        raise ConfigError(found)
