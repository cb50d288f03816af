"""Keep the quantised ResNet-50 faster than the float one, and right, as its budget says."""

from __future__ import annotations

import pytest


@pytest.mark.npuperf("resnet50_int8")
def test_int8_is_faster_and_still_right() -> None:
    pass
