"""Two apps that are compared in one session run in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_npuperf.collect import collect, collect_more
from pytest_npuperf.collect.devices import VISIBLE
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected

MakeApp = Callable[..., Path]
NO_NPU = Path("/nonexistent")


@pytest.fixture
def case(tmp_path: Path, make_app: MakeApp) -> Case:
    """Return a case of two apps, which write down the order in which they run."""
    old = make_app(f'echo -n "$1" >> {tmp_path}/order')
    new = Case("new", (str(old), "A"), mode="run", rounds=3)
    return replace(new, against=Case("old", (str(old), "B"), mode="run"))


def collected(case: Case, folder: Path) -> Collected:
    found = collect(case, folder, NO_NPU)
    assert isinstance(found, Collected)
    return found


def numbered(folder: Path, last: int) -> tuple[Path, ...]:
    return tuple(folder / f"round_{number}" for number in range(1, last + 1))


@pytest.mark.usefixtures("standin")
def test_the_sides_take_turns_and_so_they_do_in_later_rounds(tmp_path: Path, case: Case) -> None:
    found = collected(case, tmp_path / "run")
    assert (tmp_path / "order").read_text() == "ABBAAB"
    assert found.rounds == numbered(tmp_path / "run", 3)
    assert found.against is not None
    assert found.against.against is None
    assert found.against.rounds == numbered(tmp_path / "run" / "against", 3)
    assert found.against.fingerprint == found.fingerprint != {}

    more = collect_more(case, tmp_path / "run", NO_NPU, found, 5)
    assert (tmp_path / "order").read_text() == "ABBAAB" + "BA" + "AB"
    assert more.rounds == numbered(tmp_path / "run", 5)
    assert more.against is not None
    assert more.against.rounds == numbered(tmp_path / "run" / "against", 5)
    for path in (*more.rounds, *more.against.rounds):
        assert list(path.glob("PROF_*"))


@pytest.mark.usefixtures("standin")
def test_both_programs_are_looked_for_before_anything_runs(tmp_path: Path, case: Case) -> None:
    wrong = replace(case, against=Case("old", ("./nowhere",), cwd=tmp_path))
    with pytest.raises(CollectError, match=r'^against: app: "\./nowhere" is not a file; '):
        collected(wrong, tmp_path / "run")
    assert not (tmp_path / "order").exists()


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize(("broken", "said"), [("A", ""), ("B", "against: ")])
def test_which_side_broke_off_is_told(
    tmp_path: Path, make_app: MakeApp, broken: str, said: str
) -> None:
    app = str(make_app(f'test "$1" != {broken}'))
    case = Case("new", (app, "A"), mode="run", against=Case("old", (app, "B"), mode="run"))
    with pytest.raises(CollectError) as caught:
        collected(case, tmp_path / "run")
    assert str(caught.value).startswith(f"{said}the app {app} ended with exit code 1; log: ")


@pytest.mark.usefixtures("standin")
def test_the_other_side_needs_an_app_where_this_one_is_run(tmp_path: Path, case: Case) -> None:
    with pytest.raises(CollectError) as caught:
        collected(replace(case, against=Case("old")), tmp_path / "run")
    assert str(caught.value) == "against: old has no app, and new is run; give it one"


@pytest.mark.parametrize("has_recording", [True, False])
def test_a_replay_replays_both_sides_where_both_have_a_recording(
    tmp_path: Path, has_recording: bool
) -> None:
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
    other = Case("old", recording=tmp_path / "old" if has_recording else None)
    found = collected(
        Case("new", recording=tmp_path / "new", mode="replay", against=other), tmp_path / "run"
    )
    assert found.rounds == (tmp_path / "new",)
    against = found.against and found.against.rounds
    assert against == ((tmp_path / "old",) if has_recording else None)


@pytest.mark.usefixtures("standin")
def test_both_sides_and_later_rounds_run_on_the_same_npu(
    tmp_path: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dev = tmp_path / "dev"
    dev.mkdir()
    for number in (0, 1):
        (dev / f"davinci{number}").touch()
    app = (str(make_app(f'echo -n "$ASCEND_RT_VISIBLE_DEVICES " >> {tmp_path}/npus')),)
    other = Case("old", app, env={VISIBLE: "0"})
    case = Case("new", app, mode="run", against=other, devices=(1,))

    found = collect(case, tmp_path / "run", dev)
    assert isinstance(found, Collected)
    # By then the first one is free, and would be taken by who may take any.
    more = collect_more(replace(case, devices=None), tmp_path / "run", dev, found, 2)
    assert (tmp_path / "npus").read_text() == "1 " * 4
    assert more.npu == 1

    own = replace(case, env={VISIBLE: "0"}, against=replace(other, env={}))
    assert isinstance(collect(own, tmp_path / "own", dev), Collected)
    assert (tmp_path / "npus").read_text() == "1 " * 4 + "0 " * 2
