"""Profiles as msprof, torch_npu and MindSpore write them: open one, read its tables."""

from pytest_npuperf.profile.forms import OnBytes
from pytest_npuperf.profile.profile import Lane, Profile, open_profile

__all__ = ["Lane", "OnBytes", "Profile", "open_profile"]
