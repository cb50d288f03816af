"""What is checked out: a result, and the baseline that it may become, say what they are of."""

from __future__ import annotations

from pathlib import Path

from pytest_npuperf.collect.told import told_by

# No tag has a name that every name fits; and others may use the index at the same time.
_COMMAND = (
    *("git", "--no-optional-locks", "describe", "--always", "--exclude=*"),
    *("--abbrev=12", "--dirty=+"),
)


def commit(root: Path) -> str:
    """Return the commit of a git checkout, ``+`` where files differ from it; else nothing.

    Files that git does not know do not count: a run writes some itself.
    """
    return told_by(_COMMAND, cwd=root).strip()
