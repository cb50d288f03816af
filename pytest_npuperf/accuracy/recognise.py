"""Whether a path is a file about a quantised model, or the folder of a search: by its content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_npuperf.accuracy.amct import FINAL_CONFIG, RANKING, RECORD
from pytest_npuperf.accuracy.comparison import GOLDEN, MINE, OF_PYTORCH
from pytest_npuperf.globs import matches
from pytest_npuperf.model import CalibrationFiles, LayerFiles

_HEAD = 2**16
"""Bytes that are looked at; a profile may be large."""
_LOG = "amct_log"
"""The folder that AMCT makes for its record and its log, where it is run."""
_RESULTS = "results"
"""The folder that the vendor's samples name for the rest."""
_PROFILES = (
    *("PROF_*", "OPPROF_*", "*_ascend_pt", "*_ascend_ms", "msprof_*"),
    *("ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output"),
)
"""What else may be where AMCT was run; such a folder is shown as a profile."""
_IN_JSON = re.compile(
    r'"(?:batch_num|quant_enable|activation_quant_params|weight_quant_params)"\s*:'
)
_IN_TEXT = re.compile(
    r"^[ \t]*(?:batch_num|activation_offset|weight_offset|joint_quant|do_fusion|update_bn"
    r"|fakequant_precision_mode|skip_(?:layers|layer_types|fusion_layers|approximation_layers)"
    r"|override_layers?_\w+|tensor_quantize|quant_layers"
    r"|(?:common|nuq|bn_update|kv_cache_quant|conv_calibration|fc_calibration)_config)\s*[:{]",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Search:
    """The folders of an accuracy-based search of AMCT."""

    log_dir: Path
    result_dir: Path | None
    """Where the final config and the ranking are; None where neither is found."""


def recognise(path: Path) -> LayerFiles | CalibrationFiles | Search | None:
    """Return which files of AMCT or of the accuracy comparison a path means.

    None for everything else: profiles, what is not there, and what cannot be read.
    """
    try:
        if path.is_file():  # to open a pipe would wait for its other end
            return _file(path)
        return _search(path) if path.is_dir() else None
    except OSError:
        # Whoever reads it next says so.
        return None


def _file(path: Path) -> LayerFiles | CalibrationFiles | Search | None:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.decode("utf-8-sig", errors="replace")
    if path.name == RECORD:
        return _search(path.parent)
    if "\0" in text:
        return None
    if _is_comparison(text.partition("\n")[0]):
        return LayerFiles(path)
    wanted = _IN_JSON if text.lstrip().startswith("{") else _IN_TEXT
    return CalibrationFiles(path) if wanted.search(text) else None


def _is_comparison(header: str) -> bool:
    """Return whether a header is that of a comparison, of the PyTorch one, too."""
    cells = {cell.strip().strip('"') for cell in header.split(",")}
    return bool(cells & {*MINE} and cells & {*GOLDEN}) or OF_PYTORCH in cells


def _search(path: Path) -> Search | None:
    log_dir = next((each for each in (path, path / _LOG) if (each / RECORD).is_file()), None)
    if log_dir is None or any(matches(each.name, _PROFILES) for each in path.iterdir()):
        return None
    found = (each for each in _likely(log_dir) if _has_results(each))
    return Search(log_dir, next(found, None))


def _likely(log_dir: Path) -> Iterator[Path]:
    """Yield where the results of a search may be, the likeliest first."""
    beside = log_dir.parent
    yield from (log_dir, log_dir / _RESULTS, beside / _RESULTS)
    if log_dir.name == _LOG:
        yield beside
        yield from sorted(each for each in beside.iterdir() if each.is_dir())


def _has_results(folder: Path) -> bool:
    return any(each for name in (FINAL_CONFIG, RANKING) for each in folder.glob(name))
