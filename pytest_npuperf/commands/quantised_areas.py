"""The areas of files about a quantised model: its outputs, the search of AMCT, its calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.accuracy.amct import RANKING, RECORD, AmctRun, read_amct
from pytest_npuperf.accuracy.calibration import read_config
from pytest_npuperf.accuracy.layers import read_layers
from pytest_npuperf.accuracy.quantconfig import QuantConfig
from pytest_npuperf.accuracy.recognise import Search
from pytest_npuperf.accuracy.searches import read_steps
from pytest_npuperf.accuracy.tensors import State, Tensor
from pytest_npuperf.commands.area import CUT, Area, Field, Row, Spec
from pytest_npuperf.model import AmctFiles, CalibrationFiles, LayerFiles
from pytest_npuperf.text import many, printable
from pytest_npuperf.units import Dimension

OUTPUTS = Spec(
    "outputs",
    "outputs, worst first",
    ("result_*.csv",),
    (
        Field("index", "index", Dimension.COUNT),
        Field("type", "op type", drop=2, least=CUT),
        Field("name", "op", least=CUT),
        Field("output", "output", drop=4),
        Field("cosine", "cosine", Dimension.NUMBER, decimals=6),
        Field("relative_euclidean", "rel. Euclid", Dimension.NUMBER, drop=3, decimals=6),
        Field("state", "state"),
        Field("reason", "reason", drop=1, least=CUT),
    ),
    has_lanes=False,
)
SEARCH = Spec(
    "search",
    "layers of the search, most sensitive first",
    (RECORD, RANKING),
    (
        Field("layer", "layer", least=CUT),
        Field("state", "state"),
        Field("similarity", "similarity", Dimension.NUMBER, drop=1, decimals=6),
    ),
    has_lanes=False,
)
CALIBRATION = Spec(
    "calibration",
    "calibration",
    ("config.json", "quant.cfg"),
    (
        Field("batch_num", "batch_num", Dimension.COUNT),
        Field("quantised_layers", "quantised layers", Dimension.COUNT),
        Field("joint_quant", "joint_quant"),
    ),
    has_lanes=False,
)

_STATES = (State.BROKEN, State.COMPARED, State.NOT_COMPARED)
"""The worst first; of the last nobody knows."""

_LARGEST = 10**39
"""What is larger is no float32, in which the tool reckons, and may be no number of JSON."""

Seen = tuple[Area, tuple[str, ...]]
"""An area, and what is to be known beside it, each in one line."""


def look_into(path: Path, files: LayerFiles | CalibrationFiles | Search, top: int) -> Seen:
    """Return what files say, in at most so many rows; ``path`` is how they were asked for.

    Raises AccuracyError.
    """
    area, notes = _seen(files, top)
    # What was asked for need not be told again, nor in how deep a folder the files are.
    shorter = (note.removeprefix(f"{path}: ").replace(f"{path}/", "") for note in notes)
    return area, tuple(map(printable, shorter))


def _seen(files: LayerFiles | CalibrationFiles | Search, top: int) -> Seen:
    if isinstance(files, LayerFiles):
        return _outputs(files, top)
    return _search(files, top) if isinstance(files, Search) else _calibration(files.config)


def _first(spec: Spec, rows: Sequence[Row], top: int) -> Area:
    return Area(spec, tuple(rows[:top]), max(len(rows) - top, 0))


# --- outputs ----------------------------------------------------------------------------------


def _outputs(files: LayerFiles, top: int) -> Seen:
    accuracy = read_layers(files)
    (comparison,) = accuracy.comparisons.values()
    rows = [_output(each) for each in sorted(comparison.outputs, key=_badness)]
    area = _first(OUTPUTS, rows, top) if rows else Area(OUTPUTS, reason="none has a counterpart")
    return area, tuple(accuracy.findings([]))


def _badness(tensor: Tensor) -> tuple[int, bool, Fraction, Fraction]:
    """Return what sorts the worst first; of those alike, the first in the network stays first."""
    cosine, distance = _number(tensor, "cosine"), _number(tensor, "euclidean")
    order = _STATES.index(tensor.state)
    return order, cosine is None, cosine or Fraction(0), -(distance or Fraction(0))


def _output(tensor: Tensor) -> Row:
    output = tensor.tensor.rpartition(":")[2] if tensor.side else None
    numbers = (_number(tensor, "cosine"), _number(tensor, "euclidean"))
    named = (tensor.index, tensor.op_type or None, tensor.name, output)
    return (*named, *numbers, tensor.state.value, _reason(tensor))


def _number(tensor: Tensor, key: str) -> Fraction | None:
    number = tensor.number(key)
    return None if number is None or abs(number) > _LARGEST else Fraction(number)


def _reason(tensor: Tensor) -> str | None:
    """Return what is broken, or why a number is missing."""
    is_told = tensor.reason or tensor.state is State.NOT_COMPARED
    return tensor.fault or (tensor.why if is_told else None)


# --- calibration ------------------------------------------------------------------------------


def _calibration(path: Path) -> Seen:
    config = read_config(path)
    layers = None if config.enabled is None else len(config.enabled)
    row: Row = (config.batch_num, layers, "true" if config.joint_quant else "false")
    return Area(CALIBRATION, (row,)), tuple(_told(config))


def _told(config: QuantConfig) -> Iterator[str]:
    batches = many(config.batch_num, "batch", "batches")
    yield f"{batches} x the batch size of the model are the images; 16 or 32 are advised"
    yield from config.notes


# --- search -----------------------------------------------------------------------------------


def _search(search: Search, top: int) -> Seen:
    run = _run(search)
    rows = [_layer(run.ranking, layer, "rolled back") for layer in run.rolled_back]
    kept = run.steps[-1].quantised
    ordered = sorted(kept, key=lambda layer: run.ranking.get(layer, float("inf")))
    rows += [_layer(run.ranking, layer, "quantised") for layer in ordered]
    return _first(SEARCH, rows, top), tuple(run.findings([]))


def _run(search: Search) -> AmctRun:
    if search.result_dir is not None:
        return read_amct(AmctFiles(search.log_dir, search.result_dir))
    record = search.log_dir / RECORD
    unknown = (
        f"{search.log_dir}: neither a final config nor a ranking here or in a folder beside it, so "
        "neither how sensitive the layers are nor whether a model was saved is known"
    )
    return AmctRun(record, read_steps(record), {}, (unknown,))


def _layer(ranking: Mapping[str, float], layer: str, state: str) -> Row:
    similarity = ranking.get(layer)
    return layer, state, None if similarity is None else Fraction(similarity)
