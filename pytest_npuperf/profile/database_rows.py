"""Ops of a database as arrays of whole numbers, and what releases call the columns they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_npuperf.profile.sqlite import NONE, Database, Integers

Names = Mapping[str, tuple[str, ...]]
"""By our name what releases call a column, the one to be believed first."""


@dataclass(frozen=True)
class Ops:
    """Ops; the cells are whole numbers, those of texts their ids in STRING_IDS."""

    tasks: Integers
    """The globalTaskId of a kernel; NONE for a collective."""
    starts: Integers
    ends: Integers
    cells: Mapping[str, Integers]

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, order: Integers) -> Ops:
        """Return the ops at some places."""
        cells = {name: values[order] for name, values in self.cells.items()}
        return Ops(self.tasks[order], self.starts[order], self.ends[order], cells)


def there(database: Database, table: str, names: Names) -> dict[str, str]:
    """Return by our name what a column is called in this database, where it has one."""
    found = {
        ours: [name for name in theirs if database.has(table, name)]
        for ours, theirs in names.items()
    }
    return {ours: theirs[0] for ours, theirs in found.items() if theirs}


def in_order(parts: Sequence[Ops]) -> Ops:
    """Return all ops by device and start; a column that one part lacks is absent there."""
    names = {name for part in parts for name in part.cells}
    ops = Ops(
        np.concatenate([part.tasks for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        {
            name: np.concatenate([part.cells.get(name, np.full(len(part), NONE)) for part in parts])
            for name in names
        },
    )
    return ops.take(np.lexsort((ops.starts, ops.cells["device_id"])))
