from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_npuperf.collect import collect
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected, Mode, Unavailable


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with one NPU in it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/davinci0").touch()
    (tmp_path / "dev/davinci_manager").touch()
    return tmp_path / "dev"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    (tmp_path / "recording").mkdir()
    return tmp_path / "recording"


def mode_of(found: Collected | Unavailable) -> str:
    return found.mode if isinstance(found, Collected) else "unavailable"


@pytest.mark.parametrize(
    ("mode", "npu", "app", "recorded", "outcome"),
    [
        ("auto", True, True, True, "run"),
        ("auto", True, True, False, "run"),
        ("auto", True, False, True, "replay"),
        ("auto", False, True, True, "replay"),
        ("auto", False, False, True, "replay"),
        ("auto", False, True, False, "unavailable"),
        ("run", True, True, True, "run"),
        ("run", False, True, True, "run"),
        ("replay", True, True, True, "replay"),
        ("replay", False, False, True, "replay"),
        ("off", True, True, True, "unavailable"),
    ],
)
@pytest.mark.usefixtures("standin")
def test_what_a_mode_means(
    tmp_path: Path,
    dev: Path,
    recording: Path,
    make_app: Callable[..., Path],
    mode: Mode,
    npu: bool,
    app: bool,
    recorded: bool,
    outcome: str,
) -> None:
    case = Case(
        "resnet50",
        mode=mode,
        app=(str(make_app()),) if app else (),
        recording=recording if recorded else None,
    )
    found = collect(case, tmp_path / "run", dev if npu else tmp_path / "nothing")
    assert mode_of(found) == outcome


def test_a_replay_probes_no_hardware(recording: Path) -> None:
    class Untouchable(type(recording)):  # type: ignore[misc]
        def iterdir(self) -> None:
            raise AssertionError("the hardware was probed")

    case = Case("resnet50", mode="replay", app=("./main",), recording=recording)
    assert mode_of(collect(case, recording / "run", Untouchable("/dev"))) == "replay"


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (Case("a", mode="run"), 'a: mode = "run" needs an app; write app = ["./main"]'),
        (
            Case("a", mode="replay", app=("x",)),
            'a: mode = "replay" needs a recording; write recording = "a"',
        ),
        (
            Case("a"),
            'a: neither an app nor a recording is named; write app = ["./main"] or recording = "a"',
        ),
        (
            Case("a", strict=True, recording=Path("recordings/a")),
            "a: --npuperf-strict replays nothing by itself; "
            'run it where there is an NPU, or say mode = "replay"',
        ),
    ],
)
def test_what_cannot_be_collected(tmp_path: Path, case: Case, problem: str) -> None:
    with pytest.raises(CollectError) as caught:
        collect(case, tmp_path, tmp_path)
    assert str(caught.value) == problem


def test_strict_allows_a_replay_that_is_asked_for(tmp_path: Path, recording: Path) -> None:
    case = Case("a", mode="replay", strict=True, recording=recording)
    assert mode_of(collect(case, tmp_path, tmp_path)) == "replay"


def test_unavailable_says_what_is_missing(tmp_path: Path) -> None:
    case = Case("a", app=("./main",))
    reason = f"no NPU was found ({tmp_path}/davinci*) and no recording is named"
    assert collect(case, tmp_path, tmp_path) == Unavailable(reason)
    off = Unavailable('mode = "off": nothing is collected')
    assert collect(replace(case, mode="off"), tmp_path, tmp_path) == off


def test_auto_with_an_npu_but_no_msprof_is_an_error(
    tmp_path: Path,
    dev: Path,
    recording: Path,
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    case = Case("resnet50", app=(str(make_app()),), recording=recording)
    with pytest.raises(CollectError) as caught:
        collect(case, tmp_path / "run", dev)
    assert str(caught.value) == (
        "msprof was not found on PATH; "
        'run "source /usr/local/Ascend/ascend-toolkit/set_env.sh" first, '
        "or name it in msprof.command"
    )
    assert not (tmp_path / "run").exists()
