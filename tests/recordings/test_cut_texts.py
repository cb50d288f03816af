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


@pytest.mark.parametrize("name", WITH_STEPS)
def test_half_of_the_kernels_of_a_text_is_doubted(
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
