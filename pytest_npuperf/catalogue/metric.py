"""What a metric is, whatever it is read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pytest_npuperf.units import Dimension

Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Metric:
    """A number that a budget can limit, or several: one for each statistic, or for each key."""

    name: str
    dimension: Dimension
    definition: str
    needs: tuple[str, ...]
    """The tables that can give it; any one is enough."""
    better: Better = "lower"
    distribution: bool = False
    """Whether there are many values, and a number for each of their statistics."""
    keyed_by: str = ""
    """What the profile names, such as ``layer``, and has a number for each; empty: one number."""
    per_step: bool = False
    """Whether ``NAME_per_step`` is a metric too."""

    @property
    def takes_table(self) -> bool:
        """Return whether a budget gives a table of limits, one for each of several numbers."""
        return self.distribution or bool(self.keyed_by)
