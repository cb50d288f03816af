"""The frozen values that cross from one stage to the next."""

from typing import Any

from pytest_npuperf.model.cases import Case, Collected, Mode, Msprof, StepOptions, Unavailable
from pytest_npuperf.model.limits import Bound, BoundKind, Limit, OnFail, Selector, Wanted
from pytest_npuperf.model.measured import LaneMeasurement, LongOp, Measurement, OpRow, Value
from pytest_npuperf.model.verdicts import CaseResult, Judged, Verdict

JSON = Any
"""What crosses a process or a file: dicts, lists, strings, numbers, booleans and None."""

__all__ = [
    "JSON",
    "Bound",
    "BoundKind",
    "Case",
    "CaseResult",
    "Collected",
    "Judged",
    "LaneMeasurement",
    "Limit",
    "LongOp",
    "Measurement",
    "Mode",
    "Msprof",
    "OnFail",
    "OpRow",
    "Selector",
    "StepOptions",
    "Unavailable",
    "Value",
    "Verdict",
    "Wanted",
]
