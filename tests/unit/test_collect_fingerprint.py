from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from pytest_npuperf.collect import fingerprint as module
from pytest_npuperf.collect import told
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


def known_of(case: Case, env: dict[str, str], *rounds: Path) -> dict[str, str]:
    """Return what is known besides the app, whose program is not a file here."""
    found = module.fingerprint(case, env, Path("/nonexistent/main"), rounds)
    assert found.pop("app") == "main"
    return found


APP = ("./out/main", "secret.om")


def env_with(tmp_path: Path, told: str, status: int = 0) -> dict[str, str]:
    (tmp_path / "told").write_text(told)
    smi = tmp_path / "npu-smi"
    smi.write_text(f'#!/bin/sh\n[ "$*" = info ] && cat {tmp_path}/told\nexit {status}\n')
    smi.chmod(0o755)
    return {"PATH": f"{tmp_path}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("told", "known"),
    [
        (HEAD + chip(0, "910B3") + PROCESSES, {"soc": "Ascend910B3", "driver": "24.1.0"}),
        (chip(0, "310P3") + chip(32, "310P3", "Warning"), {"soc": "Ascend310P3"}),
        (chip(0, "Ascend910"), {"soc": "Ascend910"}),
        (chip(0, "310"), {"soc": "Ascend310"}),
        (chip(0, "910B3") + chip(1, "310P3"), {}),
        (HEAD + PROCESSES, {"driver": "24.1.0"}),
        # The tool's own version, and the driver's.
        ("| npu-smi 1.9.3        Version: 21.0.rc1       |\n", {"driver": "21.0.rc1"}),
        ("|npu-smi v1.0 Version:20.2.2.spc001|\n", {"driver": "20.2.2.spc001"}),
        ("| npu-smi 1.9.3        Version:                |\n", {}),
        ("| npu-smi 1.9.3        版本: 21.0.rc1           |\n| 0  芯片  | 正常 |\n", {}),
        ("", {}),
    ],
)
def test_the_chip_and_the_driver(tmp_path: Path, told: str, known: dict[str, str]) -> None:
    assert known_of(Case("a", APP), env_with(tmp_path, told)) == known


def test_bytes_that_are_no_text_hide_nothing_else(tmp_path: Path) -> None:
    env = env_with(tmp_path, "")
    (tmp_path / "told").write_bytes(b"\xff\xfe\n" + HEAD.encode() + chip(0, "910B3").encode())
    assert known_of(Case("a", APP), env) == {"soc": "Ascend910B3", "driver": "24.1.0"}


def test_npu_smi_that_fails_or_is_not_there(tmp_path: Path) -> None:
    env = env_with(tmp_path, HEAD + chip(0, "910B3"), status=1)
    assert known_of(Case("a", APP), env) == {}
    assert known_of(Case("a", APP), {"PATH": "/nonexistent"}) == {}


def test_npu_smi_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = env_with(tmp_path, HEAD)
    (tmp_path / "npu-smi").write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(told, "_SECONDS", 0.1)
    assert known_of(Case("a", APP), env) == {}


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
    known = known_of(Case("a", APP), {variable: str(tmp_path), "PATH": "/nonexistent"})
    assert known.get("cann") == cann


NOTHING = {"PATH": "/nonexistent"}


def test_the_options_of_msprof_count_where_msprof_runs() -> None:
    msprof = Msprof(options={"task-time": "l0", "aic-metrics": "Memory"})
    assert list(known_of(Case("a", APP, msprof=msprof), NOTHING).items()) == [
        ("msprof.aic-metrics", "Memory"),
        ("msprof.task-time", "l0"),
    ]
    assert known_of(Case("a", APP, collector="app", msprof=msprof), NOTHING) == {}


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("/home/anna/reports.json", "reports.json"),
        ("conf/reports.json", "reports.json"),
        ("reports.json", "reports.json"),
        ("/home/anna/", "anna"),
        ("/", "/"),
        (".", "."),
        ("Custom:0x1,0x2", "Custom:0x1,0x2"),
    ],
)
def test_no_folder_of_an_option_is_kept(value: str, kept: str) -> None:
    case = Case("a", APP, msprof=Msprof(options={"reports": value}))
    assert known_of(case, NOTHING) == {"msprof.reports": kept}


def test_what_the_profile_says_goes_before_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "version.cfg").write_text(VERSION)
    (tmp_path / "round_1").mkdir()
    info = {"cann_version": "8.3.RC1", "config": {"experimental_config": {"_aic_metrics": "L2"}}}
    (tmp_path / "round_1/profiler_info.json").write_text(json.dumps(info))
    env = {**NOTHING, "ASCEND_TOOLKIT_HOME": str(tmp_path)}
    assert known_of(Case("a", APP), env) == {"cann": "8.0.RC2"}
    assert known_of(Case("a", APP), env, tmp_path / "round_1") == {
        "cann": "8.3.RC1",
        "metrics": "L2",
    }


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"x" * ((1 << 20) + 1)])
def test_the_app_is_known_by_its_name_and_hash_alone(tmp_path: Path, content: bytes) -> None:
    program = tmp_path / "linked-to"
    program.write_bytes(content)
    case = Case("a", APP, env={"TOKEN": "secret"})
    assert module.fingerprint(case, NOTHING, program, ()) == {
        "app": "main",
        "app_sha256": hashlib.sha256(content).hexdigest(),
    }
    assert module.fingerprint(case, NOTHING, tmp_path, ()) == {"app": "main"}
    assert module.fingerprint(case, NOTHING, tmp_path / "gone", ()) == {"app": "main"}
