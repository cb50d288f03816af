"""Files that are called like a database and are none, or are one of somebody else."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from profile_database import Kernel, Tables, kernels, write
from profile_tables import Op, op_summary

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile

FOREIGN: Tables = {"users": [{"name": "x"}]}
NAMES = ("msprof_1.db", "ascend_pytorch_profiler_0.db", "analysis.db")


def fault(path: Path) -> str:
    with pytest.raises(ProfileError) as caught:
        open_profile(path)
    return str(caught.value)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile of msprof, which is read without a database."""
    folder = tmp_path / "PROF_1" / "mindstudio_profiler_output"
    folder.mkdir(parents=True)
    (folder / "op_summary_20260101000000.csv").write_text(op_summary(Op()), encoding="utf-8")
    return folder.parent


@pytest.mark.parametrize("name", [*NAMES, "mindstudio_profiler_output/op_statistic.csv"])
def test_a_folder_with_the_name_of_a_table_is_refused(profile: Path, name: str) -> None:
    (profile / name).mkdir()
    assert fault(profile) == (
        f"{profile}/{name}: a folder, but has the name of a table; rename or remove it"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe has no name on this system")
def test_a_pipe_with_the_name_of_a_table_is_refused_and_not_read(profile: Path) -> None:
    os.mkfifo(profile / "msprof_1.db")
    assert fault(profile) == (
        f"{profile}/msprof_1.db: no ordinary file, but has the name of a table; rename or remove it"
    )


@pytest.mark.parametrize("name", ["msprof_1", "msprof_1.db.old", "x.db", "op_summary_notes"])
def test_other_folders_are_left_alone(profile: Path, name: str) -> None:
    (profile / name).mkdir()
    assert open_profile(profile).tables == ("op_summary",)


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_database_beside_a_text_is_listed(profile: Path, name: str) -> None:
    write(profile / name, FOREIGN)
    (unit,) = open_profile(profile).units
    assert unit.unknown == (f"{name} (without a table that is read)",)
    assert unit.twins == ()


def test_a_foreign_database_alone_is_no_profile(tmp_path: Path) -> None:
    folder = tmp_path / "PROF_1"
    folder.mkdir()
    path = write(folder / "msprof_1.db", FOREIGN)
    assert fault(folder) == (
        f"{folder}: a profile without tables; export it with `msprof --export=on --output=DIR` "
        "and look for errors there; there is msprof_1.db (without a table that is read)"
    )
    assert fault(path) == (
        f"{path}: not a table, timeline or database that this version reads, there is none in "
        "it; docs/tables.md lists them"
    )


def test_a_foreign_database_with_a_table_of_ours(tmp_path: Path) -> None:
    path = write(tmp_path / "msprof_1.db", {"CANN_API": [{"id": 1}]})
    with pytest.raises(ProfileError) as caught:
        assert open_profile(path).api_statistic.empty
    assert str(caught.value) == (
        f"{path}: table CANN_API has no column type; there is id; export the profile again"
    )


# --- nothing is written beside a database -----------------------------------------------------

CUT_OFF = "a change of it was cut off (a -journal is beside it); export the profile again"
PENDING = (
    "{}-wal beside it holds changes that are not in it yet; end the program that has it open "
    "(a viewer, an export), or export the profile again"
)
HOT = bytes.fromhex("d9d505f920a163d7") + bytes(504)


def made(folder: Path, mode: str) -> Path:
    """Return a database with one op, as a program left it that wrote in a journal mode."""
    folder.mkdir(exist_ok=True)
    path = write(folder / "msprof_1.db", kernels(Kernel()))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.execute("CREATE TABLE more (id)")
        connection.commit()
    return path


def beside(path: Path, kind: str) -> Path:
    return path.with_name(f"{path.name}-{kind}")


def listed(folder: Path) -> list[object]:
    """Return what changes when something is written into a folder."""
    stats = {path.name: path.lstat() for path in sorted(folder.iterdir())}
    times = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()]
    return [folder.stat().st_mtime_ns, *times]


def ops(path: Path) -> int | str:
    """Return how many ops are read, or why there are none."""
    before = listed(path.parent)
    try:
        return len(open_profile(path).op_summary)
    except ProfileError as err:
        return str(err).removeprefix(f"{path}: ")
    finally:
        assert listed(path.parent) == before


@pytest.mark.parametrize("mode", ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
@pytest.mark.parametrize(
    ("kind", "content", "found"),
    [
        (None, b"", 1),
        ("wal", b"", 1),
        ("wal", b"x", PENDING.format("msprof_1.db")),
        ("wal", b"\0", PENDING.format("msprof_1.db")),
        ("shm", b"x" * 2**15, 1),
        ("journal", b"", 1),
        ("journal", bytes(512), 1),
        ("journal", HOT, CUT_OFF),
    ],
)
def test_whatever_lies_beside_a_database_nothing_is_written(
    tmp_path: Path, mode: str, kind: str | None, content: bytes, found: int | str
) -> None:
    path = made(tmp_path, mode)
    if kind:
        beside(path, kind).write_bytes(content)
    assert ops(path) == found


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_changes_in_a_real_wal_are_never_left_out(tmp_path: Path, mode: str) -> None:
    path = made(tmp_path / "a", mode)
    with closing(sqlite3.connect(made(tmp_path / "b", "WAL"))) as viewer:
        viewer.execute("DELETE FROM TASK")
        viewer.commit()
        shutil.copy(beside(tmp_path / "b/msprof_1.db", "wal"), beside(path, "wal"))
    assert ops(path) == PENDING.format("msprof_1.db")


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_changes_beside_the_file_that_a_link_names_count(tmp_path: Path, mode: str) -> None:
    path = made(tmp_path / "real", mode)
    link = tmp_path / "msprof_2.db"
    link.symlink_to(path)
    assert ops(link) == 1
    beside(path, "wal").write_bytes(b"x")
    assert ops(link) == PENDING.format("msprof_1.db")
    assert ops(path) == PENDING.format("msprof_1.db")


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize(
    ("kind", "found"), [("wal", PENDING.format("msprof_1.db")), ("journal", CUT_OFF)]
)
def test_what_is_no_file_beside_a_database_is_not_opened(
    tmp_path: Path, mode: str, kind: str, found: str
) -> None:
    path = made(tmp_path, mode)
    os.mkfifo(beside(path, kind))
    assert ops(path) == found
    beside(path, kind).unlink()
    beside(path, kind).symlink_to("none")
    assert ops(path) == found
    beside(path, kind).unlink()
    beside(path, kind).mkdir()
    assert ops(path) == found
