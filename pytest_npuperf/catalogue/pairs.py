"""Every metric of two cases together, a quantised model and its float one."""

from __future__ import annotations

from pytest_npuperf.catalogue.metric import Metric
from pytest_npuperf.model import Wanted
from pytest_npuperf.units import Dimension

SPEEDUP_OF = {
    "speedup": Wanted("compute_time_per_step"),
    "step_speedup": Wanted("step_time", "p50"),
}
"""The time of which a speedup is the ratio."""

STEPS = Wanted("steps")
"""How many steps a profile holds; both sides of a speedup must have as many."""

_TABLES = {"speedup": ("op_summary",), "step_speedup": ("step_trace", "step_trace_time")}

SPEEDUPS = {
    name: Metric(
        name,
        Dimension.NUMBER,
        f"{of.title()} of the case that against names, over its own",
        _TABLES[name],
        better="higher",
    )
    for name, of in SPEEDUP_OF.items()
}
"""How many times faster a case is than the other one."""
