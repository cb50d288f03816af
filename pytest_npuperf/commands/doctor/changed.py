"""A profile as it would be had something happened to the app: read as it is, then changed."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from pytest_npuperf.commands.doctor.effects import Effect, Given
from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.steps import StepCount


class ChangedProfile(Profile):
    """A profile whose tables are those of another, changed in memory.

    They are checked against each other as they were: of a changed one not all tables change.
    """

    def __init__(self, base: Profile, effect: Effect, amount: int) -> None:
        super().__init__(base.path, base.units)
        self._base, self._effect, self._amount = base, effect, amount
        self.lanes = base.lanes

    def steps(self, lane: Lane, options: StepOptions | None = None) -> StepCount:
        """Return how many steps there are: as many as before, whatever became of their ops."""
        return self._base.steps(lane, options)

    def lane_rows(
        self, lane: Lane, table: str, columns: Collection[str] = ()
    ) -> pd.DataFrame | None:
        """Return the rows of one lane as they would be."""
        rows = self._base.lane_rows(lane, table, {*columns, *self._effect.columns})
        return None if rows is None else self._changed(lane.unit, table, rows)

    def unit_rows(
        self, unit: int, table: str, columns: Collection[str] | None = ()
    ) -> pd.DataFrame:
        """Return a unit's table as it would be."""
        wanted = None if columns is None else {*columns, *self._effect.columns}
        return self._changed(unit, table, self._base.unit_rows(unit, table, wanted))

    def _changed(self, unit: int, table: str, rows: pd.DataFrame) -> pd.DataFrame:
        return self._effect.change(Given(table, rows, self._first_ns(unit)), self._amount)

    def _first_ns(self, unit: int) -> int | None:
        """Return when the first op of a unit starts; None where the profile does not say."""
        if not self.units[unit].of("op_summary"):
            return None
        rows = self._base.unit_rows(unit, "op_summary")
        if "task_start_ns" not in rows or rows["task_start_ns"].isna().all():
            return None
        return int(rows["task_start_ns"].min())
