"""``npuperf show`` on every recorded profile: the numbers, or one line that says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.commands.cli import main

pytestmark = pytest.mark.recordings

REFUSED = {
    *("msprof-empty-files", "msprof-empty-slices"),
    *("op-summary-subtasks", "torch-npu-ragged-row"),
}
"""What nobody could read."""

Captured = pytest.CaptureFixture[str]


def folders(recordings: Path) -> list[Path]:
    return sorted(path for path in recordings.iterdir() if path.is_dir())


@pytest.mark.parametrize("width", [60, 80, 100])
def test_each_folder_is_shown_or_refused_in_one_line(
    recordings: Path, width: int, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for folder in folders(recordings):
        status = main(["show", str(folder)])
        out, err = capsys.readouterr()
        assert (folder.name not in REFUSED) or status == 1
        if status == 0:
            assert err == ""
            assert max(map(len, out.splitlines())) <= width, folder.name
        else:
            assert (status, out, err.count("\n")) == (1, "", 1)
            assert err.startswith(f"npuperf: {folder}")
            assert "fault of npuperf" not in err


def shown(folder: Path, capsys: Captured) -> dict[str, list[dict[str, Any]]]:
    assert main(["show", str(folder), "--json", "--top", "1000"]) == 0
    areas = json.loads(capsys.readouterr().out)["areas"]
    return {key: area["rows"] for key, area in areas.items()}


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("msprof-ascend950-l1", "mindstudio_profiler_output/op_summary_20260402160352.csv"),
        ("msprof-cann85-dsa", "mindstudio_profiler_output/op_summary_20260511093035.csv"),
        ("torch-npu-10-steps", "ASCEND_PROFILER_OUTPUT/kernel_details.csv"),
        ("torch-npu-cann70", "ASCEND_PROFILER_OUTPUT/kernel_details.csv"),
    ],
)
def test_the_numbers_are_the_reference_values(
    recordings: Path, expected: dict[str, Any], folder: str, file: str, capsys: Captured
) -> None:
    reference = expected[f"{folder}/{file}"]
    rows = shown(recordings / folder, capsys)
    (lane,) = rows["lanes"]
    assert lane["kernel_count"] == reference["kernel_count"]
    assert lane["kernel_time_ns"] == ns(reference["kernel_time_us"])
    cores = {row["core"]: [row["count"], row["total_ns"]] for row in rows["cores"]}
    cores = {core: numbers for core, numbers in cores.items() if core not in COMMUNICATION}
    assert cores == {core: [n, ns(us)] for core, (n, us) in reference["by_core"].items()}
    types: dict[str, list[int]] = {}
    for row in rows["op_types"]:
        known = types.setdefault(row["type"], [0, 0, 0])
        types[row["type"]] = [
            known[0] + row["count"],
            known[1] + row["total_ns"],
            max(known[2], row["max_ns"]),
        ]
    for name, (count, total, longest) in reference["by_type_top10"].items():
        assert types[name] == [count, ns(total), ns(longest)]
    duration, _ = reference["longest"]
    assert rows["ops"][0]["duration_ns"] == ns(duration)


def ns(us: str) -> int:
    whole, _, decimals = us.partition(".")
    return int(whole + decimals.ljust(3, "0"))
