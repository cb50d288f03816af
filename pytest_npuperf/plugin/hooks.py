"""Around each test: find its case, judge it after its body, in whatever process it runs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

import pytest

from pytest_npuperf.config import Settings
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.plugin.gate import Gate, forget, left_out
from pytest_npuperf.plugin.marks import CaseMark, MarkError, case_mark
from pytest_npuperf.plugin.session import NpuperfSession

SESSION = pytest.StashKey[NpuperfSession]()
GATE = pytest.StashKey[Gate]()
MARK = pytest.StashKey["CaseMark | MarkError | None"]()

DESELECTED = "npuperf_deselected"
"""What a worker of xdist tells the controller when it left tests out."""

Result = TypeVar("Result")


def gate_of(item: pytest.Item) -> Gate:
    """Return the gate of a test."""
    if GATE not in item.stash:
        session = item.config.stash[SESSION]
        mark = item.stash.get(MARK, None)
        item.stash[GATE] = Gate(item, session, mark if isinstance(mark, CaseMark) else None)
    return item.stash[GATE]


# --- collecting -------------------------------------------------------------------------------


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Find the case of each test. What is wrong is told in its setup: here xdist would crash."""
    if SESSION not in config.stash:
        return
    settings = config.stash[SESSION].settings
    for item in items:
        item.stash[MARK] = _sound_mark(item, settings)
    _refuse_conflicts(items)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Tell the controller that tests are left out, which only workers see."""
    for item in items[:1]:
        getattr(item.config, "workeroutput", {})[DESELECTED] = True


def _sound_mark(item: pytest.Item, settings: Settings) -> CaseMark | MarkError | None:
    try:
        mark = case_mark(item)
    except MarkError as err:
        return err
    if mark is not None:
        try:
            settings.case(mark.name, mark.marker)
        except ConfigError as err:
            return MarkError(str(err), mark.name)
    return mark


def _refuse_conflicts(items: Sequence[pytest.Item]) -> None:
    """Refuse all tests that give one case different settings, whatever their order."""
    marks = [(item, mark) for item in items if isinstance(mark := item.stash[MARK], CaseMark)]
    said: dict[str, dict[str, str]] = {}
    for item, mark in marks:
        said.setdefault(mark.name, {}).setdefault(mark.same_settings(), item.nodeid)
    for item, mark in marks:
        if len(said[mark.name]) > 1:
            own = mark.same_settings()
            other = min(test for theirs, test in said[mark.name].items() if theirs != own)
            item.stash[MARK] = MarkError(
                f'npuperf("{mark.name}"): {other} gives this budget other settings; '
                "name one of them differently",
                mark.name,
            )


# --- running ----------------------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose marker is wrong, before any of its fixtures costs time."""
    forget(item)
    mark = item.stash.get(MARK, None)
    if isinstance(mark, MarkError):
        if mark.case in item.config.stash[SESSION].settings.budgets:
            item.user_properties.append(left_out(mark.case, "the marker of its test is wrong"))
        pytest.fail(str(mark), pytrace=False)
    if mark is not None:
        gate_of(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Result, Result]:
    """Judge a test's case after its body; a body that fails or skips is not judged."""
    result = yield
    # A unittest.TestCase does not raise what went wrong in it; pytest keeps that here.
    went_wrong = getattr(item, "_excinfo", None)
    if GATE in item.stash and not went_wrong:
        item.stash[GATE].finish()
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Say what was not judged, and let go of the profiles."""
    if GATE in item.stash:
        item.stash[GATE].close()
        del item.stash[GATE]
