from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import pytest_npuperf
from pytest_npuperf.collect import collect
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected, Msprof

MakeApp = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("standin")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def run(case: Case, folder: Path) -> Collected:
    found = collect(replace(case, mode="run"), folder, Path("/nonexistent"))
    assert isinstance(found, Collected)
    return found


def refusal(case: Case, folder: Path) -> str:
    with pytest.raises(CollectError) as caught:
        run(case, folder)
    return str(caught.value)


def first_line(case: Case, folder: Path) -> str:
    """Return the message without the log, which every failure of a run ends with."""
    line, _, log = refusal(case, folder).partition("\n")
    head, _, path = line.rpartition("; log: ")
    assert path == str(folder / "round_1.log")
    assert all(row.startswith("    ") for row in log.splitlines())
    assert 1 <= len(log.splitlines()) <= 10
    return head


def test_a_profile_with_the_numbers_of_the_app(
    tmp_path: Path, folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = {"steps": 2, "ops": [["Conv2D", "AI_CORE", [50.1, 50.2]], ["Add", "AI_CPU", [1]]]}
    (tmp_path / "numbers.json").write_text(json.dumps(numbers))
    monkeypatch.setenv("STANDIN_PROFILE", str(tmp_path / "numbers.json"))
    found = run(Case("a", app=(str(make_app()),)), folder)
    assert (found.mode, found.rounds, found.recorded) == ("run", (folder / "round_1",), "")
    assert "running\n" in (folder / "round_1.log").read_text()
    (profile,) = (folder / "round_1").iterdir()
    (table,) = profile.glob("mindstudio_profiler_output/op_statistic_*.csv")
    assert table.read_text().splitlines()[1:] == [
        "0,Conv2D,AI_CORE,2,100.3,50.1,50.15,50.2,99.013",
        "0,Add,AI_CPU,1,1,1,1,1,0.987",
    ]


def test_every_round_has_a_folder_and_a_log_of_its_own(folder: Path, make_app: MakeApp) -> None:
    found = run(Case("a", app=(str(make_app()),), rounds=3), folder)
    assert found.rounds == tuple(folder / f"round_{number}" for number in (1, 2, 3))
    assert (folder / "round_3.log").is_file()
    for path in found.rounds:
        assert len(list(path.glob("PROF_*"))) == 1
        assert path.with_suffix(".log").read_text().count("running\n") == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("DOTS", "1"), ("NAMES", "old"), ("PROCESSES", "2"), ("EXPORT", "late")],
)
def test_what_differs_between_releases_and_is_fine(
    folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"STANDIN_{name}", value)
    run(Case("a", app=(str(make_app()),)), folder)
    profiles = list(folder.glob("round_1/PROF_*/mindstudio_profiler_output/op_summary_*.csv"))
    assert len(profiles) == (2 if name == "PROCESSES" else 1)


def test_the_app_gets_its_arguments_its_place_and_its_variables(
    tmp_path: Path, folder: Path, make_app: MakeApp
) -> None:
    app = make_app('echo "$0|$*|$COLOUR|$(pwd)"; cat')
    case = Case("a", app=("./main", "x.om", "-n", "3"), cwd=app.parent, env={"COLOUR": "red"})
    run(case, folder)
    assert f"{app}|x.om -n 3|red|{app.parent}\n" in (folder / "round_1.log").read_text()


def test_options_are_given_with_an_equals_sign(folder: Path, make_app: MakeApp) -> None:
    options = {"aic-metrics": "Memory", "task-time": "l1"}
    found = run(Case("a", app=(str(make_app()),), msprof=Msprof(options=options)), folder)
    given = {key: value for key, value in found.fingerprint.items() if key.startswith("msprof.")}
    assert given == {"msprof.aic-metrics": "Memory", "msprof.task-time": "l1"}
    wrong = Case("a", app=(str(make_app()),), msprof=Msprof(options={"aic-metrics": "Memori"}))
    message = refusal(wrong, folder / "wrong")
    assert message.splitlines()[0] == (
        "msprof wrote no PROF_* directory (exit status 255); does the app use an NPU, "
        f"and is there an [ERROR] in the log?; log: {folder}/wrong/round_1.log"
    )
    assert message.splitlines()[1].startswith(
        "    [ERROR] Argument --aic-metrics: invalid value Memori"
    )


