from __future__ import annotations

import decimal
import json
import math
from collections.abc import Callable, Collection
from pathlib import Path

import pandas as pd
import pytest
from trace_files import complete, iteration, metadata, process, step_trace_json, trace

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import events, timeline
from pytest_npuperf.profile.events import Event
from pytest_npuperf.profile.tables import BY_NAME
from pytest_npuperf.profile.traces import column_names, read_table

TIMELINE, STEPS = BY_NAME["timeline"], BY_NAME["step_trace"]
DAMAGED = "; the file is damaged, export it again"

Read = Callable[..., pd.DataFrame]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write_and_read(
        text: str | bytes | list[Event],
        table: str = "timeline",
        name: str = "msprof_0.json",
        wanted: Collection[str] | None = None,
    ) -> pd.DataFrame:
        path = tmp_path / name
        text = trace(text) if isinstance(text, list) else text
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_table(path, BY_NAME[table], wanted)

    return write_and_read


def fault(read: Read, text: str | bytes | list[Event], table: str = "timeline") -> str:
    """Return the message without the folder."""
    with pytest.raises(ProfileError) as caught:
        read(text, table)
    message = str(caught.value)
    assert "\n" not in message
    return message[message.index("msprof_0.json") :].removeprefix("msprof_0.json: ")


