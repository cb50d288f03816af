"""Numbers of tables of their own: entries of advice, and peaks of memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from profile_tables import Op, csv, msprof, op_summary, write

from pytest_npuperf.catalogue import METRICS, needed_tables
from pytest_npuperf.measure import measure
from pytest_npuperf.model import Value, Wanted
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_NAME

OPS = op_summary(Op())


def lanes(path: Path, wanted: Wanted) -> dict[str, Value]:
    measured = measure(open_profile(path), [wanted])
    return {key: lane.values[wanted] for key, lane in measured.lanes.items()}


def ask(path: Path, wanted: Wanted) -> Fraction | str:
    (found,) = lanes(path, wanted).values()
    return found.reason if found.value is None else found.value


@pytest.mark.parametrize("name", [*METRICS, "ops", "apis"])
def test_every_metric_needs_tables_that_exist(name: str) -> None:
    assert needed_tables(name)
    assert set(needed_tables(name)) <= set(BY_NAME)


def test_a_metric_of_the_test_needs_no_table() -> None:
    assert needed_tables("custom.x") == ()


@pytest.mark.parametrize(
    "name",
    ["advice_count", "memory_peak", "allocated_memory_peak", "reserved_memory_peak"],
)
def test_a_table_that_is_not_there(tmp_path: Path, name: str) -> None:
    path = msprof(tmp_path, op_summary=OPS)
    (table,) = METRICS[name].needs
    assert ask(path, Wanted(name)) == f"the profile has no table {table}"


# --- fused operators --------------------------------------------------------------------------


def fusion_op(*devices: str) -> str:
    header = "Device_id,Model Name,Model ID,Fusion Op,Original Ops"
    return csv(header, *([device, "resnet50", "1", "a", "b;c"] for device in devices))


def test_fused_operators(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=OPS, fusion_op=fusion_op("0", "0", "0"))
    assert list(lanes(path, Wanted("fused_count")).values()) == [Value(Fraction(3), samples=3)]


def test_what_the_host_fused_is_of_each_lane(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=5, device="1"))
    path = msprof(tmp_path, op_summary=ops, fusion_op=fusion_op("host", "1", "host"))
    found = lanes(path, Wanted("fused_count"))
    assert [value.value for value in found.values()] == [2, 3]


# --- advice -----------------------------------------------------------------------------------


def advice(**results: int) -> str:
    """Return what msprof wrote since December 2022: so many results of each rule type."""
    rules = [
        {
            "Rule Type": name.replace("_", " "),
            "Rule Description": "",
            "result": [
                {"Rule Subtype": "Vector", "Rule Suggestion": "low", "Tuning Data": ["Momentum"]}
            ]
            * count,
        }
        for name, count in results.items()
    ]
    return json.dumps(
        {"status": 0, "data": {"Op Summary": rules[:-1], "Model Summary": rules[-1:]}}
    )


def old_advice(**results: int) -> str:
    result = {"rule_subtype": "Vector", "rule_suggestion": "low", "op_list": ["Momentum"]}
    rules = [
        {"rule_type": name.replace("_", " "), "result": [result] * count}
        for name, count in results.items()
    ]
    text = json.dumps({"status": 0, "data": rules})
    return text.replace('"Computation"', '"Model/Operator Computation"')


def advised(path: Path, text: str, device: str = "0") -> Path:
    return write(path, {f"device_{device}/summary/prof_rule_{device}.json": text})


@pytest.mark.parametrize("written", [advice, old_advice])
@pytest.mark.parametrize(
    ("rule_type", "found"),
    [
        ("Computation", 2),
        ("Model/Operator Computation", 2),
        ("Operator Schedule", 1),
        # Checked, and nothing was found.
        ("Operator Metrics", 0),
        # Not checked, or misspelled.
        ("Memory", 'prof_rule has no rule type "Memory"; near it: {}, Operator Metrics, {}'),
        ("Operator Scheduel", 'prof_rule has no rule type "Operator Scheduel"; near it: {}'),
    ],
)
def test_advice_by_rule_type(
    tmp_path: Path, written: Callable[..., str], rule_type: str, found: int | str
) -> None:
    text = written(Computation=2, Operator_Schedule=1, Operator_Metrics=0)
    path = advised(tmp_path, text)
    answer = ask(path, Wanted("advice_count", rule_type))
    if isinstance(found, int):
        assert answer == found
    else:
        assert isinstance(answer, str)
        assert answer.startswith(found.partition("{}")[0])


def test_advice_that_finds_nothing_at_all(tmp_path: Path) -> None:
    path = advised(tmp_path, advice(Computation=0, Memory=0))
    (found,) = lanes(path, Wanted("advice_count", "Memory")).values()
    assert found == Value(Fraction(0), samples=0)
    assert ask(path, Wanted("advice_count", "Memry")) == (
        'prof_rule has no rule type "Memry"; near it: Memory'
    )
    assert ask(path, Wanted("advice_count", "x")) == (
        'prof_rule has no rule type "x"; near it: Computation, Memory'
    )


def test_a_lane_of_which_there_is_no_advice(tmp_path: Path) -> None:
    advised(tmp_path, advice(Computation=1, Memory=1))
    path = write(
        tmp_path,
        {
            f"device_{i}/summary/op_summary_{i}_1.csv": op_summary(Op(), form="single")
            for i in range(2)
        },
    )
    first, second = lanes(path, Wanted("advice_count", "Memory")).values()
    assert first.value == 1
    assert second.reason == "the profile has no table prof_rule of device 1"


# --- memory -----------------------------------------------------------------------------------

NPU_MEM = "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)"
AT = "1784177503947983.147\t"


def npu_mem(*rows: tuple[str, str, str]) -> str:
    """Return a table of (device, event, memory)."""
    return csv(NPU_MEM, *([device, event, "0", kb, kb, AT] for device, event, kb in rows))


PEAK = Wanted("memory_peak")


def test_the_peak_is_that_of_the_process(tmp_path: Path) -> None:
    rows = [("0", "APP", "100"), ("0", "APP", "1000.5"), ("0", "Device", "9000"), ("0", "APP", "7")]
    path = msprof(tmp_path, op_summary=OPS, npu_mem=npu_mem(*rows))
    (found,) = lanes(path, PEAK).values()
    assert found == Value(Fraction(1_024_512), samples=3)


def test_the_peak_of_each_device(tmp_path: Path) -> None:
    ops = op_summary(Op(), Op(start=5, device="1"))
    rows = [("0", "APP", "1"), ("1", "APP", "2")]
    path = msprof(tmp_path, op_summary=ops, npu_mem=npu_mem(*rows))
    assert [value.value for value in lanes(path, PEAK).values()] == [1024, 2048]


def test_sizes_are_read_to_the_byte(tmp_path: Path) -> None:
    # 32 GiB less a byte.
    path = msprof(tmp_path, op_summary=OPS, npu_mem=npu_mem(("0", "APP", "33554431.999")))
    assert ask(path, PEAK) == 2**35 - 1


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            [("0", "Device", "5"), ("0", "UNKNOWN", "5")],
            "npu_mem has no row of the event APP, which is the process; it has Device, UNKNOWN",
        ),
        ([("0", "APP", "5"), ("0", "", "5")], "npu_mem has no event in row 2"),
        ([("0", "APP", "5"), ("0", "APP", "N/A")], "npu_mem has no memory_kb in row 2"),
        (
            [("0", "APP", "0"), ("0", "APP", "0")],
            "npu_mem has memory_kb 0 in every row, as where it is not known",
        ),
        (
            [("0", "APP", "5"), ("1", "APP", "5")],
            "npu_mem has rows of devices 0, 1, of which one is wanted",
        ),
    ],
)
def test_a_peak_that_is_not_known(
    tmp_path: Path, rows: Sequence[tuple[str, str, str]], reason: str
) -> None:
    path = msprof(tmp_path, op_summary=OPS, npu_mem=npu_mem(*rows))
    assert ask(path, PEAK) == reason


def test_a_row_of_the_device_may_lack_its_memory(tmp_path: Path) -> None:
    rows = [("0", "APP", "5"), ("0", "Device", "N/A")]
    path = msprof(tmp_path, op_summary=OPS, npu_mem=npu_mem(*rows))
    assert ask(path, PEAK) == 5 * 1024


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    table = csv("event,ddr(KB),timestamp(us)", ["APP", "5", AT])
    path = msprof(tmp_path, op_summary=OPS, npu_mem=table)
    assert ask(path, PEAK) == "npu_mem has no column memory_kb"


TORCH = (
    "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,"
    "Device Type"
)
ALLOCATED, RESERVED = Wanted("allocated_memory_peak"), Wanted("reserved_memory_peak")


def memory_record(*rows: tuple[str, str, str], device: str = "NPU:0") -> str:
    """Return torch_npu's table of (component, allocated, reserved)."""
    return csv(
        TORCH, *([c, AT, allocated, reserved, "", "", device] for c, allocated, reserved in rows)
    )


