"""The JSON of a profile, numbers as they are written, out of the envelope it may stand in."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import lines
from pytest_npuperf.text import shown

FAILED, FINE = "1", "0"
"""The status of an envelope."""

_LONGEST_FAILURE = 2**16


class FailedExportError(ProfileError):
    """A file holds the reason why its export failed, where data should be."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


def failure(path: Path) -> str | None:
    """Return what to say of a JSON file whose export failed, with the reason that it holds."""
    if path.stat().st_size > _LONGEST_FAILURE:
        return None
    try:
        content(path)
    except FailedExportError as err:
        return err.reason
    except ProfileError:
        # What else is wrong with it is told where the table is needed.
        return None
    return None


def content(path: Path) -> object:
    """Return what a JSON file holds; each number is a text, since times do not fit a double.

    In 2020 every file, and prof_rule always, stood in an envelope with a ``status``, which is
    taken off. Raises FailedExportError with the reason of an export that failed, ProfileError.
    """
    parsed = _parsed(path, lines.whole(path))
    if not isinstance(parsed, dict) or "status" not in parsed:
        return parsed
    if parsed["status"] == FAILED:
        info = shown(str(parsed.get("info", "no reason given")))
        raise FailedExportError(path, f"the export failed: {info}; export the profile again")
    if parsed["status"] != FINE or "data" not in parsed:
        raise ProfileError(
            f"{path}: status {shown(str(parsed['status']))} where {FINE} with data, or {FAILED} "
            "with the reason of a failure, is wanted; export the profile again"
        )
    return parsed["data"]


def _parsed(path: Path, data: bytes) -> object:
    try:
        return json.loads(
            data.decode(),
            object_pairs_hook=partial(_object, path),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
        )
    except UnicodeDecodeError as err:
        raise ProfileError(f"{path}: the text is not UTF-8") from err
    except json.JSONDecodeError as err:
        raise ProfileError(
            f"{path}:{err.lineno}: not JSON at column {err.colno} ({err.msg}); "
            "the file is cut or damaged, export it again"
        ) from err
    except RecursionError as err:
        raise ProfileError(
            f"{path}: lists or objects are nested too deeply for a table; export it again"
        ) from err


def _object(path: Path, pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; of a key that is there twice one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ProfileError(
            f"{path}: an object has the key {shown(repeated)} twice; "
            "the file is damaged, export it again"
        )
    return found


def kind(value: object) -> str:
    """Return in words what a value is."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return shown(value)
        case list():
            return "a list"
        case _:
            return "an object"
