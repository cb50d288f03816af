"""What a limit asks for, and the bounds that it sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from pytest_npuperf.units import Dimension, show_changes, show_points


@dataclass(frozen=True)
class Selector:
    """Which rows a rule means; each field holds globs (``*`` and ``?``), empty means any."""

    name: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    task_type: tuple[str, ...] = ()
    not_name: tuple[str, ...] = ()
    not_type: tuple[str, ...] = ()
    api_level: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """Return the fields that choose something, as plain data."""
        return {key: list(globs) for key, globs in vars(self).items() if globs}


CUSTOM = "custom."
"""Before the name of a number of the budget's own."""


@dataclass(frozen=True)
class Wanted:
    """One number that a limit asks for."""

    metric: str
    """A name of the catalogue, ``ops``, ``apis`` or ``custom.NAME``."""
    statistic: str | None = None
    """``p95``, ``total_per_step`` ...; the key, such as a layer, of a metric that has one for
    each; None for a scalar metric."""
    select: Selector = Selector()
    column: str | None = None
    """The PMU column of an ``ops`` rule's ``pmu`` limit, unit suffix left out."""

    @property
    def own_name(self) -> str | None:
        """Return the name of a number of the budget's own; None where it is another."""
        is_own = self.metric.startswith(CUSTOM)
        return self.metric.removeprefix(CUSTOM) if is_own else None

    def title(self) -> str:
        """Return what a person calls it: ``step_time p95``, ``ops type=Conv2D max``."""
        chosen = [f"{key}={','.join(globs)}" for key, globs in self.select.as_dict().items()]
        parts = [self.metric, *chosen, self.statistic, self.column]
        return " ".join(part for part in parts if part)


OnFail = Literal["fail", "warn"]
BoundKind = Literal["at_most", "at_least", "equal"]


@dataclass(frozen=True)
class Bound:
    """One side of a limit, in the unit of its dimension."""

    kind: BoundKind
    value: Fraction

    def excess(self, measured: Fraction) -> Fraction:
        """Return how far a value is beyond the bound; zero, at the bound, is within it."""
        if self.kind == "at_least":
            return self.value - measured
        if self.kind == "at_most":
            return measured - self.value
        return abs(measured - self.value)


PERCENT = "%"
"""The unit of a share that the test counts from 0 to 100, and not from 0 to 1."""


@dataclass(frozen=True)
class Regression:
    """How much worse than the baseline a number may become."""

    value: Fraction
    in_points: bool = False
    """Whether it is a difference on the number's own scale, and not relative to the baseline."""

    def on_scale_of(self, unit: str) -> Regression:
        """Return the same for a number with a unit: a point is 0.01, but where it is ``%``, 1."""
        is_percent = self.in_points and unit == PERCENT
        return Regression(self.value * 100, self.in_points) if is_percent else self


@dataclass(frozen=True)
class InForce:
    """The limit on a change that holds instead of the one that is written, which is narrower."""

    value: Fraction
    """As that of the ``Regression``."""
    why: str
    """``with 1 session of 5 needed``."""
    decides: bool
    """Whether the change is beyond what is written, and not beyond this."""


@dataclass(frozen=True)
class Limit:
    """One bound on one number, with the place in the settings that says it."""

    wanted: Wanted
    dimension: Dimension
    at_most: Fraction | None = None
    at_least: Fraction | None = None
    equal: Fraction | None = None
    max_regression: Regression | None = None
    on_fail: OnFail = "fail"
    why: str = ""
    where: str = ""
    """``pyproject.toml:12``, ``tests/test_speed.py::test_it (marker)`` ..."""
    better: Literal["lower", "higher"] = "lower"
    unit: str = ""
    """What the test counts a number of its own in; the other dimensions know theirs."""

    @cached_property  # of each limit it is asked for many times
    def bounds(self) -> tuple[Bound, ...]:
        """Return the absolute bounds that are set."""
        named: tuple[tuple[BoundKind, Fraction | None], ...] = (
            ("at_most", self.at_most),
            ("at_least", self.at_least),
            ("equal", self.equal),
        )
        return tuple(Bound(kind, value) for kind, value in named if value is not None)

    def nearest(self, measured: Fraction) -> Bound | None:
        """Return the bound that a value is furthest beyond or, within all, closest to."""
        bounds = self.bounds
        if len(bounds) < 2:  # which is asked for many times, and nearly always so
            return bounds[0] if bounds else None
        return max(bounds, key=lambda bound: bound.excess(measured))

    @property
    def allowed(self) -> Fraction | None:
        """Return the change that ``max_regression`` allows: below zero where more is better."""
        allowed = self.max_regression
        return None if allowed is None else self.for_the_worse(allowed.value)

    def for_the_worse(self, change: Fraction) -> Fraction:
        """Return a change with the sign that it has where it is one for the worse."""
        return change if self.better == "lower" else -change

    def show_by(self, change: Fraction | None) -> str:
        """Return a change as this limit counts it: ``+8.6 %``, ``-2 points``; None is from zero."""
        return self.show_apart((change,))[0]

    def show_apart(self, changes: Sequence[Fraction | None]) -> tuple[str, ...]:
        """Return changes so, with as many digits as tell unequal ones apart."""
        known = [change for change in changes if change is not None]
        if self.max_regression is None or not self.max_regression.in_points:
            shown = iter(show_changes(known))
        else:
            point = 1 if self.unit == PERCENT else 100
            shown = iter(show_points([change * point for change in known]))
        return tuple("up" if change is None else next(shown) for change in changes)
