"""docs/errors.md says with which status each subcommand ends where something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import profile_tables as tables
import pytest

from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.subcommands import SUBCOMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
RECORDING = Path("recordings/resnet50")
BUDGET = '[tool.npuperf.budgets.resnet50]\nrecording = "resnet50"\n'
COMMANDS = {
    "show": ["show", str(RECORDING)],
    "init": ["init", str(RECORDING)],
    "accept": ["accept", "--case", "resnet50", "--reason", "first"],
    "diff": ["diff", str(RECORDING), str(RECORDING)],
    "doctor": ["doctor"],
}


def project(limit: str = "kernel_count = 1\n", **files: str) -> None:
    """Write a budget, and a recording of some tables."""
    Path("pyproject.toml").write_text(BUDGET + limit, encoding="utf-8")
    for name, text in files.items():
        RECORDING.mkdir(parents=True, exist_ok=True)
        (RECORDING / name.replace("__", ".")).write_text(text, encoding="utf-8")


def wrong_settings() -> None:
    project('kernel_time = "1,7 ms"\n', op_summary__csv=tables.op_summary(tables.Op()))


def no_recording() -> None:
    project()


def damaged() -> None:
    project(op_summary__csv=tables.op_summary(tables.Op(duration="fast")))


def failed_export() -> None:
    project(op_summary_0_1_1__json='{"status": 1, "info": "no data of op summary"}')


WRONG: list[tuple[str, Callable[[], None], list[str]]] = [
    # Neither show nor diff has settings; accept reads no profile.
    ("ConfigError", wrong_settings, ["init", "accept", "doctor"]),
    ("CollectError", no_recording, ["show", "init", "diff", "doctor"]),
    ("ProfileError", damaged, ["show", "init", "diff", "doctor"]),
    ("FailedExportError", failed_export, ["show", "init", "diff", "doctor"]),
]


def documented() -> dict[str, dict[str, str]]:
    """Return by kind of error and subcommand what the page says."""
    above = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    head, _, *rows = re.findall(r"^\|(.*)\|$", above, re.MULTILINE)
    names = [re.findall(r"`(\w+)`", cell) for cell in head.split("|")]
    found = {}
    for row in rows:
        kind, *cells = (cell.strip() for cell in row.split("|"))
        pairs = zip(names[1:], cells, strict=True)
        found[kind.strip("`")] = {name: cell for group, cell in pairs for name in group}
    return found


def test_the_page_has_all_subcommands() -> None:
    # The schema is printed whatever is wrong.
    assert {*documented()["NpuperfError"]} == {each.name for each in SUBCOMMANDS} - {"schema"}


@pytest.mark.parametrize(
    ("kind", "make", "command"),
    [
        pytest.param(kind, make, command, id=f"{kind}-{command}")
        for kind, make, commands in WRONG
        for command in commands
    ],
)
def test_a_subcommand_ends_as_the_page_says(
    kind: str,
    make: Callable[[], None],
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    make()
    assert str(main(COMMANDS[command])) == documented()[kind][command]
    assert "fault of npuperf" not in capsys.readouterr().err


def damaged_baseline() -> None:
    limit = 'kernel_count.max_regression = "5 %"\n'
    manifest = '{"format": 1, "recorded": "2026-01-31", "fingerprint": {"soc": "Ascend910B3"}}'
    tables_ = {"op_summary__csv": tables.op_summary(tables.Op())}
    project(limit, **tables_, **{"npuperf-recording__json": manifest})
    file = Path("baselines/resnet50/Ascend910B3.json")
    file.parent.mkdir(parents=True)
    file.write_text("{", encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "arguments", "status"),
    [
        (damaged_baseline, ["doctor"], 1),
        (damaged_baseline, ["doctor", "--case", "resnet51"], 4),
        (damaged_baseline, COMMANDS["accept"], 1),
        (failed_export, [*COMMANDS["diff"], "--metric", "speed"], 4),
    ],
)
def test_what_is_of_no_kind(
    make: Callable[[], None],
    arguments: list[str],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    make()
    assert main(arguments) == status
    said = documented()["NpuperfError"][arguments[0]]
    assert str(status) in re.findall(r"\d", said)
