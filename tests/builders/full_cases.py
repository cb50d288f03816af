"""Made results with all that a page can tell: steps, op types, single ops, causes, two sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from fractions import Fraction

from case_results import limit, result

from pytest_npuperf.model import (
    CaseResult,
    Cause,
    CauseKind,
    Comparison,
    Judged,
    LaneMeasurement,
    LongOp,
    Measurement,
    OpRow,
    OtherSide,
    Value,
)
from pytest_npuperf.units import Dimension

STARTED = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)
IMAGE = "<img src=x onerror=alert(1)>"
HOSTILE = (
    IMAGE,
    "</script><script>alert(1)</script>",
    "\"quoted\" 'twice' & <b>",
    "</text></svg><img src=x onerror=alert(2)>",
    "卷积 $x^2$",
    "\x1b[31m\u202eturned",
)

QUANTISED = result(
    "int8",
    {
        limit("speedup", Dimension.NUMBER, at_least=Fraction(13, 10), better="higher"): Fraction(
            14, 10
        ),
        limit("layer_accuracy", Dimension.COUNT, "broken", at_most=0): 1,
    },
)

OPS = (
    OpRow("Conv2D", "AI_CORE", 4, 800_000, "1,3,8,8"),
    OpRow("Conv2D", "AI_CORE", 4, 200_000, "1,3,4,4"),
    OpRow("Cast", "AI_CPU", 2, 300_000),
    OpRow("Cast", "AI_VECTOR_CORE", 2, 100_000),
    OpRow("hcom_allReduce_", "HCCL", 1, 500_000),
    OpRow("", "", 1, 5_000),
)
CAUSES = (
    Cause(CauseKind.MOVED, "Cast", "AI_CPU", "8,1000", "", 4, 4, 10_000, 50_000, "AI_CORE"),
    Cause(CauseKind.SLOWER, "Conv2D", "AI_CORE", "", "", 4, 4, 80_000, 90_000),
    Cause(CauseKind.FASTER, "Add", "AI_CORE", "8,8", "", 4, 4, 90_000, 70_000),
    Cause(CauseKind.SLOWER, "hcom_allReduce_", "HCCL", "", "", 1, 1, 10_000, 12_000),
)


def ops(many: int) -> tuple[LongOp, ...]:
    """Return ops, the longest first."""
    cores = ("AI_CORE", "AI_VECTOR_CORE")
    return tuple(
        LongOp(f"block{n}/conv", f"Type{n % 7}", cores[n % 2], (many - n) * 1000)
        for n in range(many)
    )


def full(
    name: str = "resnet50",
    steps: Sequence[Sequence[int]] = ((1_500_000, 1_600_000, 1_550_000),),
    rows: Sequence[OpRow] = OPS,
    longest: Sequence[LongOp] = ops(60),
    lanes: Sequence[str] = ("0",),
    causes: Mapping[str, tuple[Cause, ...]] | None = None,
) -> CaseResult:
    """Return a case with two limits on its steps, one over, and with a round for each of them."""
    p50 = limit("step_time", statistic="p50", at_most=1_520_000, where="pyproject.toml:8")
    p95 = limit("step_time", statistic="p95", at_most=1_900_000, where="pyproject.toml:9")
    count = limit("kernel_count", Dimension.COUNT, at_most=9, where="pyproject.toml:10")
    measured = result(name, {p50: 1_550_000, p95: 1_600_000, count: 5}, lanes)

    def lane(of: Sequence[int]) -> LaneMeasurement:
        data = {each: Value(Fraction(1_550_000), len(of), data=tuple(of)) for each in (p50, p95)}
        values = {key.wanted: value for key, value in data.items()}
        return LaneMeasurement(values, tuple(rows), tuple(longest))

    return replace(
        measured,
        rounds=tuple(Measurement(dict.fromkeys(lanes, lane(of))) for of in steps),
        profiles=("recordings/resnet50",),
        fingerprint={"soc": "Ascend910B4", "cann": "9.0.0"},
        causes=causes or {},
    )


def beside(case: CaseResult) -> CaseResult:
    """Return the case as compared with another one in the same session."""
    other = OtherSide("old", ("recordings/old",), {"soc": "Ascend910B4", "cann": "8.0.0"})
    return replace(case, against=other, limits=tuple(map(_compared, case.limits)))


def _compared(judged: Judged) -> Judged:
    if judged.limit.wanted.statistic != "p50":
        return judged
    before = Comparison(Fraction(1_400_000), Fraction(1, 10), None, None, False, "old")
    return replace(judged, comparison=before)


def hostile() -> list[CaseResult]:
    """Return cases in which whatever comes from outside is made to break a page."""
    rows = [OpRow(name, name, 1, 1000 + n) for n, name in enumerate(HOSTILE)]
    longest = [LongOp(name, name, name, 1000 + n) for n, name in enumerate(HOSTILE)]
    return [_hostile(name, rows, longest) for name in HOSTILE]


def _hostile(name: str, rows: Sequence[OpRow], longest: Sequence[LongOp]) -> CaseResult:
    cause = replace(CAUSES[0], type=name, shapes=name, core=name, from_core=name)
    case = beside(full(name, rows=rows, longest=longest, lanes=(name,), causes={name: (cause,)}))
    odd = {"test": name, "reason": f"{name}\n{name}", "recorded": name, "profiles": (name,)}
    limits = tuple(replace(each, remark=name, reason=name) for each in case.limits)
    odd_limits = tuple(
        replace(each, limit=replace(each.limit, where=name, why=name)) for each in limits
    )
    side = OtherSide(name, (name,), {name: name})
    changed = replace(case, limits=odd_limits, notes=(name,), against=side, **odd)  # type: ignore[arg-type]
    return replace(changed, fingerprint={name: "", "soc": name})
