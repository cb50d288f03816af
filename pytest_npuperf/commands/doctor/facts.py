"""What a budget has, in words: its recording, its app, and what it is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_npuperf import results
from pytest_npuperf.collect.command import find_app, find_msprof
from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.model import Case, CaseResult, StepOptions
from pytest_npuperf.profile import Profile
from pytest_npuperf.text import many


def shorter(path: Path, root: Path) -> str:
    """Return a path for people, relative to the folder of the project where it is below it."""
    return str(path.relative_to(root) if path.is_relative_to(root) else path)


def app_of(case: Case, env: Mapping[str, str]) -> tuple[str, str]:
    """Return what to say of the app, and what keeps it from being profiled; empty if nothing."""
    if not case.app:
        return "", ""
    try:
        find_app(case, env)
    except NpuperfError as err:
        # The rest says what to do, which matters only where there is an NPU.
        return str(err).removeprefix("app: ").partition(";")[0], str(err)
    found = f"{case.app[0]} is there"
    try:
        if case.collector == "msprof":
            find_msprof(case, env)
    except NpuperfError as err:
        return found, str(err)
    return found, ""


def made(result: CaseResult) -> str:
    """Return when and on what a recording was made."""
    known = result.fingerprint
    date = f"recorded {result.recorded}" if result.recorded else "date unknown"
    cann = f"CANN {known['cann']}" if "cann" in known else "CANN unknown"
    return ", ".join((date, known.get("soc", "SoC unknown"), cann))


def contents(rounds: Sequence[Profile], options: StepOptions) -> str:
    """Return how much a recording holds: rounds, lanes and steps. Raises ProfileError."""
    lanes = [(profile, lane) for profile in rounds for lane in profile.lanes]
    steps = [profile.steps(lane, options) for profile, lane in lanes]
    counts = " or ".join(dict.fromkeys(str(each.count or "unknown") for each in steps))
    is_run = all(each.scope == "run" for each in steps)
    held = "the whole run" if is_run else "single steps of a longer run"
    held_too = [
        _several(len(rounds), "round"),
        _several(len(lanes) // len(rounds), "lane"),
        f"steps: {counts}",
    ]
    return ", ".join(filter(None, [held, *held_too]))


def _several(count: int, what: str) -> str:
    """Say how many there are; nothing of a single one."""
    return many(count, what) if count > 1 else ""


def before_of(case: Case, result: CaseResult, root: Path) -> dict[str, str]:
    """Return what limits with ``max_regression`` are compared with, where there are some."""
    if not case.compares:
        return {}
    if case.against is not None:
        return {"against": f"{case.against.name}, in the same session"}
    soc = result.fingerprint.get("soc")
    if not soc:
        return {"baseline": "none: they are kept by SoC, and the recording does not say its own"}
    path = results.baseline_path(case.baselines, case.name, soc)
    found = results.read_baseline(path, case.limits)
    if found is None:
        return {"baseline": f"none: there is no {shorter(path, root)}; npuperf accept makes one"}
    count = len(found.sessions)
    return {"baseline": f"{shorter(path, root)}, {many(count, 'session')}"}
