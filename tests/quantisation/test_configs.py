"""Every calibration config is read as it says, and every other file is refused with its line."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.calibration import read_calibration, read_config
from pytest_npuperf.accuracy.quantconfig import NOT_SET
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import CalibrationFiles

ZOO = "Ascend+ModelZoo-PyTorch/ACL_PyTorch/built-in/cv"
SAMPLES = "Ascend+samples/python/level1_single_api/9_amct"
DOCS = "hicann+amct/docs-samples"
RUNS = "hicann+amct/generated/auto_calibration"
CONFIGURATION = "hicann+amct/tests/amct_pytorch/testcase_python/configuration/utils"
OPTIMIZER = "hicann+amct/tests/amct_pytorch/testcase_python/optimizer/utils"
SINGLE = "hicann+amct/tests/amct_pytorch/testcase_python/single_file/utils"
RESULT = "accuracy_based_auto_calibration"

YOLOV5 = f"{ZOO}/Yolov5_for_Pytorch/common/quantize/config.cfg"
REPEATED = 'take out the repeated "Conv_0" and "Conv_3", which AMCT refuses'
OF_YOLOV5 = (
    NOT_SET,
    "activation_offset is set in line 2 (true) and line 8 (true); AMCT takes the last",
    "do_fusion is set in line 4 (true) and line 10 (true); AMCT takes the last",
    f"skip_layers has 16 names, all those of lines 3 and 9; {REPEATED}",
    f"skip_fusion_layers has 16 names, all those of lines 5 and 11; {REPEATED}",
)

# The file, its batch_num, how many layers it quantises where it lists them, joint_quant, the notes.
READ = [
    (f"{ZOO}/DBNet_MobileNetV3_for_POC/quant.cfg", 1, None, False, (NOT_SET,)),
    (f"{ZOO}/EfficientNetV2_for_Pytorch_poc/quant.cfg", 24, None, True, ()),
    (f"{ZOO}/Resnet50_Pytorch_Infer_poc/quant.cfg", 1, None, True, (NOT_SET,)),
    (f"{ZOO}/Resnet50_mlperf/quant.cfg", 1, None, False, (NOT_SET,)),
    (f"{ZOO}/Retinanet_Resnet18/amct.cfg", 1, None, False, ()),
    (YOLOV5, 1, None, False, OF_YOLOV5),
    (f"{SAMPLES}/amct_caffe/resnet50/src/nuq_files/quant.cfg", 2, None, False, ()),
    (f"{SAMPLES}/amct_onnx/resnet-101/src/nuq_conf/nuq_quant.cfg", 1, None, False, ()),
    (f"{SAMPLES}/amct_tensorflow/resnet-50_v1/src/nuq_conf/nuq_quant.cfg", 1, None, False, ()),
    (f"{SAMPLES}/amct_tensorflow/yolo_v3/src/yolo_quant.cfg", 1, None, False, ()),
    (f"{DOCS}/ada_round.cfg", 1, None, False, (NOT_SET,)),
    (f"{DOCS}/create_quant_config.hfmg.json", 2, 1, False, ()),
    (f"{DOCS}/create_quant_config.ifmr.json", 2, 2, False, ()),
    (f"{DOCS}/dmq_balancer.cfg", 2, None, False, ()),
    (f"{DOCS}/quant.cfg", 2, None, False, ()),
    (f"{RUNS}_impossible/tmp/config.json", 1, 10, False, ()),
    (f"{RUNS}_partial/tmp/config.json", 1, 10, False, ()),
    (f"{RUNS}_partial/results/{RESULT}_final_config.json", 1, 7, False, ()),
    (f"{RUNS}_satisfied/tmp/config.json", 1, 10, False, ()),
    (f"{RUNS}_satisfied/results/{RESULT}_final_config.json", 1, 10, False, ()),
    (f"{CONFIGURATION}/net_001.cfg", 1, None, False, (NOT_SET,)),
    (f"{CONFIGURATION}/precision_mode_fp16.cfg", 1, None, False, (NOT_SET,)),
    (f"{OPTIMIZER}/net_dmq.json", 1, 8, False, ()),
    (f"{SINGLE}/net_001.json", 1, 7, False, ()),
    (f"{SINGLE}/ptq_a16w8.cfg", 1, None, False, (NOT_SET,)),
    (f"{SINGLE}/test_auto_search_quant_bit/calibration_config.json", 1, 10, False, ()),
    (f"{SINGLE}/test_auto_search_quant_bit/int4_calibration_config.json", 1, 9, False, ()),
    (f"{SINGLE}/test_auto_search_quant_bit/int4_calibration_config_hfmg.json", 1, 9, False, ()),
    (f"{SINGLE}/test_auto_search_quant_bit/int8_calibration_config.json", 1, 9, False, ()),
    (f"{SINGLE}/test_case_config_00.cfg", 2, None, False, ()),
    (f"{SINGLE}/test_dmq_balancer/dmq_balancer.cfg", 2, None, False, ()),
    (f"{SINGLE}/test_post_quant_interface/default_config.json", 1, None, False, ()),
    (f"{SINGLE}/test_quantize_tool/model_001.json", 2, 9, False, ()),
]

LIST = "a list, which no config of AMCT is; name another file"
INVALID = (
    "AMCT has no such setting, and a layer is an object (an invalid layer name or parameter); "
    "take it out, or name another file"
)
AFTER = '"{\\n    "roll_back_...%s\\n    ]\\n}" after the end of the JSON; make the file again'

REFUSED = [
    (
        "Ascend+ModelZoo-PyTorch/excerpts/resnet101_result.json",
        f'1: "title" is "Overall statistical evaluation"; {INVALID}',
    ),
    (
        "Ascend+msprobe/generated/stage1_good/resnet_toy_quant.json",
        f'2: "name" is "resnet_toy"; {INVALID}',
    ),
    (
        f"{DOCS}/quant_hfmg_fragment.cfg",
        '4: "..." is neither JSON nor a simplified config of AMCT, whose lines are as '
        '"batch_num : 1"; mend the line, or name another file',
    ),
    (f"{RUNS}_impossible/amct_log/{RESULT}_record.json", f"18: {AFTER % '      0.0'}"),
    (f"{RUNS}_impossible/results/{RESULT}_ranking_information.json", f"1: {LIST}"),
    (f"{RUNS}_partial/amct_log/{RESULT}_record.json", f"18: {AFTER % '000000256'}"),
    (f"{RUNS}_partial/results/{RESULT}_ranking_information.json", f"1: {LIST}"),
    (
        f"{RUNS}_satisfied/amct_log/{RESULT}_record.json",
        f'14: "metric_eval" is a list; {INVALID}',
    ),
    (f"{RUNS}_satisfied/results/{RESULT}_ranking_information.json", f"1: {LIST}"),
    (
        f"{SINGLE}/test_auto_search_quant_bit/amc_ptq.cfg",
        '12: this "}" closes nothing; take it out',
    ),
    (
        f"{SINGLE}/test_auto_search_quant_bit/auto_search_quant_bit.cfg",
        '1: "compress_ratio" is no field of a calibration config of AMCT; '
        "mend the name, or name another file",
    ),
]


@pytest.mark.parametrize(("name", "batch_num", "enabled", "joint_quant", "notes"), READ)
def test_a_config_is_read_as_it_says(
    quantisation: Path,
    name: str,
    batch_num: int,
    enabled: int | None,
    joint_quant: bool,
    notes: tuple[str, ...],
) -> None:
    config = read_config(quantisation / name)

    assert config.batch_num == batch_num
    assert (config.enabled and len(config.enabled)) == enabled
    assert config.joint_quant is joint_quant
    assert config.notes == notes


@pytest.mark.parametrize(("name", "told"), REFUSED)
def test_what_is_no_config_is_refused(quantisation: Path, name: str, told: str) -> None:
    with pytest.raises(AccuracyError) as refused:
        read_config(quantisation / name)

    assert str(refused.value) == f"{quantisation / name}:{told}"


def test_no_file_is_left_out(quantisation: Path) -> None:
    with (quantisation / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = csv.reader(index, delimiter="\t", quoting=csv.QUOTE_NONE)
        there = {row[0] for row in rows if row[0].endswith((".cfg", ".json"))}

    assert {row[0] for row in (*READ, *REFUSED)} == there


@pytest.mark.parametrize(
    ("name", "shape", "told"),
    [
        (
            f"{ZOO}/EfficientNetV2_for_Pytorch_poc/quant.cfg",
            "image:1,3,288,288",
            "24 batches x 1 image = 24 images, within the usual 10 to 50; "
            "16 or 32 are advised: batch_num 16 makes 16 and 32 makes 32",
        ),
        (
            YOLOV5,
            "images:1,3,640,640",
            "1 batch x 1 image = 1 image, below 10: so few may not stand for what the model will "
            "see; 16 or 32 are advised: batch_num 16 makes 16 and 32 makes 32",
        ),
    ],
)
def test_the_images_of_real_practice_are_told(
    quantisation: Path, name: str, shape: str, told: str
) -> None:
    path = quantisation / name

    first, *_ = read_calibration(CalibrationFiles(path, input_shape=shape)).findings([])

    assert first == f"{path}: {told}"


def test_all_that_the_yolov5_config_sets_twice_is_told(quantisation: Path) -> None:
    path = quantisation / YOLOV5

    _, *notes = read_calibration(CalibrationFiles(path, batch_size=16)).findings([])

    assert notes == [f"{path}: {note}" for note in OF_YOLOV5]