def rows(frame: pd.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    """Return some columns of a frame, None where a value is missing."""
    parts = [frame[name].astype(object) for name in columns]
    return list(zip(*(part.where(part.notna(), None) for part in parts), strict=True))


def kinds(frame: pd.DataFrame) -> list[str]:
    return [str(dtype) for dtype in frame.dtypes]


# --- the timeline -----------------------------------------------------------------------------


def test_events_of_one_name_are_one_row(read: Read) -> None:
    frame = read(
        [
            *process("Ascend Hardware", "NPU 0"),
            metadata("thread_name", "Stream 2", tid=2),
            complete("Relu", 1.5),
            complete("Conv2D", 20),
            complete("Relu", 0.25),
            complete("Relu", 7.0),
        ]
    )
    assert tuple(frame) == column_names(Path("msprof.json"), TIMELINE)
    assert frame.to_dict("records") == [
        {
            "device_id": "0",
            "source": "msprof",
            "file": "msprof_0.json",
            "layer": "Ascend Hardware",
            "thread": "Stream 2",
            "name": "Relu",
            "count": 3.0,
            "total_time_us": 8.75,
            "min_time_us": 0.25,
            "max_time_us": 7.0,
        },
        {
            "device_id": "0",
            "source": "msprof",
            "file": "msprof_0.json",
            "layer": "Ascend Hardware",
            "thread": "Stream 2",
            "name": "Conv2D",
            "count": 1.0,
            "total_time_us": 20.0,
            "min_time_us": 20.0,
            "max_time_us": 20.0,
        },
    ]
    assert kinds(frame) == ["category"] * 6 + ["float64"] * 4
    assert {str(frame[name].cat.categories.dtype) for name in frame.columns[:6]} == {"object"}


def test_names_may_come_after_the_events(read: Read) -> None:
    # The writer of today, in C++, puts them last.
    frame = read(
        [
            complete("Relu"),
            complete("Relu", pid=4, tid=7),
            *process("Ascend Hardware", "NPU 1"),
            metadata("thread_name", "Stream 2", tid=2),
            *process("CANN", "CPU", pid=4),
            metadata("thread_name", "Thread 7", pid=4, tid=7),
        ]
    )
    assert rows(frame, "device_id", "layer", "thread", "name") == [
        ("1", "Ascend Hardware", "Stream 2", "Relu"),
        ("host", "CANN", "Thread 7", "Relu"),
    ]


def test_processes_of_one_name_and_device_are_one_row(read: Read) -> None:
    frame = read(
        [
            *(complete("launch", dur, pid, pid) for pid, dur in ((3, 2), (4, 5), (5, 3), (4, 4))),
            *(event for pid in (3, 4) for event in process("CANN", "NPU 0", pid)),
            *process("CANN", "NPU 1", 5),
        ]
    )
    times = ("total_time_us", "min_time_us", "max_time_us")
    assert rows(frame, "device_id", "layer", "thread", "count", *times) == [
        ("0", "CANN", None, 3.0, 11.0, 2.0, 5.0),
        ("1", "CANN", None, 1.0, 3.0, 3.0, 3.0),
    ]


def test_other_phases_take_no_time(read: Read) -> None:
    flow = {"name": "HostToDevice1", "ph": "s", "id": "1", "pid": 3, "tid": 2, "ts": 1}
    counter = {"name": "AI Core Freq", "ph": "C", "pid": 3, "tid": 2, "args": {"MHz": 1800}}
    sort = {"name": "process_sort_index", "ph": "M", "pid": 3, "args": {"sort_index": 13}}
    assert rows(read([flow, counter, sort, complete("Relu")]), "name", "count") == [("Relu", 1.0)]
    nothing = read([flow, counter, sort])
    assert len(nothing) == 0
    assert kinds(nothing) == ["category"] * 6 + ["float64"] * 4


@pytest.mark.parametrize("begin", ["B", "b", "S"])
def test_an_event_that_ends_elsewhere_takes_an_unknown_time(read: Read, begin: str) -> None:
    begun = {**complete("Relu"), "ph": begin}
    del begun["dur"]
    found = read([begun, complete("Relu", 5), complete("Cast", 3)])
    assert rows(found, "name", "count", "total_time_us") == [
        ("Relu", 2.0, None),
        ("Cast", 1.0, 3.0),
    ]


@pytest.mark.parametrize(
    ("pid", "tid", "found"),
    [
        # Until 2023 ids could be what people are to read.
        ("AscendCL", "Thread 7", ("AscendCL", "Thread 7")),
        (3, 7, (None, None)),
        ("3", "-1", (None, None)),
        (3.5, "", ("3.5", None)),
    ],
)
def test_an_id_that_is_a_text_is_a_name(
    read: Read, pid: object, tid: object, found: tuple[object, ...]
) -> None:
    assert rows(read([complete("Relu", pid=pid, tid=tid)]), "layer", "thread") == [found]


@pytest.mark.parametrize(
    ("labels", "devices"),
    [
        (("NPU 0", "NPU 1", "CPU"), ("0", "1", "host")),
        (("CPU", "CPU", "CPU"), ("host", "host", "host")),
        # Until 2023 the file was of one device, of which its name says the number.
        (("NPU", "NPU", "CPU"), (None, None, None)),
        ((None, None, None), (None, None, None)),
        ((None, "NPU 3", "CPU"), ("host", "3", "host")),
        (("NPU 12345", "NPU 3x", "npu 3"), (None, None, None)),
    ],
)
def test_labels_say_the_device(
    read: Read, labels: tuple[str | None, ...], devices: tuple[str | None, ...]
) -> None:
    events = [
        event
        for pid, label in enumerate(labels)
        for event in (*process(f"layer {pid}", label, pid), complete("Relu", pid=pid))
    ]
    assert rows(read(events), "device_id") == [(device,) for device in devices]


def test_a_layer_without_events_has_no_say(read: Read) -> None:
    frame = read([*process("Free", None, 9), *process("CANN", "CPU"), complete("launch")])
    assert rows(frame, "device_id") == [("host",)]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("msprof_0_2_1.json", "msprof"),
        ("msprof_slice_0_20230919172304.json", "msprof"),
        ("ge_0.json", "ge"),
        ("ge_op_execute_0_1.json", "ge_op_execute"),
        ("trace_view.json", "trace_view"),
        ("mine.json", "mine"),
    ],
)
def test_the_source_is_what_the_file_is_called(read: Read, name: str, source: str) -> None:
    assert rows(read([complete("Relu")], name=name), "source") == [(source,)]


