"""The advice of msprof in its two schemas; what was checked is told from what was not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from profile_tables import write

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import advice, open_profile
from pytest_npuperf.profile.tables import BY_NAME

TABLE = BY_NAME["prof_rule"]
COLUMNS = ("rule_type", "rule_subtype", "suggestion", "op_names")


def oldest(**results: list[dict[str, object]]) -> object:
    """Return advice as it was until December 2022: a list of rule types."""
    return {
        "status": 0,
        "data": [{"rule_type": name, "result": found} for name, found in results.items()],
    }


def newest(**areas: list[dict[str, object]]) -> object:
    """Return advice as it was since: an object with a list of rule types for each area."""
    return {"status": 0, "data": {name.replace("_", " "): rules for name, rules in areas.items()}}


OLDEST = oldest(
    Computation=[
        {"rule_subtype": "Vector", "rule_suggestion": "low vector use", "op_list": ["Add", "Mul"]},
        {"rule_subtype": "Cube", "rule_suggestion": "low cube use", "op_list": ["Conv2D"]},
    ],
    Memory=[],
)
NEWEST = newest(
    Op_Summary=[
        {
            "Rule Type": "Computation",
            "Rule Description": "how busy the cores are",
            "result": [
                {
                    "Rule Subtype": "Vector",
                    "Rule Suggestion": "low vector use",
                    "Tuning Data": ["Add", "Mul"],
                },
                {
                    "Rule Subtype": "Cube",
                    "Rule Suggestion": "low cube use",
                    "Tuning Data": ["Conv2D"],
                },
            ],
        },
    ],
    Op_Parallel=[],
    Model_Summary=[{"Rule Type": "Memory", "Rule Description": "", "result": []}],
)


def save(folder: Path, content: object, name: str = "prof_rule_0.json") -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    return write(folder, {name: text}) / name


@pytest.mark.parametrize("content", [OLDEST, NEWEST], ids=["oldest", "newest"])
def test_each_suggestion_is_a_row(tmp_path: Path, content: object) -> None:
    path = save(tmp_path, content)
    frame = advice.read_table(path, TABLE)
    assert frame.to_dict("list") == {
        "rule_type": ["Computation", "Computation"],
        "rule_subtype": ["Vector", "Cube"],
        "suggestion": ["low vector use", "low cube use"],
        "op_names": ["Add;Mul", "Conv2D"],
    }
    assert list(frame["rule_type"].cat.categories) == ["Computation", "Memory"]
    assert tuple(frame) == COLUMNS
    assert {type(dtype) for dtype in frame.dtypes} == {pd.CategoricalDtype}


@pytest.mark.parametrize("wanted", [("op_names",), ("rule_type", "device_id"), ()])
def test_only_what_is_wanted_is_returned(tmp_path: Path, wanted: tuple[str, ...]) -> None:
    frame = advice.read_table(save(tmp_path, OLDEST), TABLE, wanted)
    assert set(frame) == set(wanted) - {"device_id"}


@pytest.mark.parametrize(
    ("content", "checked"),
    [
        (oldest(), []),
        (oldest(Memory=[]), ["Memory"]),
        (newest(Op_Summary=[]), []),
        (newest(Op_Summary=[{"Rule Type": "Memory", "result": []}]), ["Memory"]),
    ],
)
def test_nothing_found_is_a_table_without_rows(
    tmp_path: Path, content: object, checked: list[str]
) -> None:
    path = save(tmp_path, content)
    frame = advice.read_table(path, TABLE)
    assert (len(frame), tuple(frame)) == (0, COLUMNS)
    assert list(frame["rule_type"].cat.categories) == checked


def test_a_profile_keeps_what_was_checked_on_each_device(tmp_path: Path) -> None:
    home = tmp_path / "PROF_000001_20220101000000000_ABCDEFGH"
    save(home / "device_0" / "summary", OLDEST)
    # So called in CANN 8.0.RC1.
    save(
        home / "device_1" / "summary",
        newest(Op_Summary=[{"Rule Type": "Schedule", "result": []}]),
        "prof_rule_1_20240101000000.json",
    )
    profile = open_profile(home)
    rows = profile.unit_rows(0, "prof_rule", None)
    assert rows["device_id"].tolist() == ["0", "0"]
    assert rows["suggestion"].tolist() == ["low vector use", "low cube use"]
    assert list(rows["rule_type"].cat.categories) == ["Computation", "Memory", "Schedule"]


@pytest.mark.parametrize(
    "numbers", [{"AI CPU Execution Time(us)": 12.5}, {}, [], ""], ids=["some", "none", "[]", "text"]
)
def test_numbers_beside_a_suggestion_are_no_operators(tmp_path: Path, numbers: object) -> None:
    result = {"Rule Subtype": "a", "Rule Suggestion": "b", "Tuning Data": numbers}
    content = newest(Op_Parallel=[{"Rule Type": "Operator Parallelism", "result": [result]}])
    frame = advice.read_table(save(tmp_path, content), TABLE)
    assert frame["op_names"].isna().tolist() == [True]
    assert frame["suggestion"].tolist() == ["b"]


RESULT: dict[str, Any] = {"rule_subtype": "a", "rule_suggestion": "b", "op_list": ["c"]}
LEAVE = "the file is damaged or not from msprof, leave it out"
FAULTS = {
    "failed": ({"status": 1, "info": "no data"}, 'the export failed: "no data"; export the '
               "profile again"),
    "null": ({"status": 0, "data": None}, f"null where a list of rules is wanted; {LEAVE}"),
    "a text": ({"status": 0, "data": "x"}, f'"x" where a list of rules is wanted; {LEAVE}'),
    "no list": (newest(Op_Summary={}), f"an object where a list of rules is wanted; {LEAVE}"),  # type: ignore[arg-type]
    "a rule that is none": ([["x"]], f"a list where a list of rules is wanted; {LEAVE}"),
    "no type": ([{"result": []}], f'no "Rule Type" or "rule_type" in an object of "result"; '
                                  f"{LEAVE}"),
    "null as type": ([{"rule_type": None, "result": []}],
                     f'null as "rule_type", where a text is wanted; {LEAVE}'),
    "nothing in it": (oldest(A=[{}]),
                      f'no "Rule Subtype" or "rule_subtype" in an empty object; {LEAVE}'),
    "no result": ([{"rule_type": "A"}], f'no "result" of rule type "A"; {LEAVE}'),
    "null as result": ([{"rule_type": "A", "result": None}],
                       f'null where a list of results of "A" is wanted; {LEAVE}'),
    "no suggestion": (oldest(A=[{"rule_subtype": "a", "op_list": []}]),
                      'no "Rule Suggestion" or "rule_suggestion" in an object of "rule_subtype", '
                      f'"op_list"; {LEAVE}'),
    "a key twice": ('[{"rule_type": "A", "rule_type": "B"}]', 'an object has the key "rule_type" '
                    "twice; the file is damaged, export it again"),
    "a list as suggestion": (oldest(A=[{**RESULT, "rule_suggestion": ["b"]}]),
                             f'a list as "rule_suggestion", where a text is wanted; {LEAVE}'),
    "no operators": (oldest(A=[{"rule_subtype": "a", "rule_suggestion": "b"}]),
                     'no "Tuning Data" or "op_list" in an object of "rule_subtype", '
                     f'"rule_suggestion"; {LEAVE}'),
    "operators without a name": (oldest(A=[{**RESULT, "op_list": ["c", None]}]),
                                 f'a list as "op_list", where a text is wanted; {LEAVE}'),
    "deep": ("[" * 100_000, "lists or objects are nested too deeply for a table; export it again"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_no_advice_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, message = FAULTS[name]
    path = save(tmp_path, content)
    with pytest.raises(ProfileError) as caught:
        advice.read_table(path, TABLE)
    assert str(caught.value) == f"{path}: {message}"
