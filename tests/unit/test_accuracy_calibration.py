"""How many images a calibration takes, what is advised, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.calibration import Calibration, read_calibration, read_config
from pytest_npuperf.accuracy.jsonkeys import Key, keys_of
from pytest_npuperf.accuracy.quantconfig import QuantConfig
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import CalibrationFiles, Value

LAYER = {"quant_enable": True, "activation_quant_params": {}, "weight_quant_params": {}}
NOT_SET = "batch_num is not set, and AMCT takes 1"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A file whose name says nothing."""
    return tmp_path / "config"


def refusal(config: Path, text: str | bytes) -> str:
    """Return why a config is refused, after its path."""
    config.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(AccuracyError) as refused:
        read_config(config)
    message = str(refused.value)
    assert "\n" not in message
    return message.replace(str(config), "", 1)


def calibration(batch_num: int, batch_size: int, joint: bool = False) -> Calibration:
    config = QuantConfig(batch_num, None, joint, ())
    return Calibration(Path("quant.cfg"), config, batch_size)


# Images and what is said of them


BELOW = "below 10: so few may not stand for what the model will see; 16 or 32 are advised: "
USUAL = "within the usual 10 to 50; 16 or 32 are advised: "
ABOVE = "above 50: so many cost memory and time, and gain no accuracy; 16 or 32 are advised: "


@pytest.mark.parametrize(
    ("batch_num", "batch_size", "told"),
    [
        (1, 16, "1 batch x 16 images = 16 images, fine"),
        (32, 1, "32 batches x 1 image = 32 images, fine"),
        (1, 1, f"1 batch x 1 image = 1 image, {BELOW}batch_num 16 makes 16 and 32 makes 32"),
        (9, 1, f"9 batches x 1 image = 9 images, {BELOW}batch_num 16 makes 16 and 32 makes 32"),
        (5, 2, f"5 batches x 2 images = 10 images, {USUAL}batch_num 8 makes 16 and 16 makes 32"),
        (15, 1, f"15 batches x 1 image = 15 images, {USUAL}batch_num 16 makes 16 and 32 makes 32"),
        (1, 17, f"1 batch x 17 images = 17 images, {USUAL}batches of 17 images make neither"),
        (1, 33, f"1 batch x 33 images = 33 images, {USUAL}batches of 33 images make neither"),
        (
            25,
            2,
            f"25 batches x 2 images = 50 images, {USUAL}batch_num 8 makes 16 and 16 makes 32",
        ),
        (51, 1, f"51 batches x 1 image = 51 images, {ABOVE}batch_num 16 makes 16 and 32 makes 32"),
        (
            2,
            32,
            f"2 batches x 32 images = 64 images, {ABOVE}"
            "batch_num 1 makes 32, batches of 32 images make no 16",
        ),
        (1, 64, f"1 batch x 64 images = 64 images, {ABOVE}batches of 64 images make neither"),
    ],
)
def test_the_formula_says_whether_the_images_are_fine(
    batch_num: int, batch_size: int, told: str
) -> None:
    read = calibration(batch_num, batch_size)

    assert read.findings([]) == (f"quant.cfg: {told}",)
    assert read.values() == {"images": Value(Fraction(batch_num * batch_size))}


def test_joint_quantisation_and_notes_stand_after_the_formula(config: Path) -> None:
    config.write_text("joint_quant: false\njoint_quant: true\n")

    assert read_calibration(CalibrationFiles(config, batch_size=32)).findings([]) == (
        f"{config}: 1 batch x 32 images = 32 images, fine",
        f"{config}: joint_quant is true: AMCT gives up accuracy for speed",
        f"{config}: {NOT_SET}",
        f"{config}: joint_quant is set in line 1 (false) and line 2 (true); AMCT takes the last",
    )


# The batch size


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ("input:16,3,224,224", 16),
        ("input:16", 16),
        (" input : 8 , 3 ", 8),
        ("input:0:4,3", 4),
        ("a:1,3,2;b:1,5", 1),
        ("a:999999999,3", 999_999_999),
    ],
)
def test_the_batch_size_is_the_first_dimension_of_all_inputs(
    config: Path, shape: str, size: int
) -> None:
    config.write_text("batch_num: 1")

    assert read_calibration(CalibrationFiles(config, input_shape=shape)).batch_size == size


