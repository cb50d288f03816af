"""Where a text and a database of one run hold the same table, they must agree: the text is read.

What each is made of decides what can be compared. Compared are the ops by type and core, and the
calls of the host by level and name. Not compared are:

- Collectives: msprof shows those inside of kernels (MC2) in a database alone, and the kernels
  that run collectives as ops in one form and not the other.
- ``step_trace_time``: torch_npu makes that of a text and that of a database in two ways, which
  differ where steps overlap; and without steps the database has zeros.
- ``npu_mem`` and ``memory_record``: what is read of them is a peak, and how each release rounds
  bytes to the KB or MB of a text is not known.
- Single rows and starts: texts leave out and rename some, and sort them otherwise.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import agreement
from pytest_npuperf.profile.agreement import Source
from pytest_npuperf.profile.cells import us_to_ns
from pytest_npuperf.text import many, printable

_KEY = ["device_id", "op_type", "task_type"]

_OF_COLLECTIVES = re.compile(r"hcom_.*|.*AivKernel")
"""Kernels that collectives run: msprof shows some of them as ops in one form and not the other."""

_CALL = ["api_level", "name"]
_SUMS = ["count", "total_time_us"]

_ROUNDING_NS = 1
"""A text has the time of each call in ticks, a database its two ends, cut to whole ns."""


def is_of_whole_run(ops: Source) -> bool:
    """Return whether a text holds the run, as its database does, and not a chosen iteration.

    ``ops`` are those of the text: they are the ones that say it.
    """
    return not (ops.has("infer_id") and ops.rows["infer_id"].notna().any())


def refuse_other_ops(text: Source, database: Source) -> None:
    """Raise ProfileError unless count and total of each op type and core are the same in both.

    The database is summed up as op_statistic would be, and compared as that is. It holds whole
    ns, and the text three decimals of a us: the two differ by at most 1 ns for each row, however
    the release rounds. What has no type (level 0) is left out.
    """
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


def refuse_other_calls(text: Source, database: Source) -> None:
    """Raise ProfileError unless count and total of the calls of each name at each level agree."""
    if not text.has(*_CALL, *_SUMS) or text.rows[_SUMS].isna().any(axis=None):
        return
    both = _calls(text.rows).join(_calls(database.rows).add_suffix("_there"), how="outer").fillna(0)
    off = np.abs(_ns(both["total_time_us"]) - _ns(both["total_time_us_there"]))
    wrong = (both["count"] != both["count_there"]) | (off > _ROUNDING_NS * (both["count"] + 1))
    if wrong.any():
        level, name = both.index[int(wrong.to_numpy().argmax())]
        bad = both[wrong].iloc[0]
        raise ProfileError(
            f"{text.path}: {many(int(bad['count']), 'call')} of {printable(name)} "
            f"({printable(level)}), {bad['total_time_us']:.3f} us in all, but "
            f"{database.path.name} has {many(int(bad['count_there']), 'call')}, "
            f"{bad['total_time_us_there']:.3f} us; {agreement.EDITED}"
        )


def _calls(rows: pd.DataFrame) -> pd.DataFrame:
    """Return count and total by level and name; hccl was renamed to communication in 2025."""
    named = rows[rows[_CALL].notna().all(axis=1)]
    keys = [named[key].astype(object) for key in _CALL]
    keys[0] = keys[0].replace("hccl", "communication")
    return named[_SUMS].groupby(keys).sum()


def _ns(times: pd.Series[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return us_to_ns(times.to_numpy(dtype=np.float64))
