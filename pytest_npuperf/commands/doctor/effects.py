"""What can happen to an app, done to the tables of its profile: slower, more, on another core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd
from pandas.arrays import IntegerArray

from pytest_npuperf.catalogue import OP_TABLES
from pytest_npuperf.commands.doctor.picks import KERNELS, Pick, Picks, picked
from pytest_npuperf.measure.rows import Mask

Sign = Literal[1, -1]
"""More or less."""

AI_CPU = "AI_CPU"
_QUANTITIES = ("_us", "_kb", "_mb")
"""How columns of durations and sizes end."""
_TIMES_TEN, _A_TENTH = 9000, 900
"""The largest changes, in tenths of a percent."""
_MANY = 10**6
_FAR_NS = 2**61
"""Farther than this from the first task is another clock, which is left where it is."""


@dataclass(frozen=True)
class Given:
    """The rows of a table as they are."""

    table: str
    rows: pd.DataFrame
    first_ns: int | None
    """When the first op of the profile starts; None where it does not say."""


class Effect(Protocol):
    """A change of a profile that comes in whole amounts, from 1 on."""

    @property
    def most(self) -> int:
        """Return the largest amount that is tried."""

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that it looks at."""

    def words(self, amount: int) -> str:
        """Return an amount of it for people: ``+0.6 %``, ``1 more``."""

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return the rows of a table as they would be."""


# --- slower, or faster ------------------------------------------------------------------------


def _factor(sign: Sign, amount: int) -> float:
    return 1 + sign * amount / 1000


def _percent(sign: Sign, amount: int) -> str:
    return f"{'+' if sign > 0 else '-'}{amount / 10:g} %"


def _spread(given: Given, factor: float) -> pd.DataFrame:
    """Return rows whose times are so much farther from the first one."""
    rows, first_ns = given.rows, given.first_ns
    if first_ns is None:
        return rows
    times = [name for name in map(str, rows) if name.endswith("_ns")]
    return rows.assign(**{name: _later(rows[name], factor, first_ns) for name in times})


def _later(times: pd.Series[Any], factor: float, first_ns: int) -> IntegerArray:
    distance = times.to_numpy(dtype=np.int64, na_value=first_ns) - first_ns
    # The distance is small, so that a double holds it to the nanosecond; the time itself is not.
    scaled = np.clip(np.rint(distance * factor), -_FAR_NS, _FAR_NS).astype(np.int64)
    return IntegerArray(first_ns + scaled, times.isna().to_numpy())


@dataclass(frozen=True)
class Everything:
    """All of the run takes so much longer, pauses too, and so much more memory."""

    sign: Sign
    columns: frozenset[str] = frozenset()

    @property
    def most(self) -> int:
        """Return ten times as much, or a tenth."""
        return _TIMES_TEN if self.sign > 0 else _A_TENTH

    def words(self, amount: int) -> str:
        """Return ``+0.6 %``."""
        return _percent(self.sign, amount)

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return all quantities of a table scaled."""
        factor = _factor(self.sign, amount)
        numbers = given.rows.select_dtypes("float64")
        scaled = {
            name: given.rows[name] * factor
            for name in map(str, numbers)
            if name.endswith(_QUANTITIES)
        }
        return _spread(replace(given, rows=given.rows.assign(**scaled)), factor)


