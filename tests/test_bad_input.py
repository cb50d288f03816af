"""Bad input fails its test with one clear line: no traceback, no pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

# A run of pytest inside pytest forgets what it imported, and numpy cannot be imported twice.
import jsonschema  # noqa: F401
import pandas  # noqa: F401
import pytest
from profile_tables import Op, op_statistic, op_summary, write

import pytest_npuperf.pipeline  # noqa: F401

OPS = (Op("Conv2D", duration=2000), Op("Cast", "AI_VECTOR_CORE", start=3000, duration=500))
WHOLE = op_summary(*OPS)
LINES = WHOLE.splitlines(keepends=True)
NAME = "op_summary_20260101000000.csv"
TABLE = f"recordings/bad/{NAME}"
PROFS = (
    "PROF_000001_20260101000000000_ABCDEFGH",
    "PROF_000001_20260102000000000_ABCDEFGH",
)
LATER = op_summary(Op("Conv2D", start=10**13, duration=2000))


def durations(*texts: str) -> str:
    return op_summary(*(Op("Conv2D", start=10**6 * i, duration=t) for i, t in enumerate(texts)))


class Bad(NamedTuple):
    """What the folder of a recording holds, and the line that must be said of it."""

    files: Mapping[str, str | bytes]
    line: str
    limit: str = 'kernel_time = "1 s"'


CASES = {
    "an empty file": Bad({NAME: ""}, f"{TABLE}: the file is empty; the export wrote nothing"),
    "a header only": Bad(
        {NAME: LINES[0]}, f"{TABLE}: the table has a header and no rows; nothing was recorded"
    ),
    "cut in the middle of a line": Bad(
        {NAME: WHOLE[:-40]},
        f"{TABLE}:3: the row has 10 of 17 cells; the file is cut or damaged, export it again",
    ),
    "a row too short": Bad(
        {NAME: LINES[0] + LINES[1].rpartition(",")[0] + "\n" + LINES[2]},
        f"{TABLE}:2: the row has 16 of 17 cells; the file is cut or damaged, export it again",
    ),
    "a row too long": Bad(
        {NAME: LINES[0] + LINES[1] + LINES[2].strip() + ",0\n"},
        f"{TABLE}:3: the row has 18 of 17 cells; the file is cut or damaged, export it again",
    ),
    "a duration that is no number": Bad(
        {NAME: durations("1.000", "abc")}, f'{TABLE}:3: "abc" is not a number'
    ),
    "one duration absent": Bad(
        {NAME: durations("1.000", "N/A", "2.000")},
        "kernel_time not measured: op_summary has no Task Duration(us) in 1 of 3 rows, "
        "first in row 2 [pyproject.toml:5]",
    ),
    "all durations absent": Bad(
        {NAME: durations("N/A", "N/A")},
        "kernel_time not measured: op_summary has no Task Duration(us) in 2 of 2 rows, "
        "first in row 1 [pyproject.toml:5]",
    ),
    "an unknown layout": Bad(
        {"run/report.xlsx": b"PK", "notes.txt": "slow"},
        "recordings/bad: not a profile: no PROF_*, *_ascend_pt or *_ascend_ms folder and no table "
        "such as op_summary_*.csv in it; there is notes.txt, run",
    ),
    "a directory without tables": Bad(
        {f"{PROFS[0]}/host/start_info": "{}"},
        f"recordings/bad/{PROFS[0]}: a profile without tables; export it with "
        "`msprof --export=on --output=DIR` and look for errors there",
    ),
    "a Git LFS pointer": Bad(
        {NAME: f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 9\n"},
        f"{TABLE}: a Git LFS pointer, not the recording; fetch it with `git lfs pull`",
    ),
    "a failed export of 2020": Bad(
        {"op_time_statistic_0.json": '{"status": 1, "info": "no such table", "data": ""}'},
        'recordings/bad/op_time_statistic_0.json: the export failed: "no such table"; '
        "export the profile again",
    ),
    "two tables that contradict each other": Bad(
        {NAME: WHOLE, "op_statistic_20260101000000.csv": op_statistic(*OPS, Op("Conv2D"))},
        f"{TABLE}: 1 call of Conv2D on AI_CORE, 2.000 us in all, but "
        "op_statistic_20260101000000.csv has 2 calls, 3.000 us; "
        "one of the two was cut or edited, record again",
    ),
    "a slice missing": Bad(
        {f"op_summary_slice_{number}_20260101000000.csv": WHOLE for number in (0, 2)},
        "recordings/bad/op_summary_slice_2_20260101000000.csv: slice 1 of op_summary is missing "
        "before it; record or export the profile again",
    ),
    "two runs side by side": Bad(
        {
            f"{PROFS[0]}/mindstudio_profiler_output/{NAME}": WHOLE,
            f"{PROFS[1]}/mindstudio_profiler_output/{NAME}": LATER,
        },
        f"recordings/bad: different runs side by side: {PROFS[1]} began after the others had "
        f"ended ({PROFS[0]}, {PROFS[1]}); keep one, or put rounds into round_1, round_2, ...",
    ),
    "a recording that does not exist": Bad(
        {"../other/a.csv": "1\n"},
        "recordings/bad: there is no such recording; recordings has 1 other recording",
    ),
    "no table that has fused operators": Bad(
        {NAME: WHOLE},
        "fused_count not measured: the profile has no table fusion_op [pyproject.toml:5]",
        "fused_count = { at_least = 1 }",
    ),
    "no table that times steps": Bad(
        {NAME: WHOLE},
        "step_time p50 not measured: the profile has neither step_trace nor step_trace_time "
        "[pyproject.toml:5]",
        'step_time.p50 = "1 s"',
    ),
    "no table that has start times": Bad(
        {"op_statistic_20260101000000.csv": op_statistic(*OPS)},
        "busy_time not measured: busy_time needs op_summary, and the profile has only "
        "op_statistic [pyproject.toml:5]",
        'busy_time = "1 s"',
    ),
}


@dataclass(frozen=True)
class Failure:
    """The one failure of a run."""

    message: str
    screen: str


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no plugin but ours: each costs every run a part of a second."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, bad: Bad, budget: str = "speed") -> Failure:
    """Gate a recording in a project of its own; return the failure that must come of it."""
    pytester.makepyprojecttoml(
        f"""
        [tool.pytest.ini_options]
        filterwarnings = ["error"]
        [tool.npuperf.budgets.speed]
        recording = "bad"
        {bad.limit}
        """
    )
    pytester.makepyfile(
        f"import pytest\n@pytest.mark.npuperf({budget!r})\ndef test_speed():\n    pass\n"
    )
    result = pytester.runpytest_inprocess("-p", "npuperf", "--junitxml=out.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED, result.stdout.str()
    suite = next(ET.parse(pytester.path / "out.xml").iter("testsuite"))
    assert int(suite.get("failures", 0)) + int(suite.get("errors", 0)) == 1
    fault = next(each for each in suite.iter() if each.tag in ("failure", "error"))
    return Failure(fault.get("message", ""), result.stdout.str() + result.stderr.str())


@pytest.mark.parametrize("name", CASES)
def test_one_clear_line(pytester: pytest.Pytester, name: str) -> None:
    bad = CASES[name]
    write(pytester.path / "recordings" / "bad", bad.files)
    if name == "a recording that does not exist":
        (pytester.path / "recordings" / "bad").rmdir()
    failure = run(pytester, bad)
    assert failure.message == f"NotWithinBudget: speed: {bad.line}"
    assert f"speed: {bad.line}" in failure.screen.splitlines()
    for word in ("Traceback", "gate.py", "pipeline.py", "PASSED"):
        assert word not in failure.screen


def test_the_whole_input_passes(pytester: pytest.Pytester) -> None:
    write(pytester.path / "recordings" / "bad", {NAME: WHOLE})
    with pytest.raises(AssertionError, match="1 passed"):
        run(pytester, Bad({}, ""))


def test_a_marker_without_a_budget_of_that_name(pytester: pytest.Pytester, tmp_path: Path) -> None:
    write(pytester.path / "recordings" / "bad", {NAME: WHOLE})
    failure = run(pytester, Bad({}, ""), budget="sped")
    line = 'marker npuperf("sped"): no budget of that name in pyproject.toml; did you mean "speed"?'
    assert line in failure.message
    assert line in failure.screen.splitlines()
    assert "Traceback" not in failure.screen
