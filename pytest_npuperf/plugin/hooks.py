"""Around each test: find its case, judge it after its body, in whatever process it runs."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import pytest

from pytest_npuperf.config import Settings
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.plugin.gate import Gate, forget
from pytest_npuperf.plugin.marks import CaseMark, MarkError, case_mark
from pytest_npuperf.plugin.session import NpuperfSession

SESSION = pytest.StashKey[NpuperfSession]()
GATE = pytest.StashKey[Gate]()
MARK = pytest.StashKey["CaseMark | MarkError | None"]()

Result = TypeVar("Result")


def gate_of(item: pytest.Item) -> Gate:
    """Return the gate of a test."""
    if GATE not in item.stash:
        session = item.config.stash[SESSION]
        mark = item.stash.get(MARK, None)
        item.stash[GATE] = Gate(item, session, mark if isinstance(mark, CaseMark) else None)
    return item.stash[GATE]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Find the case of each test. What is wrong is told in its setup: here xdist would crash."""
    if SESSION not in config.stash:
        return
    settings = config.stash[SESSION].settings
    first: dict[str, tuple[str, str]] = {}
    for item in items:
        item.stash[MARK] = mark = _sound_mark(item, settings)
        if isinstance(mark, CaseMark):
            said = mark.same_settings()
            other, its = first.setdefault(mark.name, (item.nodeid, said))
            if its != said:
                item.stash[MARK] = MarkError(
                    f"npuperf({mark.name!r}): {other} gives this budget other settings; "
                    "name one of them differently"
                )


def _sound_mark(item: pytest.Item, settings: Settings) -> CaseMark | MarkError | None:
    try:
        mark = case_mark(item)
        if mark is not None:
            settings.case(mark.name, mark.marker)
    except (MarkError, ConfigError) as err:
        return MarkError(str(err))
    return mark


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose marker is wrong, before any of its fixtures costs time."""
    forget(item)
    if GATE in item.stash:
        del item.stash[GATE]
    mark = item.stash.get(MARK, None)
    if isinstance(mark, MarkError):
        pytest.fail(str(mark), pytrace=False)
    if mark is not None:
        gate_of(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Result, Result]:
    """Judge a test's case after its body; a body that fails or skips is not judged."""
    result = yield
    if GATE in item.stash:
        item.stash[GATE].finish()
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Say what was not judged."""
    if GATE in item.stash:
        item.stash[GATE].close()
