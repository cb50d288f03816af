"""The tables about the host: which APIs were called, when and for how long."""

from __future__ import annotations

from pytest_npuperf.profile.schema import HOST_ID, Table, count, ident, number, starts, text, us

_CALL_TIMES = (
    us("total_time_us", "Time(us)", ns=("Time(ns)",)),
    count("count", "Count", "Calls"),
    us("avg_time_us", "Avg(us)", ns=("Avg(ns)",)),
    us("min_time_us", "Min(us)", ns=("Min(ns)",)),
    us("max_time_us", "Max(us)", ns=("Max(ns)",)),
)

# The id of a thread has up to 15 digits, and is a text therefore.
_CALLER = (text("process_id", "Process ID"), text("thread_id", "Thread ID"))

# Until August 2023 each layer had a file of its own; api_statistic has replaced them.
API_TABLES = (
    Table(
        "api_statistic",
        ("api_statistic",),
        (
            HOST_ID,
            text("api_level", "Level"),
            text("name", "API Name"),
            *_CALL_TIMES,
        ),
        once_per="device",
    ),
    Table(
        "acl_statistic",
        ("acl_statistic",),
        (
            HOST_ID,
            text("name", "Name"),
            text("api_level", "Type"),
            *_CALL_TIMES,
        ),
        once_per="device",
    ),
    Table(
        "acl",
        ("acl",),
        (
            HOST_ID,
            text("name", "Name"),
            text("api_level", "Type"),
            # Since boot, without a unit in the header.
            starts("start_ns", us=(), ns=("Start Time",)),
            us("duration_us", "Duration(us)"),
            *_CALLER,
        ),
        once_per="device",
    ),
    Table(
        "runtime_api",
        # In 2020 it was called summary_runtime, and had no ids of the caller.
        ("runtime_api", "summary_runtime"),
        (
            HOST_ID,
            text("name", "Name"),
            ident("stream_id", "Stream ID"),
            number("ratio_percent", "Time(%)"),
            *_CALL_TIMES,
            *_CALLER,
        ),
        once_per="device",
    ),
    Table(
        # Until 2023-07-10. Each file holds the iterations that its name says.
        "ai_stack_time",
        ("ai_stack_time",),
        (
            HOST_ID,
            ident("infer_id", "Infer ID"),
            text("module", "Module"),
            text("api", "API"),
            starts("start_ns", us=(), ns=("Start Time",)),
            us("duration_us", ns=("Duration(ns)",)),
        ),
    ),
    Table(
        "ge_op_execute",
        ("ge_op_execute",),
        (
            HOST_ID,
            text("thread_id", "Thread ID"),
            text("op_name", "OP Name"),
            text("op_type", "OP Type"),
            text("event_type", "Event Type"),
            # Since boot, in us under the header that means ns in acl.
            starts("start_ns", us=("Start Time",)),
            us("duration_us", "Duration(us)"),
        ),
        once_per="device",
    ),
)
