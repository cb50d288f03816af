"""A table must not contradict itself: what does was cut, doubled or edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.cells import SINCE_1970_NS, us_to_ns
from pytest_npuperf.profile.opprof_tables import CORE_TABLES, KERNEL_TABLE
from pytest_npuperf.text import many, printable

_DIGIT_US = 0.001
"""Times are printed to the nanosecond, some rounded, some cut."""


_CUT_KB = 2
"""Two sizes that are each cut to whole KB lose less than this."""

_CLOCK_NS = 1000
"""By how much start and end of what touches may be off: some pass through a double of us."""


@dataclass(frozen=True)
class Place:
    """A file, and the table that it holds."""

    path: Path
    table: str

    def row(self, index: int) -> str:
        """Return what to call a row, counted from 0: only in CSV it is a line."""
        if self.path.suffix in (".csv", ".gz"):
            return f"{self.path}:{index + 2}"
        table = f" {self.table}," if self.path.suffix == ".db" else ""
        return f"{self.path}:{table} row {index + 1}"


def check_table(place: Place, rows: pd.DataFrame) -> None:
    """Raise ProfileError where a file of a table contradicts itself."""
    # A table that says no device was given the only one.
    _refuse_absent(place, rows, ("device_id",))
    check = _INSIDE.get(place.table)
    if check is not None:
        check(place, rows)


def _op_statistic(place: Place, rows: pd.DataFrame) -> None:
    _refuse_absent(place, rows, ("count", "total_time_us"))
    _refuse_repeated(place, rows, ("device_id", "model_name", "op_type", "task_type"))
    _refuse_impossible(place, rows)
    if "ratio_percent" in rows and "total_time_us" in rows:
        _refuse_wrong_share(place, rows)


def _api_statistic(place: Place, rows: pd.DataFrame) -> None:
    _refuse_repeated(place, rows, ("device_id", "api_level", "name"))
    _refuse_impossible(place, rows)


def _step_trace_time(place: Place, rows: pd.DataFrame) -> None:
    _refuse_repeated(place, rows, ("device_id", "step"))


def _step_trace(place: Place, rows: pd.DataFrame) -> None:
    """Refuse iterations of a model that are there twice, not at all, or at the same time.

    msprof has an iteration begin after the one before it has ended.
    """
    for name in ("model_id", "iteration_id"):
        if name in rows and rows[name].notna().any():
            _refuse_absent(place, rows, (name,))
    keys = ["device_id", "model_id"]
    # Where no row names its model, several may count from 1, or the steps are the user's own.
    if not {*keys, "iteration_id"} <= set(rows) or rows["model_id"].isna().any():
        return
    by = [key for key in keys if key in rows]
    for _, own in rows.groupby(by, observed=True):
        ids = own["iteration_id"].astype(object).dropna().astype(int).sort_values()
        _refuse_holes(place, own, list(ids))
        if {"iteration_time_us", "iteration_end_ns"} <= set(rows):
            _refuse_overlap(place, rows.loc[ids.index])


def _refuse_holes(place: Place, own: pd.DataFrame, ids: list[int]) -> None:
    for before, after in pairwise(ids):
        if after != before + 1:
            fault = f"{before} is there twice" if after == before else f"{before + 1} is missing"
            raise ProfileError(
                f"{place.path}: iteration {fault} of model {own['model_id'].iloc[0]}; "
                "the file was cut or edited, record again"
            )


def _refuse_overlap(place: Place, own: pd.DataFrame) -> None:
    """Refuse an iteration that began before the one before it had ended; they are in order."""
    timed = own.dropna(subset=["iteration_time_us", "iteration_end_ns"])
    ends = timed["iteration_end_ns"].to_numpy(dtype=np.int64)
    begins = ends - us_to_ns(timed["iteration_time_us"].to_numpy(dtype=np.float64))
    # Before 2023-09 ends may be ticks of a clock, of which the file does not say how long one is.
    early = (begins[1:] < ends[:-1] - _CLOCK_NS) & (ends[:-1] > SINCE_1970_NS)
    if early.any():
        place_of = int(early.argmax()) + 1
        row = timed.iloc[place_of]
        raise ProfileError(
            f"{place.row(int(timed.index[place_of]))}: iteration {row['iteration_id']} of model "
            f"{row['model_id']} took {row['iteration_time_us']:.3f} us, and so began before the "
            "one before it had ended; the file was edited, record again"
        )


def _npu_mem(place: Place, rows: pd.DataFrame) -> None:
    """Refuse a memory that is not the sum of its two parts, which msprof makes of bytes."""
    if not {"memory_kb", "ddr_kb", "hbm_kb"} <= set(rows):
        return
    memory, ddr, hbm = (
        rows[name].to_numpy(dtype=np.float64) for name in ("memory_kb", "ddr_kb", "hbm_kb")
    )
    wrong = np.abs(memory - (ddr + hbm)) >= _CUT_KB
    if wrong.any():
        row = int(wrong.argmax())
        raise ProfileError(
            f"{place.row(row)}: memory(KB) is {memory[row]:.0f}, but ddr(KB) and hbm(KB) are "
            f"{ddr[row]:.0f} and {hbm[row]:.0f}; the file was edited, record again"
        )


def _op_basic_info(place: Place, rows: pd.DataFrame) -> None:
    _refuse_repeated(place, rows, ("device_id", "op_name"))


def _of_cores(place: Place, rows: pd.DataFrame) -> None:
    """Refuse a core that is there twice; some chips do not say which cores the rows are of."""
    if "block_id" in rows and rows["block_id"].notna().any():
        _refuse_absent(place, rows, ("block_id",))
        _refuse_repeated(place, rows, ("block_id", "sub_block_id"))


_INSIDE: dict[str, Callable[[Place, pd.DataFrame], None]] = {
    "op_statistic": _op_statistic,
    "api_statistic": _api_statistic,
    "npu_mem": _npu_mem,
    "step_trace": _step_trace,
    "step_trace_time": _step_trace_time,
    KERNEL_TABLE: _op_basic_info,
    **dict.fromkeys(CORE_TABLES, _of_cores),
}


def refuse_doubled_rows(path: Path, rows: pd.DataFrame, keys: Sequence[str]) -> None:
    """Raise ProfileError where a row of an op_summary is followed by itself.

    msprof sorts by time; a file that is not sorted passed through other hands, and is taken as
    it is. ``keys`` are the columns that tell the tasks apart which may start together.
    """
    doubled = candidates(rows)
    for key in keys:
        same = (
            rows[key].iloc[doubled + 1].astype(object).to_numpy(),
            (rows[key].iloc[doubled].astype(object).to_numpy()),
        )
        is_equal = (same[0] == same[1]) | (pd.isna(same[0]) & pd.isna(same[1]))
        doubled = doubled[is_equal.astype(np.bool_)]
    if len(doubled):
        row = int(doubled[0]) + 1
        raise ProfileError(
            f"{path}: row {row + 1} repeats row {row}; the file was edited, record again"
        )


def candidates(rows: pd.DataFrame) -> npt.NDArray[np.intp]:
    """Return the rows whose start, device and duration the next row has too, if all are sorted."""
    if not {"task_start_ns", "task_duration_us"} <= set(rows):
        return np.array([], dtype=np.intp)
    starts = rows["task_start_ns"].to_numpy(dtype=np.int64, na_value=-1)
    devices = rows["device_id"].cat.codes.to_numpy()
    steps = np.diff(starts)
    same_device = devices[1:] == devices[:-1]
    if (steps[same_device] < 0).any():
        return np.array([], dtype=np.intp)
    times = rows["task_duration_us"].to_numpy(dtype=np.float64)
    return np.flatnonzero((steps == 0) & same_device & (times[1:] == times[:-1]))


def _refuse_absent(place: Place, rows: pd.DataFrame, names: Sequence[str]) -> None:
    for name in names:
        if name in rows and rows[name].isna().any():
            row = int(rows[name].isna().to_numpy().argmax())
            raise ProfileError(f"{place.row(row)}: the row has no {name}; other rows have one")


def _refuse_repeated(place: Place, rows: pd.DataFrame, names: Sequence[str]) -> None:
    keys = [name for name in names if name in rows]
    repeated = rows.duplicated(keys).to_numpy()
    if repeated.any():
        row = int(repeated.argmax())
        found = " ".join(str(rows[key].iloc[row]) for key in keys if key != "device_id")
        raise ProfileError(
            f"{place.row(row)}: a second row for {printable(found)}; "
            "the file was edited, record again"
        )


def _refuse_impossible(place: Place, rows: pd.DataFrame) -> None:
    """Refuse a total that does not lie between its calls' min and max, nor is their mean's."""
    if not {"count", "total_time_us"} <= set(rows):
        return
    calls, total = rows["count"].to_numpy(), rows["total_time_us"].to_numpy()
    slack = _DIGIT_US * (calls + 1)
    for name, sign in (("min", 1), ("avg", 1), ("avg", -1), ("max", -1)):
        if f"{name}_time_us" not in rows:
            continue
        each = rows[f"{name}_time_us"].to_numpy()
        bad = sign * (calls * each - total) > slack
        if bad.any():
            row = int(bad.argmax())
            raise ProfileError(
                f"{place.row(row)}: {many(int(calls[row]), 'call')} cannot take "
                f"{total[row]:.3f} us with {each[row]:.3f} us as their {name}; "
                "the file was edited, record again"
            )


def _refuse_wrong_share(place: Place, rows: pd.DataFrame) -> None:
    """Refuse a share that is not that of the row's total: a row is missing, or a number changed.

    The shares are those of a device; in exports with several models perhaps of a model on it.
    """
    wrong = _wrong_shares(rows, ["device_id"])
    if wrong.any() and "model_name" in rows:
        wrong &= _wrong_shares(rows, ["device_id", "model_name"])
    if wrong.any():
        row = int(wrong.argmax())
        raise ProfileError(
            f"{place.row(row)}: Ratio(%) is {rows['ratio_percent'].iloc[row]:.3f}, but "
            f"{rows['total_time_us'].iloc[row]:.3f} us are another share of all rows; "
            "rows are missing or changed, record again"
        )


def _wrong_shares(rows: pd.DataFrame, by: list[str]) -> npt.NDArray[np.bool_]:
    totals = rows["total_time_us"]
    groups = totals.groupby([rows[name] for name in by], observed=True, dropna=False)
    whole = groups.transform("sum").to_numpy()
    # What rounding each total can move its share by.
    slack = _DIGIT_US + 100 * _DIGIT_US * len(rows) / np.maximum(whole, _DIGIT_US)
    shares = 100 * totals.to_numpy() / np.maximum(whole, _DIGIT_US)
    off = np.abs(rows["ratio_percent"].to_numpy() - shares)
    return np.asarray((off > slack) & (whole > 0))
