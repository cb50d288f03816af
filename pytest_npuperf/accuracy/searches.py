"""What an accuracy-based search of AMCT writes: its steps, the final config and the ranking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.accuracy.files import Numeral, json_of, kind, object_at, text_of
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.text import shown

_AGAIN = "run AMCT again, or copy the whole file"
_BEGIN = re.compile(r"\S")
_TYPE_CONFIG = "::common"
"""Ends what looks like a layer in a config: the settings of nameless nodes of one type."""


@dataclass(frozen=True)
class Step:
    """One configuration that the search tried."""

    layers: Mapping[str, bool]
    """Whether each layer is quantised; AMCT calls this ``roll_back_config`` all the same."""
    satisfied: bool
    """Whether the model was accurate enough for whoever started the search."""
    loss: str
    """By how much it was worse, as written; in a unit of theirs."""

    @property
    def quantised(self) -> tuple[str, ...]:
        """Return the layers that are quantised."""
        return tuple(layer for layer, is_quantised in self.layers.items() if is_quantised)

    @property
    def rolled_back(self) -> tuple[str, ...]:
        """Return the layers that are float again; from the second step on most sensitive first."""
        return tuple(layer for layer, is_quantised in self.layers.items() if not is_quantised)


def read_steps(path: Path) -> tuple[Step, ...]:
    """Return the steps of a record file, one at least; the last is the model that was saved.

    The first quantises every layer, and all are about the same layers. Raises AccuracyError.
    """
    text = text_of(path)
    steps: list[Step] = []
    for line, found in _objects(path, text):
        step = _step(f"{path}:{line}: step {len(steps) + 1}", found)
        if not steps and step.rolled_back:
            raise AccuracyError(
                f"{path}:{line}: the first step has {shown(step.rolled_back[0])} as rolled back "
                f"already, and AMCT begins with every layer quantised; {_AGAIN}"
            )
        if steps and (odd := sorted(step.layers.keys() ^ steps[0].layers.keys())):
            raise AccuracyError(
                f"{path}:{line}: step {len(steps) + 1} has {len(step.layers)} layers and the first "
                f"{len(steps[0].layers)}, and {shown(odd[0])} is in one of them only; {_AGAIN}"
            )
        steps.append(step)
    return tuple(steps)


def _objects(path: Path, text: str) -> Iterator[tuple[int, object]]:
    """Yield each object and its line: AMCT writes one after the other, with nothing between."""
    place = 0
    while begin := _BEGIN.search(text, place):
        found, place = object_at(path, text, begin.start())
        yield text.count("\n", 0, begin.start()) + 1, found


def _step(where: str, found: object) -> Step:
    match found:
        case {
            "roll_back_config": dict() as layers,
            "metric_eval": [bool() as good, Numeral() as loss],
        }:
            pass
        case _:
            raise AccuracyError(
                f"{where} is not an object with a roll_back_config and a metric_eval such as "
                f"[true, 0.0038]; {_AGAIN}"
            )
    if not layers:
        raise AccuracyError(f"{where} has no layer in its roll_back_config; {_AGAIN}")
    for layer, is_quantised in layers.items():
        if not isinstance(is_quantised, bool):
            raise AccuracyError(
                f"{where} has {kind(is_quantised)} for {shown(layer)}, "
                f"where true or false is wanted; {_AGAIN}"
            )
    return Step(layers, good, loss)


def read_final_config(path: Path) -> frozenset[str]:
    """Return the layers that a final config quantises. Raises AccuracyError."""
    found = json_of(path)
    if not isinstance(found, dict):
        raise AccuracyError(
            f"{path}: {kind(found)} where an object with layers is wanted; {_AGAIN}"
        )
    settings = {
        layer: each.get("quant_enable", False)
        for layer, each in found.items()
        if isinstance(each, dict) and not layer.endswith(_TYPE_CONFIG)
    }
    for layer, is_enabled in settings.items():
        if not isinstance(is_enabled, bool):
            raise AccuracyError(
                f"{path}: quant_enable of {shown(layer)} is {kind(is_enabled)}, "
                f"where true or false is wanted; {_AGAIN}"
            )
    return frozenset(layer for layer, is_enabled in settings.items() if is_enabled)


def read_ranking(path: Path) -> dict[str, float]:
    """Return how like its float output each layer's quantised output is; 1 is the same.

    The least like is first; AMCT takes 0.5 + 0.5 cos. Raises AccuracyError.
    """
    found = json_of(path)
    if not isinstance(found, list):
        raise AccuracyError(f"{path}: {kind(found)} where a list of layers is wanted; {_AGAIN}")
    ranking: dict[str, float] = {}
    for number, pair in enumerate(found, start=1):
        layer, similarity = _ranked(f"{path}: entry {number}", pair)
        if layer in ranking:
            raise AccuracyError(f"{path}: {shown(layer)} is ranked twice; {_AGAIN}")
        ranking[layer] = similarity
    return dict(sorted(ranking.items(), key=lambda ranked: ranked[1]))


def _ranked(where: str, pair: object) -> tuple[str, float]:
    match pair:
        case [str() as layer, Numeral() as number] if not isinstance(layer, Numeral):
            similarity = float(number)
            if abs(similarity) < float("inf"):  # which nan is not, either
                return layer, similarity
    raise AccuracyError(
        f'{where} is not a layer and its similarity, such as ["conv1", 0.995]; {_AGAIN}'
    )
