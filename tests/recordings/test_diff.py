"""``npuperf diff`` on recorded profiles: equal work is the same, planted changes come first."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.catalogue import PER_STEP
from pytest_npuperf.commands.cli import main
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.measure import Measurer
from pytest_npuperf.model import StepOptions, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.results.rounds import rounds_as_json
from pytest_npuperf.results.sound import refuse_other_sums

pytestmark = pytest.mark.recordings

Captured = pytest.CaptureFixture[str]
Row = dict[str, str]

PAIRS = ("torch-npu-910b-level1", "torch-npu-910a-level1")
RANKS = ("rank0_ascend_pt", "rank1_ascend_pt")
TABLE = Path("ASCEND_PROFILER_OUTPUT", "kernel_details.csv")


def answer(before: Path, now: Path, capsys: Captured, *more: str) -> tuple[int, Any]:
    """Return the status and the answer, of which the parts must sum to the change."""
    status = main(["diff", str(before), str(now), "--json", *more])
    found = json.loads(capsys.readouterr().out)
    (causes,) = found["causes"].values()
    parts = [each["total"] - each["before_total"] for each in causes if not is_collective(each)]
    assert sum(parts) == kernel_time(now) - kernel_time(before)
    return status, found


def is_collective(cause: Mapping[str, str]) -> bool:
    return cause["core"] == "COMMUNICATION"


def kernel_time(rank: Path) -> int:
    """Return the sum of the durations of the kernels in ns, read by hand."""
    with (rank / TABLE).open(encoding="utf-8", newline="") as file:
        kernels = [row for row in csv.DictReader(file) if row["Accelerator Core"] != "HCCL"]
    return sum(int(Decimal(row["Duration(us)"]) * 1000) for row in kernels)


def printed(before: Path, now: Path, capsys: Captured, *more: str) -> list[str]:
    main(["diff", str(before), str(now), *more])
    return capsys.readouterr().out.splitlines()


DOUBT = "not told from noise, as no change is beyond what is allowed:"


# --- the same work ----------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("order", [RANKS, RANKS[::-1]])
def test_two_ranks_with_the_same_work_are_the_same(
    recordings: Path, pair: str, order: tuple[str, str], capsys: Captured
) -> None:
    before, now = (recordings / pair / rank for rank in order)
    status, found = answer(before, now, capsys)
    assert (status, found["exit"], found["told_from_noise"]) == (0, 0, False)
    assert [limit["verdict"] for limit in found["limits"]] == ["PASSED", "PASSED"]
    lines = printed(before, now, capsys)
    # Single types move by as much as 18 % all the same, and stand below that line.
    doubt = lines.index(DOUBT)
    assert lines[doubt + 1].startswith("kernel_time changed by ")
    assert not any(word in line for line in lines[:doubt] for word in ("slower", "faster"))


@pytest.mark.parametrize("pair", PAIRS)
def test_a_profile_of_several_ranks_is_as_itself(
    recordings: Path, pair: str, capsys: Captured
) -> None:
    status = main(["diff", *[str(recordings / pair)] * 2, "--json"])
    causes = json.loads(capsys.readouterr().out)["causes"]
    assert (status, causes) == (0, {"0/0": [], "1/0": []})


@pytest.mark.parametrize("swapped", [False, True])
def test_a_rank_that_one_side_lacks(recordings: Path, swapped: bool, capsys: Captured) -> None:
    sides = [recordings / PAIRS[0], recordings / PAIRS[0] / RANKS[0]]
    assert main(["diff", *map(str, sides[::-1] if swapped else sides)]) == 2
    assert "not measured  kernel_time" in capsys.readouterr().out


def test_a_database_is_compared_with_tables(recordings: Path, capsys: Captured) -> None:
    database = recordings / "torch-npu-910b-level1-db"
    tables = recordings / PAIRS[0] / RANKS[0]
    for sides in ((database, tables), (tables, database)):
        assert main(["diff", *map(str, sides)]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("folder", "status"),
    [
        ("msprof-ascend950-l1", 0),
        ("msprof-cann85-dsa", 0),
        ("msprof-db-old", 0),
        ("msprof-2023-device-dirs", 2),
        ("profiling-2020-ascend310", 2),
        ("torch-npu-level0", 0),
        ("msprof-empty-files", 4),
        ("torch-npu-ragged-row", 4),
    ],
)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_msprof_wrote_is_compared_or_refused(
    recordings: Path,
    folder: str,
    status: int,
    width: int,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(recordings)
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["diff", folder, folder]) == status
    out, err = capsys.readouterr()
    if status == 4:
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(f"npuperf: {folder}/")
    else:
        assert err == ""
        assert max(map(len, out.splitlines())) <= width


SUMS = ("kernel_time", "kernel_count", "ai_core_time", "ai_cpu_time")
WANTED = [Wanted(name + form) for name in SUMS for form in ("", PER_STEP)]


def measured_whole(folder: Path, by_shape: bool) -> bool:
    """Return whether a profile tells its kernels; what is written of them must be read."""
    try:
        found = Measurer(open_profile(folder), StepOptions(steps=7)).measure(WANTED, by_shape)
    except NpuperfError:
        return False
    refuse_other_sums("it", [], rounds_as_json([found]))
    lanes = found.lanes.values()
    return all(lane.ops and any(value.value for value in lane.values.values()) for lane in lanes)


@pytest.mark.parametrize("by_shape", [False, True])
def test_what_is_written_of_kernels_is_what_their_ops_sum_to(
    recordings: Path, by_shape: bool
) -> None:
    folders = [*filter(Path.is_dir, recordings.iterdir()), *recordings.glob("torch-npu-910*/rank*")]
    told = [folder for folder in folders if measured_whole(folder, by_shape)]
    assert len(told) >= 12


# --- planted changes --------------------------------------------------------------------------


def planted(recorded: Path, copy: Path, change: Callable[[Row], list[Row]]) -> Path:
    """Write a copy, each row of which became those that ``change`` returns.

    The copy has only the table of the kernels: others would contradict it.
    """
    with (recorded / TABLE).open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(chain.from_iterable(map(change, reader)))
    (copy / TABLE).parent.mkdir(parents=True)
    with (copy / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, reader.fieldnames or ())
        writer.writeheader()
        writer.writerows(rows)
    return copy


def times(row: Row, factor: str) -> str:
    return f"{Decimal(row['Duration(us)']) * Decimal(factor):.3f}"


@pytest.fixture(params=PAIRS)
def recorded(request: pytest.FixtureRequest, recordings: Path) -> Path:
    return recordings / str(request.param) / RANKS[0]


def first_part(lines: list[str]) -> list[str]:
    """Return the words of the first row of the parts."""
    (head,) = [at for at, line in enumerate(lines) if line.startswith("kernel_time changed by ")]
    return lines[head + 2].split()


@pytest.mark.parametrize(("allowed", "status", "is_doubted"), [("1 %", 1, False), ("5 %", 0, True)])
def test_one_type_20_percent_slower(
    recorded: Path,
    tmp_path: Path,
    capsys: Captured,
    allowed: str,
    status: int,
    is_doubted: bool,
) -> None:
    def slower(row: Row) -> list[Row]:
        return [{**row, "Duration(us)": times(row, "1.2")} if row["Type"] == "TransData" else row]

    now = planted(recorded, tmp_path, slower)
    asked = ("--max-regression", allowed)
    found, document = answer(recorded, now, capsys, *asked)
    (causes,) = document["causes"].values()
    assert (found, document["exit"]) == (status, status)
    assert {(each["kind"], each["type"]) for each in causes} == {("slower", "TransData")}
    lines = printed(recorded, now, capsys, *asked)
    assert (DOUBT in lines) is is_doubted
    assert first_part(lines)[2:4] == ["slower", "TransData"]


def test_one_type_moved_to_the_ai_cpu(recorded: Path, tmp_path: Path, capsys: Captured) -> None:
    def moved(row: Row) -> list[Row]:
        if row["Type"] != "Conv2D":
            return [row]
        return [{**row, "Accelerator Core": "AI_CPU", "Duration(us)": times(row, "8")}]

    now = planted(recorded, tmp_path, moved)
    status, document = answer(recorded, now, capsys)
    assert (status, document["told_from_noise"]) == (1, True)
    verdicts = {each["metric"]: each["verdict"] for each in document["limits"]}
    assert verdicts == {"kernel_time": "FAILED", "kernel_count": "PASSED"}
    lines = printed(recorded, now, capsys)
    assert DOUBT not in lines
    assert first_part(lines)[2:6] == ["moved", "Conv2D", "AI_CPU", "AI_CORE"]
    # The way back is better, and it is as exact.
    assert answer(now, recorded, capsys)[0] == 0
    assert first_part(printed(now, recorded, capsys))[2:6] == [
        *("moved", "Conv2D", "AI_CORE", "AI_CPU")
    ]


PARTS = {"MeanPart": "0.4", "SubPart": "0.5", "MulPart": "0.3"}


def test_one_fused_op_broken_into_three(recorded: Path, tmp_path: Path, capsys: Captured) -> None:
    def broken(row: Row) -> list[Row]:
        if row["Type"] != "MaxPoolGradWithArgmaxV1":
            return [row]
        return [
            {**row, "Type": name, "Name": name, "Duration(us)": times(row, part)}
            for name, part in PARTS.items()
        ]

    now = planted(recorded, tmp_path, broken)
    status, document = answer(recorded, now, capsys)
    verdicts = {each["metric"]: each["verdict"] for each in document["limits"]}
    assert (status, verdicts) == (1, {"kernel_time": "PASSED", "kernel_count": "FAILED"})
    (causes,) = document["causes"].values()
    assert [(each["kind"], each["type"]) for each in causes] == [
        ("vanished", "MaxPoolGradWithArgmaxV1"),
        ("new", "SubPart"),
        ("new", "MeanPart"),
        ("new", "MulPart"),
    ]
    lines = printed(recorded, now, capsys)
    assert DOUBT not in lines
    assert first_part(lines)[2:4] == ["vanished", "MaxPoolGradWithArgmaxV1"]
