"""Baseline files: the accepted sessions of a case on one SoC, which many may add to at once.

``BASELINES/<case>/<soc>.json`` is the old file or the new one at every moment, also when a writer
is killed: it writes a part beside it, which takes its place. Writers of one case take turns by a
lock on its folder, which leaves no file that would get into git. What a killed one left is
deleted by the next.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path

from pytest_npuperf import __version__
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import JSON, Baseline, Limit, Session, Wanted
from pytest_npuperf.results.checks import check, refusal, schema
from pytest_npuperf.results.files import content_of, make_folder, parsed, replace_file, shown
from pytest_npuperf.results.format import FORMAT
from pytest_npuperf.results.rounds import rounds_as_json, rounds_from_json
from pytest_npuperf.results.sound import Place, refuse_other_sums
from pytest_npuperf.results.useful import refuse_useless
from pytest_npuperf.text import file_name

MOST_SESSIONS = 20
"""The oldest session beyond them goes: the machine that it was measured on has changed since."""


def baseline_path(folder: Path, case: str, soc: str) -> Path:
    """Return the file of a case and SoC below the folder of baselines."""
    return folder / file_name(case) / f"{file_name(soc)}.json"


def read_baseline(path: Path, limits: Sequence[Limit]) -> Baseline | None:
    """Return a baseline, None where there is no file; its titles stand for what the limits are on.

    Raises NpuperfError, also where one of the limits cannot be compared with it.
    """
    found = _load(path)
    if found is None:
        return None
    baseline = _baseline(found, [limit.wanted for limit in limits])
    refuse_useless(path, baseline, limits)
    return baseline


def _load(path: Path) -> JSON | None:
    if _is_missing(path):
        return None
    found = parsed(path, content_of(path), "a baseline")
    _check(shown(path), path, found)
    return found


def _is_missing(path: Path) -> bool:
    """Return whether there is nothing at a path. Raises NpuperfError for a link to nothing."""
    try:
        path.stat()
    except FileNotFoundError as err:
        if path.is_symlink():
            said = f"{shown(path)}: is a link to a file that is not there; fetch it"
            raise NpuperfError(said) from err
        return True
    except OSError:
        return False  # who reads it says what stands in the way
    return False


def _baseline(found: JSON, wanted: Sequence[Wanted]) -> Baseline:
    sessions = (
        Session(
            rounds=rounds_from_json(session["rounds"], wanted),
            date=session["date"],
            commit=session["commit"],
            reason=session["reason"],
            fingerprint=dict(session["fingerprint"]),
        )
        for session in found["sessions"]
    )
    return Baseline(found["case"], found["soc"], tuple(sessions))


def add_session(
    path: Path,
    case: str,
    soc: str,
    session: Session,
    replace: bool,
    admit: Callable[[Baseline], None] = lambda _: None,
) -> tuple[Baseline | None, Baseline]:
    """Add a session to a baseline, the oldest going first where it is full.

    Return the baseline before and the new one. With ``replace`` the session is the only one.
    Others who add one wait for their turn, so what ``admit`` is shown is still there when the
    session is added; it raises NpuperfError where it is not to be. Raises NpuperfError; then what
    was there before stays.
    """
    not_written = f"{shown(path)}: the baseline was not written"
    lanes = [lane for measured in session.rounds for lane in measured.lanes.values()]
    wanted = list(dict.fromkeys(each for lane in lanes for each in lane.values))
    try:
        with _turn(Path(os.path.realpath(path))) as place:
            old = _load(path)
            before = None if old is None else _baseline(old, wanted)
            if before is not None:
                admit(before)
            sessions = [] if old is None or replace else old["sessions"]
            ordered = sorted(sessions, key=lambda each: each["date"])  # as git may not have them
            added = [*ordered, _session_as_json(session)][-MOST_SESSIONS:]
            found = _document(case, soc, added)
            _check(not_written, path, found)
            replace_file(place, _as_text(found))
    except OSError as err:
        raise NpuperfError(f"{not_written}: {err.strerror or err}") from err
    return before, _baseline(found, wanted)


@contextmanager
def _turn(path: Path) -> Iterator[Path]:
    """Let nobody else write beside a path while the block runs."""
    import fcntl  # Only POSIX has it, and reading must work without.

    make_folder(path.parent)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # A lock ends with its holder, and no holder waits for anything: this wait has an end.
        fcntl.flock(folder, fcntl.LOCK_EX)
        for part in path.parent.glob(".*.part"):
            part.unlink()
        yield path
        with suppress(OSError):  # not every network disk can, and the file is there
            os.fsync(folder)
    finally:
        os.close(folder)


def _document(case: str, soc: str, sessions: Sequence[JSON]) -> JSON:
    return {"format": FORMAT, "case": case, "soc": soc, "sessions": sessions}


def _session_as_json(session: Session) -> JSON:
    return {
        "date": session.date,
        "commit": session.commit,
        "reason": session.reason,
        "version": __version__,
        "fingerprint": dict(session.fingerprint),
        "rounds": rounds_as_json(session.rounds),
    }


def _as_text(found: JSON) -> str:
    """Return a baseline with a line for each session: git shows lines."""
    head = json.dumps({**found, "sessions": []}, allow_nan=False).removesuffix("]}")
    lines = ",\n".join(json.dumps(session, allow_nan=False) for session in found["sessions"])
    return f"{head}\n{lines}\n]}}\n"


# --- what a baseline may hold -----------------------------------------------------------------


def _check(where: str, path: Path, found: JSON) -> None:
    check(where, found, {"$ref": "#/$defs/baseline", "$defs": schema()["$defs"]})
    for key, said in (("case", path.parent.name), ("soc", path.stem)):
        if file_name(found[key]) != said:
            raise refusal(where, [key], f"{found[key]} is not the {key} of the path, {said}")
    for number, session in enumerate(found["sessions"]):
        place: Place = ["sessions", number, "rounds"]
        _refuse_missing(where, place, session["rounds"])
        refuse_other_sums(where, place, session["rounds"])


def _refuse_missing(where: str, place: Place, rounds: Sequence[JSON]) -> None:
    """Refuse a session in which one lane of a round lacks what another has: absent is not zero."""
    keys = dict.fromkeys(key for each in rounds for key in each)
    lanes = [lane for each in rounds for lane in each.values()]
    titles = dict.fromkeys(title for lane in lanes for title in lane if title != "longest")
    for (number, each), key, title in product(enumerate(rounds), keys, titles):
        if title not in each.get(key, ()):
            sentence = "is missing, and another round or lane of the session has it"
            raise refusal(where, [*place, number, key, title], sentence)
