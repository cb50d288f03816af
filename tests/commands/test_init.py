"""``npuperf init``: what budget is printed, that it holds, and how it gets into a file."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from first_budgets import case_of, judged, tightened
from hypothesis import given
from hypothesis import strategies as st
from profile_tables import (
    Op,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    step_trace_time,
    torch,
    write,
)

from pytest_npuperf import results
from pytest_npuperf.commands.budget_text import bound_of, quoted
from pytest_npuperf.commands.cli import main
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import Limit, Verdict, Wanted
from pytest_npuperf.units import Dimension, exact, parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "init.md").read_text(encoding="utf-8")

Init = Callable[..., tuple[int, str, str]]
Time, Share, Count = Dimension.TIME, Dimension.SHARE, Dimension.COUNT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project, and go there."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def init(project: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    """Return a function that runs the command in the project."""

    def run(*args: str | Path) -> tuple[int, str, str]:
        status = main(["init", *map(str, args)])
        return (status, *capsys.readouterr())

    return run


def held(toml: str, profile: Path, folder: Path) -> tuple[Limit, ...]:
    """Return the limits of a budget, to which its profile must keep."""
    limits = case_of(toml, folder).limits
    verdicts = {each.reason: each.verdict for each in judged(profile, limits)}
    assert set(verdicts.values()) == {Verdict.PASSED}, verdicts
    return limits


def without_ops(toml: str) -> list[str]:
    """Return the lines of the budget itself, from its header on."""
    return toml[toml.index("[") :].partition("\n\n")[0].splitlines()


def rules(toml: str) -> list[str]:
    """Return its rules, each without its header."""
    return [rule.partition("]]\n")[2].strip() for rule in toml.split("\n\n")[1:]]


# --- what is printed --------------------------------------------------------------------------

PRINTED = """\
# Measured: recorded 2026-01-01. Headroom: 5 % on times and shares, none on counts.
# Not limited: step_time p95: 1 sample is too few for p95, 20 needed
[tool.npuperf.budgets.run]
# app = ["./out/main"]  # what msprof runs where there is an NPU
recording = "run"
step_time.p50 = "11.03 us"  # 10.5 us measured of 1 step
busy_time_per_step = "6.3 us"  # 6.00 us measured
kernel_count_per_step = 2  # 2 measured

[[tool.npuperf.budgets.run.ops]]
type = "Conv2D"  # 80.0 % of kernel_time
total_per_step = "4.2 us"  # 4.00 us measured

[[tool.npuperf.budgets.run.ops]]
type = "Add"  # 10.0 % of kernel_time
total_per_step = "525 ns"  # 500 ns measured

[[tool.npuperf.budgets.run.ops]]
type = "Cast"  # 10.0 % of kernel_time
total_per_step = "525 ns"  # 500 ns measured

[[tool.npuperf.budgets.run.ops]]
type = ["TransData", "Cast"]
share = "10.5 %"  # 10.0 % measured
why = "more than this means that a layout or a data type changed within the network"

