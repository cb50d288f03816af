"""Every table as data: the names of its files, its columns and what each release calls them.

A new CANN release is a row here and a recording, never an ``if`` elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Literal


class Kind(Enum):
    """What the cells of a column hold, and so what they become in a DataFrame."""

    TEXT = "text"
    ID = "id"
    CORE = "core"
    DEVICE = "device"
    HOST = "host"
    START = "start"
    DURATION = "duration"
    NUMBER = "number"
    COUNT = "count"


@dataclass(frozen=True)
class Column:
    """A column under the name that we give it, with the headers that releases write for it."""

    name: str
    kind: Kind
    headers: tuple[str, ...]
    """The current header first; compared without regard to case."""
    ns_per_unit: Mapping[str, int] = field(default_factory=dict)
    """For start times: the header says whether a number is in us or in ns."""
    unit: int = 1000
    """For a start column of one file: ns per unit, taken from ``ns_per_unit``."""


@dataclass(frozen=True)
class Table:
    """A table under the name that we give it, with the file names that hold it."""

    name: str
    files: tuple[str, ...]
    columns: tuple[Column, ...]
    ragged: bool = False
    """Rows may be short after the last column that we know, and header names may repeat."""
    once_per: Literal["step", "model", "device"] = "step"
    """Which files hold different rows. Where each holds the whole run, whatever model and step
    its name says, the files of one of them are read."""

    @cached_property
    def _by_header(self) -> dict[str, Column]:
        return {header.casefold(): column for column in self.columns for header in column.headers}

    def column(self, header: str) -> Column:
        """Return the column that a header of a file means; one that we do not know is kept."""
        clean = header.strip().strip('"').strip()
        known = self._by_header.get(clean.casefold())
        if known is None:
            return Column(column_name(clean), _unknown_kind(clean), (clean,))
        if known.kind is not Kind.START:
            return known
        units = {key.casefold(): unit for key, unit in known.ns_per_unit.items()}
        return Column(known.name, known.kind, known.headers, unit=units[clean.casefold()])

    def header_of(self, name: str) -> str:
        """Return the current header of one of our columns, for messages."""
        return next((c.headers[0] for c in self.columns if c.name == name), name)


def column_name(header: str) -> str:
    """Return the DataFrame name of a header: ``aic_mac_time(us)`` is ``aic_mac_time_us``."""
    words = re.sub(r"[^0-9a-z]+", "_", header.replace("%", " percent ").casefold())
    return words.strip("_")


_PMU = re.compile(
    r"(.*_(ratio|rate|time\(us\)|cycles|fops|hit|allocate)(_extra)?|.*_bw.*|.*\(gb/s\)|.*\(kb\)"
    r"|cube_utilization\(%\)|memory_bound|aic(ore)?_time\(us\)|aiv_time\(us\)|total_cycles)"
)


def _unknown_kind(header: str) -> Kind:
    return Kind.NUMBER if _PMU.fullmatch(header.casefold()) else Kind.TEXT


def _text(name: str, *headers: str) -> Column:
    return Column(name, Kind.TEXT, headers)


def _core(name: str, *headers: str) -> Column:
    return Column(name, Kind.CORE, headers)


def _id(name: str, *headers: str) -> Column:
    return Column(name, Kind.ID, headers)


def _us(name: str, *headers: str) -> Column:
    return Column(name, Kind.DURATION, headers)


def _count(name: str, *headers: str) -> Column:
    return Column(name, Kind.COUNT, headers)


def _starts(name: str, us: tuple[str, ...], ns: tuple[str, ...] = ()) -> Column:
    units = {**dict.fromkeys(us, 1000), **dict.fromkeys(ns, 1)}
    return Column(name, Kind.START, us + ns, units)


_DEVICES = ("Device_id", "Device ID", "Device Id")
DEVICE_ID = Column("device_id", Kind.DEVICE, _DEVICES)
HOST_ID = Column("device_id", Kind.HOST, _DEVICES)
"""Of tables about the host, which stands where the others have a device."""

_CALL_TIMES = (
    _us("total_time_us", "Time(us)"),
    _count("count", "Count"),
    _us("avg_time_us", "Avg(us)"),
    _us("min_time_us", "Min(us)"),
    _us("max_time_us", "Max(us)"),
)

TABLES = (
    Table(
        "op_summary",
        # torch_npu and MindSpore call the same table kernel_details.
        ("op_summary", "kernel_details"),
        (
            DEVICE_ID,
            _id("step_id", "Step Id", "Step ID"),
            _id("infer_id", "Infer ID"),
            _id("model_id", "Model ID"),
            _id("task_id", "Task ID"),
            _id("stream_id", "Stream ID"),
            _id("context_id", "Context ID"),
            _text("model_name", "Model Name"),
            _text("op_name", "Op Name", "Name"),
            _text("op_type", "OP Type", "Type"),
            _text("op_state", "OP State"),
            _core("task_type", "Task Type", "Accelerator Core"),
            # Until 2023-08-31 the header had no unit and the numbers were ns since boot.
            _starts(
                "task_start_ns",
                us=("Task Start Time(us)", "Start Time(us)"),
                ns=("Task Start Time",),
            ),
            _us("task_duration_us", "Task Duration(us)", "Duration(us)"),
            _us("task_wait_us", "Task Wait Time(us)", "Wait Time(us)"),
            # Block Dim was renamed on 2026-01-28.
            _id("block_num", "Block Num", "Block Dim"),
            _id("mix_block_num", "Mix Block Num", "Mix Block Dim"),
            _text("hf32_eligible", "HF32 Eligible"),
            _text("input_shapes", "Input Shapes"),
            _text("input_data_types", "Input Data Types"),
            _text("input_formats", "Input Formats"),
            _text("output_shapes", "Output Shapes"),
            _text("output_data_types", "Output Data Types"),
            _text("output_formats", "Output Formats"),
        ),
    ),
    Table(
        "op_statistic",
        ("op_statistic",),
        (
            DEVICE_ID,
            _text("model_name", "Model Name"),
            _text("op_type", "OP Type"),
            _core("task_type", "Core Type"),
            _count("count", "Count"),
            # Files order them Min, Avg, Max, manuals Avg, Min, Max: read by name.
            _us("total_time_us", "Total Time(us)"),
            _us("min_time_us", "Min Time(us)"),
            _us("avg_time_us", "Avg Time(us)"),
            _us("max_time_us", "Max Time(us)"),
            Column("ratio_percent", Kind.NUMBER, ("Ratio(%)",)),
        ),
    ),
    Table(
        "step_trace",
        ("step_trace",),
        (
            DEVICE_ID,
            _id("iteration_id", "Iteration ID"),
            _us("iteration_time_us", "Iteration Time(us)"),
            _starts("iteration_end_ns", us=("Iteration End(us)",), ns=("Iteration End",)),
            _id("model_id", "Model ID"),
        ),
        # msprof pads the pairs of reduce columns with too few cells and repeats their names.
        ragged=True,
        once_per="device",
    ),
    Table(
        "task_time",
        ("task_time",),
        (
            DEVICE_ID,
            _text("kernel_name", "kernel_name"),
            _core("kernel_type", "kernel_type"),
            _id("stream_id", "stream_id"),
            _id("task_id", "task_id"),
            _us("task_time_us", "task_time(us)"),
            _starts("task_start_ns", us=("task_start(us)",), ns=("task_start(ns)",)),
            _starts("task_stop_ns", us=("task_stop(us)",), ns=("task_stop(ns)",)),
        ),
    ),
    Table(
        "api_statistic",
        ("api_statistic",),
        (
            HOST_ID,
            _text("api_level", "Level"),
            _text("name", "API Name"),
            *_CALL_TIMES,
        ),
        once_per="device",
    ),
    Table(
        # Until August 2023; api_statistic has replaced it.
        "acl_statistic",
        ("acl_statistic",),
        (
            HOST_ID,
            _text("name", "Name"),
            _text("api_level", "Type"),
            *_CALL_TIMES,
        ),
        once_per="device",
    ),
    Table(
        "step_trace_time",
        ("step_trace_time",),
        (
            DEVICE_ID,
            _id("step", "Step"),
            _us("computing_us", "Computing"),
            _us("communication_us", "Communication"),
            _us("overlapped_us", "Overlapped"),
            _us("free_us", "Free"),
            _us("stage_us", "Stage"),
        ),
    ),
    Table(
        "fusion_op",
        ("fusion_op",),
        (
            HOST_ID,
            _text("model_name", "Model Name"),
            _id("model_id", "Model ID"),
            _text("fusion_op", "Fusion Op"),
            _text("original_ops", "Original Ops"),
        ),
        once_per="model",
    ),
)

BY_NAME = {table.name: table for table in TABLES}
BY_FILE = {file: table for table in TABLES for file in table.files}
