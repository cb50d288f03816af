"""docs/errors.md lists the kinds of errors, and shows what the code really says."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import profile_tables as tables
import pytest

import pytest_npuperf
from pytest_npuperf import __version__
from pytest_npuperf.accuracy.amct import read_amct
from pytest_npuperf.accuracy.calibration import read_calibration
from pytest_npuperf.accuracy.files import newest
from pytest_npuperf.accuracy.numbers import read_number
from pytest_npuperf.collect import collect, replay
from pytest_npuperf.collect.command import find_msprof
from pytest_npuperf.collect.ending import check_ending
from pytest_npuperf.collect.process import Ended, Start
from pytest_npuperf.commands.accept import Wish, accept
from pytest_npuperf.commands.show import look_at
from pytest_npuperf.config import Options, load
from pytest_npuperf.errors import (
    AccuracyError,
    CollectError,
    ConfigError,
    NpuperfError,
    ProfileError,
)
from pytest_npuperf.model import AmctFiles, CalibrationFiles, Case, Msprof, NumberFile
from pytest_npuperf.results import read_baseline

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
NOWHERE = Path("/nonexistent")
BUDGET = "[tool.npuperf.budgets.resnet50]\n"
PROF = re.compile(r"PROF_[0-9_]+[A-Z]+")


# --- settings -----------------------------------------------------------------------------------


def settings(text: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
        return load(folder, Options())

    return read


def another_file(folder: Path) -> object:
    return load(folder, Options(config=folder / "npuperf.toml"))


def unknown_budget(folder: Path) -> object:
    found = settings(BUDGET + 'busy_time = "2 ms"\n')(folder)
    return found.case("resnet5")  # type: ignore[attr-defined]


# --- collecting ---------------------------------------------------------------------------------


def no_app(folder: Path) -> object:
    return collect(Case("resnet50", mode="run"), folder / "output", NOWHERE)


def no_program(folder: Path) -> object:
    case = Case("resnet50", app=("./out/main",), collector="app", mode="run", cwd=folder)
    return collect(case, folder / "output", NOWHERE)


def no_msprof(folder: Path) -> object:
    return find_msprof(Case("resnet50"), {"PATH": str(folder)})


def app(text: str) -> Callable[[Path], object]:
    def run(folder: Path) -> object:
        (folder / "bench").write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / "bench").chmod(0o755)
        case = Case("resnet50", app=("./bench",), collector="app", mode="run", cwd=folder)
        return collect(case, folder / "output", NOWHERE)

    return run


def no_tables(folder: Path) -> object:
    standin = Path(__file__).parents[1] / "standin" / "msprof"
    (folder / "bench").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "bench").chmod(0o755)
    case = Case(
        "resnet50",
        app=("./bench",),
        mode="run",
        cwd=folder,
        msprof=Msprof(str(standin)),
        env={"STANDIN_EXPORT": "fail"},
    )
    return collect(case, folder / "output", NOWHERE)


def hanging(folder: Path) -> object:
    start = Start(folder, {}, folder / "round_1.log", 600)
    check_ending("msprof", Ended(-9, timed_out=True), folder / "round_1", start)
    return None


def no_recording(folder: Path) -> object:
    (folder / "recordings").mkdir()
    return replay(folder / "recordings" / "resnet50")


def a_hole(folder: Path) -> object:
    for number in (1, 3):
        (folder / f"resnet50/round_{number}").mkdir(parents=True)
    return replay(folder / "resnet50")


# --- reading ------------------------------------------------------------------------------------


def opened(**files: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        profile = folder / "recordings" / "resnet50"
        profile.mkdir(parents=True)
        for name, text in files.items():
            (profile / f"{name}.csv").write_text(text, encoding="utf-8")
        return look_at(profile, 10, None)

    return read


def two_runs(folder: Path) -> object:
    for letter, start in (("A", 0), ("B", 10**9)):
        ops = tables.op_summary(tables.Op(start=start))
        name = f"PROF_{letter}/mindstudio_profiler_output/op_summary_20260131093006.csv"
        tables.write(folder / "resnet50", {name: ops})
    return look_at(folder / "resnet50", 10, None)


def a_link(folder: Path) -> object:
    (folder / "resnet50").mkdir()
    (folder / "resnet50" / "op_summary.csv").symlink_to("/etc/passwd")
    return look_at(folder / "resnet50", 10, None)


def failed_export(folder: Path) -> object:
    path = folder / "op_summary_0_1_1.json"
    path.write_text('{"status": 1, "info": "no data of op summary"}', encoding="utf-8")
    return look_at(path, 10, None)


# --- quantised models ---------------------------------------------------------------------------


def no_such_key(folder: Path) -> object:
    path = folder / "result.json"
    value = [{"key": "Top1 accuracy", "value": "75.87%"}]
    path.write_text(json.dumps({"title": "int8", "value": value}), encoding="utf-8")
    return read_number(NumberFile(path, "Top-1"))


def no_result(folder: Path) -> object:
    return newest(folder / "result_*.csv")


def calibrated(text: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / "quant.cfg").write_text(text, encoding="utf-8")
        (folder / "calibration").mkdir()
        (folder / "calibration" / "batch_0.bin").touch()
        files = CalibrationFiles(folder / "quant.cfg", 16, data_dir=folder / "calibration")
        return read_calibration(files)

    return read


def no_model(folder: Path) -> object:
    for name in ("amct_log", "results"):
        (folder / name).mkdir()
    step = {"roll_back_config": {"conv1": True, "fc1000": False}, "metric_eval": [True, 0.004]}
    first = {"roll_back_config": {"conv1": True, "fc1000": True}, "metric_eval": [False, 0.02]}
    record = folder / "amct_log" / "accuracy_based_auto_calibration_record.json"
    record.write_text(json.dumps(first) + json.dumps(step), encoding="utf-8")
    return read_amct(AmctFiles(folder / "amct_log", folder / "results"))


# --- baselines ----------------------------------------------------------------------------------


def newer(folder: Path) -> object:
    path = folder / "baselines" / "resnet50" / "Ascend910B3.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 2, "case": "resnet50", "soc": "Ascend910B3"}\n', encoding="utf-8")
    return read_baseline(path, ())


def no_run(folder: Path) -> object:
    settings(BUDGET + 'busy_time = { max_regression = "5 %" }\n')(folder)
    return accept(Wish("resnet50", "first", False, None, None), folder, 100)


CONVOLUTION = tables.Op()
EXAMPLES: dict[type[NpuperfError], list[Callable[[Path], object]]] = {
    ConfigError: [
        settings(BUDGET + 'busy_time = "1,7 ms"\n'),
        settings(BUDGET + 'step_time = { p_95 = "2 ms" }\n'),
        settings(BUDGET + 'idle_share = "100 %"\n'),
        settings(BUDGET + "kernel_count = 12O\n"),
        another_file,
        unknown_budget,
    ],
    CollectError: [
        no_app,
        no_program,
        no_msprof,
        app("echo 'out of memory' >&2; exit 3"),
        app("exit 0"),
        no_tables,
        hanging,
        no_recording,
        a_hole,
    ],
    ProfileError: [
        opened(notes=""),
        opened(op_summary="version https://git-lfs.github.com/spec/v1\n"),
        opened(op_summary=tables.op_summary(tables.Op(duration="fast"))),
        opened(
            op_summary=tables.op_summary(CONVOLUTION),
            op_statistic=tables.op_statistic(CONVOLUTION, CONVOLUTION),
        ),
        two_runs,
        a_link,
        failed_export,
    ],
    AccuracyError: [
        no_such_key,
        no_result,
        calibrated("batch_num : 2\ncommon_config : {\n"),
        calibrated("batch_num : 2\n"),
        no_model,
    ],
    NpuperfError: [newer, no_run],
}


def said(example: Callable[[Path], object], folder: Path) -> str:
    """Return the line that an example is refused with, with paths that any reader may have."""
    with pytest.raises(NpuperfError) as refused:
        example(folder)
    line = str(refused.value).splitlines()[0]
    shown = line.replace(f"{folder}/", "").replace(str(folder), ".")
    shown = shown.replace(__version__, "0.1.0")
    return PROF.sub("PROF_000001_20260131093003094_00041728CFKGRAHB", shown)


@pytest.mark.parametrize("kind", EXAMPLES, ids=lambda kind: kind.__name__)
def test_the_page_shows_what_is_said(
    kind: type[NpuperfError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("ASCEND_")]:
        monkeypatch.delenv(name)
    found = []
    for number, example in enumerate(EXAMPLES[kind]):
        (tmp_path / str(number)).mkdir()
        found.append(said(example, tmp_path / str(number)))
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## `{kind.__name__}`")[2]
    section = text.partition("\n## ")[0]
    assert re.findall(r"^```text\n((?s:.*?))\n```$", section, re.MULTILINE) == found


def kinds() -> set[str]:
    """Return the name of every class of error in the package; not all of it can be imported."""
    sources = Path(pytest_npuperf.__file__).parent.rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    found = {"NpuperfError"}
    pairs = re.findall(r"^class (\w+)\((\w+)\):", text, re.MULTILINE)
    for _ in pairs:  # a class may stand before its parent
        found |= {name for name, parent in pairs if parent in found}
    return found


def test_the_page_lists_every_kind_of_error() -> None:
    head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", head, re.MULTILINE)) == kinds()
