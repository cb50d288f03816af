"""``--npuperf-explain``: where each number of each case comes from."""

from __future__ import annotations

import pytest

from pytest_npuperf.config import Marker
from pytest_npuperf.plugin.hooks import MARK, SESSION
from pytest_npuperf.plugin.marks import CaseMark, MarkError


def explain_cases(session: pytest.Session) -> None:
    """Print the settings of each case that a test uses, then of the budgets that none uses."""
    settings = session.config.stash[SESSION].settings
    lines: list[str] = []
    told = set()
    for item in session.items:
        mark = item.stash.get(MARK, None)
        if isinstance(mark, MarkError):
            lines += [f"{item.nodeid}: {mark}", ""]
        if isinstance(mark, CaseMark) and mark.name not in told:
            told.add(mark.name)
            lines += [*settings.explain(mark.name, mark.marker), ""]
    for name in settings.budgets:
        if name not in told:
            lines += [*settings.explain(name, Marker()), ""]
    _print(session.config, lines or ["npuperf: no budget and no marked test"])


def _print(config: pytest.Config, lines: list[str]) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None:
        terminal.ensure_newline()
        for line in lines:
            terminal.write_line(line)
