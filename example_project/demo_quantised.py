"""See both halves fail: more speed is asked for than there is, and a layer is dead.

pytest does not collect this file by itself, because of its name.
"""

from __future__ import annotations

import pytest


@pytest.mark.npuperf(
    "resnet50_int8",
    speedup={"at_least": 1.5},
    layer_accuracy={"result": "quantised/compared_dead/result_*.csv"},
)
def test_int8_is_faster_and_still_right() -> None:
    pass
