"""A line below that of the test while an app runs, for whoever waits at a terminal."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pytest

from pytest_npuperf.text import clipped, printable

_EVERY_S = 1.0


def status_line(config: pytest.Config) -> Callable[[str], AbstractContextManager[object]]:
    """Return what shows a text, and since when, while a block runs; not where nobody looks."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    # A worker of xdist has no reporter; a dumb terminal cannot take a line back.
    if reporter is None or not reporter.isatty or os.environ.get("TERM") == "dumb":
        return nullcontext
    return partial(_shown, config.get_terminal_writer())


@contextmanager
def _shown(writer: Any, text: str) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(writer, printable(text), ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show(writer: Any, text: str, ended: threading.Event) -> None:
    room = writer.fullwidth
    column = writer.width_of_current_line % room + 1
    began = time.monotonic()
    # While a test runs, pytest captures what it writes itself; and there may be no terminal to
    # control, or no more.
    with suppress(OSError), Path("/dev/tty").open("w", errors="backslashreplace") as terminal:
        while True:
            minutes, seconds = divmod(int(time.monotonic() - began), 60)
            line = f"npuperf: {text}, {minutes}:{seconds:02}"
            _below(terminal, clipped(line, room - 1), column)
            if ended.wait(_EVERY_S):
                break
        _below(terminal, "", column)


def _below(terminal: TextIO, text: str, column: int) -> None:
    """Write a line below the one that pytest is writing, and go back to where it was."""
    terminal.write(f"\n\r\x1b[K{text}\x1b[A\x1b[{column}G")
    terminal.flush()
