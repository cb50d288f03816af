from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_npuperf.collect.log import disk_is_full, failure, last_lines, last_match

EXIT = re.compile(rb"exitCode:([0-9]+)")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "round_1.log"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"", []),
        (b"\n \n", []),
        (b"one", ["    one"]),
        (b"a\tb  \n\nc\r\n", ["    a       b", "    c"]),
        (b"\x1b[31mred\x00\x9b\xff\n", ["    \\x1b[31mred\\x00\ufffd\ufffd"]),
        ("\x9b31m\n".encode(), ["    \\x9b31m"]),
        (b"x" * 200, ["    " + "x" * 200]),
        (b"x" * 201, ["    " + "x" * 200 + "..."]),
        (b"".join(b"%d\n" % n for n in range(11)), [f"    {n}" for n in range(1, 11)]),
    ],
)
def test_the_last_lines_are_safe_and_few(log: Path, written: bytes, shown: list[str]) -> None:
    log.write_bytes(written)
    assert last_lines(log) == shown


def test_a_large_log_is_not_read_whole(log: Path) -> None:
    with log.open("wb") as file:
        file.truncate(1 << 34)
        file.seek(0, 2)
        file.write(b"\nthe end\n")
    assert last_lines(log)[-1] == "    the end"


def test_a_failure_is_a_line_and_the_log(log: Path) -> None:
    log.write_text("a\nb\n")
    assert str(failure("it broke", log)) == f"it broke; log: {log}\n    a\n    b"
    log.unlink()
    assert str(failure("it broke", log)) == f"it broke; log: {log}"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("", None),
        ("exitCode:", None),
        ("exitCode:3.", "3"),
        ("exitCode:3. exitCode:139.\n", "139"),
    ],
)
def test_the_last_match(log: Path, written: str, found: str | None) -> None:
    log.write_text(written)
    assert last_match(log, EXIT) == found


def test_no_log_no_match(log: Path) -> None:
    assert last_match(log, EXIT) is None


def test_a_full_disk(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write_text("all is well")
    assert not disk_is_full(log)
    log.write_text("x: No space left on device")
    assert disk_is_full(log)
    log.write_text("all is well")
    for blocks, free, full in ((100, 0, True), (100, 1, False), (0, 0, False)):
        disk = type("Disk", (), {"f_blocks": blocks, "f_bavail": free})
        monkeypatch.setattr("os.statvfs", lambda _path, disk=disk: disk)
        assert disk_is_full(log) is full