FORM = 'is not as "input:16,3,224,224"; mend it, or write batch_size instead'


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("input:-1,3,224", "input has a dynamic batch size (-1); write batch_size instead"),
        ("input:0,3", "input has a dynamic batch size (0); write batch_size instead"),
        ("input:1~16,3", "input has a dynamic batch size (1~16); write batch_size instead"),
        ("a:1,3;b:-1,3", "b has a dynamic batch size (-1); write batch_size instead"),
        (
            "a:1,3;b:2,5",
            "the inputs have no batch size in common (a 1, b 2); write batch_size instead",
        ),
        (
            "a:1;a:2",
            "the inputs have no batch size in common (a 1, a 2); write batch_size instead",
        ),
        ("", f'"" {FORM}'),
        ("16,3,224,224", f'"16,3,224,224" {FORM}'),
        (":16,3", f'":16,3" {FORM}'),
        ("a:", f'"a:" {FORM}'),
        ("a:x,3", f'"a:x,3" {FORM}'),
        ("a:-2,3", f'"a:-2,3" {FORM}'),
        ("a:1.5,3", f'"a:1.5,3" {FORM}'),
        ("a:016,3", f'"a:016,3" {FORM}'),
        ("a:1000000000", f'"a:1000000000" {FORM}'),
        ("a:\N{FULLWIDTH DIGIT ONE},3", f'"a:\N{FULLWIDTH DIGIT ONE},3" {FORM}'),
        ("a:1,3;", f'"" {FORM}'),
    ],
)
def test_a_shape_without_one_batch_size_is_refused(config: Path, shape: str, told: str) -> None:
    config.write_text("batch_num: 1")

    with pytest.raises(AccuracyError) as refused:
        read_calibration(CalibrationFiles(config, input_shape=shape))

    assert str(refused.value) == f'input_shape "{shape}": {told}'


# The data


@pytest.mark.parametrize("number", [2, 3])
def test_a_file_for_each_batch_is_enough(config: Path, tmp_path: Path, number: int) -> None:
    config.write_text("batch_num: 2")
    data = tmp_path / "data"
    data.mkdir()
    for index in range(number):
        (data / f"{index}.bin").touch()

    assert read_calibration(CalibrationFiles(config, 16, data_dir=data)).images == 32


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "0 files, and config takes 2 batches, a file for each; add 2, or lower batch_num"),
        (
            ("0.bin",),
            "1 file, and config takes 2 batches, a file for each; add 1, or lower batch_num",
        ),
        (
            ("0.bin", ".hidden", "folder/1.bin"),
            "1 file, and config takes 2 batches, a file for each; add 1, or lower batch_num",
        ),
    ],
)
def test_fewer_files_than_batches_are_refused(
    config: Path, tmp_path: Path, names: tuple[str, ...], told: str
) -> None:
    config.write_text("batch_num: 2")
    data = tmp_path / "data"
    data.mkdir()
    for name in names:
        (data / name).parent.mkdir(exist_ok=True)
        (data / name).touch()

    with pytest.raises(AccuracyError) as refused:
        read_calibration(CalibrationFiles(config, 16, data_dir=data))

    assert str(refused.value) == f"{data}: {told}"


def test_data_that_are_not_there_are_refused(config: Path, tmp_path: Path) -> None:
    config.write_text("batch_num: 2")
    data = tmp_path / "data"
    with pytest.raises(AccuracyError) as refused:
        read_calibration(CalibrationFiles(config, 16, data_dir=data))
    assert str(refused.value) == f"{data}: no such folder; mend the path"

    data.touch()
    with pytest.raises(AccuracyError) as refused:
        read_calibration(CalibrationFiles(config, 16, data_dir=data))
    assert str(refused.value) == f"{data}: cannot be read: Not a directory; mend the path"


