"""One number about a model, such as its accuracy, from whichever file holds it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.accuracy.amctlog import Accuracies, accuracies_of
from pytest_npuperf.accuracy.files import json_of, kind, listed, newest, text_of
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import NumberFile
from pytest_npuperf.text import many, named, shown

_NUMBER = re.compile(
    r"([+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,2})?)\s*(%?)"
)
_RESULT = '{"title": ..., "value": [{"key": "Top1 accuracy", "value": "77.37%"}]}'


@dataclass(frozen=True)
class Number:
    """A number that a file says, exactly."""

    value: Fraction
    unit: str
    """``%`` where the text has it, and then the value counts hundredths; else empty."""
    before: Fraction | None
    """That of the float model, in the same unit, where the same file says it."""
    told: str
    """The file and what it says, in a sentence."""


def read_number(file: NumberFile) -> Number:
    """Return a number from a ModelZoo result, an AMCT log or a CSV: its content says which it is.

    Raises AccuracyError.
    """
    path = newest(file.path)
    text = text_of(path)
    if text.lstrip().startswith("{"):
        return _from_result(path, file.key)
    if accuracies := accuracies_of(text):
        return _from_log(path, file.key, accuracies)
    return _from_csv(path, file.key, text)


def _from_result(path: Path, key: str) -> Number:
    found = json_of(path)
    entries = found.get("value") if isinstance(found, dict) else None
    if not isinstance(entries, list) or not entries:
        raise AccuracyError(f"{path}: not a result of ModelZoo, which is {_RESULT}; name another")
    pairs = [_entry(f"{path}: value {number}", each) for number, each in enumerate(entries, 1)]
    at = _place(path, key, [name for name, _ in pairs], "key")
    return _number(path, *pairs[at])


def _entry(where: str, entry: object) -> tuple[str, str]:
    match entry:
        case {"key": str() as key, "value": str() as value}:
            return key, value
        case {"key": str() as key, "value": value}:
            raise AccuracyError(f"{where}: {shown(key)} is {kind(value)}; it must be a number")
        case _:
            pass
    raise AccuracyError(f"{where}: not an object with a key and a value, as in {_RESULT}")


def _from_log(path: Path, key: str, accuracies: Accuracies) -> Number:
    if key:
        raise AccuracyError(
            f"{path}: an AMCT log has no keys, and {shown(key)} is asked for; leave key out"
        )
    if not accuracies.saved:
        raise AccuracyError(
            f'{path}: no "Accuracy of saved model is", though other accuracies are there; AMCT '
            "saved no model, or the log is cut: look at its last lines"
        )
    value, unit = _parsed(path, "the accuracy of the saved model", accuracies.saved)
    told = f"{path}: accuracy of the saved model {accuracies.saved}"
    if not accuracies.original:
        return Number(value, unit, None, told)
    before, other = _parsed(path, "the accuracy of the original model", accuracies.original)
    if other != unit:
        raise AccuracyError(
            f"{path}: {accuracies.original} of the original model and {accuracies.saved} of the "
            "saved one are not in one unit; write both with % or both without"
        )
    return Number(value, unit, before, f"{told}, of the original {accuracies.original}")


def _from_csv(path: Path, key: str, text: str) -> Number:
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error as err:
        raise AccuracyError(f"{path}: neither JSON, an AMCT log nor CSV ({err})") from err
    header, *data = rows
    at = _place(path, key, [name.strip() for name in header], "column")
    if len(data) != 1:
        raise AccuracyError(
            f"{path}: {many(len(data), 'row')} of data, and which one is meant cannot be known; "
            "write a file with a header and one row"
        )
    if len(data[0]) != len(header):
        raise AccuracyError(
            f"{path}: the row has {len(data[0])} of {many(len(header), 'cell')}; "
            "the file is cut or damaged, make it again"
        )
    return _number(path, header[at].strip(), data[0][at])


def _place(path: Path, key: str, keys: Sequence[str], noun: str) -> int:
    """Return which of the keys is meant; without a key there may be one only."""
    meant = [at for at, each in enumerate(keys) if each == key or not key]
    if len(meant) == 1:
        return meant[0]
    there = listed([shown(each) for each in keys])
    if not key:
        raise AccuracyError(
            f"{path}: {many(len(keys), noun)}; say in key which is meant: one of {there}"
        )
    if not meant:
        raise AccuracyError(f"{path}: no {noun} is {shown(key)}; there are {there}")
    raise AccuracyError(f"{path}: {len(meant)} {noun}s are {shown(key)}; rename all but one")


def _number(path: Path, key: str, text: str) -> Number:
    value, unit = _parsed(path, shown(key), text)
    return Number(value, unit, None, f"{path}: {named(key)} {text.strip()}")


def _parsed(path: Path, what: str, text: str) -> tuple[Fraction, str]:
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise AccuracyError(
            f'{path}: {what} is {shown(text)}, which is no number such as 0.7737 or "77.37%"'
        )
    return Fraction(match[1]), match[2]
