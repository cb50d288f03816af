"""A damaged profile never passes what the whole one fails, and never ends in a traceback.

Each seed damages one table of a recording in one way and judges it by limits that the whole
profile is just over. What no reader can see is told from the damage itself, not from its outcome;
``pytest -rP`` lists it.
"""

from __future__ import annotations

import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from damage import HIDDEN, WAYS, Damage, Recorded, Sheet

from pytest_npuperf.catalogue import METRICS, PER_STEP
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.measure import measure
from pytest_npuperf.model import (
    Judged,
    LaneMeasurement,
    Limit,
    Selector,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.profile import open_profile
from pytest_npuperf.profile.tables import BY_FILE
from pytest_npuperf.units import Dimension

pytestmark = [pytest.mark.recordings, pytest.mark.mutations]

Judge = Callable[[Path, Sequence[Limit]], dict[Limit, Judged]]

CHUNKS, SEEDS = 20, 100
HANG_S = 60

# --- recordings and their limits --------------------------------------------------------------

WEIGHTS = {
    "msprof-cann85-dsa": 8,
    "torch-npu-10-steps": 8,
    "op-summary-cann5-fixture/op_summary.csv": 2,
    "op-summary-cann5-fixture/op_summary_0_1.csv": 2,
    "torch-npu-quoted-tabs": 4,
    "torch-npu-level0": 6,
    "torch-npu-910b-level1/rank0_ascend_pt": 5,
    "torch-npu-910b-level1": 1,
    "torch-npu-910a-level1/rank1_ascend_pt": 3,
    "torch-npu-910a-level1": 1,
    "torch-npu-cann85": 6,
    "torch-npu-cann70": 1,
    "torch-npu-cann83-level2": 1,
    "msprof-ascend950-l1": 1,
}
"""How often each is damaged: small ones are read in less time."""


def over(wanted: Wanted, dimension: Dimension, values: Sequence[Value]) -> Iterator[Limit]:
    """Yield limits that the measured value is just over, and just under."""
    numbers = [value.value for value in values if value.value is not None]
    if len(numbers) < len(values):
        return
    least = Fraction(1, 10**9) if dimension is Dimension.SHARE else Fraction(1)
    if max(numbers):
        yield Limit(wanted, dimension, at_most=max(numbers) - least)
    if not wanted.metric.endswith(PER_STEP):
        yield Limit(wanted, dimension, at_least=min(numbers) + least)


def rules(
    metric: str, times: Sequence[str], select: Selector
) -> Iterator[tuple[Wanted, Dimension]]:
    yield Wanted(metric, "count", select), Dimension.COUNT
    for statistic in times:
        yield Wanted(metric, statistic, select), Dimension.TIME


def asked(
    lanes: Sequence[LaneMeasurement], apis: Sequence[str]
) -> Iterator[tuple[Wanted, Dimension]]:
    """Yield every number that a budget could ask of a profile."""
    for metric in METRICS.values():
        if metric.distribution:
            for statistic in ("min", "mean", "p50", "max"):
                yield Wanted(metric.name, statistic), Dimension.TIME
            yield Wanted(metric.name, "count"), Dimension.COUNT
        else:
            yield Wanted(metric.name), metric.dimension
    yield from rules("ops", ("mean", "p50", "min"), Selector(name=("*",)))
    for row in lanes[0].ops[:2]:
        yield from rules("ops", ("total", "p50", "max"), Selector(type=(row.type,)))
        yield Wanted("ops", "share", Selector(type=(row.type,))), Dimension.SHARE
    for core in sorted({row.core for row in lanes[0].ops})[:2]:
        yield from rules("ops", ("total",), Selector(task_type=(core,)))
    for name in ("*", *apis[:1]):
        yield from rules("apis", ("total", "mean", "max"), Selector(name=(name,)))


def failing_limits(path: Path, sheets: Sequence[Sheet]) -> tuple[Limit, ...]:
    profile = open_profile(path)
    lanes = tuple(measure(profile, []).lanes.values())
    apis = [
        sheet.cell(row, "name")
        for sheet in sheets
        if sheet.table == "api_statistic"
        for row in range(1, len(sheet.cells))
    ]
    wanted = dict(asked(lanes, apis))
    measured = measure(profile, wanted).lanes.values()
    return tuple(
        limit
        for each, dimension in wanted.items()
        for limit in over(each, dimension, [lane.values[each] for lane in measured])
    )


@pytest.fixture(scope="module")
def recorded(recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Copies that may be damaged, by name; each test leaves them whole."""
    base = tmp_path_factory.mktemp("recordings")
    return {name: copied(recordings / name, base / name) for name in WEIGHTS}


def copied(source: Path, path: Path) -> Recorded:
    files = [source] if source.is_file() else [*source.rglob("*.csv"), *source.rglob("*info*.json")]
    for file in files:
        copy = path / file.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    tables = [path] if path.is_file() else sorted(path.rglob("*.csv"))
    sheets = tuple(Sheet(table, table.read_bytes()) for table in tables)
    sheets = tuple(sheet for sheet in sheets if sheet.stem in BY_FILE)
    return Recorded(path, sheets, failing_limits(path, sheets))


def damage(seed: int, recorded: dict[str, Recorded]) -> tuple[Recorded, Sheet, Damage]:
    """Choose a recording, one of its tables and a way to damage it."""
    rng = random.Random(seed)
    (name,) = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))
    chosen = recorded[name]
    weights = [3 if sheet.table == "op_summary" else 1 for sheet in chosen.sheets]
    (sheet,) = rng.choices(chosen.sheets, weights)
    (way,) = rng.choices(list(WAYS), list(WAYS.values()))
    return chosen, sheet, way(rng, chosen, sheet)


# --- what comes of it -------------------------------------------------------------------------


@contextmanager
def no_hang() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise AssertionError(f"not done after {HANG_S} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(judged: Judge, recorded: Recorded, sheet: Sheet, harm: Damage) -> str:
    """Return what a damaged table led to: ``refused``, ``seen``, ``fault: ...`` or what hid it."""
    sheet.path.write_bytes(harm.data)
    try:
        with no_hang():
            found = judged(recorded.path, recorded.limits)
    except NpuperfError as err:
        if harm.harmless or "\n" in str(err):
            return f"fault: {err}"
        return "refused"
    except Exception as err:
        return f"fault: {type(err).__name__}: {err}"
    finally:
        sheet.path.write_bytes(sheet.data)
    changed = [each for each in found.values() if each.verdict is not Verdict.FAILED]
    passed = [each for each in changed if each.verdict is Verdict.PASSED]
    if harm.harmless:
        return f"fault: {changed[0].reason}" if changed else "same"
    if passed and not harm.hidden:
        return f"fault: PASSED {len(passed)} limits: {passed[0].reason}"
    return harm.hidden if passed else "seen"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_damage_passes_what_the_whole_profile_fails(
    recorded: dict[str, Recorded], recordings: Path, judged: Judge, chunk: int
) -> None:
    told = []
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        profile, sheet, harm = damage(seed, recorded)
        came = outcome(judged, profile, sheet, harm)
        told.append((came, f"seed {seed}: {sheet.path.parent.name}/{sheet.path.name}: {harm.what}"))
    counts = Counter(came.partition(":")[0] for came, _ in told)
    hidden = [f"{came}: {what}" for came, what in told if came in HIDDEN]
    print(*(f"{count:4} {came}" for came, count in counts.most_common()), *hidden, sep="\n")
    faults = [f"{what}: {came}" for came, what in told if came.startswith("fault")]
    assert not faults, "\n".join(faults)
    assert len(hidden) <= SEEDS // 4, "\n".join(hidden)


def test_every_recording_is_gated_by_many_limits(
    recorded: dict[str, Recorded], judged: Judge
) -> None:
    for name, profile in recorded.items():
        found = judged(profile.path, profile.limits)
        assert {each.verdict for each in found.values()} == {Verdict.FAILED}, name
        assert len(profile.limits) >= 10, name
