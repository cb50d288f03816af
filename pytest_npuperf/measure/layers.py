"""The time of one layer of the timeline, from the files that hold it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

from pytest_npuperf.measure.operators import Number
from pytest_npuperf.measure.rows import NotMeasuredError
from pytest_npuperf.measure.rules import NothingChosenError, nearest
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.text import printable

_MERGED = ("msprof", "trace_view")
"""The files that hold what msprof writes into one file for each source besides."""


@dataclass(frozen=True)
class Layer:
    """What the timeline of a lane has of one layer; ``files`` are those that it was read from."""

    name: str
    rows: pd.DataFrame
    files: tuple[TableFile, ...]

    def time(self) -> Number:
        """Return the sum of the durations of all events, ns; nested events count each.

        Raises NotMeasuredError where an event has none.
        """
        absent = self.rows["total_time_us"].isna().to_numpy()
        if absent.any():
            event = self.rows["name"].iloc[int(absent.argmax())]
            which = f'"{printable(event)}"' if isinstance(event, str) else "an event"
            raise NotMeasuredError(f"timeline has no duration of {which} in {_called(self.name)}")
        total_ns = us_to_ns(self.rows["total_time_us"].to_numpy(dtype=np.float64)).sum()
        return Number(Fraction(int(total_ns)), int(self.rows["count"].sum()))


def find_layer(rows: pd.DataFrame, files: Sequence[TableFile], name: str) -> Layer:
    """Return a layer of a lane's timeline, of which ``files`` are all files.

    Raises NotMeasuredError where it is not there, or may be there more than once.
    """
    of_layer = rows.loc[(rows["layer"].astype(object) == name).to_numpy()]
    source = _source(sorted(set(of_layer["source"])), name, rows)
    chosen = of_layer.loc[(of_layer["source"].astype(object) == source).to_numpy()]
    layer = Layer(name, chosen, tuple(file for file in files if file.stem == source))
    _refuse_host_of_several(layer)
    _refuse_step_without(layer)
    return layer


def _source(there: list[str], name: str, rows: pd.DataFrame) -> str:
    if not there:
        layers = sorted(set(rows["layer"].dropna()))
        near = nearest([name], layers) or layers
        raise NothingChosenError(f"timeline has no {_called(name)}", near)
    merged = [source for source in _MERGED if source in there]
    if len(there) > 1 and not merged:
        raise NotMeasuredError(
            f"timeline has {_called(name)} in the files {' and '.join(there)}, which may hold the "
            "same events; keep one of them, or export the merged msprof_*.json"
        )
    return (merged or there)[0]


def _refuse_host_of_several(layer: Layer) -> None:
    """Refuse what each device's file may repeat: the host works for all of them."""
    devices = sorted({file.device for file in layer.files if file.device is not None})
    if len(devices) > 1 and (layer.rows["device_id"].astype(object) == "host").any():
        raise NotMeasuredError(
            f"timeline has {_called(layer.name)} of the host in the files of devices "
            f"{', '.join(devices)}, which may hold the same events; keep one of them"
        )


def _refuse_step_without(layer: Layer) -> None:
    """Refuse a layer that some of the steps lack: it was not recorded there, or took no time."""
    there = set(layer.rows["file"])
    steps = {file.ids for file in layer.files if file.path.name in there}
    devices = {file.device for file in layer.files if file.path.name in there}
    for file in layer.files:
        if file.device in devices and file.ids not in steps:
            raise NotMeasuredError(
                f"timeline has no {_called(layer.name)} in {printable(file.path.name)}, "
                "but in files of other steps"
            )


def _called(name: str) -> str:
    return f'layer "{printable(name)}"'
