"""On the controller: gather the results, write them, and tell them at the end."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from pytest_npuperf.plugin.gate import PROPERTY, received, sent_by
from pytest_npuperf.plugin.hooks import DESELECTED
from pytest_npuperf.plugin.options import json_path
from pytest_npuperf.plugin.reports import github_annotations, write_reports
from pytest_npuperf.plugin.session import Found, NpuperfSession
from pytest_npuperf.report import summary

_CHOOSES = ("keyword", "markexpr", "deselect", "lf", "stepwise", "ignore", "ignore_glob")
"""Options with which only a part of the tests is run."""


class Aggregator:
    """Registered on the controller only; workers send what they found in user properties."""

    def __init__(self, config: pytest.Config, session: NpuperfSession) -> None:
        self._config, self._session = config, session
        self._read: dict[tuple[str, ...], Found] = {}
        """What was sent, read once."""
        self._reruns: set[str] = set()
        """The tests of which the present try has failed and is not the last."""
        self._is_full = _asks_for_all(config)
        """Whether every test of the project had its chance to use a budget."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the results out of a report, and leave flat properties for JUnit files."""
        if str(report.outcome) == "rerun":
            self._reruns.add(report.nodeid)
        elif report.when == "setup":
            # Old releases of pytest-rerunfailures tell no teardown of a try that is done again.
            self._reruns.discard(report.nodeid)
        sent = sent_by(report.user_properties)
        if sent:
            others = [pair for pair in report.user_properties if pair[0] != PROPERTY]
            report.user_properties = [*others, *self._flat(report, sent)]

    def _flat(self, report: pytest.TestReport, sent: tuple[str, ...]) -> list[tuple[str, str]]:
        """Keep what a test sent. All its reports carry the same, and its last try counts."""
        known = self._session.found.get(report.nodeid)
        if known is None or known.sent != sent:
            if sent not in self._read:
                self._read[sent] = received(sent)
            known = self._session.found[report.nodeid] = self._read[sent].of(report.nodeid)
        if report.when != "teardown":
            return []
        if report.nodeid in self._reruns:
            return []  # a JUnit file takes over the properties of every try
        return list(known.properties)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notice a file that was not collected: who knows what is in it."""
        self._is_full &= report.passed

    def pytest_deselected(self) -> None:
        """Notice that tests are left out."""
        self._is_full = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Notice that a worker of xdist left tests out, or crashed."""
        told = getattr(node, "workeroutput", {})
        self._is_full &= not (error or told.get(DESELECTED))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the results and then the reports, and delete old results."""
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        self._is_full &= ended and not (session.shouldstop or session.shouldfail)
        also = json_path(self._config)
        status = self._session.write(int(exitstatus), self._is_full, also)
        if not write_reports(self._config, self._session, self._is_full) and not status:
            status = self._session.write(1, self._is_full, also)
        if status != exitstatus:
            session.exitstatus = status
        self._session.tidy()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the verdicts: nothing but a line when all is well."""
        lines = summary(
            self._session.cases,
            self._session.not_checked(self._is_full),
            shutil.get_terminal_size().columns,
            self._config.get_verbosity(),
            self._session.config,
        )
        lines += [(problem, "red") for problem in self._session.problems]
        if len(lines) > 1:
            terminalreporter.section("npuperf")
        for text, colour in lines:
            terminalreporter.line(text, **({colour: True} if colour else {}))
        for command in github_annotations(self._session):
            terminalreporter.line(command)


def _asks_for_all(config: pytest.Config) -> bool:
    if any(getattr(config.option, name, None) for name in _CHOOSES):
        return False
    source = pytest.Config.ArgsSource
    at_root = config.invocation_params.dir == config.rootpath
    return config.args_source is source.TESTPATHS or (
        config.args_source is source.INVOCATION_DIR and at_root
    )
