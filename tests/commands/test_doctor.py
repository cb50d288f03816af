"""``npuperf doctor``: what is found here, what recordings tell, and when their limits fail."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from profile_tables import (
    Op,
    api_statistic,
    csv,
    msprof,
    op_statistic,
    op_summary,
    step_trace,
    write,
)

from pytest_npuperf import results
from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.doctor import PROBLEM, SOUND, Wish, doctor
from pytest_npuperf.commands.doctor.budgets import Checked, Place, check
from pytest_npuperf.commands.doctor.effects import (
    Calls,
    Effect,
    Everything,
    OnAiCpu,
    Ops,
    Pauses,
)
from pytest_npuperf.commands.doctor.here import Here
from pytest_npuperf.commands.doctor.text import as_text
from pytest_npuperf.commands.doctor.trips import effects_on
from pytest_npuperf.config import Options, load
from pytest_npuperf.model import (
    CaseResult,
    Judged,
    LaneMeasurement,
    Limit,
    Measurement,
    Session,
    Value,
    Verdict,
    Wanted,
)
from pytest_npuperf.pipeline import Profiles, Request, gate
from pytest_npuperf.units import Dimension

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
STANDIN = ROOT / "tests" / "standin"

Main = Callable[..., tuple[int, str, str]]

OPS = (
    Op("Conv2D", start=0, duration=3_000, name="conv_1"),
    Op("Add", "AI_VECTOR_CORE", start=4_000, duration=1_000, name="add_1"),
    Op("Conv2D", start=10_000, duration=5_000, name="conv_1"),
    Op("Cast", "AI_VECTOR_CORE", start=16_000, duration=1_000, name="cast_1"),
    Op("allReduce", "HCCL", start=18_000, duration=2_000, name="hcom_allReduce_1"),
)
"""Kernels take 10 us in two steps, the window 20 us, and all of it 12 us."""

MANIFEST = {"format": 1, "recorded": "2026-01-31", "fingerprint": {"soc": "Ascend910B3"}}


@dataclass
class Project:
    """A folder with a recording ``run``, and an environment without NPU and programs."""

    root: Path
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": "/nonexistent"})

    @property
    def dev(self) -> Path:
        return self.root / "dev"

    def budgets(self, toml: str) -> None:
        (self.root / "pyproject.toml").write_text(toml, encoding="utf-8")

    def limits(self, *lines: str) -> None:
        """Write one budget on the recording, whose first limit stands in line 3."""
        head = '[tool.npuperf.budgets.net]\nrecording = "run"\n'
        self.budgets(head + "".join(f"{line}\n" for line in lines))

    def doctor(self, width: int = 100, **wish: str | bool) -> tuple[int, str]:
        """Return the status and what is printed of budgets."""
        asked = Wish(case=wish.get("case"), self_test=bool(wish.get("self_test")))  # type: ignore[arg-type]
        text, status = doctor(asked, self.root, self.env, self.dev, width)
        return status, text.partition("\n\n")[2]

    def check(self, self_test: bool) -> Checked:
        """Return what is found of the budget ``net``."""
        settings = load(self.root, Options())
        assert settings is not None
        place = Place(self.env, has_npu=False, folder=self.root.parent / "tmp")
        return check(settings, "net", place, self_test)

    def failing_from(self) -> list[tuple[str, str]]:
        """Return verdict and trip point of each limit."""
        checked = self.check(self_test=True)
        assert checked.obstacle == ""
        found = []
        for each in checked.limits:
            effect = checked.breaking.get(each.limit)
            trip = effect.words(checked.trips[each.limit]) if effect else "never"
            tried = bool(effects_on(each)) and each.limit in checked.breaking
            found.append((str(each.verdict), trip if tried else "not tried"))
        return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Make a project with a recording."""
    folder = tmp_path / "project"
    recording = folder / "recordings" / "run"
    msprof(
        recording,
        op_summary=op_summary(*OPS),
        op_statistic=op_statistic(*OPS),
        step_trace=step_trace((0, 1, 1, 9_500, 9_500), (0, 1, 2, 20_000, 10_500)),
        api_statistic=api_statistic(
            ("host", "acl", "aclmdlExecute", "40.5", "2", "20.25", "20", "20.5"),
            ("host", "acl", "aclrtMalloc", "5", "3", "1.667", "1", "2"),
        ),
        npu_mem=csv(
            "Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)",
            ["0", "APP", "0", "1024", "1024", "1"],
        ),
        fusion_op=csv(
            "Device_id,Model Name,Model ID,Fusion Op,Original Ops", ["host", "m", "1", "a", "b"]
        ),
        prof_rule=csv("rule_type,rule_subtype,rule_suggestion", ["Computation", "x", "y"]),
    )
    (recording / "npuperf-recording.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    return Project(folder)


@pytest.fixture
def command(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Main:
    """Return a function that runs the command in the project."""
    monkeypatch.chdir(project.root)

    def run(*args: str) -> tuple[int, str, str]:
        status = main(["doctor", *args])
        return (status, *capsys.readouterr())

    return run


# --- what is printed --------------------------------------------------------------------------

WELL = """\
net [pyproject.toml:1]
recording  recordings/run
app        "./main" is not a file
made       recorded 2026-01-31, Ascend910B3, CANN unknown
holds      the whole run, steps: 2
verdict  number                          now    limit    fails from  line
PASSED   kernel_time_per_step        5.00 us  5.50 us       +10.1 %     4
PASSED   kernel_count                      4        4        1 more     5
PASSED   step_time p50               10.5 us  12.0 us       +14.3 %     6
PASSED   ops type=Cast share          10.0 %   20.0 %  ops +125.1 %     9
PASSED   ops task_type=AI_CPU count        0        0   1 on AI_CPU    12

npuperf: 5 limits in 1 budget: all can be measured, and can fail
"""

BUDGET = """\
[tool.npuperf.budgets.net]
recording = "run"
app = "./main"
kernel_time_per_step = "5.5 us"
kernel_count = 4
step_time.p50 = "12 us"
[[tool.npuperf.budgets.net.ops]]
type = "Cast"
share = "20 %"
[[tool.npuperf.budgets.net.ops]]
task_type = "AI_CPU"
count = 0
"""


def hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


NARROW = """\
verdict  number                   now    limit    fails from
PASSED   kernel_t...per_step  5.00 us  5.50 us       +10.1 %
PASSED   kernel_count               4        4        1 more
PASSED   step_time p50        10.5 us  12.0 us       +14.3 %
PASSED   ops type=Cast share   10.0 %   20.0 %  ops +125.1 %
PASSED   ops task...PU count        0        0   1 on AI_CPU
"""


def test_all_is_well_and_nothing_is_written(project: Project) -> None:
    project.budgets(BUDGET)
    before = hashes(project.root)
    found = project.check(self_test=True)
    assert hashes(project.root) == before
    assert not found.has_problem
    here = Here({"msprof": "no msprof on PATH: recordings are replayed"}, ())
    texts = {width: as_text(here, [found], width, self_test=True) for width in (60, 80, 100)}
    assert texts[100] == f"msprof     no msprof on PATH: recordings are replayed\n\n{WELL}"
    assert NARROW in texts[60]
    for width, text in texts.items():
        assert max(map(len, text.splitlines())) <= width


# --- from when on a limit fails ---------------------------------------------------------------


def rule(table: str, *lines: str) -> tuple[str, ...]:
    return (f"[[tool.npuperf.budgets.net.{table}]]", *lines)


def total(bounds: str) -> tuple[str, ...]:
    """Return a rule on all kernels together, which take 10 us."""
    return rule("ops", 'not_type = "allReduce"', f"total = {bounds}")


def conv(*lines: str) -> tuple[str, ...]:
    """Return a rule on the two convolutions, which take 3 us and 5 us."""
    return rule("ops", 'type = "Conv2D"', *lines)


BOUNDS = [
    # The smallest change, in tenths of a percent: at the limit it holds.
    (total('"10 us"'), "+0.1 %"),
    (total('"11 us"'), "+10.1 %"),
    (total('"10.995 us"'), "+10 %"),
    (total('"99.99 us"'), "+900 %"),
    (total('"100 us"'), "never"),
    (total('{ at_least = "5 us" }'), "-50.1 %"),
    (total('{ at_least = "1.001 us" }'), "-90 %"),
    (total('{ at_least = "1 us" }'), "never"),
    (total('{ at_least = "9 us", at_most = "11 us" }'), "+10.1 %"),
    (total('{ at_least = "9 us", at_most = "1 ms" }'), "-10.1 %"),
    (total('{ equal = "10 us" }'), "+0.1 %"),
]
TIMES = [
    (['kernel_time_per_step = "5.01 us"'], "+0.3 %"),
    # What starts and ends in between goes with it.
    (['busy_time = "13 us"'], "+8.4 %"),
    (['window_time = "20.5 us"'], "+2.6 %"),
    (['idle_time = "8.5 us"'], "+6.3 %"),
    (['largest_gap = "6 us"'], "+20.1 %"),
    (['communication_time = "3 us"'], "+50.1 %"),
    (['step_time.p50 = "12 us"'], "+14.3 %"),
    (['memory_peak = "1.5 MiB"'], "+50.1 %"),
    (conv('max = "6 us"'), "+20.1 %"),
    (rule("apis", 'name = "aclmdlExecute"', 'total = "50 us"'), "+23.5 %"),
]
SHARES = [
    (['idle_share = "45 %"'], "starts +10.2 %"),
    # A share does not change where all of it does.
    (conv('share = "90 %"'), "ops +125.1 %"),
    (conv('share = "100 %"'), "never"),
    (conv('share.at_least = "50 %"'), "ops -75.1 %"),
    (rule("ops", 'type = "Ca*"', 'task_type = "AI_*"', 'share = "50 %"'), "ops +800.1 %"),
]
COUNTS = [
    (["kernel_count = 4"], "1 more"),
    (["kernel_count_per_step.at_least = 1"], "3 fewer"),
    (["fused_count.at_least = 1"], "1 fewer"),
    (["advice_count.Computation = 1"], "1 more"),
    (conv("count = 3"), "2 more"),
    (conv("count.at_least = 1"), "2 fewer"),
    (rule("ops", 'type = "TransData"', "count = 0"), "1 more"),
    (rule("ops", 'type = "Trans*"', 'name = "t?"', "count = 0"), "1 more"),
    (rule("ops", 'not_type = "Conv2D"', "count = 3"), "1 more"),
    (rule("ops", 'name = "x*"', 'not_type = "Conv2D"', "count = 0"), "1 more"),
    (rule("ops", 'task_type = "*"', "count = 5"), "1 more"),
    (rule("apis", 'name = "aclmdlExecute"', "count = 2"), "1 more"),
    (rule("apis", 'name = "aclrt*"', "count.at_least = 2"), "2 fewer"),
    (rule("apis", 'name = "aclrtFree"', "count = 0"), "1 more"),
]
ON_AI_CPU = [
    # Ten times as much of nothing is nothing.
    (['ai_cpu_time = "4 us"'], "3 on AI_CPU"),
    (['ai_cpu_time_per_step = "5 us"'], "never"),
    (rule("ops", 'task_type = "AI_CPU"', "count = 3"), "4 on AI_CPU"),
    (rule("ops", 'task_type = "AI_CPU"', 'type = "Cast"', "count = 0"), "1 on AI_CPU"),
]
TEN_TIMES = [(["kernel_count = 39"], "36 more"), (["kernel_count_per_step = 20"], "never")]
NONE_LEFT = [(["kernel_count.at_least = 1"], "4 fewer")]
NOT_TRIED = [
    # What nobody knows to make worse is no limit that cannot fail.
    (["step_time.count = 1"], "not tried"),
    (['overlap_share.at_most = "50 %"'], "not tried"),
    (rule("ops", 'type = "Cast"', "pmu.aic_mac_ratio.at_most = 0.6"), "not tried"),
]


@pytest.mark.parametrize(
    "cases", [BOUNDS, TIMES, SHARES, COUNTS, ON_AI_CPU, TEN_TIMES, NONE_LEFT, NOT_TRIED]
)
def test_from_which_change_on_a_limit_fails(
    cases: list[tuple[Sequence[str], str]], project: Project
) -> None:
    project.limits(*(line for lines, _ in cases for line in lines))
    assert project.failing_from() == [("PASSED", trip) for _, trip in cases]


def test_what_is_in_no_profile_is_not_tried() -> None:
    limit = Limit(Wanted("calibration", "images"), Dimension.COUNT, at_least=Fraction(16))
    judged = Judged(limit, Verdict.PASSED, "0", Fraction(32), 1, Fraction(1), reason="")
    assert effects_on(judged) == ()


def test_what_is_not_passed_is_put_to_the_test_where_it_can_be(project: Project) -> None:
    project.limits(
        *('step_time.p99 = "12 us"', 'kernel_time = "9 us"'),
        *rule("ops", 'type = "Nothing"', 'max = "1 us"'),
    )
    assert project.failing_from() == [
        ("INCONCLUSIVE", "+14.3 %"),
        ("FAILED", "not tried"),
        ("NOT_MEASURED", "not tried"),
    ]


def test_a_recording_is_gated_once_however_much_is_tried(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []

    def counted(request: Request, profiles: Profiles) -> CaseResult:
        asked.append(request)
        return gate(request, profiles)

    monkeypatch.setattr("pytest_npuperf.commands.doctor.gated.gate", counted)
    project.limits('kernel_time = "11 us"', "kernel_count = 4", *conv('max = "6 us"'))
    assert project.failing_from() == [
        ("PASSED", "+10.1 %"),
        ("PASSED", "1 more"),
        ("PASSED", "+20.1 %"),
    ]
    assert [request.name for request in asked] == ["net"]


def test_totals_alone_can_be_put_to_the_test(tmp_path: Path) -> None:
    msprof(tmp_path / "recordings" / "run", op_statistic=op_statistic(*OPS))
    project = Project(tmp_path)
    project.limits(
        *('kernel_time = "11 us"', "kernel_count = { at_least = 2, at_most = 100 }"),
        *rule("ops", 'type = "Conv2D"', 'share = "90 %"', "count.at_least = 1"),
        *rule("ops", 'task_type = "AI_CPU"', "count = 1"),
        *rule("ops", 'type = "TransData"', "count = 0"),
    )
    assert project.failing_from() == [
        ("PASSED", "+10.1 %"),
        ("PASSED", "3 fewer"),
        ("PASSED", "ops +125.1 %"),
        ("PASSED", "2 fewer"),
        # A row of such a table is of all calls of a type: here of two.
        ("PASSED", "1 on AI_CPU"),
        ("PASSED", "1 more"),
    ]


def test_each_round_is_changed_and_their_median_decides(tmp_path: Path) -> None:
    for number, duration in enumerate((900, 1000, 1200), 1):
        folder = tmp_path / "recordings" / "run" / f"round_{number}"
        msprof(folder, op_summary=op_summary(Op(duration=duration)))
    project = Project(tmp_path)
    project.limits('kernel_time = "1.1 us"', "kernel_count = 1")
    assert project.failing_from() == [("PASSED", "+10.1 %"), ("PASSED", "1 more")]
    assert "holds      the whole run, 3 rounds, steps: unknown\n" in project.doctor()[1]


def test_the_worst_lane_decides(tmp_path: Path) -> None:
    ops = (Op(duration=900, device="0"), Op(duration=1000, device="1"))
    msprof(tmp_path / "recordings" / "run", op_summary=op_summary(*ops))
    project = Project(tmp_path)
    project.limits('kernel_time = "1.1 us"', *rule("ops", 'task_type = "AI_CPU"', "count = 0"))
    assert project.failing_from() == [("PASSED", "+10.1 %"), ("PASSED", "1 on AI_CPU")]
    assert "holds      the whole run, 2 lanes, steps: unknown\n" in project.doctor()[1]


def test_ops_without_start_times_take_longer_too(tmp_path: Path) -> None:
    ops = [Op(start="N/A", duration=1000, name=name) for name in "ab"]
    msprof(tmp_path / "recordings" / "run", op_summary=op_summary(*ops))
    project = Project(tmp_path)
    project.limits('kernel_time = "2.2 us"', "kernel_count.at_least = 1")
    # None is left.
    assert project.failing_from() == [("PASSED", "+10.1 %"), ("PASSED", "2 fewer")]


def test_tables_of_another_clock_are_left_where_they_are(tmp_path: Path) -> None:
    # Times since boot and since 1970: no op starts within a step, so that all steps count.
    trace = step_trace((0, 1, 1, 9_500, 9_500), (0, 1, 2, 20_000, 10_500))
    ops = [Op(start=9000 * number, duration=5000, infer="") for number in range(2)]
    msprof(
        tmp_path / "recordings" / "run",
        op_summary=op_summary(*ops, form="single"),
        step_trace=trace,
    )
    project = Project(tmp_path)
    project.limits('kernel_time_per_step = "6 us"')
    assert project.failing_from() == [("PASSED", "+20.1 %")]


# --- what is compared -------------------------------------------------------------------------


def accept(project: Project, *factors: float) -> None:
    """Make sessions of three rounds each the baseline: so much of what is measured."""
    settings = load(project.root, Options())
    assert settings is not None
    case = settings.case("net")
    wanted = [limit.wanted for limit in case.limits]
    place = results.baseline_path(settings.baselines, "net", "Ascend910B3")
    for number, factor in enumerate(factors, 1):
        values = {each: Value(Fraction(10_000) * Fraction(str(factor))) for each in wanted}
        rounds = (Measurement({"0": LaneMeasurement(values)}),)
        date = f"2026-01-{number:02}T00:00:00Z"
        session = Session(rounds, date, "", "right", {"soc": "Ascend910B3"})
        results.add_session(place, "net", "Ascend910B3", session, False)


NEW = """\
net [pyproject.toml:1]
recording  recordings/run
made       recorded 2026-01-31, Ascend910B3, CANN unknown
holds      the whole run, steps: 2
baseline   none: there is no baselines/net/Ascend910B3.json; npuperf accept makes one
verdict  number           now   limit  fails from  line
NEW      kernel_time  10.0 us  +5.0 %           -     3
    there is no baseline to compare it with

npuperf: 1 limit in 1 budget: 1 cannot be told
"""


def test_what_is_compared_with_a_baseline_fails_from_its_limit_on(project: Project) -> None:
    project.limits('kernel_time.max_regression = "5 %"', "[tool.npuperf]", 'min_effect = "1 ns"')
    status, text = project.doctor(self_test=True)
    assert status == PROBLEM
    assert text == NEW
    accept(project, 1.0, 1.01)
    status, text = project.doctor(self_test=True)
    assert status == SOUND
    assert "\nbaseline   baselines/net/Ascend910B3.json, 2 sessions\n" in text
    # 5 %, and 4.5 % for noise between sessions, of a median that is 0.5 % more.
    assert "PASSED   kernel_time  10.0 us  +5.0 %     +10.1 %     3\n" in text


def test_a_baseline_that_cannot_be_read_is_a_problem(project: Project) -> None:
    project.limits('kernel_time.max_regression = "5 %"')
    file = project.root / "baselines" / "net" / "Ascend910B3.json"
    write(file.parent, {file.name: "{"})
    status, text = project.doctor()
    assert status == PROBLEM
    assert "\nproblem    baselines/net/Ascend910B3.json: " in text


def test_baselines_are_kept_by_soc(project: Project) -> None:
    project.limits('kernel_time.max_regression = "5 %"')
    (project.root / "recordings" / "run" / "npuperf-recording.json").unlink()
    status, text = project.doctor()
    assert status == PROBLEM
    words = "none: they are kept by SoC, and the recording does not say its own"
    assert "\nmade       recorded 2026-01-01, SoC unknown, CANN unknown\n" in text
    assert f"\nbaseline   {words}\n" in text


def test_another_case_is_compared_with_as_it_is(project: Project) -> None:
    project.limits(
        *("kernel_time.max_regression = '5 %'", "kernel_count = 4", 'against.case = "old"'),
        *("[tool.npuperf.budgets.old]", 'recording = "old"'),
    )
    slower = [replace(op, duration=int(op.duration) * 2) for op in OPS]
    old = project.root / "recordings" / "old"
    msprof(old, op_summary=op_summary(*slower))
    (old / "npuperf-recording.json").write_text(json.dumps(MANIFEST), encoding="utf-8")
    # Twice as long, 5 % and 5 us are allowed: from 25 us on.
    assert project.failing_from() == [("PASSED", "+150.1 %"), ("PASSED", "1 more")]
    status, text = project.doctor()
    assert status == SOUND
    assert "\nagainst    old, in the same session\n" in text
    # What others are compared with need hold to nothing itself.
    assert "\nold [pyproject.toml:6]\nrecording  recordings/old\nused by    other budgets\n" in text


# --- what cannot be measured ------------------------------------------------------------------

UNSOUND = """\
net [pyproject.toml:1]
recording  recordings/run
made       recorded 2026-01-31, Ascend910B3, CANN unknown
holds      the whole run, steps: 2
not here   custom.fps: its test reports that
verdict        number                   now    limit  fails from  line
INCONCLUSIVE   step_time p99        10.5 us  12.0 us     +14.3 %     3
    1 sample is too few for p99, 100 needed
PASSED         kernel_time          10.0 us   100 us       never     4
    cannot fail: it holds even with +900 %
FAILED (warn)  kernel_count               4        3         now     5
    it only warns
NOT_MEASURED   ops type=Conv2d max        -  6.00 us           -     9
    no row of op_summary is type=Conv2d; near it: Conv2D

npuperf: 4 limits in 1 budget: 2 cannot be told, 1 cannot fail
"""


def test_what_is_wrong_is_told_below_its_limit(project: Project) -> None:
    project.limits(
        *('step_time.p99 = "12 us"', 'kernel_time = "100 us"'),
        *(
            'kernel_count = { at_most = 3, on_fail = "warn" }',
            "custom.fps = { at_least = 3, better = 'higher' }",
        ),
        *rule("ops", 'type = "Conv2d"', 'max = "6 us"'),
    )
    assert project.doctor(self_test=True) == (PROBLEM, UNSOUND)
    text = project.doctor(width=60)[1]
    assert max(map(len, text.splitlines())) <= 60
    assert "\nNOT_MEASURED   ops typ...nv2d max        -  6.00 us\n" in text


NOT_THERE = """\
gone [pyproject.toml:1]
recording  recordings/gone
problem    recordings/gone: there is no such recording; recordings has 1 other recording

live [pyproject.toml:4]
recording  none
app        ./main is there
problem    nothing can be measured without an NPU; write recording = NAME, and run it
           once where there is one, with --npuperf-record

none [pyproject.toml:7]
recording  none
problem    neither an app nor a recording is named

idle [pyproject.toml:9]
recording  none
app        ./main is there
problem    the budget has no limit, so nothing can fail; add one, such as kernel_time =
           "2 ms" or kernel_time = { max_regression = "5 %" }

base [pyproject.toml:11]
recording  none
used by    other budgets

off [pyproject.toml:13]
mode       off, so no test is judged by it
recording  recordings/run
made       recorded 2026-01-31, Ascend910B3, CANN unknown
holds      the whole run, steps: 2
verdict  number            now    limit   margin  line
PASSED   kernel_time   10.0 us  20.0 us  -50.0 %    12
PASSED   kernel_count        4        4      0 %    16

npuperf: 2 limits in 6 budgets: 4 cannot be gated here
"""


def test_what_is_not_there(project: Project) -> None:
    write(project.root, {"main": "#!/bin/sh\n"})
    (project.root / "main").chmod(0o755)
    project.budgets(
        "[tool.npuperf.budgets.gone]\nrecording = 'gone'\nkernel_count = 4\n"
        "[tool.npuperf.budgets.live]\napp = './main'\nkernel_count = 4\n"
        "[tool.npuperf.budgets.none]\nkernel_count = 4\n"
        "[tool.npuperf.budgets.idle]\napp = './main'\n"
        "[tool.npuperf.budgets.base]\nkernel_time = '20 us'\n"
        "[tool.npuperf.budgets.off]\nextends = 'base'\nrecording = 'run'\nkernel_count = 4\n"
        "mode = 'off'\n"
    )
    assert project.doctor(width=88) == (PROBLEM, NOT_THERE)


# --- what is found here -----------------------------------------------------------------------


def facts(project: Project) -> list[str]:
    text, _ = doctor(Wish(), project.root, project.env, project.dev, 300)
    return re.sub(r"\d+(\.\w+)+", "N", text.partition("\n\n")[0]).splitlines()


def script(path: Path, text: str = "") -> Path:
    """Write a program."""
    write(path.parent, {path.name: f"#!/bin/sh\n{text}\n"})
    path.chmod(0o755)
    return path


NPU_SMI = """cat <<'END'
| npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
| 0     910B3               | OK            | 93.6        50                0    / 0             |
END"""


def test_a_machine_without_anything(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        if package == "pytest-randomly":
            raise PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setattr("pytest_npuperf.commands.doctor.here.version", version)
    assert facts(project) == [
        "npuperf    N on Python N",
        "pytest     N, pandas N, pytest-xdist N, pytest-rerunfailures N",
        "msprof     no msprof on PATH: recordings are replayed",
        "CANN       none: neither ASCEND_TOOLKIT_HOME nor ASCEND_HOME_PATH is set",
        f"NPUs       none: there is no {project.dev}/davinci*",
        "settings   no table [tool.npuperf] in pyproject.toml; npuperf init writes a first budget",
    ]
    assert project.doctor() == (SOUND, "")


def test_a_machine_with_all_of_it(project: Project, tmp_path: Path) -> None:
    project.limits("kernel_count = 4", "[tool.npuperf]", 'mode = "replay"')
    write(project.dev, {"davinci3": "", "davinci5": "", "davinci_manager": ""})
    script(tmp_path / "bin" / "npu-smi", NPU_SMI)
    home = write(tmp_path / "cann", {"version.cfg": "toolkit_running_version=[7.3:8.0.RC2]\n"})
    # The stand-in for msprof is only looked up, never started.
    path = os.pathsep.join([str(STANDIN), str(tmp_path / "bin"), "/usr/bin", "/bin"])
    project.env = {"PATH": path, "ASCEND_TOOLKIT_HOME": str(home)}
    assert facts(project)[2:] == [
        f"msprof     {STANDIN}/msprof",
        f"CANN       N in {home}",
        "NPUs       0, 1 (Ascend910B3, driver N)",
        "settings   pyproject.toml: mode replay, 1 budget",
    ]


def test_a_machine_with_some_of_it(project: Project, tmp_path: Path) -> None:
    project.limits("[tool.npuperf.msprof]", 'command = "./prof"', "[tool.npuperf.budgets.b]")
    write(project.dev, {"davinci0": ""})
    project.env = {"PATH": "/nonexistent", "ASCEND_HOME_PATH": str(tmp_path)}
    assert facts(project)[2:] == [
        f"msprof     no {project.root}/prof",
        f"CANN       unknown release in {tmp_path}",
        "NPUs       0 (unknown SoC, as npu-smi does not tell it)",
        "settings   pyproject.toml: mode auto, 2 budgets",
    ]
    project.env = {"PATH": "/nonexistent", "ASCEND_HOME_PATH": "/nonexistent/cann"}
    assert facts(project)[3] == "CANN       none: there is no folder /nonexistent/cann"


@pytest.mark.parametrize(
    ("collector", "programs", "problem"),
    [
        ("msprof", ["main", "msprof"], ""),
        ("app", ["main"], ""),
        ("msprof", ["main"], "msprof was not found on PATH; "),
        ("msprof", ["msprof"], 'app: "./main" is not a file; looked for '),
    ],
)
@pytest.mark.parametrize("recording", ["", "recording = 'run'"])
def test_where_there_is_an_npu_the_app_must_be_able_to_run(
    collector: str, programs: list[str], problem: str, recording: str, project: Project
) -> None:
    write(project.dev, {"davinci0": ""})
    for name in programs:
        script(project.root / name)
    project.env = {"PATH": str(project.root)}
    project.budgets(
        f"[tool.npuperf.budgets.net]\napp = './main'\ncollector = '{collector}'\n{recording}\n"
        "kernel_count = 4\n"
    )
    status, text = project.doctor()
    assert status == (PROBLEM if problem else SOUND)
    assert ("\nproblem    " in text) is bool(problem)
    assert problem in text.replace("\n           ", " ")
    assert ("PASSED   kernel_count" in text) is bool(recording)


# --- the command ------------------------------------------------------------------------------


def test_the_command(project: Project, command: Main, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    project.budgets(BUDGET)
    assert command("--case", "net")[::2] == (SOUND, "")
    project.limits("kernel_count = 4")
    status, out, err = command("--self-test")
    assert (status, err) == (SOUND, "")
    assert out.startswith("npuperf    ")
    assert "\nPASSED   kernel_count    4      4      1 more     3\n" in out
    write(project.root, {"npuperf.toml": "[budgets.other]\nrecording = 'gone'\n"})
    status, out, err = command("--config", "npuperf.toml")
    assert (status, err) == (PROBLEM, "")
    assert "\nother [npuperf.toml:1]\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--case", "nte"],
            '--case nte: no budget of that name in pyproject.toml; did you mean "net"?',
        ),
        (
            ["--case", "x\x1b"],
            r"--case x\x1b: no budget of that name in pyproject.toml; known are net",
        ),
        (["--config", "a.toml"], "a.toml: no such file; the settings were to be read from it"),
        (
            ["--config", "bad.toml"],
            'bad.toml:2: budgets.a.kernel_time: "1,5 ms" is not a duration; '
            'write "1.5 ms" or "1500 us"',
        ),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], message: str, project: Project, command: Main
) -> None:
    project.limits("kernel_count = 4")
    write(project.root, {"bad.toml": "[budgets.a]\nkernel_time = '1,5 ms'\n"})
    assert command(*arguments) == (4, "", f"npuperf: {message}\n")


def test_names_are_made_safe(project: Project) -> None:
    project.budgets(
        '[tool.npuperf.budgets.net]\nrecording = "a\\u001b[31m"\n'
        '[tool.npuperf.budgets.evil]\nrecording = "run"\n'
        '[[tool.npuperf.budgets.evil.ops]]\ntype = "转\\u001b[31m"\ncount = 0\n'
    )
    text = project.doctor()[1]
    assert "\x1b" not in text
    assert r"recordings/a\x1b[31m" in text
    assert r"ops type=转\x1b[31m count" in text


def test_each_problem_of_the_settings_has_a_line(project: Project, command: Main) -> None:
    project.limits('kernel_time = "1,5 ms"', "kernel_count = 1.5")
    status, out, err = command()
    assert (status, out) == (4, "")
    assert re.findall(r"^npuperf: pyproject.toml:(\d): ", err, re.MULTILINE) == ["3", "4"]
    assert err.count("\n") == 2


# --- docs/doctor.md ---------------------------------------------------------------------------


def test_the_page_shows_what_is_printed() -> None:
    ((arguments, shown),) = re.findall(
        r"^```console\n\$ npuperf (.*)\n((?s:.*?))^```$", PAGE, re.MULTILINE
    )
    assert arguments == "doctor --self-test --case resnet50"
    env = {"PATH": "/nonexistent"}
    folder = ROOT / "example_project"
    wish = Wish(case="resnet50", self_test=True)
    text, status = doctor(wish, folder, env, Path("/nonexistent"), 80)
    assert status == SOUND
    # The releases are those of this machine, and fill one line or two.
    printed = text.replace("/nonexistent/", "/dev/").partition("\nmsprof ")[2]
    assert printed == shown.partition("\nmsprof ")[2]


def test_the_page_lists_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert set(re.findall(r"^\| `(--[a-z-]+)", PAGE, re.MULTILINE)) == options


def test_the_page_lists_what_a_limit_is_put_to() -> None:
    effects: list[tuple[Effect, int]] = [
        (Everything(1), 62),
        (Everything(-1), 62),
        (Ops((), 1), 675),
        (Pauses(), 55),
        (Calls((), (), 1, there=1), 1),
        (Calls((), (), -1, there=1), 1),
        (OnAiCpu(()), 1),
    ]
    cells = re.findall(r"^\| [^|]+ \| [^|]+ \| (`[^|]+`) \|$", PAGE, re.MULTILINE)
    shown = re.findall(r"`([^`]+)`", " ".join(cells))
    assert shown == [*(effect.words(amount) for effect, amount in effects), "not tried"]


def test_the_page_lists_the_exit_statuses() -> None:
    listed = re.findall(r"^\| (\d) \|", PAGE, re.MULTILINE)
    assert listed == [str(SOUND), str(PROBLEM), "4"]
