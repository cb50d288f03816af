"""The fixtures for tests that want more than to be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_npuperf.plugin.gate import Gate
from pytest_npuperf.plugin.hooks import gate_of

if TYPE_CHECKING:
    from pytest_npuperf.profile import Profile


@pytest.fixture
def npuperf(request: pytest.FixtureRequest) -> Gate:
    """The performance gate of this test: .profile, .run, .replay, .check, .metric."""
    return gate_of(request.node)


@pytest.fixture
def npu_profile(npuperf: Gate) -> Profile:
    """The profile of this test's budget, its tables as DataFrames (npu_profile.op_summary)."""
    return npuperf.profile
