"""Say in one sentence what a value that the schema refuses should have been."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_npuperf import catalogue
from pytest_npuperf.config.problems import did_you_mean, listed, quoted
from pytest_npuperf.model import JSON
from pytest_npuperf.units import WORDS, Dimension, parse, show_found

if TYPE_CHECKING:
    from jsonschema import ValidationError

# Titles of the definitions in the schema that are quantities.
_QUANTITIES = {
    "duration": Dimension.TIME,
    "size": Dimension.SIZE,
    "share": Dimension.SHARE,
    "count": Dimension.COUNT,
    "number": Dimension.NUMBER,
}

_USUAL_UNITS = {
    Dimension.TIME: ("us", "ms", "s"),
    Dimension.SIZE: ("KiB", "MiB", "GiB"),
    Dimension.SHARE: ("%",),
}

_EXPONENT = re.compile(r"[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]")

# What an unknown key may have been meant for, by the title of its table in the schema.
_NOUNS = {"budget": "metric or key", "statistics": "statistic", "rule": "statistic or key"}

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a table",
    "string": "a string",
}

# Lists that may be written in a shorter form, by the title of their schema.
_LISTS = {"globs": "a glob or a list of globs", "words": "a string or a list of strings"}


def sentence(error: ValidationError) -> str:
    """Return what was found and what is wanted, for every refusal but an unknown key."""
    schema: JSON = error.schema
    if "$comment" in schema:
        text: str = schema["$comment"]
        return text.replace("{found}", show_found(error.instance))
    dimension = _QUANTITIES.get(schema.get("title", ""))
    refusal = dimension and quantity_refusal(error.instance, dimension)
    return refusal or _SENTENCES[str(error.validator)](
        error.instance, error.validator_value, schema
    )


def unknown_key(key: str, table: Mapping[str, JSON], definitions: Mapping[str, JSON]) -> str:
    """Return the sentence about a key that its table in the schema does not know."""
    title, known = table.get("title", ""), list(table["properties"])
    if title == "limit" and key in catalogue.OP_STATISTICS:
        return f"one number has no statistic {quoted(key)}; write at_most, at_least or equal"
    text = f"unknown {_NOUNS.get(title, 'key')} {quoted(key)}"
    return text + (
        _belongs(key, title, definitions)
        or did_you_mean(key, known)
        or f"; known are {', '.join(known)}"
    )


def _belongs(key: str, title: str, definitions: Mapping[str, JSON]) -> str:
    """Return where a key that is right elsewhere belongs."""
    if title == "npuperf" and key == "tool":
        return '; in a file of its own, the keys stand without "tool.npuperf."'
    if title == "npuperf" and key in definitions["budget"]["properties"]:
        return "; it belongs in a budget, [tool.npuperf.budgets.NAME]"
    if title == "budget" and key in definitions["npuperf"]["properties"]:
        return "; it belongs in [tool.npuperf]"
    return ""


def quantity_refusal(found: object, dimension: Dimension) -> str | None:
    """Return why a value is no quantity of this dimension; None where it is one."""
    try:
        parse(found, dimension)
    except ValueError as refusal:
        return (
            _missing_unit(found, dimension)
            or _exponent(found, dimension)
            or _other_dimension(found, dimension)
            or str(refusal)
        )
    return None


def _exponent(found: object, dimension: Dimension) -> str | None:
    if dimension not in _USUAL_UNITS or not isinstance(found, str):
        return None
    if not _EXPONENT.match(found.strip()):
        return None
    text = f"{quoted(found)} has an exponent, and exponents are not read"
    return f"{text}; write the number out, as in {WORDS[dimension][1]}"


def _missing_unit(found: object, dimension: Dimension) -> str | None:
    units = _USUAL_UNITS.get(dimension)
    number = found if isinstance(found, (int, float)) else _as_number(found)
    if units is None or isinstance(found, bool) or number is None:
        return None
    if not _is_read(f"{number} {units[0]}", dimension):
        return None
    written = listed(f"{number} {unit}" for unit in units)
    return f"{show_found(found)} has no unit; write {written}"


def _is_read(text: str, dimension: Dimension) -> bool:
    try:
        parse(text, dimension)
    except ValueError:
        return False
    return True


def _as_number(found: object) -> str | None:
    text = found.strip() if isinstance(found, str) else ""
    return text if text.replace(".", "", 1).isdecimal() else None


def _other_dimension(found: object, dimension: Dimension) -> str | None:
    if not isinstance(found, str):
        return None
    wanted, examples = WORDS[dimension]
    for other in (Dimension.TIME, Dimension.SIZE, Dimension.SHARE):
        if _is_read(found, other):
            return f"{quoted(found)} is {WORDS[other][0]}, not {wanted}; write {examples}"
    return None


def _wrong_type(found: object, wanted: str | list[str], schema: Mapping[str, JSON]) -> str:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    name = _LISTS.get(schema.get("title", "")) or " or ".join(_TYPES[kind] for kind in kinds)
    text = f"{show_found(found)} is not {name}"
    if "string" in kinds and isinstance(found, (int, float)):
        return f"{text}; write {quoted(show_found(found))}"
    examples = schema.get("examples") or [schema[key] for key in ("default",) if key in schema]
    return f"{text}; write for example {quoted(examples[0])}" if examples else text


def _not_in(found: object, wanted: list[str], _: Mapping[str, JSON]) -> str:
    near = did_you_mean(found, wanted) if isinstance(found, str) else ""
    return f"{show_found(found)} is not known{near or f'; write {listed(wanted)}'}"


def _too_small(found: object, least: int, _: Mapping[str, JSON]) -> str:
    return f"{show_found(found)} is too small; the least is {least}"


def _empty(found: object, *_: object) -> str:
    return f"{show_found(found)} is empty; write something or leave the key out"


def _twice(found: object, *_: object) -> str:
    return f"{show_found(found)} says the same twice"


def _too_many(found: Mapping[str, JSON], *_: object) -> str:
    return f"has {' and '.join(found)}; write only one of them"


_SENTENCES: Mapping[str, Callable[[JSON, JSON, Mapping[str, JSON]], str]] = {
    "type": _wrong_type,
    "enum": _not_in,
    "minimum": _too_small,
    "minItems": _empty,
    "minLength": _empty,
    "minProperties": _empty,
    "maxProperties": _too_many,
    "uniqueItems": _twice,
}
