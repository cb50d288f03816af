"""What all files about a quantised model say that the budget of a case names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from pytest_npuperf.accuracy.amct import AmctRun, read_amct
from pytest_npuperf.accuracy.calibration import read_calibration
from pytest_npuperf.accuracy.layers import read_layers
from pytest_npuperf.accuracy.numbers import Number, read_number
from pytest_npuperf.accuracy.reading import Reading
from pytest_npuperf.catalogue import ARTEFACTS
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import CUSTOM, Artefacts, Limit, Value, Wanted

T = TypeVar("T")

_OF_TABLES = [Wanted(table, key) for table, key in map(str.split, ARTEFACTS)]


@dataclass(frozen=True)
class Found:
    """Everything that was read; what could not be read is a number that is not there."""

    readings: Mapping[str, Reading] = field(default_factory=dict)
    """By the table of the budget."""
    numbers: Mapping[str, Number] = field(default_factory=dict)
    """By the name of the custom number."""
    refused: Mapping[Wanted, str] = field(default_factory=dict)
    """Why a number is not there."""

    def values(self) -> dict[Wanted, Value]:
        """Return every number that the files can give, or why there is none."""
        read = {
            Wanted(table, key): value
            for table, reading in self.readings.items()
            for key, value in reading.values().items()
        }
        own = {Wanted(CUSTOM + name): Value(each.value) for name, each in self.numbers.items()}
        lost = {wanted: Value(None, reason=why) for wanted, why in self.refused.items()}
        return {**read, **own, **lost}

    def before(self) -> dict[Wanted, Value]:
        """Return the numbers of the float model that stand beside those of the quantised one."""
        return {
            Wanted(CUSTOM + name): Value(each.before)
            for name, each in self.numbers.items()
            if each.before is not None
        }

    def findings(self, limits: Sequence[Limit]) -> tuple[str, ...]:
        """Return what people are to know beside the numbers, each in one line."""
        of_tables = [
            line
            for table, reading in self.readings.items()
            for line in reading.findings([each for each in limits if each.wanted.metric == table])
        ]
        return (*(each.told for each in self.numbers.values()), *of_tables)

    @property
    def rolled_back(self) -> tuple[str, ...]:
        """Return the layers that a search gave back to float."""
        run = self.readings.get("amct")
        return run.rolled_back if isinstance(run, AmctRun) else ()


def read(artefacts: Artefacts) -> Found:
    """Read the files that a budget names."""
    tables = {table: _tried(reader) for table, reader in _readers(artefacts).items()}
    numbers = {name: _tried(partial(read_number, file)) for name, file in artefacts.numbers.items()}
    refused = {Wanted(CUSTOM + name): why for name, why in numbers.items() if isinstance(why, str)}
    for table, why in tables.items():
        if isinstance(why, str):
            refused |= {wanted: why for wanted in _OF_TABLES if wanted.metric == table}
    return Found(
        {table: found for table, found in tables.items() if not isinstance(found, str)},
        {name: found for name, found in numbers.items() if not isinstance(found, str)},
        refused,
    )


def _tried(reader: Callable[[], T]) -> T | str:
    """Return what was read, or why it could not be."""
    try:
        return reader()
    except AccuracyError as err:
        return str(err)


def _readers(artefacts: Artefacts) -> dict[str, Callable[[], Reading]]:
    layers, calibration, amct = artefacts.layer_accuracy, artefacts.calibration, artefacts.amct
    found: dict[str, Callable[[], Reading]] = {}
    if layers is not None:
        found["layer_accuracy"] = partial(read_layers, layers)
    if calibration is not None:
        found["calibration"] = partial(read_calibration, calibration)
    if amct is not None:
        found["amct"] = partial(read_amct, amct)
    return found
