"""Which file about a quantised model is meant, and the text and the JSON that it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pytest_npuperf.accuracy.jsonkeys import repeated_keys
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.globs import matches
from pytest_npuperf.text import clipped, named, shown

_DIGITS = re.compile(r"[0-9]+")
_LONGEST = 64 * 2**20
"""Bytes; the files that are read here are a thousand times smaller."""


def newest(path: Path) -> Path:
    """Return the file that a path means, whose last part may be a glob.

    Of several files that differ by nothing but the digits in their names, such as a date, the last
    is meant. Raises AccuracyError where there is none, or where they differ by more.
    """
    if not {"*", "?"} & {*path.name}:
        return path
    found = _of_name(path.parent, path.name)
    if not found:
        raise AccuracyError(f"{path}: no file has such a name; make it, or mend the path")
    ordered = sorted(found, key=_numbers)
    alike = {_DIGITS.sub("0", each.name) for each in found}
    if len(alike) > 1 or [_numbers(each) for each in ordered[-2:-1]] == [_numbers(ordered[-1])]:
        names = listed([named(each.name) for each in found])
        raise AccuracyError(
            f"{path}: {names} have such a name, and none is the newest by a date or number in it; "
            "name the one that is meant"
        )
    if not ordered[-1].is_file():  # the one before it may be of another run
        raise AccuracyError(f"{ordered[-1]}: no file, or a link to none; take it away, or make it")
    return ordered[-1]


def _numbers(path: Path) -> tuple[int, ...]:
    return tuple(int(digits) for digits in _DIGITS.findall(path.name))


def matching(folder: Path, glob: str) -> list[Path]:
    """Return the files of a folder whose names a glob means, by name. Raises AccuracyError."""
    return [each for each in _of_name(folder, glob) if each.is_file()]


def _of_name(folder: Path, glob: str) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if matches(each.name, (glob,)))
    except FileNotFoundError as err:
        raise AccuracyError(f"{folder}: no such folder; mend the path") from err
    except OSError as err:
        raise AccuracyError(f"{folder}: cannot be read: {err.strerror}; mend the path") from err


def text_of(path: Path) -> str:
    """Return the text of a file, which holds some. Raises AccuracyError."""
    if path.exists() and not path.is_file():  # to open a pipe would wait for its other end
        raise AccuracyError(f"{path}: is no file; mend the path")
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
    except FileNotFoundError as err:
        raise AccuracyError(f"{path}: no such file; make it, or mend the path") from err
    except OSError as err:
        raise AccuracyError(f"{path}: cannot be read: {err.strerror}; mend the path") from err
    if len(data) > _LONGEST:
        raise AccuracyError(f"{path}: larger than {_LONGEST // 2**20} MiB; name another file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = data.count(b"\n", 0, err.start) + 1
        raise AccuracyError(f"{path}:{line}: the text is not UTF-8; save it as UTF-8") from err
    if not text.strip():
        raise AccuracyError(f"{path}: the file is empty; make it again")
    if text.startswith("version https://git-lfs"):
        raise AccuracyError(f"{path}: a Git LFS pointer; fetch the file with `git lfs pull`")
    return text


def object_at(path: Path, text: str, start: int) -> tuple[object, int]:
    """Return the JSON that begins at a place of a file's text, and where it ends.

    Every number is a :class:`Numeral`, as it is written. Raises AccuracyError.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=partial(_object, path, text),
        parse_float=Numeral,
        parse_int=Numeral,
        parse_constant=Numeral,
    )
    try:
        return decoder.raw_decode(text, start)
    except json.JSONDecodeError as err:
        raise AccuracyError(
            f"{path}:{err.lineno}: not JSON at column {err.colno} ({err.msg}); "
            "the file is cut or damaged, make it again"
        ) from err
    except RecursionError as err:
        raise AccuracyError(f"{path}: JSON that is nested too deeply; make it again") from err


def json_of(path: Path) -> object:
    """Return the JSON of a whole file, numbers as they are written. Raises AccuracyError."""
    text = text_of(path)
    found, end = object_at(path, text, len(text) - len(text.lstrip()))
    if rest := text[end:].strip():
        line = text.count("\n", 0, text.index(rest, end)) + 1
        raise AccuracyError(
            f"{path}:{line}: {shown(rest)} after the end of the JSON; make the file again"
        )
    return found


class Numeral(str):
    """A number of JSON as it is written; a text in quotes is a plain str."""

    __slots__ = ()


def _object(path: Path, text: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object; of a key that is there twice one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(repeated_keys(text))
        raise AccuracyError(
            f"{path}:{key.line}: an object has the key {shown(key.name)} twice; "
            "take one of them out"
        )
    return found


def kind(value: object) -> str:
    """Return in words what a value of JSON is."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Numeral():
            return clipped(value, 40)
        case str():
            return shown(value)
        case list():
            return "a list"
        case _:
            return "an object"


def listed(names: Sequence[str]) -> str:
    """Return what is safe to print as a sentence tells it: the first five, and how many more."""
    first = ", ".join(names[:5])
    return f"{first} and {len(names) - 5} more" if len(names) > 5 else first
