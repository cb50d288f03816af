"""What is asked for: one gated measurement with every setting, and what was collected for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

from pytest_npuperf.model.artefacts import NO_ARTEFACTS, Artefacts
from pytest_npuperf.model.limits import Limit

Mode = Literal["auto", "run", "replay", "off"]


@dataclass(frozen=True)
class StepOptions:
    """How the steps of a profile are counted and timed."""

    warmup_steps: int | None = None
    """Steps dropped at the start; None: 1 where there is more than one."""
    model: int | None = None
    """The model id whose steps count; None: the one with most iterations."""
    steps: int | None = None
    """How many steps the app ran, used where the profile does not say."""


@dataclass(frozen=True)
class Msprof:
    """How the profiler is started."""

    command: str = "msprof"
    options: Mapping[str, str] = field(default_factory=dict)
    timeout_s: Fraction = Fraction(600)


MANIFEST = "npuperf-recording.json"
"""The file in the folder of a recording that says when it was made, and on what."""

ENOUGH_ROUNDS = 4
"""With fewer on one side, noise cannot be told from change."""

LOOKS = (10, 20)
"""After how many rounds a change is looked at again, should it not be clear before."""


@dataclass(frozen=True)
class Noise:
    """What is taken for noise when a number is compared with its baseline."""

    min_effect: Fraction = Fraction(0)
    """ns; a smaller change of a time never fails."""
    between_sessions: Fraction = Fraction(0)
    """Relative; assumed until a baseline has sessions enough to show its own."""


@dataclass(frozen=True)
class Case:
    """One gated measurement, with every setting resolved."""

    name: str
    app: tuple[str, ...] = ()
    """The program and its arguments; empty where there is only a recording."""
    collector: Literal["msprof", "app"] = "msprof"
    cwd: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    recording: Path | None = None
    rounds: int = 1
    steps: StepOptions = StepOptions()
    soc: str | None = None
    """A glob over the hardware that the numbers hold for."""
    msprof: Msprof = Msprof()
    limits: tuple[Limit, ...] = ()
    mode: Mode = "auto"
    when_unavailable: Literal["skip", "fail"] = "skip"
    inconclusive: Literal["warn", "fail"] = "warn"
    strict: bool = False
    devices: tuple[int, ...] | None = None
    """The NPUs that may be used; None: those that are found."""
    record: bool = False
    """Save what was collected at ``recording``."""
    noise: Noise = Noise()
    baselines: Path = Path("baselines")
    """The folder of what was accepted."""
    against: Case | None = None
    """What to compare with in the same session, instead of a baseline."""
    batch_size: int | None = None
    """Samples in a step; None where nobody says it."""
    artefacts: Artefacts = NO_ARTEFACTS
    """The files about a quantised model that are judged, too."""

    @property
    def compares(self) -> bool:
        """Return whether a limit says how much worse than before a number may become."""
        return any(limit.max_regression for limit in self.limits)

    @property
    def looks(self) -> tuple[int, ...]:
        """Return after how many rounds a run is judged; the later ones only while undecided."""
        if not self.compares or self.rounds < ENOUGH_ROUNDS:
            return (self.rounds,)
        return (self.rounds, *(look for look in LOOKS if look > self.rounds))


@dataclass(frozen=True)
class Collected:
    """Where the profiles of a case are: one folder for each round."""

    rounds: tuple[Path, ...]
    mode: Literal["run", "replay", ""]
    """Empty where the case is about files only, and there is no profile."""
    recorded: str = ""
    """The date of a recording, ``2026-01-31``; empty for a live run."""
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    """What is known of the hardware and software: ``soc``, ``cann`` ..."""
    against: Collected | None = None
    """The other side, where the case is compared within one session."""
    npu: int | None = None
    """The NPU that was leased for a run; None where none was."""


@dataclass(frozen=True)
class Unavailable:
    """Neither an NPU for the app nor a recording; ``reason`` says so in one line."""

    reason: str
