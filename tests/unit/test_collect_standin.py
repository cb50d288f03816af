"""The stand-in for msprof behaves as the facts about the real one say."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Told = subprocess.CompletedProcess[str]


@pytest.fixture
def msprof(standin: Path, tmp_path: Path) -> Callable[..., Told]:
    def start(*arguments: str) -> Told:
        return subprocess.run(
            [standin, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return start


@pytest.mark.parametrize("dot", ["", "."])
def test_the_order_of_its_messages(
    tmp_path: Path,
    msprof: Callable[..., Told],
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    dot: str,
) -> None:
    monkeypatch.setenv("STANDIN_DOTS", "1" if dot else "")
    told = msprof(f"--output={tmp_path}/out", f"--application={make_app()}")
    (profile,) = (tmp_path / "out").iterdir()
    name = f"{profile.name}{dot}"
    assert told.stdout.splitlines() == [
        "[INFO] Start profiling....",
        "running",
        f"[INFO] Start export data in {name}.",
        f"[INFO] Export all data in {name} done.",
        f"[INFO] Start query data in {name}.",
        "Job Info\tDevice ID\tDir Name\tCollection Time\tModel ID\tIteration Number",
        f"[INFO] Query all data in {name} done.",
        "[INFO] Profiling finished.",
        f"[INFO] Process profiling data complete. Data is saved in {profile}{dot}",
    ]
    assert (told.stderr, told.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        ("new", r"PROF_000001_[0-9]{17}_[0-9]{8}[A-R]{8}"),
        ("old", r"PROF_000001_[0-9]{17}_[A-R]{16}"),
    ],
)
def test_how_it_names_a_profile(
    tmp_path: Path,
    msprof: Callable[..., Told],
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    names: str,
    pattern: str,
) -> None:
    monkeypatch.setenv("STANDIN_NAMES", names)
    msprof(f"--output={tmp_path}/out", str(make_app("echo $$ > ../app/pid")))
    (profile,) = (tmp_path / "out").iterdir()
    assert re.fullmatch(pattern, profile.name)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "[ERROR] msprof needs input parameter."),
        (["--nonsense=1"], "[ERROR] Argument --nonsense: is not known."),
        (["--output=a;b", "app"], "[ERROR] Argument --output a;b contains an invalid character."),
        (["--output=" + "x" * 1025, "app"], "[ERROR] Argument --output is longer than 1024."),
        (
            ["--output=o", "--l2=yes", "app"],
            "[ERROR] Argument --l2: invalid value yes, it may be on off.",
        ),
        # A flag without a value takes the app for it.
        (
            ["--output=o", "--l2", "app"],
            "[ERROR] Argument --l2: invalid value app, it may be on off.",
        ),
        (["--output=o", "--l2"], "[ERROR] Argument --l2: expected one argument"),
        (["--output=o"], "[ERROR] No app."),
        (["--output=o", "--application=python3"], "[ERROR] Script params are invalid"),
        (["--output=o", "--application=python3 -c 1"], "[ERROR] Script params are invalid"),
        (
            ["--export=on", "--output=nothing"],
            "[ERROR] Argument --output nothing is not a directory.",
        ),
        (["--output=o", "./nothing"], "[INFO] Start profiling...."),
    ],
)
def test_what_it_refuses(msprof: Callable[..., Told], arguments: list[str], line: str) -> None:
    told = msprof(*arguments)
    assert (told.stdout.splitlines()[0], told.returncode) == (line, 255)


def test_apps_that_it_does_not_take(
    tmp_path: Path, msprof: Callable[..., Told], make_app: Callable[..., Path]
) -> None:
    app = make_app()
    (tmp_path / "link").symlink_to(app)
    (tmp_path / "plain").touch()
    make_app(name="open").chmod(0o777)
    for name, reason in (
        ("link", "is a soft link."),
        ("nothing", "does not exist."),
        ("plain", "cannot be executed."),
        ("app", "cannot be executed."),
        ("app/open", "can be written by others."),
        ("ma+in", "is invalid."),
    ):
        told = msprof("--output=o", f"--application=./{name}")
        assert told.returncode == 255
        assert told.stdout.rstrip().endswith(reason)


def test_it_changes_into_the_directory_of_the_app(
    tmp_path: Path, msprof: Callable[..., Told], make_app: Callable[..., Path]
) -> None:
    (tmp_path / "model.om").touch()
    make_app('echo "$(pwd) $*"')
    told = msprof("--output=o", "--application=app/main model.om other.om a  b")
    assert f"\n{tmp_path}/app {tmp_path}/model.om other.om a b\n" in told.stdout
    (tmp_path / "tool.py").write_text("import os, sys; print(os.getcwd(), *sys.argv[1:])")
    told = msprof("--output=o", "--application=python3 tool.py model.om")
    assert f"\n{tmp_path} model.om\n" in told.stdout


def test_the_status_of_the_app_is_not_passed_on(
    msprof: Callable[..., Told], make_app: Callable[..., Path]
) -> None:
    told = msprof("--output=o", str(make_app("exit 3")))
    assert told.returncode == 0
    assert (
        "[WARNING] The specified program cannot exit normally, exitCode:3. "
        "Please check your code or make sure that the operation is valid.\n"
    ) in told.stdout


def test_the_app_that_is_named_twice(
    msprof: Callable[..., Told], make_app: Callable[..., Path]
) -> None:
    first, second = make_app("echo first"), make_app("echo second", "second")
    told = msprof("--output=o", f"--application={first}", str(second))
    assert "[WARNING] --application is given" in told.stdout
    assert "\nfirst\n" in told.stdout
    assert "\nsecond\n" not in told.stdout


@pytest.mark.parametrize("knows", [True, False])
def test_only_its_help_says_whether_it_takes_an_app_without_application(
    msprof: Callable[..., Told],
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    knows: bool,
) -> None:
    monkeypatch.setenv("STANDIN_POSITIONAL", "1" if knows else "0")
    assert ("<app>" in msprof("--help").stdout) is knows
    assert msprof("--output=o", str(make_app())).returncode == (0 if knows else 255)


def test_an_export_that_failed_can_be_made_up_for(
    tmp_path: Path,
    msprof: Callable[..., Told],
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STANDIN_EXPORT", "late")
    assert msprof("--output=out", str(make_app())).returncode == 0
    (profile,) = (tmp_path / "out").iterdir()
    assert not (profile / "mindstudio_profiler_output").exists()
    # The parent of several, or one.
    for target in ("out", str(profile)):
        assert msprof("--export=on", f"--output={target}").returncode == 0
        assert len(list(profile.glob("mindstudio_profiler_output/op_summary_*.csv"))) >= 1
    monkeypatch.setenv("STANDIN_EXPORT", "fail")
    told = msprof("--export=on", f"--output={profile}")
    assert (told.stdout, told.returncode) == (
        f"[ERROR] Export data in {profile.name} failed.\n",
        0,
    )


@pytest.mark.parametrize("steps", [0, 2])
def test_the_tables_agree(
    tmp_path: Path,
    msprof: Callable[..., Told],
    make_app: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    steps: int,
) -> None:
    ops = [["Conv2D", "AI_CORE", [50.1, 50.2]], ["Cast", "AI_CPU", [10, 0.001]]]
    (tmp_path / "numbers").write_text(json.dumps({"steps": steps, "ops": ops}))
    monkeypatch.setenv("STANDIN_PROFILE", str(tmp_path / "numbers"))
    msprof("--output=out", str(make_app()))
    folder = next(tmp_path.glob("out/PROF_*/mindstudio_profiler_output"))
    tables = {
        path.name[:-19]: list(csv.DictReader(path.read_text().splitlines()))
        for path in folder.glob("*.csv")
    }
    assert set(tables) == {"op_summary", "op_statistic", "task_time", "api_statistic"} | (
        {"step_trace"} if steps else set()
    )
    assert len({path.name[-18:] for path in folder.glob("*.csv")}) == 2
    rows = tables["op_summary"]
    assert [row["Task Duration(us)"] for row in rows if row["OP Type"] == "Cast"] == [
        "10.000",
        "0.001",
    ]
    assert all(None not in row and None not in row.values() for row in rows)
    assert all(row["Task Start Time(us)"].endswith("\t") for row in rows)
    assert rows[0]["Input Shapes"] == '"1,64,56,56;64,64,3,3"'
    assert [row["Task Duration(us)"] for row in rows] == [
        row["task_time(us)"] for row in tables["task_time"]
    ]
    assert [tuple(row.values())[1:8] for row in tables["op_statistic"]] == [
        ("Conv2D", "AI_CORE", "2", "100.3", "50.1", "50.15", "50.2"),
        ("Cast", "AI_CPU", "2", "10.001", "0.001", "5", "10"),
    ]
    if steps:
        # A step is 50.1 us, a gap of 1 us and 10 us.
        times = [row["Iteration Time(us)"] for row in tables["step_trace"]]
        assert times == ["61.100", "51.201"]


def test_it_needs_nothing_but_python(standin: Path) -> None:
    program = (
        "import runpy, sys; sys.argv = ['msprof', '--help']; "
        f"runpy.run_path({str(standin)!r}, run_name='__main__')"
    )
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, check=False
    )
    assert (told.stderr, told.returncode) == (b"", 0)
