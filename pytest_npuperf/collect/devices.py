"""Find the NPUs of this machine and lease them, so that no two measurements share one."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pytest_npuperf.errors import CollectError

VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"

_NODE = re.compile(r"davinci([0-9]+)")
# What comes after any other character is not read by CANN either.
_IDS = re.compile(r"[0-9]+(?:,[0-9]+)*")
_POLL_S = 0.1


def find_npus(dev: Path) -> tuple[int, ...]:
    """Return the numbers of the device nodes ``davinci<N>``, in order.

    The id of an NPU, for CANN and for users, is its place in this order: a container that is given
    only ``davinci4`` calls it 0.
    """
    try:
        names = [path.name for path in dev.iterdir()]
    except OSError:
        return ()
    return tuple(sorted(int(match[1]) for match in map(_NODE.fullmatch, names) if match))


@contextmanager
def leased(
    nodes: Sequence[int], allowed: Sequence[int] | None, outer: str | None, own: str | None
) -> Iterator[Mapping[str, str]]:
    """Hold NPUs while the block runs; yield the variables that pin the child to them.

    ``allowed`` are the ids of the settings, ``outer`` and ``own`` what the surroundings and the
    case say in ASCEND_RT_VISIBLE_DEVICES. A case that says it gets all that it names; any other
    gets the first that is free, and waits for it as long as others measure. Without a device
    nothing is leased.
    """
    if not nodes:
        yield {}
    elif own is not None:
        with _all_of([nodes[i] for i in _existing(_ids(own), nodes)]):
            yield {}
    else:
        ids = _candidates(nodes, allowed, outer)
        with _one_of({i: nodes[i] for i in ids}) as chosen:
            yield {VISIBLE: str(chosen)}


def _ids(text: str) -> list[int]:
    match = _IDS.match(text)
    return [int(number) for number in match[0].split(",")] if match else []


def _existing(ids: Sequence[int], nodes: Sequence[int]) -> list[int]:
    return sorted({i for i in ids if i < len(nodes)})


def _candidates(
    nodes: Sequence[int], allowed: Sequence[int] | None, outer: str | None
) -> list[int]:
    ids = list(range(len(nodes)))
    for source, wanted in (
        ("devices", allowed),
        (VISIBLE, None if outer is None else _ids(outer)),
    ):
        if wanted is not None:
            ids = [i for i in ids if i in wanted]
        if not ids:
            raise CollectError(
                f"{source}: none of the NPUs that may be used ({_listed(wanted)}) is here; "
                f"found {_listed(range(len(nodes)))}"
            )
    return ids


def _listed(ids: Sequence[int] | None) -> str:
    return ", ".join(map(str, ids or ())) or "none"


@contextmanager
def _one_of(nodes: Mapping[int, int]) -> Iterator[int]:
    """Hold the first NPU that is free; ``nodes`` maps ids to device nodes."""
    with ExitStack() as stack:
        locks = {i: stack.enter_context(_lock_file(node)) for i, node in nodes.items()}
        # A lock ends with its holder, and a holder with its timeout: this wait has an end.
        while (chosen := next((i for i in locks if _try_lock(locks[i])), None)) is None:
            time.sleep(_POLL_S)
        yield chosen


@contextmanager
def _all_of(nodes: Sequence[int]) -> Iterator[None]:
    """Hold several NPUs, taken in order, so that two who want the same never wait in a circle."""
    with ExitStack() as stack:
        for node in sorted(nodes):
            lock = stack.enter_context(_lock_file(node))
            while not _try_lock(lock):
                time.sleep(_POLL_S)
        yield


@contextmanager
def _lock_file(node: int) -> Iterator[int]:
    path = Path(tempfile.gettempdir(), f"npuperf-npu-{node}.lock")
    try:
        lock = _open(path)
    except OSError as err:
        raise CollectError(f"{path}: the NPU cannot be leased: {err.strerror}") from err
    try:
        yield lock
    finally:
        os.close(lock)


def _open(path: Path) -> int:
    # Reading is enough for a lock, and all that other users' files in a shared folder allow.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        return os.open(path, flags | os.O_CREAT, 0o644)


def _try_lock(lock: int) -> bool:
    import fcntl  # Only POSIX has it, and only POSIX has NPUs: replay must work without.

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
