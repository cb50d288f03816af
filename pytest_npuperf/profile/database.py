"""A table of a profile from a database of msprof or a framework, as the text export shows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import database_memory, database_ops
from pytest_npuperf.profile.cells import BadCellError
from pytest_npuperf.profile.columns import of_texts
from pytest_npuperf.profile.schema import Table
from pytest_npuperf.profile.sqlite import Database, opened
from pytest_npuperf.profile.tables import TABLES


@dataclass(frozen=True)
class _View:
    """How one of our tables is made of those of a database."""

    is_there: Callable[[Database], bool]
    column_names: Callable[[Database, Table], tuple[str, ...]]
    read: Callable[[Database, Table, Collection[str]], pd.DataFrame]


def tables_in(path: Path) -> tuple[Table, ...]:
    """Return which of our tables a database can give; of a foreign one none.

    Raises ProfileError where it cannot be read.
    """
    with opened(path) as database:
        return tuple(
            table
            for table in TABLES
            if table.name in _VIEWS and _VIEWS[table.name].is_there(database)
        )


def column_names(path: Path, table: Table) -> tuple[str, ...]:
    """Return the DataFrame names of the columns that a database has for a table.

    Raises ProfileError.
    """
    with opened(path) as database:
        return _VIEWS[table.name].column_names(database, table)


def read_table(path: Path, table: Table, wanted: Collection[str] | None = None) -> pd.DataFrame:
    """Return the wanted columns that the database has (None: all), one row for each of the table.

    Texts and ids are categories, durations float64 us (NaN is absent), start times Int64 ns.
    Raises ProfileError: names the file and column, what was found and what was wanted.
    """
    view = _VIEWS[table.name]
    with opened(path) as database:
        there = view.column_names(database, table)
        frame = view.read(database, table, [name for name in there if _is_in(name, wanted)])
    if not len(frame):
        raise ProfileError(f"{path}: no row for {table.name}; nothing was recorded")
    return frame


def _is_in(name: str, wanted: Collection[str] | None) -> bool:
    return wanted is None or name in wanted


# --- api_statistic ----------------------------------------------------------------------------


def _has_calls(database: Database) -> bool:
    return not database.is_empty("CANN_API")


def _call_columns(_: Database, table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns)


def _calls(database: Database, table: Table, wanted: Collection[str]) -> pd.DataFrame:
    """Return count and times of the calls of each name at each level; they are the host's."""
    calls = database.whole("CANN_API", "type", "name", "startNs", "endNs")
    ns = database.elapsed_ns(calls["startNs"], calls["endNs"], "a call")
    if np.isnan(ns).any():
        raise database.wrong_cell("CANN_API.startNs or endNs", "NULL", "a time")
    groups = pd.DataFrame({**calls, "ns": ns}).groupby(["type", "name"])["ns"]
    sums = groups.agg(["count", "sum", "min", "max"]).reset_index()
    columns = {column.name: column for column in table.columns}
    levels, names = (sums[key].to_numpy(dtype=np.int64) for key in ("type", "name"))
    found = {
        "device_id": of_texts(np.full(len(sums), "host", dtype=object), columns["device_id"]),
        "api_level": database.category(
            columns["api_level"], levels, database.texts("ENUM_API_TYPE", "id", "name")
        ),
        "name": database.category(columns["name"], names, database.strings),
        "total_time_us": sums["sum"] / 1000,
        "count": sums["count"].astype(np.float64),
        "avg_time_us": sums["sum"] / sums["count"] / 1000,
        "min_time_us": sums["min"] / 1000,
        "max_time_us": sums["max"] / 1000,
    }
    return pd.DataFrame({name: found[name] for name in wanted})


# --- step_trace_time --------------------------------------------------------------------------


def _has_steps(database: Database) -> bool:
    return not database.is_empty("StepTraceTime")


def _step_headers(database: Database, table: Table) -> Mapping[str, str]:
    """Return by our name what each column is called, which is almost its header in text."""
    alike = {"deviceId": "Device_id"}
    return {
        table.column(alike.get(name, name)).name: name for name in database.tables["StepTraceTime"]
    }


def _step_columns(database: Database, table: Table) -> tuple[str, ...]:
    return tuple(_step_headers(database, table))


def _steps(database: Database, table: Table, wanted: Collection[str]) -> pd.DataFrame:
    headers = _step_headers(database, table)
    blocks = database.rows("StepTraceTime", [headers[name] for name in wanted])
    rows = [row for block in blocks for row in block]
    frame = {}
    for name, cells in zip(wanted, zip(*rows, strict=True), strict=True):
        texts = np.array(["" if cell is None else str(cell) for cell in cells], dtype=object)
        column = table.column("Device_id" if name == "device_id" else headers[name])
        try:
            frame[name] = of_texts(texts, column)
        except BadCellError as err:
            where = f"StepTraceTime.{headers[name]}"
            raise database.wrong_cell(where, err.text, err.wanted) from None
    return pd.DataFrame(frame)


_VIEWS: Mapping[str, _View] = {
    "op_summary": _View(database_ops.is_there, database_ops.column_names, database_ops.read),
    "api_statistic": _View(_has_calls, _call_columns, _calls),
    "step_trace_time": _View(_has_steps, _step_columns, _steps),
    "npu_mem": _View(
        database_memory.has_samples, database_memory.sample_columns, database_memory.samples
    ),
    "memory_record": _View(
        database_memory.has_records, database_memory.record_columns, database_memory.records
    ),
}
