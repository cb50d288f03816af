"""``npuperf accept``: what a run measured becomes the baseline of a case, or a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.commands.chosen import chosen_case
from pytest_npuperf.commands.usable import comparable_limits, whole_rounds
from pytest_npuperf.config import Options, Settings, load
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import differences_from_any
from pytest_npuperf.model import (
    Baseline,
    CaseResult,
    Limit,
    Measurement,
    Session,
    Wanted,
)
from pytest_npuperf.percentiles import median
from pytest_npuperf.report import say_soc
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.text import many, named, printable, wrapped
from pytest_npuperf.units import show, show_apart, show_change

_HEADS = (
    Column("number", least=20),
    Column("lane", drop=1),
    Column("before", right=True),
    Column("now", right=True),
    Column("change", right=True),
)


@dataclass(frozen=True)
class Wish:
    """What is to be accepted."""

    case: str
    reason: str
    replace: bool = False
    """Instead of all that was accepted before."""
    result: Path | None = None
    """The file that holds it; None: that of the last run."""
    config: Path | None = None
    """The file of the settings, where it is not ``pyproject.toml``."""


def accept(wish: Wish, root: Path, width: int) -> str:
    """Add a session to the baseline of a case, and return what has changed, for people.

    ``root`` is the folder of the project. Raises NpuperfError, and then nothing has changed.
    """
    if not wish.reason.strip():
        raise NpuperfError("--reason is blank; say why these numbers are right")
    settings = _settings(wish, root)
    path = wish.result or results.last_result(settings.output)
    document = results.read(path)
    case = results.case_from_json(chosen_case(path, document, wish.case))
    _refuse_against(case, settings)
    limits = comparable_limits(case)
    session = Session(
        rounds=whole_rounds(case.rounds),
        date=document["started"],
        commit=document["commit"],
        reason=wish.reason.strip(),
        fingerprint=case.fingerprint,
    )
    soc = _soc(case, path)
    place = results.baseline_path(settings.baselines, case.case, soc)

    def admit(before: Baseline) -> None:
        _refuse_other(session, before, place)
        if not wish.replace:
            results.refuse_useless(place, before, limits)
            _refuse_fewer_lanes(session, before, place)
            _refuse_known(session, before, limits, place)

    before, now = results.add_session(place, case.case, soc, session, wish.replace, admit)
    table = lay_out(_HEADS, list(_rows(limits, before, session)), width)
    said = (
        *_taken(_shown(path, root), session, width),
        *table,
        _kept(_shown(place, root), before, now, wish),
        *_mixed(case, before, wish, width),
    )
    return "".join(f"{line}\n" for line in said)


def _shown(path: Path, root: Path) -> str:
    return printable(str(path.relative_to(root) if path.is_relative_to(root) else path))


# --- what is refused --------------------------------------------------------------------------


def _settings(wish: Wish, root: Path) -> Settings:
    settings = load(root, Options(config=wish.config))
    if settings is None:
        name = wish.config or "pyproject.toml"
        raise NpuperfError(
            f"{name}: has no table [tool.npuperf]; go to the root directory of the project, "
            "or name the file with --config"
        )
    return settings


def _refuse_against(case: CaseResult, settings: Settings) -> None:
    in_budget = case.case in settings.budgets and settings.case(case.case).against
    if case.against or in_budget:
        raise NpuperfError(
            f"{named(case.case)}: is compared against another side in each session, "
            "so it has no use for a baseline"
        )


def _soc(case: CaseResult, path: Path) -> str:
    soc = case.fingerprint.get("soc", "").strip()
    if not soc:
        raise NpuperfError(
            f"{path}: {named(case.case)} does not say its SoC, and baselines are kept by SoC; "
            f"{say_soc(case.mode, case.profiles)}, and run pytest again"
        )
    return soc


def _refuse_other(session: Session, before: Baseline, place: Path) -> None:
    found = differences_from_any(session.fingerprint, before)
    if found:
        raise NpuperfError(
            f"{place}: {'; '.join(found)}; one baseline is of one kind of run: "
            "delete the file to begin anew"
        )


def _refuse_fewer_lanes(session: Session, before: Baseline, place: Path) -> None:
    newest = max(before.sessions, key=lambda each: each.date)
    known, now = ([*each.rounds[0].lanes] for each in (newest, session))
    if set(known) - set(now):
        raise NpuperfError(
            f"{place}: has lanes {', '.join(known)}, and this run has {', '.join(now)}; "
            "where that is to stay, add --replace"
        )


def _refuse_known(session: Session, before: Baseline, limits: Sequence[Limit], place: Path) -> None:
    """Refuse what was measured once only: it would seem that sessions do not vary."""
    for known in before.sessions:
        if _numbers(known.rounds, limits) == _numbers(session.rounds, limits):
            raise NpuperfError(
                f"{place}: has these rounds already, accepted as {known.reason!r}; "
                "another session must be measured anew, a recording is always the same one"
            )


def _numbers(rounds: Sequence[Measurement], limits: Sequence[Limit]) -> list[object]:
    return [
        (key, [lane.values.get(limit.wanted) for limit in limits], lane.ops)
        for measured in rounds
        for key, lane in measured.lanes.items()
    ]


# --- what is told -----------------------------------------------------------------------------


def _taken(path: str, session: Session, width: int) -> list[str]:
    """Say which run the numbers are of: the last one that wrote any may not be the one meant."""
    when = session.date.replace("T", " ").replace("Z", " UTC")
    return wrapped(f"now: {path}, run of {when}", width)


def _mixed(case: CaseResult, before: Baseline | None, wish: Wish, width: int) -> list[str]:
    """Say that sessions from before and after a change stand in one baseline."""
    titles = [each.limit.wanted.title() for each in case.limits if each.has_changed]
    if before is None or wish.replace or not titles:
        return []
    text = (
        f"note: {', '.join(titles)} changed, and the sessions from before it are still in the "
        "baseline; where the change is to stay, accept with --replace"
    )
    return wrapped(printable(text), width)


def _rows(
    limits: Sequence[Limit], before: Baseline | None, session: Session
) -> Iterator[tuple[str, ...]]:
    sessions = before.sessions if before else ()
    old = [measured for known in sessions for measured in known.rounds]
    for limit in limits:
        was, now = _medians(old, limit.wanted), _medians(session.rounds, limit.wanted)
        for lane, value in now.items():
            place = lane if len(now) > 1 else ""
            cells = _cells(limit, was.get(lane), value)
            yield (printable(limit.wanted.title()), place, *cells)


def _medians(rounds: Sequence[Measurement], wanted: Wanted) -> Mapping[str, Fraction]:
    by_lane: dict[str, list[Fraction]] = {}
    for measured in rounds:
        for key, lane in measured.lanes.items():
            found = lane.values.get(wanted)
            if found and found.value is not None:
                by_lane.setdefault(key, []).append(found.value)
    return {lane: median(values) for lane, values in by_lane.items()}


def _cells(limit: Limit, before: Fraction | None, now: Fraction) -> tuple[str, str, str]:
    if before is None:
        return "-", show(now, limit.dimension, limit.unit), "new"
    was, found = show_apart((before, now), limit.dimension, limit.unit)
    return was, found, show_change(now, before)


def _kept(place: str, before: Baseline | None, now: Baseline, wish: Wish) -> str:
    replaced = f", {len(before.sessions)} replaced" if before and wish.replace else ""
    return f"{place}: {many(len(now.sessions), 'session')}{replaced}"
