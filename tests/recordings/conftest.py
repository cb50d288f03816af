"""What the tests on recorded profiles need: where these lie, and how to judge one of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.judge import judge
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Case, Judged, Limit
from pytest_npuperf.profile import open_profile

Judge = Callable[[Path, Sequence[Limit]], dict[Limit, Judged]]


def _folder(config: pytest.Config) -> Path:
    named = os.environ.get("NPUPERF_RECORDINGS")
    return Path(named) if named else config.rootpath.parent / "shared" / "recordings"


def _expected(config: pytest.Config) -> dict[str, Any]:
    file = _folder(config) / "expected.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


@pytest.fixture(scope="session", autouse=True)
def recordings(pytestconfig: pytest.Config) -> Path:
    """The folder of the recorded profiles."""
    folder = _folder(pytestconfig)
    if not (folder / "expected.json").is_file():
        pytest.skip(f"no recorded profiles at {folder}; NPUPERF_RECORDINGS may name their folder")
    return folder


@pytest.fixture(scope="session")
def expected(pytestconfig: pytest.Config) -> dict[str, Any]:
    """The reference values: by the path of an operator table below the folder."""
    return _expected(pytestconfig)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for it once for each table that is read, or that is refused."""
    entries = _expected(metafunc.config)
    for name, refused in (("table", False), ("refused_table", True)):
        if name in metafunc.fixturenames:
            chosen = [table for table, entry in entries.items() if ("refused" in entry) is refused]
            metafunc.parametrize(name, chosen or ["absent"])


@pytest.fixture(scope="session")
def judged() -> Judge:
    """Return a function that puts a profile through all stages: limits to what was found."""

    def run(path: Path, limits: Sequence[Limit]) -> dict[Limit, Judged]:
        measurement = measure(open_profile(path), [limit.wanted for limit in limits])
        case = Case("recorded", limits=tuple(limits))
        return dict(zip(limits, judge(case, [measurement], {}), strict=True))

    return run
