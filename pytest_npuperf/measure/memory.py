"""The most memory that was taken at one time, in bytes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from pytest_npuperf.measure.operators import Number
from pytest_npuperf.measure.rows import NotMeasuredError, filled
from pytest_npuperf.text import printable

_PROCESS = "APP"
"""What npu_mem and memory_record call the process as the driver sees it."""

_NO_ALLOCATOR = (_PROCESS, "WORKSPACE")
"""Components of memory_record that are not counted in its sums: WORKSPACE is scratch memory."""

_UNITS = {"_kb": 2**10, "_mb": 2**20}


def process_peak(rows: pd.DataFrame) -> Number:
    """Return the most memory of the process in a npu_mem. Raises NotMeasuredError."""
    events = filled(rows, "npu_mem", "event").astype(object)
    if _PROCESS not in set(events):
        there = ", ".join(printable(event) for event in sorted(set(events))) or "no row"
        raise NotMeasuredError(
            f"npu_mem has no row of the event {_PROCESS}, which is the process; it has {there}"
        )
    return _peak(rows.loc[(events == _PROCESS).to_numpy()], "npu_mem", "memory")


def allocator_peak(rows: pd.DataFrame, kind: str) -> Number:
    """Return the most memory of all allocators together in a memory_record.

    ``kind`` is ``allocated`` or ``reserved``. Raises NotMeasuredError.
    """
    _refuse_several_devices(rows)
    components = filled(rows, "memory_record", "component").astype(object)
    chosen = (components == _all_together(set(components) - set(_NO_ALLOCATOR))).to_numpy()
    return _peak(rows.loc[chosen], "memory_record", f"total_{kind}")


def _all_together(components: set[str]) -> str:
    """Return the component that is the sum of the others, such as PTA+GE, or the only one."""
    sums = [name for name in components if "+" in name]
    for names in (sums, components):
        if len(names) == 1:
            return next(iter(names))
    there = ", ".join(printable(name) for name in sorted(components)) or "none"
    raise NotMeasuredError(
        f"memory_record has no component that is all allocators together; it has {there}"
    )


def _refuse_several_devices(rows: pd.DataFrame) -> None:
    devices = sorted(set(rows["device_type"].dropna())) if "device_type" in rows else []
    if len(devices) > 1:
        there = " and ".join(printable(name) for name in devices)
        raise NotMeasuredError(f"memory_record has rows of {there} under one device id")


def _peak(rows: pd.DataFrame, place: str, name: str) -> Number:
    suffix = next((suffix for suffix in _UNITS if name + suffix in rows), "_kb")
    sizes = filled(rows, place, name + suffix).to_numpy(dtype=np.float64)
    # A power of two times a float is exact, and the bytes that were divided by it are whole.
    peak = round(float(sizes.max()) * _UNITS[suffix])
    if peak <= 0:
        raise NotMeasuredError(
            f"{place} has {name + suffix} 0 in every row, as where it is not known"
        )
    return Number(Fraction(peak), len(sizes))
