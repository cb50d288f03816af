"""``npuperf doctor`` on recorded profiles: limits fail from where their margin ends on."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.doctor.budgets import Checked, Place, check
from pytest_npuperf.commands.doctor.effects import Calls, Everything, OnAiCpu, Ops
from pytest_npuperf.config import Options, load
from pytest_npuperf.model import Judged, Verdict
from pytest_npuperf.units import Dimension

pytestmark = pytest.mark.recordings

PROFILES = {
    "torch-npu-910b-level1": "two ranks",
    "torch-npu-910b-level1-db": "a database",
    "torch-npu-10-steps": "steps by id",
    "torch-npu-cann85": "totals alone",
    "torch-npu-level0": "neither types nor cores",
    "msprof-2023-device-dirs": "steps of a timeline",
    "msprof-ascend950-l1": "one of msprof",
}


def checked(folder: Path, capsys: pytest.CaptureFixture[str], path: Path) -> Checked:
    """Return what is found of the first budget of a profile, put to the test."""
    assert main(["init", str(path)]) == 0
    toml = f'[tool.npuperf]\nrecordings = "{path.parent}"\n{capsys.readouterr().out}'
    (folder / "pyproject.toml").write_text(toml, encoding="utf-8")
    settings = load(folder, Options())
    assert settings is not None
    place = Place({"PATH": ""}, has_npu=False, folder=folder / "tmp")
    return check(settings, path.name, place, self_test=True)


def share_slowed(share: Fraction, factor: Fraction) -> Fraction:
    """Return what becomes of a share where that part takes so much longer."""
    return share * factor / (share * factor + 1 - share)


def expected_trip(judged: Judged) -> int:
    """Return, in tenths of a percent, the first change with which a number is over its limit."""
    value, bound = judged.value, judged.limit.at_most
    assert value is not None
    assert bound is not None
    if judged.limit.dimension is Dimension.TIME:
        return int((bound / value - 1) * 1000) + 1
    tenths = 1
    while share_slowed(value, 1 + Fraction(tenths, 1000)) <= bound:
        tenths += 1
    return tenths


@pytest.mark.parametrize("name", PROFILES)
def test_limits_fail_from_where_their_margin_ends_on(
    name: str,
    recordings: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = hashes(recordings / name)
    found = checked(tmp_path, capsys, recordings / name)
    assert not found.has_problem
    assert found.limits
    for judged in found.limits:
        assert judged.verdict is Verdict.PASSED
        effect, amount = found.breaking[judged.limit], found.trips[judged.limit]
        if judged.limit.dimension is Dimension.COUNT:
            # All counts are at their limit: one more, and be it on the AI CPU, is too many.
            on_ai_cpu = judged.limit.wanted.select.task_type == ("AI_CPU",)
            assert isinstance(effect, OnAiCpu if on_ai_cpu else Calls)
            assert amount == 1
        else:
            assert isinstance(
                effect, Ops if judged.limit.dimension is Dimension.SHARE else Everything
            )
            # Each row is rounded to a nanosecond.
            assert abs(amount - expected_trip(judged)) <= 1
    assert hashes(recordings / name) == before


def hashes(folder: Path) -> dict[Path, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