@pytest.mark.parametrize("name", ["output", "application", "export"])
def test_options_that_are_ours(folder: Path, make_app: MakeApp, name: str) -> None:
    case = Case("a", app=(str(make_app()),), msprof=Msprof(options={name: "x"}))
    assert refusal(case, folder) == (
        f"msprof.options: {name} is for pytest-npuperf to set; leave it out"
    )


# --- the two forms of the command -----------------------------------------------------------------


@pytest.mark.parametrize("blank", ["a b", "a\tb", " "])
def test_an_argument_with_a_blank_takes_the_form_without_application(
    folder: Path, make_app: MakeApp, blank: str
) -> None:
    run(Case("a", app=(str(make_app('echo "$#|$1|"')), blank)), folder)
    assert f"1|{blank}|\n" in (folder / "round_1.log").read_text()


def test_python_with_an_option_takes_the_form_without_application(
    tmp_path: Path, folder: Path
) -> None:
    run(Case("a", app=(sys.executable, "-c", "print(6*7)"), cwd=tmp_path), folder)
    assert "42\n" in (folder / "round_1.log").read_text()


def test_python_with_a_script_takes_application(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_POSITIONAL", "0")
    (tmp_path / "tool.py").write_text("import os, sys; print(sys.argv, os.getcwd())")
    run(Case("a", app=(sys.executable, "tool.py", "x"), cwd=tmp_path), folder)
    assert f"['{tmp_path}/tool.py', 'x'] {tmp_path}\n" in (folder / "round_1.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("main", "a b"),
            'app: "a b" holds a blank, and this msprof splits the command at blanks',
        ),
        (
            ("sh", "-c", "exit"),
            'app: this msprof wants a script after sh, found "-c"',
        ),
        (("sh",), "app: this msprof wants a script after sh, found nothing"),
    ],
)
def test_an_old_msprof_cannot_carry_everything(
    folder: Path,
    make_app: MakeApp,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    problem: str,
) -> None:
    monkeypatch.setenv("STANDIN_POSITIONAL", "0")
    monkeypatch.setenv("PATH", f"{make_app().parent}{os.pathsep}{os.environ['PATH']}")
    message = refusal(Case("a", app=arguments), folder)
    assert message == f"{problem}; put the command into a script, and name that"


def test_an_empty_argument_is_refused_in_both_forms(folder: Path, make_app: MakeApp) -> None:
    assert refusal(Case("a", app=(str(make_app()), "")), folder) == (
        "app: an empty argument is dropped by msprof; put the command into a script, and name that"
    )


def test_a_msprof_that_cannot_help_knows_no_other_form(
    tmp_path: Path, folder: Path, make_app: MakeApp
) -> None:
    msprof = tmp_path / "msprof"
    msprof.write_bytes(b"\x7fELF, but broken")
    msprof.chmod(0o755)
    case = Case("a", app=(str(make_app()), "a b"), msprof=Msprof(command=str(msprof)))
    assert "this msprof splits the command at blanks" in refusal(case, folder)


@pytest.mark.parametrize("refused", ["'", "&", "a;b", "$x", "%"])
def test_a_path_that_msprof_refuses(tmp_path: Path, make_app: MakeApp, refused: str) -> None:
    folder = tmp_path / refused
    match = next(character for character in refused if not character.isalnum())
    assert refusal(Case("a", app=(str(make_app()),)), folder) == (
        f"{str(folder / 'round_1')!r}: msprof refuses {match!r} in the path of its output; "
        "choose another output folder"
    )


