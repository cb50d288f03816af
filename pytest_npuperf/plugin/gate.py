"""The gate of one test: what the fixture ``npuperf`` is, and what judges a marked test."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_npuperf.config import Marker, words
from pytest_npuperf.errors import ConfigError, NpuperfError
from pytest_npuperf.model import Case, CaseResult, Collected, Reported, Unavailable, Verdict
from pytest_npuperf.plugin.marks import CaseMark
from pytest_npuperf.plugin.options import html_path
from pytest_npuperf.plugin.session import Found, NpuperfSession
from pytest_npuperf.plugin.status import status_line
from pytest_npuperf.report import details, flat_properties, one_line
from pytest_npuperf.results import case_from_json

if TYPE_CHECKING:
    from pytest_npuperf.pipeline import Profiles, Request
    from pytest_npuperf.profile import Profile

PROPERTY = "npuperf.json"
"""The user property that carries a case from the test to the controller, as JSON."""

OFF = 'mode = "off"'

LISTED = 50
"""How many of the longest ops of each case the page lists."""


class NotWithinBudget(pytest.fail.Exception):  # type: ignore[misc,name-defined]
    """The test is not shown to be within its budget: too slow, not measured, or an error."""


# pytest puts the module in front of the message in its short summary; the message is what counts.
NotWithinBudget.__module__ = "builtins"


class Gate:
    """Collects, measures and judges for one test.

    A marked test is judged after its body. A test may look at the profile before that, report
    numbers of its own, or judge other profiles.
    """

    def __init__(self, item: pytest.Item, session: NpuperfSession, mark: CaseMark | None) -> None:
        self._item, self._session, self._mark = item, session, mark
        self._obtained: list[Collected | Unavailable] = []
        self._reported: dict[str, Reported] = {}
        self._settled: set[str] = set()
        """The cases of which something has been said."""

    # --- for tests ----------------------------------------------------------------------------

    @property
    def profile(self) -> Profile:
        """The profile of the test's case, of its first round; collected when first asked for."""
        return self._obtain(self._case, afresh=False)

    def run(self, app: str | Sequence[str] | None = None) -> Profile:
        """Run the app of the case, or this one instead, and return its profile."""
        case = self._case
        if app is not None:
            case = replace(case, app=words(app if isinstance(app, str) else list(app)))
        return self._obtain(replace(case, mode="run"))

    def replay(self, path: str | Path) -> Profile:
        """Replay a recording, relative to the root directory, and return its profile."""
        if not str(path):  # the root directory itself is "."
            raise ValueError(f"npuperf.replay({path!r}): name a recording")
        recording = self._session.settings.rootdir / path
        return self._obtain(replace(self._case, mode="replay", recording=recording))

    def metric(self, name: str, value: float, unit: str = "", against: float | None = None) -> None:
        """Report a number, once, that the budget limits as ``custom.NAME``.

        ``against`` is the same number of what the budget's ``against`` names, such as the
        accuracy of the float model.
        """
        for number in (value, *(() if against is None else (against,))):
            if isinstance(number, bool) or not math.isfinite(number):
                raise ValueError(f"npuperf.metric({name!r}): {number} is not a finite number")
        if name in self._reported:
            raise ValueError(f"npuperf.metric({name!r}) was reported before; report it once")
        other = None if against is None else Fraction(str(against))
        self._reported[name] = Reported(Fraction(str(value)), unit, other)

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
        self._skip_if_off(mark)
        return self._judge(mark, self._origin(profile))

    # --- for the plugin -----------------------------------------------------------------------

    def finish(self) -> None:
        """Judge the test's own case after its body, unless the body has done so."""
        if self._mark is None:
            self._refuse_idle_numbers()
        elif self._mark.name in self._settled:
            return
        elif self._case.mode == "off":
            self._leave_off(self._mark, self._case)
        else:
            self._judge(self._mark, self._obtained[-1] if self._obtained else None)

    def close(self) -> None:
        """Say that the case was not checked, if the test never came to be judged."""
        if self._mark is not None and self._mark.name not in self._settled:
            self._leave_out(self._mark, "its test failed or was skipped before it was judged")

    # --- inside -------------------------------------------------------------------------------

    @property
    def _named(self) -> CaseMark:
        if self._mark is None:
            pytest.fail(
                "npuperf: the test names no budget; mark it @pytest.mark.npuperf(NAME)",
                pytrace=False,
            )
        return self._mark

    @cached_property
    def _case(self) -> Case:
        return self._session.settings.case(self._named.name, self._named.marker)

    @cached_property
    def _profiles(self) -> Profiles:
        from pytest_npuperf.pipeline import Profiles

        return Profiles(self._session.recordings)

    def _obtain(self, case: Case, afresh: bool = True) -> Profile:
        """Return the profile of a case, collected unless that has been done."""
        from pytest_npuperf.pipeline import collect_case, refused

        self._skip_if_off(self._named)
        request = self._request(self._named)
        try:
            if afresh or not self._obtained:
                self._obtained.append(collect_case(case, request))
            collected = self._obtained[-1]
            if isinstance(collected, Collected):
                return self._profiles.open(collected.rounds[0], collected.mode).profile
        except (NpuperfError, OSError) as err:
            self._say(self._named, refused(request, err))
        return self._unavailable()

    def _unavailable(self) -> NoReturn:
        self._judge(self._named, self._obtained[-1])
        raise AssertionError("what is not available skips or fails the test")

    def _origin(self, profile: Profile) -> Collected:
        """Return how a profile was obtained; one that the test opened itself is a recording."""
        for known in self._obtained:
            if isinstance(known, Collected) and profile.path in known.rounds:
                return known
        return Collected((profile.path,), "replay")

    def _judge(self, mark: CaseMark, collected: Collected | Unavailable | None) -> CaseResult:
        from pytest_npuperf.pipeline import gate

        result = gate(self._request(mark), self._profiles, collected)
        self._say(mark, result)
        return result

    def _request(self, mark: CaseMark) -> Request:
        from pytest_npuperf.pipeline import Request

        settings = self._session.settings
        return Request(
            test=self._item.nodeid,
            name=mark.name,
            resolve=lambda soc: settings.case(mark.name, mark.marker, soc),
            folder=self._session.case_folder(mark.name),
            rootdir=settings.rootdir,
            dev=self._session.dev,
            reported=self._reported,
            watch=status_line(self._item.config),
            listed=LISTED if html_path(self._item.config) else 0,
        )

    # --- what is said -------------------------------------------------------------------------

    def _say(self, mark: CaseMark, result: CaseResult) -> None:
        """Send a result to the controller, and fail or skip the test by it."""
        self._settled.add(mark.name)
        self._item.user_properties.append((PROPERTY, self._session.as_text(result)))
        if result.blocks:
            self._item.add_report_section("call", "npuperf", details(result))
            raise NotWithinBudget(one_line(result), pytrace=False)
        if result.verdict is Verdict.SKIPPED:
            _skip(one_line(result))

    def _leave_out(self, mark: CaseMark, reason: str) -> None:
        self._settled.add(mark.name)
        self._item.user_properties.append(left_out(mark.name, reason))

    def _leave_off(self, mark: CaseMark, case: Case) -> None:
        self._leave_out(mark, OFF)
        if case.strict:
            raise NotWithinBudget(
                f"{mark.name}: {OFF}, which --npuperf-strict does not allow", pytrace=False
            )

    def _skip_if_off(self, mark: CaseMark) -> None:
        with suppress(ConfigError):  # a wrong budget is told when it is judged
            case = self._session.settings.case(mark.name, mark.marker)
            if case.mode == "off":
                self._leave_off(mark, case)
                _skip(f"{mark.name}: {OFF}")

    def _refuse_idle_numbers(self) -> None:
        if self._reported and not self._settled:
            pytest.fail(
                f"npuperf: no budget judges the metric {next(iter(self._reported))}; "
                "mark the test @pytest.mark.npuperf(NAME)",
                pytrace=False,
            )


def _skip(reason: str) -> NoReturn:
    # At the place of the test, as the mark skip does; no reader looks for the reason in here.
    raise pytest.skip.Exception(reason, _use_item_location=True)


# --- from the test to the controller ----------------------------------------------------------


def left_out(case: str, reason: str) -> tuple[str, str]:
    """Return the user property that says why a case was not checked."""
    return PROPERTY, json.dumps({"not_checked": [case, reason]})


def forget(item: pytest.Item) -> None:
    """Take away what an earlier try of the test has sent: a rerun replaces it."""
    item.user_properties[:] = [pair for pair in item.user_properties if pair[0] != PROPERTY]


def sent_by(properties: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return what a test has sent."""
    return tuple(str(value) for key, value in properties if key == PROPERTY)


def received(sent: tuple[str, ...]) -> Found:
    """Return the results that a test has sent, but for its name."""
    data = [json.loads(text) for text in sent]
    cases = tuple(case_from_json(each["case"]) for each in data if "case" in each)
    told = (each["not_checked"] for each in data if "not_checked" in each)
    return Found(
        sent,
        cases,
        not_checked=tuple((case, reason) for case, reason in told),
        properties=tuple(pair for case in cases for pair in flat_properties(case)),
    )
