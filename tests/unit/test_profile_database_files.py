"""Files that are called like a database and are none, or are one of somebody else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from profile_database import Tables, write
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
