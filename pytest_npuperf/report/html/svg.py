"""Drawings as inline SVG: text stays text, and colours are those of the page, light or dark."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from pytest_npuperf.text import printable

with warnings.catch_warnings():
    # Of an old matplotlib on a new library: under "-W error" it could not be imported.
    warnings.simplefilter("ignore")
    import matplotlib
    from matplotlib.backends.backend_svg import RendererSVG
    from matplotlib.colors import to_rgb
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D

WIDTH = 440
"""Units of a drawing; one is a pixel where there is room, and text is 12 of them high."""

INK, SOFT, GOOD, BAD = "#000001", "#000002", "#000003", "#000004"
SERIES = tuple(f"#0001{number:02x}" for number in range(1, 7))
"""Colours that nothing else has, in whose place those of the style sheet are put."""

_VARIABLES = {INK: "--ink", SOFT: "--soft", GOOD: "--good", BAD: "--bad"} | {
    colour: f"--series-{number}" for number, colour in enumerate(SERIES, 1)
}
_COLOUR = re.compile("#[0-9a-f]{6}")
_SVG = "{http://www.w3.org/2000/svg}"
_KEPT = ("d", "style")
_ANONYMOUS = {"Date": None, "Creator": None, "Format": None, "Type": None}


Point = tuple[float, float]
"""Right and down, from the upper left corner."""


class Drawing:
    """A drawing area whose unit is a pixel, with y downwards."""

    def __init__(self, height: float) -> None:
        self._out = io.StringIO()
        # Without a figure, whose parts take as long to import as the page to write. It is untyped.
        self._renderer: Any = RendererSVG(  # type: ignore[no-untyped-call]
            WIDTH, height, self._out, metadata=_ANONYMOUS
        )
        self._place = Affine2D().scale(1, -1).translate(0, height)
        self._texts: list[ElementTree.Element] = []

    def bar(self, left: float, right: float, y: float, height: float, colour: str) -> None:
        """Fill a rectangle of which ``y`` is the middle."""
        top, bottom = y - height / 2, y + height / 2
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        pen = self._renderer.new_gc()
        pen.set_linewidth(0)
        self._renderer.draw_path(pen, Path(corners), self._place, to_rgb(colour))

    def lines(
        self,
        pairs: Sequence[tuple[Point, Point]],
        colour: str,
        width: float = 1,
        dashed: bool = False,
    ) -> None:
        """Draw straight lines, all as one."""
        if not pairs:
            return
        points = [point for pair in pairs for point in pair]
        codes = [Path.MOVETO, Path.LINETO] * len(pairs)
        pen = self._renderer.new_gc()
        pen.set_foreground(colour)
        pen.set_linewidth(width)
        pen.set_dashes(0, (4, 3) if dashed else None)
        self._renderer.draw_path(pen, Path(points, codes), self._place)

    def text(self, x: float, y: float, text: str, end: bool = False, colour: str = INK) -> None:
        """Write a line of text, of which ``y`` is about the middle; ``end``: it ends at ``x``."""
        # Not by matplotlib, which would measure it in a font that the page does not have.
        style = f"text-anchor: {'end' if end else 'start'}; fill: {_themed(colour)}"
        place = {"x": f"{x:g}", "y": f"{y + 4:g}", "style": style}
        element = ElementTree.Element("text", place)
        element.text = printable(text)
        self._texts.append(element)

    def as_svg(self, alternative: str) -> str:
        """Return an element for the page; ``alternative`` is read to who cannot see it."""
        self._renderer.finalize()
        drawn = _inline(self._out.getvalue(), printable(alternative))
        drawn.extend(self._texts)
        return ElementTree.tostring(drawn, encoding="unicode")


@contextmanager
def drawing() -> Iterator[None]:
    """Draw as we say, whatever the settings of the user, and leave them as they were."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rc("path", simplify=False)
        yield


def _inline(svg: str, alternative: str) -> ElementTree.Element:
    """Return what is drawn in an SVG file, without ids and whatever else is of a file."""
    drawn = ElementTree.fromstring(svg)
    box = drawn.attrib["viewBox"]
    for defs in drawn.findall("{*}defs"):
        drawn.remove(defs)
    for element in drawn.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {
            key: _themed(element.attrib[key]) for key in element.attrib if key in _KEPT
        }
        element.text = element.tail = None
    drawn.attrib = {"viewBox": box, "role": "img", "aria-label": alternative}
    return drawn


def _themed(value: str) -> str:
    """Return an attribute with the variables of the style sheet in the place of our colours."""
    return _COLOUR.sub(lambda found: f"var({_VARIABLES[found[0]]})", " ".join(value.split()))
