"""Every metric of a profile: what it is called, what it is, and what it needs."""

from __future__ import annotations

from pytest_npuperf.catalogue.metric import Metric
from pytest_npuperf.units import Dimension

OP_TABLES = ("op_summary", "op_statistic")
TIMED = ("op_summary",)

_BASE = (
    Metric(
        "kernel_time",
        Dimension.TIME,
        "sum of the task durations of all rows that are not communication",
        OP_TABLES,
        per_step=True,
    ),
    Metric(
        "compute_time",
        Dimension.TIME,
        "length of the union of the same intervals (what torch_npu calls Computing)",
        TIMED,
        per_step=True,
    ),
    Metric(
        "busy_time",
        Dimension.TIME,
        "length of the union of all task intervals, communication included",
        TIMED,
        per_step=True,
    ),
    Metric(
        "window_time",
        Dimension.TIME,
        "from the first start to the last end of a task",
        TIMED,
        per_step=True,
    ),
    Metric(
        "idle_time",
        Dimension.TIME,
        "window_time less busy_time (what torch_npu calls Free)",
        TIMED,
        per_step=True,
    ),
    Metric("idle_share", Dimension.SHARE, "idle_time as a share of window_time", TIMED),
    Metric("largest_gap", Dimension.TIME, "longest stretch of the window without a task", TIMED),
    Metric(
        "kernel_count",
        Dimension.COUNT,
        "number of rows that are not communication",
        OP_TABLES,
        per_step=True,
    ),
    Metric(
        "ai_core_time",
        Dimension.TIME,
        "sum of the task durations on AI Cores: AI_CORE, AI_VECTOR_CORE, MIX_AIC, MIX_AIV",
        OP_TABLES,
        per_step=True,
    ),
    Metric(
        "ai_cpu_time",
        Dimension.TIME,
        "sum of the task durations on the AI CPU",
        OP_TABLES,
        per_step=True,
    ),
    Metric(
        "communication_time",
        Dimension.TIME,
        "length of the union of the communication intervals",
        TIMED,
        per_step=True,
    ),
    Metric(
        "overlap_share",
        Dimension.SHARE,
        "part of communication_time during which a kernel runs too",
        TIMED,
        better="higher",
    ),
    Metric(
        "fused_count",
        Dimension.COUNT,
        "number of rows of fusion_op",
        ("fusion_op",),
        better="higher",
    ),
    Metric(
        "step_time",
        Dimension.TIME,
        "duration of the single steps, warm-up left out",
        ("step_trace", "step_trace_time"),
        distribution=True,
    ),
    Metric(
        "timeline_time",
        Dimension.TIME,
        "sum of the durations of all events of a timeline layer, each nested event too",
        ("timeline",),
        keyed_by="layer",
        per_step=True,
    ),
    Metric(
        "advice_count",
        Dimension.COUNT,
        "number of entries of prof_rule with a rule type",
        ("prof_rule",),
        keyed_by="rule_type",
    ),
    Metric(
        "memory_peak",
        Dimension.SIZE,
        "largest memory(KB) of the process, DDR and HBM together: rows of npu_mem with event APP",
        ("npu_mem",),
    ),
    Metric(
        "allocated_memory_peak",
        Dimension.SIZE,
        "largest Total Allocated of memory_record, all allocators together",
        ("memory_record",),
    ),
    Metric(
        "reserved_memory_peak",
        Dimension.SIZE,
        "largest Total Reserved of memory_record, all allocators together",
        ("memory_record",),
    ),
)

PER_STEP = "_per_step"


def _with_per_step(metric: Metric) -> tuple[Metric, ...]:
    if not metric.per_step:
        return (metric,)
    divided = Metric(
        metric.name + PER_STEP,
        metric.dimension,
        f"{metric.name} divided by the number of steps",
        metric.needs,
        metric.better,
        keyed_by=metric.keyed_by,
    )
    return (metric, divided)


METRICS = {m.name: m for base in _BASE for m in _with_per_step(base)}
"""Every metric by name, in the order of the documentation."""


def needed_tables(metric: str) -> tuple[str, ...]:
    """Return the tables of which one must be there to measure a metric, rules included."""
    if metric == "ops":
        return OP_TABLES
    if metric == "apis":
        return ("api_statistic", "acl_statistic")
    if metric in METRICS:
        return METRICS[metric].needs
    return ()
