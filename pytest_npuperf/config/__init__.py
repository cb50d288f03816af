"""Settings: command line options and TOML in, cases out."""

from pytest_npuperf.config.case import words
from pytest_npuperf.config.inputs import Marker, Options
from pytest_npuperf.config.settings import Settings, load

__all__ = ["Marker", "Options", "Settings", "load", "words"]
