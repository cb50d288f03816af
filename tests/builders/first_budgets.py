"""Read a budget that ``npuperf init`` printed back, judge a profile by it, and tighten it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.collect import replay
from pytest_npuperf.config import Options, load
from pytest_npuperf.judge import judge
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import Case, Judged, Limit, StepOptions
from pytest_npuperf.profile import open_profile
from pytest_npuperf.units import Dimension

SMALLEST = {
    Dimension.TIME: Fraction(1),
    Dimension.COUNT: Fraction(1),
    Dimension.SHARE: Fraction(1, 10**6),
}
"""1 ns, one, and 0.0001 %."""


def case_of(toml: str, folder: Path) -> Case:
    """Return the case of the only budget, read as pytest would from ``folder``."""
    (folder / "pyproject.toml").write_text(toml, encoding="utf-8")
    settings = load(folder, Options())
    assert settings is not None
    (name,) = settings.budgets
    return settings.case(name)


def judged(profile: Path, limits: Sequence[Limit]) -> tuple[Judged, ...]:
    """Judge a profile by some limits."""
    wanted = [limit.wanted for limit in limits]
    measurers = [Measurer(open_profile(path), StepOptions()) for path in replay(profile).rounds]
    rounds = [measurer.measure(wanted) for measurer in measurers]
    return judge(Case("first", limits=tuple(limits)), rounds, {})


def tightened(limits: Sequence[Limit]) -> list[Limit]:
    """Return the limits that can be lower, each by the smallest step that TOML can say."""
    return [
        replace(limit, at_most=limit.at_most - SMALLEST[limit.dimension])
        for limit in limits
        if limit.at_most
    ]
