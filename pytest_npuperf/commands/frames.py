"""Columns of tables to exact cells: what is absent stays absent, and makes its sums absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.profile.cells import us_to_ns


def texts(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column of texts; absent in each row where the table does not have it."""
    if name in frame:
        return frame[name]
    nothing = pd.Categorical([None] * len(frame), categories=pd.Index([], dtype=object))
    return pd.Series(nothing, index=frame.index)


def whole(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column of whole numbers as Int64; absent where the table does not have it."""
    if name not in frame:
        return pd.Series(pd.NA, index=frame.index, dtype="Int64")
    return frame[name].astype("Int64")


def times(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return a column of durations in us as Int64 ns; absent where the table does not have it."""
    if name not in frame:
        return pd.Series(pd.NA, index=frame.index, dtype="Int64")
    us = frame[name].to_numpy(dtype=np.float64)
    absent = np.isnan(us)
    return pd.Series(
        pd.arrays.IntegerArray(us_to_ns(np.where(absent, 0.0, us)), absent), index=frame.index
    )


def grouped(frame: pd.DataFrame, keys: Sequence[str], maximum: str) -> pd.DataFrame:
    """Return sums by some columns, and of one column the maximum; most ``total`` first.

    A group with one absent number has none: the rest would pass for the whole.
    """
    by: dict[str, Any] = {"observed": True, "dropna": False, "sort": False}
    numbers = [name for name in frame if name not in keys and frame[name].dtype == "Int64"]
    groups = frame.groupby(list(keys), **by)
    result = groups[numbers].sum()
    result[maximum] = groups[maximum].max()
    absent = frame[numbers].isna()
    if absent.any(axis=None):
        holes = frame[list(keys)].join(absent).groupby(list(keys), **by).any()
        result = result.mask(holes[numbers].reindex(result.index))
    return result.sort_values("total", ascending=False, kind="stable").reset_index()


def text(cell: object) -> str | None:
    """Return a cell of a column of texts."""
    return cell if isinstance(cell, str) else None


def number(cell: Any) -> int | None:
    """Return a cell of an Int64 column."""
    return None if pd.isna(cell) else int(cell)
