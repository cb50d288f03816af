"""Say what keeps the numbers of two runs from being compared: other hardware, other settings."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_npuperf.model import Baseline
from pytest_npuperf.text import clipped, printable

COMPARED = {
    "soc": "SoC",
    "cann": "CANN",
    "driver": "driver",
    "level": "profiling level",
    "metrics": "AI Core metrics",
}
"""The keys of a fingerprint that must agree, as people call them, besides msprof's options.

The app and its hash are not among them: it is what is meant to change.
"""

OPTION = "msprof."
"""Before the name of an option that msprof was given."""

_ROOM = 40


def differences(
    now: Mapping[str, str], before: Mapping[str, str], other: str = "the baseline"
) -> tuple[str, ...]:
    """Return a short phrase for each compared key in which two fingerprints differ.

    ``before`` is the one of ``other``, in words. What only one of them knows is a difference, what
    neither knows is none. Each phrase is safe to print, and fits on a line of a terminal.
    """
    options = sorted(key for key in {*now, *before} if key.startswith(OPTION))
    told = (_difference(key, now.get(key), before.get(key), other) for key in (*COMPARED, *options))
    return tuple(phrase for phrase in told if phrase)


def differences_from_any(now: Mapping[str, str], baseline: Baseline) -> tuple[str, ...]:
    """Return how a run differs from the first session of a baseline that it differs from.

    All sessions are of one kind, unless somebody has merged two files.
    """
    each = (differences(now, session.fingerprint) for session in baseline.sessions)
    return next(filter(None, each), ())


def _difference(key: str, now: str | None, before: str | None, other: str) -> str:
    now, before = now or "", before or ""
    if now == before:
        return ""
    # Without an option msprof does what is usual for it, which is not unknown.
    nothing = "not given" if key.startswith(OPTION) else "unknown"
    there = f"{other} has {_shown(before)}" if before else f"{nothing} in {other}"
    return f"{_title(key)} {_shown(now) or nothing}, {there}"


def _title(key: str) -> str:
    return COMPARED.get(key) or f"msprof --{_shown(key.removeprefix(OPTION))}"


def _shown(text: str) -> str:
    return clipped(printable(text), _ROOM)
