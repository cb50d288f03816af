"""Compare settings with the JSON Schema of the package; the only module that needs jsonschema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_npuperf.config.problems import Problem
from pytest_npuperf.config.wording import sentence, unknown_key
from pytest_npuperf.model import JSON

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError


@cache
def schema() -> Mapping[str, JSON]:
    """Return the schema of the table ``[tool.npuperf]``."""
    file = files("pytest_npuperf") / "schema" / "budgets.schema.json"
    return dict(json.loads(file.read_text("utf-8")))


def root_problems(table: JSON) -> list[Problem]:
    """Return what is wrong with the whole table ``[tool.npuperf]``."""
    return _problems(table, "npuperf")


def budget_problems(keywords: JSON) -> list[Problem]:
    """Return what is wrong with the keys of one budget that stands alone."""
    return _problems(keywords, "budget")


def _problems(table: JSON, definition: str) -> list[Problem]:
    errors = list(_validator(definition).iter_errors(table))
    # A key that is mistyped is missing too; that need not be said twice.
    mistyped = [e.absolute_path for e in errors if e.validator == "additionalProperties"]
    return [
        problem
        for error in errors
        if error.validator != "anyOf" or error.absolute_path not in mistyped
        for problem in _said(error)
    ]


@cache
def _validator(definition: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator, validators

    # jsonschema takes 1.0 for a whole number, and infinity for a number; TOML tells them apart.
    checker = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_integer, "number": _is_number}
    )
    root = {"$ref": f"#/$defs/{definition}", "$defs": _definitions()}
    strict = validators.extend(Draft202012Validator, type_checker=checker)  # type: ignore[no-untyped-call]
    validator: Draft202012Validator = strict(root)
    return validator


@cache
def _definitions() -> Mapping[str, JSON]:
    """Return the definitions of the schema, its root among them as ``npuperf``."""
    root = {key: value for key, value in schema().items() if not key.startswith("$")}
    return {**schema()["$defs"], "npuperf": root}


def _is_integer(_: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_: object, value: object) -> bool:
    return _is_integer(_, value) or (isinstance(value, float) and math.isfinite(value))


def _said(error: ValidationError) -> Iterator[Problem]:
    path = tuple(error.absolute_path)
    found: JSON = error.instance
    table: JSON = error.schema
    if error.validator == "additionalProperties":
        for key in found:
            if key not in table["properties"]:
                yield Problem((*path, key), unknown_key(key, table, _definitions()))
    elif "propertyNames" in error.absolute_schema_path:
        yield Problem((*path, found), sentence(error))
    else:
        yield Problem(path, sentence(error))
