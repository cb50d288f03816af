"""What the host did in recorded profiles: the timeline and the table of APIs say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.measure import measure
from pytest_npuperf.model import Selector, Value, Wanted
from pytest_npuperf.profile import open_profile

CANN = Wanted("timeline_time", "CANN")
CANN_STEP = Wanted("timeline_time_per_step", "CANN")
APIS, APIS_STEP = (
    Wanted("apis", name, Selector(name=("*",))) for name in ("total", "total_per_step")
)


def ask(path: Path, *wanted: Wanted) -> list[Value]:
    (lane,) = measure(open_profile(path), wanted).lanes.values()
    return list(lane.values.values())


@pytest.mark.parametrize("name", ["msprof-cann85-dsa", "torch-npu-10-steps"])
def test_the_layer_cann_is_all_calls_of_apis(recordings: Path, name: str) -> None:
    layer, apis = ask(recordings / name, CANN, APIS)
    assert layer.value is not None
    assert (layer.value, layer.samples) == (apis.value, apis.samples)


def test_both_are_divided_by_the_same_steps(recordings: Path) -> None:
    whole, layer, apis = ask(recordings / "torch-npu-10-steps", CANN, CANN_STEP, APIS_STEP)
    assert whole.value is not None
    assert layer.value == apis.value == whole.value / 10


def test_timelines_of_two_single_steps(recordings: Path) -> None:
    whole, step = ask(recordings / "msprof-2023-device-dirs", CANN, CANN_STEP)
    assert whole.reason == (
        "the profile holds single steps, not the whole run; write timeline_time_per_step"
    )
    assert step.value == (47_878_150 + 15_644_580) / 2
