"""The bytes of a CSV file: whole lines in blocks, each line as wide as the header."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from pytest_npuperf.errors import ProfileError

BLOCK = 8 * 2**20
"""Bytes read at once; about 20,000 rows of an op_summary."""

LONGEST_LINE = 64 * 2**20

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_PAGE = re.compile(rb"\s*<(!doctype|html|head|\?xml)\b", re.IGNORECASE)
_SEPARATORS = {b";": '";"', b"\t": "a TAB"}
"""What else programs write between cells, by what to call it."""
_NOT_DELIMITERS = bytes(set(range(256)) - set(b',"\n'))
_QUOTE = ord('"')
_LINE_END = b"\r\n"
_LONE_CR = re.compile(rb"\r(?!\n)")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a plain or gzipped file; whatever the disk does becomes a ProfileError."""
    try:
        with path.open("rb") as file:
            if path.suffix == ".gz":
                with gzip.open(file) as unpacked:
                    yield io.BufferedReader(unpacked)
            else:
                yield file
    except (OSError, EOFError, zlib.error) as err:
        reason = getattr(err, "strerror", None) or err
        raise ProfileError(f"{path}: cannot be read: {reason}") from err


def whole(path: Path) -> bytes:
    """Return all of a file that is read at once. Raises ProfileError."""
    with opened(path) as file:
        data = file.read().removeprefix(_BOM)
    refuse_no_data(path, data)
    return data


def refuse_no_data(path: Path, begin: bytes) -> None:
    """Raise ProfileError where a file begins as one that is empty or stands for another, or is no
    text that we read.
    """
    if not begin.strip():
        raise ProfileError(f"{path}: the file is empty; the export wrote nothing")
    if begin.startswith(b"version https://git-lfs"):
        raise ProfileError(
            f"{path}: a Git LFS pointer, not the recording; fetch it with `git lfs pull`"
        )
    if _PAGE.match(begin):
        raise ProfileError(
            f"{path}: a web page, not the recording, as a download that failed leaves; "
            "download the file again"
        )
    if begin.startswith(_UTF_16):
        raise ProfileError(
            f"{path}: the text is UTF-16, and UTF-8 is wanted; export the file again, "
            "or save it as UTF-8"
        )


def header_cells(path: Path, file: IO[bytes]) -> list[str]:
    """Return the cells of the first line. Raises ProfileError."""
    line = file.readline(LONGEST_LINE).removeprefix(_BOM)
    refuse_no_data(path, line)
    _refuse_odd_bytes(path, line, 1)
    _refuse_other_separator(path, line)
    try:
        return next(csv.reader([line.decode()], strict=True))
    except (UnicodeDecodeError, csv.Error) as err:
        raise ProfileError(f"{path}:1: the header is not CSV text in UTF-8") from err


def _refuse_other_separator(path: Path, line: bytes) -> None:
    """Refuse what a spreadsheet saves as CSV where the comma is the decimal point."""
    found = next((mark for mark in _SEPARATORS if mark in line.strip()), None)
    if found and b"," not in line:
        raise ProfileError(
            f'{path}:1: the columns are separated by {_SEPARATORS[found]}, and "," is wanted; '
            "export the file again: a spreadsheet that saved it may have changed numbers, too"
        )


def blocks(path: Path, file: IO[bytes], width: int, least: int | None) -> Iterator[bytes]:
    """Yield the rest of a file in blocks of whole lines, without empty ones at its end.

    Where rows may have fewer cells than the header (``least``: not fewer than these), short ones
    are filled up, and an empty cell too many is taken off: such lines may end in a comma.
    Raises ProfileError.
    """
    if least is not None:
        squared = _squared(path, file.read(), width, least)
        yield from [squared] if squared else []
        return
    rest = b""
    while read := file.read(BLOCK):
        cut = _whole_lines(read)
        if cut:
            yield rest + read[:cut]
            rest = read[cut:]
        else:
            rest += read
        if len(rest) > LONGEST_LINE:
            raise ProfileError(f"{path}: a line is longer than {LONGEST_LINE // 2**20} MiB")
    if last := rest.rstrip(_LINE_END):
        yield last + b"\n"


def _whole_lines(read: bytes) -> int:
    """Return where the last whole line ends; empty ones after it may be those of the file."""
    text = len(read.rstrip(_LINE_END))
    return text and (read.find(b"\n", text) + 1 or read.rfind(b"\n") + 1)


def _squared(path: Path, raw: bytes, width: int, least: int) -> bytes:
    _refuse_odd_bytes(path, raw, 2)
    text = raw.rstrip(_LINE_END)
    try:
        rows = list(csv.reader(io.StringIO(text.decode(), newline=""), strict=True))
    except UnicodeDecodeError as err:
        raise ProfileError(f"{path}: the text from line 2 on is not UTF-8") from err
    except csv.Error as err:
        raise ProfileError(f"{path}: not CSV: {err}") from err
    for line, row in enumerate(rows, start=2):
        if len(row) == width + 1 and not row[-1]:
            row.pop()
        # The line that the end of the file cuts off may not be short, too.
        is_cut = line == len(rows) + 1 and not raw.endswith(b"\n")
        if not (width if is_cut else least) <= len(row) <= width:
            raise _bad_width(path, line, len(row), width)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows(row + ["N/A"] * (width - len(row)) for row in rows)
    return out.getvalue().encode()


def count_rows(path: Path, block: bytes, width: int, line: int) -> int:
    """Return the number of rows, each of which has as many cells as the header.

    pandas fills short rows and drops what long ones have too much without a word. So what is not
    a delimiter is taken out, and what quotes enclose; the same commas must be left in each row.
    ``line`` is where the block begins. Raises ProfileError.
    """
    _refuse_odd_bytes(path, block, line)
    marks = np.frombuffer(block.translate(None, delete=_NOT_DELIMITERS), dtype=np.uint8)
    quotes = marks == _QUOTE
    outside = ~np.bitwise_xor.accumulate(quotes) & ~quotes
    found = marks[outside].tobytes()
    row = b"," * (width - 1) + b"\n"
    rows = len(found) // len(row)
    if found != row * rows:
        _refuse_width(path, found, width, line)
    return rows


def _refuse_width(path: Path, found: bytes, width: int, line: int) -> None:
    widths = [len(commas) + 1 for commas in found.split(b"\n")[:-1]]
    bad = next((row for row, cells in enumerate(widths) if cells != width), None)
    if bad is None:
        raise ProfileError(
            f"{path}: a quote is opened after line {line + len(widths) - 1} and not closed"
        )
    raise _bad_width(path, line + bad, widths[bad], width)


def _bad_width(path: Path, line: int, found: int, width: int) -> ProfileError:
    return ProfileError(
        f"{path}:{line}: the row has {found} of {width} cells; "
        "the file is cut or damaged, export it again"
    )


def _refuse_odd_bytes(path: Path, block: bytes, line: int) -> None:
    """Refuse what a CSV reader would take for a line end or for the end of a text."""
    _refuse_byte(path, block, block.find(b"\0"), line, "a NUL byte")
    if b"\r" in block and (lone := _LONE_CR.search(block)):
        _refuse_byte(path, block, lone.start(), line, "a carriage return without line feed")


def _refuse_byte(path: Path, block: bytes, at: int, line: int, name: str) -> None:
    if at >= 0:
        where = line + block.count(b"\n", 0, at)
        raise ProfileError(f"{path}:{where}: {name} in the text; the file is damaged")
