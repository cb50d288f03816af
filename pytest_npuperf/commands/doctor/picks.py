"""Which rows of which table a number is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pytest_npuperf.catalogue import COMMUNICATION, LEFT_OUT, PER_STEP
from pytest_npuperf.measure.rows import Mask, matching
from pytest_npuperf.measure.rules import selector_columns
from pytest_npuperf.model import Selector, Wanted


@dataclass(frozen=True)
class Pick:
    """Rows whose text in a column a glob means; or, with ``other``, all others."""

    column: str
    globs: tuple[str, ...]
    other: bool = False

    def of(self, rows: pd.DataFrame) -> Mask:
        """Return which rows those are."""
        found = matching(rows[self.column], self.globs)
        return ~found if self.other else found

    def text(self) -> str:
        """Return a text that the globs mean."""
        return self.globs[0].replace("*", "").replace("?", "x")


Picks = tuple[Pick, ...]

_WORK = (Pick("task_type", LEFT_OUT, other=True),)
KERNELS = (Pick("task_type", (*COMMUNICATION, *LEFT_OUT), other=True),)


def picked(rows: pd.DataFrame, picks: Iterable[Pick]) -> Mask:
    """Return which rows are picked by each of those whose column is there."""
    mask = np.ones(len(rows), dtype=np.bool_)
    for pick in picks:
        if pick.column in rows:
            mask = mask & pick.of(rows)
    return mask


def picks_of(wanted: Wanted) -> Picks:
    """Return which rows a number is about."""
    base = wanted.metric.removesuffix(PER_STEP)
    if base == "ops":
        return (*_WORK, *_by_selector(wanted.select))
    if base == "apis":
        chosen = wanted.select.as_dict().items()
        return tuple(Pick(key, tuple(globs)) for key, globs in chosen)
    if base == "advice_count":
        return (Pick("rule_type", (wanted.statistic or "",)),)
    return KERNELS if base == "kernel_count" else ()


def _by_selector(select: Selector) -> Iterator[Pick]:
    chosen = zip(select.as_dict().items(), selector_columns(select), strict=True)
    for (key, globs), column in chosen:
        yield Pick(column, tuple(globs), other=key.startswith("not_"))
