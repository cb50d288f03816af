"""What people and build servers are told."""

from pytest_npuperf.report.actions import say_soc
from pytest_npuperf.report.annotations import annotate
from pytest_npuperf.report.causes import causes
from pytest_npuperf.report.failure import details, one_line
from pytest_npuperf.report.junit import flat_properties
from pytest_npuperf.report.markdown import markdown
from pytest_npuperf.report.operators import culprits
from pytest_npuperf.report.terminal import summary

__all__ = [
    "annotate",
    "causes",
    "culprits",
    "details",
    "flat_properties",
    "markdown",
    "one_line",
    "say_soc",
    "summary",
]
