from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile import twins
from pytest_npuperf.profile.agreement import Source

Op = tuple[str | None, str | None, float]
"""Its type, task type and duration in us."""

CONV: Op = ("Conv2D", "AI_CORE", 1.5)
CAST: Op = ("Cast", "AI_VECTOR_CORE", 2.25)
EDITED = "one of the two was cut or edited, record again"


def source(name: str, ops: Sequence[Op], device: str = "0", says_device: bool = True) -> Source:
    types, cores, times = zip(*ops, strict=True) if ops else ((), (), ())
    rows = pd.DataFrame(
        {
            "device_id": pd.Categorical([device] * len(ops)),
            "op_type": pd.Categorical(types),
            "task_type": pd.Categorical(cores),
            "task_duration_us": np.array(times, dtype=np.float64),
        }
    )
    return Source(Path("run", name), rows, says_device)


def text(*ops: Op, device: str = "0", says_device: bool = True) -> Source:
    return source("op_summary.csv", ops, device, says_device)


def database(*ops: Op, device: str = "0") -> Source:
    return source("msprof_1.db", ops, device)


def fault(text: Source, database: Source) -> str:
    with pytest.raises(ProfileError) as caught:
        twins.refuse_other_ops(text, database)
    return str(caught.value)


@pytest.mark.parametrize(
    "ops",
    [
        (CONV, CAST, CONV),
        # The order of rows is that of nobody.
        (CAST, CONV, CONV),
        # A text may round or cut each row to the last digit that it prints.
        (("Conv2D", "AI_CORE", 1.501), CAST, ("Conv2D", "AI_CORE", 1.501)),
        (("Conv2D", "AI_CORE", 1.499), CAST, ("Conv2D", "AI_CORE", 1.499)),
        # Which parts of collectives are shown, and how they are called, differs by release.
        (CONV, CAST, CONV, ("hcom_allReduce_", "HCCL", 9.0)),
        (CONV, CAST, CONV, ("hcom_allReduce_", "COMMUNICATION", 9.0)),
        (CONV, CAST, CONV, ("AivKernel", "AI_VECTOR_CORE", 9.0)),
        # msprof leaves them out of some tables.
        (CONV, CAST, CONV, ("Cast", "WRITE_BACK", 9.0)),
        # A total of which a part is absent is told by what needs it.
        (CONV, CAST, ("Conv2D", "AI_CORE", np.nan)),
    ],
)
def test_the_same_run(ops: tuple[Op, ...]) -> None:
    of_database = database(CONV, CONV, CAST, ("hcom_allReduce_", "COMMUNICATION", 7.0))
    twins.refuse_other_ops(text(*ops), of_database)


def test_a_row_that_only_the_database_has() -> None:
    assert fault(text(CONV, CAST), database(CONV, CONV, CAST)) == (
        "run/op_summary.csv: 1 call of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 2 calls, 3.000 us; {EDITED}"
    )


def test_a_row_that_only_the_text_has() -> None:
    assert fault(text(CONV, CAST), database(CONV)) == (
        "run/op_summary.csv: 1 call of Cast on AI_VECTOR_CORE, 2.250 us in all, "
        f"but msprof_1.db has 0 calls, 0.000 us; {EDITED}"
    )


def test_another_time() -> None:
    # One row may be off by 1 ns, and their sum by as much once more.
    twins.refuse_other_ops(text(CONV), database(("Conv2D", "AI_CORE", 1.502)))
    assert fault(text(CONV), database(("Conv2D", "AI_CORE", 1.503))) == (
        "run/op_summary.csv: 1 call of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 1 call, 1.503 us; {EDITED}"
    )


def test_another_core() -> None:
    assert fault(text(CONV), database(("Conv2D", "AI_CPU", 1.5))) == (
        "run/op_summary.csv: 1 call of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 0 calls, 0.000 us; {EDITED}"
    )


def test_another_device_counts_where_the_text_says_it() -> None:
    twins.refuse_other_ops(text(CONV, says_device=False), database(CONV, device="3"))
    assert fault(text(CONV), database(CONV, device="3")).startswith(
        "run/op_summary.csv: 1 call of Conv2D on AI_CORE"
    )


def test_level_0_has_no_types_to_compare() -> None:
    twins.refuse_other_ops(text((None, None, 1.0)), database((None, None, 2.0), (None, None, 3.0)))


def test_a_text_without_types() -> None:
    old = text(CONV)
    old.rows.pop("op_type")
    twins.refuse_other_ops(old, database(CONV, CONV))