def test_only_the_wanted_columns_are_given(read: Read) -> None:
    frame = read([complete("Relu", 2)], wanted={"count", "name", "absent"})
    assert list(frame) == ["name", "count"]


# --- durations --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("0", 0.0),
        ("-0.0", 0.0),
        ("21", 21.0),
        ("80884.24", 80884.24),
        # What two doubles leave when they are subtracted.
        ("0.45077999999999996", 0.451),
        ('"43345.580001831055"', 43345.58),
        ('"2.780"', 2.78),
        ("4.5e-3", 0.004),
        ("5.5e-3", 0.006),
        # Halves go to the even side, and what no double tells from a half is none.
        ("0.0025", 0.002),
        ("0.0025000000000000000001", 0.003),
        ("0.0034999999999999999999", 0.003),
        ("544463355.97649999999", 544463355.976),
        ("1000000000.0005", 1e9),
        ("1000000000.0005000000000000001", 1000000000.001),
        ("1e-999999999", 0.0),
        ("999999999999.999", 999999999999.999),
        ("1e12", 1e12),
    ],
)
def test_a_duration_becomes_whole_nanoseconds(read: Read, text: str, us: float) -> None:
    frame = read(trace([complete("Relu", 3)]).replace('"dur": 3', f'"dur": {text}'))
    assert rows(frame, "total_time_us", "min_time_us", "max_time_us") == [(us, us, us)]


def test_durations_do_not_depend_on_the_decimals_of_a_test(read: Read) -> None:
    with decimal.localcontext() as context:
        context.prec, context.rounding = 2, decimal.ROUND_UP
        assert rows(read([complete("Relu", 1234.5674)]), "total_time_us") == [(1234.567,)]


def test_a_sum_is_exact(read: Read) -> None:
    assert rows(read([complete("Relu", 0.1)] * 1000), "count", "total_time_us") == [(1000, 100.0)]


@pytest.mark.parametrize("absent", ["18446744073709521.304", "1.8e16", '"N/A"', '""', "null"])
def test_one_absent_duration_spoils_the_times_of_its_row_only(read: Read, absent: str) -> None:
    whole = trace([complete("Relu"), complete("Relu", 3), complete("Cast", 2)])
    frame = read(whole.replace('"dur": 3', f'"dur": {absent}'))
    assert rows(frame, "name", "count", "total_time_us", "min_time_us", "max_time_us") == [
        ("Relu", 2.0, None, None, None),
        ("Cast", 1.0, 2.0, 2.0, 2.0),
    ]


def test_an_event_without_duration_spoils_its_row(read: Read) -> None:
    event = complete("Relu")
    del event["dur"]
    (row,) = read([event])[["count", "total_time_us"]].to_numpy().tolist()
    assert row[0] == 1
    assert math.isnan(row[1])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("-0.001", "-0.001"),
        ("NaN", "nan"),
        ("Infinity", "inf"),
        ("true", "True"),
        ("[1]", "['1']"),
        ('"nan"', "nan"),
        ('"1,5"', "1,5"),
        ('"\\u001b[31m"', "\\x1b[31m"),
        ("1000000000000.001", "1000000000000.001"),
        ("1.9e16", "1.9e16"),
        ("1e99999999999999999999", "1e99999999999999999999"),
        ("9" * 5000, "9" * 18 + "..." + "9" * 19),
    ],
)
def test_what_is_no_duration_is_refused(read: Read, text: str, shown: str) -> None:
    damaged = trace([complete("Cast"), complete("Relu", 3)]).replace('"dur": 3', f'"dur": {text}')
    wanted = f'event 2 has dur "{shown}", not a duration below 11 days{DAMAGED}'
    assert fault(read, damaged) == wanted


# --- bounded memory ---------------------------------------------------------------------------


