"""A bar on the terminal while a long timeline is read; nothing where nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_npuperf.profile import OnBytes


@contextmanager
def progress() -> Iterator[OnBytes | None]:
    """Give what is to be told of the bytes read; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = {}

        def on_bytes(path: Path, read: int) -> None:
            if path not in tasks:
                tasks[path] = bar.add_task("", total=_size(path))
            bar.update(tasks[path], completed=read)

        yield on_bytes


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None  # it has just vanished: the reader says so, if it matters