@pytest.mark.parametrize("column", ["op_type", "task_type", "task_duration_us"])
def test_a_schema_that_does_not_have_a_column_yet(column: str) -> None:
    old = database(CONV, CONV)
    old.rows.pop(column)
    twins.refuse_other_ops(text(CONV), old)


# --- calls of the host ------------------------------------------------------------------------

Call = tuple[str | None, str | None, float, float]
"""Its level, name, count and total in us."""

LAUNCH: Call = ("node", "launch", 3, 10.5)
COPY: Call = ("acl", "aclrtMemcpy", 1, 2.0)


def calls(name: str, *rows: Call) -> Source:
    columns = ("api_level", "name", "count", "total_time_us")
    frame = pd.DataFrame(dict(zip(columns, zip(*rows, strict=True), strict=True)))
    categories = {name: frame[name].astype(object).astype("category") for name in columns[:2]}
    return Source(Path("run", name), frame.assign(**categories), says_device=True)


def calls_of_text(*rows: Call) -> Source:
    return calls("api_statistic.csv", *rows)


def calls_of_database(*rows: Call) -> Source:
    return calls("msprof_1.db", *rows)


@pytest.mark.parametrize(
    "rows",
    [
        (LAUNCH, COPY),
        (COPY, LAUNCH),
        # Each call may be off by 1 ns, and their sum by as much once more.
        (("node", "launch", 3, 10.504), ("acl", "aclrtMemcpy", 1, 1.998)),
        # Levels and names that a release does not know are empty in a text.
        (LAUNCH, COPY, (None, "x", 1, 1.0), ("acl", None, 1, 1.0)),
    ],
)
def test_the_same_calls(rows: tuple[Call, ...]) -> None:
    twins.refuse_other_calls(calls_of_text(*rows), calls_of_database(LAUNCH, COPY))


def test_the_level_of_collectives_was_renamed() -> None:
    twins.refuse_other_calls(
        calls_of_text(("hccl", "Launch_Ffts", 4, 400.0)),
        calls_of_database(("communication", "Launch_Ffts", 4, 400.0)),
    )


@pytest.mark.parametrize(
    ("rows", "found", "there"),
    [
        (
            [("node", "launch", 2, 10.5), COPY],
            "2 calls of launch (node), 10.500 us in all",
            "3 calls, 10.500 us",
        ),
        (
            [("node", "launch", 3, 10.505), COPY],
            "3 calls of launch (node), 10.505 us in all",
            "3 calls, 10.500 us",
        ),
        (
            [("node", "launch", 3, 10.495), COPY],
            "3 calls of launch (node), 10.495 us in all",
            "3 calls, 10.500 us",
        ),
        (
            [("acl", "launch", 3, 10.5), LAUNCH, COPY],
            "3 calls of launch (acl), 10.500 us in all",
            "0 calls, 0.000 us",
        ),
        ([COPY], "0 calls of launch (node), 0.000 us in all", "3 calls, 10.500 us"),
        (
            [LAUNCH, COPY, ("acl", "\x1b", 1, 2.0)],
            "1 call of \\x1b (acl), 2.000 us in all",
            "0 calls, 0.000 us",
        ),
    ],
)
def test_other_calls(rows: list[Call], found: str, there: str) -> None:
    with pytest.raises(ProfileError) as caught:
        twins.refuse_other_calls(calls_of_text(*rows), calls_of_database(LAUNCH, COPY))
    assert str(caught.value) == (
        f"run/api_statistic.csv: {found}, but msprof_1.db has {there}; {EDITED}"
    )


@pytest.mark.parametrize("sums", [(np.nan, 1.0), (3, np.nan)])
def test_what_is_absent_is_not_compared(sums: tuple[float, float]) -> None:
    twins.refuse_other_calls(calls_of_text(("node", "launch", *sums)), calls_of_database(LAUNCH))


@pytest.mark.parametrize("column", ["api_level", "name", "count", "total_time_us"])
def test_calls_of_a_release_without_a_column(column: str) -> None:
    old = calls_of_text(COPY)
    old.rows.pop(column)
    twins.refuse_other_calls(old, calls_of_database(LAUNCH))


# --- which texts hold the whole run -----------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "is_whole"), [(None, True), ([None], True), (["1"], False), ([None, "1"], False)]
)
def test_a_text_with_ids_of_iterations_holds_those_alone(
    ids: list[str | None] | None, is_whole: bool
) -> None:
    ops = text(*[CONV] * len(ids or [1]))
    if ids is not None:
        ops.rows["infer_id"] = pd.Categorical(ids)
    assert twins.is_of_whole_run(ops) is is_whole
