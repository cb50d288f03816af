"""Walk what lies below a recording: a few levels deep, following no links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# round_N / rank_ascend_pt / PROF_* / mindstudio_profiler_output / table
_DEPTH = 4


def below(recording: Path) -> Iterator[Path]:
    """Yield a recording and what is below it, folders before the files beside them, by name."""
    yield recording
    base = len(recording.parts)
    for folder, names, files in os.walk(recording):
        if len(Path(folder).parts) - base >= _DEPTH:
            names.clear()
        names.sort()
        yield from (Path(folder, name) for name in (*names, *sorted(files)))
