"""What lies in a folder of a profile: links are not followed, what vanished is not passed over."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.files import DEVICE

MERGED = "mindstudio_profiler_output"
FRAMEWORK = "ASCEND_PROFILER_OUTPUT"

INFO = re.compile(r"profiler_info.*\.json")
"""Files of a framework that say the rank, which their names may say, too."""

RANK = re.compile(r"rank[^a-z0-9]?([0-9]{1,9})", re.IGNORECASE)
"""In the name of a folder, the number of a rank."""

_PART = re.compile(rf"(OP)?PROF_[^.]*|.*_ascend_(pt|ms)|{FRAMEWORK}|{MERGED}|{DEVICE.pattern}")
"""Folders of a profile, by names that nothing else has."""

_LINKED = re.compile(
    rf"{_PART.pattern}|{INFO.pattern}|(OP)?PROF_.*|host|summary|timeline|round_[0-9]+"
)
"""Names that only a link has in the place of what would be read."""

_OTHERS: Mapping[int, str] = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def folders_in(path: Path) -> list[Path]:
    """Return the real folders in a folder: a symbolic link could lead out of the profile."""
    listed = listing(path)
    refuse_links(filter(_stands_for_a_part, listed))
    _refuse_no_folders(listed)
    return [child for child in listed if stat.S_ISDIR(_mode(child))]


def _stands_for_a_part(path: Path) -> bool:
    """Return whether a link would be read by its name, or is called like the folder of a rank."""
    if _LINKED.fullmatch(path.name):
        return True
    return RANK.search(path.name) is not None and not path.is_file()


def folder_at(path: Path) -> list[Path]:
    """Return the folder in a list, an empty one where it is not there."""
    refuse_links([path])
    return [path] if path.is_dir() else []


def files_in(path: Path) -> list[Path]:
    """Return the real files in a folder."""
    return list(filter(is_own_file, listing(path)))


def folders_below(path: Path, depth: int) -> Iterator[Path]:
    """Yield the folders in a folder, a few levels deep."""
    for child in folders_in(path):
        yield child
        if depth > 1:
            yield from folders_below(child, depth - 1)


def is_own_file(path: Path) -> bool:
    """Return whether it is a real file."""
    return stat.S_ISREG(_mode(path))


def _mode(path: Path) -> int:
    """Return what a path is; one that vanished since it was listed must not be passed over."""
    return path.lstat().st_mode


def refuse_links(paths: Iterable[Path]) -> None:
    """Refuse links by whose name something would be read: without it less would be judged.

    Raises ProfileError.
    """
    for path in paths:
        if path.is_symlink():
            raise ProfileError(
                f"{path}: a symbolic link, which is not followed out of a profile; "
                "put the files themselves there"
            )


def refuse_no_files(paths: Iterable[Path]) -> None:
    """Refuse folders and pipes by whose name a file would be read. Raises ProfileError."""
    for path in paths:
        if not is_own_file(path):
            kind = "a folder" if stat.S_ISDIR(_mode(path)) else "no ordinary file"
            raise ProfileError(f"{path}: {kind}, but has the name of a table; rename or remove it")


def _refuse_no_folders(paths: Iterable[Path]) -> None:
    """Refuse files that stand for folders: Git writes one for a link where it makes no links."""
    for path in paths:
        if _PART.fullmatch(path.name) and not stat.S_ISDIR(_mode(path)):
            raise ProfileError(
                f"{path}: no folder, but has the name of one of a profile; put the folder there"
            )


def refuse_no_place(path: Path) -> NoReturn:
    """Raise ProfileError for a path that is neither a folder nor a file: say what it is."""
    if path.exists():
        kind = _OTHERS.get(stat.S_IFMT(path.stat().st_mode), "something else")
        raise ProfileError(f"{path}: {kind}, and no profile; name a folder or a file")
    if path.is_symlink():
        raise ProfileError(f"{path}: a symbolic link that leads nowhere; name a folder or a file")
    raise ProfileError(f"{path}: there is no such profile")


def listing(path: Path) -> list[Path]:
    """Return all that a folder holds, in the order of names. Raises ProfileError."""
    try:
        return sorted(path.iterdir())
    except OSError as err:
        raise ProfileError(f"{path}: cannot be listed: {err.strerror}") from err
