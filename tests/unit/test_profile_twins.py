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
        twins.refuse_difference(text, database)
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
    twins.refuse_difference(text(*ops), of_database)


def test_a_row_that_only_the_database_has() -> None:
    assert fault(text(CONV, CAST), database(CONV, CONV, CAST)) == (
        "run/op_summary.csv: 1 calls of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 2 calls, 3.000 us; {EDITED}"
    )


def test_a_row_that_only_the_text_has() -> None:
    assert fault(text(CONV, CAST), database(CONV)) == (
        "run/op_summary.csv: 1 calls of Cast on AI_VECTOR_CORE, 2.250 us in all, "
        f"but msprof_1.db has 0 calls, 0.000 us; {EDITED}"
    )


def test_another_time() -> None:
    # One row may be off by 1 ns, and their sum by as much once more.
    twins.refuse_difference(text(CONV), database(("Conv2D", "AI_CORE", 1.502)))
    assert fault(text(CONV), database(("Conv2D", "AI_CORE", 1.503))) == (
        "run/op_summary.csv: 1 calls of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 1 calls, 1.503 us; {EDITED}"
    )


def test_another_core() -> None:
    assert fault(text(CONV), database(("Conv2D", "AI_CPU", 1.5))) == (
        "run/op_summary.csv: 1 calls of Conv2D on AI_CORE, 1.500 us in all, "
        f"but msprof_1.db has 0 calls, 0.000 us; {EDITED}"
    )


def test_another_device_counts_where_the_text_says_it() -> None:
    twins.refuse_difference(text(CONV, says_device=False), database(CONV, device="3"))
    assert fault(text(CONV), database(CONV, device="3")).startswith(
        "run/op_summary.csv: 1 calls of Conv2D on AI_CORE"
    )


def test_level_0_has_no_types_to_compare() -> None:
    twins.refuse_difference(text((None, None, 1.0)), database((None, None, 2.0), (None, None, 3.0)))


def test_a_text_of_one_iteration_is_no_twin_of_the_whole_run() -> None:
    whole = database(CONV, CONV)
    one = text(CONV)
    one.rows["infer_id"] = pd.Categorical([None])
    assert fault(one, whole).startswith("run/op_summary.csv: 1 calls of Conv2D")
    one.rows["infer_id"] = pd.Categorical(["1"])
    twins.refuse_difference(one, whole)


def test_a_text_without_types() -> None:
    old = text(CONV)
    old.rows.pop("op_type")
    twins.refuse_difference(old, database(CONV, CONV))


@pytest.mark.parametrize("column", ["op_type", "task_type", "task_duration_us"])
def test_a_schema_that_does_not_have_a_column_yet(column: str) -> None:
    old = database(CONV, CONV)
    old.rows.pop(column)
    twins.refuse_difference(text(CONV), old)