def test_names_without_room_are_one_row_of_their_thread(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "ROOM", 1000)
    steps = [complete(f"step {number}") for number in range(5)]
    frame = read([*steps, complete("step 0", 3), complete("step 9", 5), complete("step 2", tid=9)])
    assert rows(frame, "name", "count", "total_time_us", "max_time_us") == [
        ("step 0", 2.0, 4.0, 3.0),
        ("step 1", 1.0, 1.0, 1.0),
        (None, 5.0, 9.0, 5.0),
    ]


def test_threads_are_told_apart_without_room(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "ROOM", 800)
    events = [complete("step", tid=tid) for tid in ("a", "b", "c", "b")]
    assert rows(read(events), "thread", "name", "count") == [
        ("a", "step", 1.0),
        ("b", None, 2.0),
        ("c", None, 1.0),
    ]
    threads = [complete("step", tid=f"thread {number}") for number in range(9)]
    assert fault(read, threads) == "too many threads for a timeline of msprof"


def test_names_of_threads_have_a_bound(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "ROOM", 800)
    threads = [metadata("thread_name", "Stream", tid=tid) for tid in range(3)]
    assert len(read(threads[:2])) == 0
    assert fault(read, threads) == "too many threads for a timeline of msprof"


# --- the text ---------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 2, 7, 64, 2**20])
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "\ufeff {} \n",
        '{{"traceEvents": {}}}',
        '{{"version": 123, "otherData": {{"a": [1, -2.5]}} , "traceEvents" :{}, "end": 12}}\n',
        '\r\n{{ "traceEvents":\t{} }}',
    ],
)
def test_the_text_may_be_cut_into_blocks_anywhere(
    read: Read, monkeypatch: pytest.MonkeyPatch, block: int, form: str
) -> None:
    monkeypatch.setattr(events, "BLOCK", block)
    odd = complete('算子 }],"\\ 🦉', 2)
    text = json.dumps([complete("Relu"), odd, complete("Relu", 1.5)], ensure_ascii=False, indent=1)
    assert rows(read(form.format(text)), "name", "count", "total_time_us") == [
        ("Relu", 2.0, 2.5),
        (odd["name"], 1.0, 2.0),
    ]


def test_progress_is_told_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BLOCK", 100)
    path = tmp_path / "msprof.json"
    path.write_text(trace([complete("算子")] * 5), encoding="utf-8")
    told: list[int] = []
    read_table(path, TIMELINE, on_bytes=told.append)
    size = path.stat().st_size
    assert told == sorted(told)
    assert told[:2] == [100, 200]
    assert told[-1] == size > 400
    told.clear()
    path.write_text(step_trace_json(iteration(1)), encoding="utf-8")
    read_table(path, STEPS, on_bytes=told.append)
    assert told[-1] == path.stat().st_size


WHOLE = trace([complete("Relu"), complete("Cast")])
NO_TIMELINE = (
    "not a timeline: an array of events or an object with traceEvents is wanted; export it again"
)


