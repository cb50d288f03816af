"""Our JSON files: written whole or not at all, and read back checked against the schema."""

from __future__ import annotations

import json
import math
import os
import re
from contextlib import suppress
from pathlib import Path

from pytest_npuperf import __version__
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON
from pytest_npuperf.results.checks import check, schema
from pytest_npuperf.results.format import FORMAT, MOST
from pytest_npuperf.results.limits import wanted_from_json
from pytest_npuperf.results.sound import refuse_other_sums, refuse_without
from pytest_npuperf.text import clipped, printable

_HEAD = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:format|version|started|commit|exit|cases|not_checked)"\s*:'
)
"""How a result begins, whichever of its keys a tool has put first."""

_CURES = {
    "a result": "run pytest again for a whole one",
    "a baseline": "restore it, or delete it and accept anew",
}


def write(path: Path, document: JSON) -> None:
    """Write a result whole or not at all, as :func:`write_text` does. Raises NpuperfError."""
    write_text(path, json.dumps(document, allow_nan=False) + "\n", "the results were")


def write_text(path: Path, text: str, what: str) -> None:
    """Write a file whole or not at all; folders that lack are made.

    Raises NpuperfError when it cannot be written; what was there before stays. ``what`` begins
    its sentence: ``the results were``.
    """
    path_shown, path = shown(path), Path(os.path.realpath(path))
    try:
        if path.is_char_device():  # such as /dev/stdout, which no file may take the place of
            path.write_text(text, encoding="utf-8")
            return
        make_folder(path.parent)
        replace_file(path, text)
    except OSError as err:
        raise NpuperfError(f"{path_shown}: {what} not written: {err.strerror or err}") from err


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there. Raises OSError where a file is in the place of another."""
    with suppress(FileExistsError):  # a file in its own place is told by who uses it
        folder.mkdir(parents=True)


def replace_file(path: Path, text: str) -> None:
    """Put a text on disk in the place of a file, which has the old or the new one at any moment.

    Raises OSError. Who is killed leaves a part that has no name of a JSON file.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def is_result(path: Path) -> bool:
    """Return whether a file looks like a result, and not like a table of a profile."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _HEAD.match(file.read(300)) is not None


def read(path: Path) -> JSON:
    """Return the document of a result, checked against the schema.

    Raises NpuperfError when there is none, or one of a newer pytest-npuperf.
    """
    found = parsed(path, content_of(path), "a result")
    if "sessions" in found:
        raise NpuperfError(
            f"{shown(path)}: is a baseline, which pytest compares with, and no result"
        )
    check(shown(path), found, schema())
    for number, case in enumerate(found["cases"]):
        _check_case(shown(path), ["cases", number], case)
    return found


def _check_case(where: str, place: list[str | int], case: JSON) -> None:
    rounds = [*place, "rounds"]
    refuse_other_sums(where, rounds, case["rounds"])
    refuse_without(where, rounds, case["rounds"], map(wanted_from_json, case["limits"]))
    if case["against"]:
        refuse_other_sums(where, [*place, "against", "rounds"], case["against"]["rounds"])


def content_of(path: Path) -> bytes:
    """Return what is in a file. Raises NpuperfError."""
    try:
        # To open a pipe would wait for somebody to write into it.
        if path.is_fifo():
            raise NpuperfError(f"{shown(path)}: cannot be read: it is a pipe, and no file")
        return path.read_bytes()
    except OSError as err:
        raise NpuperfError(f"{shown(path)}: cannot be read: {err.strerror or err}") from err


def parsed(path: Path, content: bytes, kind: str) -> JSON:
    """Return the document that a file holds, in a format that is known.

    ``kind`` says what is wanted, ``a result`` or ``a baseline``. Raises NpuperfError.
    """
    try:
        found = json.loads(
            content,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=_int,
            object_pairs_hook=_once,
        )
    except (ValueError, RecursionError) as err:
        raise NpuperfError(f"{shown(path)}: is not JSON: {err}; {_CURES[kind]}") from err
    number = found.get("format") if isinstance(found, dict) else None
    if not isinstance(number, int):
        raise NpuperfError(
            f'{shown(path)}: is not {kind} of pytest-npuperf; it has no "format" number'
        )
    if number > FORMAT:
        raise NpuperfError(
            f"{shown(path)}: has format {number}, and pytest-npuperf {__version__} knows formats "
            f"up to {FORMAT}; upgrade pytest-npuperf to read it"
        )
    # An older format would be brought up to date here; there is none yet.
    return found


def _once(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{clipped(printable(twice), 40)} is there twice in one object")
    return found


def _int(text: str) -> int:
    digits = len(str(MOST)) - 1
    if len(text.lstrip("-")) > digits:
        raise ValueError(f"{text[:digits]}... is too large a number")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def shown(path: Path) -> str:
    """Return a path as it may be printed."""
    return printable(str(path))
