"""Every metric that is read from files about a quantised model."""

from __future__ import annotations

from pytest_npuperf.catalogue.metric import Metric
from pytest_npuperf.units import Dimension

_ARTEFACTS = (
    Metric(
        "layer_accuracy cosine",
        Dimension.NUMBER,
        "CosineSimilarity of an output of the quantised model with that of the float one",
        ("result_*.csv",),
        better="higher",
    ),
    Metric(
        "layer_accuracy euclidean",
        Dimension.NUMBER,
        "RelativeEuclideanDistance of the same outputs",
        ("result_*.csv",),
    ),
    Metric(
        "layer_accuracy kld",
        Dimension.NUMBER,
        "KullbackLeiblerDivergence of the same outputs",
        ("result_*.csv",),
    ),
    Metric(
        "layer_accuracy rmse",
        Dimension.NUMBER,
        "RootMeanSquareError of the same outputs",
        ("result_*.csv",),
    ),
    Metric(
        "layer_accuracy broken",
        Dimension.COUNT,
        "outputs with nan or inf, with an overflow, or all zero on one side only",
        ("result_*.csv",),
    ),
    Metric(
        "layer_accuracy not_compared",
        Dimension.COUNT,
        "outputs with a counterpart that were not compared",
        ("result_*.csv",),
    ),
    Metric(
        "calibration images",
        Dimension.COUNT,
        "batch_num of the quantisation config times the batch size",
        ("config.json", "quant.cfg"),
        better="higher",
    ),
    Metric(
        "amct rolled_back_share",
        Dimension.SHARE,
        "layers that the search gave back to float, as a share of those it began with",
        ("accuracy_based_auto_calibration_record.json",),
    ),
    Metric(
        "amct quantised_count",
        Dimension.COUNT,
        "layers that are quantised in the model that was saved",
        ("accuracy_based_auto_calibration_record.json",),
        better="higher",
    ),
)

ARTEFACTS = {metric.name: metric for metric in _ARTEFACTS}
"""What is read from files about a quantised model, by the table of a budget and the key in it."""
