"""See the gate fail: the same limits on a recording with a slow operator.

pytest does not collect this file by itself, because of its name.
"""

from __future__ import annotations

import pytest


@pytest.mark.npuperf("resnet50", recording="resnet50_regressed")
def test_resnet50_is_fast() -> None:
    pass
