"""Save what was collected as a recording: its tables and a manifest, and nothing private."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from pytest_npuperf.collect.manifest import Manifest, write_manifest
from pytest_npuperf.errors import CollectError
from pytest_npuperf.model import MANIFEST

# Type, then device, model and iteration, slice and time: op_summary_0_1.csv,
# op_summary_slice_0_20260716234416.csv, kernel_details.csv, prof_rule_0.json.
_TABLE = re.compile(
    r"([a-z][a-z0-9_]*?)(?:_[0-9]{1,10}){0,4}(?:_slice_[0-9]+)?(?:_[0-9]{14})?\.(?:csv(?:\.gz)?|json)"
)
_INFO = re.compile(r"profiler_info(?:_([0-9]+))?\.json")
_FOLDERS = ("mindstudio_profiler_output", "summary", "ASCEND_PROFILER_OUTPUT")
# torch_npu puts the host name in front: HOST_PID_20260114085947065_ascend_pt.
_FRAMEWORK = re.compile(r".*?(_[0-9]{14,17})?(_ascend_(?:pt|ms))")
_DEPTH = 4


def save_recording(
    rounds: Sequence[Path],
    recording: Path,
    stems: Collection[str],
    fingerprint: Mapping[str, str],
    recorded: date,
) -> None:
    """Save the tables of the rounds whose names begin with one of ``stems`` at ``recording``.

    It is written whole or not at all, and replaces only an earlier recording of ours. Raises
    CollectError when a round has none of the tables or the place is taken.
    """
    if os.path.lexists(recording) and not (recording / MANIFEST).is_file():
        raise CollectError(
            f"{recording}: is not a recording made by --npuperf-record (it has no {MANIFEST}); "
            "move it away, or name another recording"
        )
    try:
        with _replacing(recording) as fresh:
            for number, source in enumerate(rounds, 1):
                target = fresh if len(rounds) == 1 else fresh / f"round_{number}"
                _copy_round(source, target, stems)
            write_manifest(fresh, Manifest(recorded.isoformat(), fingerprint, len(rounds)))
    except OSError as err:
        raise CollectError(
            f"{recording}: cannot be written: {err.strerror or err}; nothing was changed"
        ) from err


@contextmanager
def _replacing(recording: Path) -> Iterator[Path]:
    """Give a fresh folder beside a recording, which takes its place when the block ends well."""
    recording.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".npuperf-", dir=recording.parent) as scratch:
        fresh, old = Path(scratch, "new"), Path(scratch, "old")
        fresh.mkdir()
        yield fresh
        if not recording.exists():
            fresh.rename(recording)
            return
        recording.rename(old)
        try:
            fresh.rename(recording)
        except BaseException:
            old.rename(recording)
            raise


def _copy_round(source: Path, target: Path, stems: Collection[str]) -> None:
    tables = [path for path in _files(source) if _is_wanted(path, source, stems)]
    if not tables:
        raise CollectError(
            f"{source}: none of the tables to be recorded is there; wanted {', '.join(stems)}"
        )
    names = _public_names(source)
    for table in tables:
        shutil.copyfile(table, _place(table, source, target, names))
    for info in _files(source):
        if _INFO.fullmatch(info.name):
            _place(info, source, target, names).write_text(_reduced(info), encoding="utf-8")


def _is_wanted(path: Path, source: Path, stems: Collection[str]) -> bool:
    match = _TABLE.fullmatch(path.name)
    place = path.parent == source or path.parent.name in _FOLDERS
    return match is not None and match[1] in stems and place


def _files(source: Path) -> Iterator[Path]:
    """Yield the files of a round, a few levels deep, links left out."""
    base = len(source.parts)
    for folder, names, files in os.walk(source):
        if len(Path(folder).parts) - base >= _DEPTH:
            names.clear()
        names.sort()
        paths = (Path(folder, name) for name in sorted(files))
        yield from (path for path in paths if not path.is_symlink())


def _public_names(source: Path) -> dict[str, str]:
    """Return the names without a host for the directories of torch_npu and MindSpore."""
    folders = sorted(path for path in source.glob("*_ascend_*") if path.is_dir())
    names: dict[str, str] = {}
    for number, folder in enumerate(folders):
        match = _FRAMEWORK.fullmatch(folder.name)
        if match:
            ranks = sorted(filter(None, map(_rank, folder.iterdir())))
            tail = f"{match[1] or ''}{match[2]}"
            name = f"rank_{ranks[0]}{tail}" if ranks else ""
            taken = not name or name in names.values()
            names[folder.name] = f"process_{number}{tail}" if taken else name
    return names


def _place(path: Path, source: Path, target: Path, names: Mapping[str, str]) -> Path:
    """Return where a file of a round goes in a recording, with its folder made."""
    first, *rest = path.relative_to(source).parts
    place = target.joinpath(names.get(first, first), *rest)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _rank(path: Path) -> str | None:
    match = _INFO.fullmatch(path.name)
    return match[1] if match else None


def _reduced(info: Path) -> str:
    """Return the versions and the rank of a profiler_info file, which also holds settings."""
    try:
        content = json.loads(info.read_text(encoding="utf-8"))
    except ValueError as err:
        raise CollectError(f"{info}: is not JSON ({err}); profile again") from err
    kept = {
        key: value
        for key, value in (content.items() if isinstance(content, dict) else ())
        if key == "rank_id" or key.endswith("_version")
    }
    return json.dumps(kept, indent=4) + "\n"
