"""Every statistic of a distribution or of a rule, and the samples that it needs."""

from __future__ import annotations

from pytest_npuperf.catalogue.metrics import METRICS
from pytest_npuperf.units import Dimension

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

RULES = {"ops": OP_STATISTICS, "apis": API_STATISTICS}
"""The statistics of each kind of rule."""

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
