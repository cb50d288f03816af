"""The simplified config of AMCT, which is protobuf text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_npuperf.accuracy.files import listed
from pytest_npuperf.accuracy.quantconfig import (
    BATCH_NUM,
    FLAGS,
    NOT_SET,
    QuantConfig,
    check_batch_num,
    check_version,
)
from pytest_npuperf.accuracy.textformat import Field, fields_of
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.text import clipped, many, printable, shown

# The fields of all frameworks, of ATC and AOE, of the KV cache and of the Hisilicon SoCs.
_VALUES = (*FLAGS, "batch_num", "version", "fakequant_precision_mode")
_LISTS = ("skip_approximation_layers", "skip_fusion_layers", "skip_layer_types", "skip_layers")
_MANY = (
    "override_layer_configs",
    "override_layer_types",
    "override_layers_configs",
    "tensor_quantize",
)
_MESSAGES = (
    *_MANY,
    "bn_update_config",
    "common_config",
    "conv_calibration_config",
    "fc_calibration_config",
    "kv_cache_quant_config",
    "nuq_config",
)
_ADDING_UP = (*_LISTS, "quant_layers")
_TRUE, _FALSE = ("true", "True", "t", "1"), ("false", "False", "f", "0")
_WHOLE = re.compile(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,11}", re.ASCII)


def from_text(path: Path, text: str) -> QuantConfig:
    """Return what a file of this form says. Raises AccuracyError."""
    fields = tuple(fields_of(path, text))
    if not fields:
        raise AccuracyError(f"{path}: nothing but comments; set batch_num in it")
    of_model = [field for field in fields if not field.within]
    for field in of_model:
        _check(f"{path}:{field.line}", field)
    # AMCT merges the fields as they come, so that the last one wins.
    last = {field.name: field.value for field in of_model}
    batch_num = _whole(last["batch_num"]) if "batch_num" in last else None
    notes = (*_set_twice(fields), *_added_up(of_model))
    return QuantConfig(
        batch_num or BATCH_NUM,
        None,
        last.get("joint_quant") in _TRUE,
        notes if batch_num else (NOT_SET, *notes),
    )


def _check(where: str, field: Field) -> None:
    """Raise AccuracyError where AMCT would refuse a field of the whole model."""
    name, value, found = field.name, field.value, _kind(field.value)
    if name not in (*_VALUES, *_LISTS, *_MESSAGES):
        raise AccuracyError(
            f"{where}: {shown(name)} is no field of a calibration config of AMCT; "
            "mend the name, or name another file"
        )
    if name in _MESSAGES and value not in (None, ()):
        raise AccuracyError(f"{where}: {name} is {found}; it must be a message in braces")
    if name in _LISTS and not _are_texts(value):
        raise AccuracyError(f"{where}: {name} is {found}; it must be names in quotes")
    if name in FLAGS and value not in (*_TRUE, *_FALSE):
        raise AccuracyError(f"{where}: {name} is {found}; it must be true or false")
    if name == "batch_num":
        check_batch_num(where, found, _whole(value))
    if name == "version":
        check_version(where, found, _whole(value))


def _kind(value: str | tuple[str, ...] | None) -> str:
    match value:
        case None:
            return "a message"
        case str():
            return clipped(printable(value), 40)
        case _:
            return f"[{clipped(printable(', '.join(value)), 40)}]"


def _are_texts(value: str | tuple[str, ...] | None) -> bool:
    return value is not None and all(each.startswith('"') for each in _texts(value))


def _whole(value: object) -> int | None:
    """Return a number as protobuf reads it: 020 and 0x10 are 16."""
    if not isinstance(value, str) or not _WHOLE.fullmatch(value):
        return None
    octal = value[0] == "0" and value.isdigit()
    return None if octal and set("89") & set(value) else int(value, 8 if octal else 0)


def _set_twice(fields: Iterable[Field]) -> Iterator[str]:
    """Yield where a value is set although a later one takes its place."""
    scalars = [each for each in fields if isinstance(each.value, str)]
    for same in _grouped(each for each in scalars if each.name not in _ADDING_UP):
        if len(same) > 1:
            name = clipped(".".join([*(each.name for each in same[0].within), same[0].name]), 100)
            places = _told([f"line {each.line} ({_kind(each.value)})" for each in same])
            yield f"{name} is set in {places}; AMCT takes the last"


def _added_up(fields: Iterable[Field]) -> Iterator[str]:
    """Yield which lists are in several places, or hold a name twice."""
    for same in _grouped(each for each in fields if each.name in _LISTS):
        names = [name for each in same for name in _texts(each.value)]
        lists = [each for each in same if isinstance(each.value, tuple)]
        twice = [
            clipped(printable(name), 40) for name, times in Counter(names).items() if times > 1
        ]
        if len(lists) > 1 or twice:
            lines = [str(line) for line in sorted({each.line for each in same})]
            refused = f"; take out the repeated {_told(twice)}, which AMCT refuses" if twice else ""
            yield (
                f"{same[0].name} has {many(len(names), 'name')}, all those of "
                f"{'lines' if len(lines) > 1 else 'line'} {_told(lines)}{refused}"
            )


def _texts(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()


def _grouped(fields: Iterable[Field]) -> Iterable[Sequence[Field]]:
    """Return the fields that are one field to AMCT, which merges messages but for those of many."""
    groups: dict[tuple[object, ...], list[Field]] = {}
    for field in fields:
        within = (each if each.name in _MANY else each.name for each in field.within)
        groups.setdefault((*within, field.name), []).append(field)
    return groups.values()


def _told(words: Sequence[str]) -> str:
    if len(words) > 5:
        return listed(words)
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
