"""How many images a model is calibrated with, and whether that is advised."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.accuracy.configjson import from_json
from pytest_npuperf.accuracy.configtext import from_text
from pytest_npuperf.accuracy.files import listed, matching, text_of
from pytest_npuperf.accuracy.quantconfig import QuantConfig
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import CalibrationFiles, Limit, Value
from pytest_npuperf.text import many, named, shown

_ADVISED = (16, 32)
"""Images, says the guide."""
_FEWEST, _MOST = 10, 50
"""Images that are usual; the one is of the accuracy guide, the other of AMCT's reference."""
_SIZE = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_DYNAMIC = re.compile(r"0|-1|-?[0-9]+\s*~\s*-?[0-9]+", re.ASCII)


@dataclass(frozen=True)
class Calibration:
    """A calibration: its config, and how many images a batch has."""

    path: Path
    config: QuantConfig
    batch_size: int

    @property
    def images(self) -> int:
        """Return how many images the calibration takes."""
        return self.config.batch_num * self.batch_size

    def values(self) -> Mapping[str, Value]:
        """Return the number of images."""
        return {"images": Value(Fraction(self.images))}

    def findings(self, limits: Sequence[Limit]) -> Sequence[str]:  # noqa: ARG002 - as of Reading
        """Return the formula with its numbers and what is advised, then what is odd in the file."""
        notes = self.config.notes
        if self.config.joint_quant:
            notes = ("joint_quant is true: AMCT gives up accuracy for speed", *notes)
        return tuple(f"{self.path}: {text}" for text in (self._formula(), *notes))

    def _formula(self) -> str:
        batches, size = (
            many(self.config.batch_num, "batch", "batches"),
            many(self.batch_size, "image"),
        )
        return f"{batches} x {size} = {many(self.images, 'image')}, {self._advice()}"

    def _advice(self) -> str:
        if self.images in _ADVISED:
            return "fine"
        if self.images < _FEWEST:
            outcome = f"below {_FEWEST}: so few may not stand for what the model will see"
        elif self.images > _MOST:
            outcome = f"above {_MOST}: so many cost memory and time, and gain no accuracy"
        else:
            outcome = f"within the usual {_FEWEST} to {_MOST}"
        return f"{outcome}; 16 or 32 are advised: {_needed(self.batch_size)}"


def _needed(batch_size: int) -> str:
    """Return which ``batch_num`` makes the advised numbers of images."""
    makes = [
        f"{images // batch_size} makes {images}" for images in _ADVISED if images % batch_size == 0
    ]
    if len(makes) == len(_ADVISED):
        return f"batch_num {makes[0]} and {makes[1]}"
    batches = f"batches of {many(batch_size, 'image')}"
    return f"batch_num {makes[0]}, {batches} make no 16" if makes else f"{batches} make neither"


def read_calibration(files: CalibrationFiles) -> Calibration:
    """Read the config, and check that the data are there. Raises AccuracyError."""
    config = read_config(files.config)
    if files.data_dir is not None:
        _check_data(files.data_dir, files.config, config.batch_num)
    return Calibration(files.config, config, files.batch_size or _batch_size(files.input_shape))


def read_config(path: Path) -> QuantConfig:
    """Read a config; its content and not its name says which form it has. Raises AccuracyError."""
    text = text_of(path)
    return from_json(path, text) if text.lstrip().startswith(("{", "[")) else from_text(path, text)


def _check_data(folder: Path, config: Path, batch_num: int) -> None:
    # AMCT reads one file for each batch.
    found = [each for each in matching(folder, "*") if not each.name.startswith(".")]
    if len(found) < batch_num:
        raise AccuracyError(
            f"{folder}: {many(len(found), 'file')}, and {named(config.name)} takes "
            f"{many(batch_num, 'batch', 'batches')}, a file for each; "
            f"add {batch_num - len(found)}, or lower batch_num"
        )


def _batch_size(input_shape: str) -> int:
    """Return the first dimension, which all inputs must share."""
    where = f"input_shape {shown(input_shape)}"
    sizes = [_input(where, each) for each in input_shape.split(";")]
    if len({size for _, size in sizes}) > 1:
        told = listed([f"{named(name)} {size}" for name, size in sizes])
        raise AccuracyError(
            f"{where}: the inputs have no batch size in common ({told}); write batch_size instead"
        )
    return sizes[0][1]


def _input(where: str, text: str) -> tuple[str, int]:
    """Return an input's name, which may have a colon in it, and its first dimension."""
    name, _, shape = text.rpartition(":")
    size = shape.split(",")[0].strip()
    if _DYNAMIC.fullmatch(size):
        raise AccuracyError(
            f"{where}: {named(name)} has a dynamic batch size ({size}); write batch_size instead"
        )
    if not name.strip() or not _SIZE.fullmatch(size):
        raise AccuracyError(
            f'{where}: {shown(text)} is not as "input:16,3,224,224"; mend it, or write batch_size '
            "instead"
        )
    return name.strip(), int(size)
