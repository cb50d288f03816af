"""The advice that msprof gave until August 2024, ``prof_rule``: a row for each suggestion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import envelopes
from pytest_npuperf.profile.columns import of_texts
from pytest_npuperf.profile.envelopes import kind
from pytest_npuperf.profile.schema import Column, Table
from pytest_npuperf.text import shown

_SUGGESTION = ("rule_type", "rule_subtype", "suggestion", "op_names")
"""The columns; that of the device is not in the file but in its name."""

_Object = Mapping[str, object]


def read_table(path: Path, table: Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns (None: all), a row for each suggestion. Raises ProfileError.

    The columns are the same whatever was found.
    A rule type that found nothing has no row, but is one of the categories of ``rule_type``; a
    type that is not among them was not checked. A profile without the table checked nothing.
    """
    typed = _typed(path, table)
    chosen = {name: typed[name] for name in typed if wanted is None or name in wanted}
    return pd.DataFrame(chosen, copy=False)


def _typed(path: Path, table: Table) -> dict[str, pd.Categorical]:
    columns = [column for column in table.columns if column.name in _SUGGESTION]
    rules = _rules(path)
    rows = [row for rule in rules for row in _rows(path, rule, columns)]
    texts = {column.name: [row[column.name] for row in rows] for column in columns}
    typed = {
        column.name: of_texts(np.array(texts[column.name], dtype=object), column)
        for column in columns
    }
    checked = sorted({_text(path, rule, columns[0]) for rule in rules})
    name = columns[0].name
    return {**typed, name: typed[name].set_categories(pd.Index(checked, dtype=object))}


def _rules(path: Path) -> list[_Object]:
    """Return the rule types that were checked: one list, or since 2022-12-06 one for each area."""
    content = envelopes.content(path)
    areas = list(content.values()) if isinstance(content, dict) else [content]
    return list(chain.from_iterable(_objects(path, area, "rules") for area in areas))


def _rows(path: Path, rule: _Object, columns: list[Column]) -> Iterator[dict[str, str]]:
    """Yield what is suggested by one rule type."""
    head, *others = columns
    rule_type = _text(path, rule, head)
    if "result" not in rule:
        raise _damaged(path, f'no "result" of rule type {shown(rule_type)}')
    for result in _objects(path, rule["result"], f"results of {shown(rule_type)}"):
        yield {head.name: rule_type, **{each.name: _text(path, result, each) for each in others}}


def _objects(path: Path, found: object, name: str) -> list[_Object]:
    if isinstance(found, list) and all(isinstance(each, dict) for each in found):
        return found
    raise _damaged(path, f"{kind(found)} where a list of {name} is wanted")


def _damaged(path: Path, fault: str) -> ProfileError:
    return ProfileError(f"{path}: {fault}; the file is damaged or not from msprof, leave it out")


def _text(path: Path, found: _Object, column: Column) -> str:
    """Return what an object says under one of the headers of a column."""
    header = next((header for header in column.headers if header in found), None)
    if header is None:
        raise _damaged(path, f"no {' or '.join(map(shown, column.headers))} in {_named(found)}")
    value = found[header]
    if column.name == "op_names":
        # Beside names there are numbers by name, of which none is an operator.
        value = "" if isinstance(value, dict) else value
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return ";".join(value)
    if not isinstance(value, str):
        raise _damaged(path, f"{kind(value)} as {shown(header)}, where a text is wanted")
    return value


def _named(found: _Object) -> str:
    keys = ", ".join(map(shown, list(found)[:5]))
    return f"an object of {keys}" if keys else "an empty object"
