"""Make what a search of AMCT leaves behind: made up, but laid out as AMCT writes it.

Run it without arguments to write it into ``quantised/``, or with a folder to write it there. The
search takes seven steps, ends with two of the 54 layers in float, and is always the same.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from resnet50 import resnet50

ORIGINAL = 7_656  # accuracies are in hundredths of a percent
# How many of the most sensitive layers are in float, and how accurate the model is then.
STEPS = {0: 7_391, 27: 7_640, 13: 7_634, 6: 7_625, 3: 7_609, 1: 7_515, 2: 7_594}
ALLOWED = 100
MOST_SENSITIVE = {"conv1": 0.98104, "fc1000": 0.98671}
ENDED = "2026-07-30 17:42:08,116"


def layers() -> list[str]:
    """Return the layers that can be quantised, in the order of the network."""
    return [op.name for op in resnet50() if op.type in ("Conv2D", "MatMulV2")]


def ranking() -> dict[str, float]:
    """Return how like its float output the quantised output of each layer is, the worst first."""
    noise = random.Random(52)
    usual = {layer: round(0.9999 - 0.006 * noise.random() ** 3, 5) for layer in layers()}
    return dict(sorted({**usual, **MOST_SENSITIVE}.items(), key=lambda ranked: ranked[1]))


def steps() -> Iterator[dict[str, object]]:
    """Yield each configuration that was tried; ``true`` are the layers that stay quantised."""
    for in_float, accuracy in STEPS.items():
        order = list(ranking()) if in_float else layers()
        loss = ORIGINAL - accuracy
        yield {
            "roll_back_config": {layer: at >= in_float for at, layer in enumerate(order)},
            "metric_eval": [loss <= ALLOWED, loss / 10_000],
        }


def final_config() -> dict[str, object]:
    """Return the config of the model that was saved."""
    *_, in_float = STEPS
    float_layers = list(ranking())[:in_float]
    return {
        "version": 1,
        "batch_num": 2,
        "activation_offset": True,
        "do_fusion": True,
        "skip_fusion_layers": [],
        **{layer: _layer(layer not in float_layers) for layer in layers()},
    }


def _layer(is_quantised: bool) -> dict[str, object]:
    return {
        "quant_enable": is_quantised,
        "activation_quant_params": {"num_bits": 8, "act_algo": "ifmr"},
        "weight_quant_params": {"num_bits": 8, "wts_algo": "arq_quantize", "channel_wise": True},
    }


def log() -> str:
    """Return the end of the log, in which alone the accuracies stand."""
    *_, saved = STEPS.values()
    told = {"original": ORIGINAL, "global quantized": STEPS[0], "saved": saved}
    lines = [f"Accuracy of {which} model is {value / 10_000}" for which, value in told.items()]
    return "\n".join(f"{ENDED} - INFO - [AMCT]:[AMCT]: {line}" for line in lines)


def make(folder: Path) -> None:
    """Write the files of the search."""
    prefix = "accuracy_based_auto_calibration"
    # The steps follow each other with nothing between, so that the file is not JSON as a whole.
    _write(folder / "amct_log" / f"{prefix}_record.json", "".join(map(_json, steps())))
    _write(folder / "amct_log" / "amct_onnx.log", log() + "\n")
    results = folder / "results"
    _write(results / f"{prefix}_ranking_information.json", _json(list(ranking().items())))
    _write(results / f"{prefix}_final_config.json", _json(final_config()))


def _json(value: object) -> str:
    return json.dumps(value, indent=4, separators=(",", ":"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "quantised")
