"""``npuperf doctor`` of budgets that name files about a quantised model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.commands.doctor import PROBLEM, SOUND, Wish, doctor

RECORD = "accuracy_based_auto_calibration_record.json"
FINAL = "accuracy_based_auto_calibration_final_config.json"
STEPS = '{"roll_back_config": {"conv1": true, "fc": true}, "metric_eval": [true, 0.1]}'
CONFIG = '{"version": 1, "conv1": {"quant_enable": true}, "fc": {"quant_enable": true}}'
AMCT = '[tool.npuperf.budgets.net.amct]\nlog_dir = "amct_log"\nresult_dir = "results"\n'
ACCURACY = """\
[tool.npuperf.budgets.net.custom.accuracy]
from = "result.json"
better = "higher"
at_least = 75
"""
RESULT = '{"title": "t", "value": [{"key": "Top1 accuracy", "value": "76.12%"}]}'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write a sound search and an accuracy, and return their folder."""
    for name, text in {
        f"amct_log/{RECORD}": STEPS,
        f"results/{FINAL}": CONFIG,
        "result.json": RESULT,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def checked(folder: Path, toml: str, self_test: bool = False) -> tuple[int, str]:
    """Return the status, and what is printed of a budget."""
    (folder / "pyproject.toml").write_text(toml, encoding="utf-8")
    env = {"PATH": "/nonexistent"}
    text, status = doctor(Wish(self_test=self_test), folder, env, folder / "dev", 100)
    return status, text.partition("\n\n")[2]


def test_a_budget_about_files_alone_is_checked_without_a_recording(files: Path) -> None:
    assert checked(files, AMCT + ACCURACY) == (
        SOUND,
        """\
net [pyproject.toml:1]
recording  none
files      those of amct, custom.accuracy can be read
verdict  number                   now      limit  margin      line
PASSED   amct quantised_count       2       >= 1  +100 %  built-in
PASSED   custom.accuracy       76.1 %  >= 75.0 %  +1.5 %         4

npuperf: 2 limits in 1 budget: all can be measured; 2 cannot be tried
""",
    )


def test_the_self_test_says_that_files_are_not_tried(files: Path) -> None:
    assert checked(files, ACCURACY, self_test=True) == (
        SOUND,
        """\
net [pyproject.toml:1]
recording  none
files      those of custom.accuracy can be read
not tried  limits on files: the self-test changes the recording, and no file
verdict  number              now      limit  fails from  line
PASSED   custom.accuracy  76.1 %  >= 75.0 %   not tried     1

npuperf: 1 limit in 1 budget: all can be measured; 1 cannot be tried
""",
    )


def test_a_file_that_is_not_there_is_a_problem(files: Path) -> None:
    (files / "result.json").unlink()
    assert checked(files, AMCT + ACCURACY) == (
        PROBLEM,
        """\
net [pyproject.toml:1]
recording  none
files      those of amct can be read, those of custom.accuracy cannot
verdict       number                now    limit  margin      line
PASSED        amct quantised_count    2     >= 1  +100 %  built-in
NOT_MEASURED  custom.accuracy         -  >= 75.0                 4
    result.json: no such file; make it, or mend the path

npuperf: 2 limits in 1 budget: 1 cannot be told
""",
    )


def test_beside_a_recording_only_the_other_limits_are_tried(profile: Path, files: Path) -> None:
    head = '[tool.npuperf]\nrecordings = "."\n[tool.npuperf.budgets.net]\n'
    own = '[tool.npuperf.budgets.net.custom.own]\nbetter = "higher"\nat_least = 1\n'
    limits = f'recording = "{profile.parent.name}"\nkernel_count = 4\n'
    assert checked(files, f"{head}{limits}{ACCURACY}{own}", self_test=True) == (
        SOUND,
        """\
net [pyproject.toml:3]
recording  run
made       recorded 2026-01-01, SoC unknown, CANN unknown
holds      the whole run, steps: 2
files      those of custom.accuracy can be read
not here   custom.own: its test reports that
not tried  limits on files: the self-test changes the recording, and no file
verdict  number              now      limit  fails from  line
PASSED   kernel_count          4          4      1 more     5
PASSED   custom.accuracy  76.1 %  >= 75.0 %   not tried     6

npuperf: 2 limits in 1 budget: all can be measured; 1 cannot be tried, and the others can fail
""",
    )
