"""The parts of a step of torch_npu must be as long as the step is."""

from __future__ import annotations

import numpy as np

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.agreement import Source
from pytest_npuperf.profile.checks import Place

_PARTS = ("computing_us", "communication_us", "overlapped_us", "free_us")
_WHOLE = ("stage_us", "bubble_us")

_NEAR_US = 1.0
"""Starts pass through a double of us, which tells quarters of a us apart."""

_ROUNDING = 1e-6
"""Each of very many intervals may be printed by half of a ns too long."""


def refuse_wrong(steps: Source) -> None:
    """Raise ProfileError where the parts of a step are longer than it, or leave a hole in it.

    Stage is the time from the first part to the end of the last, without the Bubble of waiting
    for other stages. A collective that goes on in the next step counts whole in Stage, and with
    the parts that begin in this step alone in the others, so that Stage may be longer by it.
    MindSpore has a table of the same name, and other times in it.
    """
    if not _is_of_torch(steps) or not steps.has(*_PARTS, *_WHOLE):
        return
    computing, communication, overlapped, free, stage, bubble = (
        steps.rows[name].to_numpy(dtype=np.float64) for name in (*_PARTS, *_WHOLE)
    )
    whole, parts = stage + bubble, computing + communication - overlapped + free
    slack = _NEAR_US + _ROUNDING * whole
    # Absent times are never wrong.
    wrong = (parts - whole > slack) | (whole - parts > communication + slack)
    if wrong.any():
        row = int(wrong.argmax())
        raise ProfileError(
            f"{Place(steps.path, 'step_trace_time').row(row)}: Stage and Bubble are "
            f"{whole[row]:.3f} us together, but Computing, Communication(Not Overlapped) and "
            f"Free {parts[row]:.3f} us; the file was edited, record again"
        )


def _is_of_torch(steps: Source) -> bool:
    """Return whether torch_npu wrote it: it says the device, or its folder who made it."""
    home = steps.path.parent.parent.name
    return home.endswith("_ascend_pt") or (steps.says_device and not home.endswith("_ascend_ms"))
