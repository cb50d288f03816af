"""What is read of the recorded timelines is what their events say."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_NAME
from pytest_npuperf.profile.traces import read_table

pytestmark = pytest.mark.recordings

YEAR_2023 = (
    "msprof-2023-device-dirs/PROF_000001_20230818142704322_COJGGGCANRMICFBC/device_0/timeline"
)
CANN85 = "msprof-cann85-dsa/mindstudio_profiler_output/msprof_20260511093035.json"
TEN_STEPS = "torch-npu-10-steps/ASCEND_PROFILER_OUTPUT/trace_view.json"
FILES = (
    *(f"{YEAR_2023}/{name}_0_2_{step}.json" for name in ("msprof", "hccl") for step in (1, 2)),
    *(
        f"{YEAR_2023}/{name}_0_2_{step}.json"
        for name in ("step_trace", "task_time")
        for step in (1, 2)
    ),
    CANN85,
    TEN_STEPS,
)

Row = tuple[str, str, str]


def parsed(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a file, read whole, with exact decimals."""
    yield from json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)


def sums(path: Path) -> dict[Row, list[Decimal]]:
    """Return the durations by layer, thread and name."""
    layers: dict[object, str] = {}
    threads: dict[object, str] = {}
    for event in parsed(path):
        if event["name"] == "process_name":
            layers[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    found = defaultdict(list)
    for event in parsed(path):
        if event["ph"] == "X":
            thread = threads[event["pid"], event["tid"]]
            found[layers[event["pid"]], thread, event["name"]].append(Decimal(event["dur"]))
    return found


@pytest.mark.parametrize("file", FILES)
def test_each_row_sums_up_its_events(recordings: Path, file: str) -> None:
    frame = read_table(recordings / file, BY_NAME["timeline"])
    keys = zip(*(frame[name].astype(str) for name in ("layer", "thread", "name")), strict=True)
    columns = ("count", "total_time_us", "min_time_us", "max_time_us")
    found = dict(zip(keys, frame[list(columns)].to_numpy().tolist(), strict=True))
    wanted = sums(recordings / file)
    assert found.keys() == wanted.keys()
    for key, times in wanted.items():
        ns = [round(time * 1000) for time in times]
        us = [number / 1000 for number in (sum(ns), min(ns), max(ns))]
        assert found[key] == [len(times), *us], key


@pytest.mark.parametrize(
    ("file", "devices"),
    [
        (CANN85, {"Ascend Hardware": "0", "CANN": "host", "Overlap Analysis": "0"}),
        (
            TEN_STEPS,
            {"Ascend Hardware": "0", "CANN": "host", "Overlap Analysis": "0", "Python": "host"},
        ),
    ],
)
def test_layers_say_their_device(recordings: Path, file: str, devices: dict[str, str]) -> None:
    frame = read_table(recordings / file, BY_NAME["timeline"], {"layer", "device_id"})
    found = frame.drop_duplicates().astype(str).set_index("layer")["device_id"]
    assert found.to_dict() == devices


def test_the_labels_of_2023_do_not_number_the_device(recordings: Path) -> None:
    for path in sorted((recordings / YEAR_2023).glob("*.json")):
        assert read_table(path, BY_NAME["timeline"])["device_id"].isna().all()
    timeline = open_profile(recordings / YEAR_2023).timeline
    assert set(timeline["device_id"]) == {"0"}
    assert set(timeline["source"]) == {"msprof", "hccl", "step_trace", "task_time"}


def test_the_overlap_analysis_computes_as_long_as_the_operators(
    recordings: Path, expected: dict[str, Any]
) -> None:
    summary = CANN85.replace("msprof_2", "op_summary_2").replace(".json", ".csv")
    frame = read_table(recordings / CANN85, BY_NAME["timeline"])
    computing = frame[(frame["layer"] == "Overlap Analysis") & (frame["name"] == "Computing")]
    (compute_us,) = computing["total_time_us"]
    assert compute_us == float(expected[summary]["devices"]["0"]["compute_us"])


@pytest.mark.parametrize("step", [1, 2])
def test_every_step_trace_has_all_ten_steps(recordings: Path, step: int) -> None:
    path = recordings / YEAR_2023 / f"step_trace_0_2_{step}.json"
    frame = read_table(path, BY_NAME["step_trace"])
    arguments = [event["args"] for event in parsed(path) if event.get("cat") == "Iteration Time"]
    assert steps_of(frame) == [
        (
            str(args["Iteration ID"]),
            float(args["Iteration Time(ns)"] / 1000),
            round(args["Iteration End"] * 1000),
        )
        for args in arguments
    ]
    assert frame["iteration_id"].tolist() == [str(number) for number in range(1, 11)]
    assert set(frame["model_id"]) == {"2"}


@pytest.mark.parametrize(
    ("step", "wanted"),
    [(1, ("1", 47587.81, 56635912240300)), (2, ("2", 15369.16, 56635959739470))],
)
def test_the_merged_timeline_has_the_step_of_its_name(
    recordings: Path, step: int, wanted: tuple[str, float, int]
) -> None:
    path = recordings / YEAR_2023 / f"msprof_0_2_{step}.json"
    assert steps_of(read_table(path, BY_NAME["step_trace"])) == [wanted]


def steps_of(frame: pd.DataFrame) -> list[tuple[str, float, int]]:
    """Return id, time and end of each iteration."""
    names = ("iteration_id", "iteration_time_us", "iteration_end_ns")
    return list(zip(*(frame[name].tolist() for name in names), strict=True))


def test_an_export_that_wrote_nothing_says_so(recordings: Path) -> None:
    paths = sorted(recordings.glob("msprof-empty-*/mindstudio_profiler_output/msprof_*.json"))
    assert len(paths) == 3
    for path in paths:
        with pytest.raises(ProfileError) as caught:
            read_table(path, BY_NAME["timeline"])
        assert str(caught.value) == f"{path}: the file is empty; the export wrote nothing"


def test_the_timelines_of_2020_hold_no_events(recordings: Path) -> None:
    path = recordings / "profiling-2020-ascend310" / "timeline_acl_0.json"
    with pytest.raises(ProfileError) as caught:
        read_table(path, BY_NAME["timeline"])
    assert str(caught.value) == (
        f"{path}: not a timeline: an array of events or an object with traceEvents is wanted; "
        "export it again"
    )
