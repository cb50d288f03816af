"""On the controller: gather the results, write them, and tell them at the end."""

from __future__ import annotations

import json

import pytest

from pytest_npuperf.plugin.gate import PROPERTY
from pytest_npuperf.plugin.options import json_path
from pytest_npuperf.plugin.session import NpuperfSession
from pytest_npuperf.report import flat_properties, summary
from pytest_npuperf.results import case_from_json


class Aggregator:
    """Registered on the controller only; workers send what they found in user properties."""

    def __init__(self, config: pytest.Config, session: NpuperfSession) -> None:
        self._config, self._session = config, session
        self._deselected = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the results out of a report, and leave flat properties for JUnit files."""
        sent = [json.loads(str(value)) for key, value in report.user_properties if key == PROPERTY]
        if not sent:
            return
        cases = [case_from_json(data["case"]) for data in sent if "case" in data]
        left_out = [tuple(data["not_checked"]) for data in sent if "not_checked" in data]
        self._session.found[report.nodeid] = (cases, left_out)
        report.user_properties = [
            *(pair for pair in report.user_properties if pair[0] != PROPERTY),
            *(pair for case in cases for pair in flat_properties(case)),
        ]

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count what is left out: then a budget without a test means nothing."""
        self._deselected += len(items)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the results, and delete old ones."""
        if self._config.option.collectonly:
            return
        self._session.write(int(exitstatus), self._is_full(session), json_path(self._config))
        self._session.tidy()
        if self._session.problems and not exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._full = self._is_full(session)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell the verdicts: nothing but a line when all is well."""
        if self._config.option.collectonly:
            return
        lines = summary(
            self._session.cases,
            self._session.not_checked(self._full),
            terminalreporter._tw.fullwidth,
            terminalreporter.verbosity,
        )
        lines += [(problem, "red") for problem in self._session.problems]
        if len(lines) > 1:
            terminalreporter.section("npuperf")
        for text, colour in lines:
            terminalreporter.line(text, **({colour: True} if colour else {}))

    def _is_full(self, session: pytest.Session) -> bool:
        """Return whether every test of the project had its chance to use a budget."""
        option = self._config.option
        chosen = (
            getattr(option, name, None)
            for name in ("keyword", "markexpr", "deselect", "lf", "last_failed", "ignore")
        )
        whole = self._config.args_source is not pytest.Config.ArgsSource.ARGS
        stopped = session.shouldstop or session.shouldfail
        return whole and not (any(chosen) or stopped or self._deselected)