# config.json


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"conv1": LAYER}, QuantConfig(1, ("conv1",), False, (NOT_SET,))),
        (
            {"version": 1, "batch_num": 24, "conv1": LAYER, "fc": LAYER},
            QuantConfig(24, ("conv1", "fc"), False, ()),
        ),
        (
            {
                "batch_num": 2,
                "joint_quant": True,
                "a": {**LAYER, "quant_enable": False},
                "b": LAYER,
            },
            QuantConfig(2, ("b",), True, ()),
        ),
        ({"batch_num": 2, "a": {}, "b": LAYER}, QuantConfig(2, ("b",), False, ())),
        ({"batch_num": 2, "tensor_quantize": [{}]}, QuantConfig(2, (), False, ())),
        (
            {
                "batch_num": 2,
                "fakequant_precision_mode": "of a later release",
                "skip_fusion_layers": ["a"],
                "update_bn": False,
                "bn_update_config": {},
                "a": {**LAYER, "act_algo": "of a later release"},
            },
            QuantConfig(2, ("a",), False, ()),
        ),
        # The newer schema: types of layers instead of layers.
        ({"batch_num": 2, "conv2d": {"act_type": "INT8"}}, QuantConfig(2, None, False, ())),
    ],
)
def test_a_json_config_is_read(
    config: Path, content: dict[str, object], found: QuantConfig
) -> None:
    config.write_text(" \n" + json.dumps(content))

    assert read_config(config) == found


def test_a_json_config_may_have_a_byte_order_mark_and_other_line_ends(config: Path) -> None:
    text = json.dumps({"batch_num": 2, "a": LAYER}, indent=1).replace("\n", "\r\n")
    config.write_bytes(b"\xef\xbb\xbf" + text.encode())

    assert read_config(config).batch_num == 2


INVALID = (
    "AMCT has no such setting, and a layer is an object (an invalid layer name or parameter); "
    "take it out, or name another file"
)
WHOLE = "it must be a whole number of batches above 0"
OTHER_VERSION = "AMCT has no version but 1; write 1 or take it out"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ('"batch_num": 0', f"batch_num is 0; {WHOLE}"),
        ('"batch_num": -1', f"batch_num is -1; {WHOLE}"),
        ('"batch_num": 1.0', f"batch_num is 1.0; {WHOLE}"),
        ('"batch_num": 1e1', f"batch_num is 1e1; {WHOLE}"),
        ('"batch_num": NaN', f"batch_num is NaN; {WHOLE}"),
        ('"batch_num": "2"', f'batch_num is "2"; {WHOLE}'),
        ('"batch_num": true', f"batch_num is true; {WHOLE}"),
        ('"batch_num": null', f"batch_num is null; {WHOLE}"),
        ('"batch_num": ' + "9" * 5000, f"batch_num is {'9' * 18}...{'9' * 19}; {WHOLE}"),
        ('"version": 2', f"version is 2, and {OTHER_VERSION}"),
        ('"version": "1"', f'version is "1", and {OTHER_VERSION}'),
        ('"joint_quant": "true"', 'joint_quant is "true"; it must be true or false'),
        ('"do_fusion": 1', "do_fusion is 1; it must be true or false"),
        ('"skip_fusion_layers": "a"', 'skip_fusion_layers is "a"; it must be a list'),
        ('"tensor_quantize": {}', "tensor_quantize is an object; it must be a list"),
        ('"bn_update_config": []', "bn_update_config is a list; it must be an object"),
        ('"fakequant_precision_mode": 1', "fakequant_precision_mode is 1; it must be a text"),
        ('"batchnum": 16', f'"batchnum" is 16; {INVALID}'),
        ('"conv2": "INT8"', f'"conv2" is "INT8"; {INVALID}'),
        ('"conv\\n2": []', f'"conv\\n2" is a list; {INVALID}'),
        ('"b": {"quant_enable": 1}', 'quant_enable of "b" is 1; it must be true or false'),
        ('"a": {}', 'an object has the key "a" twice; take one of them out'),
        ('"b": {"c": 1, "c": 2}', 'an object has the key "c" twice; take one of them out'),
    ],
)
def test_a_wrong_setting_of_a_json_config_is_refused_with_its_line(
    config: Path, setting: str, told: str
) -> None:
    text = f'{{"a": {json.dumps(LAYER)},\n"do":{{}},\n{setting}}}'

    assert refusal(config, text) == f":3: {told}"