[[tool.npuperf.budgets.run.ops]]
task_type = "AI_CPU"
count_per_step = 0  # 0 measured
why = "operators that fall back to the AI CPU are slow"
"""


def test_a_budget_is_printed(profile: Path, project: Path, init: Init) -> None:
    settings = "[tool.npuperf]\nrecordings = '..'\n"
    (project / "pyproject.toml").write_text(settings)
    assert init(profile.parent) == (0, PRINTED, "")
    assert (project / "pyproject.toml").read_text() == settings
    held(PRINTED, profile.parent, project)


@pytest.mark.parametrize("headroom", ["0%", "0"])
def test_without_headroom_the_measured_numbers_are_the_limits(
    headroom: str, profile: Path, project: Path, init: Init
) -> None:
    status, out, err = init(profile, "--headroom", headroom)
    assert (status, err) == (0, "")
    assert "Headroom: 0 % on times and shares" in out.splitlines()[0]
    limits = held(out, profile, project)
    assert {limit.wanted: limit.at_most for limit in limits[:3]} == {
        Wanted("step_time", "p50"): 10_500,
        Wanted("busy_time_per_step"): 6_000,
        Wanted("kernel_count_per_step"): 2,
    }
    tighter = judged(profile, tightened(limits))
    assert len(tighter) == len(limits) - 1  # no count is less than 0
    assert {each.verdict for each in tighter} == {Verdict.FAILED}


def test_what_is_no_whole_number_is_rounded_up(tmp_path: Path, project: Path, init: Init) -> None:
    ops = [Op(start=1000 * n, duration=100, step=str(n % 3)) for n in range(4)]
    path = torch(tmp_path / "run", kernel_details=op_summary(*ops, form="torch"))
    _, out, _ = init(path, "--headroom", "0%")
    assert without_ops(out)[-2:] == [
        'busy_time_per_step = "134 ns"  # 133 ns measured',
        "kernel_count_per_step = 2  # 1.33 measured",
    ]
    held(out, path, project)


def test_the_worst_lane_decides_and_a_type_that_one_lacks_is_not_limited(
    tmp_path: Path, project: Path, init: Init
) -> None:
    ops = (
        Op("Conv2D", duration=900, device="0"),
        Op("Conv2D", duration=1000, device="1"),
        Op("Add", start=2000, duration=500, device="1"),
        Op("Cast", "AI_CPU", start=3000, duration=100, device="1"),
    )
    steps = [(device, 1, 1, 9000, 9000) for device in (0, 1)]
    path = msprof(tmp_path / "run", op_summary=op_summary(*ops), step_trace=step_trace(*steps))
    _, out, _ = init(path.parent)
    held(out, path.parent, project)
    worst = "measured, on lane 0/1, the worst of 2"
    assert f'busy_time_per_step = "1.68 us"  # 1.60 us {worst}\n' in out
    assert rules(out) == [
        f'type = "Conv2D"  # 100 % of kernel_time\ntotal_per_step = "1.05 us"  # 1.00 us {worst}',
        'type = ["TransData", "Cast"]\n'
        f"count_per_step = 1  # 1 {worst}\n"
        'why = "more than this means that a layout or a data type changed within the network"',
        'task_type = "AI_CPU"\n'
        f"count_per_step = 1  # 1 {worst}\n"
        'why = "operators that fall back to the AI CPU are slow"',
    ]
    assert "# Not limited: ops type=Add total_per_step: no row of op_summary is type=Add" in out


@pytest.mark.parametrize(("steps", "names"), [(19, ["p50"]), (20, ["p50", "p95"])])
def test_a_percentile_is_limited_where_the_sample_supports_it(
    steps: int, names: list[str], tmp_path: Path, project: Path, init: Init
) -> None:
    # The first is warm-up.
    trace = [(0, 1, n, 1000 * (n + 1), 900 + n) for n in range(steps + 1)]
    path = msprof(tmp_path / "run", step_trace=step_trace(*trace))
    _, out, _ = init(path)
    assert re.findall(r"^step_time\.(\w+) = ", out, re.MULTILINE) == names
    assert out.count(f"measured of {steps} steps\n") == len(names)
    assert ("# Not limited: step_time p95: 19 samples are too few" in out) is (steps == 19)
    held(out, path, project)


def test_the_whole_run_is_limited_where_nothing_tells_the_steps(
    tmp_path: Path, project: Path, init: Init
) -> None:
    op = Op(duration=2000, infer="")
    path = msprof(tmp_path / "run", op_statistic=op_statistic(op))
    _, out, _ = init(path)
    assert "# The numbers are of the whole run: the profile does not say how many steps" in out
    assert without_ops(out)[-2:] == [
        'kernel_time = "2.1 us"  # 2.00 us measured',
        "kernel_count = 1  # 1 measured",
    ]
    assert [rule.splitlines()[1] for rule in rules(out)] == [
        'total = "2.1 us"  # 2.00 us measured',
        "count = 0  # 0 measured",
        "count = 0  # 0 measured",
    ]
    held(out, path, project)


def test_a_profile_of_single_steps_is_limited_per_step_only(
    tmp_path: Path, project: Path, init: Init
) -> None:
    ops = [Op(start=number, duration=2000, infer=str(number)) for number in (1, 2)]
    path = write(tmp_path / "run", {"op_summary.csv": op_summary(*ops, form="2022")})
    status, out, err = init(path)
    assert (status, err) == (0, "")
    limits = held(out, path, project)
    names = [limit.wanted.statistic or limit.wanted.metric for limit in limits]
    assert names
    assert all(name.endswith("_per_step") or name == "share" for name in names)


def test_two_percent_is_not_enough_for_a_rule_of_its_own(
    tmp_path: Path, project: Path, init: Init
) -> None:
    ops = (
        *(Op("Conv2D", duration=9590), Op("Mul", start=10_000, duration=200)),
        *(Op("Add", start=20_000, duration=210), Op("all", "HCCL", start=30_000, duration=9000)),
    )
    _, out, _ = init(msprof(tmp_path / "run", op_summary=op_summary(*ops)))
    assert re.findall(r'^type = "(\w+)"  # (.*) of', out, re.MULTILINE) == [
        ("Conv2D", "95.9 %"),
        ("Add", "2.10 %"),
    ]


def test_how_it_was_measured_is_told(tmp_path: Path, project: Path, init: Init) -> None:
    for number in (1, 2):
        op = Op(duration=1000 * number)
        msprof(tmp_path / "twice" / f"round_{number}", op_summary=op_summary(op))
    manifest = {
        "format": 1,
        "recorded": "2026-01-31",
        "rounds": 2,
        "fingerprint": {"soc": "Ascend\x1b310", "cann": "8.0.0"},
    }
    file = tmp_path / "twice" / "npuperf-recording.json"
    file.write_text(json.dumps(manifest), encoding="utf-8")
    _, out, _ = init(file.parent)
    assert out.startswith(
        r"# Measured: Ascend\x1b310, CANN 8.0.0, recorded 2026-01-31, 2 rounds. Headroom: 5 % on "
    )
    # The median of the rounds, as a test judges it.
    assert 'busy_time = "1.575 us"  # 1.50 us measured' in out
    held(out, file.parent, project)


def test_names_from_a_profile_are_quoted(tmp_path: Path, project: Path, init: Init) -> None:
    name = "Conv\\2D\u202e\x7f转*"
    path = msprof(tmp_path / "run", op_summary=op_summary(Op(name, duration=2000)))
    _, out, _ = init(path)
    assert r'type = "Conv\\2D\U0000202E\U0000007F转*"' in out
    limits = held(out, path, project)
    assert name in {glob for limit in limits for glob in limit.wanted.select.type}


# --- names and places -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "name", "header"),
    [
        ("llama", "llama", "llama"),
        ("0-a_B", "0-a_B", "0-a_B"),
        ("v1.2", "v1.2", '"v1.2"'),
        ("._-x", "x", "x"),
        ('a "b"\n c', "a_b_c", "a_b_c"),
        ("转", "profile", "profile"),
    ],
)
def test_the_name_comes_from_the_folder(
    folder: str, name: str, header: str, project: Path, init: Init
) -> None:
    path = project / "recordings" / folder
    msprof(path, op_summary=op_summary(Op()))
    status, out, _ = init(f"recordings/{folder}")
    assert status == 0
    assert without_ops(out)[0] == f"[tool.npuperf.budgets.{header}]"
    case = case_of(out, project)
    assert (case.name, case.recording) == (name, path)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("op_summary.csv", "op_summary"),
        ("op_summary_20260102030405.csv.gz", "op_summary"),
        ("op_summary_0_1.csv", "op_summary_0_1"),
    ],
)
def test_the_name_of_a_single_table_is_without_what_differs_by_export(
    file: str, name: str, project: Path, init: Init
) -> None:
    path = project / "recordings" / file
    text = op_summary(Op())
    path.parent.mkdir()
    path.write_bytes(gzip.compress(text.encode()) if file.endswith("gz") else text.encode())
    status, out, _ = init(f"recordings/{file}")
    assert status == 0
    case = case_of(out, project)
    assert (case.name, case.recording) == (name, path)


def test_a_recording_is_relative_to_the_folder_that_the_project_says(
    project: Path, init: Init
) -> None:
    (project / "npuperf.toml").write_text('recordings = "saved/all"\n')
    path = msprof(project / "saved" / "all" / "llm", op_summary=op_summary(Op()))
    _, out, _ = init(path, "--config", "npuperf.toml")
    assert without_ops(out)[::2] == [
        f"[budgets.{path.name}]",
        f'recording = "llm/{path.name}"',
        "kernel_count = 1  # 1 measured",
    ]
    _, out, _ = init(path.parent)
    assert "# Copy " in out
    assert f"{project}/saved/all/llm to recordings/llm" in out


def test_a_recording_may_be_a_link_to_where_there_is_room(
    profile: Path, project: Path, init: Init
) -> None:
    (project / "recordings").mkdir()
    (project / "recordings" / "llm").symlink_to(profile)
    _, out, _ = init("recordings/llm")
    assert without_ops(out)[2] == 'recording = "llm"'


def test_what_lies_outside_the_project_is_told_by_its_whole_path(
    tmp_path: Path, project: Path, init: Init
) -> None:
    (project / "pyproject.toml").write_text("[tool.npuperf]\nrecordings = '../all'\n")
    path = msprof(tmp_path / "one\x1b", op_summary=op_summary(Op())).parent
    _, out, _ = init(path)
    text = " ".join(out.replace("\n# ", " ").split())
    assert rf"Copy {tmp_path}/one\x1b to {tmp_path}/all/one\x1b" in text
    assert "\x1b" not in out


def test_a_name_that_is_not_unicode_is_refused(project: Path, init: Init) -> None:
    path = project / os.fsdecode(b"recordings/a\xff")
    msprof(path, op_summary=op_summary(Op()))
    message = r"npuperf: a\udcff: is not Unicode, as TOML is; rename it"
    assert init(path) == (1, "", f"{message}\n")


def test_several_profiles_are_several_budgets(project: Path, init: Init) -> None:
    paths = [msprof(project / "recordings" / name, op_summary=op_summary(Op())) for name in "ab"]
    status, out, _ = init(*(path.parent for path in paths))
    assert status == 0
    assert list(tomllib.loads(out)["tool"]["npuperf"]["budgets"]) == ["a", "b"]
    assert init(*paths) == (
        1,
        "",
        "npuperf: 2 profiles would be budgets of one name, PROF_000001_20260101000000000_ABCDEFGH, "
        "which comes from their folders; rename one, or ask for one at a time\n",
    )


def test_nothing_is_printed_where_one_profile_cannot_be_read(
    profile: Path, project: Path, init: Init
) -> None:
    status, out, err = init(profile, "nowhere")
    assert (status, out) == (1, "")
    assert err == "npuperf: nowhere: there is no such recording; . is empty\n"


def test_a_profile_with_nothing_to_limit_is_refused(
    tmp_path: Path, project: Path, init: Init
) -> None:
    path = torch(tmp_path / "run", step_trace_time=step_trace_time(("0", "", "5")))
    assert init(path) == (
        1,
        "",
        f"npuperf: {path}: has nothing to limit: step_trace_time has no step ids; the app marks "
        "no steps; the profile has neither op_summary nor op_statistic\n",
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "the following arguments are required: PROFILE"),
        (
            ["p", "--headroom", "2 points"],
            "argument --headroom: '2 points' is a difference; write a share such as '5 %'",
        ),
        (
            ["p", "--headroom", "5"],
            'argument --headroom: "5" is not a share; write "5 %"',
        ),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["init", *args])
    assert exit_.value.code == 4
    assert capsys.readouterr().err.splitlines()[-1] == f"npuperf: {message}"


# --- writing ----------------------------------------------------------------------------------


@pytest.fixture
def recording(project: Path) -> Path:
    """Write a recording of the project, and return its path as a user would type it."""
    msprof(project / "recordings" / "llm", op_summary=op_summary(Op()))
    return Path("recordings", "llm")


ADDED = 'pyproject.toml: added llm; mark a test npuperf("llm")\n'
BEFORE = """\
# ours
[project]  # keep
name   =  'x'

