"""The whole program: collect, read, measure and judge one case."""

from pytest_npuperf.pipeline.gating import Request, collect_case, gate, refused
from pytest_npuperf.pipeline.opened import Profiles, Recordings

__all__ = ["Profiles", "Recordings", "Request", "collect_case", "gate", "refused"]
