"""Where the files about quantised models lie that the tests here read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def quantisation(pytestconfig: pytest.Config) -> Path:
    """The folder of the files."""
    named = os.environ.get("NPUPERF_QUANTISATION")
    folder = Path(named) if named else pytestconfig.rootpath.parent / "shared" / "quantisation"
    if not (folder / "INDEX.tsv").is_file():
        pytest.skip(f"no files at {folder}; NPUPERF_QUANTISATION may name their folder")
    return folder
