"""Where reports are written, and what is said where they cannot be."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_npuperf.errors import NpuperfError
from pytest_npuperf.plugin.options import forget_results
from pytest_npuperf.plugin.reports import append_text
from pytest_npuperf.results import write_text


def test_what_others_have_written_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    append_text(page, "one\n")
    append_text(page, "卷\n")
    assert page.read_bytes() == "one\n\n\n卷\n".encode()


def test_a_disk_that_fills_up_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text("before", encoding="utf-8")
    opened = Path.open

    class Filling:
        """A file that takes two bytes, and then no more."""

        def __init__(self, file: Any) -> None:
            self.file, self.written = file, 0

        def __enter__(self) -> Filling:
            return self

        def __exit__(self, *error: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> int:
            if self.written:
                raise OSError(28, "No space left on device")
            self.written = int(self.file.write(data[:2]))
            return self.written

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda *args, **more: Filling(opened(*args, **more)))
        with pytest.raises(NpuperfError) as caught:
            append_text(page, "report\n")
    assert str(caught.value) == f"{page}: the report was not added: No space left on device"
    assert page.read_text(encoding="utf-8") == "before"


def test_what_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    problems = {
        tmp_path / "file" / "a.md": "Not a directory",
        tmp_path / "folder": "Is a directory",
    }
    for path, why in problems.items():
        with pytest.raises(NpuperfError) as caught:
            write_text(path, "text", "the report was")
        assert str(caught.value) == f"{path}: the report was not written: {why}"
        with pytest.raises(NpuperfError) as caught:
            append_text(path, "text")
        assert str(caught.value) == f"{path}: the report was not added: {why}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_disk_that_is_full_leaves_no_half_of_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.md"
    report.write_text("before", encoding="utf-8")

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NpuperfError) as caught:
        write_text(report, "after", "the report was")
    assert str(caught.value) == f"{report}: the report was not written: No space left on device"
    assert report.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [report]


def test_a_terminal_is_written_to_and_not_replaced() -> None:
    reader, writer = os.openpty()
    try:
        write_text(Path(os.ttyname(writer)), "report", "the report was")
        assert os.read(reader, 100) == b"report"
    finally:
        os.close(reader)
        os.close(writer)


def test_a_new_report_takes_the_place_of_the_old_one_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "report.md").symlink_to("real.md")
    for text in ("old", "new"):
        write_text(tmp_path / "report.md", text, "the report was")
    assert (tmp_path / "real.md").read_text(encoding="utf-8") == "new"
    assert (tmp_path / "report.md").is_symlink()


def config(folder: Path, collect_only: bool = False, explain: bool = False) -> Any:
    """Return what is asked of a pytest.Config: a result and a report are to be written."""
    said = {"npuperf_json": Path("a.json"), "npuperf_markdown": Path("link.md")}
    said |= {"npuperf_explain": explain}  # type: ignore[dict-item]
    return SimpleNamespace(
        getoption=said.get,
        option=SimpleNamespace(collectonly=collect_only),
        invocation_params=SimpleNamespace(dir=folder),
    )


def test_what_an_earlier_run_wrote_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("b.md")
    for name in ("a.json", "b.md"):
        (tmp_path / name).touch()
    forget_results(config(tmp_path, collect_only=True))
    forget_results(config(tmp_path, explain=True))
    assert len(list(tmp_path.iterdir())) == 3
    forget_results(config(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["link.md"]
    forget_results(config(tmp_path))  # there is nothing any more


def test_no_folder_and_no_device_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    os.mkfifo(tmp_path / "device")
    (tmp_path / "link.md").symlink_to("device")
    forget_results(config(tmp_path))
    assert len(list(tmp_path.iterdir())) == 3
