"""What ``npuperf show`` prints in a terminal with colours: the same, in tables of rich."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pytest_npuperf.commands.area import Area, Field
from pytest_npuperf.commands.render import LABEL, cells, facts, missing, reason, rest, spaced
from pytest_npuperf.commands.show import Shown
from pytest_npuperf.text import clipped, columns

_ENDLESS = 10_000
"""Wider than any table, to ask for its least width."""


def coloured(shown: Shown, width: int) -> str:
    """Return the text for a terminal with colours, with the codes for them."""
    console = Console(width=width, force_terminal=True, highlight=False, markup=False, emoji=False)
    with console.capture() as capture:
        for line in facts(shown, width):
            console.print(Text.assemble((line[:LABEL], "bold"), line[LABEL:]))
        for gap, area in spaced(shown):
            for line in gap:
                console.print(line)
            _print(console, area)
        for line in missing(shown, width):
            console.print(Text(line, style="dim"))
    return capture.get()


def _print(console: Console, area: Area) -> None:
    if area.reason:
        for line in reason(area, console.width):
            console.print(Text(line, style="dim"))
        return
    console.print(Text(area.spec.title, style="bold cyan"))
    console.print(_fitting(console, area))
    for line in rest(area):
        console.print(Text(line, style="dim"))


def _fitting(console: Console, area: Area) -> Table:
    """Return a table without the columns for which there is no room."""
    fields, rows = cells(area)
    kept = list(range(len(fields)))
    droppable = [index for index in kept if fields[index].drop]
    for gone in sorted(droppable, key=lambda index: -fields[index].drop):
        if _least_width(console, _table(fields, rows, kept)) <= console.width:
            break
        kept.remove(gone)
    return _table(fields, rows, kept)


def _least_width(console: Console, table: Table) -> int:
    # As if there were room for all: no answer is above the width that it is given.
    return table.__rich_measure__(console, console.options.update(width=_ENDLESS)).minimum


def _table(fields: Sequence[Field], rows: Sequence[Sequence[str]], kept: Sequence[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for field in (fields[index] for index in kept):
        table.add_column(
            _Clipped(field.heading),
            justify="left" if field.dimension is None else "right",
            no_wrap=not (field.least or field.is_prose),
        )
    for row in rows:
        table.add_row(*(_renderable(fields[index], row[index]) for index in kept))
    return table


def _renderable(field: Field, text: str) -> Text | _Clipped:
    return Text(text) if field.is_prose else _Clipped(text, field.least)


class _Clipped:
    """A text that gives up its middle where there is little room."""

    def __init__(self, text: str, least: int = 0) -> None:
        self._text = text
        self._widest = columns(text)
        self._least = min(least or self._widest, self._widest)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(clipped(self._text, options.max_width), no_wrap=True)

    def __rich_measure__(self, _: Console, __: ConsoleOptions) -> Measurement:
        return Measurement(self._least, self._widest)
