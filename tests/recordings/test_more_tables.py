"""The recorded tables beside those of operators give what stands in their files."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Value, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_FILE

pytestmark = pytest.mark.recordings

KERNELS = Wanted("kernel_time")

NEW = (
    *("communication_statistic", "hccl_statistic", "l2_cache", "memory_record", "operator_memory"),
    *("npu_mem", "api_statistic", "step_trace_time", "task_time", "ai_core_utilization"),
)


def files(recordings: Path, *suffixes: str) -> list[Path]:
    """Return the recorded files of the tables that have no test of their own elsewhere."""
    found = [path for suffix in suffixes for path in recordings.rglob(f"*{suffix}")]
    return sorted(path for path in found if path.name.split(".")[0].rstrip("0123456789_") in NEW)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_recorded_csv_reads_with_every_row_and_column(recordings: Path) -> None:
    paths = files(recordings, ".csv")
    assert {BY_FILE[path.name.split(".")[0].rstrip("0123456789_")].name for path in paths} >= {
        *("l2_cache", "memory_record", "operator_memory"),
    }
    for path in paths:
        profile = open_profile(path)
        (table,) = profile.tables
        rows = rows_of(path)
        if not rows:
            with pytest.raises(ProfileError, match="the file is empty; the export wrote nothing"):
                profile.unit_rows(0, table, None)
            continue
        frame = profile.unit_rows(0, table, None)
        names = {BY_FILE[table].column(header).name for header in rows[0]}
        assert (len(frame), set(frame) - {"device_id"}) == (len(rows), names - {"device_id"}), path


def test_l2_cache_gives_what_the_file_says(recordings: Path) -> None:
    (path,) = recordings.rglob("l2_cache.csv")
    frame = open_profile(path).l2_cache
    for name, header in (("hit_rate", "Hit Rate"), ("victim_rate", "Victim Rate")):
        said = [row[header] for row in rows_of(path)]
        assert [None if cell == "N/A" else float(cell) for cell in said] == [
            None if pd.isna(cell) else cell for cell in frame[name]
        ]
    assert frame["hit_rate"].isna().any()
    assert frame["op_name"].tolist() == [row["Op Name"] for row in rows_of(path)]


# --- exports of 2020 --------------------------------------------------------------------------

FOLDER = "profiling-2020-ascend310"


class Rows(NamedTuple):
    """A file of 2020 that holds rows, with columns of ns that become us."""

    file: str
    table: str
    times: Sequence[tuple[str, str]]


OF_2020 = (
    Rows(
        "summary_runtime_0.json",
        "runtime_api",
        (
            ("total_time_us", "Time(ns)"),
            ("avg_time_us", "Avg(ns)"),
            ("min_time_us", "Min(ns)"),
            ("max_time_us", "Max(ns)"),
        ),
    ),
    Rows(
        "summary_ts_0.json",
        "task_time",
        (("total_time_us", "Time(ns)"), ("running_us", "Running(ns)")),
    ),
)


@pytest.mark.parametrize("rows", OF_2020, ids=lambda rows: rows.file)
def test_what_holds_rows_is_read_exactly(recordings: Path, rows: Rows) -> None:
    path = recordings / FOLDER / rows.file
    said = json.loads(path.read_text(encoding="utf-8"))["data"]["table"]
    frame = open_profile(path).table(rows.table)
    assert len(frame) == len(said) > 1
    for name, header in rows.times:
        assert frame[name].tolist() == [float(Fraction(row[header], 1000)) for row in said]
    assert frame["device_id"].tolist() == ["0"] * len(said)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (
            "ai_core_utilization_0.json",
            'an object of "maxTime", "minTime", "usage" where a list of rows is wanted; '
            "export it as CSV, or leave the file out",
        ),
    ],
)
def test_what_holds_none_is_refused_by_name(recordings: Path, file: str, message: str) -> None:
    path = recordings / FOLDER / file
    profile = open_profile(path)
    with pytest.raises(ProfileError) as caught:
        profile.table(profile.tables[0])
    assert str(caught.value) == f"{path}: {message}"


FAILED = (
    'op_time_statistic_0.json: the export failed: "Parse op statistic data failed!"; '
    "export the profile again"
)


def test_a_failed_export_of_2020_is_told_and_the_rest_is_read(recordings: Path) -> None:
    with pytest.raises(ProfileError) as caught:
        open_profile(recordings / FOLDER / "op_time_statistic_0.json")
    assert str(caught.value) == f"{recordings / FOLDER}/{FAILED}"
    profile = open_profile(recordings / FOLDER)
    assert profile.tables == ("task_time", "runtime_api", "ai_core_utilization")
    measured = measure(profile, [KERNELS])
    assert measured.lanes["0"].values[KERNELS] == Value(
        None, reason=f"the profile has neither op_summary nor op_statistic; {FAILED}"
    )
    assert measured.notes == (FAILED,)


def test_the_rest_of_2020_is_listed(recordings: Path) -> None:
    (unit,) = open_profile(recordings / FOLDER).units
    assert unit.unknown == (
        *("devices.json", "summary_aicore_sample_0.json", "summary_collection.json"),
        *("timeline_acl_0.json", "timeline_ge_0.json", "timeline_maxtime.json"),
    )
