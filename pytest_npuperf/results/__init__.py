"""The one format of what was measured: results of a run, and baselines, as checked JSON files."""

from pytest_npuperf.results.baselines import (
    MOST_SESSIONS,
    add_session,
    baseline_path,
    read_baseline,
)
from pytest_npuperf.results.cases import case_as_json, case_from_json, document
from pytest_npuperf.results.checks import schema
from pytest_npuperf.results.files import is_result, read, write, write_text
from pytest_npuperf.results.folders import RESULT, has_failed, last_result, runs
from pytest_npuperf.results.format import FORMAT
from pytest_npuperf.results.rounds import rounds_from_json
from pytest_npuperf.results.useful import refuse_useless

__all__ = [
    "FORMAT",
    "MOST_SESSIONS",
    "RESULT",
    "add_session",
    "baseline_path",
    "case_as_json",
    "case_from_json",
    "document",
    "has_failed",
    "is_result",
    "last_result",
    "read",
    "read_baseline",
    "refuse_useless",
    "rounds_from_json",
    "runs",
    "schema",
    "write",
    "write_text",
]
