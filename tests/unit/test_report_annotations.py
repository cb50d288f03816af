"""Annotations: commands that GitHub reads from the output of a job."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_results import (
    ALL,
    AT_MOST,
    ERROR,
    HARDWARE,
    LIVE,
    MIXED,
    PASSING,
    SKIPPED,
    limit,
    result,
)

from pytest_npuperf.model import CaseResult, Verdict
from pytest_npuperf.report import annotate

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.fixture
def rootdir(tmp_path: Path) -> Path:
    """Return a rootdir, in a repository, where the files are of which the cases tell."""
    for name in ("pyproject.toml", "npuperf.toml", "配置/pyproject.toml", "tests/test_speed.py"):
        path = tmp_path / "models" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "models"


def test_all_that_is_told_of_a_run(rootdir: Path) -> None:
    expected = (GOLDEN / "annotations.txt").read_text(encoding="utf-8")
    assert "\n".join(annotate(ALL, rootdir, rootdir.parent)) + "\n" == expected


def test_the_order_of_the_tests_changes_nothing(rootdir: Path) -> None:
    assert annotate(ALL, rootdir) == annotate(ALL[::-1], rootdir)


def test_nothing_is_told_where_all_passed_or_was_skipped(rootdir: Path) -> None:
    assert annotate([LIVE, PASSING, SKIPPED], rootdir) == []
    assert annotate([], rootdir) == []


def test_what_is_told_as_an_error_is_what_fails_the_test(rootdir: Path) -> None:
    def levels(case: CaseResult) -> list[str]:
        return [line.split(" ")[0] for line in annotate([case], rootdir)]

    assert levels(HARDWARE) == ["::warning", "::warning"]
    assert levels(replace(HARDWARE, blocks=True)) == ["::error", "::error"]
    assert levels(replace(SKIPPED, blocks=True)) == ["::error"]
    assert levels(ERROR) == ["::error"]
    # What is inconclusive or new in a case that fails for something else only warns.
    assert levels(MIXED) == ["::error"] * 4 + ["::warning"] * 3


@pytest.mark.parametrize("number", [1, 10, 11, 12])
def test_ten_of_each_kind_are_told_and_the_rest_is_counted(rootdir: Path, number: int) -> None:
    failed = {limit("busy_time", at_most=n + 1): 10**6 for n in range(number)}
    doubtful = {limit("busy_time", at_most=10**6, where=f"a.toml:{n}"): 1 for n in range(number)}
    cases = [result("a", failed), result("b", doubtful, soc="Ascend910B*")]
    lines = annotate(cases, rootdir)
    shown, rest = min(number, 10), number - 10
    assert sum(line.startswith("::error ") for line in lines) == shown
    assert sum(line.startswith("::warning ") for line in lines) == shown
    ending = "" if rest == 1 else "s"
    notice = f"::notice title=npuperf::{rest} error{ending} and {rest} warning{ending} more"
    assert lines[2 * shown :] == ([f"{notice} are in the summary"] if rest > 0 else [])
    # The worst comes first: furthest beyond its limit.
    assert "limit 1.00 ns" in lines[0]


def test_one_kind_alone_may_have_more(rootdir: Path) -> None:
    failed = {limit("busy_time", at_most=n + 1): 10**6 for n in range(13)}
    assert annotate([result("a", failed)], rootdir)[10:] == [
        "::notice title=npuperf::3 errors more are in the summary"
    ]


def test_tests_that_share_a_case_tell_its_limits_once(rootdir: Path) -> None:
    case = result("a", {AT_MOST: 1_700_001})
    assert len(annotate([case, replace(case, test="another")], rootdir)) == 1


def place(where: str, rootdir: Path, repository: Path | None = None) -> str:
    (line,) = annotate(
        [result("a", {limit("busy_time", at_most=1, where=where): 2})], rootdir, repository
    )
    return line.removeprefix("::error ").partition("title=")[0]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pyproject.toml:12", "file=pyproject.toml,line=12,"),
        ("pyproject.toml", "file=pyproject.toml,"),
        ("gone.toml:12", ""),
        ("tests:12", ""),  # a folder
        ("tests/test_speed.py::test_it[a:1] (marker)", "file=tests/test_speed.py,"),
        ("tests/test_speed.py::test_it[a:1]", "file=tests/test_speed.py,"),
        ("tests/test_gone.py::test_it (marker)", ""),
        ("a marker", ""),
        (":12", ""),
        ("", ""),
    ],
)
def test_the_place_of_a_limit(rootdir: Path, where: str, expected: str) -> None:
    assert place(where, rootdir) == expected


def test_files_are_told_as_the_repository_knows_them(rootdir: Path, tmp_path: Path) -> None:
    where = "pyproject.toml:12"
    assert place(where, rootdir, tmp_path) == "file=models/pyproject.toml,line=12,"
    assert place(where, rootdir, rootdir) == "file=pyproject.toml,line=12,"
    assert place(where, rootdir, tmp_path / "elsewhere") == "file=pyproject.toml,line=12,"
    above = "../other.toml:3"
    (tmp_path / "other.toml").touch()
    assert place(above, rootdir, tmp_path) == "file=other.toml,line=3,"


def test_a_repository_that_is_reached_by_a_link_is_the_same(rootdir: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    found = place("pyproject.toml:1", rootdir, tmp_path / "link")
    assert found == "file=models/pyproject.toml,line=1,"


def test_what_would_end_a_command_is_escaped(rootdir: Path) -> None:
    (rootdir / "a,b:c%d\ne.toml").touch()
    odd = limit("busy_time", at_most=1, where="a,b:c%d\ne.toml:1")
    case = result("x\r\n::error::%0A,:", {odd: 2})
    (line,) = annotate([case], rootdir)
    assert line == (
        "::error file=a%2Cb%3Ac%25d%0Ae.toml,line=1,title=npuperf FAILED"
        r"::x\r\n::error::%250A,:: busy_time 2.00 ns, limit 1.00 ns (+100 %25)"
        r" [a,b:c%25d\ne.toml:1]"
    )


def test_an_error_is_told_in_one_line_without_the_log(rootdir: Path) -> None:
    assert annotate([ERROR], rootdir) == [
        "::error file=tests/test_speed.py,title=npuperf ERROR"
        "::bert: main ended with status 3; log: msprof.log"
    ]
    bare = CaseResult("a", "t", Verdict.NOT_MEASURED, "run", blocks=True)
    assert annotate([bare], rootdir) == ["::error title=npuperf NOT_MEASURED::a: NOT_MEASURED"]


def test_a_long_text_is_cut(rootdir: Path) -> None:
    (line,) = annotate([replace(ERROR, reason="x" * 5000)], rootdir)
    assert len(line) < 1100


def test_a_long_name_is_cut_and_leaves_the_numbers_whole(rootdir: Path) -> None:
    over = result("x" * 3000, {AT_MOST: 1_800_000})
    (line,) = annotate([over], rootdir)
    assert line == (
        "::error file=pyproject.toml,line=12,title=npuperf FAILED::"
        f"{'x' * 48}...{'x' * 49}: busy_time 1.80 ms, limit 1.70 ms (+5.9 %25) [pyproject.toml:12]"
    )
