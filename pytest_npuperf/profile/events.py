"""The events of a Chrome trace, one after the other: a file of any size in little memory.

The decoder of the standard library is fed piece by piece: it is faster here than the libraries
that stream, and none of the numbers and depths that a damaged file can hold brings it down.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path
from typing import IO, Any

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import lines
from pytest_npuperf.profile.cells import ABSENT, LONGEST_US
from pytest_npuperf.text import clipped, printable

BLOCK = 2**20
"""Bytes read at once; about 5,000 events."""

LONGEST_EVENT = 4 * 2**20
"""Characters; an event of msprof has a few hundred."""

_BLANK = " \t\n\r"
_BLANKS = re.compile(f"[{_BLANK}]*")
_EVENTS = "traceEvents"

_UNDERFLOW_NS = (Decimal("1.8e19"), Decimal("1.9e19"))
"""A number between these is an unsigned subtraction of ns that went below zero."""

_NEAR_NS, _SURELY = 1e12, 0.499
"""Below the first, a double is less than 0.001 ns from what is written. So both round alike where
the double is nearer to a whole number than the second."""

_LONGEST_NS = Decimal(LONGEST_US) * 1000
_LATEST_NS = Decimal(2**63 - 1)
_EXACT = Context(prec=64, rounding=ROUND_HALF_EVEN)
"""Of our own: a test may have changed that of its thread."""

# Numbers stay texts: no double can hold a start time, and few of the numbers are wanted. Objects
# stay pairs until someone looks into them: a dict would keep the last of two equal keys unseen.
_decode = json.JSONDecoder(parse_int=str, parse_float=str, object_pairs_hook=tuple).raw_decode

Event = dict[str, Any]
_Pairs = tuple[tuple[str, Any], ...]


def events(path: Path, on_bytes: Callable[[int], None] | None = None) -> Iterator[Event]:
    """Yield the events of a file, their numbers as texts; ``arguments`` returns what is in them.

    It is an array of events, or an object with one, ``traceEvents``. ``on_bytes`` is told now and
    then how many bytes of the file have been read. Raises ProfileError, with the event's number.
    """
    with lines.opened(path) as file:
        text = _Text(path, file, on_bytes)
        first = text.mark()
        if first == "[":
            yield from _array(text)
        elif first == "{":
            yield from _in_object(text)
        else:
            raise text.not_a_trace(first)
        if text.mark():
            raise ProfileError(f"{path}: more text after the last event; export the profile again")


def _array(text: _Text) -> Iterator[Event]:
    """Yield the events of an array whose bracket has been read, and read its end."""
    following = ","
    if text.mark("]"):
        raise ProfileError(f"{text.path}: the timeline has no events; nothing was recorded")
    while following == ",":
        text.number += 1
        pairs = text.value()
        if not isinstance(pairs, tuple):
            raise text.damage("is not an object")
        event = dict(pairs)
        if len(event) < len(pairs):
            raise _repeated(text.path, text.number, pairs)
        if not isinstance(event.get("ph"), str):
            raise text.damage("has no phase, ph")
        yield event
        following = text.mark()
    if following != "]":
        raise text.damage("is the last one that is whole" if not following else _odd(following))


def _in_object(text: _Text) -> Iterator[Event]:
    """Yield the events of an object whose brace has been read, and read its end."""
    found = False
    following = text.mark("}") or ","
    while following == ",":
        key = text.value()
        if not isinstance(key, str) or text.mark() != ":":
            break
        if key == _EVENTS and found:
            raise ProfileError(f'{text.path}: the key "{_EVENTS}" is there twice; export it again')
        if key == _EVENTS and text.mark("["):
            found = True
            yield from _array(text)
        else:
            text.value()
        following = text.mark()
    if not found or following != "}":
        wanted = f"an array of events or an object with {_EVENTS}"
        raise ProfileError(f"{text.path}: not a timeline: {wanted} is wanted; export it again")


def _odd(following: str) -> str:
    return f'is followed by "{printable(following)}", not by a comma'


class _Text:
    """The text of a file, of which only a part is in memory, and the place in it."""

    def __init__(self, path: Path, file: IO[bytes], on_bytes: Callable[[int], None] | None) -> None:
        self.path = path
        self.number = 0
        """Of the event that is being read; the first is 1, and 0 what comes before it."""
        self._file = file
        self._on_bytes = on_bytes
        # With -sig a byte order mark is passed over.
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._part, self._at = "", 0

    def mark(self, wanted: str = "") -> str:
        """Return the next character that is not blank, and pass over it; empty at the end.

        Where it is not the one that is wanted, nothing is returned and nothing passed over.
        """
        found = self._part[self._at : self._at + 1]
        if found in _BLANK:
            found = self._after_blanks()
        if wanted and found != wanted:
            return ""
        self._at += len(found)
        return found

    def _after_blanks(self) -> str:
        """Pass over blanks, and return what follows them; empty at the end of the file."""
        while True:
            blanks = _BLANKS.match(self._part, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._part) or not self._read_more():
                return self._part[self._at : self._at + 1]

    def value(self) -> Any:
        """Return the JSON value that comes next, and pass over it. Raises ProfileError."""
        if self._part[self._at : self._at + 1] in _BLANK:
            self._after_blanks()
        while True:
            try:
                value, end = _decode(self._part, self._at)
            except json.JSONDecodeError as err:
                if self._read_more():
                    continue
                raise self.damage(f"is cut or not JSON ({err.msg})") from err
            except RecursionError as err:
                raise self.damage("is nested too deeply") from err
            # Of a number that ends with the part, more digits may follow.
            if end < len(self._part) or not self._read_more():
                self._at = end
                return value

    def _read_more(self) -> bool:
        """Read the next block; return False, and change nothing, where there is none or no room."""
        if len(self._part) - self._at > LONGEST_EVENT:
            return False
        block = self._file.read(BLOCK)
        try:
            more = self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as err:
            raise ProfileError(f"{self.path}: the text is not UTF-8; export it again") from err
        if block:
            self._part, self._at = self._part[self._at :] + more, 0
        if self._on_bytes is not None:
            self._on_bytes(self._file.tell())
        return bool(block)

    def damage(self, what: str) -> ProfileError:
        """Return the error that the event which is being read has a fault."""
        if self.number:
            return fault(self.path, self.number, what)
        return ProfileError(f"{self.path}: what comes before the events {what}; export it again")

    def not_a_trace(self, first: str) -> ProfileError:
        """Return the error that a file, whose first mark has been read, is something else.

        Raises it where that is nothing, or stands for another file.
        """
        begin = first + self._part[self._at : self._at + 40]
        lines.refuse_no_data(self.path, begin.encode())
        found = clipped(printable(begin), 20)
        return ProfileError(f'{self.path}: not a timeline: it begins with "{found}", not with "["')


# --- what an event says -----------------------------------------------------------------------


def arguments(path: Path, number: int, event: Event) -> dict[str, Any]:
    """Return the arguments of an event; none where they are no object. Raises ProfileError."""
    pairs = event.get("args")
    if not isinstance(pairs, tuple):
        return {}
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _repeated(path, number, pairs)
    return found


def _repeated(path: Path, number: int, pairs: _Pairs) -> ProfileError:
    keys = [key for key, _ in pairs]
    repeated = next(key for key in keys if keys.count(key) > 1)
    return fault(path, number, f'has the key "{clipped(printable(repeated), 40)}" twice')


def place(path: Path, number: int, event: Event) -> tuple[str, str, str]:
    """Return the process, thread and name of an event. Raises ProfileError."""
    pid, tid, name = event.get("pid"), event.get("tid"), event.get("name")
    if isinstance(pid, str) and isinstance(tid, str) and isinstance(name, str):
        return pid, tid, name
    raise fault(path, number, "lacks one of pid, tid and name, or it is no text or number")


def duration_ns(
    path: Path,
    number: int,
    fields: Mapping[str, object],
    key: str = "dur",
    ns_per_unit: int = 1000,
) -> int | None:
    """Return how long something took, halves to even; None: absent. Raises ProfileError."""
    try:
        return _ns(fields.get(key), ns_per_unit, _LONGEST_NS)
    except (ArithmeticError, ValueError) as err:
        found = clipped(printable(str(fields[key])), 40)
        raise fault(path, number, f'has {key} "{found}", not a duration below 11 days') from err


def start_ns(path: Path, number: int, event: Event) -> int | None:
    """Return when an event began, since boot or epoch; None: absent. Raises ProfileError."""
    try:
        return _ns(event.get("ts"), 1000, _LATEST_NS)
    except (ArithmeticError, ValueError) as err:
        found = clipped(printable(str(event["ts"])), 40)
        raise fault(path, number, f'has ts "{found}", not a time') from err


def _ns(text: object, ns_per_unit: int, most: Decimal) -> int | None:
    if text is None or text in ABSENT:
        return None
    if not isinstance(text, str):
        raise ValueError
    near = float(text) * ns_per_unit
    whole = round(near)
    if 0 <= near < _NEAR_NS and abs(near - whole) < _SURELY:
        # Three times as fast as what follows, which is right for any number.
        return whole
    time = _EXACT.multiply(Decimal(text), ns_per_unit)
    if _UNDERFLOW_NS[0] <= time < _UNDERFLOW_NS[1]:
        return None
    if not 0 <= time <= most:
        raise ValueError
    return int(_EXACT.to_integral_value(time))


def fault(path: Path, number: int, what: str) -> ProfileError:
    """Return the error that an event, counted from 1, has a fault."""
    return ProfileError(f"{path}: event {number} {what}; the file is damaged, export it again")
