"""Refuse a baseline of which no change can be a share, though it is there and is whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import Baseline, LaneMeasurement, Limit, Session
from pytest_npuperf.results.checks import refusal
from pytest_npuperf.results.files import shown
from pytest_npuperf.results.rounds import title_of
from pytest_npuperf.results.sound import Place
from pytest_npuperf.units import show

_ANEW = "npuperf accept --replace begins anew"


def refuse_useless(path: Path, baseline: Baseline, limits: Sequence[Limit]) -> None:
    """Raise NpuperfError where a number is no more than zero, and its change is to be a share.

    A number that a session lacks is fine: limits come and go, and what has it is compared.
    """
    for limit in limits:
        regression = limit.max_regression
        if regression is not None and not (regression.in_points or limit.dimension.is_exact):
            _refuse_zero(path, baseline, limit)


def _refuse_zero(path: Path, baseline: Baseline, limit: Limit) -> None:
    for number, session in enumerate(baseline.sessions):
        for place, lane in _lanes(number, session):
            found = lane.values.get(limit.wanted)
            if found and found.value is not None and found.value <= 0:
                value = show(found.value, limit.dimension, limit.unit)
                instead = f"give it at_most or at_least instead of max_regression, or {_ANEW}"
                sentence = f"is {value}, and no change is a share of that; {instead}"
                raise _refusal(path, place, limit, sentence)


def _lanes(number: int, session: Session) -> Iterator[tuple[Place, LaneMeasurement]]:
    """Yield each lane of a session, and the keys to it."""
    for at, measured in enumerate(session.rounds):
        for key, lane in measured.lanes.items():
            yield ["sessions", number, "rounds", at, key], lane


def _refusal(path: Path, place: Place, limit: Limit, sentence: str) -> NpuperfError:
    return refusal(shown(path), [*place, title_of(limit.wanted)], sentence)
