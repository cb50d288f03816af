"""The gate of one test: what the fixture ``npuperf`` is, and what judges a marked test."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_npuperf.config import Marker, words
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import Case, CaseResult, Collected, Unavailable, Verdict
from pytest_npuperf.plugin.marks import CaseMark
from pytest_npuperf.plugin.session import NpuperfSession
from pytest_npuperf.report import details, one_line
from pytest_npuperf.results import case_as_json

if TYPE_CHECKING:
    from pytest_npuperf.pipeline import Request
    from pytest_npuperf.profile import Profile

PROPERTY = "npuperf"
"""The user property that carries a case from the test to the controller, as JSON."""


class BudgetExceeded(pytest.fail.Exception):  # type: ignore[misc,name-defined]
    """A test fails by its budget, not by a wrong assertion."""


# pytest puts the module in front of the message in its short summary; the message is what counts.
BudgetExceeded.__module__ = "builtins"


class Gate:
    """Collects, measures and judges for one test.

    A marked test is judged after its body. A test may look at the profile before that, report
    numbers of its own, or judge other profiles.
    """

    def __init__(self, item: pytest.Item, session: NpuperfSession, mark: CaseMark | None) -> None:
        self._item, self._session, self._mark = item, session, mark
        self._collected: Collected | Unavailable | None = None
        self._reported: dict[str, tuple[Fraction, str]] = {}
        self._is_judged = False

    # --- for tests ----------------------------------------------------------------------------

    @property
    def profile(self) -> Profile:
        """The profile of the test's case, of its first round; collected when first asked for."""
        return self._obtained(self._case)

    def run(self, app: str | Sequence[str] | None = None) -> Profile:
        """Run the app of the case, or this one instead, and return its profile."""
        case = replace(self._case, mode="run")
        if app is not None:
            case = replace(case, app=words(app if isinstance(app, str) else list(app)))
        return self._obtained(case, afresh=True)

    def replay(self, path: str | Path) -> Profile:
        """Replay a recording, relative to the root directory, and return its profile."""
        recording = self._session.settings.rootdir / path
        return self._obtained(replace(self._case, mode="replay", recording=recording), afresh=True)

    def metric(self, name: str, value: float, unit: str = "") -> None:
        """Report a number that the budget limits as ``custom.NAME``."""
        if not math.isfinite(value):
            raise ValueError(f"npuperf.metric({name!r}): {value} is not a finite number")
        self._reported[name] = (Fraction(str(value)), unit)

    def check(self, profile: Profile, budget: str | Mapping[str, Any] | None = None) -> CaseResult:
        """Judge a profile now, by the test's own budget, another one, or keys of a budget.

        Returns the result; one that is not good enough fails the test.
        """
        if budget is None:
            mark = self._named
        elif isinstance(budget, str):
            mark = CaseMark(budget, Marker(where=self._item.nodeid))
        else:
            mark = CaseMark(self._item.nodeid, Marker(dict(budget), f"{self._item.nodeid} (check)"))
        return self._judge(mark, self._origin(profile))

    # --- for the plugin -----------------------------------------------------------------------

    def finish(self) -> None:
        """Judge the test's own case after its body, unless the body has done so."""
        if self._mark is None or self._is_judged:
            return
        if self._case.mode == "off":
            self._leave_out('mode = "off"')
        else:
            self._judge(self._mark, self._collected)

    def close(self) -> None:
        """Say that the case was not checked, if the test never came to be judged."""
        if self._mark is not None and not self._is_judged:
            self._leave_out("its test failed or was skipped before it was judged")

    # --- inside -------------------------------------------------------------------------------

    @property
    def _named(self) -> CaseMark:
        if self._mark is None:
            pytest.fail("npuperf: the test names no budget; mark it npuperf(NAME)", pytrace=False)
        return self._mark

    @cached_property
    def _case(self) -> Case:
        return self._session.settings.case(self._named.name, self._named.marker)

    def _obtained(self, case: Case, afresh: bool = False) -> Profile:
        """Return the profile of a case, collected unless that has been done."""
        from pytest_npuperf.pipeline import collect_case, refused

        request = self._request(self._named)
        try:
            if self._collected is None or afresh:
                self._collected = collect_case(case, request.folder())
            if isinstance(self._collected, Collected):
                replayed = self._collected.mode == "replay"
                return self._session.profiles.open(self._collected.rounds[0], replayed)
        except NpuperfError as err:
            self._is_judged = True
            self._say(refused(request, err))
        self._judge(self._named, self._collected)
        raise AssertionError("what is not available skips or fails the test")

    def _origin(self, profile: Profile) -> Collected | Unavailable:
        """Return how a profile was obtained; one that the test opened itself is a recording."""
        known = self._collected
        if isinstance(known, Collected) and profile.path in known.rounds:
            return known
        return Collected((profile.path,), "replay")

    def _judge(self, mark: CaseMark, collected: Collected | Unavailable | None) -> CaseResult:
        from pytest_npuperf.pipeline import gate

        self._is_judged = self._is_judged or mark is self._mark
        result = gate(self._request(mark), self._session.profiles, collected)
        self._say(result)
        return result

    def _request(self, mark: CaseMark) -> Request:
        from pytest_npuperf.pipeline import Request

        settings = self._session.settings
        return Request(
            test=self._item.nodeid,
            name=mark.name,
            resolve=lambda soc: settings.case(mark.name, mark.marker, soc),
            folder=partial(self._session.case_folder, mark.name),
            rootdir=settings.rootdir,
            reported=self._reported,
        )

    def _say(self, result: CaseResult) -> None:
        """Send a result to the controller, and fail or skip the test by it."""
        self._send({"case": case_as_json(result)})
        if result.blocks:
            self._item.add_report_section("call", "npuperf", details(result))
            raise BudgetExceeded(one_line(result), pytrace=False)
        if result.verdict is Verdict.SKIPPED:
            pytest.skip(one_line(result))

    def _leave_out(self, reason: str) -> None:
        self._is_judged = True
        self._send({"not_checked": [self._named.name, reason]})

    def _send(self, data: dict[str, Any]) -> None:
        self._item.user_properties.append((PROPERTY, json.dumps(data)))


def forget(item: pytest.Item) -> None:
    """Take away what an earlier try of the test has sent: a rerun replaces it."""
    item.user_properties[:] = [pair for pair in item.user_properties if pair[0] != PROPERTY]
