"""Make a case of its merged settings."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from pytest_npuperf.config.artefacts import artefacts_of
from pytest_npuperf.config.layers import Merged
from pytest_npuperf.config.limits import limits_of
from pytest_npuperf.model import JSON, Case, Msprof, Noise, StepOptions
from pytest_npuperf.units import Dimension, parse


def build_case(name: str, merged: Merged) -> Case:
    """Return the case that settings describe, which are known to be right.

    What it is compared with in its session is for whoever knows the other cases, too. Raises
    ConfigError where a table lacks the files that it is about.
    """
    return Case(
        name=name,
        app=words(_value(merged, "app", default=[])),
        collector=_value(merged, "collector"),
        cwd=path_at(merged, "cwd"),
        env=_table(merged, "env"),
        recording=_recording(merged),
        rounds=_value(merged, "rounds"),
        steps=_steps(merged),
        soc=_value(merged, "soc"),
        msprof=_msprof(merged),
        limits=tuple(limits_of(merged)),
        mode=_value(merged, "mode"),
        when_unavailable=_value(merged, "when_unavailable"),
        inconclusive=_value(merged, "inconclusive"),
        strict=_value(merged, "strict"),
        devices=_devices(merged),
        record=_value(merged, "record"),
        noise=_noise(merged),
        baselines=path_at(merged, "baselines"),
        batch_size=_value(merged, "batch_size"),
        artefacts=artefacts_of(name, merged),
    )


def with_app(case: Case, app: str | list[str]) -> Case:
    """Return the same case with another app; it has no recording, and the name of the program."""
    program, *arguments = words(app)
    # It may be the same program with other arguments, which are nowhere told.
    name = f"the other {program}" if case.app[:1] == (program,) else program
    return replace(case, name=name, app=(program, *arguments), recording=None)


def words(app: str | list[str]) -> tuple[str, ...]:
    """Return a program and its arguments. Raises ValueError where a quote is not closed."""
    return tuple(shlex.split(app) if isinstance(app, str) else app)


def path_at(merged: Merged, key: str) -> Path:
    """Return a path that is relative to the file which says it."""
    setting = merged[key,]
    return setting.layer.base / str(setting.value)


def _value(merged: Merged, *path: str, default: JSON = None) -> JSON:
    return merged[path].value if path in merged else default


def _table(merged: Merged, *above: str) -> dict[str, str]:
    """Return a table that merges key by key, as text."""
    depth = len(above)
    return {
        str(path[depth]): _text(setting.value)
        for path, setting in merged.items()
        if path[:depth] == above
    }


def _text(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _recording(merged: Merged) -> Path | None:
    recording = _value(merged, "recording")
    return None if recording is None else path_at(merged, "recordings") / recording


def _steps(merged: Merged) -> StepOptions:
    return StepOptions(
        warmup_steps=_value(merged, "warmup_steps"),
        model=_value(merged, "model"),
        steps=_value(merged, "steps"),
    )


def msprof_command(merged: Merged) -> str:
    """Return the profiler: a name to look up, or a path relative to the file that says it."""
    setting = merged["msprof", "command"]
    command = str(setting.value)
    return str(setting.layer.base / command) if "/" in command else command


def _msprof(merged: Merged) -> Msprof:
    return Msprof(
        command=msprof_command(merged),
        options=_table(merged, "msprof", "options"),
        timeout_s=parse(_value(merged, "msprof", "timeout"), Dimension.TIME) / 10**9,
    )


def _noise(merged: Merged) -> Noise:
    return Noise(
        min_effect=parse(_value(merged, "min_effect"), Dimension.TIME),
        between_sessions=parse(_value(merged, "session_noise"), Dimension.SHARE),
    )


def _devices(merged: Merged) -> tuple[int, ...] | None:
    devices = _value(merged, "devices")
    return None if devices is None else tuple(devices)
