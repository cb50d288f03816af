from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pytest_npuperf.collect import collect
from pytest_npuperf.collect.devices import find_npus, leased
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected

PIN = "ASCEND_RT_VISIBLE_DEVICES"


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_npus_are_numbered_nodes(tmp_path: Path) -> None:
    for name in ("davinci10", "davinci2", "davinci0", "davinci_manager", "davinci1x", "null"):
        (tmp_path / name).touch()
    assert find_npus(tmp_path) == (0, 2, 10)


def test_no_npu_and_no_folder(tmp_path: Path) -> None:
    assert find_npus(tmp_path) == ()
    assert find_npus(tmp_path / "nothing") == ()


@pytest.mark.parametrize(
    ("nodes", "allowed", "outer", "pinned"),
    [
        ((), None, None, {}),
        ((), [3], None, {}),
        ((0, 1), None, None, {PIN: "0"}),
        ((0, 1), [1], None, {PIN: "1"}),
        ((0, 1), [1, 7], None, {PIN: "1"}),
        ((0, 1, 2), None, "1,2", {PIN: "1"}),
        ((0, 1, 2), [0, 2], "1,2", {PIN: "2"}),
        # What follows a blank is not read by CANN.
        ((0, 1, 2), None, "2, 1", {PIN: "2"}),
        # A container that is given one node calls it 0.
        ((4,), None, None, {PIN: "0"}),
    ],
)
def test_the_child_is_pinned_to_the_first_that_is_free(
    nodes: Sequence[int], allowed: Sequence[int] | None, outer: str | None, pinned: dict[str, str]
) -> None:
    with leased(nodes, allowed, outer, None) as variables:
        assert variables == pinned


@pytest.mark.parametrize(
    ("allowed", "outer", "problem"),
    [
        (
            [4, 5],
            None,
            "devices: none of the NPUs that may be used (4, 5) is here; found 0, 1",
        ),
        ([], None, "devices: none of the NPUs that may be used (none) is here; found 0, 1"),
        (
            None,
            "",
            f"{PIN}: none of the NPUs that may be used (none) is here; found 0, 1",
        ),
        (
            [0],
            "1",
            f"{PIN}: none of the NPUs that may be used (1) is here; found 0, 1",
        ),
    ],
)
def test_none_that_may_be_used(
    allowed: Sequence[int] | None, outer: str | None, problem: str
) -> None:
    with pytest.raises(CollectError) as caught, leased((0, 1), allowed, outer, None):
        pass
    assert str(caught.value) == problem


def test_each_takes_another(locks: Path) -> None:
    with leased((4, 7), None, None, None) as first, leased((4, 7), None, None, None) as second:
        assert (first, second) == ({PIN: "0"}, {PIN: "1"})
    assert sorted(path.name for path in locks.glob("*.lock")) == [
        "npuperf-npu-4.lock",
        "npuperf-npu-7.lock",
    ]
    with leased((4, 7), None, None, None) as again:
        assert again == {PIN: "0"}


@pytest.mark.parametrize("own", [None, "0,1"])
def test_who_comes_late_waits(own: str | None) -> None:
    order: list[str] = []
    waiting = threading.Event()

    def late() -> None:
        waiting.set()
        with leased((0, 1), [0], None, own):
            order.append("late")

    thread = threading.Thread(target=late)
    with leased((0, 1), [0], None, None):
        thread.start()
        waiting.wait()
        thread.join(0.3)
        order.append("early")
    thread.join()
    assert order == ["early", "late"]


def test_a_case_that_names_npus_gets_all_of_them() -> None:
    with leased((0, 1, 2), [0], "0", "1,2,9") as variables:
        # What the case says goes to the child as it is.
        assert variables == {}
        with leased((0, 1, 2), None, None, None) as other:
            assert other == {PIN: "0"}


def test_the_lease_holds_between_processes(locks: Path) -> None:
    program = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from pytest_npuperf.collect.devices import leased\n"
        "with leased((0, 1), None, None, None) as pin: print(pin, flush=True); input()\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", program, str(locks)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=env, text=True, **pipes) as other:  # type: ignore[call-overload]
        assert other.stdout.readline() == "{'ASCEND_RT_VISIBLE_DEVICES': '0'}\n"
        with leased((0, 1), None, None, None) as pin:
            assert pin == {PIN: "1"}
        other.kill()
    # A lease ends with the process that held it.
    with leased((0, 1), None, None, None) as pin:
        assert pin == {PIN: "0"}


def test_a_lock_of_another_user_is_enough(locks: Path) -> None:
    (locks / "npuperf-npu-0.lock").touch(mode=0o444)
    with leased((0,), None, None, None) as pin:
        assert pin == {PIN: "0"}


def test_a_link_in_the_place_of_a_lock_is_not_followed(locks: Path) -> None:
    lock = locks / "npuperf-npu-0.lock"
    lock.symlink_to(locks / "precious")
    with pytest.raises(CollectError) as caught, leased((0,), None, None, None):
        pass
    assert str(caught.value) == (
        f"{lock}: the NPU cannot be leased: Too many levels of symbolic links"
    )


@pytest.mark.usefixtures("standin")
@pytest.mark.parametrize(
    ("env", "outer", "told"), [({}, None, "1"), ({}, "0,1", "1"), ({PIN: "0,1"}, None, "0,1")]
)
def test_the_app_sees_what_it_may_use(
    tmp_path: Path,
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    outer: str | None,
    told: str,
) -> None:
    for number in (0, 1):
        (tmp_path / f"davinci{number}").touch()
    if outer:
        monkeypatch.setenv(PIN, outer)
    app = make_app(f'echo "sees ${PIN}"')
    case = Case("a", app=(str(app),), env=env, devices=(1,), rounds=2)
    found = collect(case, tmp_path / "run", tmp_path)
    assert isinstance(found, Collected)
    for number in (1, 2):
        assert f"sees {told}\n" in (tmp_path / f"run/round_{number}.log").read_text()
