"""``npuperf init`` on every recorded profile: it keeps to its own budget, and only just."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from first_budgets import case_of, judged, tightened
from jsonschema import Draft202012Validator

from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.schema import schema_of
from pytest_npuperf.model import Limit, Verdict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

pytestmark = pytest.mark.recordings

UNREADABLE = {
    *("msprof-empty-files", "msprof-empty-slices", "torch-npu-ragged-row"),
    *("op-summary-subtasks", "op-summary-cann5-fixture"),
}
"""What nobody could read; of the last, each of the two tables can be."""
NOTHING_TO_LIMIT = {"profiling-2020-ascend310"}
"""What was read, though nothing in it is a number of a first budget."""
KINDS = {
    *("step_time p50", "busy_time", "busy_time_per_step", "kernel_time"),
    *("kernel_count", "kernel_count_per_step"),
    *("ops total", "ops total_per_step", "ops share", "ops count", "ops count_per_step"),
}
"""What the first budgets of all of them limit, by more than 0."""


def profiles(recordings: Path, tables: tuple[str, ...]) -> Iterator[Path]:
    """Yield each folder, and each of some tables by itself."""
    yield from sorted(path for path in recordings.iterdir() if path.is_dir())
    for glob in tables:
        yield from sorted(recordings.rglob(glob))


def kind(limit: Limit) -> str:
    """Return what a limit is on, whichever ops it is about."""
    return " ".join(filter(None, [limit.wanted.metric, limit.wanted.statistic]))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("headroom", "tables"), [("0%", ("op_summary*.csv*", "kernel_details*.csv*")), ("5%", ())]
)
def test_each_profile_passes_its_first_budget_and_fails_a_tighter_one(
    headroom: str,
    tables: tuple[str, ...],
    recordings: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    schema = Draft202012Validator(schema_of(Path("pyproject.toml")))
    refused, kinds = set(), set()
    for path in profiles(recordings, tables):
        status = main(["init", str(path), "--headroom", headroom])
        out, err = capsys.readouterr()
        if status:
            assert (status, out, err.count("\n")) == (1, "", 1)
            assert err.startswith(f"npuperf: {path}")
            assert "fault of npuperf" not in err
            refused.add(path.relative_to(recordings).parts[0])
            continue
        assert not list(schema.iter_errors(tomllib.loads(out))), path
        limits = case_of(out, tmp_path).limits
        assert {each.verdict for each in judged(path, limits)} == {Verdict.PASSED}, path
        if headroom == "0%":
            # All but what is 0, which nothing is less than; one more is what doctor tries.
            tighter = judged(path, tightened(limits))
            assert [each.verdict for each in tighter] == [Verdict.FAILED] * len(tighter), path
            assert len(tighter) == sum(limit.at_most != 0 for limit in limits)
            kinds |= {kind(each.limit) for each in tighter}
    assert refused == UNREADABLE | NOTHING_TO_LIMIT
    assert kinds == (KINDS if headroom == "0%" else set())
