"""What an ``[[ops]]`` rule asks of the rows that it selects: totals, percentiles, PMU means."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pytest_npuperf.catalogue import TASK_TYPES, needed_tables
from pytest_npuperf.measure.intervals import Ns
from pytest_npuperf.measure.operators import Number
from pytest_npuperf.measure.rows import Mask, NotMeasuredError, OpRows
from pytest_npuperf.model import Selector, Wanted
from pytest_npuperf.percentiles import statistic
from pytest_npuperf.text import many, printable

PMU_COVERAGE = Fraction(95, 100)
"""Rows of a selection that must have a PMU value for their mean to mean something."""

_PMU_SUFFIXES = ("", "_us", "_percent", "_gb_s", "_kb")
_PMU_DECIMALS = 10**6

_COLUMNS = {"name": "op_name", "type": "op_type", "task_type": "task_type"}


class NothingChosenError(NotMeasuredError):
    """A lane has no row of what is asked for; another lane may have some."""

    def __init__(self, asked: str, near: list[str]) -> None:
        super().__init__(asked + near_it(near))
        self.asked = asked
        """The reason without the names that may have been meant."""


def selector_columns(select: Selector) -> tuple[str, ...]:
    """Return the columns that a selector looks at."""
    return tuple(_column(key) for key in select.as_dict())


def _column(key: str) -> str:
    return _COLUMNS[key.removeprefix("not_")]


def selected(rows: OpRows, select: Selector) -> Mask:
    """Return the rows that a rule means. Raises NotMeasuredError where a row does not say."""
    mask = rows.all
    for key, globs in select.as_dict().items():
        match = rows.matching(_column(key), tuple(globs))
        mask = mask & (~match if key.startswith("not_") else match)
    return mask


def rule_number(rows: OpRows, wanted: Wanted) -> Number:
    """Return the statistic of an ``ops`` rule over its rows. Raises NotMeasuredError."""
    mask = selected(rows, wanted.select)
    name = wanted.statistic or ""
    if name == "count":
        if not mask.any():
            for key, globs in chosen(wanted.select).items():
                texts = list(rows.column(_column(key)).cat.categories)
                refuse_misspelled(rows.place, key, globs, texts)
        return Number(Fraction(int(mask.sum())), len(rows))
    durations = rows.durations(_some(rows, mask, wanted.select))
    total = int(durations.sum())
    if name == "total":
        return Number(Fraction(total), len(durations))
    if name == "share":
        return Number(Fraction(total, _kernel_time(rows)), len(durations))
    return Number(statistic(durations.tolist(), name), len(durations))


def _kernel_time(rows: OpRows) -> int:
    whole = int(rows.durations(rows.kernels).sum())
    if not whole:
        raise NotMeasuredError(
            f"{rows.place} has a kernel_time of 0 ns, of which nothing is a share"
        )
    return whole


def _some(rows: OpRows, mask: Mask, select: Selector) -> Mask:
    """Return the mask unless it selects nothing: no operator has no duration, not one of 0."""
    if mask.any():
        return mask
    near = [
        text
        for key, globs in chosen(select).items()
        for text in nearest(globs, list(rows.column(_column(key)).dropna().unique()))
    ]
    raise nothing_chosen(rows.place, select, near)


def chosen(select: Selector) -> dict[str, list[str]]:
    """Return the globs of a selector by the key that they must match."""
    return {key: globs for key, globs in select.as_dict().items() if not key.startswith("not_")}


def refuse_misspelled(place: str, key: str, globs: Collection[str], there: list[str]) -> None:
    """Refuse to count none of what is written otherwise. Raises NotMeasuredError.

    ``there`` are the texts of the profile. Without this a limit such as ``count = 0`` could
    never fail.
    """
    for glob in globs:
        if glob in there or "*" in glob or "?" in glob:
            continue
        asked = f"no row of {place} is {key}={printable(glob)}"
        meant = [text for text in there if text.casefold() == glob.casefold()]
        if meant:
            raise NotMeasuredError(f"{asked}; did you mean {printable(meant[0])}?")
        slips = [text for text in there if _is_slip(glob, text)]
        if slips and place in needed_tables("apis"):
            hint = f"did you mean {printable(slips[0])}? if not, write {printable(glob)}*"
            raise NotMeasuredError(f"{asked}; {hint}")
        if key == "task_type" and glob not in TASK_TYPES:
            hint = _near_task_type(glob, there)
            raise NotMeasuredError(f"{asked}, and that is no task type that is known{hint}")


def _is_slip(text: str, meant: str) -> bool:
    """Return whether one small letter tells a name from another, too few, too many or wrong.

    Real APIs differ by more, by digits or by capitals, as aclrtGetDevice and aclrtSetDevice do.
    """
    parts = difflib.SequenceMatcher(None, text, meant, autojunk=False).get_opcodes()
    gone = "".join(text[start:end] for tag, start, end, _, _ in parts if tag != "equal")
    come = "".join(meant[start:end] for tag, _, _, start, end in parts if tag != "equal")
    return max(len(gone), len(come)) == 1 and (gone + come).islower()


def _near_task_type(glob: str, there: list[str]) -> str:
    known = {text.casefold(): text for text in (*there, *TASK_TYPES)}
    near = difflib.get_close_matches(glob.casefold(), known, 1)
    return f"; did you mean {printable(known[near[0]])}?" if near else ""


def nearest(globs: Collection[str], there: list[str]) -> list[str]:
    """Return the texts that are most like what was asked for."""
    return [text for glob in globs for text in difflib.get_close_matches(glob, there, 5, 0.4)]


def nothing_chosen(place: str, select: Selector, near: list[str]) -> NothingChosenError:
    """Return why a rule has no number, with the names that may have been meant."""
    asked = " ".join(f"{key}={','.join(globs)}" for key, globs in select.as_dict().items())
    return NothingChosenError(f"no row of {place} is {printable(asked)}", near)


def near_it(near: list[str]) -> str:
    """Return how a reason ends that lists the names which may have been meant."""
    return f"; near it: {', '.join(printable(text) for text in near[:5])}" if near else ""


# --- PMU columns ------------------------------------------------------------------------------


def pmu_column(place: str, columns: Collection[str], name: str) -> str:
    """Return the DataFrame name of a PMU column of a table; its unit suffix may be left out.

    Raises NotMeasuredError where there is none of that name.
    """
    found = next((name + suffix for suffix in _PMU_SUFFIXES if name + suffix in columns), None)
    if found is None:
        near = difflib.get_close_matches(name, sorted(columns), 3)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise NotMeasuredError(f'{place} has no PMU column "{printable(name)}"{hint}')
    return found


def pmu_mean(rows: OpRows, select: Selector, column: str) -> Number:
    """Return the duration-weighted mean of a PMU column. Raises NotMeasuredError."""
    mask = _some(rows, selected(rows, select), select)
    values = rows.column(column).to_numpy()
    if values.dtype != np.float64:
        raise NotMeasuredError(f"{rows.place} has texts in {column}, not numbers")
    there = mask & ~np.isnan(values)
    count = int(there.sum())
    coverage = Fraction(count, int(mask.sum()))
    if coverage < PMU_COVERAGE:
        chosen_rows = many(int(mask.sum()), "row")
        raise NotMeasuredError(
            f"{rows.place} has {column} in {count} of {chosen_rows}; 95 % are needed"
        )
    return Number(_weighted(values[there], rows.durations(there)), count, coverage)


def _weighted(values: npt.NDArray[np.float64], weights: Ns) -> Fraction:
    """Return the exact weighted mean of numbers with up to six decimals."""
    whole = int(weights.sum())
    if not whole:
        raise NotMeasuredError(
            "the selected rows took 0 ns, so no mean can be weighted by duration"
        )
    # In Python's integers: cycles times nanoseconds are more than 64 bits.
    scaled = [int(value) for value in np.rint(values * _PMU_DECIMALS).tolist()]
    total = sum(value * weight for value, weight in zip(scaled, weights.tolist(), strict=True))
    return Fraction(total, whole * _PMU_DECIMALS)
