"""What a calibration config of AMCT says, whichever of its two forms it has."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_npuperf.errors import AccuracyError

FLAGS = ("activation_offset", "do_fusion", "joint_quant", "update_bn", "weight_offset")
"""The settings that are true or false, those of all frameworks."""


@dataclass(frozen=True)
class QuantConfig:
    """What matters of a config for the calibration."""

    batch_num: int
    """Batches of images that the calibration takes."""
    enabled: tuple[str, ...] | None
    """The layers that are quantised; None where the form does not list them."""
    joint_quant: bool
    notes: tuple[str, ...]
    """What people are to know of the file, in sentences."""


BATCH_NUM = 1
"""What AMCT takes where ``batch_num`` is not set."""
NOT_SET = f"batch_num is not set, and AMCT takes {BATCH_NUM}"


def check_batch_num(where: str, found: str, number: int | None) -> int:
    """Return ``batch_num``, read from what was found. Raises AccuracyError where it is none."""
    if not number:
        raise AccuracyError(
            f"{where}: batch_num is {found}; it must be a whole number of batches above 0"
        )
    return number


def check_version(where: str, found: str, number: int | None) -> None:
    """Raise AccuracyError where ``version`` is another than the one there is."""
    if number != 1:
        raise AccuracyError(
            f"{where}: version is {found}, and AMCT has no version but 1; write 1 or take it out"
        )