@dataclass(frozen=True)
class Pauses:
    """The ops start so much farther apart, as if the host gave them out more slowly."""

    most: int = _TIMES_TEN
    columns: frozenset[str] = frozenset()

    def words(self, amount: int) -> str:
        """Return ``starts +5 %``."""
        return f"starts {_percent(1, amount)}"

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return a table with its times spread."""
        return _spread(given, _factor(1, amount))


@dataclass(frozen=True)
class Ops:
    """The ops that are picked take so much longer, and the others do not."""

    picks: Picks
    sign: Sign

    @property
    def most(self) -> int:
        """Return ten times as much, or a tenth."""
        return _TIMES_TEN if self.sign > 0 else _A_TENTH

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that tell which ops are picked."""
        return frozenset(pick.column for pick in self.picks)

    def words(self, amount: int) -> str:
        """Return ``ops +12.3 %``."""
        return f"ops {_percent(self.sign, amount)}"

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return an op table with the durations of some rows scaled."""
        rows = given.rows
        if given.table not in OP_TABLES:
            return rows
        factors = np.where(picked(rows, self.picks), _factor(self.sign, amount), 1.0)
        names = [name for name in ("task_duration_us", "total_time_us") if name in rows]
        return rows.assign(**{name: rows[name] * factors for name in names})


# --- more, or fewer ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Calls:
    """So many calls more, or fewer, of what is picked."""

    tables: tuple[str, ...]
    picks: Picks
    sign: Sign
    there: int
    """How many there are at least, picked or not."""

    @property
    def most(self) -> int:
        """Return what makes ten times as many, within what fits into memory, or none."""
        return min(9 * self.there, _MANY) if self.sign > 0 else self.there

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that tell what is picked."""
        return frozenset(pick.column for pick in self.picks)

    def words(self, amount: int) -> str:
        """Return ``1 more``."""
        return f"{amount} {'more' if self.sign > 0 else 'fewer'}"

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return a table with as many calls more or fewer."""
        rows = given.rows
        if given.table not in self.tables or not len(rows):
            return rows
        if self.sign > 0:
            return self._with_more(rows, amount)
        mask = picked(rows, self.picks)
        if "count" not in rows:
            return rows[~(mask & (mask.cumsum() <= amount))]
        # Each row stands for many calls.
        before = rows["count"].where(mask, 0).cumsum().shift(fill_value=0)
        gone = (amount - before).clip(lower=0, upper=rows["count"]).where(mask, 0)
        return rows.assign(count=rows["count"] - gone)

    def _with_more(self, rows: pd.DataFrame, amount: int) -> pd.DataFrame:
        mask = picked(rows, self.picks)
        if not mask.any():
            rows, mask = self._of_another(rows)
        copied = np.full(1 if "count" in rows else amount, int(mask.argmax()))
        more = rows.iloc[copied]
        if "count" in rows:
            more = more.assign(count=amount)
        return pd.concat([rows, more], ignore_index=True)

    def _of_another(self, rows: pd.DataFrame) -> tuple[pd.DataFrame, Mask]:
        """Make one kernel what is picked, since nothing is."""
        likely = picked(rows, (*KERNELS, *(pick for pick in self.picks if pick.other)))
        first = np.arange(len(rows)) == int(likely.argmax())
        for pick in self.picks:
            if not pick.other and pick.column in rows:
                rows = _called(rows, first, pick.column, pick.text())
        return rows, first


def _called(rows: pd.DataFrame, mask: Mask, column: str, text: str) -> pd.DataFrame:
    """Return rows of which some have another text in a column of categories."""
    texts = rows[column]
    if text not in texts.cat.categories:
        texts = texts.cat.add_categories([text])
    return rows.assign(**{column: texts.mask(mask, text)})


@dataclass(frozen=True)
class OnAiCpu:
    """So many ops run on the AI CPU that did not; those that are picked come first."""

    picks: Picks
    most: int = _MANY

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that tell what is picked."""
        return frozenset(pick.column for pick in self.picks)

    def words(self, amount: int) -> str:
        """Return ``1 on AI_CPU``."""
        return f"{'all' if amount == self.most else amount} on {AI_CPU}"

    def change(self, given: Given, amount: int) -> pd.DataFrame:
        """Return an op table with another core in some rows."""
        rows = given.rows
        if given.table not in OP_TABLES:
            return rows
        elsewhere = Pick("task_type", (AI_CPU,), other=True)
        mask = picked(rows, (*KERNELS, *self.picks, elsewhere))
        return _called(rows, mask & (mask.cumsum() <= amount), "task_type", AI_CPU)
