"""``npuperf init``: a first budget for each profile, printed or added to the project's file."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.collect import replay
from pytest_npuperf.commands.budget_text import Place, as_toml, quoted
from pytest_npuperf.commands.draft import draft
from pytest_npuperf.config import Options, Settings, load
from pytest_npuperf.config.source import prefix_in, read_document
from pytest_npuperf.errors import ConfigError, NpuperfError
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import Collected, StepOptions
from pytest_npuperf.profile import open_profile
from pytest_npuperf.text import printable

HEADROOM = Fraction(5, 100)

_NO_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_OF_A_FILE = re.compile(r"(?:_[0-9]{14})?\.(?:csv|db|json)(?:\.gz)?$")
"""What tells one export of a table from the next, and no case from another."""


@dataclass(frozen=True)
class Wish:
    """What budgets are asked for."""

    profiles: tuple[Path, ...]
    headroom: Fraction = HEADROOM
    """How much more than was measured a time or a share may be."""
    write: bool = False
    """Whether to add them to the file of the settings instead of returning them."""
    config: Path | None = None
    """The file of the settings, where it is not ``pyproject.toml``."""


def init(wish: Wish, root: Path) -> str:
    """Return budgets as TOML, or what was done where they were to be written.

    ``root`` is the folder of the project. Raises NpuperfError, and then nothing has changed.
    """
    options = Options(config=wish.config)
    settings = load(root, options) or Settings.empty(root, options)
    places = [_place(path, settings) for path in wish.profiles]
    _refuse_twice(places)
    if wish.write:
        _refuse_known(places, settings)
    pairs = zip(wish.profiles, places, strict=True)
    text = "\n".join(_budget(path, place, wish.headroom) for path, place in pairs)
    if not wish.write:
        return text
    _add(text, settings)
    return "".join(f"{printable(line)}\n" for each in places for line in _told(each, settings))


def _budget(path: Path, place: Place, headroom: Fraction) -> str:
    collected = replay(path)
    found = draft([Measurer(open_profile(each), StepOptions()) for each in collected.rounds])
    if not found.held:
        raise NpuperfError(f"{path}: has nothing to limit: {'; '.join(found.left_out)}")
    return as_toml(place, found, headroom, _made(collected))


def _made(collected: Collected) -> str:
    known = collected.fingerprint
    facts = [known.get("soc", ""), f"CANN {known['cann']}" if "cann" in known else ""]
    dated = f"recorded {collected.recorded}" if collected.recorded else ""
    many = f"{len(collected.rounds)} rounds" if len(collected.rounds) > 1 else ""
    said = ", ".join(fact for fact in (*facts, dated, many) if fact)
    return f"Measured: {said}." if said else ""


# --- where it belongs -------------------------------------------------------------------------


def _place(path: Path, settings: Settings) -> Place:
    own, folder = _absolute(path), _absolute(settings.recordings)
    said = _OF_A_FILE.sub("", own.name) if own.is_file() else own.name
    name = _NO_NAME.sub("_", said).lstrip("._-") or "profile"
    table = (*prefix_in(settings.file), "budgets")
    if own.is_relative_to(folder):
        return Place(table, name, own.relative_to(folder).as_posix())
    root = settings.rootdir
    shown = folder.relative_to(root) if folder.is_relative_to(root) else folder
    return Place(table, name, own.name, to_do=f"Copy {own} to {shown / own.name}")


def _absolute(path: Path) -> Path:
    # Not resolve(), as a recording may be a link to where there is room for it.
    return Path(os.path.normpath(path.absolute()))


def _refuse_twice(places: Sequence[Place]) -> None:
    name, count = Counter(place.name for place in places).most_common(1)[0]
    if count > 1:
        raise NpuperfError(
            f"{count} profiles would be budgets of one name, {name}, which comes from their "
            "folders; rename one, or ask for one at a time"
        )


def _refuse_known(places: Sequence[Place], settings: Settings) -> None:
    if not settings.file.is_file():
        raise NpuperfError(
            f"{settings.shown}: no such file; go to the root directory of the project, make the "
            "file, or name another with --config"
        )
    for place in places:
        if place.name in settings.budgets:
            raise NpuperfError(
                f"{settings.where(place.name)}: has a budget {place.name} already; "
                "delete that first, or leave out --write and compare"
            )


# --- writing ----------------------------------------------------------------------------------


def _add(text: str, settings: Settings) -> None:
    """Add tables at the end of a file, the rest of which stays as it is, byte for byte."""
    file = settings.file
    before = file.read_bytes().decode()
    newline = "\r\n" if "\r\n" in before else "\n"
    end = newline if before and not before.endswith("\n") else ""
    after = f"{before}{end}{newline}{text.replace(chr(10), newline)}"
    _refuse_closed(before, after, settings.shown)
    mode = file.stat().st_mode
    results.write_text(file, after, "the budget was")
    file.chmod(mode)


def _refuse_closed(before: str, after: str, shown: str) -> None:
    """Refuse what takes no more tables, since one around them is written as ``{ ... }``."""
    read_document(before.removeprefix("\ufeff"), shown)
    try:
        read_document(after.removeprefix("\ufeff"), shown)
    except ConfigError as err:
        raise NpuperfError(
            f"{shown}: takes no budget at its end, as a table around it is written in one "
            "line, with braces; leave out --write, and paste it where it belongs"
        ) from err


def _told(place: Place, settings: Settings) -> tuple[str, ...]:
    mark = f"{settings.shown}: added {place.name}; mark a test npuperf({quoted(place.name)})"
    return (mark, place.to_do) if place.to_do else (mark,)
