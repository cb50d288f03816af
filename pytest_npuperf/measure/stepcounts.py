"""How many steps are in tables that do not cover what the op tables do."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_npuperf.model import StepOptions
from pytest_npuperf.profile import Lane, Profile
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.steps import StepCount, count_steps, iterations


def run_steps(profile: Profile, lane: Lane, options: StepOptions) -> StepCount:
    """Return how many steps the whole run had, of which tables about the host tell.

    Raises ProfileError.
    """
    steps = profile.steps(lane, options)
    if steps.scope == "run":
        return steps
    trace = iterations(profile.lane_rows(lane, "step_trace"), options.model)
    if trace is not None and len(trace):
        return StepCount(len(trace))
    reason = "the profile does not say how many steps the whole run had; add `steps = N`"
    return StepCount(options.steps, reason=reason)


def steps_in(
    files: Sequence[TableFile], profile: Profile, lane: Lane, options: StepOptions
) -> StepCount:
    """Return how many steps of a lane are in some files: by their names, else as in the op table.

    Raises ProfileError.
    """
    # Where only a timeline is there, nothing tells the lane which device it is.
    own = [file for file in files if file.device in (None, lane.device)] or files
    # The others hold the whole run, whatever step their names say.
    stepped = [file for file in own if file.once_per == "step"]
    return count_steps(stepped, lambda table: profile.lane_rows(lane, table), options)
