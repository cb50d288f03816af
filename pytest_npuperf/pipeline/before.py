"""Find what a case is compared with: the other side of its session, or its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.judge import Before, differences, differences_from_any
from pytest_npuperf.model import Baseline, Case, CaseResult, Noise, OtherSide
from pytest_npuperf.report import say_soc


def before(case: Case, measured: CaseResult) -> Before:
    """Return what the limits of a case with ``max_regression`` are compared with.

    Raises NpuperfError where its baseline cannot be read.
    """
    if not case.compares:
        return Before()
    if case.against is not None or measured.against is not None:
        return _other_side(case, measured.fingerprint, measured.against)
    if not measured.profiles:
        raise NpuperfError(
            "max_regression has nothing to compare with, as files have no baseline; "
            "write against = { case = NAME }"
        )
    found = _baseline(case, measured)
    return replace(found, noise=case.noise)


def _other_side(case: Case, fingerprint: Mapping[str, str], other: OtherSide | None) -> Before:
    if other is None:
        assert case.against is not None
        return Before(obstacle=_not_measured(case.against))
    # Both were measured in turn: what changes from session to session is on both sides.
    noise = Noise(min_effect=case.noise.min_effect)
    obstacle = "; ".join(differences(fingerprint, other.fingerprint, other.title))
    return Before((other.rounds,), other.title, obstacle, noise, is_stored=False)


def _not_measured(against: Case) -> str:
    if against.recording is None:
        return f"{against.name} has no recording; both are compared where there is an NPU"
    return f"{against.name} was not measured beside it, as the test opened the profile itself"


def _baseline(case: Case, measured: CaseResult) -> Before:
    soc = measured.fingerprint.get("soc")
    if not soc:
        how = say_soc(measured.mode, measured.profiles)
        lacks = "the profile does not say its SoC, and baselines are kept by SoC"
        return Before(obstacle=f"{lacks}; {how}")
    path = results.baseline_path(case.baselines, case.name, soc)
    baseline = results.read_baseline(path, case.limits)
    if baseline is None:
        return Before(obstacle=_of_others(path, soc))
    # Git puts the sessions of two branches in any order; the newest one is to be the last.
    ordered = sorted(baseline.sessions, key=lambda session: session.date)
    # A merge may leave a session twice, which counts once.
    once = [each for at, each in enumerate(ordered) if each not in ordered[:at]]
    sessions = tuple(session.rounds for session in once)
    place = path.relative_to(case.baselines.parent)
    obstacle = _of_another_kind(baseline, measured.fingerprint, place)
    many = f" of {len(sessions)} sessions" if len(sessions) > 1 else ""
    return Before(sessions, f"baseline{many}", obstacle, file=str(place))


def _of_others(path: Path, soc: str) -> str:
    """Say that a baseline is there for other hardware only; empty where there is none."""
    others = ", ".join(sorted(other.stem for other in path.parent.glob("*.json")))
    if not others:
        return ""
    return f"measured on {soc}, and its baseline is of {others}; npuperf accept adds one of {soc}"


def _of_another_kind(baseline: Baseline, now: Mapping[str, str], path: Path) -> str:
    """Say how a session was measured otherwise; empty where all of them can be compared."""
    found = differences_from_any(now, baseline)
    again = f"where that is to stay, delete {path} and accept anew"
    return "; ".join([*found, again]) if found else ""
