"""A damaged profile never passes what the whole one fails, and never ends in a traceback.

Each seed damages one table of a recording in one way and judges it by limits that the whole
profile is just over. What no reader can see is told from the damage itself, not from its outcome;
``pytest -rP`` lists it.
"""

from __future__ import annotations

import csv
import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import pytest

from pytest_npuperf.catalogue import AI_CORES, COMMUNICATION, LEFT_OUT, METRICS
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import (
    Judged,
    LaneMeasurement,
    Limit,
    Selector,
    StepOptions,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_FILE
from pytest_npuperf.units import Dimension

pytestmark = pytest.mark.recordings

Judge = Callable[..., dict[Limit, Judged]]

CHUNKS, SEEDS = 20, 100
HANG_S = 60

# --- recordings and their limits --------------------------------------------------------------

WEIGHTS = {
    "msprof-cann85-dsa": 8,
    "torch-npu-10-steps": 8,
    "op-summary-cann5-fixture/op_summary.csv": 2,
    "op-summary-cann5-fixture/op_summary_0_1.csv": 2,
    "torch-npu-quoted-tabs": 4,
    "torch-npu-level0": 5,
    "torch-npu-910b-level1/rank0_ascend_pt": 5,
    "torch-npu-910b-level1": 2,
    "torch-npu-910a-level1/rank1_ascend_pt": 3,
    "torch-npu-910a-level1": 1,
    "torch-npu-cann85": 5,
    "torch-npu-cann70": 2,
    "torch-npu-cann83-level2": 1,
    "msprof-ascend950-l1": 1,
}
"""How often each is damaged: small ones are read in less time."""

ABSENT = ("N/A", "NA", "")
TEXT_COLUMNS = ("op_name", "op_type", "task_type", "name", "api_level")


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


def over(wanted: Wanted, dimension: Dimension, values: Sequence[Value]) -> Iterator[Limit]:
    """Yield limits that the measured value is just over, and just under."""
    numbers = [value.value for value in values if value.value is not None]
    if len(numbers) < len(values):
        return
    least = Fraction(1, 10**9) if dimension is Dimension.SHARE else Fraction(1)
    if max(numbers):
        yield Limit(wanted, dimension, at_most=max(numbers) - least)
    yield Limit(wanted, dimension, at_least=min(numbers) + least)


def rules(metric: str, times: Sequence[str], select: Selector) -> Iterator[tuple[Wanted, Dimension]]:
    yield Wanted(metric, "count", select), Dimension.COUNT
    for statistic in times:
        yield Wanted(metric, statistic, select), Dimension.TIME


def asked(lanes: Sequence[LaneMeasurement], apis: Sequence[str]) -> Iterator[tuple[Wanted, Dimension]]:
    """Yield every number that a budget could ask of a profile."""
    for metric in METRICS.values():
        if metric.distribution:
            for statistic in ("min", "mean", "p50", "max"):
                yield Wanted(metric.name, statistic), Dimension.TIME
            yield Wanted(metric.name, "count"), Dimension.COUNT
        else:
            yield Wanted(metric.name), metric.dimension
    times = ("total", "mean", "p50", "min", "max")
    every = Selector(name=("*",))
    yield from rules("ops", times, every)
    for row in lanes[0].ops[:4]:
        yield from rules("ops", (*times, "total_per_step"), Selector(type=(row.type,)))
        yield Wanted("ops", "share", Selector(type=(row.type,))), Dimension.SHARE
    for core in sorted({row.core for row in lanes[0].ops}):
        yield from rules("ops", ("total",), Selector(task_type=(core,)))
    for name in ("*", *apis[:3]):
        yield from rules("apis", ("total", "mean", "min", "max"), Selector(name=(name,)))


def failing_limits(path: Path, sheets: Sequence[Sheet]) -> tuple[Limit, ...]:
    profile = open_profile(path)
    lanes = tuple(measure(profile, []).lanes.values())
    apis = [
        sheet.cell(row, "name")
        for sheet in sheets
        if sheet.table == "api_statistic"
        for row in range(1, len(sheet.cells))
    ]
    wanted = dict(asked(lanes, apis))
    measured = measure(profile, wanted).lanes.values()
    return tuple(
        limit
        for each, dimension in wanted.items()
        for limit in over(each, dimension, [lane.values[each] for lane in measured])
    )


@pytest.fixture(scope="module")
def recorded(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Copies that may be damaged, by name; each test leaves them whole."""
    base = tmp_path_factory.mktemp("recordings")
    return {name: copied(recordings / name, base / name) for name in WEIGHTS}


def copied(source: Path, path: Path) -> Recorded:
    files = [source] if source.is_file() else [*source.rglob("*.csv"), *source.rglob("*info*.json")]
    for file in files:
        copy = path / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    tables = [path] if path.is_file() else sorted(path.rglob("*.csv"))
    sheets = tuple(Sheet(table, table.read_bytes()) for table in tables)
    sheets = tuple(sheet for sheet in sheets if sheet.stem in BY_FILE)
    return Recorded(path, sheets, failing_limits(path, sheets))


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
LEVEL_0 = "a collective's type removed at level 0, where no kernel has one"
REMOVED = "whole lines removed where no second table has them"
DOUBLED = "whole lines doubled where no second table has them"


def counted_elsewhere(recorded: Recorded, sheet: Sheet, row: int, more: bool) -> bool:
    """Return whether another table says that a row was there, or was there once."""
    if sheet.table == "op_summary":
        core = sheet.cell(row, "task_type")
        typed = sheet.cell(row, "op_type") not in ABSENT and core not in ABSENT
        listed = typed and core not in COMMUNICATION + LEFT_OUT
        return bool(recorded.beside(sheet, "op_statistic") and listed) or (
            # An op_summary has sub tasks that a task_time has not: too many cannot be told.
            bool(recorded.beside(sheet, "task_time")) and core in AI_CORES and not more
        )
    if sheet.table == "op_statistic":
        share = float(sheet.cell(row, "ratio_percent"))
        rounding = 0.002 * len(sheet.cells)
        return more or share > rounding or bool(recorded.beside(sheet, "op_summary"))
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
    return DOUBLED if more else REMOVED


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
    if rng.random() < 0.5:
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
        ["N/A", "", "NaN", "nan", "inf", "-inf", f"-{old}", old + "9" * 25, "1" * 5000, old + "\0"]
    )
    cells = [
        [*line[:at], new, *line[at + 1 :]] if number in rows else line
        for number, line in enumerate(sheet.cells)
    ]
    place = "every line" if everywhere else f"line {row + 1}"
    what = f"{sheet.columns[at]} of {place} set to {new[:20]!r}"
    return Damage(what, written(sheet, cells), cell_unseen(recorded, sheet, at, rows, new))


def cell_unseen(
    recorded: Recorded, sheet: Sheet, at: int, rows: Sequence[int], new: str
) -> str:
    column = sheet.columns[at]
    if column not in TEXT_COLUMNS or "\0" in new:
        return ""
    if new in ABSENT:
        no_types = all(sheet.cell(row, "op_type") in ABSENT for row in range(1, len(sheet.cells)))
        return LEVEL_0 if column == "task_type" and no_types else ""
    if column in ("op_type", "task_type") and sheet.table == "op_summary":
        statistic = column == "task_type" or recorded.beside(sheet, "op_statistic")
        if statistic and any(counted_elsewhere(recorded, sheet, row, False) for row in rows):
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


def damage(seed: int, recorded: dict[str, Recorded]) -> tuple[Recorded, Sheet, Damage]:
    """Choose a recording, one of its tables and a way to damage it."""
    rng = random.Random(seed)
    (name,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
    chosen = recorded[name]
    weights = [3 if sheet.table == "op_summary" else 1 for sheet in chosen.sheets]
    (sheet,) = rng.choices(chosen.sheets, weights)
    (way,) = rng.choices(list(WAYS), list(WAYS.values()))
    return chosen, sheet, way(rng, chosen, sheet)


# --- what comes of it -------------------------------------------------------------------------


@contextmanager
def no_hang() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise AssertionError(f"not done after {HANG_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(judged: Judge, recorded: Recorded, sheet: Sheet, harm: Damage) -> str:
    """Return what a damaged table led to: ``refused``, ``seen``, ``fault: ...`` or what hid it."""
    sheet.path.write_bytes(harm.data)
    try:
        with no_hang():
            found = judged(recorded.path, recorded.limits)
    except NpuperfError as err:
        if harm.harmless or "\n" in str(err):
            return f"fault: {err}"
        return "refused"
    except Exception as err:
        return f"fault: {type(err).__name__}: {err}"
    finally:
        sheet.path.write_bytes(sheet.data)
    changed = [each for each in found.values() if each.verdict is not Verdict.FAILED]
    passed = [each for each in changed if each.verdict is Verdict.PASSED]
    if harm.harmless:
        return f"fault: {changed[0].reason}" if changed else "same"
    if passed and not harm.hidden:
        return f"fault: PASSED {len(passed)} limits: {passed[0].reason}"
    return harm.hidden if passed else "seen"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_damage_passes_what_the_whole_profile_fails(
    recorded: dict[str, Recorded], recordings: Path, judged: Judge, chunk: int
) -> None:
    told = []
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        profile, sheet, harm = damage(seed, recorded)
        came = outcome(judged, profile, sheet, harm)
        told.append((came, f"seed {seed}: {sheet.path.parent.name}/{sheet.path.name}: {harm.what}"))
    counts = Counter(came.partition(":")[0] for came, _ in told)
    hidden = [f"{came}: {what}" for came, what in told if came in (CUT, TEXT, LEVEL_0, REMOVED, DOUBLED)]
    print(*(f"{count:4} {came}" for came, count in counts.most_common()), *hidden, sep="\n")
    faults = [f"{what}: {came}" for came, what in told if came.startswith("fault")]
    assert not faults, "\n".join(faults)
    assert len(hidden) <= SEEDS // 4, "\n".join(hidden)


def test_every_recording_is_gated_by_many_limits(
    recorded: dict[str, Recorded], judged: Judge
) -> None:
    for name, profile in recorded.items():
        found = judged(profile.path, profile.limits)
        assert {each.verdict for each in found.values()} == {Verdict.FAILED}, name
        assert len(profile.limits) >= 10, name
