"""Drawings as inline SVG: text stays text, and colours are those of the page, light or dark."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from xml.etree import ElementTree

from pytest_npuperf.text import printable

with warnings.catch_warnings():
    # Of an old matplotlib on a new library: under "-W error" it could not be imported.
    warnings.simplefilter("ignore")
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.patches import PathPatch
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
_FONT = re.compile("font[a-z-]*:[^;]*(?:; )?")
_KEPT = ("d", "x", "y", "style")
_ANONYMOUS = {"Date": None, "Creator": None, "Format": None, "Type": None}


Point = tuple[float, float]
"""Right and down, from the upper left corner."""


class Drawing:
    """A drawing area whose unit is a pixel, with y downwards."""

    def __init__(self, height: float) -> None:
        # In SVG an inch has 72 units. Without axes, whose parts take most of the time.
        self._figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        self._figure.patch.set_visible(False)
        self._place = Affine2D().scale(1, -1).translate(0, height)

    def bar(self, left: float, right: float, y: float, height: float, colour: str) -> None:
        """Fill a rectangle of which ``y`` is the middle."""
        top, bottom = y - height / 2, y + height / 2
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        self._add(PathPatch(Path(corners), facecolor=colour, linewidth=0))

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
        style = (0, (4, 3)) if dashed else "-"
        path = Path(points, codes)
        self._add(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, linestyle=style))

    def _add(self, patch: PathPatch) -> None:
        patch.set_transform(self._place)
        self._figure.add_artist(patch)

    def text(self, x: float, y: float, text: str, end: bool = False, colour: str = INK) -> None:
        """Write a line of text, of which ``y`` is about the middle; ``end``: it ends at ``x``."""
        self._figure.text(
            x,
            y + 4,
            printable(text),
            transform=self._place,
            fontsize=12,
            color=colour,
            horizontalalignment="right" if end else "left",
            verticalalignment="baseline",
            parse_math=False,
        )

    def as_svg(self, alternative: str) -> str:
        """Return an element for the page; ``alternative`` is read to who cannot see it."""
        out = io.StringIO()
        self._figure.savefig(out, format="svg", metadata=_ANONYMOUS)
        return _inline(out.getvalue(), printable(alternative))


@contextmanager
def drawing() -> Iterator[None]:
    """Draw as we say, whatever the settings of the user, and leave them as they were."""
    with warnings.catch_warnings(), matplotlib.rc_context():
        # Such as on a name whose letters matplotlib's own font lacks: the browser has them.
        warnings.simplefilter("ignore")
        matplotlib.rcdefaults()
        matplotlib.rc("svg", fonttype="none")
        matplotlib.rc("path", simplify=False)
        yield


def _inline(svg: str, alternative: str) -> str:
    """Return what is drawn in an SVG file, without fonts, ids and whatever else is of a file."""
    drawn = ElementTree.fromstring(svg)
    box = drawn.attrib["viewBox"]
    for defs in drawn.findall("{*}defs"):
        drawn.remove(defs)
    for element in drawn.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {
            key: _themed(element.attrib[key]) for key in element.attrib if key in _KEPT
        }
        element.text = element.text if element.tag == "text" else None
        element.tail = None
    drawn.attrib = {"viewBox": box, "role": "img", "aria-label": alternative}
    return ElementTree.tostring(drawn, encoding="unicode")


def _themed(value: str) -> str:
    """Return an attribute with the variables of the style sheet in the place of our colours."""
    bare = _FONT.sub("", " ".join(value.split()))
    return _COLOUR.sub(lambda found: f"var({_VARIABLES[found[0]]})", bare)
