"""Kernels that ``msprof op`` measured: each has the same tables, or some of them were lost."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import count
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.files import KERNEL_DEVICE, KERNEL_NUMBER, TableFile
from pytest_npuperf.profile.folders import listing, refuse_links
from pytest_npuperf.profile.opprof_tables import KERNEL_TABLE
from pytest_npuperf.profile.tables import BY_NAME

_ADVICE = "measure it again with msprof op, or remove its folder"


def refuse_holes(files: Sequence[TableFile], folders: Sequence[Path]) -> None:
    """Raise ProfileError where a kernel lacks a table that it must have, or that another has.

    Neither may a kernel itself be missing. ``folders`` are the ``OPPROF_*`` and all those in it.
    """
    kernels: dict[Path, set[str]] = {}
    holders: dict[str, Path] = {}
    for file in files:
        kernels.setdefault(file.path.parent, set()).add(file.table.name)
        holders.setdefault(file.table.name, file.path.parent)
    if kernels and folders[0] not in kernels:
        # Of a kernel that failed among several, only its folder NAME/N is left.
        kernels.update({path: set() for path in folders if _is_lost(path, kernels)})
        _refuse_linked(folders, kernels)
        _refuse_idle_devices(folders, kernels)
    for kernel, tables in sorted(kernels.items()):
        for table in (KERNEL_TABLE, *holders):
            if table not in tables:
                raise ProfileError(_hole(kernel, table, holders.get(table)))
    _refuse_missing(kernels)


def _is_lost(folder: Path, kernels: Collection[Path]) -> bool:
    if _is_of_kernel(folder, kernels) or KERNEL_DEVICE.fullmatch(folder.name):
        return False
    is_emptied = folder.name != "dump" and not listing(folder)
    return KERNEL_NUMBER.fullmatch(folder.name) is not None or is_emptied


def _is_of_kernel(folder: Path, kernels: Collection[Path]) -> bool:
    return any(each in kernels for each in (folder, *folder.parents))


def _refuse_linked(folders: Iterable[Path], kernels: Collection[Path]) -> None:
    """Refuse links in the place of folders: a kernel may have any name."""
    for folder in folders:
        if not _is_of_kernel(folder, kernels):
            refuse_links(child for child in listing(folder) if not child.is_file())


def _refuse_idle_devices(folders: Sequence[Path], kernels: Collection[Path]) -> None:
    used = {parent for kernel in kernels for parent in kernel.parents}
    for folder in folders:
        is_device = KERNEL_DEVICE.fullmatch(folder.name) and folder.parent == folders[0]
        if is_device and folder not in used:
            raise ProfileError(f"{folder}: a device without kernels; {_ADVICE}")


def _hole(kernel: Path, table: str, holder: Path | None) -> str:
    (name,) = BY_NAME[table].files
    owner = (
        "as every kernel has" if holder is None else f"which {holder.parent.name}/{holder.name} has"
    )
    return f"{kernel}: a kernel without {name}, {owner}; {_ADVICE}"


def _refuse_missing(kernels: Collection[Path]) -> None:
    """Refuse a hole in the numbers of a kernel's executions, which begin with 0."""
    numbers: dict[Path, set[int]] = {}
    for kernel in kernels:
        if KERNEL_NUMBER.fullmatch(kernel.name):
            numbers.setdefault(kernel.parent, set()).add(int(kernel.name))
    for home, found in sorted(numbers.items()):
        wanted = next(number for number in count() if number not in found)
        if wanted < max(found):
            raise ProfileError(
                f"{home / str(max(found))}: a kernel without {home.name}/{wanted} before it; "
                "measure it again with msprof op, or number the folders from 0 without a hole"
            )
