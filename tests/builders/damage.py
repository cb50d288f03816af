"""Ways to damage one table of a recording, each with what no reader can see of it."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, LEFT_OUT
from pytest_npuperf.model import Limit
from pytest_npuperf.profile.tables import BY_FILE

ABSENT = ("N/A", "NA", "")
SEEN_SHARE = 0.01
"""A row of an op_statistic with so many percent is missed by the shares of the others."""
TEXT_COLUMNS = ("op_name", "op_type", "name", "api_level")


@dataclass(frozen=True)
class Sheet:
    """One table of a recording, as bytes and as cells."""

    path: Path
    data: bytes

    @cached_property
    def lines(self) -> list[bytes]:
        return self.data.splitlines(keepends=True)

    @cached_property
    def cells(self) -> list[list[str]]:
        return list(csv.reader(self.data.decode().splitlines(keepends=True)))

    @property
    def stem(self) -> str:
        return self.path.name.split(".")[0].rstrip("0123456789_")

    @property
    def table(self) -> str:
        return BY_FILE[self.stem].name

    @cached_property
    def columns(self) -> list[str]:
        return [BY_FILE[self.stem].column(header).name for header in self.cells[0]]

    def cell(self, row: int, column: str) -> str:
        """Return a cell without blanks; absent where there is no such column."""
        if column not in self.columns:
            return ""
        return self.cells[row][self.columns.index(column)].strip()


@dataclass(frozen=True)
class Recorded:
    """A copy of a recording, and the limits that it fails."""

    path: Path
    sheets: tuple[Sheet, ...] = field(repr=False)
    limits: tuple[Limit, ...] = field(repr=False)

    def beside(self, sheet: Sheet, table: str) -> Sheet | None:
        """Return another table of the same process."""
        return next(
            (
                each
                for each in self.sheets
                if each.table == table and each.path.parent == sheet.path.parent
            ),
            None,
        )


# --- damage -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Damage:
    """A damaged table; ``hidden`` says why no reader can see it, empty where one must."""

    what: str
    data: bytes
    hidden: str = ""
    harmless: bool = False
    """Whether the table still says the same."""


CUT = "digits cut from the very last cell"
TEXT = "text put into a name or type column"
REMOVED = "whole lines removed where no second table has them"
DOUBLED = "lines doubled where no second table has them and their order does not tell"
HIDDEN = (CUT, TEXT, REMOVED, DOUBLED)


def counted_elsewhere(recorded: Recorded, sheet: Sheet, row: int, more: bool) -> bool:
    """Return whether another table says that a row was there, or was there once."""
    if sheet.table == "op_summary":
        core = sheet.cell(row, "task_type")
        typed = sheet.cell(row, "op_type") not in ABSENT and core not in ABSENT
        listed = typed and core not in COMMUNICATION + LEFT_OUT
        if recorded.beside(sheet, "op_statistic") and listed:
            return True
        # An op_summary has sub tasks that a task_time has not, and collectives may overlap: too
        # many of either cannot be told.
        others = {"task_time": AI_CORES, "step_trace_time": COMMUNICATION}
        told = [core in cores for name, cores in others.items() if recorded.beside(sheet, name)]
        return any(told) and not more
    if sheet.table == "op_statistic":
        share = float(sheet.cell(row, "ratio_percent"))
        return more or share > SEEN_SHARE or bool(recorded.beside(sheet, "op_summary"))
    if sheet.table == "step_trace_time":
        kernels = recorded.beside(sheet, "op_summary")
        return more or bool(kernels and "step_id" in kernels.columns)
    return more


def rows_changed(recorded: Recorded, sheet: Sheet, rows: Sequence[int], more: bool = False) -> str:
    """Return why nobody sees that rows are gone, or there twice; empty where one can."""
    if 0 in rows or (not more and len(rows) == len(sheet.cells) - 1):
        return ""
    if any(counted_elsewhere(recorded, sheet, row, more) for row in rows):
        return ""
    if more and len(rows) == 1 and is_sorted(sheet):
        return ""
    return DOUBLED if more else REMOVED


def is_sorted(sheet: Sheet) -> bool:
    """Return whether rows come in the order of their start; then one that is there twice shows."""
    starts = [sheet.cell(row, "task_start_ns") for row in range(1, len(sheet.cells))]
    return starts == sorted(starts) and bool(starts[0])


def cut(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    """Cut a table at any byte; often near its end."""
    near = sum(map(len, sheet.lines[-2:]))
    start = len(sheet.data) - near if rng.random() < 0.4 else 0
    at = rng.randrange(start, len(sheet.data))
    kept = sheet.data[:at].splitlines(keepends=True)
    return Damage(f"cut at byte {at}", sheet.data[:at], cut_unseen(recorded, sheet, kept))


def cut_unseen(recorded: Recorded, sheet: Sheet, kept: list[bytes]) -> str:
    if len(kept) < 2:
        return ""
    last = kept[-1].rstrip(b"\r\n")
    whole = sheet.lines[len(kept) - 1].rstrip(b"\r\n")
    (cells,) = csv.reader([last.decode(errors="replace")])
    if len(cells) < len(sheet.columns) or last.count(b'"') % 2:
        return ""
    lost = range(len(kept), len(sheet.lines))
    if lost:
        return rows_changed(recorded, sheet, lost)
    return CUT if last != whole else REMOVED


def some_rows(rng: random.Random, sheet: Sheet) -> list[int]:
    many = rng.choice([1, 1, 1, 2, 5, len(sheet.lines) // 2])
    first = rng.randrange(len(sheet.lines))
    return list(range(first, min(first + max(many, 1), len(sheet.lines))))


def drop_lines(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    rows = some_rows(rng, sheet)
    data = b"".join(line for row, line in enumerate(sheet.lines) if row not in rows)
    what = f"{len(rows)} lines from line {rows[0] + 1} dropped"
    return Damage(what, data, rows_changed(recorded, sheet, rows))


def double_lines(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    rows = some_rows(rng, sheet)
    end = b"" if sheet.data.endswith(b"\n") else b"\n"
    repeated = [sheet.lines[row] for row in rows]
    if len(rows) > 1 and rng.random() < 0.5:
        data = sheet.data + end + b"".join(repeated)
    else:
        at = rows[-1] + 1
        data = b"".join([*sheet.lines[:at], end if at == len(sheet.lines) else b"", *repeated])
        data += b"".join(sheet.lines[at:])
    what = f"{len(rows)} lines from line {rows[0] + 1} doubled"
    return Damage(what, data, rows_changed(recorded, sheet, rows, more=True))


def written(sheet: Sheet, cells: Sequence[Sequence[str]]) -> bytes:
    """Return cells as a table, with the line ends of the sheet."""
    end = "\r\n" if b"\r\n" in sheet.data else "\n"
    quoted = (",".join(quoted_cell(cell) for cell in row) for row in cells)
    return "".join(line + end for line in quoted).encode()


def quoted_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\r\n') else cell


def drop_column(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    at = a_column(rng, sheet)
    cells = [row[:at] + row[at + 1 :] for row in sheet.cells]
    return Damage(f"column {sheet.columns[at]} dropped", written(sheet, cells))


def rename_column(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    at = a_column(rng, sheet)
    old = sheet.cells[0][at]
    new = rng.choice(
        [old + "2", old.upper(), old.replace("(us)", ""), rng.choice(sheet.cells[0]), "", old * 900]
    )
    header = [*sheet.cells[0][:at], new, *sheet.cells[0][at + 1 :]]
    what = f"column {sheet.columns[at]} renamed to {new[:40]!r}"
    return Damage(what, written(sheet, [header, *sheet.cells[1:]]))


def a_column(rng: random.Random, sheet: Sheet) -> int:
    """Return a column; often one that means something to us."""
    known = {column.name for column in BY_FILE[sheet.stem].columns}
    places = [at for at, name in enumerate(sheet.columns) if name in known]
    return rng.choice(places) if rng.random() < 0.8 else rng.randrange(len(sheet.columns))


def change_cells(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    at = a_column(rng, sheet)
    everywhere = rng.random() < 0.1
    row = rng.randrange(1, len(sheet.cells))
    rows = range(1, len(sheet.cells)) if everywhere else [row]
    old = sheet.cells[row][at]
    new = rng.choice(
        ["N/A", "", "NaN", "nan", "inf", "-inf", f"-{old}", "9" * 25 + old, "1" * 5000, old + "\0"]
    )
    cells = [
        [*line[:at], new, *line[at + 1 :]] if number in rows else line
        for number, line in enumerate(sheet.cells)
    ]
    place = "every line" if everywhere else f"line {row + 1}"
    what = f"{sheet.columns[at]} of {place} set to {new[:20]!r}"
    return Damage(what, written(sheet, cells), cell_unseen(recorded, sheet, at, rows, new))


def cell_unseen(recorded: Recorded, sheet: Sheet, at: int, rows: Sequence[int], new: str) -> str:
    column = sheet.columns[at]
    if column not in TEXT_COLUMNS or new in ABSENT or "\0" in new:
        return ""
    types = column == "op_type" and recorded.beside(sheet, "op_statistic")
    if types and any(counted_elsewhere(recorded, sheet, row, False) for row in rows):
        return ""
    return TEXT


def add_bom(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    return Damage("BOM added", b"\xef\xbb\xbf" + sheet.data, harmless=True)


def change_line_ends(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    bare = sheet.data.replace(b"\r\n", b"\n")
    if bare != sheet.data:
        return Damage("CRLF to LF", bare, harmless=True)
    return Damage("LF to CRLF", bare.replace(b"\n", b"\r\n"), harmless=True)


def insert_nul(rng: random.Random, recorded: Recorded, sheet: Sheet) -> Damage:
    at = rng.randrange(len(sheet.data))
    return Damage(f"NUL at byte {at}", sheet.data[:at] + b"\0" + sheet.data[at:])


WAYS = {
    cut: 6,
    drop_lines: 5,
    double_lines: 3,
    change_cells: 8,
    drop_column: 3,
    rename_column: 3,
    insert_nul: 1,
    add_bom: 1,
    change_line_ends: 1,
}
