"""What tables of totals can answer: op_statistic without an op_summary, and host APIs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, LEFT_OUT
from pytest_npuperf.measure.operators import Number, timed
from pytest_npuperf.measure.rows import Mask, NotMeasuredError, filled, matching
from pytest_npuperf.measure.rules import chosen, nearest, nothing_chosen, refuse_misspelled
from pytest_npuperf.model import OpRow, Selector, Wanted
from pytest_npuperf.profile.cells import us_to_ns


class Totals:
    """Rows that each stand for many calls: count, total, shortest and longest."""

    def __init__(self, frame: pd.DataFrame, place: str, columns: dict[str, str]) -> None:
        self.place = place
        self._columns = columns
        """The DataFrame column behind each key of a selector."""
        self.frame = frame

    def whole(self, name: str, among: Mask) -> pd.Series[Any]:
        """Return some rows of a column that has a value in each. Raises NotMeasuredError."""
        return filled(self.frame[among], self.place, name)

    @property
    def all(self) -> Mask:
        """Every row."""
        return np.ones(len(self.frame), dtype=np.bool_)

    def of_task_type(self, names: Iterable[str]) -> Mask:
        """Return which rows are of these cores. Raises NotMeasuredError."""
        return self.whole("task_type", self.all).isin(list(names)).to_numpy()

    def selected(self, select: Selector) -> Mask:
        """Return the rows that a rule means. Raises NotMeasuredError where a row does not say."""
        mask = self.all
        for key, globs in select.as_dict().items():
            column = self._columns.get(key.removeprefix("not_"))
            if column is None:
                raise NotMeasuredError(f"{self.place} does not tell {key}; op_summary would")
            match = matching(self.whole(column, self.all), tuple(globs))
            mask = mask & (~match if key.startswith("not_") else match)
        return mask

    def total(self, rows: Mask) -> Number:
        """Return the time of all calls of some rows, ns. Raises NotMeasuredError."""
        total_ns = us_to_ns(self.whole("total_time_us", rows).to_numpy()).sum()
        return Number(Fraction(int(total_ns)), int(self.count(rows).value))

    def count(self, rows: Mask) -> Number:
        """Return the number of calls of some rows. Raises NotMeasuredError."""
        count = int(self.whole("count", rows).sum())
        return Number(Fraction(count), count)

    def statistic(self, name: str, rows: Mask) -> Number:
        """Return total, mean, min or max over the calls of some rows. Raises NotMeasuredError."""
        if name == "total":
            return self.total(rows)
        if name == "mean":
            return self._mean(rows)
        if name not in ("min", "max"):
            raise NotMeasuredError(f"{self.place} has totals only; {name} needs op_summary")
        times = us_to_ns(self.whole(f"{name}_time_us", rows).to_numpy())
        value = times.min() if name == "min" else times.max()
        return Number(Fraction(int(value)), int(self.count(rows).value))

    def _mean(self, rows: Mask) -> Number:
        total = self.total(rows)
        if not total.samples:
            raise NotMeasuredError(f"{self.place} has no call of which to take the mean")
        return Number(total.value / total.samples, total.samples)

    def rule_number(self, wanted: Wanted) -> Number:
        """Return the statistic of a rule over its rows. Raises NotMeasuredError."""
        rows = self.selected(wanted.select)
        name = wanted.statistic or ""
        if name == "count":
            if not rows.any():
                self._refuse_misspelled(wanted.select)
            return self.count(rows)
        if not rows.any():
            raise nothing_chosen(self.place, wanted.select, self._near(wanted))
        if name == "share":
            return Number(self.total(rows).value / self._kernel_time(), len(self.frame))
        return self.statistic(name, rows)

    def _near(self, wanted: Wanted) -> list[str]:
        return [
            text
            for key, globs in chosen(wanted.select).items()
            for text in nearest(globs, list(self.frame[self._columns[key]].dropna().unique()))
        ]

    def _refuse_misspelled(self, select: Selector) -> None:
        for key, globs in chosen(select).items():
            refuse_misspelled(self.place, key, globs, self._texts(key))

    def _texts(self, key: str) -> list[str]:
        return list(self.frame[self._columns[key]].cat.categories)

    def _kernel_time(self) -> Fraction:
        whole = self.total(self.kernels).value
        if not whole:
            raise NotMeasuredError(f"{self.place} has a kernel_time of 0 ns")
        return whole

    @property
    def kernels(self) -> Mask:
        """Which rows are not communication. Raises NotMeasuredError."""
        return ~self.of_task_type(COMMUNICATION)

    def metric(self, name: str) -> Number:
        """Return a scalar metric that totals can give. Raises NotMeasuredError."""
        if name == "kernel_time":
            return self._time(self.kernels)
        if name == "kernel_count":
            return self.count(self.kernels)
        if name == "ai_core_time":
            return self._time(self.of_task_type(AI_CORES))
        if name == "ai_cpu_time":
            return self._time(self.of_task_type(("AI_CPU",)))
        raise NotMeasuredError(f"{name} needs op_summary, and the profile has only {self.place}")

    def _time(self, rows: Mask) -> Number:
        whole = self.total(rows)
        return timed(int(whole.value), whole.samples, self.place)

    def op_rows(self) -> tuple[OpRow, ...]:
        """Return count and total by op type and core, longest first; none without a column.

        A row without a type stays: all of them sum to the kernels' time.
        """
        numbers = ["count", "total_time_us"]
        if not {"op_type", "task_type", *numbers} <= set(self.frame):
            return ()
        if self.frame[numbers].isna().any(axis=None):
            return ()
        ordered = self.frame.sort_values("total_time_us", ascending=False, kind="stable")
        total_ns = us_to_ns(ordered["total_time_us"].to_numpy(dtype=np.float64))
        names = (map(_text, ordered[name]) for name in ("op_type", "task_type"))
        cells = (*names, ordered["count"], total_ns)
        return tuple(
            OpRow(type_, core, int(count), int(total))
            for type_, core, count, total in zip(*cells, strict=True)
        )


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else ""


def op_totals(frame: pd.DataFrame) -> Totals:
    """Return an op_statistic as totals; rows that are no work are left out, as of op_summary."""
    if "task_type" in frame:
        frame = frame.loc[~frame["task_type"].isin(LEFT_OUT).to_numpy()]
    return Totals(frame, "op_statistic", {"type": "op_type", "task_type": "task_type"})


def api_totals(frame: pd.DataFrame, place: str) -> Totals:
    """Return an api_statistic or acl_statistic as totals."""
    return Totals(frame, place, {"name": "name", "api_level": "api_level"})
