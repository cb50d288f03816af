"""Which files about a quantised model the budget of a case names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_npuperf.config.layers import USUAL, Merged
from pytest_npuperf.config.problems import Problem
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import (
    JSON,
    AmctFiles,
    Artefacts,
    CalibrationFiles,
    LayerFiles,
    NumberFile,
)


def artefacts_of(name: str, merged: Merged) -> Artefacts:
    """Return the files that the settings of a case name. Raises ConfigError where one lacks."""
    said = {table: _said(merged, table) for table in USUAL}
    for problem in incomplete({table: keys for table, keys in said.items() if keys}):
        # The last one, as the first is what is built in.
        *_, layer = (each.layer for path, each in merged.items() if path[0] == problem.path[0])
        where = layer.where(problem.path)
        raise ConfigError([f"{where}: {name}: {problem.path[0]}: {problem.text}"])
    return Artefacts(
        layer_accuracy=LayerFiles(**said["layer_accuracy"]) if said["layer_accuracy"] else None,
        calibration=CalibrationFiles(**said["calibration"]) if said["calibration"] else None,
        amct=AmctFiles(**said["amct"]) if said["amct"] else None,
        numbers=dict(_numbers(merged)),
    )


def incomplete(keys: Mapping[str, JSON]) -> Iterator[Problem]:
    """Yield what the tables of a budget lack to name the files that they are about."""
    if (layers := keys.get("layer_accuracy")) is not None:
        yield from _layers(layers)
    if (calibration := keys.get("calibration")) is not None:
        yield from _calibration(calibration)
    if (amct := keys.get("amct")) is not None:
        yield from _lacking("amct", amct, {"log_dir": "amct_log", "result_dir": "results"})


def _layers(keys: Mapping[str, JSON]) -> Iterator[Problem]:
    stages = [key for key in ("stage1", "stage2") if key in keys]
    if "result" not in keys and not stages:
        text = 'names no file; write result = "result_*.csv", or stage1 and stage2'
        yield Problem(("layer_accuracy",), text)
    if "result" in keys and stages:
        text = f"has result and {' and '.join(stages)}; write result, or the stages"
        yield Problem(("layer_accuracy",), text)


def _calibration(keys: Mapping[str, JSON]) -> Iterator[Problem]:
    yield from _lacking("calibration", keys, {"config": "quant.cfg"})
    if ("batch_size" in keys) == ("input_shape" in keys):
        how = "both of" if "batch_size" in keys else "neither of"
        text = f"has {how} batch_size and input_shape; write one, as config has no batch size"
        yield Problem(("calibration",), text)


def _lacking(table: str, keys: Mapping[str, JSON], needed: Mapping[str, str]) -> Iterator[Problem]:
    for key, example in needed.items():
        if key not in keys:
            yield Problem((table,), f'has no {key}; write for example {key} = "{example}"')


_PATHS = ("result", "stage1", "stage2", "config", "data_dir", "log_dir", "result_dir")
_SAID = (*_PATHS, "judge", "batch_size", "input_shape")


def _said(merged: Merged, table: str) -> dict[str, JSON]:
    """Return the keys of a table that are no limits, its paths where they lead."""
    settings = {
        str(path[1]): setting
        for path, setting in merged.items()
        if path[0] == table and path[1] in _SAID
    }
    return {
        key: setting.layer.base / setting.value if key in _PATHS else setting.value
        for key, setting in settings.items()
    }


def _numbers(merged: Merged) -> Iterator[tuple[str, NumberFile]]:
    for path, setting in merged.items():
        if path[0] == "custom" and "from" in setting.value:
            file = setting.layer.base / setting.value["from"]
            yield str(path[1]), NumberFile(file, setting.value.get("key", ""))
