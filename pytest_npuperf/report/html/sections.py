"""What the page tells of one case: its charts and tables, for the lane that decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_npuperf.model import CaseResult, Judged, LaneMeasurement, Verdict
from pytest_npuperf.report import quantised
from pytest_npuperf.report.actions import next_action
from pytest_npuperf.report.html.changes import Change, causes_table, changes_of
from pytest_npuperf.report.html.charts import Chart, change_chart, steps_chart, work_chart
from pytest_npuperf.report.html.limits import kind_of
from pytest_npuperf.report.html.machine import fingerprint_table, obstacles
from pytest_npuperf.report.html.operators import Work, longest_table, types_table, work_of
from pytest_npuperf.report.html.steps import Steps, steps_of, steps_table
from pytest_npuperf.report.html.tables import Table
from pytest_npuperf.report.words import by_verdict, origin, placed, severity, verdict_word
from pytest_npuperf.text import many

_CHANGES, _MISSED, _TESTS = 3, 20, 20
"""How many of each are told one by one: ranks of one job change alike."""


@dataclass(frozen=True)
class Said:
    """A limit in a sentence, most of them not passed."""

    word: str
    kind: str
    text: str


@dataclass(frozen=True)
class Section:
    """A case with everything that is told of it; tests that found the same share it."""

    id: str
    case: CaseResult
    tests: Sequence[str]
    missed: Sequence[Said]
    """The worst of the limits that are not passed, or only by the wider limit in force."""
    others: str
    """What is to be said of the other limits."""
    next: str
    quantised: quantised.Section | None
    """What is said of it as a quantised model, where it is one."""
    halves: Sequence[Said]
    """The limits of that, whatever became of them."""
    charts: Sequence[Chart]
    tables: Sequence[Table]
    remarks: Sequence[str]
    """What could not be told, and why; and the notes of the profile."""

    @property
    def kind(self) -> str:
        """Return how its verdict looks."""
        return kind_of(self.case.verdict)

    @property
    def is_open(self) -> bool:
        """Return whether it is to be read before those that simply passed."""
        return self.case.verdict not in (Verdict.PASSED, Verdict.SKIPPED) or bool(self.missed)

    @property
    def origin(self) -> str:
        """Say where the numbers come from; empty where there are none."""
        live = f"measured in {many(len(self.case.rounds), 'round')}" if self.case.rounds else ""
        return origin(self.case) or live

    @property
    def reason(self) -> list[str]:
        """Return the lines that say why the case was not judged."""
        return self.case.reason.split("\n") if self.case.reason else []


Found = tuple[CaseResult, list[str]]
"""A case, and all tests that have found the same."""


def once(cases: Iterable[CaseResult]) -> list[Found]:
    """Return each case once: a hundred tests may look at the same recording."""
    found: dict[str, list[Found]] = {}
    for case in cases:
        known = found.setdefault(case.case, [])
        same = (tests for other, tests in known if replace(other, test=case.test) == case)
        tests = next(same, None)
        if tests is None:
            known.append((case, [case.test]))
        elif case.test not in tests:
            tests.append(case.test)
    return [each for known in found.values() for each in known]


def sections(found: Iterable[Found], most: int, config: str = "") -> list[Section]:
    """Return so many of the cases in full, the worst first."""
    ordered = sorted(found, key=lambda pair: by_verdict(pair[0]))
    return [_section(f"case-{n}", *pair, config) for n, pair in enumerate(ordered[:most], 1)]


def _section(id_: str, case: CaseResult, tests: Sequence[str], config: str) -> Section:
    ordered = sorted(case.limits, key=severity)
    missed = [each for each in ordered if each.tolerated or each.verdict is not Verdict.PASSED]
    lane = _lane(case, ordered)
    rounds = [each.lanes[lane] for each in case.rounds if lane in each.lanes]
    steps, work = steps_of(case, lane, rounds), work_of(rounds)
    changes, of = list(changes_of(case)), _measured_in(case, lane)
    pair = next(iter(quantised.sections([case])), None)
    shown, absent = changes[:_CHANGES], _absent(case, steps, work, rounds)
    return Section(
        id_,
        case,
        _first(tests),
        missed=[_missed(each) for each in missed[:_MISSED]],
        others=_others(len(missed), len(ordered) - len(missed)),
        next=next_action([case], config).removeprefix("next: "),
        quantised=pair,
        halves=[_half(each) for each in pair.halves] if pair else [],
        charts=[*map(change_chart, shown), *_charts(steps, work, of)],
        tables=list(_tables(case, steps, work, shown, of)),
        remarks=[*absent, *_more(changes), *obstacles(case), *case.notes],
    )


def _first(tests: Sequence[str]) -> list[str]:
    rest = len(tests) - _TESTS
    return [*tests[:_TESTS], *([f"and {many(rest, 'test')} more"] if rest > 0 else [])]


def _missed(judged: Judged) -> Said:
    in_doubt = judged.warned or judged.tolerated
    return Said(verdict_word(judged), kind_of(judged.verdict, in_doubt), placed(judged))


def _half(judged: Judged) -> Said:
    text = quantised.half(judged)
    return Said(verdict_word(judged), kind_of(judged.verdict, judged.warned), text)


def _others(missed: int, passed: int) -> str:
    more = f"{missed - _MISSED} more in the table of limits" if missed > _MISSED else ""
    within = f"{passed} within budget" if missed and passed else ""
    told = " and ".join(filter(None, [more, within]))
    return f"and {told}" if told else ""


def _lane(case: CaseResult, ordered: Iterable[Judged]) -> str:
    """Return the lane on which the worst limit was decided; empty where nothing was measured."""
    lanes = list(dict.fromkeys(key for each in case.rounds for key in each.lanes))
    decided = [each.lane for each in ordered if each.lane in lanes]
    return next(iter([*decided, *lanes]), "")


def _measured_in(case: CaseResult, lane: str) -> str:
    """Say in which part of the case something was measured, where it has several."""
    lanes = {key for each in case.rounds for key in each.lanes}
    place = f" on lane {lane}" if len(lanes) > 1 else ""
    mean = f", mean of {len(case.rounds)} rounds" if len(case.rounds) > 1 else ""
    return place + mean


def _charts(steps: Steps | None, work: Sequence[Work], of: str) -> Iterator[Chart]:
    if steps:
        yield steps_chart(steps)
    if work:
        yield work_chart(work, of)


def _tables(
    case: CaseResult,
    steps: Steps | None,
    work: Sequence[Work],
    changes: Iterable[Change],
    of: str,
) -> Iterator[Table]:
    yield from map(causes_table, changes)
    if work:
        yield types_table(work, of)
    if longest := longest_table(case):
        yield longest
    if steps:
        yield steps_table(steps, of)
    if fingerprint := fingerprint_table(case):
        yield fingerprint


# --- what is not told -------------------------------------------------------------------------


def _absent(
    case: CaseResult,
    steps: Steps | None,
    work: Sequence[Work],
    rounds: Sequence[LaneMeasurement],
) -> Iterator[str]:
    if not rounds:
        return
    if steps is None:
        yield "step times are not shown: no limit asks for them, or the profile lacks them"
    if not work:
        yield "op types are not shown: the profile does not tell type, core and time of every op"
    if not any(lane.longest for each in case.rounds for lane in each.lanes.values()):
        yield "single ops are not shown: the profile does not name them"


def _more(changes: Sequence[Change]) -> Iterator[str]:
    if len(changes) > _CHANGES:
        rest = Counter(change.title for change in changes[_CHANGES:])
        yield f"also changed: {', '.join(rest)}"