NONE_ENABLED = "so nothing is quantised; set it for those that are to be"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", ": the file is empty; make it again"),
        (b" \n\t", ": the file is empty; make it again"),
        (b"batch_num: 1\n# \xb5\n", ":2: the text is not UTF-8; save it as UTF-8"),
        ("\n[1]", ":2: a list, which no config of AMCT is; name another file"),
        ("{}", f": quant_enable is true for none of 0 layers, {NONE_ENABLED}"),
        ('{"a": {}}', f": quant_enable is true for none of 1 layer, {NONE_ENABLED}"),
        (
            '{"a": {"quant_enable": false}, "b": {"dmq_balancer_param": 0.5}}',
            f": quant_enable is true for none of 2 layers, {NONE_ENABLED}",
        ),
        (
            '{"version": 1, "conv2d": {"act_type": "INT8"}}',
            f": quant_enable is true for none of 1 layer, {NONE_ENABLED}",
        ),
        (
            '{"tensor_quantize": []}',
            f": quant_enable is true for none of 0 layers, {NONE_ENABLED}",
        ),
        (
            '{"batch_num": 1,\n"a": {\n',
            ":3: not JSON at column 1 (Expecting property name enclosed in double quotes); "
            "the file is cut or damaged, make it again",
        ),
        (
            '{"batch_num": 1}\n}',
            ':2: "}" after the end of the JSON; make the file again',
        ),
        ('{"a":' * 100_000, ": JSON that is nested too deeply; make it again"),
    ],
)
def test_a_file_that_is_no_config_is_refused(config: Path, text: str | bytes, told: str) -> None:
    assert refusal(config, text) == told


def test_a_config_that_is_not_there_is_refused(config: Path) -> None:
    with pytest.raises(AccuracyError) as refused:
        read_config(config)

    assert str(refused.value) == f"{config}: no such file; make it, or mend the path"


def test_keys_are_found_where_they_stand() -> None:
    text = '{"a":\n[{"b": "x\\": {"}, {"b"\n : 1}],\n"c\\u0041": {"a": {}}, "a": "a"}'

    assert list(keys_of(text)) == [
        Key(1, "a", 1),
        Key(2, "b", 2),
        Key(3, "b", 2),
        Key(1, "cA", 4),
        Key(4, "a", 4),
        Key(1, "a", 4),
    ]


# The simplified config


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("batch_num : 24\njoint_quant : true", QuantConfig(24, None, True, ())),
        ("batch_num:2\r\njoint_quant:False\r\n", QuantConfig(2, None, False, ())),
        ("batch_num: 0x10", QuantConfig(16, None, False, ())),
        ("batch_num: 020", QuantConfig(16, None, False, ())),
        ("version: 1 do_fusion: f", QuantConfig(1, None, False, (NOT_SET,))),
        ("common_config {}", QuantConfig(1, None, False, (NOT_SET,))),
        ("batch_num: 2 override_layer_types: []", QuantConfig(2, None, False, ())),
        (
            "batch_num: 2\nfakequant_precision_mode: OF_A_LATER_RELEASE\n"
            "common_config { ifmr_quantize { dst_type: INT9 } }",
            QuantConfig(2, None, False, ()),
        ),
        (
            "batch_num: 2\nkv_cache_quant_config { quant_layers: 'a' quant_layers: 'b' }",
            QuantConfig(2, None, False, ()),
        ),
        (
            "batch_num: 2 override_layer_types { layer_type: 'a' }\n"
            "override_layer_types { layer_type: 'b' }",
            QuantConfig(2, None, False, ()),
        ),
        ('batch_num: 2 skip_layers: "a"\nskip_layers: "b"', QuantConfig(2, None, False, ())),
        ("batch_num: 2\n" + 'skip_layers: "a' + "b" * 100 + '"', QuantConfig(2, None, False, ())),
    ],
)
def test_a_simplified_config_is_read(config: Path, text: str, found: QuantConfig) -> None:
    config.write_bytes(text.encode())

    assert read_config(config) == found


