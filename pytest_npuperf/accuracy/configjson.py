"""The ``config.json`` of AMCT: settings of the whole model, and an object for each layer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pytest_npuperf.accuracy.files import Numeral, json_of, kind
from pytest_npuperf.accuracy.jsonkeys import keys_of
from pytest_npuperf.accuracy.quantconfig import (
    BATCH_NUM,
    FLAGS,
    NOT_SET,
    QuantConfig,
    check_batch_num,
    check_version,
)
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.text import many, shown

_WANTED: Mapping[str, tuple[type, str]] = {
    **dict.fromkeys(FLAGS, (bool, "true or false")),
    "batch_num": (object, ""),
    "version": (object, ""),
    "fakequant_precision_mode": (str, "a text"),
    "skip_fusion_layers": (list, "a list"),
    "tensor_quantize": (list, "a list"),
    # What else the Hisilicon SoCs have.
    "bn_update_config": (dict, "an object"),
}
_OF_A_LAYER = {
    "quant_enable",
    "activation_quant_params",
    "weight_quant_params",
    "dmq_balancer_param",
}


def from_json(path: Path, text: str) -> QuantConfig:
    """Return what a file of this form says. Raises AccuracyError."""
    found = json_of(path)
    if not isinstance(found, dict):
        line = text.count("\n", 0, text.index("[")) + 1
        raise AccuracyError(f"{path}:{line}: a list, which no config of AMCT is; name another file")
    where = {key.name: f"{path}:{key.line}" for key in keys_of(text) if key.within == 1}
    for key, value in found.items():
        _check(where[key], key, value)
    if "version" in found:
        version = found["version"]
        check_version(where["version"], kind(version), _whole(version))
    batch_num = BATCH_NUM
    if "batch_num" in found:
        value = found["batch_num"]
        batch_num = check_batch_num(where["batch_num"], kind(value), _whole(value))
    notes = () if "batch_num" in found else (NOT_SET,)
    enabled = _enabled(path, where, found)
    return QuantConfig(batch_num, enabled, found.get("joint_quant", False), notes)


def _check(where: str, key: str, value: object) -> None:
    """Raise AccuracyError where a value is not of the kind that AMCT wants."""
    if key not in _WANTED and not isinstance(value, dict):
        raise AccuracyError(
            f"{where}: {shown(key)} is {kind(value)}; AMCT has no such setting, and a layer is an "
            "object (an invalid layer name or parameter); take it out, or name another file"
        )
    wanted, words = _WANTED.get(key, (dict, "an object"))
    if not isinstance(value, wanted) or (wanted is str and isinstance(value, Numeral)):
        raise AccuracyError(f"{where}: {key} is {kind(value)}; it must be {words}")


def _whole(value: object) -> int | None:
    if isinstance(value, Numeral) and re.fullmatch(r"[0-9]{1,18}", value):
        return int(value)
    return None


def _enabled(
    path: Path, where: Mapping[str, str], found: Mapping[str, object]
) -> tuple[str, ...] | None:
    """Return the layers that are quantised, of which there must be one."""
    layers = {
        key: value for key, value in found.items() if isinstance(value, dict) and key not in _WANTED
    }
    if "version" not in found and layers and not any(map(_is_layer, layers.values())):
        # A newer schema names types of layers, and says nothing of single ones.
        return None
    for name, layer in layers.items():
        if not isinstance(flag := layer.get("quant_enable", False), bool):
            raise AccuracyError(
                f"{where[name]}: quant_enable of {shown(name)} is {kind(flag)}; "
                "it must be true or false"
            )
    enabled = tuple(name for name, layer in layers.items() if layer.get("quant_enable"))
    if not enabled and not found.get("tensor_quantize"):
        raise AccuracyError(
            f"{path}: quant_enable is true for none of {many(len(layers), 'layer')}, so nothing "
            "is quantised; set it for those that are to be"
        )
    return enabled


def _is_layer(value: Mapping[str, object]) -> bool:
    return not value or not _OF_A_LAYER.isdisjoint(value)