@pytest.mark.parametrize("table", ["timeline", "step_trace"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; the export wrote nothing"),
        ("\ufeff\r\n ", "the file is empty; the export wrote nothing"),
        (
            "version https://git-lfs.github.com/spec/v1\n",
            "a Git LFS pointer, not the recording; fetch it with `git lfs pull`",
        ),
        ("[]", "the timeline has no events; nothing was recorded"),
        ('{"traceEvents": []}', "the timeline has no events; nothing was recorded"),
        ("Device_id,a\x1b,b", 'not a timeline: it begins with "Device_id,a\\x1b,b", not with "["'),
        ("{}", NO_TIMELINE),
        ('{"status": 0, "data": {"Acl": {}}}', NO_TIMELINE),
        ('{"traceEvents": 12}', NO_TIMELINE),
        ('{"traceEvents"}', NO_TIMELINE),
        (
            f'{{"traceEvents": {WHOLE}, "a": 1, "traceEvents": {WHOLE}}}',
            'the key "traceEvents" is there twice; export it again',
        ),
        ("{12: []}", NO_TIMELINE),
        (f'{{"traceEvents": {WHOLE}', NO_TIMELINE),
        (
            '{"a": 1, "b": nope}',
            "what comes before the events is cut or not JSON (Expecting value); export it again",
        ),
        ("[1, 2, 3]", f"event 1 is not an object{DAMAGED}"),
        ("[[]]", f"event 1 is not an object{DAMAGED}"),
        ('[{"name": "Relu"}]', f"event 1 has no phase, ph{DAMAGED}"),
        ('[{"ph": null}]', f"event 1 has no phase, ph{DAMAGED}"),
        (WHOLE[:-1], f"event 2 is the last one that is whole{DAMAGED}"),
        (
            WHOLE[:-4],
            f"event 2 is cut or not JSON (Unterminated string starting at){DAMAGED}",
        ),
        (WHOLE[:-2], f"event 2 is cut or not JSON (Expecting ',' delimiter){DAMAGED}"),
        (
            WHOLE.replace('"X"}, {', '"X"}, , {'),
            f"event 2 is cut or not JSON (Expecting value){DAMAGED}",
        ),
        (
            WHOLE.replace('"X"}]', '"X"},]'),
            f"event 3 is cut or not JSON (Expecting value){DAMAGED}",
        ),
        (
            WHOLE.replace('"X"}, {', '"X"} {'),
            f'event 1 is followed by "{{", not by a comma{DAMAGED}',
        ),
        (
            WHOLE.replace('"X"}, {', '"X"}\x1b {'),
            f'event 1 is followed by "\\x1b", not by a comma{DAMAGED}',
        ),
        (WHOLE + "]", "more text after the last event; export the profile again"),
        (WHOLE + WHOLE, "more text after the last event; export the profile again"),
        (
            WHOLE.replace("Cast", "Cast\n"),
            f"event 2 is cut or not JSON (Invalid control character at){DAMAGED}",
        ),
        (b'[{"name": "\xff"}]', "the text is not UTF-8; export it again"),
        (b'[{"name": "Relu"}] \xe7', "event 1 has no phase, ph" + DAMAGED),
        (WHOLE.encode() + b"\xe7", "the text is not UTF-8; export it again"),
        (WHOLE.encode("utf-16"), "the text is not UTF-8; export it again"),
        (
            '[{"a":' * 100_000,
            f"event 1 is nested too deeply{DAMAGED}",
        ),
        ("[" * 100_000, f"event 1 is nested too deeply{DAMAGED}"),
        (
            '{"a":' * 100_000 + "1" + "}" * 100_000,
            "what comes before the events is nested too deeply; export it again",
        ),
    ],
)
def test_bad_text_is_one_line(read: Read, text: str | bytes, message: str, table: str) -> None:
    assert fault(read, text, table) == message


def test_an_event_without_end_is_not_read_to_the_end_of_the_file(
    read: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(events, "BLOCK", 1000)
    monkeypatch.setattr(events, "LONGEST_EVENT", 5000)
    told: list[int] = []
    text = WHOLE[:-1] + ', {"name": "' + "x" * 100_000
    message = f"event 3 is cut or not JSON (Unterminated string starting at){DAMAGED}"
    assert fault(read, text) == message
    with pytest.raises(ProfileError):
        list(events.events(tmp_path / "msprof_0.json", told.append))
    assert told[-1] == 6000


def test_a_long_event_is_read(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BLOCK", 1000)
    long = complete("x" * 3000)
    assert rows(read([long, complete("Relu")]), "name") == [(long["name"],), ("Relu",)]


def test_a_file_that_vanished_is_named(tmp_path: Path) -> None:
    path = tmp_path / "msprof_0.json"
    for table in (TIMELINE, STEPS):
        with pytest.raises(ProfileError) as caught:
            read_table(path, table)
        assert str(caught.value) == f"{path}: cannot be read: No such file or directory"


NO_PLACE = "lacks one of pid, tid and name, or it is no text or number"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"pid": None}, NO_PLACE),
        ({"pid": [1]}, NO_PLACE),
        ({"tid": {}}, NO_PLACE),
        ({"tid": True}, NO_PLACE),
        ({"name": None}, NO_PLACE),
        ({"name": []}, NO_PLACE),
    ],
)
def test_an_event_of_nothing_is_refused(read: Read, changed: Event, message: str) -> None:
    for table in ("timeline", "step_trace"):
        event = {**complete("Relu"), **changed}
        assert fault(read, [complete("Relu"), event], table) == f"event 2 {message}{DAMAGED}"


