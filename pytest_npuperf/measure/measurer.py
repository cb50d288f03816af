"""Measure a profile: each wanted number on each lane, worked out once however many ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import pandas as pd

from pytest_npuperf.catalogue import METRICS, OP_STATISTICS, PER_STEP, STEPS, needed_tables
from pytest_npuperf.measure.elsewhere import told
from pytest_npuperf.measure.entries import advice_count, fused_count
from pytest_npuperf.measure.layers import Layer, find_layer
from pytest_npuperf.measure.memory import allocator_peak, process_peak
from pytest_npuperf.measure.notes import all_notes
from pytest_npuperf.measure.operators import FROM_ROWS, Number
from pytest_npuperf.measure.oprows import SHAPES, TOLD, longest, op_rows, op_rows_by_shape
from pytest_npuperf.measure.rows import NotMeasuredError, OpRows, place_of
from pytest_npuperf.measure.rules import (
    NothingChosenError,
    pmu_column,
    pmu_mean,
    rule_number,
    selected,
    selector_columns,
)
from pytest_npuperf.measure.stepcounts import run_steps, steps_in
from pytest_npuperf.measure.steptimes import step_times
from pytest_npuperf.measure.totals import Totals, api_totals, op_totals
from pytest_npuperf.model import (
    LaneMeasurement,
    LongOp,
    Measurement,
    OpRow,
    Selector,
    StepOptions,
    Value,
    Wanted,
)
from pytest_npuperf.percentiles import statistic
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.steps import StepCount


class Measurer:
    """The numbers of one profile under one way to count steps."""

    def __init__(self, profile: Profile, options: StepOptions) -> None:
        self._profile = profile
        self._lanes = {lane.key: _LaneMeasurer(profile, lane, options) for lane in profile.lanes}

    def measure(self, wanted: Iterable[Wanted], by_shape: bool = False) -> Measurement:
        """Return what is wanted on every lane; op rows by shape cost the reading of shapes.

        Raises ProfileError.
        """
        lanes = {
            key: replace(lane, ops=self._lanes[key].ops(by_shape))
            for key, lane in self.numbers(wanted).lanes.items()
        }
        return Measurement(lanes, all_notes(self._profile))

    def numbers(self, wanted: Iterable[Wanted]) -> Measurement:
        """Return what is wanted on every lane and nothing beside it, neither ops nor notes.

        Raises ProfileError.
        """
        asked = tuple(wanted)
        lanes = {key: LaneMeasurement(lane.values(asked)) for key, lane in self._lanes.items()}
        return Measurement(told(lanes, {key: lane.lacking for key, lane in self._lanes.items()}))

    def longest(
        self, selects: Iterable[Selector], many: int = TOLD
    ) -> dict[str, tuple[LongOp, ...]]:
        """Return so many of the longest ops of each lane that each selector means, each once.

        None where the profile does not tell them. Raises ProfileError.
        """
        asked = tuple(selects)
        return {key: lane.longest(asked, many) for key, lane in self._lanes.items()}


class _LaneMeasurer:
    def __init__(self, profile: Profile, lane: Lane, options: StepOptions) -> None:
        self._profile, self._lane, self._options = profile, lane, options
        self._values: dict[Wanted, Value] = {}
        self.lacking: dict[Wanted, NothingChosenError] = {}
        """What there is no row for."""
        self._read: dict[frozenset[str], OpRows] = {}

    def values(self, wanted: Iterable[Wanted]) -> dict[Wanted, Value]:
        values = {}
        for number in wanted:
            if number not in self._values:
                self._values[number] = self._value(number)
            values[number] = self._values[number]
        return values

    def ops(self, by_shape: bool) -> tuple[OpRow, ...]:
        return self._op_rows_by_shape if by_shape else self._op_rows

    def longest(self, selects: Iterable[Selector], many: int) -> tuple[LongOp, ...]:
        found = (op for select in selects for op in self._longest(select, many))
        return tuple(dict.fromkeys(found))

    def _longest(self, select: Selector, many: int) -> tuple[LongOp, ...]:
        # Types and cores are there anyhow.
        rows = self._op_summary("op_name")
        if rows is None:
            return ()
        try:
            return longest(rows, selected(rows, select), many)
        except NotMeasuredError:
            return ()

    # --- one number ---------------------------------------------------------------------------

    def _value(self, wanted: Wanted) -> Value:
        try:
            if METRICS.get(wanted.metric) and METRICS[wanted.metric].distribution:
                return self._distribution(wanted)
            number = self._number(wanted)
        except NotMeasuredError as err:
            if isinstance(err, NothingChosenError):
                self.lacking[wanted] = err
            return Value(None, reason="; ".join([str(err), *self._lost(wanted.metric)]))
        return Value(number.value, number.samples, number.coverage)

    def _lost(self, metric: str) -> dict[str, None]:
        """Return why tables are not there that could have given a number."""
        failed = self._profile.units[self._lane.unit].failed
        tables = needed_tables(metric)
        return dict.fromkeys(lost.note for table in tables for lost in failed(table))

    def _distribution(self, wanted: Wanted) -> Value:
        data = step_times(self._profile, self._lane, self._options)
        return Value(statistic(data, wanted.statistic or ""), len(data), data=data)

    def _number(self, wanted: Wanted) -> Number:
        if wanted == STEPS:
            return Number(Fraction(self._step_count(wanted)), samples=1)
        base = _without_per_step(wanted)
        if base != wanted:
            number = self._plain(base)
            steps = self._step_count(base)
            return Number(number.value / steps, number.samples, number.coverage)
        self._refuse_total_of_a_step(wanted)
        return self._plain(wanted)

    def _plain(self, wanted: Wanted) -> Number:
        if wanted.metric == "ops":
            return self._op_rule(wanted)
        if wanted.metric == "apis":
            return self._apis().rule_number(wanted)
        if wanted.metric == "timeline_time":
            return self._layer(wanted).time()
        if wanted.metric in _FROM_TABLE:
            (table,) = METRICS[wanted.metric].needs
            return _FROM_TABLE[wanted.metric](self._table(table), wanted.statistic or "")
        rows = self._op_summary()
        if rows is None:
            return self._totals().metric(wanted.metric)
        return FROM_ROWS[wanted.metric](rows)

    def _op_rule(self, wanted: Wanted) -> Number:
        if wanted.column is not None:
            return self._pmu_mean(wanted.select, wanted.column)
        rows = self._op_summary(*selector_columns(wanted.select))
        return self._totals().rule_number(wanted) if rows is None else rule_number(rows, wanted)

    def _pmu_mean(self, select: Selector, column: str) -> Number:
        if self._ops is None:
            raise NotMeasuredError("PMU columns need op_summary, which the profile does not have")
        there = self._profile.columns(self._lane.unit, "op_summary")
        name = pmu_column(place_of(self._op_files), there, column)
        rows = self._op_summary(name, *selector_columns(select))
        assert rows is not None
        return pmu_mean(rows, select, name)

    def _layer(self, wanted: Wanted) -> Layer:
        rows = self._table("timeline")
        files = self._profile.units[self._lane.unit].of("timeline")
        return find_layer(rows, files, wanted.statistic or "")

    # --- tables -------------------------------------------------------------------------------

    @cached_property
    def _ops(self) -> OpRows | None:
        frame = self._profile.lane_rows(self._lane, "op_summary")
        if frame is None:
            return None
        rows = OpRows(frame, self._op_files)
        # At level 0 nothing but its name tells a collective whose type is lost.
        return self._read_with(frozenset(["op_name"])) if rows.is_level_0 else rows

    @property
    def _op_files(self) -> tuple[TableFile, ...]:
        return self._profile.units[self._lane.unit].of("op_summary")

    def _op_summary(self, *columns: str) -> OpRows | None:
        """Return the op rows with at least these columns, where the file has them."""
        if self._ops is None or self._ops.columns.issuperset(columns):
            return self._ops
        return self._read_with(frozenset(columns))

    def _read_with(self, columns: frozenset[str]) -> OpRows:
        if columns not in self._read:
            frame = self._profile.lane_rows(self._lane, "op_summary", columns)
            assert frame is not None
            self._read[columns] = OpRows(frame, self._op_files)
        return self._read[columns]

    def _totals(self) -> Totals:
        frame = self._profile.lane_rows(self._lane, "op_statistic")
        if frame is None:
            raise NotMeasuredError("the profile has neither op_summary nor op_statistic")
        return op_totals(frame)

    def _apis(self) -> Totals:
        for table in needed_tables("apis"):
            # APIs run on the host: the rows belong to the process, whatever device they name.
            if self._profile.units[self._lane.unit].of(table):
                return api_totals(self._profile.unit_rows(self._lane.unit, table), table)
        raise NotMeasuredError("the profile has neither api_statistic nor acl_statistic")

    def _table(self, name: str) -> pd.DataFrame:
        """Return the rows of a table that is small. Raises NotMeasuredError."""
        rows = self._profile.lane_rows(self._lane, name)
        if rows is None:
            raise NotMeasuredError(f"the profile has no table {name}")
        files = self._profile.units[self._lane.unit].of(name)
        if not len(rows) and all(file.device not in (None, self._lane.device) for file in files):
            raise NotMeasuredError(f"the profile has no table {name} of device {self._lane.device}")
        devices = sorted(set(rows["device_id"]) - {"host"})
        if len(devices) > 1:
            found = ", ".join(devices)
            raise NotMeasuredError(f"{name} has rows of devices {found}, of which one is wanted")
        return rows

    @cached_property
    def _op_rows(self) -> tuple[OpRow, ...]:
        rows = self._op_summary()
        if rows is not None:
            return op_rows(rows)
        try:
            return self._totals().op_rows()
        except NotMeasuredError:
            return ()

    @cached_property
    def _op_rows_by_shape(self) -> tuple[OpRow, ...]:
        rows = self._op_summary(*SHAPES)
        return self._op_rows if rows is None else op_rows_by_shape(rows)

    # --- steps --------------------------------------------------------------------------------

    @cached_property
    def _steps(self) -> StepCount:
        return self._profile.steps(self._lane, self._options)

    def _steps_behind(self, wanted: Wanted) -> StepCount:
        """Return how many steps the table covers that a number comes from."""
        if wanted.metric == "apis":
            return run_steps(self._profile, self._lane, self._options)
        if wanted.metric == "timeline_time":
            files = self._layer(wanted).files
            return steps_in(files, self._profile, self._lane, self._options)
        return self._steps

    def _step_count(self, wanted: Wanted) -> int:
        steps = self._steps_behind(wanted)
        if not steps.count:
            raise NotMeasuredError(steps.reason or "the profile holds no step")
        return steps.count

    def _refuse_total_of_a_step(self, wanted: Wanted) -> None:
        """Refuse a total over one step where the run has more: it says nothing of the run."""
        form = _per_step(wanted)
        if form is not None and self._steps_behind(wanted).scope == "step":
            raise NotMeasuredError(
                f"the profile holds single steps, not the whole run; write {form}"
            )


_FROM_TABLE: Mapping[str, Callable[[pd.DataFrame, str], Number]] = {
    "fused_count": lambda rows, _: fused_count(rows),
    "advice_count": advice_count,
    "memory_peak": lambda rows, _: process_peak(rows),
    "allocated_memory_peak": lambda rows, _: allocator_peak(rows, "allocated"),
    "reserved_memory_peak": lambda rows, _: allocator_peak(rows, "reserved"),
}
"""Each metric that a table of its own gives; the text is the key of a metric that has one."""


def _without_per_step(wanted: Wanted) -> Wanted:
    if wanted.metric in ("ops", "apis"):
        return replace(wanted, statistic=(wanted.statistic or "").removesuffix(PER_STEP) or None)
    return replace(wanted, metric=wanted.metric.removesuffix(PER_STEP))


def _per_step(wanted: Wanted) -> str | None:
    """Return the name of the same number per step, where there is one."""
    if wanted.metric == "ops":
        name = f"{wanted.statistic}{PER_STEP}"
        return name if name in OP_STATISTICS else None
    name = wanted.metric + PER_STEP
    return name if name in METRICS else None
