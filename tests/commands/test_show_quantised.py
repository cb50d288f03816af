"""What ``npuperf show`` says of files about a quantised model, and what it takes for one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pytest_npuperf.accuracy.recognise import Search, recognise
from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.render import plain
from pytest_npuperf.commands.show import as_json, look_at
from pytest_npuperf.commands.terminal import coloured
from pytest_npuperf.errors import AccuracyError, ProfileError
from pytest_npuperf.model import CalibrationFiles, LayerFiles

HEADER = (
    "Index,OpType,NPUDump,DataType,GroundTruth,DataType,TensorIndex,Shape,OverFlow,"
    "CosineSimilarity,RelativeEuclideanDistance,CompareFailReason"
)
NO_DUMP = "There is no npu dump file."
RECORD = "accuracy_based_auto_calibration_record.json"
FINAL = "accuracy_based_auto_calibration_final_config.json"
RANKING = "accuracy_based_auto_calibration_ranking_information.json"
CONV, ADD, FC = "conv1", "add", "fc"


def row(
    index: int,
    name: str,
    cosine: str,
    distance: str = "0.01",
    *,
    reason: str = "",
    overflow: str = "NO",
    golden: str = "x",
    output: str = "0",
) -> str:
    tensor = f"{name}:output:{output}" if output else "NaN"
    cells = (index, "Conv2D", name, "float16", golden, "float32", tensor, '"[1,2]"', overflow)
    return ",".join(map(str, (*cells, cosine, distance, reason)))


def comparison(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "result_20260101000000.csv"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def step(*quantised: bool, satisfied: bool = True) -> str:
    layers = dict(zip((CONV, ADD, FC), quantised, strict=True))
    return json.dumps({"roll_back_config": layers, "metric_eval": [satisfied, 0.25]})


def search(log_dir: Path, result_dir: Path | None) -> None:
    """Write a search that gave the addition back to float; None: without what it results in."""
    steps = step(True, True, True, satisfied=False) + step(True, False, True)
    written(log_dir / RECORD, steps)
    if result_dir is not None:
        layers = {CONV: True, ADD: False, FC: True}
        config = {name: {"quant_enable": flag} for name, flag in layers.items()}
        written(result_dir / FINAL, json.dumps({"version": 1, **config}))
        ranking = [[ADD, 0.75], [FC, 0.995], [CONV, 0.9999]]
        written(result_dir / RANKING, json.dumps(ranking))


def area(path: Path, name: str, top: int = 10) -> dict[str, Any]:
    found: dict[str, Any] = as_json(look_at(path, top, None))["areas"]
    assert list(found) == [name]
    return dict(found[name])


# --- outputs ----------------------------------------------------------------------------------

ROWS = (
    row(1, "data", "1.000000", "0.000000"),
    row(2, "conv", "0.998000", "0.02"),
    row(4, "add", "0.900000", "0.4"),
    row(5, "pool", "NaN", "NaN", reason=NO_DUMP),
    row(6, "relu", "nan", "nan"),
    row(7, "cast", "1.0", golden="*"),
    row(8, "mul", "0.9", "0.5"),
    row(9, "one", "1.000000", reason="This tensor is scalar"),
)


def test_outputs_come_worst_first_and_the_unknown_last(tmp_path: Path) -> None:
    shown = look_at(comparison(tmp_path, *ROWS), 10, None)
    assert plain(shown, 100) == (
        "note     first bad: Index 4 add cosine 0.900000; last good: Index 2 conv; "
        "1 operator between them\n"
        "         was not compared\n"
        "note     1 operator broken: Index 6 relu (nan)\n"
        "note     1 operator not compared: no dump of the model (Index 5 pool)\n"
        "\n"
        "outputs, worst first\n"
        "index  op type  op    output    cosine  rel. Euclid  state         reason\n"
        "    6  Conv2D   relu  0              -            -  broken        nan\n"
        "    8  Conv2D   mul   0       0.900000     0.500000  compared      -\n"
        "    4  Conv2D   add   0       0.900000     0.400000  compared      -\n"
        "    2  Conv2D   conv  0       0.998000     0.020000  compared      -\n"
        "    1  Conv2D   data  0       1.000000     0.000000  compared      -\n"
        "    9  Conv2D   one   0              -     0.010000  compared      This tensor is scalar\n"
        "    5  Conv2D   pool  0              -            -  not compared  no dump of the model\n"
    )


def test_top_leaves_outputs_out_and_says_so(tmp_path: Path) -> None:
    path = comparison(tmp_path, *ROWS)
    found = area(path, "outputs", top=1)
    (worst,) = found["rows"]
    assert (worst, found["more"], found["reason"]) == (
        {
            "index": 6,
            "type": "Conv2D",
            "name": "relu",
            "output": "0",
            "cosine": None,
            "relative_euclidean": None,
            "state": "broken",
            "reason": "nan",
        },
        6,
        "",
    )
    assert plain(look_at(path, 6, None), 100).endswith("... and 1 more with a larger --top\n")
    assert "more" not in plain(look_at(path, 7, None), 100)


def test_the_document_is_that_of_a_profile_without_tables(tmp_path: Path) -> None:
    path = comparison(tmp_path, row(1, "conv", "0.995", output=""))
    document = as_json(look_at(path, 10, None))
    del document["version"]
    cells = {"index": 1, "type": "Conv2D", "name": "conv", "output": None, "cosine": 0.995}
    told = {"relative_euclidean": 0.01, "state": "compared", "reason": None}
    assert document == {
        "format": 1,
        "profile": str(path),
        "scope": None,
        "tables": [],
        "unread": [],
        "lost": [],
        "notes": ["1 of 1 operator compared, no bad output"],
        "areas": {"outputs": {"rows": [{**cells, **told}], "more": 0, "reason": ""}},
    }


def test_a_number_that_nothing_can_hold_is_absent(tmp_path: Path) -> None:
    path = comparison(tmp_path, row(1, "a", "0.9", "1e999"), row(2, "b", "0.9", "3e38"))
    distances = [each["relative_euclidean"] for each in area(path, "outputs")["rows"]]
    assert distances == [3 * 10**38, None]


def test_nothing_to_compare_is_said(tmp_path: Path) -> None:
    shown = look_at(comparison(tmp_path, row(1, "cast", "1.0", golden="*")), 10, None)
    assert plain(shown, 100).endswith("\n\noutputs, worst first: none has a counterpart\n")


def test_there_are_tables_with_colours_too(tmp_path: Path) -> None:
    text = coloured(look_at(comparison(tmp_path, *ROWS), 2, None), 100)
    assert "\x1b[1;36moutputs, worst first\x1b[0m" in text
    assert "0.900000" in text
    assert "lane" not in text


def test_names_are_escaped(tmp_path: Path) -> None:
    folder = tmp_path / "a\x1b[31m"
    folder.mkdir()
    shown = look_at(comparison(folder, row(3, "c\x1b[2Jv", "0.5")), 10, None)
    for text in (plain(shown, 100), coloured(shown, 100)):
        assert r"c\x1b[2Jv" in text
        assert "\x1b[2J" not in text
        assert "\x1b[31m" not in text


# --- calibration ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cells", "notes"),
    [
        (
            '{"version": 1, "batch_num": 2, "joint_quant": true, "a": {"quant_enable": true}, '
            '"b": {"quant_enable": false}}',
            (2, 1, "true"),
            ["2 batches x the batch size of the model are the images; 16 or 32 are advised"],
        ),
        (
            "# twice\nbatch_num : 2\nbatch_num : 1\n",
            (1, None, "false"),
            [
                "1 batch x the batch size of the model are the images; 16 or 32 are advised",
                "batch_num is set in line 2 (2) and line 3 (1); AMCT takes the last",
            ],
        ),
    ],
    ids=["JSON", "text"],
)
def test_a_calibration_config_is_one_row(
    tmp_path: Path, text: str, cells: tuple[object, ...], notes: list[str]
) -> None:
    path = written(tmp_path / "quant.cfg", text)
    assert as_json(look_at(path, 10, None))["notes"] == notes
    keys = ("batch_num", "quantised_layers", "joint_quant")
    assert area(path, "calibration")["rows"] == [dict(zip(keys, cells, strict=True))]


def test_a_config_is_printed(tmp_path: Path) -> None:
    path = written(tmp_path / "quant.cfg", "batch_num : 2\n")
    assert plain(look_at(path, 10, None), 100) == (
        "note     2 batches x the batch size of the model are the images; 16 or 32 are advised\n"
        "\n"
        "calibration\n"
        "batch_num  quantised layers  joint_quant\n"
        "        2                 -  false\n"
    )


# --- search -----------------------------------------------------------------------------------

LAYERS = [
    {"layer": ADD, "state": "rolled back", "similarity": 0.75},
    {"layer": FC, "state": "quantised", "similarity": 0.995},
    {"layer": CONV, "state": "quantised", "similarity": 0.9999},
]


@pytest.mark.parametrize(
    ("asked", "logs", "results"),
    [
        (".", ".", "."),
        (".", ".", "results"),
        (".", "amct_log", "results"),
        (".", "amct_log", "."),
        (".", "amct_log", "amct_log"),
        (".", "amct_log", "tmp_model"),
        ("amct_log", "amct_log", "results"),
        ("logs", "logs", "results"),
        (f"amct_log/{RECORD}", "amct_log", "results"),
    ],
)
def test_the_results_of_a_search_are_found(
    tmp_path: Path, asked: str, logs: str, results: str
) -> None:
    search(tmp_path / logs, tmp_path / results)
    (tmp_path / "empty").mkdir()
    assert area(tmp_path / asked, "search") == {"rows": LAYERS, "more": 0, "reason": ""}


def test_a_search_is_printed(tmp_path: Path) -> None:
    search(tmp_path / "amct_log", tmp_path / "results")
    assert plain(look_at(tmp_path, 2, None), 120) == (
        f"note     amct_log/{RECORD}: 2 of 3 layers quantised after 2 steps; rolled back: add\n"
        "         (similarity 0.75, cosine 0.5)\n"
        "note     amct_log: no amct_*.log with accuracies, so those of the models are not known\n"
        "\n"
        "layers of the search, most sensitive first\n"
        "layer  state        similarity\n"
        "add    rolled back    0.750000\n"
        "fc     quantised      0.995000\n"
        "... and 1 more with a larger --top\n"
    )


def test_a_search_without_results_says_what_is_not_known(tmp_path: Path) -> None:
    search(tmp_path / "amct_log", None)
    shown = look_at(tmp_path, 10, None)
    assert shown.notes == (
        f"amct_log/{RECORD}: 2 of 3 layers quantised after 2 steps; rolled back: add",
        "amct_log: neither a final config nor a ranking here or in a folder beside it, so neither "
        "how sensitive the layers are nor whether a model was saved is known",
    )
    assert area(tmp_path, "search")["rows"] == [
        {"layer": layer["layer"], "state": layer["state"], "similarity": None}
        for layer in (LAYERS[0], LAYERS[2], LAYERS[1])
    ]


def test_results_of_another_search_are_refused(tmp_path: Path) -> None:
    search(tmp_path / "amct_log", tmp_path / "results")
    written(tmp_path / "results" / RANKING, '[["other", 0.5]]')
    with pytest.raises(AccuracyError, match='"other" is ranked, and is no layer of the search'):
        look_at(tmp_path, 10, None)


# --- what is taken for one --------------------------------------------------------------------


@pytest.mark.parametrize("by", ["type", "layer"])
def test_by_is_for_profiles(tmp_path: Path, capsys: pytest.CaptureFixture[str], by: str) -> None:
    path = comparison(tmp_path, *ROWS)
    assert main(["show", str(path), "--by", by]) == 1
    said = f"npuperf: {path}: about a quantised model, and no profile; leave --by out\n"
    assert tuple(capsys.readouterr()) == ("", said)


def test_what_cannot_be_trusted_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "quant.cfg", "batch_num : 0\n")
    assert main(["show", str(path)]) == 1
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        f"npuperf: {path}:1: batch_num is 0; it must be a whole number of batches above 0\n",
    )


@pytest.mark.parametrize(
    "text",
    [
        HEADER,
        "\ufeff" + HEADER + "\r\n1,a",
        "Index,LeftOp,RightOp\n",
        '"Index","NPUDump","GroundTruth"\n',
        "API Name,Accuracy Reached or Not\n",
    ],
    ids=["header", "byte order mark", "old names", "quotes", "PyTorch"],
)
def test_a_comparison_is_known_by_its_header(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "anything.txt", text)
    assert recognise(path) == LayerFiles(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"batch_num": 1}',
        '\n {"conv1": {"quant_enable" : true}}',
        "batch_num: 1",
        "\ufeffbatch_num: 1",
        '\ufeff{"batch_num": 1}',
        "# of a model\n\n  skip_layers : ['a']\n",
        "common_config {\n}\n",
        "override_layer_types : {\n}\n",
    ],
)
def test_a_config_is_known_by_its_settings(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "anything", text)
    assert recognise(path) == CalibrationFiles(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "Op Name,OP Type,Task Duration(us)\nbatch_num,a,1\n",
        "Index,NPUDump\n",
        "Index,GroundTruth\n",
        '[{"name": "batch_num", "ph": "X"}]',
        '{"traceEvents": [{"name": "batch_num"}]}',
        'record {\n  key: "conv1"\n  value {\n    skip_fusion: true\n  }\n}\n',
        "batch_num: 1\0",
    ],
    ids=[
        *("empty", "blank", "op_summary", "one side", "other side"),
        *("trace", "events", "record", "binary"),
    ],
)
def test_other_files_are_not(tmp_path: Path, text: str) -> None:
    assert recognise(written(tmp_path / "op_summary.csv", text)) is None


def test_only_the_head_of_a_file_is_looked_at(tmp_path: Path) -> None:
    assert recognise(written(tmp_path / "a", "\n" * 2**16 + "batch_num: 1\n")) is None
    assert recognise(written(tmp_path / "b", "\n" * 60_000 + "batch_num: 1\n")) is not None


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "quant.cfg")
    assert recognise(tmp_path / "quant.cfg") is None


def test_what_is_not_there_is_left_to_who_reads_profiles(tmp_path: Path) -> None:
    assert recognise(tmp_path / "none") is None
    with pytest.raises(ProfileError):
        look_at(tmp_path / "none", 10, None)


@pytest.mark.parametrize(
    "name",
    [
        *("PROF_000001_20260101000000000_ABCDEFGH", "OPPROF_1", "x_ascend_pt", "x_ascend_ms"),
        *("ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output", "msprof_1.db"),
    ],
)
def test_a_folder_with_a_profile_is_a_profile(tmp_path: Path, name: str) -> None:
    search(tmp_path / "amct_log", tmp_path / "results")
    (tmp_path / name).mkdir()
    assert recognise(tmp_path) is None
    assert recognise(tmp_path / "amct_log") == Search(tmp_path / "amct_log", tmp_path / "results")


def test_a_profile_is_none(profile: Path) -> None:
    assert recognise(profile) is None
    assert all(recognise(path) is None for path in profile.rglob("*"))
