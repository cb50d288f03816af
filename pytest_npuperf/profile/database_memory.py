"""The memory of a profile from a database, where sizes are bytes, as the text export shows it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.profile.sqlite import NONE, Database, Floats, Integers
from pytest_npuperf.profile.tables import Table

_KIB, _MIB = 2**10, 2**20

_SAMPLES = ("deviceId", "type", "ddr", "hbm", "timestampNs")
_OF_SAMPLES = ("device_id", "event", "ddr_kb", "hbm_kb", "memory_kb", "timestamp_ns")
"""A schema of early 2024 had other names for the sizes, and is not read."""

_EVENTS = {"app": "APP", "device": "Device"}
"""What the text calls the owner of memory, by what a database calls it."""

_SIZES = {
    "total_allocated_mb": "totalAllocated",
    "total_reserved_mb": "totalReserved",
    "total_active_mb": "totalActive",
}
_RECORDS = ("component", "timestamp", *_SIZES.values(), "streamPtr", "deviceId")
_OF_RECORDS = ("component", "timestamp_ns", *_SIZES, "stream_ptr", "device_type")


def has_samples(database: Database) -> bool:
    """Return whether there is what npu_mem is made of."""
    return database.has("NPU_MEM", *_SAMPLES) and not database.is_empty("NPU_MEM")


def sample_columns(_: Database, table: Table) -> tuple[str, ...]:
    """Return the columns of npu_mem."""
    return _ordered(table, _OF_SAMPLES)


def samples(database: Database, table: Table, wanted: Collection[str]) -> pd.DataFrame:
    """Return the wanted columns of npu_mem."""
    rows = database.whole("NPU_MEM", *_SAMPLES)
    ddr, hbm = (_sizes(rows[name], _KIB) for name in ("ddr", "hbm"))
    events = {key: _EVENTS.get(text.lower(), text) for key, text in database.strings.items()}
    found = {
        "device_id": database.category(table.column("Device_id"), rows["deviceId"]),
        "event": database.category(table.column("event"), rows["type"], events),
        "ddr_kb": ddr,
        "hbm_kb": hbm,
        "memory_kb": ddr + hbm,
        "timestamp_ns": _times(rows["timestampNs"]),
    }
    return _chosen(table, found, wanted)


def has_records(database: Database) -> bool:
    """Return whether there is what memory_record is made of; only frameworks write it."""
    return database.has("MEMORY_RECORD", *_RECORDS) and not database.is_empty("MEMORY_RECORD")


def record_columns(_: Database, table: Table) -> tuple[str, ...]:
    """Return the columns of memory_record."""
    return _ordered(table, _OF_RECORDS)


def records(database: Database, table: Table, wanted: Collection[str]) -> pd.DataFrame:
    """Return the wanted columns of memory_record.

    Its deviceId is what the text has as ``NPU:0``: the number that the allocator knows.
    """
    rows = database.whole("MEMORY_RECORD", *_RECORDS)
    streams, devices = rows["streamPtr"], rows["deviceId"]
    found = {
        "component": database.category(
            table.column("Component"), rows["component"], database.strings
        ),
        "timestamp_ns": _times(rows["timestamp"]),
        **{ours: _sizes(rows[theirs], _MIB) for ours, theirs in _SIZES.items()},
        "stream_ptr": database.category(table.column("Stream Ptr"), streams, _shown(streams)),
        "device_type": database.category(
            table.column("Device Type"), devices, _shown(devices, "NPU:")
        ),
    }
    return _chosen(table, found, wanted)


def _ordered(table: Table, names: Collection[str]) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name in names)


def _chosen(table: Table, found: Mapping[str, Any], wanted: Collection[str]) -> pd.DataFrame:
    return pd.DataFrame({name: found[name] for name in _ordered(table, wanted)})


def _sizes(values: Integers, unit: int) -> Floats:
    """Return bytes in another unit, exactly, as it is a power of two; NaN is absent."""
    return np.where(values == NONE, np.nan, values / unit)


def _times(values: Integers) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(values, values == NONE)


def _shown(values: Integers, prefix: str = "") -> dict[int, str]:
    """Return the text of each number; NONE has none."""
    return {**{number: f"{prefix}{number}" for number in np.unique(values).tolist()}, NONE: ""}
