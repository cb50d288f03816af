"""Every table as data: the names of its files, its columns and what each release calls them.

A new CANN release is a row here and a recording, never an ``if`` elsewhere.
"""

from __future__ import annotations

from pytest_npuperf.profile.api_tables import API_TABLES
from pytest_npuperf.profile.memory_tables import MEMORY_TABLES
from pytest_npuperf.profile.opprof_tables import OPPROF_TABLES
from pytest_npuperf.profile.schema import (
    DEVICE_ID,
    HOST_ID,
    Column,
    Kind,
    Table,
    column_name,
    core,
    count,
    ident,
    kb,
    number,
    starts,
    text,
    us,
)

__all__ = ["BY_FILE", "BY_NAME", "BY_TRACE", "TABLES", "Column", "Kind", "Table", "column_name"]

_SUMS = (
    count("count", "Count"),
    # Files order them Min, Avg, Max, manuals Avg, Min, Max: read by name.
    us("total_time_us", "Total Time(us)"),
    us("min_time_us", "Min Time(us)"),
    us("avg_time_us", "Avg Time(us)"),
    us("max_time_us", "Max Time(us)"),
    number("ratio_percent", "Ratio(%)"),
)

TABLES = (
    Table(
        "op_summary",
        # torch_npu and MindSpore call the same table kernel_details.
        ("op_summary", "kernel_details"),
        (
            DEVICE_ID,
            ident("step_id", "Step Id", "Step ID"),
            ident("infer_id", "Infer ID"),
            ident("model_id", "Model ID"),
            ident("task_id", "Task ID"),
            ident("stream_id", "Stream ID"),
            ident("context_id", "Context ID"),
            text("model_name", "Model Name"),
            text("op_name", "Op Name", "Name"),
            text("op_type", "OP Type", "Type"),
            text("op_state", "OP State"),
            core("task_type", "Task Type", "Accelerator Core"),
            # Until 2023-08-31 the header had no unit and the numbers were ns since boot.
            starts(
                "task_start_ns",
                us=("Task Start Time(us)", "Start Time(us)"),
                ns=("Task Start Time",),
            ),
            us("task_duration_us", "Task Duration(us)", "Duration(us)"),
            us("task_wait_us", "Task Wait Time(us)", "Wait Time(us)"),
            # Block Dim was renamed on 2026-01-28.
            ident("block_num", "Block Num", "Block Dim"),
            ident("mix_block_num", "Mix Block Num", "Mix Block Dim"),
            text("hf32_eligible", "HF32 Eligible"),
            text("input_shapes", "Input Shapes"),
            text("input_data_types", "Input Data Types"),
            text("input_formats", "Input Formats"),
            text("output_shapes", "Output Shapes"),
            text("output_data_types", "Output Data Types"),
            text("output_formats", "Output Formats"),
        ),
    ),
    Table(
        "op_statistic",
        # So called in 2020, of which only a failed export is known.
        ("op_statistic", "op_time_statistic"),
        (
            DEVICE_ID,
            text("model_name", "Model Name"),
            text("op_type", "OP Type"),
            core("task_type", "Core Type"),
            *_SUMS,
        ),
    ),
    Table(
        "step_trace",
        ("step_trace",),
        (
            DEVICE_ID,
            ident("iteration_id", "Iteration ID"),
            us("iteration_time_us", "Iteration Time(us)"),
            starts("iteration_end_ns", us=("Iteration End(us)",), ns=("Iteration End",)),
            ident("model_id", "Model ID"),
        ),
        traces=("step_trace",),
        # msprof pads the pairs of reduce columns with too few cells and repeats their names.
        ragged=True,
        once_per="device",
    ),
    Table(
        "task_time",
        # In 2020 the sums by task were called summary_ts.
        ("task_time", "summary_ts"),
        (
            Column("device_id", Kind.DEVICE, (*DEVICE_ID.headers, "NPU")),
            text("kernel_name", "kernel_name"),
            core("kernel_type", "kernel_type"),
            ident("stream_id", "stream_id", "Stream ID", "Stream"),
            ident("task_id", "task_id", "Task ID", "Task"),
            us("task_time_us", "task_time(us)"),
            starts("task_start_ns", us=("task_start(us)",), ns=("task_start(ns)",)),
            starts("task_stop_ns", us=("task_stop(us)",), ns=("task_stop(ns)",)),
            # The first chips of the 310 series write sums by task, without the columns above.
            # Another name than kernel_type, since one row stands for many tasks.
            text("summed_type", "Type"),
            text("api", "API"),
            text("op_name", "Op Name"),
            number("ratio_percent", "Time(%)"),
            us("total_time_us", "Time(us)", ns=("Time(ns)",)),
            count("count", "Count"),
            us("avg_time_us", "Avg(us)", ns=("Avg(ns)",)),
            us("min_time_us", "Min(us)", ns=("Min(ns)",)),
            us("max_time_us", "Max(us)", ns=("Max(ns)",)),
            us("waiting_us", "Waiting(us)", ns=("Waiting(ns)",)),
            us("running_us", "Running(us)", ns=("Running(ns)",)),
            us("pending_us", "Pending(us)", ns=("Pending(ns)",)),
        ),
    ),
    *API_TABLES,
    Table(
        "step_trace_time",
        ("step_trace_time",),
        (
            DEVICE_ID,
            ident("step", "Step"),
            us("computing_us", "Computing"),
            us("communication_us", "Communication"),
            us("overlapped_us", "Overlapped"),
            us("free_us", "Free"),
            us("stage_us", "Stage"),
            us("bubble_us", "Bubble"),
        ),
    ),
    Table(
        "fusion_op",
        ("fusion_op",),
        (
            HOST_ID,
            text("model_name", "Model Name"),
            ident("model_id", "Model ID"),
            text("fusion_op", "Fusion Op"),
            text("original_ops", "Original Ops"),
            # Until 2023-08-31 in bytes.
            *(
                kb(f"memory_{part.lower()}_kb", f"Memory {part}(KB)", bytes=f"Memory {part}(Bytes)")
                for part in ("Input", "Output", "Weight", "Workspace", "Total")
            ),
        ),
        once_per="model",
    ),
    Table(
        "communication_statistic",
        # Called hccl_statistic until 2025-02-19.
        ("communication_statistic", "hccl_statistic"),
        (
            DEVICE_ID,
            text("op_type", "OP Type"),
            *_SUMS,
        ),
    ),
    *MEMORY_TABLES,
    *OPPROF_TABLES,
    *(
        # What the counters of each core saw when they were read at a fixed rate; the counters
        # are chosen by --aic-metrics, and each is a column of its own.
        Table(
            name,
            (name,),
            (DEVICE_ID, text("core_id", "Core ID")),
            once_per="device",
        )
        for name in ("ai_core_utilization", "ai_vector_core_utilization")
    ),
    Table(
        "prof_rule",
        ("prof_rule",),
        (
            DEVICE_ID,
            text("rule_type", "Rule Type", "rule_type"),
            text("rule_subtype", "Rule Subtype", "rule_subtype"),
            text("suggestion", "Rule Suggestion", "rule_suggestion"),
            text("op_names", "Tuning Data", "op_list"),
        ),
        once_per="device",
    ),
    Table(
        # A summary of trace events, which only these files have: one row for each name on each
        # thread of each layer.
        "timeline",
        (),
        (
            HOST_ID,
            text("source"),
            text("file"),
            text("layer", "process_name"),
            text("thread", "thread_name"),
            text("name", "name"),
            count("count"),
            us("total_time_us", "dur"),
            us("min_time_us"),
            us("max_time_us"),
        ),
        traces=(
            *("msprof", "acl", "ai_stack_time", "ge", "step_trace", "task_time", "thread_group"),
            *("ge_op_execute", "hccl", "runtime_api", "trace_view"),
        ),
    ),
)

BY_NAME = {table.name: table for table in TABLES}
BY_FILE = {file: table for table in TABLES for file in table.files}
BY_TRACE = {
    trace: tuple(table for table in TABLES if trace in table.traces)
    for trace in {trace for table in TABLES for trace in table.traces}
}
