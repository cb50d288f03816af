"""What lies in a folder of a profile: links are not followed, what vanished is not passed over."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.files import DEVICE

MERGED = "mindstudio_profiler_output"
FRAMEWORK = "ASCEND_PROFILER_OUTPUT"

_READ = re.compile(
    rf"(OP)?PROF_.*|.*_ascend_(pt|ms)|{FRAMEWORK}|{MERGED}|{DEVICE.pattern}|host|summary|timeline"
)
"""Folders that are read by their name."""


def folders_in(path: Path) -> list[Path]:
    """Return the real folders in a folder: a symbolic link could lead out of the profile."""
    listed = listing(path)
    refuse_links(child for child in listed if _READ.fullmatch(child.name))
    return [child for child in listed if stat.S_ISDIR(_mode(child))]


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


def listing(path: Path) -> list[Path]:
    """Return all that a folder holds, in the order of names. Raises ProfileError."""
    try:
        return sorted(path.iterdir())
    except OSError as err:
        raise ProfileError(f"{path}: cannot be listed: {err.strerror}") from err
