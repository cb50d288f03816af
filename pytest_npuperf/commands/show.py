"""``npuperf show``: a profile, area by area, in the order in which a bottleneck is looked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import __version__
from pytest_npuperf.commands import host_areas, op_areas, run_areas
from pytest_npuperf.commands.area import Area, Cell
from pytest_npuperf.commands.progress import progress
from pytest_npuperf.model import JSON
from pytest_npuperf.profile import Profile, open_profile

# The history of the JSON that --json writes.
#   1  (0.1.0) the first.
FORMAT = 1

ReadArea = Callable[[Profile, int], Area]

AREAS: tuple[ReadArea, ...] = (
    run_areas.lanes,
    run_areas.layers,
    op_areas.op_types,
    op_areas.ops,
    op_areas.cores,
    run_areas.step_time,
    run_areas.steps,
    host_areas.apis,
    host_areas.fusion,
    host_areas.memory,
    host_areas.advice,
)
BY: Mapping[str, tuple[ReadArea, ...]] = {
    "type": (op_areas.op_types,),
    "op": (op_areas.ops,),
    "core": (op_areas.cores,),
    "step": (run_areas.step_time, run_areas.steps),
    "api": (host_areas.apis,),
    "layer": (run_areas.layers,),
}
"""What ``--by`` can choose."""


@dataclass(frozen=True)
class Shown:
    """What is said of a profile."""

    path: Path
    scope: str
    """``run`` or ``step``; empty where single areas were asked for."""
    tables: tuple[str, ...]
    unread: tuple[str, ...]
    """Names of files that no table claims."""
    areas: tuple[Area, ...]


def look_at(path: Path, top: int, by: str | None) -> Shown:
    """Return the areas of a profile, or the chosen one. Raises ProfileError."""
    with progress() as on_bytes:
        profile = open_profile(path, on_bytes=on_bytes)
        areas = tuple(read(profile, top) for read in (BY[by] if by else AREAS))
    unread = tuple(name for unit in profile.units for name in unit.unknown)
    return Shown(path, "" if by else profile.scope, profile.tables, unread, areas)


def as_json(shown: Shown) -> JSON:
    """Return it as plain data: times in whole ns; a mean or a percentile may have a fraction."""
    return {
        "format": FORMAT,
        "version": __version__,
        "profile": str(shown.path),
        **({"scope": shown.scope} if shown.scope else {}),
        "tables": list(shown.tables),
        "unread": list(shown.unread),
        "areas": {area.spec.key: _area_as_json(area) for area in shown.areas},
    }


def _area_as_json(area: Area) -> JSON:
    keys = [field.key for field in area.fields]
    rows = [dict(zip(keys, map(_cell_as_json, row), strict=True)) for row in area.rows]
    return {"rows": rows, "more": area.more, "reason": area.reason}


def _cell_as_json(cell: Cell) -> JSON:
    if isinstance(cell, Fraction):
        return cell.numerator if cell.denominator == 1 else float(cell)
    return cell
