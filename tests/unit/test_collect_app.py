from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.collect import collect
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import Case, Collected, Msprof

MakeApp = Callable[..., Path]
REMEDY = (
    "give the profiler on_trace_ready="
    'torch_npu.profiler.tensorboard_trace_handler(os.environ["NPUPERF_OUTPUT"]), '
    "in MindSpore mindspore.profiler.tensorboard_trace_handler"
)
WRITE = """
folder="$NPUPERF_OUTPUT/host_1_20260114085947065_ascend_pt/ASCEND_PROFILER_OUTPUT"
mkdir -p "$folder"
echo "Name,Type" > "$folder/kernel_details.csv"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


def case(app: Path, *arguments: str, timeout_s: int = 600) -> Case:
    return Case(
        "a",
        app=(str(app), *arguments),
        collector="app",
        mode="run",
        rounds=1,
        msprof=Msprof(options={"aic-metrics": "Memory"}, timeout_s=Fraction(timeout_s)),
    )


def refusal(case: Case, folder: Path) -> str:
    with pytest.raises(CollectError) as caught:
        collect(case, folder, Path("/nonexistent"))
    return str(caught.value)


def test_the_app_writes_its_profile_where_it_is_told(folder: Path, make_app: MakeApp) -> None:
    app = make_app(WRITE + 'echo "$NPUPERF_OUTPUT|$1"')
    found = collect(case(app, "two words"), folder, Path("/nonexistent"))
    assert isinstance(found, Collected)
    assert found.rounds == (folder / "round_1",)
    assert (folder / "round_1.log").read_text() == f"{folder}/round_1|two words\n"
    # It is not msprof that runs, so its options do not count.
    assert found.fingerprint.keys() == {"app", "app_sha256"}


def test_msprof_is_not_needed(
    folder: Path, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(WRITE)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert isinstance(collect(case(app), folder, Path("/nonexistent")), Collected)


def test_its_exit_status_counts_although_it_wrote(folder: Path, make_app: MakeApp) -> None:
    app = make_app(WRITE + "echo boom >&2; exit 3")
    assert refusal(case(app), folder) == (
        f"the app {app} ended with exit code 3; log: {folder}/round_1.log\n    boom"
    )


def test_it_was_killed(folder: Path, make_app: MakeApp) -> None:
    app = make_app(WRITE + "kill -SEGV $$")
    assert refusal(case(app), folder) == (
        f"the app {app} was ended by SIGSEGV; log: {folder}/round_1.log"
    )
    app = make_app(WRITE + "kill -40 $$", "other")
    assert refusal(case(app), folder / "2").startswith(f"the app {app} was ended by signal 40;")


@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("exit 0", "nothing"),
        (
            'mkdir -p "$NPUPERF_OUTPUT/x_ascend_pt/FRAMEWORK"; touch "$NPUPERF_OUTPUT/a.json"',
            "a.json, x_ascend_pt without tables",
        ),
    ],
)
def test_no_tables(folder: Path, make_app: MakeApp, script: str, what: str) -> None:
    app = make_app(script)
    assert refusal(case(app), folder) == (
        f"the app {app} wrote {what} into $NPUPERF_OUTPUT ({folder}/round_1); {REMEDY}; "
        f"log: {folder}/round_1.log"
    )


def test_a_timeout(folder: Path, make_app: MakeApp) -> None:
    app = make_app("sleep 1000")
    assert refusal(case(app, timeout_s=1), folder) == (
        f"the app {app} did not end within 1 s and was stopped; raise "
        f"msprof.timeout, or see why it hangs; partial data is kept in {folder}/round_1; "
        f"log: {folder}/round_1.log"
    )


def test_a_failing_round_ends_the_case(folder: Path, make_app: MakeApp) -> None:
    app = make_app(WRITE + '[ "${NPUPERF_OUTPUT##*/}" = round_1 ]')
    several = Case("a", app=(str(app),), collector="app", mode="run", rounds=3)
    assert refusal(several, folder) == (
        f"the app {app} ended with exit code 1; log: {folder}/round_2.log"
    )
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["round_1", "round_1.log", "round_2", "round_2.log"]
