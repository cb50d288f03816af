"""An accuracy-based automatic quantisation of AMCT, from the files that it leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pytest_npuperf.accuracy.amctlog import Accuracies, accuracies_of
from pytest_npuperf.accuracy.files import listed, matching, text_of
from pytest_npuperf.accuracy.searches import Step, read_final_config, read_ranking, read_steps
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import AmctFiles, Limit, Value
from pytest_npuperf.text import clipped, many, named, printable, shown

RECORD = "accuracy_based_auto_calibration_record.json"
FINAL_CONFIG = "accuracy_based_auto_calibration_final_config.json"
# It ends in _information.json; two of the vendor's pages call it _info.json.
RANKING = "accuracy_based_auto_calibration_ranking_info*.json"
_LOG = "amct_*.log"


@dataclass(frozen=True)
class AmctRun:
    """What a search came to; layers have the names that the framework gives them."""

    record: Path
    steps: tuple[Step, ...]
    ranking: Mapping[str, float]
    """How like its float output a layer's quantised output is; empty where it is not known."""
    notes: tuple[str, ...]
    """The accuracies, what is not there and what is not of this run, in sentences."""

    @property
    def rolled_back(self) -> tuple[str, ...]:
        """Return the layers that the search gave back to float, most sensitive first."""
        layers = self.steps[-1].rolled_back
        return tuple(sorted(layers, key=lambda layer: self.ranking.get(layer, float("inf"))))

    def values(self) -> Mapping[str, Value]:
        """Return both numbers of the table; they are about the last step alone."""
        whole = len(self.steps[0].layers)
        return {
            "rolled_back_share": Value(Fraction(len(self.rolled_back), whole), whole),
            "quantised_count": Value(Fraction(whole - len(self.rolled_back)), whole),
        }

    def findings(self, limits: Sequence[Limit]) -> Sequence[str]:  # noqa: ARG002 - as of Reading
        """Return which layers were rolled back, and the notes."""
        return (f"{self.record}: {self._outcome()}", *self.notes)

    def _outcome(self) -> str:
        last = self.steps[-1]
        begin = f"{_quantised(last)} quantised after {many(len(self.steps), 'step')}"
        if not last.quantised:
            begin += ", and no model was saved"
        if not last.rolled_back:
            return begin
        return f"{begin}; rolled back: {listed([self._layer(name) for name in self.rolled_back])}"

    def _layer(self, name: str) -> str:
        similarity = self.ranking.get(name)
        if similarity is None:
            return named(name)
        if not 0 <= similarity <= 1:
            # A sensitivity of the user's own, of which nothing is known.
            return f"{named(name)} (ranked {similarity:.5g})"
        return f"{named(name)} (similarity {similarity:.5g}, cosine {2 * similarity - 1:.4g})"


def read_amct(files: AmctFiles) -> AmctRun:
    """Read a search: its steps, and what the other files say of them. Raises AccuracyError."""
    record = files.log_dir / RECORD
    steps = read_steps(record)
    ranking, unranked = _ranking(files.result_dir, steps[-1])
    notes = (*_accuracies(files.log_dir), *_final_config(files, steps), *unranked)
    return AmctRun(record, steps, ranking, notes)


def _final_config(files: AmctFiles, steps: Sequence[Step]) -> tuple[str, ...]:
    """Refuse a last step that is not the model that was saved; return what to say otherwise."""
    path, record = files.result_dir / FINAL_CONFIG, files.log_dir / RECORD
    last = steps[-1]
    is_there = bool(matching(files.result_dir, FINAL_CONFIG))
    if not last.quantised:
        # AMCT says that the search succeeded, and leaves the config of an earlier one where it is.
        return (f"{path}: of an earlier search; this one saved no model",) if is_there else ()
    if not is_there:
        raise AccuracyError(
            f"{path}: not there, though the last step of {record} quantises {_quantised(last)}; "
            "AMCT saved no model, or the files are of two searches: run it again"
        )
    enabled = read_final_config(path)
    if odd := sorted(enabled ^ {*last.quantised}):
        raise AccuracyError(
            f"{path}: quantises {many(len(enabled), 'layer')}, though the last step of {record} "
            f"quantises {_quantised(last)} ({shown(odd[0])} differs); one of them is cut, edited "
            "or of another search: run AMCT again"
        )
    if not last.satisfied:
        # With a metric that varies, or a strategy of the user's own; AMCT saves the model anyway.
        raise AccuracyError(
            f"{record}: the last step, whose model was saved, is not accurate enough "
            f"(metric_eval false, {clipped(last.loss, 20)}); run AMCT again, with a target that "
            "can be met"
        )
    return ()


def _quantised(step: Step) -> str:
    whole = many(len(step.layers), "layer")
    return f"{len(step.quantised)} of {whole}"


def _ranking(folder: Path, step: Step) -> tuple[Mapping[str, float], tuple[str, ...]]:
    """Return the ranking of the layers, or a sentence that says that there is none."""
    path = _only(folder, RANKING, matching(folder, RANKING))
    if path is None:
        return {}, (f"{folder}: no {RANKING}, so how sensitive the layers are is not known",)
    ranking = read_ranking(path)
    if strange := [layer for layer in ranking if layer not in step.layers]:
        raise AccuracyError(
            f"{path}: {shown(strange[0])} is ranked, and is no layer of the search; "
            "the file is of another search: run AMCT again"
        )
    return ranking, ()


def _accuracies(folder: Path) -> tuple[str, ...]:
    """Return the accuracies that the log of the search says, or that they are not known."""
    written = [path for path in matching(folder, _LOG) if path.stat().st_size]
    logs = {path: accuracies_of(text_of(path)) for path in written}
    path = _only(folder, _LOG, [path for path, said in logs.items() if said])
    if path is None:
        return (f"{folder}: no {_LOG} with accuracies, so those of the models are not known",)
    return (f"{path}: {_told(logs[path])}",)


def _told(said: Accuracies) -> str:
    parts = {"original": said.original, "all quantised": said.quantised, "saved": said.saved}
    return ", ".join(f"{name} {_short(text)}" for name, text in parts.items())


def _short(text: str) -> str:
    try:
        return f"{float(text):.6g}"
    except ValueError:
        return clipped(printable(text), 40) or "not said"


def _only(folder: Path, glob: str, found: Sequence[Path]) -> Path | None:
    if len(found) > 1:
        names = listed([named(path.name) for path in found])
        raise AccuracyError(
            f"{folder}: {names} may each be the {glob} of this search; leave the one that is"
        )
    return found[0] if found else None
