"""The command line: arguments, exit statuses, and one line where something is wrong."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from pytest_npuperf.commands import show
from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.subcommands.show import BY

if TYPE_CHECKING:
    from tests.commands.conftest import Run

SCRIPT = Path(sys.executable).with_name("npuperf")
EMPTY = "the path is empty; write . for the current folder"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["show"], "the following arguments are required: PROFILE"),
        (["show", "p", "q"], "unrecognized arguments: q"),
        (["show", "p", "--top", "0"], "argument --top: '0' is not a whole number from 1 on"),
        (["show", "p", "--top", "-1"], "argument --top: '-1' is not a whole number from 1 on"),
        (["show", "p", "--top", "x\n"], r"argument --top: 'x\n' is not a whole number from 1 on"),
        (["show", "p", "--top", "²"], "argument --top: '²' is not a whole number from 1 on"),
        (["show", "p", "--top"], "argument --top: expected one argument"),
        (["show", ""], f"argument PROFILE: {EMPTY}"),
        (["diff", "", "p"], f"argument A: {EMPTY}"),
        (["diff", "p", ""], f"argument B: {EMPTY}"),
        (["init", "p", ""], f"argument PROFILE: {EMPTY}"),
        (["init", "p", "--config", ""], f"argument --config: {EMPTY}"),
        (["accept", "", "--case", "c", "--reason", "r"], f"argument RESULT: {EMPTY}"),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(args)
    out, err = capsys.readouterr()
    assert exit_.value.code == 4
    assert out == ""
    assert err.startswith("usage: npuperf")
    assert err.splitlines()[-1] == f"npuperf: {message}"


@pytest.mark.parametrize("args", [["nonsense"], ["show", "p", "--by", "nonsense"]])
def test_what_is_no_choice_is_wrong_usage(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(args)
    assert exit_.value.code == 4
    # How the choices are written differs by Python.
    assert capsys.readouterr().err.splitlines()[-1].startswith("npuperf: argument ")


def test_the_choices_of_by_are_those_that_are_read() -> None:
    assert tuple(show.BY) == BY


def test_what_is_not_there_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no\x1b[31m\nwhere"
    assert main(["show", str(path)]) == 1
    reason = rf"npuperf: {tmp_path}/no\x1b[31m\nwhere: there is no such profile"
    assert capsys.readouterr() == ("", f"{reason}\n")


def test_nothing_is_printed_of_a_profile_that_cannot_be_trusted(
    profile: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = profile.rglob("api_statistic_*.csv")
    path.write_text(path.read_text(encoding="utf-8") + "host,acl\n", encoding="utf-8")
    assert main(["show", str(profile)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"npuperf: {path}:5: the row has 2 of 9 cells; "
        "the file is cut or damaged, export it again\n"
    )
    assert main(["show", str(profile), "--by", "type"]) == 0


def fail(*_: object) -> NoReturn:
    raise KeyError("column\n")


def interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_a_fault_of_our_own_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show, "look_at", fail)
    assert main(["show", "p"]) == 1
    reason = r"npuperf: a fault of npuperf itself, please report it: KeyError('column\n')"
    assert capsys.readouterr() == ("", f"{reason}\n")


def test_ctrl_c_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show, "look_at", interrupt)
    assert main(["show", "p"]) == 130
    assert capsys.readouterr() == ("", "")


# --- the real program -------------------------------------------------------------------------


# What measures coverage is there before, and needs sqlite3 for itself.
HELP = """
import sys
before = set(sys.modules)
from pytest_npuperf.commands.cli import main
for command in ([], ["show"], ["init"], ["diff"], ["accept"], ["doctor"], ["schema"]):
    try:
        main([*command, "--help"])
    except SystemExit as err:
        assert err.code == 0
heavy = {"pandas", "numpy", "rich", "jsonschema", "sqlite3", "pytest"}
print(sorted(heavy & set(sys.modules) - before))
"""


def test_help_waits_for_nothing_heavy() -> None:
    result = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True)
    usages = re.findall(r"^usage: (npuperf.*?) \[-h\]", result.stdout, re.MULTILINE)
    names = ("show", "init", "diff", "accept", "doctor", "schema")
    assert usages == ["npuperf", *(f"npuperf {name}" for name in names)]
    assert result.stdout.splitlines()[-1] == "[]", result.stderr


def test_a_pipe_gets_plain_text_and_json_one_document(npuperf: Run, profile: Path) -> None:
    text = npuperf("show", profile, "--by", "core")
    assert (text.returncode, text.stderr) == (0, "")
    assert text.stdout == (
        "cores by total time\n"
        "core            count    total   share     mean      max\n"
        "AI_CORE             2  8.00 us  80.0 %  4.00 us  5.00 us\n"
        "AI_VECTOR_CORE      2  2.00 us  20.0 %  1.00 us  1.00 us\n"
        "HCCL                1  2.00 us       -  2.00 us  2.00 us\n"
    )
    document = npuperf("show", profile, "--json")
    assert (document.returncode, document.stderr) == (0, "")
    assert json.loads(document.stdout) == show.as_json(show.look_at(profile, 10, None))


def test_a_closed_pipe_is_quiet(profile: Path) -> None:
    with subprocess.Popen(
        [SCRIPT, "show", profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_one_line(profile: Path) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [SCRIPT, "show", profile], stdout=full, stderr=subprocess.PIPE, text=True
        )
    reason = "npuperf: the output cannot be written: No space left on device\n"
    assert (result.returncode, result.stderr) == (1, reason)


def test_a_character_that_the_terminal_lacks_is_escaped(npuperf: Run, tmp_path: Path) -> None:
    path = tmp_path / "api_statistic.csv"
    header = "Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance"
    path.write_text(f"{header}\nacl,加法,1,1,1,1,1,0\n", encoding="utf-8")
    result = npuperf("show", path, "--by", "api", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert r"acl    \u52a0\u6cd5" in result.stdout


def in_terminal(args: list[str | Path], env: dict[str, str]) -> tuple[int, str]:
    """Run the command in a pseudo-terminal; return its exit status and what it wrote."""
    terminal, end = pty.openpty()
    with subprocess.Popen([SCRIPT, *args], env={**os.environ, **env}, stdout=end) as process:
        os.close(end)
        written = b"".join(iter(lambda: read(terminal), b""))
    os.close(terminal)
    return process.returncode, written.decode().replace("\r\n", "\n")


def read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.parametrize(
    ("env", "is_coloured"),
    [
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb", "NO_COLOR": ""}, False),
    ],
)
def test_a_terminal_gets_tables_with_colours_unless_it_is_simple(
    profile: Path, env: dict[str, str], is_coloured: bool
) -> None:
    args: list[str | Path] = ["show", profile, "--by", "core"]
    status, written = in_terminal(args, {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **env})
    assert status == 0
    assert ("\x1b[" in written) is is_coloured
    assert ("────" in written) is is_coloured
    assert "AI_VECTOR_CORE" in re.sub(r"\x1b\[[0-9;]*m", "", written)


def test_ctrl_c_ends_the_program_without_a_word(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys, pytest_npuperf.commands.show as show\n"
        "show.look_at = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "from pytest_npuperf.commands.cli import main\n"
        "sys.exit(main(['show', 'p']))"
    )
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")
