from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.config import Options, Settings, load
from pytest_npuperf.errors import ConfigError


def _load(rootdir: Path, config: str | None = None) -> Settings | None:
    return load(rootdir, Options(config=None if config is None else Path(config)))


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[project]\nname = 'x'\n",
        "[tool.other]\nuses = 'npuperf'\n",
        "tool = 'npuperf'\n",
        "this is not TOML, and not about us",
    ],
)
def test_a_project_without_the_table_has_no_settings(tmp_path: Path, text: str) -> None:
    _write(tmp_path / "pyproject.toml", text)

    assert _load(tmp_path) is None


def test_a_project_without_the_file_has_no_settings(tmp_path: Path) -> None:
    assert _load(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["[tool.npuperf]\n", "tool = { npuperf = {} }", "\ufeff[tool.npuperf]"]
)
def test_an_empty_table_is_enough(tmp_path: Path, text: str) -> None:
    file = _write(tmp_path / "pyproject.toml", text)
    settings = _load(tmp_path)

    assert settings is not None
    assert settings.file == file
    assert settings.budgets == ()


def test_in_a_file_of_its_own_the_keys_stand_without_prefix(tmp_path: Path) -> None:
    _write(tmp_path / "pyproject.toml", "[tool.npuperf]\nmode = 'off'\n")
    file = _write(tmp_path / "perf" / "npuperf.toml", "mode = 'run'\n[budgets.a]\nrounds = 2\n")
    settings = _load(tmp_path, "perf/npuperf.toml")

    assert settings is not None
    assert settings.file == file
    assert settings.mode == "run"
    assert settings.where("a") == "perf/npuperf.toml:2"


def test_a_file_elsewhere_is_named_whole(tmp_path: Path) -> None:
    file = _write(tmp_path / "elsewhere.toml", "mode = 5\n")
    rootdir = tmp_path / "project"
    with pytest.raises(ConfigError) as refused:
        _load(rootdir, str(file))

    assert str(refused.value) == (
        f'{file}:1: mode: 5 is not known; write "auto", "run", "replay" or "off"'
    )


def test_another_pyproject_keeps_the_prefix(tmp_path: Path) -> None:
    _write(tmp_path / "sub" / "pyproject.toml", "[tool.npuperf]\nmode = 'run'\n")
    settings = _load(tmp_path, "sub/pyproject.toml")

    assert settings is not None
    assert settings.mode == "run"


BROKEN = [
    (
        "pyproject.toml",
        "[tool.npuperf]\nmode = auto\n",
        None,
        "pyproject.toml:2: not valid TOML: Invalid value (column 8)",
    ),
    (
        "pyproject.toml",
        "[tool.npuperf]\nmode = 'auto'\nmode = 'run'\n",
        None,
        "pyproject.toml:3: not valid TOML: Cannot overwrite a value (column 13)",
    ),
    (
        "pyproject.toml",
        "[tool.npuperf]\n\ndevices = [\n\n",
        None,
        "pyproject.toml:3: not valid TOML: Invalid value (at end of document)",
    ),
    (
        "pyproject.toml",
        "[project]\n",
        "pyproject.toml",
        "pyproject.toml: no table [tool.npuperf]; the settings were to be read from it",
    ),
    (
        "npuperf.toml",
        "[tool.npuperf]\nmode = 'run'\n",
        "npuperf.toml",
        'npuperf.toml:1: tool: unknown key "tool"; in a file of its own, '
        'the keys stand without "tool.npuperf."',
    ),
    (
        "npuperf.toml",
        "this is not TOML\n",
        "npuperf.toml",
        "npuperf.toml:1: not valid TOML: Expected '=' after a key in a key/value pair (column 6)",
    ),
    (
        "other.toml",
        "",
        "npuperf.toml",
        "npuperf.toml: no such file; the settings were to be read from it",
    ),
    (
        "npuperf.toml/x",
        "",
        "npuperf.toml",
        "npuperf.toml: cannot be read: Is a directory",
    ),
]


@pytest.mark.parametrize(("name", "text", "config", "problem"), BROKEN)
def test_a_file_that_cannot_be_used(
    tmp_path: Path, name: str, text: str, config: str | None, problem: str
) -> None:
    _write(tmp_path / name, text)
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, config)

    assert refused.value.problems == (problem,)


def test_a_number_that_python_does_not_read(tmp_path: Path) -> None:
    _write(tmp_path / "pyproject.toml", f"[tool.npuperf]\ndevices = [{'9' * 5000}]\n")
    with pytest.raises(ConfigError, match=r"^pyproject\.toml:2: not valid TOML: Exceeds the limit"):
        _load(tmp_path)


def test_the_lines_of_other_tools_are_not_ours(tmp_path: Path) -> None:
    text = "[a.b]\nmode = 1\n[tool.npuperf]\nmode = 5\n[c.d]\nmode = 1\n"
    _write(tmp_path / "pyproject.toml", text)
    with pytest.raises(ConfigError, match=r"^pyproject\.toml:4: mode: 5 is not known"):
        _load(tmp_path)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "npuperf.toml").write_bytes("mode = 'run'\n# 1700 µs\n".encode("latin-1"))
    with pytest.raises(ConfigError) as refused:
        _load(tmp_path, "npuperf.toml")

    assert str(refused.value) == "npuperf.toml:2: is not UTF-8; TOML files are"
