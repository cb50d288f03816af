"""Every metric and statistic as data: what it is called, what it is, and what it needs."""

from pytest_npuperf.catalogue.artefacts import ARTEFACTS
from pytest_npuperf.catalogue.metric import Metric
from pytest_npuperf.catalogue.metrics import (
    METRICS,
    OP_TABLES,
    PER_STEP,
    needed_tables,
)
from pytest_npuperf.catalogue.pairs import SPEEDUP_OF, SPEEDUPS, STEPS
from pytest_npuperf.catalogue.statistics import (
    API_STATISTICS,
    ENOUGH_SAMPLES,
    FROM_OP_STATISTIC,
    OP_STATISTICS,
    RULES,
    STATISTICS,
    enough_samples,
)
from pytest_npuperf.catalogue.tasks import (
    AI_CORES,
    COMMUNICATION,
    LEFT_OUT,
    OLD_RULE_TYPES,
    TASK_TYPES,
)
from pytest_npuperf.model import Wanted

__all__ = [
    "AI_CORES",
    "API_STATISTICS",
    "ARTEFACTS",
    "COMMUNICATION",
    "ENOUGH_SAMPLES",
    "FROM_OP_STATISTIC",
    "LEFT_OUT",
    "METRICS",
    "OLD_RULE_TYPES",
    "OP_STATISTICS",
    "OP_TABLES",
    "PER_STEP",
    "RULES",
    "SPEEDUPS",
    "SPEEDUP_OF",
    "STATISTICS",
    "STEPS",
    "TASK_TYPES",
    "Metric",
    "enough_samples",
    "from_profile",
    "is_told",
    "metric_of",
    "needed_tables",
]


def metric_of(wanted: Wanted) -> Metric | None:
    """Return the metric that a number is; None for those of rules and of the test's own."""
    named = METRICS.get(wanted.metric) or SPEEDUPS.get(wanted.metric)
    return named or ARTEFACTS.get(wanted.title())


def from_profile(wanted: Wanted) -> bool:
    """Return whether a number is measured on one profile, and neither on two nor on files."""
    return wanted.metric in METRICS or wanted.metric in RULES or wanted == STEPS


def is_told(wanted: Wanted) -> bool:
    """Return whether a number comes from no profile: a file has it, or the test reports it."""
    return not from_profile(wanted) and wanted.metric not in SPEEDUPS
