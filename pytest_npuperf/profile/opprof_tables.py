"""The tables of ``msprof op``, which measures single kernels: a file of each for each kernel."""

from __future__ import annotations

from pytest_npuperf.profile.schema import DEVICE_ID, Table, ident, number, text, us

_CORE = (text("block_id", "block_id"), text("sub_block_id", "sub_block_id"))
"""Which core a row is about; chips without the two kinds of core do not say it."""

OPPROF_TABLES = (
    Table(
        "op_basic_info",
        ("OpBasicInfo",),
        (
            DEVICE_ID,
            text("op_name", "Op Name"),
            # vector, cube or mix: neither an op type of the other tables nor one of their cores.
            text("op_kind", "Op Type"),
            us("task_duration_us", "Task Duration(us)"),
            ident("block_num", "Block Num", "Block Dim"),
            ident("mix_block_num", "Mix Block Num", "Mix Block Dim"),
            ident("pid", "Pid"),
            number("current_freq", "Current Freq"),
            number("rated_freq", "Rated Freq"),
        ),
        ends_in_comma=True,
    ),
    *(
        Table(f"op_{name}", (file,), _CORE, ends_in_comma=True)
        for name, file in (
            ("pipe_utilization", "PipeUtilization"),
            ("arithmetic_utilization", "ArithmeticUtilization"),
            ("memory", "Memory"),
            ("memory_l0", "MemoryL0"),
            ("memory_ub", "MemoryUB"),
            ("l2_cache", "L2Cache"),
            ("resource_conflict_ratio", "ResourceConflictRatio"),
        )
    ),
)

KERNEL_TABLE = OPPROF_TABLES[0].name
"""The table of the kernels; it is always written."""
CORE_TABLES = tuple(table.name for table in OPPROF_TABLES[1:])
"""The tables with a row for each core, those of them that were asked for."""