@pytest.mark.parametrize("table", ["timeline", "step_trace"])
@pytest.mark.parametrize("key", ["name", "pid", "tid", "ts", "dur", "ph", "args"])
@pytest.mark.parametrize("again", ["{}", '"X"'])
def test_a_key_that_an_event_has_twice_is_refused(
    read: Read, key: str, again: str, table: str
) -> None:
    event = json.dumps({**iteration(1), "args": {}})
    text = f'[{event}, {event[:-1]}, "{key}": {again}}}]'
    assert fault(read, text, table) == f'event 2 has the key "{key}" twice{DAMAGED}'


def test_a_key_that_arguments_have_twice_is_refused_where_they_are_read(read: Read) -> None:
    named = trace([complete("Relu"), metadata("process_name", "CANN")])
    twice = named.replace('{"name": "CANN"}', '{"name": "CANN", "name": "Ascend Hardware"}')
    assert fault(read, twice) == f'event 2 has the key "name" twice{DAMAGED}'
    text = step_trace_json(iteration(1)).replace("Iteration ID", "Iteration Time(us)")
    message = f'event 3 has the key "Iteration Time(us)" twice{DAMAGED}'
    assert fault(read, text, "step_trace") == message
    assert rows(read(text), "name", "total_time_us") == [("Iteration 1", 10.5)]


def test_a_long_key_is_cut(read: Read) -> None:
    key = "k\\u001b" + "x" * 100
    event = json.dumps(complete("Relu"))[:-1] + f', "{key}": 1, "{key}": 1}}'
    shown = "k\\x1b" + "x" * 13 + "..." + "x" * 19
    assert fault(read, f"[{event}]") == f'event 1 has the key "{shown}" twice{DAMAGED}'


@pytest.mark.parametrize(
    ("what", "changed"),
    [
        ("process_name", {"args": {}}),
        ("process_name", {"args": []}),
        ("process_name", {"args": None}),
        ("process_name", {"args": {"name": None}}),
        ("thread_name", {"pid": None}),
        ("thread_name", {"tid": []}),
        ("process_labels", {"args": {"name": "NPU 0"}}),
    ],
)
def test_metadata_that_names_nothing_is_refused(read: Read, what: str, changed: Event) -> None:
    event = {**metadata(what, "Stream 1"), **changed}
    assert fault(read, [event]) == f"event 1 has no {what}, or none of a process{DAMAGED}"


# --- steps ------------------------------------------------------------------------------------


def test_iterations_are_steps_and_nothing_else_is(read: Read) -> None:
    text = step_trace_json(
        iteration(1),
        complete("FP_BP Time 1", tid=70002),
        complete("Iteration Refresh 1", tid=70002),
        complete("Iteration 1 of mine", tid=70002),
        # A reduce whose times msprof subtracted the wrong way round.
        complete("Reduce_1_0", 18446744073709521.304, tid=70002),
        iteration(2, 12, ts=1020.5),
        {"name": "Data_aug Bound 1", "ph": "s", "ts": 1, "pid": 3, "tid": 70002},
        # That of a program of the user, not of a graph.
        iteration(3, tid=8),
    )
    frame = read(text, "step_trace")
    assert tuple(frame) == column_names(Path("step_trace.json"), STEPS)
    assert rows(frame, *frame) == [
        (None, "1", 10.5, 1010750, "2"),
        (None, "2", 12.0, 1032500, "2"),
    ]
    assert kinds(frame) == ["category", "category", "float64", "Int64", "category"]


