"""What a table is: the names of its files and columns, and what each release calls them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Literal


class Kind(Enum):
    """What the cells of a column hold, and so what they become in a DataFrame."""

    TEXT = "text"
    ID = "id"
    CORE = "core"
    DEVICE = "device"
    HOST = "host"
    START = "start"
    DURATION = "duration"
    NUMBER = "number"
    COUNT = "count"
    SIZE = "size"


@dataclass(frozen=True)
class Column:
    """A column under the name that we give it, with the headers that releases write for it."""

    name: str
    kind: Kind
    headers: tuple[str, ...] = ()
    """The current header first; compared without regard to case. None where we make the column."""
    units: Mapping[str, Fraction] = field(default_factory=dict)
    """By header what a number under it is worth in the unit that our name says; else 1."""
    unit: Fraction = Fraction(1)
    """For the column of one file: taken from ``units``."""


@dataclass(frozen=True)
class Table:
    """A table under the name that we give it, with the file names that hold it."""

    name: str
    files: tuple[str, ...]
    """Of CSV files, and of JSON files with the same rows."""
    columns: tuple[Column, ...]
    traces: tuple[str, ...] = ()
    """Of JSON files with trace events."""
    ragged: bool = False
    """Rows may be short after the last column that we know, and header names may repeat."""
    ends_in_comma: bool = False
    """Each line may end in a comma, after which there is no cell."""
    once_per: Literal["step", "model", "device"] = "step"
    """Which files hold different rows. Where each holds the whole run, whatever model and step
    its name says, the files of one of them are read."""

    @cached_property
    def _by_header(self) -> dict[str, Column]:
        return {header.casefold(): column for column in self.columns for header in column.headers}

    def column(self, header: str) -> Column:
        """Return the column that a header of a file means; one that we do not know is kept."""
        clean = header.strip().strip('"').strip()
        known = self._by_header.get(clean.casefold())
        if known is None:
            return Column(column_name(clean), _unknown_kind(clean), (clean,))
        units = {key.casefold(): unit for key, unit in known.units.items()}
        unit = units.get(clean.casefold(), known.unit)
        return Column(known.name, known.kind, known.headers, unit=unit)

    def header_of(self, name: str) -> str:
        """Return the current header of one of our columns, for messages."""
        return next((c.headers[0] for c in self.columns if c.name == name and c.headers), name)


def column_name(header: str) -> str:
    """Return the DataFrame name of a header: ``aic_mac_time(us)`` is ``aic_mac_time_us``."""
    words = re.sub(r"[^0-9a-z]+", "_", header.replace("%", " percent ").casefold())
    return words.strip("_")


_PMU = re.compile(
    r"(.*_(ratio|rate|time\(us\)|cycles|fops|hit|allocate)(_extra)?|.*_bw.*|.*\(gb/s\)|.*\(kb\)"
    r"|cube_utilization\(%\)|memory_bound|aic(ore)?_time\(us\)|aiv_time\(us\)|total_cycles)"
)


def _unknown_kind(header: str) -> Kind:
    clean = header.casefold()
    # Such as those of reduces, any number of which step_trace has.
    if clean.endswith("duration(us)"):
        return Kind.DURATION
    return Kind.NUMBER if _PMU.fullmatch(clean) else Kind.TEXT


# --- columns by what they hold ----------------------------------------------------------------


def text(name: str, *headers: str) -> Column:
    """Return a column of texts; ids that may be longer than 10 digits are texts, too."""
    return Column(name, Kind.TEXT, headers)


def core(name: str, *headers: str) -> Column:
    """Return a column of task types."""
    return Column(name, Kind.CORE, headers)


def ident(name: str, *headers: str) -> Column:
    """Return a column of ids of at most 10 digits."""
    return Column(name, Kind.ID, headers)


def us(name: str, *headers: str, ns: tuple[str, ...] = ()) -> Column:
    """Return a column of durations in us; under the headers ``ns`` releases write ns."""
    return Column(name, Kind.DURATION, headers + ns, dict.fromkeys(ns, Fraction(1, 1000)))


def count(name: str, *headers: str) -> Column:
    """Return a column of whole numbers."""
    return Column(name, Kind.COUNT, headers)


def number(name: str, *headers: str) -> Column:
    """Return a column of numbers, which may be negative."""
    return Column(name, Kind.NUMBER, headers)


def kb(name: str, header: str, bytes: str = "") -> Column:
    """Return a column of sizes in KiB; under the header ``bytes`` releases write bytes."""
    headers = (header, bytes) if bytes else (header,)
    return Column(name, Kind.SIZE, headers, {bytes: Fraction(1, 1024)} if bytes else {})


def mb(name: str, header: str) -> Column:
    """Return a column of sizes in MiB."""
    return Column(name, Kind.SIZE, (header,))


def starts(name: str, us: tuple[str, ...], ns: tuple[str, ...] = ()) -> Column:
    """Return a column of times in ns; the header says whether a number is in us or in ns."""
    return Column(name, Kind.START, us + ns, dict.fromkeys(us, Fraction(1000)))


_DEVICES = ("Device_id", "Device ID", "Device Id")
DEVICE_ID = Column("device_id", Kind.DEVICE, _DEVICES)
HOST_ID = Column("device_id", Kind.HOST, _DEVICES)
"""Of tables about the host, which stands where the others have a device."""
