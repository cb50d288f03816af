"""Keep the ResNet-50 service fast; every limit is in pyproject.toml."""

from __future__ import annotations

import pytest

from pytest_npuperf.profile import Profile


@pytest.mark.npuperf("resnet50")
def test_resnet50_is_fast() -> None:
    pass


@pytest.mark.npuperf("resnet50")
def test_every_operator_runs_once_in_each_step(npu_profile: Profile) -> None:
    runs = npu_profile.op_summary["op_name"].value_counts()
    assert set(runs) == {len(npu_profile.step_trace)}