@pytest.mark.parametrize(("length", "fits"), [(1024, True), (1025, False)])
def test_how_long_the_path_may_be(
    tmp_path: Path, make_app: MakeApp, length: int, fits: bool
) -> None:
    rest = length - len(str(tmp_path)) - len("/round_1")
    folder = tmp_path
    while rest:
        part = min(rest, 101) if rest != 102 else 100
        folder, rest = folder / ("x" * (part - 1)), rest - part
    assert len(str(folder / "round_1")) == length
    case = Case("a", app=(str(make_app()),))
    if fits:
        run(case, folder)
    else:
        assert refusal(case, folder).endswith(
            ": is longer than the 1024 characters that msprof takes; choose another output folder"
        )


# --- what cannot be started ---------------------------------------------------------------------


def test_msprof_is_found_by_its_path(
    folder: Path, standin: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin:/bin")
    run(Case("a", app=(str(make_app()),), msprof=Msprof(command=str(standin))), folder)


def test_msprof_is_not_there_or_not_executable(
    tmp_path: Path, folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = (str(make_app()),)
    case = Case("a", app=app, msprof=Msprof(command="/opt/msprof"))
    assert refusal(case, folder) == (
        '/opt/msprof was not found; run "source /usr/local/Ascend/ascend-toolkit/set_env.sh" '
        "first, or name it in msprof.command"
    )
    (tmp_path / "msprof").touch(mode=0o644)
    problem = f"{tmp_path}/msprof is not executable; run chmod +x {tmp_path}/msprof"
    case = Case("a", app=app, msprof=Msprof(command=str(tmp_path / "msprof")))
    assert refusal(case, folder) == problem
    monkeypatch.setenv("PATH", f"/usr/bin:{tmp_path}")
    assert refusal(Case("a", app=app), folder) == problem


def test_msprof_that_is_no_program(tmp_path: Path, folder: Path, make_app: MakeApp) -> None:
    msprof = tmp_path / "msprof"
    msprof.write_bytes(b"\x7fELF, but broken")
    msprof.chmod(0o755)
    case = Case("a", app=(str(make_app()),), msprof=Msprof(command=str(msprof)))
    assert refusal(case, folder) == f"{msprof}: Exec format error"


def test_the_app_is_not_there_or_not_executable(tmp_path: Path, folder: Path) -> None:
    assert refusal(Case("a", app=("./out/main",), cwd=tmp_path), folder) == (
        f'app: "./out/main" is not a file; looked for {tmp_path}/out/main, from cwd {tmp_path}'
    )
    (tmp_path / "main").touch(mode=0o644)
    assert refusal(Case("a", app=("./main",), cwd=tmp_path), folder) == (
        f'app: "./main" is not executable; run chmod +x {tmp_path}/main'
    )
    assert refusal(Case("a", app=("main-of-nobody",), cwd=tmp_path), folder) == (
        'app: "main-of-nobody" is not a program on PATH; for a file write "./main-of-nobody"'
    )


def test_what_no_program_can_be_given(folder: Path, make_app: MakeApp) -> None:
    assert refusal(Case("a", app=(str(make_app()), "a\0b")), folder) == (
        "app or env: cannot be given to a program: embedded null byte"
    )


def test_a_folder_that_is_not_fresh(folder: Path, make_app: MakeApp) -> None:
    (folder / "round_1").mkdir(parents=True)
    message = refusal(Case("a", app=(str(make_app()),)), folder)
    assert message == f"{folder}/round_1: File exists"


def test_a_working_directory_that_is_not_there(
    tmp_path: Path, folder: Path, make_app: MakeApp
) -> None:
    message = refusal(Case("a", app=(str(make_app()),), cwd=tmp_path / "no"), folder)
    assert message == f"cwd: {tmp_path}/no: there is no such folder"


def test_a_path_that_the_case_sets_is_named(folder: Path, make_app: MakeApp) -> None:
    case = Case("a", app=(str(make_app()),), env={"PATH": ""})
    assert refusal(case, folder) == (
        'msprof was not found on the PATH that env sets (""); '
        "leave PATH out of env, or name it in msprof.command"
    )
    case = Case("a", app=("main",), collector="app", env={"PATH": "/nowhere"})
    assert refusal(case, folder) == (
        'app: "main" is not a program on the PATH that env sets ("/nowhere"); '
        'for a file write "./main"'
    )
    # For a path, PATH does not matter.
    case = Case("a", app=("main",), msprof=Msprof(command="/opt/msprof"), env={"PATH": "/nowhere"})
    assert refusal(case, folder) == (
        '/opt/msprof was not found; run "source /usr/local/Ascend/ascend-toolkit/set_env.sh" '
        "first, or name it in msprof.command"
    )


# --- what goes wrong ----------------------------------------------------------------------------


def test_the_app_failed_although_msprof_says_nothing(folder: Path, make_app: MakeApp) -> None:
    case = Case("a", app=(str(make_app("exit 3")),))
    assert first_line(case, folder) == f"the app {case.app[0]} ended with exit code 3"
    # The files are there: they are not believed.
    assert list(folder.glob("round_1/PROF_*/mindstudio_profiler_output/op_summary_*.csv"))


def test_the_app_is_ended_by_a_signal(folder: Path, make_app: MakeApp) -> None:
    case = Case("a", app=(str(make_app("kill -KILL $$")),))
    assert first_line(case, folder) == f"the app {case.app[0]} was ended by SIGKILL"


def test_nothing_was_written(
    folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_PROCESSES", "0")
    assert first_line(Case("a", app=(str(make_app()),)), folder) == (
        "msprof wrote no PROF_* directory (exit status 255); does the app use an NPU, "
        "and is there an [ERROR] in the log?"
    )


def test_the_export_fails_twice(
    folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_EXPORT", "fail")
    line = first_line(Case("a", app=(str(make_app()),)), folder)
    (profile,) = folder.glob("round_1/PROF_*")
    assert line == (
        f"{profile}: msprof recorded data, but exported no tables, nor with --export=on"
    )
    log = (folder / "round_1.log").read_text()
    assert log.count(f"Export data in {profile.name} failed.") == 2


def test_the_log_says_that_the_disk_is_full(
    folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_SAY", "[ERROR] write failed: No space left on device")
    line = first_line(Case("a", app=(str(make_app()),)), folder)
    assert line == f"{folder}/round_1: the disk is full; free some space"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_the_disk_is_full(small_disk: Path, make_app: MakeApp) -> None:
    folder = small_disk / "run"
    app = make_app("head -c 1000000 /dev/zero | tr '\\0' 'x'")
    message = refusal(Case("a", app=(str(app),)), folder)
    assert message.splitlines()[0] == (
        f"{folder}/round_1: the disk is full; free some space; log: {folder}/round_1.log"
    )
    assert message.splitlines()[-1] == f"    {'x' * 200}..."


def test_msprof_is_killed(
    folder: Path, standin: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_SIGNAL", str(int(signal.SIGKILL)))
    line = first_line(Case("a", app=(str(make_app()),)), folder)
    assert line == f"msprof ({standin}) was ended by SIGKILL"


SLEEPER = """
echo $$ > "$PIDS/app.pid"
setsid sh -c 'echo $$ > "$PIDS/session.pid"; exec sleep 1000' &
"""
DEAF = """
(trap '' INT TERM; sh -c 'echo $$ > "$PIDS/deaf.pid"; exec sleep 1000') &
"""


@pytest.mark.parametrize("hang", ["", "deaf"])
def test_a_timeout_ends_all_and_keeps_what_there_is(
    tmp_path: Path,
    folder: Path,
    make_app: MakeApp,
    wait_for_pid: Callable[[Path], int],
    is_running: Callable[[int], bool],
    monkeypatch: pytest.MonkeyPatch,
    hang: str,
) -> None:
    monkeypatch.setenv("STANDIN_HANG", hang)
    for name in ("INTERRUPT_S", "TERMINATE_S"):
        monkeypatch.setattr(f"pytest_npuperf.collect.process.{name}", 1)
    case = Case(
        "a",
        app=(str(make_app(SLEEPER + DEAF + "sleep 1000")),),
        env={"PIDS": str(tmp_path)},
        msprof=Msprof(timeout_s=Fraction(5)),
    )
    assert first_line(case, folder) == (
        f"the app {case.app[0]} under msprof did not end within 5 s and was stopped; "
        f"raise msprof.timeout, or see why it hangs; partial data is kept in {folder}/round_1"
    )
    assert list(folder.glob("round_1/PROF_*/device_0/data/*"))
    for name in ("app", "session", "deaf"):
        assert not is_running(wait_for_pid(tmp_path / f"{name}.pid"))
    interrupted = "Receive stop signal." in (folder / "round_1.log").read_text()
    assert interrupted == (hang == "")


def test_an_export_that_hangs(
    tmp_path: Path, folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    msprof = tmp_path / "msprof"
    msprof.write_text(
        '#!/bin/sh\ncase "$1" in\n--export*) exec sleep 1000;;\nesac\nmkdir "${1#*=}/PROF_1"\n'
    )
    msprof.chmod(0o755)
    case = Case(
        "a", app=(str(make_app()),), msprof=Msprof(command=str(msprof), timeout_s=Fraction(1, 2))
    )
    message = refusal(case, folder)
    assert message == (
        "msprof --export=on did not end within 0.5 s and was stopped; raise msprof.timeout, "
        f"or see why it hangs; partial data is kept in {folder}/round_1/PROF_1; "
        f"log: {folder}/round_1.log"
    )


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[3])
from pathlib import Path
from pytest_npuperf.collect import collect, process
from pytest_npuperf.model import Case
process.TERMINATE_S = 1
try:
    collect(Case("a", app=(sys.argv[1],), mode="run"), Path(sys.argv[2]), Path("/nonexistent"))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(42)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("hang", "strokes"), [("", 1), ("deaf", 2)])
def test_ctrl_c_and_a_cancelled_job_leave_nothing_running(
    tmp_path: Path,
    folder: Path,
    make_app: MakeApp,
    wait_for_pid: Callable[[Path], int],
    is_running: Callable[[int], bool],
    monkeypatch: pytest.MonkeyPatch,
    hang: str,
    strokes: int,
    number: signal.Signals,
) -> None:
    monkeypatch.setenv("STANDIN_HANG", hang)
    monkeypatch.setenv("PIDS", str(tmp_path))
    sleep = "while true; do sleep 1000; done"
    asked = "trap 'touch \"$PIDS/asked\"' INT\n"
    app = make_app(asked + SLEEPER + DEAF + sleep if hang else SLEEPER + "sleep 1000")
    # Not by PYTHONPATH: the stand-in may be run by another Python.
    package = Path(pytest_npuperf.__file__).parent.parent
    command = [sys.executable, "-c", PROGRAM, str(app), str(folder), str(package)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as program:
        names = ("app", "session", "deaf") if hang else ("app", "session")
        pids = [wait_for_pid(tmp_path / f"{name}.pid") for name in names]
        program.send_signal(number)
        if strokes == 2:
            # The first Ctrl-C has been passed on and is not obeyed; the second cuts it short.
            _wait_until((tmp_path / "asked").exists)
            program.send_signal(number)
        told, _ = program.communicate(timeout=60)
    assert (told, program.returncode) == (b"interrupted\n", 42)
    assert not [pid for pid in pids if is_running(pid)]


def _wait_until(reached: Callable[[], bool]) -> None:
    for _ in range(6000):
        if reached():
            return
        signal.sigtimedwait([], 0.01)
    raise AssertionError("it never came to that")
