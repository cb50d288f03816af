"""Check a document against the schema, and say in one line where it does not fit."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON, OpRow
from pytest_npuperf.text import clipped, printable
from pytest_npuperf.units import show_found

if TYPE_CHECKING:
    from jsonschema import ValidationError

_ROOM = 300
_KINDS = {"str": str, "int": int}
_OP_CELLS = tuple((field.name, _KINDS[str(field.type)]) for field in fields(OpRow))


def check(where: str, found: JSON, wanted: JSON) -> None:
    """Raise NpuperfError unless a document fits a schema; ``where`` begins the message."""
    try:
        error = _first_error(found, wanted)
        if error is not None:
            raise refusal(where, error.absolute_path, _sentence(error))
    except RecursionError as err:
        raise NpuperfError(f"{where}: is nested too deeply") from err


def _first_error(found: JSON, wanted: JSON) -> ValidationError | None:
    # Only who reads a file pays for the import.
    from jsonschema import Draft202012Validator, FormatChecker

    dates = FormatChecker(())
    dates.checks("date-time", raises=ValueError)(_is_time)
    validator = Draft202012Validator(wanted, format_checker=dates)
    errors = validator.iter_errors(_without_sound_lists(found))
    return min(errors, key=_place, default=None)


def _is_time(found: object) -> bool:
    """Return whether a time of our form is one of the calendar. Raises ValueError where not."""
    return not isinstance(found, str) or bool(datetime.strptime(found, "%Y-%m-%dT%H:%M:%SZ"))


def _without_sound_lists(found: JSON) -> JSON:
    """Return a document with the long lists cut to what the schema asks for, where all is well.

    A baseline may hold 20,000 rows of ops, for which the schema would need many seconds.
    """
    if isinstance(found, list):
        return [_without_sound_lists(each) for each in found]
    if not isinstance(found, dict):
        return found
    return {
        key: each[: _LEAST[key]] if _is_sound_list(key, each) else _without_sound_lists(each)
        for key, each in found.items()
    }


_LEAST = {"ops": 0, "step_time": 1}


def _is_sound_list(key: str, found: JSON) -> bool:
    if not isinstance(found, list):
        return False
    if key == "ops":
        return all(map(_is_op, found))
    return key == "step_time" and all(type(each) is int and each >= 0 for each in found)


def _is_op(found: JSON) -> bool:
    return (
        isinstance(found, dict)
        and len(found) == len(_OP_CELLS)
        and all(type(found.get(name)) is kind for name, kind in _OP_CELLS)
        and found["count"] >= 0
        and found["total"] >= 0
    )


def _place(error: ValidationError) -> tuple[int, list[str]]:
    """Order what is wrong, however a release of jsonschema does: what is least deep first."""
    return len(error.absolute_path), [str(key) for key in error.absolute_path]


def _sentence(error: ValidationError) -> str:
    schema: JSON = error.schema
    if "$comment" not in schema:
        return error.message
    sentence: str = schema["$comment"]
    return sentence.replace("{found}", show_found(error.instance))


def refusal(where: str, place: Iterable[str | int], sentence: str) -> NpuperfError:
    """Return what is wrong at a place in a document: ``FILE: $.cases[0].mode: ...``."""
    keys = "".join(
        f".{key}" if str(key).isidentifier() else f"[{show_found(key)}]" for key in place
    )
    return NpuperfError(f"{where}: {clipped(printable(f'${keys}: {sentence}'), _ROOM)}")


def schema() -> JSON:
    """Return the JSON Schema of a result; ``$defs`` has the one of a baseline, too."""
    return json.loads((files("pytest_npuperf") / "schema" / "result.schema.json").read_bytes())
