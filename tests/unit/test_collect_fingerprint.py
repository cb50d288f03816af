from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.collect.fingerprint import fingerprint
from pytest_npuperf.model import Case, Msprof

HEAD = """
+------------------------------------------------------------------------------------+
| npu-smi 24.1.0                  Version: 24.1.0                                      |
+---------------------------+---------------+----------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)   Hugepages-Usage   |
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)            |
+===========================+===============+========================================+
"""
PROCESSES = (
    "| NPU     Chip    | Process id    | Process name |\n| 0       0       | 4711 | python |\n"
)


def chip(number: int, name: str, health: str = "OK") -> str:
    return (
        f"| {number}     {name}               | {health}            | 94.7        54        |\n"
        f"| 0       {number + 200}                 | 0000:C1:00.0  | 0           0    / 0    |\n"
    )


def env_with(tmp_path: Path, told: str, status: int = 0) -> dict[str, str]:
    (tmp_path / "told").write_text(told)
    smi = tmp_path / "npu-smi"
    smi.write_text(f'#!/bin/sh\n[ "$*" = info ] && cat {tmp_path}/told\nexit {status}\n')
    smi.chmod(0o755)
    return {"PATH": f"{tmp_path}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("told", "known"),
    [
        (HEAD + chip(0, "910B3") + PROCESSES, {"soc": "Ascend910B3"}),
        (HEAD + chip(0, "310P3") + chip(32, "310P3", "Warning"), {"soc": "Ascend310P3"}),
        (HEAD + chip(0, "Ascend910"), {"soc": "Ascend910"}),
        (HEAD + chip(0, "310"), {"soc": "Ascend310"}),
        (HEAD + chip(0, "910B3") + chip(1, "310P3"), {}),
        (HEAD + PROCESSES, {}),
        ("", {}),
    ],
)
def test_the_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, known: dict[str, str]
) -> None:
    env = env_with(tmp_path, told)
    monkeypatch.setenv("PATH", env["PATH"])
    assert fingerprint(Case("a"), env) == known


def test_npu_smi_that_fails_or_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = env_with(tmp_path, HEAD + chip(0, "910B3"), status=1)
    monkeypatch.setenv("PATH", env["PATH"])
    assert fingerprint(Case("a"), env) == {}
    monkeypatch.setenv("PATH", "/nonexistent")
    assert fingerprint(Case("a"), {"PATH": "/nonexistent"}) == {}


VERSION = (
    "# version: 1.0\nruntime_running_version=[7.3.0.1.231:8.0.RC1]\n"
    "toolkit_running_version=[7.3.0.1.231:8.0.RC2]\n"
)


@pytest.mark.parametrize(
    ("files", "cann"),
    [
        ({"version.cfg": VERSION}, "8.0.RC2"),
        (
            {
                "aarch64-linux/ascend_toolkit_install.info": (
                    "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\n"
                    "innerversion=V100R001C21B071\ncompatible_version=[V100R001C15]\n"
                )
            },
            "8.1.RC1",
        ),
        (
            {
                "version.cfg": "nothing of use\n",
                "x86_64-linux/ascend_toolkit_install.info": "version=8.5.0\n",
            },
            "8.5.0",
        ),
        ({}, None),
    ],
)
@pytest.mark.parametrize("variable", ["ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"])
def test_the_cann_release(
    tmp_path: Path, files: dict[str, str], cann: str | None, variable: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    known = fingerprint(Case("a"), {variable: str(tmp_path), "PATH": "/nonexistent"})
    assert known.get("cann") == cann


def test_the_options_of_msprof_count_where_msprof_runs() -> None:
    msprof = Msprof(options={"task-time": "l0", "aic-metrics": "Memory"})
    env = {"PATH": "/nonexistent"}
    assert list(fingerprint(Case("a", msprof=msprof), env).items()) == [
        ("msprof.aic-metrics", "Memory"),
        ("msprof.task-time", "l0"),
    ]
    assert fingerprint(Case("a", collector="app", msprof=msprof), env) == {}
