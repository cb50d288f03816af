"""The op rows of one lane as arrays; asks of each row whether it has what a number needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pytest_npuperf.catalogue import COMMUNICATION, LEFT_OUT
from pytest_npuperf.globs import compile_globs
from pytest_npuperf.measure.intervals import Ns, Span, span
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.forms import header_of
from pytest_npuperf.text import many, printable

Mask = npt.NDArray[np.bool_]

_COLLECTIVE = ("hcom_*", "hccl_*")
"""How HCCL names collectives, whatever the profiling level."""


class NotMeasuredError(Exception):
    """A number cannot be had from this profile; the text says what is missing."""


class OpRows:
    """The rows of an op_summary that are work: those marked WRITE_BACK or INVALID are left out."""

    def __init__(self, frame: pd.DataFrame, files: Sequence[TableFile]) -> None:
        self.place = place_of(files)
        """What to call the table in messages."""
        self._file = files[0]
        left_out = is_left_out(frame)
        self._frame = frame[~left_out] if left_out.any() else frame

    def __len__(self) -> int:
        return len(self._frame)

    def header(self, name: str) -> str:
        """Return what the file calls a column, for messages."""
        return header_of(self._file, name)

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column. Raises NotMeasuredError where the table does not have it."""
        if name not in self._frame:
            raise NotMeasuredError(f'{self.place} has no column "{self.header(name)}"')
        return self._frame[name]

    def whole(self, name: str, among: Mask | None = None) -> pd.Series[Any]:
        """Return a column that has a value in each of the rows. Raises NotMeasuredError."""
        column = self.column(name)
        absent = column.isna().to_numpy()
        if among is not None:
            absent = absent & among
        if absent.any():
            rows = many(len(column) if among is None else int(among.sum()), "row")
            raise NotMeasuredError(
                f"{self.place} has no {self.header(name)} in {int(absent.sum())} of {rows}, "
                f"first in row {self._number(int(absent.argmax()))}"
            )
        return column

    @cached_property
    def all(self) -> Mask:
        """Every row."""
        return np.ones(len(self), dtype=np.bool_)

    @property
    def columns(self) -> frozenset[str]:
        """Return the columns that are there."""
        return frozenset(self._frame.columns)

    @cached_property
    def communication(self) -> Mask:
        """Which rows are collectives. Raises NotMeasuredError where that cannot be told."""
        collective = self._collective
        if not self.is_level_0:
            self.whole("task_type")
        elif "op_name" in self._frame:
            self._refuse_nameless(collective)
        return collective

    @cached_property
    def _collective(self) -> Mask:
        return self.column("task_type").isin(COMMUNICATION).to_numpy()

    @cached_property
    def is_level_0(self) -> bool:
        """Whether type and core of every kernel are left out, but not of collectives.

        Profiling level 0 does so; then the column ``op_name`` tells a collective too.
        """
        if "task_type" not in self._frame:
            return False
        others = ~self._collective
        names = ({"task_type", "op_type"}) & self.columns
        return all(bool(self._frame[name].isna().to_numpy()[others].all()) for name in names)

    def _refuse_nameless(self, collective: Mask) -> None:
        named = matching(self._frame["op_name"], _COLLECTIVE) & ~collective
        if named.any():
            row = int(named.argmax())
            header = self.header("task_type")
            raise NotMeasuredError(
                f"{self.place} has no {header} in row {self._number(row)}, which is called "
                f"{printable(str(self._frame['op_name'].iloc[row]))} and may be communication"
            )

    def _number(self, row: int) -> int:
        """Return the number of a row in the table, the first is 1."""
        return int(self._frame.index[row]) + 1

    @cached_property
    def kernels(self) -> Mask:
        """Which rows are not communication. Raises NotMeasuredError where that cannot be told."""
        return ~self.communication

    def of_task_type(self, names: Iterable[str]) -> Mask:
        """Return which rows ran on these cores. Raises NotMeasuredError."""
        return self.whole("task_type").isin(list(names)).to_numpy()

    def matching(self, column: str, globs: tuple[str, ...]) -> Mask:
        """Return which rows have a text that a glob means. Raises NotMeasuredError."""
        return matching(self.whole(column), globs)

    def durations(self, rows: Mask) -> Ns:
        """Return the durations of some rows, ns. Raises NotMeasuredError where one has none."""
        self.whole("task_duration_us", rows)
        return self._duration_ns[rows]

    def intervals(self, rows: Mask) -> tuple[Ns, Ns]:
        """Return starts and durations of some rows, ns. Raises NotMeasuredError."""
        self.whole("task_start_ns", rows)
        return self._start_ns[rows], self.durations(rows)

    @cached_property
    def span(self) -> Span:
        """What all rows cover. Raises NotMeasuredError where one has no time."""
        return span(*self.intervals(self.all))

    @cached_property
    def _duration_ns(self) -> Ns:
        return us_to_ns(np.nan_to_num(self._frame["task_duration_us"].to_numpy()))

    @cached_property
    def _start_ns(self) -> Ns:
        return self._frame["task_start_ns"].to_numpy(dtype=np.int64, na_value=0)


def is_left_out(frame: pd.DataFrame) -> Mask:
    """Return which rows of an op table are no work."""
    if "task_type" not in frame:
        return np.zeros(len(frame), dtype=np.bool_)
    return frame["task_type"].isin(LEFT_OUT).to_numpy()


def place_of(files: Sequence[TableFile]) -> str:
    """Return what messages call a table: as its files, which may have another name."""
    return files[0].stem or files[0].table.name


def filled(frame: pd.DataFrame, place: str, name: str) -> pd.Series[Any]:
    """Return a column that has a value in each row of a table. Raises NotMeasuredError."""
    if name not in frame:
        raise NotMeasuredError(f"{place} has no column {name}")
    column = frame[name]
    absent = column.isna().to_numpy()
    if absent.any():
        row = int(column.index[int(absent.argmax())]) + 1
        raise NotMeasuredError(f"{place} has no {name} in row {row}")
    return column


def matching(texts: pd.Series[Any], globs: tuple[str, ...]) -> Mask:
    """Return which texts of a category column a glob means; an absent text matches nothing."""
    pattern = compile_globs(globs)
    chosen = [pattern.match(text) is not None for text in texts.cat.categories]
    return np.array([*chosen, False], dtype=np.bool_)[texts.cat.codes.to_numpy()]