[tool.npuperf.budgets.old]
kernel_time = "1 ms" # why
  [[tool.npuperf.budgets.old.ops]]
  type = "Add"
  count = 1
"""


@pytest.mark.parametrize(
    "before",
    [
        BEFORE,
        BEFORE.rstrip("\n"),
        BEFORE.replace("\n", "\r\n"),
        "\ufeff" + BEFORE,
        BEFORE.replace("[tool.npuperf.budgets.old]", "[tool]\nnpuperf.budgets.old.rounds = 1\n")
        .partition("  [[")[0]
        .replace("kernel_time", "npuperf.budgets.old.kernel_time"),
        "[project]\nname = 'x'\n",
        "",
    ],
    ids=["LF", "no line end", "CRLF", "BOM", "dotted keys", "no table of ours", "empty"],
)
def test_a_budget_is_added_and_the_rest_of_the_file_stays(
    before: str, project: Path, recording: Path, init: Init
) -> None:
    file = project / "pyproject.toml"
    file.write_bytes(before.encode())
    file.chmod(0o640)
    _, printed, _ = init(recording)
    assert init(recording, "--write") == (0, ADDED, "")
    after = file.read_bytes().decode()
    assert after.startswith(before)
    added = after[len(before) :]
    assert added.replace("\r\n", "\n").lstrip("\n") == printed
    assert added.count("\r\n") == ("\r\n" in before) * added.count("\n")
    assert added.startswith(("\n\n", "\r\n\r\n")) is (before == BEFORE.rstrip("\n"))
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in project.iterdir()) == ["pyproject.toml", "recordings"]
    # A second time it would be there twice.
    place = (
        f"pyproject.toml:{1 + after[: after.index('[tool.npuperf.budgets.llm]')].count(chr(10))}"
    )
    assert init(recording, "--write") == (
        1,
        "",
        f"npuperf: {place}: has a budget llm already; "
        "delete that first, or leave out --write and compare\n",
    )
    assert file.read_bytes().decode() == after


def test_a_file_of_our_own_is_written_without_the_prefix(
    project: Path, recording: Path, init: Init
) -> None:
    (project / "real.toml").write_text("mode = 'replay'\n")
    (project / "npuperf.toml").symlink_to("real.toml")
    status, out, _ = init(recording, "--write", "--config", "npuperf.toml")
    assert (status, out) == (0, ADDED.replace("pyproject", "npuperf"))
    assert (project / "npuperf.toml").is_symlink()
    found = tomllib.loads((project / "real.toml").read_text())
    assert (found["mode"], list(found["budgets"])) == ("replay", ["llm"])


def test_what_is_to_be_copied_is_told_when_it_is_written(
    profile: Path, project: Path, init: Init
) -> None:
    (project / "pyproject.toml").touch()
    folder = profile.parent.rename(profile.parents[1] / "r\x1b")
    status, out, _ = init(folder, "--write")
    paths = rf"{folder.parent}/r\x1b to recordings/r\x1b"
    told = f"{ADDED.replace('llm', 'r_')}Copy {paths}\n"
    assert (status, out) == (0, told)


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (
            None,
            "pyproject.toml: no such file; go to the root directory of the project, make the "
            "file, or name another with --config",
        ),
        (
            "tool = { npuperf = { mode = 'auto' } }\n",
            "pyproject.toml: takes no budget at its end, as a table around it is written in one "
            "line, with braces; leave out --write, and paste it where it belongs",
        ),
        ("[tool\n", "pyproject.toml:1: not valid TOML: "),
        ("x = '\xff'\n", "pyproject.toml:1: is not UTF-8; TOML files are"),
        (
            "[tool.npuperf]\nmodus = 1\n",
            'pyproject.toml:2: modus: unknown key "modus"; did you mean "mode"?',
        ),
    ],
    ids=["no file", "inline table", "not TOML", "not UTF-8", "wrong settings"],
)
def test_a_file_that_takes_no_budget_stays_as_it_is(
    before: str | None, message: str, project: Path, recording: Path, init: Init
) -> None:
    file = project / "pyproject.toml"
    if before is not None:
        file.write_bytes(before.encode("latin-1"))
    status, out, err = init(recording, "--write")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"npuperf: {message}")
    assert (file.read_bytes().decode("latin-1") if file.exists() else None) == before


def test_a_full_disk_leaves_the_file_as_it_was(
    project: Path, recording: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    (project / "pyproject.toml").write_text(BEFORE)
    monkeypatch.setattr(results.files, "replace_file", full)
    message = f"npuperf: {project}/pyproject.toml: the budget was not written: "
    assert init(recording, "--write") == (1, "", f"{message}No space left on device\n")
    assert (project / "pyproject.toml").read_text() == BEFORE


# --- numbers and texts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dimension", "headroom", "text"),
    [
        ("1710123", Time, "0", "1.710123 ms"),
        ("1710123", Time, "0.05", "1.796 ms"),
        ("1000000", Time, "0.05", "1.05 ms"),
        ("1000001", Time, "0.05", "1.051 ms"),
        ("46400000", Time, "0.05", "48.8 ms"),
        ("46400000", Time, "0.0001", "46.4047 ms"),
        ("100/3", Time, "0", "34 ns"),
        ("1", Time, "0.05", "2 ns"),
        ("0", Time, "0.05", "0 ns"),
        ("1000000000", Time, "1", "2 s"),
        ("140", Count, "0.05", "140"),
        ("0", Count, "0.05", "0"),
        ("401/3", Count, "0.05", "134"),
        ("1/3", Share, "0", "33.3334 %"),
        ("1/3", Share, "0.05", "35 %"),
        ("0", Share, "0.05", "0 %"),
        ("0.96", Share, "0.05", "99.9 %"),
        ("0.9999", Share, "0.05", "100 %"),
        ("1", Share, "0", "100 %"),
    ],
)
def test_the_bound_of_a_number(value: str, dimension: Dimension, headroom: str, text: str) -> None:
    bound = bound_of(Fraction(value), dimension, Fraction(headroom))
    assert exact(bound, dimension) == text
    said = int(text) if dimension is Count else text
    assert parse(said, dimension) == bound >= Fraction(value)


@given(
    ns=st.fractions(0, 10**13, max_denominator=1000),
    headroom=st.fractions(0, 2, max_denominator=1000),
)
def test_a_bound_is_rounded_by_a_tenth_of_the_headroom_at_most(
    ns: Fraction, headroom: Fraction
) -> None:
    bound = bound_of(ns, Time, headroom)
    assert parse(exact(bound, Time), Time) == bound
    wanted = ns * (1 + headroom)
    rounded = bound - wanted
    assert 0 <= rounded < 1 or 0 <= rounded < ns * headroom / 10


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_text_is_what_it_was(text: str) -> None:
    line = quoted(text)
    assert line.isprintable()
    assert tomllib.loads(f"x = {line}")["x"] == text


def test_what_is_not_unicode_cannot_be_quoted() -> None:
    with pytest.raises(NpuperfError, match=r"^a\\ud800: is not Unicode, as TOML is; rename it$"):
        quoted("a\ud800")


# --- docs/init.md -----------------------------------------------------------------------------


def test_the_page_shows_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ((arguments, shown),) = re.findall(
        r"^```console\n\$ npuperf (.*)\n((?s:.*?))^```$", PAGE, re.MULTILINE
    )
    monkeypatch.chdir(ROOT / "example_project")
    assert main(arguments.split()) == 0
    assert capsys.readouterr().out == shown


def test_the_page_lists_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["init", "--help"])
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert set(re.findall(r"^\| `(--[a-z]+)", PAGE, re.MULTILINE)) == options
