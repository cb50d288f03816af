"""The file of a database before it is opened: what lies beside it, and whether it is whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pytest_npuperf.errors import ProfileError

_MAGIC = b"SQLite format 3\0"

_WAL = 2
"""In bytes 18 and 19 of a database whose changes go into a file beside it."""

_NO_FILE = b"?"
"""Stands for a link, a folder or a pipe, to open which could take for ever."""

CUT_OFF = "a change of it was cut off (a -journal is beside it); export the profile again"


def read_only_uri(path: Path) -> str:
    """Return how to name a database to SQLite so that it only reads.

    Even to read, it makes files beside a database in WAL mode, or with a -wal beside it, unless
    it is told that nothing can change it. Then it looks at neither -wal nor -journal.
    """
    real = path.resolve()  # SQLite looks beside the file itself, not beside a link to it.
    changes, journal = (real.with_name(f"{real.name}-{kind}") for kind in ("wal", "journal"))
    try:
        with real.open("rb") as file:
            head = file.read(20)
            size = file.seek(0, os.SEEK_END)
        begun = {beside: _first_byte(beside) for beside in (changes, journal)}
    except OSError as err:
        raise ProfileError(f"{path}: cannot be read: {err.strerror}") from err
    if not head:
        raise ProfileError(f"{path}: the file is empty; the export wrote nothing")
    if begun[changes]:
        raise ProfileError(
            f"{path}: {changes.name} beside it holds changes that are not in it yet; end the "
            "program that has it open (a viewer, an export), or export the profile again"
        )
    in_wal_mode = _WAL in head[18:]
    if begun[journal] == _NO_FILE or (in_wal_mode and begun[journal].strip(b"\0")):
        raise ProfileError(f"{path}: {CUT_OFF}")
    _refuse_part_of_page(path, head, size)
    return f"{real.as_uri()}?mode=ro" + ("&immutable=1" if in_wal_mode else "")


def _refuse_part_of_page(path: Path, head: bytes, size: int) -> None:
    """Refuse a file that ends inside of a page: SQLite takes the rest for zeros.

    Where whole pages are missing it says so itself.
    """
    page = int.from_bytes(head[16:18], "big")
    page = 2**16 if page == 1 else page  # It does not fit into the two bytes.
    if head.startswith(_MAGIC) and page and size % page:
        raise ProfileError(
            f"{path}: {size} bytes, of which the last {size % page} are no whole page of {page}; "
            "the file was cut, copy it again or export the profile again"
        )


def _first_byte(path: Path) -> bytes:
    """Return how a file beside a database begins: empty without content, NUL when it is undone."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return _NO_FILE
        with path.open("rb") as file:
            return file.read(1)
    except FileNotFoundError:
        return b""
