"""The example project does what its pages show, and its recordings are what its script makes."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pages
import pytest

Run = Callable[[str], subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "example_project"
RECORDINGS = EXAMPLE / "recordings"
QUANTISED = EXAMPLE / "quantised"
PAGES = [ROOT / "README.md", EXAMPLE / "README.md", ROOT / "docs" / "quantised.md"]
DEMOS = ("demo_regressed.py", "demo_quantised.py")


def shown_runs() -> list[tuple[str, str]]:
    """Return each pytest command that a page shows, with the output that it shows."""
    told = [each for page in PAGES for each in pages.blocks(page, "console")]
    runs = [each for block in told for each in pages.shown(block)]
    return [(command, output) for command, output in runs if command.startswith("pytest")]


def settings(text: str, name: str) -> list[str]:
    """Return the lines of one budget in settings, without comments and blank lines."""
    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    own = [each for each in tables if each.startswith(f"[tool.npuperf.budgets.{name}")]
    return [line for table in own for line in table.splitlines() if line and line[0] != "#"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that runs a pytest command line in the example, as a user would."""
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    example = tmp_path_factory.mktemp("example") / "example_project"
    shutil.copytree(EXAMPLE, example, ignore=ignored)
    env = pages.environment()

    @cache
    def run(command: str) -> subprocess.CompletedProcess[str]:
        args = [sys.executable, "-m", *shlex.split(command)]
        return subprocess.run(
            args, cwd=example, env=env, capture_output=True, text=True, check=False
        )

    return run


def test_the_pages_show_a_passing_and_a_failing_run() -> None:
    commands = {command for command, _ in shown_runs()}
    assert commands >= {"pytest", *(f"pytest {demo}" for demo in DEMOS)}


@pytest.mark.parametrize(("command", "output"), shown_runs())
def test_a_run_prints_what_the_page_shows(run: Run, command: str, output: str) -> None:
    result = run(command)
    assert pages.normalised(result.stdout) == pages.normalised(output), (
        result.stdout + result.stderr
    )


def test_the_readme_shows_how_a_failing_run_ends(run: Run) -> None:
    summary, *_ = pages.blocks(ROOT / "README.md", "text")
    assert summary.startswith("verdict ")
    assert summary in run("pytest demo_regressed.py").stdout


@pytest.mark.parametrize(
    ("command", "status"), [("pytest", 0), *((f"pytest {demo}", 1) for demo in DEMOS)]
)
def test_the_exit_status_tells_the_verdict(run: Run, command: str, status: int) -> None:
    result = run(command)
    assert result.returncode == status, result.stdout + result.stderr


def test_the_script_makes_the_recordings_byte_for_byte(tmp_path: Path) -> None:
    script = EXAMPLE / "make_recording.py"
    subprocess.run([sys.executable, "-B", script, tmp_path], check=True)
    assert files(tmp_path) == files(RECORDINGS)


def test_the_script_makes_the_search_byte_for_byte(tmp_path: Path) -> None:
    script = EXAMPLE / "make_search.py"
    subprocess.run([sys.executable, "-B", script, tmp_path], check=True)
    made = files(tmp_path)
    assert len(made) == 4
    assert made == {name: files(QUANTISED)[name] for name in made}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def rows(recording: str, table: str) -> list[dict[str, str]]:
    (path,) = (RECORDINGS / recording).glob(f"PROF_*/mindstudio_profiler_output/{table}_*.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_recording_is_25_steps_of_120_operators_on_three_kinds_of_core() -> None:
    summary = rows("resnet50", "op_summary")
    assert len(summary[0]) == 46
    assert set(Counter(row["Op Name"] for row in summary).values()) == {25}
    assert len({row["Op Name"] for row in summary}) == 120
    assert {row["Task Type"] for row in summary} == {"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC"}
    assert len(rows("resnet50", "step_trace")) == 25


def test_in_the_regressed_recording_two_operators_differ() -> None:
    before, after = rows("resnet50", "op_summary"), rows("resnet50_regressed", "op_summary")
    changed = {
        old["Op Name"]
        for old, new in zip(before, after, strict=True)
        if old["Task Duration(us)"] != new["Task Duration(us)"]
    }
    assert changed == {"conv1", "output_cast"}
    assert {row["Op Name"] for row in after if row["Task Type"] == "AI_CPU"} == {"output_cast"}


def test_in_the_int8_recording_all_convolutions_but_the_first_are_quantised() -> None:
    summary = rows("resnet50_int8", "op_summary")
    assert set(Counter(row["Op Name"] for row in summary).values()) == {25}
    step = {row["Op Name"]: row for row in summary}
    convolutions = {name: row for name, row in step.items() if row["OP Type"] == "Conv2D"}
    in_float = {"Input Data Types": "FLOAT16;FLOAT16;FLOAT16", "Output Data Types": "FLOAT16"}
    assert len(convolutions) == 53
    assert [name for name, row in convolutions.items() if in_float.items() <= row.items()] == [
        "conv1"
    ]
    added = Counter(row["OP Type"] for name, row in step.items() if name.endswith("_layer"))
    assert added == {"AscendQuant": 16, "AscendDequant": 4}


def test_the_layers_of_the_search_and_of_the_comparison_are_ops_of_the_recording() -> None:
    names = {row["Op Name"] for row in rows("resnet50_int8", "op_summary")}
    (ranking,) = QUANTISED.glob("results/*_ranking_information.json")
    assert {layer for layer, _ in json.loads(ranking.read_text(encoding="utf-8"))} <= names
    for result in QUANTISED.glob("compared*/result_*.csv"):
        with result.open(encoding="utf-8", newline="") as file:
            compared = {row["NPUDump"] for row in csv.DictReader(file)}
        assert compared - names == {"data", "output"}


def test_the_page_shows_the_settings_of_the_example() -> None:
    project = (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")
    page = pages.blocks(ROOT / "docs" / "quantised.md", "toml")[0]
    for name in ("resnet50_fp16", "resnet50_int8"):
        assert settings(page, name) == settings(project, name) != []


@pytest.mark.parametrize("recording", ["resnet50", "resnet50_int8", "resnet50_regressed"])
def test_the_tables_of_a_recording_agree(recording: str) -> None:
    summary = rows(recording, "op_summary")
    counts = Counter((row["OP Type"], row["Task Type"]) for row in summary)
    statistic = rows(recording, "op_statistic")
    assert counts == {(row["OP Type"], row["Core Type"]): int(row["Count"]) for row in statistic}
    kernels = [row for row in rows(recording, "task_time") if row["kernel_name"] != "N/A"]
    assert [
        (row["Op Name"], row["Task Start Time(us)"], row["Task Duration(us)"]) for row in summary
    ] == [(row["kernel_name"], row["task_start(us)"], row["task_time(us)"]) for row in kernels]
