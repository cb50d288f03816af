"""Kernels that ``msprof op`` measured: each has the same tables, or some of them were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_npuperf.errors import ProfileError
from pytest_npuperf.profile.files import TableFile
from pytest_npuperf.profile.opprof_tables import KERNEL_TABLE
from pytest_npuperf.profile.tables import BY_NAME


def refuse_holes(files: Sequence[TableFile], folders: Sequence[Path]) -> None:
    """Raise ProfileError where a kernel lacks a table that it must have, or that another has.

    ``folders`` are the ``OPPROF_*`` and all those in it.
    """
    kernels: dict[Path, set[str]] = {}
    holders: dict[str, Path] = {}
    for file in files:
        kernels.setdefault(file.path.parent, set()).add(file.table.name)
        holders.setdefault(file.table.name, file.path.parent)
    if kernels and folders[0] not in kernels:
        # Of a kernel that failed among several, only its folder NAME/N is left.
        kernels.update({path: set() for path in folders if _is_lost(path, kernels)})
    for kernel, tables in sorted(kernels.items()):
        for table in (KERNEL_TABLE, *holders):
            if table not in tables:
                raise ProfileError(_hole(kernel, table, holders.get(table)))


def _is_lost(folder: Path, kernels: Mapping[Path, object]) -> bool:
    return folder.name.isdigit() and folder not in kernels


def _hole(kernel: Path, table: str, holder: Path | None) -> str:
    (name,) = BY_NAME[table].files
    owner = "as every kernel has" if holder is None else f"which {_short(holder)} has"
    return (
        f"{kernel}: a kernel without {name}, {owner}; "
        "measure it again with msprof op, or remove its folder"
    )


def _short(kernel: Path) -> str:
    return f"{kernel.parent.name}/{kernel.name}"
