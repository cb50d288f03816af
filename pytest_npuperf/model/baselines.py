"""What was accepted before: the rounds of a few sessions, and what they were measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_npuperf.model.measured import Measurement


@dataclass(frozen=True)
class Session:
    """The accepted rounds of one pytest run."""

    rounds: tuple[Measurement, ...]
    date: str = ""
    """When the run started, in UTC: ``2026-01-31T12:00:00Z``."""
    commit: str = ""
    """What was checked out then; empty where that is unknown."""
    reason: str = ""
    """Why it was accepted, in the words of who did."""
    fingerprint: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Baseline:
    """What a case is compared with on one SoC; the newest session is the last."""

    case: str
    soc: str
    sessions: tuple[Session, ...]
