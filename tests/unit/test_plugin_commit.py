"""What is checked out, as git says it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pytest_npuperf.plugin.commit import commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout of one commit with one file."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, "/dev/null")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "app.py").write_text("1\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "app.py")
    author = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    git(tmp_path, *author, "commit", "--quiet", "--message=first")
    return tmp_path


def git(folder: Path, *command: str) -> str:
    told = subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True, text=True)
    return told.stdout.strip()


def test_the_commit_of_a_clean_checkout(checkout: Path) -> None:
    name = commit(checkout)
    assert len(name) == 12
    assert git(checkout, "rev-parse", "HEAD").startswith(name)


def test_a_tag_is_no_commit(checkout: Path) -> None:
    name = commit(checkout)
    git(checkout, "-c", "user.name=n", "-c", "user.email=n@example.org", "tag", "-m", "x", "v1")
    assert commit(checkout) == name


def test_a_changed_file_counts_and_an_unknown_one_does_not(checkout: Path) -> None:
    name = commit(checkout)
    (checkout / "unknown").touch()
    assert commit(checkout) == name
    (checkout / "app.py").write_text("2\n", encoding="utf-8")
    assert commit(checkout) == f"{name}+"


def test_below_the_root_of_a_checkout(checkout: Path) -> None:
    (checkout / "below").mkdir()
    assert commit(checkout / "below") == commit(checkout)


def test_what_is_no_checkout_has_no_commit(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    assert commit(checkout) == ""


def test_a_checkout_without_a_commit(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    git(checkout, "init", "--quiet")
    assert commit(checkout) == ""


def test_without_git_the_commit_is_unknown(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(checkout))
    assert commit(checkout) == ""
