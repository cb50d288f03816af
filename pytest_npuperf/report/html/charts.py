"""The charts of a case, each with what it shows in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.report.causes import signed
from pytest_npuperf.report.html.changes import Change, Part
from pytest_npuperf.report.html.operators import Work
from pytest_npuperf.report.html.steps import Steps
from pytest_npuperf.report.html.svg import BAD, GOOD, INK, SERIES, SOFT, WIDTH, Drawing, Point
from pytest_npuperf.text import clipped, printable
from pytest_npuperf.units import Dimension, show

_ROW, _BAR = 22, 14
"""The height of a row, and of the bar in it."""
_NAMES = 24
"""The columns that a name has."""
_LEFT, _RIGHT = 170, WIDTH - 70
"""Where bars begin, right of the names, and end, left of the values."""
_TYPES = 12
"""How many op types have a bar of their own; the rest have one together."""


@dataclass(frozen=True)
class Chart:
    """A drawing as SVG, which carries what it shows in words, and the title above it."""

    title: str
    svg: str


def _time(ns: Fraction | int) -> str:
    return show(Fraction(ns), Dimension.TIME)


def _row(drawing: Drawing, at: int, name: str) -> float:
    """Write the name of a row, and return the middle of it."""
    y = (at + 0.5) * _ROW
    drawing.text(_LEFT - 8, y, clipped(printable(name), _NAMES), end=True)
    return y


# --- op types ---------------------------------------------------------------------------------

_Times = Mapping[str, Fraction]
"""Times in ns by name, the most first."""

_COLOURS = {
    "AI_CORE": SERIES[0],
    "AI_VECTOR_CORE": SERIES[1],
    "AI_CPU": SERIES[2],
    "MIX_AIC": SERIES[3],
    "MIX_AIV": SERIES[3],
    **dict.fromkeys(COMMUNICATION, SERIES[4]),
}
"""The same in every case; the other cores share one."""
_NO_CORE = "(no core)"


def work_chart(work: Sequence[Work], of: str) -> Chart:
    """Draw a bar for each core, and for each op type one of a piece for each of its cores."""
    cores = _summed((each.core, each.total) for each in work)
    types = _by_type(work)
    totals = {name: sum(pieces.values(), Fraction(0)) for name, pieces in types.items()}
    drawing = Drawing((len(cores) + len(types) + 1) * _ROW)
    for at, (core, total) in enumerate(cores.items()):
        _bar(drawing, at, core or _NO_CORE, {core: total}, max(cores.values()))
    for at, (name, pieces) in enumerate(types.items(), len(cores) + 1):
        _bar(drawing, at, name, pieces, max(totals.values()))
    words = f"By core: {_told(cores)}. By op type: {_told(totals)}."
    return Chart(f"Time by core and by op type{of}", drawing.as_svg(words))


def _by_type(work: Sequence[Work]) -> dict[str, _Times]:
    """Return the times by core of each op type that has a bar, and of the rest together."""
    names = list(_summed((each.type, each.total) for each in work))
    rest = f"{len(names) - _TYPES} more"
    bars: dict[str, list[tuple[str, Fraction]]] = {name: [] for name in names[:_TYPES]}
    for each in work:
        bar = each.type if each.type in bars else rest
        bars.setdefault(bar, []).append((each.core, each.total))
    return {name: _summed(pieces) for name, pieces in bars.items()}


def _summed(times: Iterable[tuple[str, Fraction]]) -> _Times:
    sums: dict[str, Fraction] = {}
    for name, ns in times:
        sums[name] = sums.get(name, Fraction(0)) + ns
    return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def _bar(drawing: Drawing, at: int, name: str, pieces: _Times, longest: Fraction) -> None:
    """Draw a row: its name, the pieces of its bar, and their sum."""
    y, x = _row(drawing, at, name), float(_LEFT)
    for core, ns in pieces.items():
        end = x + _share(ns, longest) * (_RIGHT - _LEFT)
        drawing.bar(x, end, y, _BAR, _COLOURS.get(core, SERIES[-1]))
        x = end
    drawing.text(x + 6, y, _time(sum(pieces.values(), Fraction(0))))


def _share(part: Fraction | int, whole: Fraction | int) -> float:
    return float(part / Fraction(whole)) if whole else 0.0


def _told(times: _Times) -> str:
    return ", ".join(f"{name or _NO_CORE} {_time(ns)}" for name, ns in times.items())


# --- what a change is made of -----------------------------------------------------------------


def change_chart(change: Change) -> Chart:
    """Draw a waterfall: each part begins where the one before it has ended."""
    parts = change.parts
    ends = [0, *accumulate(part.delta for part in parts)]
    place = _Scale.of(ends, _LEFT, _RIGHT)
    drawing = Drawing((len(parts) + 1) * _ROW)
    for at, (part, (start, end)) in enumerate(zip(parts, pairwise(ends), strict=True)):
        _part(drawing, at, part, place(start), place(end), BAD if part.delta > 0 else GOOD)
        # From this bar to the one below, which begins here.
        drawing.lines([((place(end), (at + 0.5) * _ROW), (place(end), (at + 1.5) * _ROW))], SOFT)
    _part(drawing, len(parts), Part("together", change.total), place(0), place(change.total), INK)
    title = f"What {change.title} has changed by"
    return Chart(title, drawing.as_svg(str(change)))


def _part(drawing: Drawing, at: int, part: Part, start: float, end: float, colour: str) -> None:
    y = _row(drawing, at, part.text)
    drawing.bar(min(start, end), max(start, end), y, _BAR, colour)
    drawing.text(max(start, end) + 6, y, signed(part.delta))


# --- steps ------------------------------------------------------------------------------------

_FROM, _TO, _TOP, _BOTTOM = 64, WIDTH - 118, 14, 176
"""The box in which steps are drawn."""
_MARKS = 240
"""How many marks there are at most: each is of one step, or of as many as must share it."""
_GAP = 15
"""How far apart texts beside the box are."""


def steps_chart(steps: Steps) -> Chart:
    """Draw each step as a mark, and across them the limits, and what was before."""
    every = steps.all
    place = _Scale.of([*every, *(line.value for line in steps.lines)], _BOTTOM, _TOP)
    wide = (_TO - _FROM) / len(every)
    drawing = Drawing(_BOTTOM + 28)
    starts = [_FROM + wide * start for start in steps.starts]
    drawing.lines([((x, _TOP), (x, _BOTTOM)) for x in starts], SOFT)
    shared = -(-len(every) // _MARKS)
    marks = [
        _mark(every[at : at + shared], _FROM + wide * (at + shared / 2), place)
        for at in range(0, len(every), shared)
    ]
    drawing.lines(marks, SERIES[0], width=min(max(wide * shared * 0.7, 1), 8))
    _beside(drawing, steps, place)
    return Chart("Step times in order", drawing.as_svg(str(steps)))


def _mark(together: Sequence[int], x: float, place: _Scale) -> tuple[Point, Point]:
    """Return the line from the longest of some steps to the shortest."""
    return (x, place(max(together)) - 2), (x, place(min(together)) + 2)


def _beside(drawing: Drawing, steps: Steps, place: _Scale) -> None:
    """Draw the lines with their texts, and the ends of both axes."""
    told = [(place(line.value), line.text, BAD if line.is_limit else SOFT) for line in steps.lines]
    for y, _, colour in told:
        drawing.lines([((_FROM, y), (_TO, y))], colour, dashed=True)
    for y, text, colour in _apart(told):
        drawing.text(_TO + 6, y, text, colour=colour)
    every = steps.all
    ends = [(place(ns), _time(ns), INK) for ns in {max(every), min(every)}]
    for y, text, colour in _apart(ends):
        drawing.text(_FROM - 8, y, text, end=True, colour=colour)
    drawing.text(_FROM, _BOTTOM + 16, "step 1", colour=SOFT)
    if len(every) > 1:
        drawing.text(_TO, _BOTTOM + 16, str(len(every)), end=True, colour=SOFT)


def _apart(texts: Iterable[tuple[float, str, str]]) -> Iterator[tuple[float, str, str]]:
    """Yield texts with their heights, from the top, moved down where they would overlap."""
    free = 0.0
    for y, text, colour in sorted(texts):
        y = max(y, free)
        free = y + _GAP
        yield y, text, colour


@dataclass(frozen=True)
class _Scale:
    """Where values are on the page: the least and the most of them at the ends."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Iterable[Fraction | int], start: float, end: float) -> _Scale:
        numbers = [float(value) for value in values]
        return cls(min(numbers), max(numbers), start, end)

    def __call__(self, value: Fraction | int) -> float:
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (float(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)
