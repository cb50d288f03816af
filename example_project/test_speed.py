"""Keep the ResNet-50 service fast; every limit is in pyproject.toml."""

from __future__ import annotations

import pytest


@pytest.mark.npuperf("resnet50")
def test_resnet50_is_fast() -> None:
    pass
