"""``npuperf show``: a profile, area by area, in the order in which a bottleneck is looked for.

Of a file about a quantised model there is one area.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import __version__
from pytest_npuperf.accuracy.recognise import recognise
from pytest_npuperf.catalogue import OP_TABLES
from pytest_npuperf.commands import (
    host_areas,
    kernel_areas,
    op_areas,
    quantised_areas,
    run_areas,
)
from pytest_npuperf.commands.area import Area, Cell
from pytest_npuperf.commands.progress import progress
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.measure import notes_on
from pytest_npuperf.model import JSON
from pytest_npuperf.profile import Profile, open_profile
from pytest_npuperf.profile.opprof_tables import OPPROF_TABLES
from pytest_npuperf.profile.steps import Scope

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
KERNEL_AREAS: tuple[ReadArea, ...] = (kernel_areas.kernels, kernel_areas.kernel_cores)
"""Of what ``msprof op`` wrote, which has none of the others."""
BY: Mapping[str, tuple[ReadArea, ...]] = {
    "type": (op_areas.op_types,),
    "op": (op_areas.ops, kernel_areas.kernels),
    "core": (op_areas.cores, kernel_areas.kernel_cores),
    "step": (run_areas.step_time, run_areas.steps),
    "api": (host_areas.apis,),
    "layer": (run_areas.layers,),
}
"""What ``--by`` can choose."""


@dataclass(frozen=True)
class Scopes:
    """Whether tables hold the whole run, or single steps of it; None where there are none."""

    ops: Scope | None
    timeline: Scope | None


@dataclass(frozen=True)
class Shown:
    """What is said of a profile, or of a file about a quantised model."""

    path: Path
    scopes: Scopes | None
    """None where single areas were asked for, or there is no profile."""
    tables: tuple[str, ...]
    unread: tuple[str, ...]
    """Names of files that no table claims."""
    lost: tuple[str, ...]
    """What is said of tables whose export failed."""
    notes: tuple[str, ...]
    """What else is to be known of the tables behind the areas."""
    areas: tuple[Area, ...]


def look_at(path: Path, top: int, by: str | None) -> Shown:
    """Return the areas of a profile, or the chosen ones; or that of a file about a quantised model.

    Raises ProfileError or AccuracyError.
    """
    if files := recognise(path):
        if by is not None:
            raise AccuracyError(f"{path}: about a quantised model, and no profile; leave --by out")
        area, notes = quantised_areas.look_into(path, files, top)
        return Shown(path, None, (), (), (), notes, (area,))
    with progress() as on_bytes:
        profile = open_profile(path, on_bytes=on_bytes)
        areas = tuple(read(profile, top) for read in _chosen(profile, by))
        scopes = None if by else _scopes(profile)
        notes = _notes(profile, areas, is_whole=by is None)
    unread = tuple(name for unit in profile.units for name in unit.unknown)
    return Shown(path, scopes, profile.tables, unread, profile.lost, notes, areas)


def _chosen(profile: Profile, by: str | None) -> Sequence[ReadArea]:
    """Return the areas that are asked for and about what the profile is about.

    Where nothing is both, the areas say themselves what they need.
    """
    of_kernels = {table.name for table in OPPROF_TABLES}
    about = (
        *(AREAS if set(profile.tables) - of_kernels else ()),
        *(KERNEL_AREAS if set(profile.tables) & of_kernels else ()),
    )
    return about if by is None else [area for area in BY[by] if area in about] or BY[by]


def _notes(profile: Profile, areas: Sequence[Area], is_whole: bool) -> tuple[str, ...]:
    """Return what is to be known of the tables behind the areas, and of a whole profile."""
    behind = {table for area in areas for table in area.spec.needs}
    # To tell that tables differ, more must be read than a single area needs.
    differing = profile.doubts if is_whole else ()
    return (*differing, *notes_on(profile, behind))


def _scopes(profile: Profile) -> Scopes:
    has_ops = any(table in profile.tables for table in OP_TABLES)
    return Scopes(profile.scope if has_ops else None, run_areas.timeline_scope(profile))


def as_json(shown: Shown) -> JSON:
    """Return it as plain data: times in whole ns; a mean or a percentile may have a fraction."""
    return {
        "format": FORMAT,
        "version": __version__,
        "profile": str(shown.path),
        "scope": None if shown.scopes is None else asdict(shown.scopes),
        "tables": list(shown.tables),
        "unread": list(shown.unread),
        "lost": list(shown.lost),
        "notes": list(shown.notes),
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
