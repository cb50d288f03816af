"""What recordings say of how they were made."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.collect.replay import replay

PIPES = "ACL_AICORE_PIPE_UTILIZATION"


@pytest.mark.parametrize(
    ("name", "fingerprint"),
    [
        (
            "torch-npu-cann83-level2",
            {"cann": "8.3.RC1", "level": "Level2", "metrics": PIPES},
        ),
        ("torch-npu-cann85", {"cann": "8.5.0", "level": "Level1", "metrics": PIPES}),
        # Before torch_npu wrote the version of CANN; two ranks that agree.
        ("torch-npu-910a-level1", {"level": "Level1", "metrics": PIPES}),
        ("torch-npu-910b-level1", {"level": "Level1", "metrics": PIPES}),
        # Its info.json names a family of chips by a number, and its sample.json was not kept.
        ("msprof-2023-device-dirs", {}),
        ("msprof-cann85-dsa", {}),
        ("msprof-db-old", {}),
    ],
)
def test_what_a_recording_says(recordings: Path, name: str, fingerprint: dict[str, str]) -> None:
    assert replay(recordings / name).fingerprint == fingerprint
