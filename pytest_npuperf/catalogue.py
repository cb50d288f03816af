"""Every metric and statistic as data: what it is called, what it is, and what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_npuperf.units import Dimension

Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Metric:
    """A number that a budget can limit, or several: one for each statistic, or for each key."""

    name: str
    dimension: Dimension
    definition: str
    needs: tuple[str, ...]
    """The tables that can give it; any one is enough."""
    better: Better = "lower"
    distribution: bool = False
    """Whether there are many values, and a number for each of their statistics."""
    keyed_by: str = ""
    """What the profile names, such as ``layer``, and has a number for each; empty: one number."""
    per_step: bool = False
    """Whether ``NAME_per_step`` is a metric too."""

    @property
    def takes_table(self) -> bool:
        """Return whether a budget gives a table of limits, one for each of several numbers."""
        return self.distribution or bool(self.keyed_by)


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

STATISTICS = ("mean", "p50", "p90", "p95", "p99", "min", "max", "count")
"""Statistics of a distribution. Percentiles interpolate linearly between order statistics."""

OP_STATISTICS = {
    "total": Dimension.TIME,
    "mean": Dimension.TIME,
    "p50": Dimension.TIME,
    "p90": Dimension.TIME,
    "p95": Dimension.TIME,
    "p99": Dimension.TIME,
    "min": Dimension.TIME,
    "max": Dimension.TIME,
    "share": Dimension.SHARE,
    "count": Dimension.COUNT,
    "total_per_step": Dimension.TIME,
    "count_per_step": Dimension.COUNT,
}
"""Statistics of an ``[[ops]]`` rule."""

API_STATISTICS = {
    "total": Dimension.TIME,
    "mean": Dimension.TIME,
    "min": Dimension.TIME,
    "max": Dimension.TIME,
    "count": Dimension.COUNT,
    "total_per_step": Dimension.TIME,
    "count_per_step": Dimension.COUNT,
}
"""Statistics of an ``[[apis]]`` rule."""

FROM_OP_STATISTIC = (
    "total",
    "mean",
    "min",
    "max",
    "share",
    "count",
    "total_per_step",
    "count_per_step",
)
"""What an op_statistic table alone can answer."""

ENOUGH_SAMPLES = {"p90": 10, "p95": 20, "p99": 100}
"""The smallest sample on which a percentile within its limit means something."""


def enough_samples(metric: str, statistic: str | None) -> int:
    """Return the samples that a limit needs to pass; a layer may be called p95, too."""
    is_keyed = metric in METRICS and METRICS[metric].keyed_by
    return 0 if is_keyed else ENOUGH_SAMPLES.get(statistic or "", 0)


AI_CORES = ("AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "MIX_AIV")
"""Task types that run on AI Cores. Task types are an open set."""

COMMUNICATION = ("HCCL", "COMMUNICATION")
"""Task types of collectives: HCCL until February 2025, COMMUNICATION since."""

LEFT_OUT = ("WRITE_BACK", "INVALID")
"""Task types of rows that are no work; they are counted, but measured nowhere."""

TASK_TYPES = (
    *AI_CORES,
    *COMMUNICATION,
    *("AI_CPU", "DSA_SQE", "DSA", "DVPP", "FFTS_PLUS"),
    *("KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_AICPU", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV"),
)
"""Task types that are known, the hardware's names last; a profile may have others."""

OLD_RULE_TYPES = {
    "Model/Operator Computation": "Computation",
    "Model/Operator Memory": "Memory",
}
"""What two rule types of msprof's advice were called until December 2022."""


def needed_tables(metric: str) -> tuple[str, ...]:
    """Return the tables of which one must be there to measure a metric, rules included."""
    if metric == "ops":
        return OP_TABLES
    if metric == "apis":
        return ("api_statistic", "acl_statistic")
    if metric in METRICS:
        return METRICS[metric].needs
    return ()
