"""Run an app that profiles itself, as torch_npu and MindSpore programs do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytest_npuperf.collect.command import find_app
from pytest_npuperf.collect.ending import check_ending
from pytest_npuperf.collect.log import failure
from pytest_npuperf.collect.process import Start, run_program
from pytest_npuperf.model import Case

OUTPUT = "NPUPERF_OUTPUT"

# rank_ascend_pt / ASCEND_PROFILER_OUTPUT / table, or PROF_* / mindstudio_profiler_output / table
_TABLES = ("*.csv", "*/*.csv", "*/*/*.csv", "*/*/*/*.csv")
_REMEDY = (
    "give the profiler on_trace_ready="
    'torch_npu.profiler.tensorboard_trace_handler(os.environ["NPUPERF_OUTPUT"]), '
    "in MindSpore mindspore.profiler.tensorboard_trace_handler"
)


def profile_itself(case: Case, output: Path, start: Start) -> None:
    """Run the app of a case, which writes its profile into ``output``, named in NPUPERF_OUTPUT.

    Raises CollectError when it fails or leaves no tables.
    """
    start = replace(start, env={**start.env, OUTPUT: str(output)})
    ended = run_program(find_app(case, start.env), start)
    check_ending(f"the app {case.app[0]}", ended, output, start)
    if ended.status:
        raise failure(f"the app {case.app[0]} ended with exit code {ended.status}", start.log)
    if any(any(output.glob(pattern)) for pattern in _TABLES):
        return
    found = sorted(path.name for path in output.iterdir())
    what = f"{', '.join(found[:3])} without tables" if found else "nothing"
    raise failure(
        f"the app {case.app[0]} wrote {what} into ${OUTPUT} ({output}); {_REMEDY}", start.log
    )
