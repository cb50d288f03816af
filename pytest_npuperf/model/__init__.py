"""The frozen values that cross from one stage to the next."""

from typing import Any

from pytest_npuperf.model.artefacts import (
    NO_ARTEFACTS,
    AmctFiles,
    Artefacts,
    CalibrationFiles,
    LayerFiles,
    NumberFile,
)
from pytest_npuperf.model.baselines import Baseline, Session
from pytest_npuperf.model.cases import (
    ENOUGH_ROUNDS,
    MANIFEST,
    Case,
    Collected,
    Mode,
    Msprof,
    Noise,
    StepOptions,
    Unavailable,
)
from pytest_npuperf.model.limits import (
    CUSTOM,
    PERCENT,
    Bound,
    BoundKind,
    InForce,
    Limit,
    OnFail,
    Regression,
    Selector,
    Wanted,
)
from pytest_npuperf.model.measured import (
    LaneMeasurement,
    LongOp,
    Measurement,
    OpRow,
    Reported,
    Value,
)
from pytest_npuperf.model.verdicts import (
    CaseResult,
    Cause,
    CauseKind,
    Comparison,
    Judged,
    OtherSide,
    Verdict,
)

JSON = Any
"""What crosses a process or a file: dicts, lists, strings, numbers, booleans and None."""

__all__ = [
    "CUSTOM",
    "ENOUGH_ROUNDS",
    "JSON",
    "MANIFEST",
    "NO_ARTEFACTS",
    "PERCENT",
    "AmctFiles",
    "Artefacts",
    "Baseline",
    "Bound",
    "BoundKind",
    "CalibrationFiles",
    "Case",
    "CaseResult",
    "Cause",
    "CauseKind",
    "Collected",
    "Comparison",
    "InForce",
    "Judged",
    "LaneMeasurement",
    "LayerFiles",
    "Limit",
    "LongOp",
    "Measurement",
    "Mode",
    "Msprof",
    "Noise",
    "NumberFile",
    "OnFail",
    "OpRow",
    "OtherSide",
    "Regression",
    "Reported",
    "Selector",
    "Session",
    "StepOptions",
    "Unavailable",
    "Value",
    "Verdict",
    "Wanted",
]
