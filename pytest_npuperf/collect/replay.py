"""Find a recording: its rounds, its date and what it was made on."""

from __future__ import annotations

import difflib
import re
from datetime import datetime
from pathlib import Path

from pytest_npuperf.collect.fingerprint_files import told_by_files
from pytest_npuperf.collect.manifest import Manifest, read_manifest
from pytest_npuperf.collect.walk import below
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import MANIFEST, Collected
from pytest_npuperf.text import many

_ROUND = re.compile(r"round_([0-9]+)")
_PROFILE = re.compile(r"(PROF_|OPPROF_).*|.*_ascend_(pt|ms)|.*_profiler_output|device_[0-9]+", re.I)

# Names that tell when a profile was made, the best first: the directory that msprof makes at the
# start, the one of a framework, and last the export of a table.
_DATED = (
    re.compile(r"(?:OP)?PROF_(?:[0-9]{6}_)?([0-9]{8})[0-9]{6,9}_[0-9A-Z]+"),
    re.compile(r".*_([0-9]{8})[0-9]{6,9}_ascend_(?:pt|ms)"),
    re.compile(r"[a-z].*_([0-9]{8})[0-9]{6}\.(?:csv|csv\.gz|json|db)"),
)
_NEAR = 3


def replay(recording: Path) -> Collected:
    """Return the rounds of a recording, its date and its fingerprint.

    Raises CollectError when it is not there, when its rounds are not 1, 2, 3 ... or not as many
    as its manifest says, or when that is damaged.
    """
    if not recording.exists():
        raise CollectError(_missing(recording))
    manifest = read_manifest(recording) or Manifest()
    return Collected(
        rounds=_all_rounds(recording, manifest.rounds),
        mode="replay",
        recorded=manifest.recorded or _date_in_names(recording),
        fingerprint={**told_by_files([recording]), **manifest.fingerprint},
    )


def _missing(recording: Path) -> str:
    folder = recording.parent
    if not folder.is_dir():
        return f"{recording}: there is no such recording, nor a folder {folder}"
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    if not names:
        return f"{recording}: there is no such recording; {folder} is empty"
    # A mistyped path may lead anywhere: what is there, and not nearly what was asked for, is no
    # business of a log.
    near = difflib.get_close_matches(recording.name, names, n=_NEAR)
    others = many(len(names), "other recording")
    return f"{recording}: there is no such recording; {folder} has {', '.join(near) or others}"


def _all_rounds(recording: Path, wanted: int | None) -> tuple[Path, ...]:
    rounds = _rounds(recording)
    if wanted is not None and len(rounds) != wanted:
        raise CollectError(
            f"{recording}: found {many(len(rounds), 'round')}, wanted {many(wanted, 'round')}, "
            f"as {MANIFEST} says; restore it, or record again with --npuperf-record"
        )
    return rounds


def _rounds(recording: Path) -> tuple[Path, ...]:
    if not recording.is_dir():
        return (recording,)
    entries = sorted(recording.iterdir())
    # A round that is a link to nothing, or a file, is one too: who opens it says what it is.
    found = [path.name for path in entries if _ROUND.fullmatch(path.name)]
    if not found:
        return (recording,)
    beside = [path.name for path in entries if path.is_dir() and _PROFILE.fullmatch(path.name)]
    if beside:
        raise CollectError(f"{recording}: has both {found[0]} and {beside[0]}; keep one of them")
    wanted = [f"round_{number}" for number in range(1, len(found) + 1)]
    if set(found) != set(wanted):
        absent = next(name for name in wanted if name not in found)
        raise CollectError(
            f"{recording}: {absent} is missing; found {', '.join(found)}; "
            "number the rounds from 1 without a hole"
        )
    return tuple(recording / name for name in wanted)


def _date_in_names(recording: Path) -> str:
    """Return the earliest date that the best kind of name says, or an empty text."""
    names = [path.name for path in below(recording)]
    for pattern in _DATED:
        days = sorted(filter(None, map(_as_day, filter(None, map(pattern.fullmatch, names)))))
        if days:
            return days[0]
    return ""


def _as_day(match: re.Match[str]) -> str:
    try:
        return datetime.strptime(match[1], "%Y%m%d").date().isoformat()
    except ValueError:
        return ""
