"""The manifest of a recording: when it was made, on what, and in how many rounds."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import JSON, MANIFEST
from pytest_npuperf.text import clipped, printable

# History of the format:
# 1  {"format": 1, "recorded": "2026-01-31", "rounds": 3, "fingerprint": {"soc": "Ascend310P3"}};
#    each key but the format may be missing
FORMAT = 1

_KEYS = ("format", "recorded", "rounds", "fingerprint")
_FINGERPRINT = ("soc", "cann", "driver", "level", "metrics", "app", "app_sha256")
_OPTION = "msprof."
"""Before the name of an option that msprof was given, of which any may be told."""
_ROOM = 40

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Manifest:
    """What a recording says of itself; ``recorded`` is an ISO date, or empty where unknown."""

    recorded: str = ""
    fingerprint: Mapping[str, str] = field(default_factory=dict)
    rounds: int | None = None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into the folder of a recording."""
    content = {
        "format": FORMAT,
        "recorded": manifest.recorded,
        **({} if manifest.rounds is None else {"rounds": manifest.rounds}),
        "fingerprint": dict(sorted(manifest.fingerprint.items())),
    }
    text = json.dumps(content, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_manifest(recording: Path) -> Manifest | None:
    """Return what the manifest of a recording says, None where there is none.

    Raises CollectError when it is damaged or from a newer version.
    """
    path = recording / MANIFEST
    # To open a pipe would wait for somebody to write into it.
    if path.is_fifo():
        raise CollectError(f"{path}: cannot be read: it is a pipe, and no file")
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as err:
        raise CollectError(f"{path}: cannot be read: {err}") from err
    return _checked(path, _parsed(path, text))


def _parsed(path: Path, text: str) -> JSON:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as err:
        raise CollectError(
            f"{path}: is not JSON ({err}); write it anew with --npuperf-record"
        ) from err


def _checked(path: Path, content: JSON) -> Manifest:
    if not isinstance(content, dict):
        raise CollectError(f"{path}: found {_kind(content)}, wanted an object")
    number = content.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise CollectError(f"{path}: format: found {_kind(number)}, wanted {FORMAT}")
    if number > FORMAT:
        raise CollectError(
            f"{path}: format {number} is newer than {FORMAT}, "
            "the newest that this version reads; upgrade pytest-npuperf"
        )
    _refuse_unknown(path, "", content, _KEYS)
    day = _day(path, content.get("recorded", ""))
    return Manifest(day, _fingerprint(path, content), _rounds(path, content))


def _refuse_unknown(path: Path, parent: str, found: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a key that would be ignored, as what is misspelt would seem to be said."""
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key.lower(), known, n=1)
            wanted = f"did you mean {near[0]}?" if near else f"wanted {', '.join(known)}"
            name = clipped(printable(key), _ROOM)
            raise CollectError(f"{path}: {parent}{name}: is not a key of a manifest; {wanted}")


def _day(path: Path, found: JSON) -> str:
    if found == "" or (isinstance(found, str) and is_day(found)):
        return str(found)
    raise CollectError(
        f'{path}: recorded: found {_kind(found)}, wanted a date such as "2026-01-31"'
    )


def is_day(text: str) -> bool:
    """Return whether a text is a date of the calendar in the form 2026-01-31."""
    if not _DAY.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _rounds(path: Path, content: dict[str, JSON]) -> int | None:
    if "rounds" not in content:
        return None
    found = content["rounds"]
    if isinstance(found, int) and not isinstance(found, bool) and found >= 1:
        return found
    raise CollectError(f"{path}: rounds: found {_kind(found)}, wanted a whole number, 1 or more")


def _fingerprint(path: Path, content: dict[str, JSON]) -> dict[str, str]:
    found = content.get("fingerprint", {})
    if not isinstance(found, dict):
        raise CollectError(f"{path}: fingerprint: found {_kind(found)}, wanted an object of texts")
    named = (key for key in found if not key.startswith(_OPTION))
    _refuse_unknown(path, "fingerprint.", named, _FINGERPRINT)
    for key, value in found.items():
        # What is blank would seem to be known.
        if not (isinstance(value, str) and value.strip()):
            name = clipped(printable(key), _ROOM)
            raise CollectError(f"{path}: fingerprint.{name}: found {_kind(value)}, wanted a text")
    return {key: value.strip() for key, value in found.items()}


def _kind(found: JSON) -> str:
    if isinstance(found, dict):
        return "an object"
    if isinstance(found, list):
        return "a list"
    return clipped(json.dumps(found), _ROOM)