SUMS = [
    ("PTA", "1.5", "3"),
    ("PTA+GE", "1.5", "3"),
    ("GE", "2", "2"),
    ("PTA+GE", "3.5", "5"),
    ("PTA", "0.25", "3"),
    ("PTA+GE", "2.25", "5"),
    ("APP", "", "90"),
    ("WORKSPACE", "80", "80"),
]


def test_peaks_of_all_allocators_together(tmp_path: Path) -> None:
    path = msprof(tmp_path, op_summary=OPS, memory_record=memory_record(*SUMS))
    (found,) = lanes(path, ALLOCATED).values()
    assert found == Value(Fraction(7 * 2**19), samples=3)
    assert ask(path, RESERVED) == 5 * 2**20


@pytest.mark.parametrize(
    ("rows", "allocated"),
    [
        ([("PTA", "1", "2"), ("APP", "", "9")], 2**20),
        ([("MindSpore", "1", "2"), ("MindSpore+GE", "3", "4")], 3 * 2**20),
        # To the byte, as it was divided by 2**20.
        ([("PTA", "61440.00000095367", "70000")], 61440 * 2**20 + 1),
        (
            [("PTA", "1", "2"), ("GE", "3", "4"), ("APP", "", "9")],
            "memory_record has no component that is all allocators together; it has GE, PTA",
        ),
        (
            [("APP", "", "9")],
            "memory_record has no component that is all allocators together; it has none",
        ),
        (
            [("PTA+GE", "1", "2"), ("MindSpore+GE", "3", "4")],
            "memory_record has no component that is all allocators together; "
            "it has MindSpore+GE, PTA+GE",
        ),
        ([("PTA", "1", "2"), ("PTA", "", "2")], "memory_record has no total_allocated_mb in row 2"),
        ([("PTA", "1", "2"), ("", "1", "2")], "memory_record has no component in row 2"),
        (
            [("PTA", "0", "2")],
            "memory_record has total_allocated_mb 0 in every row, as where it is not known",
        ),
    ],
)
def test_which_component_is_read(
    tmp_path: Path, rows: Sequence[tuple[str, str, str]], allocated: int | str
) -> None:
    path = msprof(tmp_path, op_summary=OPS, memory_record=memory_record(*rows))
    assert ask(path, ALLOCATED) == allocated


def test_records_of_msprof_are_in_kb(tmp_path: Path) -> None:
    header = "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB),Device"
    table = csv(header, ["0", "GE", AT, "7", "8", "NPU:0"], ["0", "GE", AT, "5", "9", "NPU:0"])
    path = msprof(tmp_path, op_summary=OPS, memory_record=table)
    assert [ask(path, wanted) for wanted in (ALLOCATED, RESERVED)] == [7 * 1024, 9 * 1024]


def test_records_without_a_device_column(tmp_path: Path) -> None:
    table = csv("Component,Timestamp(us),Total Reserved(KB)", ["GE", AT, "8"])
    path = msprof(tmp_path, op_summary=OPS, memory_record=table)
    assert ask(path, RESERVED) == 8 * 1024
    assert ask(path, ALLOCATED) == "memory_record has no column total_allocated_kb"


def test_records_of_several_devices_under_one_id(tmp_path: Path) -> None:
    first, second = (memory_record(("PTA", "1", "2"), device=f"NPU:{i}") for i in range(2))
    table = first + second.partition("\n")[2]
    path = msprof(tmp_path, op_summary=OPS, memory_record=table)
    assert ask(path, ALLOCATED) == "memory_record has rows of NPU:0 and NPU:1 under one device id"
