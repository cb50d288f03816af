"""The ops behind a lane's numbers: summed up by what they are, and the longest ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.measure.rows import Mask, NotMeasuredError, OpRows
from pytest_npuperf.model import LongOp, OpRow

SHAPES = ("input_shapes", "input_data_types")
"""The columns that tell ops of one type and core apart; names do not, a build may change them."""

POOLED_BELOW = Fraction(1, 1000)
"""The share of the kernels' time that ops of one shape need for a row of their own.

Communication is no part of that time: waiting for others, it may be many times the kernels'.
"""

TOLD = 3
"""How many of the longest ops are named behind a limit, unless a report lists more."""

_Key = tuple[str, str, str, str]
"""Type, core, shapes and data types."""

_FIELDS = {
    "op_type": "type",
    "task_type": "core",
    "input_shapes": "shapes",
    "input_data_types": "dtypes",
}


def op_rows(rows: OpRows) -> tuple[OpRow, ...]:
    """Return count and total by op type and core, longest first; none where a column is absent."""
    return _summed(rows, ("op_type", "task_type"))


def op_rows_by_shape(rows: OpRows) -> tuple[OpRow, ...]:
    """Return the same by input shapes and data types, too, where there are such columns.

    Those below ``POOLED_BELOW`` are one row for each type and core, as are those without shapes;
    so count and total of all rows of a type and core are exact.
    """
    there = [name for name in SHAPES if name in rows.columns]
    whole = _summed(rows, ("op_type", "task_type", *there))
    least = POOLED_BELOW * sum(row.total for row in whole if row.core not in COMMUNICATION)
    counts: Counter[_Key] = Counter()
    totals: Counter[_Key] = Counter()
    for row in whole:
        shapes, dtypes = (row.shapes, row.dtypes) if row.total >= least else ("", "")
        key = (row.type, row.core, shapes, dtypes)
        counts[key] += row.count
        totals[key] += row.total
    order = sorted(totals, key=lambda key: (-totals[key], key))
    return tuple(OpRow(*key[:2], counts[key], totals[key], *key[2:]) for key in order)


def _summed(rows: OpRows, keys: Sequence[str]) -> tuple[OpRow, ...]:
    try:
        columns = {name: rows.column(name) for name in keys}
        durations = rows.durations(rows.all)
    except NotMeasuredError:
        return ()
    frame = pd.DataFrame(columns).assign(ns=durations)
    groups = frame.groupby(list(keys), observed=True, dropna=False)["ns"]
    table = groups.agg(["size", "sum"]).sort_values("sum", ascending=False, kind="stable")
    fields = [_FIELDS[name] for name in keys]
    return tuple(
        OpRow(count=int(size), total=int(total), **dict(zip(fields, map(_text, key), strict=True)))
        for key, size, total in table.itertuples()
    )


def longest(rows: OpRows, chosen: Mask, many: int) -> tuple[LongOp, ...]:
    """Return so many of the longest ops among some rows, one of a name. Raises NotMeasuredError."""
    durations = rows.durations(chosen)
    columns = (rows.column(name)[chosen] for name in ("op_name", "op_type", "task_type"))
    names, types, cores = columns
    order = (-durations).argsort(kind="stable")
    # An op runs once in each step: of each name the first, which is its longest.
    _, first = np.unique(names.cat.codes.to_numpy()[order], return_index=True)
    return tuple(
        LongOp(
            name=_text(names.iloc[row]),
            type=_text(types.iloc[row]),
            core=_text(cores.iloc[row]),
            duration=int(durations[row]),
        )
        for row in order[np.sort(first)[:many]]
    )


def _text(cell: object) -> str:
    return cell if isinstance(cell, str) else ""