@pytest.mark.parametrize(
    ("text", "batch_num", "notes"),
    [
        (
            "batch_num: 1\nbatch_num: 16",
            16,
            ("batch_num is set in line 1 (1) and line 2 (16); AMCT takes the last",),
        ),
        (
            "batch_num: 3\nbatch_num: 2\nbatch_num: 3",
            3,
            ("batch_num is set in line 1 (3), line 2 (2) and line 3 (3); AMCT takes the last",),
        ),
        (
            "batch_num: 2\n" * 7,
            2,
            (
                "batch_num is set in line 1 (2), line 2 (2), line 3 (2), line 4 (2), line 5 (2) "
                "and 2 more; AMCT takes the last",
            ),
        ),
        # A message that is there twice is one to AMCT, but for those of which there may be many.
        (
            "batch_num: 2\ncommon_config {\n arq_quantize { channel_wise: true } }\n"
            "common_config { arq_quantize { channel_wise: false } }\n"
            "override_layer_types { layer_type: 'a'\n layer_type: 'b' }",
            2,
            (
                "common_config.arq_quantize.channel_wise is set in line 3 (true) and line 4 "
                "(false); AMCT takes the last",
                'override_layer_types.layer_type is set in line 5 ("a") and line 6 ("b"); '
                "AMCT takes the last",
            ),
        ),
        (
            'batch_num: 2\nskip_layers: ["a", "b"]\nskip_layers: ["c"]',
            2,
            ("skip_layers has 3 names, all those of lines 2 and 3",),
        ),
        (
            'batch_num: 2\nskip_layers: ["a", "b", \'a\']',
            2,
            (
                "skip_layers has 3 names, all those of line 2; take out the repeated "
                '"a", which AMCT refuses',
            ),
        ),
        (
            'batch_num: 2\nskip_layers: "a"\nskip_layers: "b"\nskip_layers: ["b", "a", "c"]',
            2,
            (
                "skip_layers has 5 names, all those of lines 2, 3 and 4; take out the repeated "
                '"a" and "b", which AMCT refuses',
            ),
        ),
    ],
)
def test_what_is_set_twice_is_told(
    config: Path, text: str, batch_num: int, notes: tuple[str, ...]
) -> None:
    config.write_text(text)

    assert read_config(config) == QuantConfig(batch_num, None, False, notes)


NO_FIELD = "is no field of a calibration config of AMCT; mend the name, or name another file"


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("batch_num: 0", f"batch_num is 0; {WHOLE}"),
        ("batch_num: -1", f"batch_num is -1; {WHOLE}"),
        ("batch_num: 1.0", f"batch_num is 1.0; {WHOLE}"),
        ("batch_num: 08", f"batch_num is 08; {WHOLE}"),
        ("batch_num: 1_0", f"batch_num is 1_0; {WHOLE}"),
        ('batch_num: "2"', f'batch_num is "2"; {WHOLE}'),
        ("batch_num: [2]", f"batch_num is [2]; {WHOLE}"),
        ("batch_num {}", f"batch_num is a message; {WHOLE}"),
        ("batch_num: 999999999999", f"batch_num is 999999999999; {WHOLE}"),
        ("batch_num: 0 batch_num: 2", f"batch_num is 0; {WHOLE}"),
        ("version: 2", f"version is 2, and {OTHER_VERSION}"),
        ("joint_quant: yes", "joint_quant is yes; it must be true or false"),
        ("activation_offset: []", "activation_offset is []; it must be true or false"),
        ("skip_layers: conv1", "skip_layers is conv1; it must be names in quotes"),
        ('skip_layers: ["a", b]', 'skip_layers is ["a", b]; it must be names in quotes'),
        ("skip_layers {}", "skip_layers is a message; it must be names in quotes"),
        ("common_config: 1", "common_config is 1; it must be a message in braces"),
        ("compress_ratio: 7.11", f'"compress_ratio" {NO_FIELD}'),
        ("batchnum: 16", f'"batchnum" {NO_FIELD}'),
        ("common_config {\n}\n}", 'this "}" closes nothing; take it out'),
    ],
)
def test_a_wrong_field_of_a_simplified_config_is_refused_with_its_line(
    config: Path, field: str, told: str
) -> None:
    line = 2 + field.count("\n")

    assert refusal(config, f"do_fusion: true\n{field}\n") == f":{line}: {told}"


def test_a_simplified_config_of_comments_is_refused(config: Path) -> None:
    assert refusal(config, "# batch_num: 2\n") == ": nothing but comments; set batch_num in it"
