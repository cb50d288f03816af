"""How much a quantised model loses layer by layer, from the results of the accuracy comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_npuperf.accuracy.comparison import read_comparison
from pytest_npuperf.accuracy.files import listed
from pytest_npuperf.accuracy.interval import (
    Bounds,
    Interval,
    bounds_of,
    interval_of,
    is_good,
    what_is_bad,
)
from pytest_npuperf.accuracy.layernumbers import (
    Judge,
    broken,
    metric_of,
    not_compared,
)
from pytest_npuperf.accuracy.tensors import METRICS, Comparison, Tensor
from pytest_npuperf.model import LayerFiles, Limit, Value
from pytest_npuperf.text import many

_ADVICE = {
    "stage1": "in quantisation: check that the calibration data are 10 to 100 images like those "
    "that the model will see; then leave the first and the last layer in float",
    "stage2": "in conversion: leave {} in float, and quantise again; where many operators lose a "
    "little each, go back to stage1",
}
"""What the guide of the comparison says."""


@dataclass(frozen=True)
class LayerAccuracy:
    """One result, or those of two stages."""

    comparisons: Mapping[str, Comparison]
    """By the stage; that of a single result is empty."""
    judge: Judge

    def values(self) -> Mapping[str, Value]:
        """Return the numbers of the table: of stages the worse metric, and the sum of counts."""
        files = [*self.comparisons.values()]
        return {
            **{key: metric_of(files, key, self.judge) for key in METRICS},
            "broken": broken(files),
            "not_compared": not_compared(files),
        }

    def findings(self, limits: Sequence[Limit]) -> Sequence[str]:
        """Return where the accuracy is lost, in which stage, and what was not compared."""
        bounds = bounds_of(limits)
        files = self.comparisons.items()
        stages = [
            _Stage(stage, interval_of(each, bounds), self._is_good(each, bounds))
            for stage, each in files
        ]
        first = stages[0].is_good
        told = [line for each in stages for line in each.told(after_good=first)]
        return (*told, *(line for _, each in files for line in _unknown(each)))

    def _is_good(self, comparison: Comparison, bounds: Bounds) -> bool | None:
        """Return whether what is judged is good; None where that is not known."""
        tensors = comparison.last_outputs if self.judge == "output" else comparison.outputs
        seen = {is_good(each, bounds) for each in tensors}
        if False in seen:
            return False
        return True if seen == {True} else None


@dataclass(frozen=True)
class _Stage:
    """What one file comes to."""

    name: str
    found: Interval
    outcome: bool | None
    """Whether what is judged is good; None where that is not known."""

    @property
    def culprit(self) -> Tensor | None:
        """Return what is to blame: a broken operator is, even if the output is good."""
        if self.outcome is False:
            return self.found.first_bad
        operators = self.found.comparison.operators
        return next((each for op in operators if (each := op.broken)), None)

    @property
    def is_good(self) -> bool:
        """Return whether nothing is to blame, and that is known."""
        return self.outcome is True and self.culprit is None

    def told(self, after_good: bool) -> Iterator[str]:
        """Tell where it is lost, and what the guide advises."""
        bad = self.found.first_bad
        is_judged = bad is None or not self.outcome or bad == self.culprit
        remark = "" if is_judged else ' (not judged: judge = "output")'
        yield f"{self.found.comparison.path}: {_told(self.found)}{remark}"
        if self.name and self.culprit:
            first = "stage1 is good, and " if self.name == "stage2" and after_good else ""
            yield f"{first}{self.name} loses it, {_ADVICE[self.name].format(self.culprit.place)}"


def read_layers(files: LayerFiles) -> LayerAccuracy:
    """Read the results that a budget names. Raises AccuracyError."""
    return LayerAccuracy(
        {stage: read_comparison(path) for stage, path in files.stages}, files.judge
    )


def _told(found: Interval) -> str:
    """Return the interval in which the accuracy is lost, or that it is not."""
    bad, good, skipped = found.first_bad, found.last_good, found.not_compared
    if bad is None:
        operators = found.comparison.operators
        compared = sum(op.not_compared is None for op in operators)
        told = f"{compared} of {many(len(operators), 'operator')} compared"
        return f"{told}, no bad output" if compared else told
    parts = [
        f"first bad: {bad.place} {what_is_bad(bad, found.bounds)}",
        f"last good: {good.place}" if good else "no output before it is known to be good",
    ]
    if skipped:
        were = "was" if skipped == 1 else "were"
        parts.append(f"{many(skipped, 'operator')} between them {were} not compared")
    return "; ".join([*parts, *filter(None, [found.origin])])


def _unknown(comparison: Comparison) -> Iterator[str]:
    """Tell all that is broken, and what was not compared."""
    path = comparison.path
    if lost := [each for op in comparison.operators if (each := op.broken)]:
        told = listed([f"{each.place} ({each.fault})" for each in lost])
        yield f"{path}: {many(len(lost), 'operator')} broken: {told}"
    if missing := [each for op in comparison.operators if (each := op.not_compared)]:
        yield f"{path}: {many(len(missing), 'operator')} not compared: {_grouped(missing)}"


def _grouped(missing: Sequence[Tensor]) -> str:
    """Return why tensors were not compared, the most frequent reason first."""
    by_kind: dict[str, list[str]] = {}
    for each in missing:
        by_kind.setdefault(each.why, []).append(each.place)
    if len(by_kind) == 1:
        return "".join(f"{kind} ({listed(places)})" for kind, places in by_kind.items())
    most = sorted(by_kind.items(), key=lambda item: -len(item[1]))
    return "; ".join(f"{len(places)} {kind} ({listed(places)})" for kind, places in most)
