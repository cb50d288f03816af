"""Where a text and a database of one run both hold its ops, they must agree: the text is read."""

from __future__ import annotations

import re

import pandas as pd

from pytest_npuperf.profile import agreement
from pytest_npuperf.profile.agreement import Source

_KEY = ["device_id", "op_type", "task_type"]

_OF_COLLECTIVES = re.compile(r"hcom_.*|.*AivKernel")
"""Kernels that collectives run: msprof shows some of them as ops in one form and not the other."""


def refuse_difference(text: Source, database: Source) -> None:
    """Raise ProfileError unless count and total of each op type and core are the same in both.

    The database is summed up as op_statistic would be, and compared as that is. It holds whole
    ns, and the text three decimals of a us: the two differ by at most 1 ns for each row, however
    the release rounds. Communication is left out, and so is what has no type (level 0).
    """
    # It was exported for one iteration of a graph; a database always holds all of them.
    if text.has("infer_id") and text.rows["infer_id"].notna().any():
        return
    if text.has("op_type") and database.has(*_KEY, "task_duration_us"):
        ours = Source(text.path, _work(text.rows), text.says_device)
        theirs = Source(database.path, _sums(_work(database.rows)), database.says_device)
        agreement.with_op_statistic(ours, theirs)


def _work(rows: pd.DataFrame) -> pd.DataFrame:
    types = [name for name in rows["op_type"].cat.categories if _OF_COLLECTIVES.fullmatch(name)]
    return rows[~rows["op_type"].isin(types).to_numpy()] if types else rows


def _sums(rows: pd.DataFrame) -> pd.DataFrame:
    groups = rows.groupby(_KEY, observed=True)["task_duration_us"]
    return groups.agg(count="size", total_time_us="sum").reset_index()
