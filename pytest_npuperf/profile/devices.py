"""Which devices a process used: its tables must know of the same ones, and so must their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.agreement import EDITED, Source
from pytest_npuperf.profile.layouts import Lost, Unit

_TELLING = ("op_summary", "op_statistic", "step_trace", "step_trace_time", "op_basic_info")
"""The tables that say which devices there are, the one to be believed first."""


def devices_of(unit: Unit, source: Callable[[str], Source]) -> list[str]:
    """Return the devices of the first table that has some; ``source`` gives the rows of a table.

    Raises ProfileError where another table, or the name of a file, knows of more.
    """
    tables = [table for table in _TELLING if unit.of(table)]
    lost = [lost for table in _TELLING for lost in unit.failed(table)]
    if not tables:
        named = {lost.file.device for lost in lost} - {None}
        return sorted(map(str, named), key=int) or ["0"]
    main = source(tables[0])
    devices = set(main.rows["device_id"])
    for table in tables[1:]:
        if table == "step_trace_time":
            _refuse_fewer(main, devices, source(table))
        else:
            _refuse_more(main, devices, source(table))
    if main.says_device:
        _refuse_named(main, devices, unit, lost)
    return sorted(devices, key=int)


def _refuse_more(main: Source, devices: set[str], other: Source) -> None:
    """Refuse a device that only another table knows: one of the two lost rows, or the column."""
    more = set(other.rows["device_id"]) - devices
    if other.says_device and more and (main.says_device or len(more) > 1):
        raise _lacking(main, min(more, key=int), other.path)


def _refuse_fewer(main: Source, devices: set[str], steps: Source) -> None:
    """Refuse devices of which not all have steps; torch_npu may number these otherwise, or -1."""
    stepped = set(steps.rows["device_id"])
    if main.says_device and steps.says_device and len(stepped) < len(devices):
        raise ProfileError(
            f"{main.path}: rows of devices {', '.join(sorted(devices, key=int))}, but "
            f"{steps.path.name} has steps of {', '.join(sorted(stepped))} only; {EDITED}"
        )


def _refuse_named(main: Source, devices: set[str], unit: Unit, lost: Sequence[Lost]) -> None:
    """Refuse a device that only the name of a file knows: without it fewer would be judged."""
    known = {None, *devices}
    for each in lost:
        if each.file.device not in known:
            raise ProfileError(each.error)
    for file in unit.files:
        # The rows of these tables tell, and each kernel of `msprof op` is among them.
        is_told = file.table.name in _TELLING or file.kernel
        if not is_told and file.device not in known:
            raise _lacking(main, str(file.device), file.path)


def _lacking(main: Source, device: str, other: Path) -> ProfileError:
    return ProfileError(f"{main.path}: no row of device {device}, which {other.name} has; {EDITED}")
