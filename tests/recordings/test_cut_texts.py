"""Rows that are deleted from a recorded text are missed where another table of it tells them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_npuperf.catalogue import COMMUNICATION
from pytest_npuperf.commands.render import plain
from pytest_npuperf.commands.show import look_at
from pytest_npuperf.errors import ProfileError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Wanted
from pytest_npuperf.profile import open_profile

pytestmark = pytest.mark.recordings

OUTPUT = "ASCEND_PROFILER_OUTPUT"
OPS = "kernel_details.csv"
EDITED = "one of the two was cut or edited, record again"

WITH_STEPS = {
    "torch-npu-10-steps": "",
    "torch-npu-910a-level1": "rank0_ascend_pt",
    "torch-npu-910b-level1": "rank0_ascend_pt",
    "torch-npu-cann83-level2": "rank_0_ascend_pt",
    "torch-npu-level0": "rank0_ascend_pt",
}
"""The recordings that have both tables, and a rank of each."""


def cut(recordings: Path, name: str, folder: Path, kernels: float, collectives: float) -> None:
    """Copy steps and ops of a rank, but of its ops only the first ones of both kinds."""
    home = recordings / name / WITH_STEPS[name] / OUTPUT
    shutil.copyfile(home / "step_trace_time.csv", folder / "step_trace_time.csv")
    header, *ops = (home / OPS).read_bytes().splitlines(keepends=True)
    is_one = [any(f",{core},".encode() in op for core in COMMUNICATION) for op in ops]
    left = {True: collectives, False: kernels * is_one.count(False)}
    kept = [header]
    for op, kind in zip(ops, is_one, strict=True):
        left[kind] -= 1
        kept += [op] if left[kind] >= 0 else []
    (folder / OPS).write_bytes(b"".join(kept))


@pytest.mark.parametrize("name", WITH_STEPS)
def test_a_whole_recording_leaves_no_doubt(recordings: Path, name: str) -> None:
    profile = open_profile(recordings / name)
    measured = measure(profile, [Wanted("communication_time"), Wanted("compute_time")])
    assert all(
        v.value is not None for lane in measured.lanes.values() for v in lane.values.values()
    )
    assert profile.doubts == ()


@pytest.mark.parametrize(
    ("name", "first", "kept"),
    [
        ("torch-npu-cann83-level2", 0, "0 collectives of 0.000 us"),
        ("torch-npu-cann83-level2", 14, "14 collectives of 419632.680 us"),
        ("torch-npu-910a-level1", 0, "0 collectives of 0.000 us"),
        ("torch-npu-910b-level1", 3, "3 collectives of 83773.013 us"),
        ("torch-npu-level0", 1, "1 collective of 72994.438 us"),
    ],
)
def test_a_text_without_its_collectives(
    recordings: Path, tmp_path: Path, name: str, first: int, kept: str
) -> None:
    cut(recordings, name, tmp_path, 1, first)
    with pytest.raises(ProfileError) as caught:
        measure(open_profile(tmp_path), [Wanted("kernel_time")])
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}/{OPS}: {kept} together, but step_trace_time.csv has ")
    assert message.endswith(f" us of communication; {EDITED}")


@pytest.mark.parametrize("name", [name for name in WITH_STEPS if name != "torch-npu-10-steps"])
def test_half_of_the_kernels_of_a_step_is_doubted(
    recordings: Path, tmp_path: Path, name: str
) -> None:
    """Steps are no proof that kernels are missing; a gate and ``npuperf show`` say so."""
    cut(recordings, name, tmp_path, 0.5, 100)
    profile = open_profile(tmp_path)
    (doubt,) = profile.doubts
    assert doubt.startswith(f"all kernels of {OPS} together take ")
    assert doubt.endswith(" us of computing; rows may be missing")
    assert doubt in measure(profile, [Wanted("kernel_time")]).notes
    shown = look_at(tmp_path, 3, None)
    assert doubt in shown.notes
    assert doubt in plain(shown, 1000)


@pytest.mark.parametrize(("kept", "lost"), [(0.9, 10), (0.5, 6), (0.1, 2)])
def test_steps_without_a_kernel_are_a_proof(
    recordings: Path, tmp_path: Path, kept: float, lost: int
) -> None:
    cut(recordings, "torch-npu-10-steps", tmp_path, kept, 0)
    with pytest.raises(ProfileError) as caught:
        measure(open_profile(tmp_path), [Wanted("kernel_time")])
    message = str(caught.value)
    assert message.startswith(f"{tmp_path}/{OPS}: no row of step {lost}, of which step_trace_time")
    assert message.endswith(f" us of computing; {EDITED}")


@pytest.mark.parametrize(
    ("name", "row", "wrong", "whole", "parts"),
    [
        ("torch-npu-10-steps", ",399.5,", ",99.5,", "99.500", "399.488"),
        ("torch-npu-10-steps", ",399.5,", ",3399.5,", "3399.500", "399.488"),
        ("torch-npu-910a-level1", ",83643.0,", ",73643.0,", "73643.000", "83642.835"),
        ("torch-npu-cann83-level2", ",810022.25,", ",510022.25,", "510022.250", "810022.360"),
    ],
)
def test_a_stage_that_was_edited(
    recordings: Path, tmp_path: Path, name: str, row: str, wrong: str, whole: str, parts: str
) -> None:
    home = tmp_path / "rank0_ascend_pt" / OUTPUT
    home.mkdir(parents=True)
    text = (recordings / name / WITH_STEPS[name] / OUTPUT / "step_trace_time.csv").read_text()
    assert row in text
    (home / "step_trace_time.csv").write_text(text.replace(row, wrong), encoding="utf-8")
    with pytest.raises(ProfileError) as caught:
        measure(open_profile(tmp_path), [Wanted("step_time", "max")])
    assert f": Stage and Bubble are {whole} us together, but Computing" in str(caught.value)
    assert f" and Free {parts} us; " in str(caught.value)


# --- ranks --------------------------------------------------------------------------------------


def test_a_rank_that_is_a_copy(recordings: Path, tmp_path: Path) -> None:
    job = recordings / "torch-npu-910b-level1"
    for rank in (0, 1):
        shutil.copytree(
            job / "rank0_ascend_pt" / OUTPUT, tmp_path / f"rank{rank}_ascend_pt" / OUTPUT
        )
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/rank1_ascend_pt is a copy of {tmp_path}/rank0_ascend_pt; keep one"
    )


def test_a_rank_of_another_job(recordings: Path, tmp_path: Path) -> None:
    for rank, job in enumerate(("torch-npu-910b-level1", "torch-npu-910a-level1")):
        name = f"rank{rank}_ascend_pt"
        shutil.copytree(recordings / job / name, tmp_path / name)
    with pytest.raises(ProfileError) as caught:
        open_profile(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}: ranks of different jobs side by side: rank0_ascend_pt began 2448 h after "
        "the others had ended (rank0_ascend_pt, rank1_ascend_pt); keep the ranks of one"
    )
