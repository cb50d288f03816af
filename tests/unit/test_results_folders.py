"""The folders of the last runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.results import RESULT, has_failed, last_result, runs

OLD, NEW = "20260131-115959-9", "20260131-120000-10"


def run(
    output: Path, name: str, text: str | None = '{"format": 1, "exit": 0, "cases": []}'
) -> Path:
    folder = output / name
    folder.mkdir(parents=True)
    if text is not None:
        (folder / RESULT).write_text(text, encoding="utf-8")
    return folder


def test_the_newest_run_is_first(tmp_path: Path) -> None:
    folders = [run(tmp_path, name) for name in (OLD, NEW)]
    for other in (".gitignore", "20260131-120000", "20260131-120000-10.old", "x20260131-120000-1"):
        (tmp_path / other).mkdir()
    assert runs(tmp_path) == folders[::-1]


def test_without_an_output_there_are_no_runs(tmp_path: Path) -> None:
    assert runs(tmp_path / "nowhere") == []
    assert runs(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('{"format": 1, "exit": 0, "cases": []}', False),
        ('{"format": 1, "exit": 1, "cases": []}', True),
        ('{"format": 1, "exit": 10, "cases": []}', True),
        ('{"format": 1, "version": "0.1.0", "cases": []}', True),
        ("", True),
        (None, True),
    ],
)
def test_a_run_that_does_not_say_that_it_ended_well_has_failed(
    tmp_path: Path, text: str | None, failed: bool
) -> None:
    assert has_failed(run(tmp_path, NEW, text)) is failed


def test_the_last_result_is_that_of_the_newest_run(tmp_path: Path) -> None:
    for name in (NEW, OLD):
        run(tmp_path, name)
    assert last_result(tmp_path) == tmp_path / NEW / RESULT


def refusal(output: Path) -> str:
    with pytest.raises(NpuperfError) as refused:
        last_result(output)
    return str(refused.value)


def test_without_a_run_there_is_no_result(tmp_path: Path) -> None:
    output = tmp_path / "o\n"
    assert refusal(output) == rf"{tmp_path}/o\n: has no run; run pytest first"


def test_an_older_run_is_not_taken_for_one_that_was_broken_off(tmp_path: Path) -> None:
    run(tmp_path, OLD)
    broken = run(tmp_path, NEW, None)
    assert refusal(tmp_path) == (
        f"{broken}: the last run has no result.json, as it goes on or was broken off; "
        "run pytest again, or name the result"
    )
