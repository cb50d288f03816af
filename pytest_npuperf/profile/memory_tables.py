"""The tables about memory: how much was taken, when and by which operator; and its L2 cache."""

from __future__ import annotations

from pytest_npuperf.profile.schema import (
    DEVICE_ID,
    Table,
    ident,
    kb,
    mb,
    number,
    starts,
    text,
    us,
)

# msprof counts in KB, torch_npu and MindSpore in MB; only these know what is active.
_TOTALS = (
    kb("total_allocated_kb", "Total Allocated(KB)"),
    kb("total_reserved_kb", "Total Reserved(KB)"),
    mb("total_allocated_mb", "Total Allocated(MB)"),
    mb("total_reserved_mb", "Total Reserved(MB)"),
    mb("total_active_mb", "Total Active(MB)"),
)
_OWNER = (text("stream_ptr", "Stream Ptr"), text("device_type", "Device Type", "Device"))
"""A device as ``NPU:0``: its number in the process, not that of ``device_id``."""

MEMORY_TABLES = (
    Table(
        "npu_mem",
        ("npu_mem",),
        (
            DEVICE_ID,
            text("event", "event"),
            kb("ddr_kb", "ddr(KB)"),
            kb("hbm_kb", "hbm(KB)"),
            kb("memory_kb", "memory(KB)"),
            starts("timestamp_ns", us=("timestamp(us)",)),
        ),
        once_per="device",
    ),
    Table(
        "memory_record",
        ("memory_record",),
        (
            DEVICE_ID,
            text("component", "Component"),
            starts("timestamp_ns", us=("Timestamp(us)",)),
            *_TOTALS,
            *_OWNER,
        ),
        once_per="device",
    ),
    Table(
        "operator_memory",
        ("operator_memory",),
        (
            DEVICE_ID,
            text("name", "Name"),
            # Negative where memory is freed that was taken before the profile began.
            number("size_kb", "Size(KB)"),
            starts("allocation_time_ns", us=("Allocation Time(us)",)),
            starts("release_time_ns", us=("Release Time(us)",)),
            starts("active_release_time_ns", us=("Active Release Time(us)",)),
            us("duration_us", "Duration(us)"),
            us("active_duration_us", "Active Duration(us)"),
            kb("allocation_total_allocated_kb", "Allocation Total Allocated(KB)"),
            kb("allocation_total_reserved_kb", "Allocation Total Reserved(KB)"),
            kb("release_total_allocated_kb", "Release Total Allocated(KB)"),
            kb("release_total_reserved_kb", "Release Total Reserved(KB)"),
            mb("allocation_total_allocated_mb", "Allocation Total Allocated(MB)"),
            mb("allocation_total_reserved_mb", "Allocation Total Reserved(MB)"),
            mb("allocation_total_active_mb", "Allocation Total Active(MB)"),
            mb("release_total_allocated_mb", "Release Total Allocated(MB)"),
            mb("release_total_reserved_mb", "Release Total Reserved(MB)"),
            mb("release_total_active_mb", "Release Total Active(MB)"),
            *_OWNER,
        ),
        once_per="device",
    ),
    Table(
        "l2_cache",
        ("l2_cache",),
        (
            DEVICE_ID,
            ident("stream_id", "Stream Id"),
            ident("task_id", "Task Id"),
            text("op_name", "Op Name"),
            number("hit_rate", "Hit Rate"),
            number("victim_rate", "Victim Rate"),
        ),
    ),
)
