"""``--npuperf-explain``: where each number of each case comes from."""

from __future__ import annotations

import pytest

from pytest_npuperf.config import Marker, Settings
from pytest_npuperf.plugin.hooks import MARK
from pytest_npuperf.plugin.marks import CaseMark, MarkError
from pytest_npuperf.plugin.session import NpuperfSession


class Explainer:
    """Prints the settings of each case that a test uses, and runs nothing."""

    def __init__(self, config: pytest.Config, session: NpuperfSession) -> None:
        self._settings = session.settings
        # No workers: all that is to be told is known here once the tests are collected.
        config.option.dist = "no"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Explain instead of running the tests."""
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            for line in _explained(session.items, self._settings):
                terminal.write_line(line)
        return True

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Explaining is a success, without tests too."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK


def _explained(items: list[pytest.Item], settings: Settings) -> list[str]:
    """Return the settings of each case that a test uses, then of the budgets that none uses."""
    lines: list[str] = []
    markers: dict[str, Marker] = {}
    for item in items:
        mark = item.stash.get(MARK, None)
        if isinstance(mark, MarkError):
            lines += [f"{item.nodeid}: {mark}", ""]
        elif isinstance(mark, CaseMark):
            markers.setdefault(mark.name, mark.marker)
    for name in dict.fromkeys([*markers, *settings.budgets]):
        lines += [*settings.explain(name, markers.get(name, Marker())), ""]
    return lines or ["npuperf: no budget and no marked test"]
