"""The files about a quantised model that a case is judged by, besides its profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class LayerFiles:
    """Results of the accuracy comparison; each is a path, whose last part may be a glob.

    Either ``result`` is there, or ``stage1`` (float against fake-quantised), ``stage2`` (that
    against the offline model) or both.
    """

    result: Path | None = None
    stage1: Path | None = None
    stage2: Path | None = None
    judge: Literal["output", "all"] = "output"
    """What a limit on a metric is about: the last output that was compared, or every output."""

    @property
    def stages(self) -> tuple[tuple[str, Path], ...]:
        """Return the files that are named, each with its stage; that of ``result`` is empty."""
        named = (("", self.result), ("stage1", self.stage1), ("stage2", self.stage2))
        return tuple((stage, path) for stage, path in named if path is not None)


@dataclass(frozen=True)
class CalibrationFiles:
    """What a model is calibrated with; of ``batch_size`` and ``input_shape`` one is there."""

    config: Path
    """A ``config.json`` of AMCT, or its simplified form in protobuf text."""
    batch_size: int | None = None
    input_shape: str = ""
    """As ATC takes it: ``input:16,3,224,224``."""
    data_dir: Path | None = None
    """The folder with a file for each batch."""


@dataclass(frozen=True)
class AmctFiles:
    """What an accuracy-based automatic quantisation has left behind."""

    log_dir: Path
    result_dir: Path


@dataclass(frozen=True)
class NumberFile:
    """Where a number of the budget's ``custom`` table is read from."""

    path: Path
    key: str = ""
    """Which of several numbers: a key of ModelZoo's ``result.json``, or a column of a CSV."""


@dataclass(frozen=True)
class Artefacts:
    """Every file about a quantised model that the budget of a case names."""

    layer_accuracy: LayerFiles | None = None
    calibration: CalibrationFiles | None = None
    amct: AmctFiles | None = None
    numbers: Mapping[str, NumberFile] = field(default_factory=dict)
    """By the name of the custom number."""


NO_ARTEFACTS = Artefacts()
