"""Quantised models: what the files of AMCT and of the accuracy comparison say, as numbers."""

from pytest_npuperf.accuracy.found import Found, read

__all__ = ["Found", "read"]
