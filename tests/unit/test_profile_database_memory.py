from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from profile_database import FIRST_NS, Kernel, Row, kernels, memory_record, memory_sample, write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import database, open_profile
from pytest_npuperf.profile.tables import BY_NAME

SAMPLES, RECORDS = BY_NAME["npu_mem"], BY_NAME["memory_record"]
EDITED = "the database was edited, export it again"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ascend_pytorch_profiler_0.db"


def cells(frame: pd.DataFrame, row: int = 0) -> dict[str, Any]:
    """Return a row by column, None where a cell is absent."""
    found = frame.astype(object).iloc[row].to_dict()
    return {str(name): None if pd.isna(cell) else cell for name, cell in found.items()}


def without(row: Row, lost: str) -> Row:
    return {name: cell for name, cell in row.items() if name != lost}


# --- npu_mem ----------------------------------------------------------------------------------


def test_the_columns_of_a_sample(file: Path) -> None:
    write(file, {"NPU_MEM": [memory_sample("app", ddr=512, hbm=2**31 + 1, deviceId=3)]})
    frame = database.read_table(file, SAMPLES)
    assert tuple(frame) == database.column_names(file, SAMPLES)
    assert cells(frame) == {
        "device_id": "3",
        "event": "APP",
        "ddr_kb": 0.5,
        "hbm_kb": 2**21 + 1 / 1024,
        "memory_kb": 2**21 + 513 / 1024,
        "timestamp_ns": FIRST_NS,
    }
    assert frame["timestamp_ns"].dtype == "Int64"


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        ("app", "APP"),
        ("device", "Device"),
        ("APP", "APP"),
        ("Device", "Device"),
        ("Board", "Board"),
    ],
)
def test_an_event_is_called_as_in_the_text(file: Path, event: str, shown: str) -> None:
    write(file, {"NPU_MEM": [memory_sample(event)]})
    assert cells(database.read_table(file, SAMPLES))["event"] == shown


@pytest.mark.parametrize("cell", [None, -1])
def test_a_size_that_is_absent_makes_the_sum_absent(file: Path, cell: object) -> None:
    write(file, {"NPU_MEM": [memory_sample(ddr=cell, hbm=1024, timestampNs=None)]})
    frame = database.read_table(file, SAMPLES)
    assert cells(frame) == {
        "device_id": "0",
        "event": "APP",
        "ddr_kb": None,
        "hbm_kb": 1.0,
        "memory_kb": None,
        "timestamp_ns": None,
    }


@pytest.mark.parametrize(
    ("size", "fault"),
    [(-2, '"-2", which is not a number of 0 or more'), ("1", '"1", which is not a whole number')],
)
def test_a_wrong_size(file: Path, size: object, fault: str) -> None:
    write(file, {"NPU_MEM": [memory_sample(hbm=size)]})
    with pytest.raises(ProfileError) as caught:
        database.read_table(file, SAMPLES)
    assert str(caught.value) == f"{file}: NPU_MEM.hbm is {fault}; {EDITED}"


# --- memory_record ----------------------------------------------------------------------------


def test_the_columns_of_a_record(file: Path) -> None:
    record = memory_record(
        "PTA+GE", totalAllocated=2**20, totalReserved=3 * 2**19, totalActive=1, deviceId=2
    )
    write(file, {"MEMORY_RECORD": [record]})
    frame = database.read_table(file, RECORDS)
    assert tuple(frame) == database.column_names(file, RECORDS)
    assert cells(frame) == {
        "component": "PTA+GE",
        "timestamp_ns": FIRST_NS,
        "total_allocated_mb": 1.0,
        "total_reserved_mb": 1.5,
        "total_active_mb": 2**-20,
        "stream_ptr": "187651",
        "device_type": "NPU:2",
    }


def test_what_a_record_does_not_know(file: Path) -> None:
    names = ("totalAllocated", "totalReserved", "totalActive", "streamPtr", "deviceId", "timestamp")
    write(
        file, {"MEMORY_RECORD": [{**memory_record(), **dict.fromkeys(names)}, memory_record("GE")]}
    )
    frame = database.read_table(file, RECORDS)
    assert {name for name, cell in cells(frame).items() if cell is not None} == {"component"}
    assert cells(frame, 1)["stream_ptr"] == "187651"


def test_only_the_wanted_columns_are_given(file: Path) -> None:
    write(file, {"MEMORY_RECORD": [memory_record()], "NPU_MEM": [memory_sample()]})
    assert list(database.read_table(file, RECORDS, {"component", "x"})) == ["component"]
    assert list(database.read_table(file, SAMPLES, {"memory_kb", "event"})) == [
        *("event", "memory_kb")
    ]


# --- which of them are there ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "row", "found"),
    [
        ("NPU_MEM", memory_sample(), ["npu_mem"]),
        ("MEMORY_RECORD", memory_record(), ["memory_record"]),
        # As early schemas had them.
        ("NPU_MEM", {**without(memory_sample(), "ddr"), "ddrUsage": 1}, []),
        ("MEMORY_RECORD", {**without(memory_record(), "timestamp"), "time_stamp": 1}, []),
    ],
)
def test_the_tables_that_are_there(file: Path, table: str, row: Row, found: list[str]) -> None:
    write(file, {table: [row]})
    assert [each.name for each in database.tables_in(file)] == found


def test_the_peaks_are_in_bytes(tmp_path: Path) -> None:
    write(
        tmp_path / "ascend_pytorch_profiler_0.db",
        kernels(Kernel()),
        {
            "NPU_MEM": [
                memory_sample("app", ddr=3, hbm=2**31 + 1),
                memory_sample("app", ddr=5),
                memory_sample("device", hbm=2**40),
            ],
            "MEMORY_RECORD": [
                memory_record("PTA", totalAllocated=2**40),
                memory_record("PTA+GE", totalAllocated=1001, totalReserved=2**30 + 1),
            ],
        },
    )
    wanted = [Wanted(f"{kind}memory_peak") for kind in ("", "allocated_", "reserved_")]
    (lane,) = measure(open_profile(tmp_path), wanted).lanes.values()
    assert [lane.values[each].value for each in wanted] == [2**31 + 4, 1001, 2**30 + 1]
