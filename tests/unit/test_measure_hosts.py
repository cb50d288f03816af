"""What the host did: its APIs per step, and the layers of the timeline."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from profile_tables import (
    FIRST_NS,
    Op,
    api_statistic,
    csv,
    msprof,
    op_summary,
    step_trace,
    write,
)

from pytest_npuperf.catalogue import API_STATISTICS
from pytest_npuperf.measure import measure
from pytest_npuperf.model import JSON, Selector, StepOptions, Value, Wanted
from pytest_npuperf.profile import forms, open_profile
from pytest_npuperf.profile.tables import Table

OPS = op_summary(*(Op(start=10_000 * step) for step in range(4)))
TRACE = step_trace(*((0, 1, 1 + i, 10_000 * i + 9000, 9000) for i in range(4)))
ONE_STEP = op_summary(Op(start=10_000))


def lanes(path: Path, wanted: Wanted, **options: int) -> dict[str, Value]:
    measured = measure(open_profile(path), [wanted], StepOptions(**options))
    return {key: lane.values[wanted] for key, lane in measured.lanes.items()}


def ask(path: Path, wanted: Wanted, **options: int) -> Fraction | str:
    (found,) = lanes(path, wanted, **options).values()
    return found.reason if found.value is None else found.value


# --- host APIs --------------------------------------------------------------------------------

APIS = [
    ("host", "acl", "aclmdlExecute", "10", "4", "2.5", "1", "5"),
    ("host", "runtime", "MemCopySync", "6", "2", "3", "2", "4"),
]
EXECUTE = Selector(name=("aclmdlExecute",))
TOTAL, COUNT = (Wanted("apis", f"{name}_per_step", EXECUTE) for name in ("total", "count"))


def test_apis_per_step(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=OPS, step_trace=TRACE, api_statistic=api_statistic(*APIS))
    (total,) = lanes(path, TOTAL).values()
    assert total == Value(Fraction(2500), samples=4)
    assert ask(path, COUNT) == 1
    assert ask(path, Wanted("apis", "total_per_step", Selector(api_level=("*",)))) == 4000


def test_apis_of_old_releases(tmp_path: Path) -> None:
    header = "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us),Process ID,Thread ID"
    row = ["aclmdlExecute", "ACL_MODEL", "2.3", "3128.72", "2", "1564.36", "1000", "2128.72"]
    table = csv(header, [*row, "8", "8"])
    path = msprof(tmp_path, op_summary=OPS, step_trace=TRACE, acl_statistic=table)
    found = {name: ask(path, Wanted("apis", name, EXECUTE)) for name in API_STATISTICS}
    assert found == {
        "total": 3_128_720,
        "mean": 1_564_360,
        "min": 1_000_000,
        "max": 2_128_720,
        "count": 2,
        "total_per_step": 782_180,
        "count_per_step": Fraction(1, 2),
    }


def test_steps_that_only_the_setting_knows(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=OPS, api_statistic=api_statistic(*APIS))
    assert ask(path, TOTAL) == ("the profile does not say how many steps it holds; add `steps = N`")
    assert ask(path, TOTAL, steps=5) == 2000
    assert ask(path, Wanted("apis", "total", EXECUTE)) == 10_000


def test_apis_hold_the_whole_run_beside_operators_of_one_step(tmp_path: Path) -> None:
    tables = {"op_summary": ONE_STEP, "api_statistic": api_statistic(*APIS)}
    path = msprof(tmp_path, step_trace=TRACE, **tables)
    assert open_profile(path).scope == "step"
    assert ask(path, TOTAL) == 2500
    assert ask(path, Wanted("apis", "total", EXECUTE)) == 10_000


def test_apis_where_operators_are_of_one_step_and_nothing_tells_of_the_run(tmp_path: Path) -> None:
    row = ["aclmdlExecute", "ACL_MODEL", "1", "10", "4", "2.5", "1", "5"]
    header = "Name,Type,Time(%),Time(us),Count,Avg(us),Min(us),Max(us)"
    path = write(
        tmp_path,
        {
            "device_0/summary/op_summary_0_1_1.csv": op_summary(Op(), form="2022"),
            "device_0/summary/acl_statistic_0_1_1.csv": csv(header, row),
        },
    )
    assert ask(path, TOTAL) == (
        "the profile does not say how many steps the whole run had; add `steps = N`"
    )
    assert ask(path, TOTAL, steps=4) == 2500


def test_a_trace_without_iterations_of_the_model_tells_nothing_of_the_run(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "device_0/summary/op_summary_0_1_1.csv": op_summary(Op(), form="2022"),
            "device_0/summary/step_trace_0_1_1.csv": TRACE,
            "device_0/summary/api_statistic_0_1_1.csv": api_statistic(*APIS),
        },
    )
    assert ask(path, TOTAL, model=1) == 2500
    assert ask(path, TOTAL, model=2, steps=2) == 5000


def test_each_lane_divides_the_calls_of_the_process_by_its_own_steps(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=10_000), Op(device="1"))
    trace = step_trace((0, 1, 1, 9000, 9000), (0, 1, 2, 19_000, 9000), (1, 1, 1, 9000, 9000))
    path = msprof(tmp_path, op_summary=ops, step_trace=trace, api_statistic=api_statistic(*APIS))
    found = {key: value.value for key, value in lanes(path, TOTAL).items()}
    assert found == {"0/0": 5000, "0/1": 10_000}


def test_apis_per_step_that_are_not_there(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=OPS, step_trace=TRACE, api_statistic=api_statistic(*APIS))
    select = Selector(name=("aclmdlQuerySize",))
    assert ask(path, Wanted("apis", "count_per_step", select)) == 0
    assert ask(path, Wanted("apis", "total_per_step", select)) == (
        "no row of api_statistic is name=aclmdlQuerySize; near it: aclmdlExecute"
    )


# --- timeline ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Events:
    """All events of one name, as a row of the table timeline."""

    layer: str | None
    total_us: float | None = 5.0
    count: int = 1
    name: str | None = "matmul"
    device: str | None = None
    ph: str = "X"
    """By which a file is known to hold events, not the rows of another table."""


class MadeTimelines:
    """A form whose files hold rows of the table, in the place of events."""

    def column_names(self, _: Path, table: Table) -> tuple[str, ...]:
        return tuple(column.name for column in table.columns)

    def read_table(self, path: Path, table: Table, wanted: Collection[str] | None) -> pd.DataFrame:
        rows = [Events(**row) for row in json.loads(path.read_bytes())]
        source = max(filter(path.name.startswith, table.traces), key=len)
        texts = {
            "device_id": [row.device for row in rows],
            "source": [source] * len(rows),
            "file": [path.name] * len(rows),
            "layer": [row.layer for row in rows],
            "thread": ["1"] * len(rows),
            "name": [row.name for row in rows],
        }
        times = np.array([row.total_us for row in rows], dtype=np.float64)
        columns = {
            **{name: pd.Categorical(np.array(t, dtype=object)) for name, t in texts.items()},
            "count": np.array([row.count for row in rows], dtype=np.float64),
            **dict.fromkeys(("total_time_us", "min_time_us", "max_time_us"), times),
        }
        assert wanted is not None
        return pd.DataFrame({name: columns[name] for name in columns if name in wanted})


@pytest.fixture
def _made_timelines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(forms._FORMS, "trace", MadeTimelines())


def timeline(*rows: Events) -> str:
    return json.dumps([vars(row) for row in rows])


def merged(path: Path, **files: str) -> Path:
    """Write timelines beside the tables of a process."""
    (home,) = path.glob("PROF_*") if path.exists() else (path,)
    return write(
        home, {f"mindstudio_profiler_output/{name}.json": text for name, text in files.items()}
    )


HARDWARE = Wanted("timeline_time", "Ascend Hardware")
HARDWARE_STEP = Wanted("timeline_time_per_step", "Ascend Hardware")
CANN = Wanted("timeline_time", "CANN")
LAYERS = timeline(
    Events("Ascend Hardware", 5.001, 3, device="0"),
    Events("Ascend Hardware", 2, 1, "relu", device="0"),
    Events("CANN", 80, 9, device="host"),
    Events(None, 7, device="0"),
)

made_timelines = pytest.mark.usefixtures("_made_timelines")


@made_timelines
def test_the_time_of_a_layer(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=OPS, step_trace=TRACE)
    path = merged(tmp_path, msprof_20260101000000=LAYERS)
    (found,) = lanes(path, HARDWARE).values()
    assert found == Value(Fraction(7001), samples=4)
    assert ask(path, CANN) == 80_000
    assert ask(path, HARDWARE_STEP) == Fraction(7001, 4)


@made_timelines
def test_steps_of_a_layer_that_nothing_says(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=OPS)
    path = merged(tmp_path, msprof_20260101000000=LAYERS)
    assert ask(path, HARDWARE_STEP) == (
        "the profile does not say how many steps it holds; add `steps = N`"
    )
    assert ask(path, HARDWARE_STEP, steps=7) == Fraction(7001, 7)


@made_timelines
def test_a_layer_of_the_host_is_of_each_lane(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=op_summary(Op(), Op(start=5, device="1")))
    rows = [Events("Ascend Hardware", 1 + i, device=str(i)) for i in range(2)]
    path = merged(
        tmp_path, msprof_20260101000000=timeline(*rows, Events("CANN", 80, 1, "a", "host"))
    )
    assert [value.value for value in lanes(path, HARDWARE).values()] == [1000, 2000]
    assert [value.value for value in lanes(path, CANN).values()] == [80_000, 80_000]


@made_timelines
def test_a_layer_that_one_lane_lacks(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=op_summary(Op(), Op(start=5, device="1")))
    path = merged(tmp_path, msprof_20260101000000=LAYERS)
    first, second = lanes(path, HARDWARE).values()
    assert first.value == 7001
    assert second.reason == 'timeline has no layer "Ascend Hardware"; lane 0/0 has it'


@made_timelines
@pytest.mark.parametrize(
    ("layer", "near"),
    [
        ("Ascend Hardwar", "Ascend Hardware"),
        # Case counts, and a layer without a name is none.
        ("cann", "Ascend Hardware, CANN"),
        ("None", "Ascend Hardware, CANN"),
        ("\x1b", "Ascend Hardware, CANN"),
    ],
)
def test_a_layer_that_is_not_there(tmp_path: Path, layer: str, near: str) -> None:
    msprof(tmp_path, op_summary=OPS)
    path = merged(tmp_path, msprof_20260101000000=LAYERS)
    shown = "\\x1b" if layer == "\x1b" else layer
    assert ask(path, Wanted("timeline_time", layer)) == (
        f'timeline has no layer "{shown}"; near it: {near}'
    )


@made_timelines
def test_a_timeline_without_a_layer(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=OPS)
    path = merged(tmp_path, msprof_20260101000000=timeline(Events(None)))
    assert ask(path, CANN) == 'timeline has no layer "CANN"'


@made_timelines
@pytest.mark.parametrize(
    ("name", "which"), [("a\nb", '"a\\nb"'), (None, "an event")], ids=["named", "nameless"]
)
def test_an_event_without_a_duration(tmp_path: Path, name: str | None, which: str) -> None:
    msprof(tmp_path, op_summary=OPS)
    rows = timeline(Events("CANN"), Events("CANN", None, 2, name), Events("GE", 3))
    path = merged(tmp_path, msprof_20260101000000=rows)
    assert ask(path, CANN) == f'timeline has no duration of {which} in layer "CANN"'
    assert ask(path, Wanted("timeline_time", "GE")) == 3000


def test_the_layers_of_a_real_trace(tmp_path: Path) -> None:
    layers = {"1": ("Ascend Hardware", "NPU 0"), "2": ("CANN", "CPU")}
    events: list[JSON] = [
        {"ph": "M", "name": f"process_{what}", "pid": pid, "tid": 0, "args": {what: text}}
        for pid, texts in layers.items()
        for what, text in zip(("name", "labels"), texts, strict=True)
    ]
    # An event inside another counts too.
    events += [
        {"ph": "X", "name": "a", "pid": pid, "tid": 7, "ts": str(FIRST_NS // 1000), "dur": dur}
        for pid, dur in (("1", 21.8), ("1", 0.45077999999999996), ("2", 100), ("2", 60))
    ]
    events.append({"ph": "C", "name": "a", "pid": "2", "ts": "0", "args": {"MHz": 1}})
    msprof(tmp_path, op_summary=OPS)
    path = merged(tmp_path, msprof_20260101000000=json.dumps(events))
    assert [ask(path, wanted) for wanted in (HARDWARE, CANN)] == [22_251, 160_000]


CALLS = timeline(Events("CANN", 3))


@made_timelines
@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"msprof": LAYERS, "acl": CALLS, "ge": CALLS}, 80_000),
        ({"trace_view": LAYERS, "acl": CALLS}, 80_000),
        ({"acl": CALLS}, 3000),
        # The merged file counts where it has the layer.
        ({"msprof": timeline(Events("GE")), "acl": CALLS}, 3000),
        ({"hccl": timeline(Events("GE")), "acl": CALLS}, 3000),
        (
            {"msprof": timeline(Events("GE")), "hccl": CALLS, "acl": CALLS},
            'timeline has layer "CANN" in the files acl and hccl, which may hold the same events; '
            "keep one of them, or export the merged msprof_*.json",
        ),
    ],
)
def test_a_layer_that_is_in_several_files_is_counted_once(
    tmp_path: Path, files: dict[str, str], found: int | str
) -> None:
    msprof(tmp_path, op_summary=OPS)
    path = merged(tmp_path, **{f"{name}_20260101000000": text for name, text in files.items()})
    assert ask(path, CANN) == found


@made_timelines
def test_a_timeline_that_is_not_there(tmp_path: Path) -> None:
    assert ask(msprof(tmp_path, op_summary=OPS), CANN) == "the profile has no table timeline"


STEP_ONLY = "the profile holds single steps, not the whole run; write timeline_time_per_step"


def stepped(path: Path, *names: str, device: str = "0") -> Path:
    rows = timeline(Events("Ascend Hardware", 4), Events("CANN", 6))
    return write(path, {f"device_{device}/timeline/{name}.json": rows for name in names})


@made_timelines
@pytest.mark.parametrize(
    ("names", "per_step"),
    [
        (["msprof_0_2_1"], 4000),
        (["msprof_0_2_1", "msprof_0_2_2"], 4000),
        (["msprof_0_2_1_4"], 1000),
        # Files of another kind say nothing of the steps in the one that is read.
        (["msprof_0_2_1", "acl_0_2_2", "acl_0_2_3"], 4000),
    ],
)
def test_timelines_of_single_steps(tmp_path: Path, names: Sequence[str], per_step: int) -> None:
    path = stepped(tmp_path, *names)
    assert ask(path, HARDWARE_STEP) == per_step
    assert ask(path, HARDWARE) == STEP_ONLY


@made_timelines
def test_timelines_of_single_steps_of_a_device_that_only_they_name(tmp_path: Path) -> None:
    path = stepped(tmp_path, "msprof_3_2_1", device="3")
    assert ask(path, HARDWARE) == STEP_ONLY


@made_timelines
def test_a_layer_that_one_of_the_steps_lacks(tmp_path: Path) -> None:
    other = timeline(Events("CANN", 6))
    path = stepped(tmp_path, "msprof_0_2_1", "msprof_0_2_3")
    write(tmp_path, {"device_0/timeline/msprof_0_2_2.json": other})
    assert ask(path, HARDWARE_STEP) == (
        'timeline has no layer "Ascend Hardware" in msprof_0_2_2.json, but in files of other steps'
    )


@made_timelines
def test_a_timeline_beside_operators_of_one_step_holds_the_same_step(tmp_path: Path) -> None:
    msprof(tmp_path, op_summary=ONE_STEP, step_trace=TRACE)
    path = merged(tmp_path, msprof_20260101000000=LAYERS)
    assert ask(path, HARDWARE) == STEP_ONLY
    assert ask(path, HARDWARE_STEP) == 7001


@made_timelines
def test_rows_of_devices_that_no_lane_tells_apart(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"msprof_20260101000000.json": timeline(*(Events("GE", device=str(i)) for i in range(2)))},
    )
    assert ask(path, Wanted("timeline_time", "GE")) == (
        "timeline has rows of devices 0, 1, of which one is wanted"
    )


@made_timelines
def test_the_host_in_the_files_of_several_devices(tmp_path: Path) -> None:
    host = timeline(Events("CANN", 6, device="host"))
    path = write(
        tmp_path,
        {
            **{f"device_{i}/timeline/msprof_{i}_1.json": host for i in range(2)},
            **{
                f"device_{i}/summary/op_summary_{i}_1.csv": op_summary(Op(), form="single")
                for i in range(2)
            },
        },
    )
    assert {value.reason for value in lanes(path, CANN).values()} == {
        'timeline has layer "CANN" of the host in the files of devices 0, 1, which may hold the '
        "same events; keep one of them"
    }
