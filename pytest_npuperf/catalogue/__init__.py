"""Every metric and statistic as data: what it is called, what it is, and what it needs."""

from pytest_npuperf.catalogue.artefacts import ARTEFACTS
from pytest_npuperf.catalogue.metric import Metric
from pytest_npuperf.catalogue.metrics import (
    METRICS,
    OP_TABLES,
    PER_STEP,
    needed_tables,
)
from pytest_npuperf.catalogue.statistics import (
    API_STATISTICS,
    ENOUGH_SAMPLES,
    FROM_OP_STATISTIC,
    OP_STATISTICS,
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
    "STATISTICS",
    "TASK_TYPES",
    "Metric",
    "enough_samples",
    "needed_tables",
]