@pytest.mark.parametrize(
    ("args", "us"),
    [
        ({"Iteration Time(us)": 47587.81}, 47587.81),
        ({"Iteration Time(us)": "47587.810"}, 47587.81),
        # Until 2023-11-23.
        ({"Iteration Time(ns)": 47587810.0}, 47587.81),
        ({"Iteration Time(us)": "N/A"}, None),
        ({"Iteration Time(us)": 18446744073709521.304}, None),
        ({"Iteration Time(ns)": 18446744073709521304}, None),
        ({"Iteration ID": 1}, None),
        ({}, None),
    ],
)
def test_the_time_of_an_iteration_is_its_argument(
    read: Read, args: Event, us: float | None
) -> None:
    frame = read(step_trace_json(iteration(1, 7.0, args)), "step_trace")
    assert rows(frame, "iteration_time_us", "iteration_end_ns") == [(us, 1007250)]


@pytest.mark.parametrize("times", [{"dur": "N/A"}, {"ts": None}, {"ts": 18446744073709521.304}])
def test_an_iteration_without_end_is_kept(read: Read, times: Event) -> None:
    frame = read(step_trace_json({**iteration(1), **times}), "step_trace")
    assert rows(frame, "iteration_time_us", "iteration_end_ns") == [(10.5, None)]


def test_a_start_of_nineteen_digits_is_exact(read: Read) -> None:
    frame = read(step_trace_json(iteration(1, ts="1784216647596110.805")), "step_trace")
    assert rows(frame, "iteration_end_ns") == [(1784216647596121305,)]


def test_steps_have_model_and_device_of_their_thread(read: Read) -> None:
    # As in a merged trace of today; a model without an id has the largest number.
    frame = read(
        [
            iteration(1),
            iteration(1, tid=70009),
            metadata("thread_name", "Step Trace(Model ID:13)", tid=70002),
            metadata("thread_name", "Step Trace(Model ID:4294967295)", tid=70009),
            *process("Ascend Hardware", "NPU 4"),
        ],
        "step_trace",
    )
    assert rows(frame, "device_id", "model_id") == [("4", "13"), ("4", None)]
    assert list(read(step_trace_json(iteration(1)), "step_trace", wanted=["model_id"])) == [
        "model_id"
    ]


@pytest.mark.parametrize("thread", ["Stream 2", "Model ID:", "Model ID:2x", ""])
def test_a_trace_without_steps_says_so(read: Read, thread: str) -> None:
    message = "no iterations, events Iteration N of a thread Model ID:N; nothing was recorded"
    assert fault(read, step_trace_json(iteration(1), thread=thread), "step_trace") == message


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            iteration(1, args={"Iteration Time(us)": "abc"}),
            'has Iteration Time(us) "abc", not a duration below 11 days',
        ),
        (iteration(1, -1), 'has Iteration Time(us) "-1", not a duration below 11 days'),
        (iteration(1, ts="soon"), 'has ts "soon", not a time'),
        (iteration(1, ts=-1), 'has ts "-1", not a time'),
        (iteration(1, ts=9223372036854775.808), 'has ts "9223372036854776.0", not a time'),
    ],
)
def test_a_step_with_a_wrong_time_is_refused(read: Read, event: Event, message: str) -> None:
    wanted = f"event 4 {message}{DAMAGED}"
    text = step_trace_json(iteration(0), event)
    assert fault(read, text.replace(', "cat": "Iteration Time"', ""), "step_trace") == wanted
