from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.accuracy.amct import read_amct
from pytest_npuperf.accuracy.amctlog import Accuracies, accuracies_of
from pytest_npuperf.errors import AccuracyError
from pytest_npuperf.model import AmctFiles, Value

RECORD = "amct_log/accuracy_based_auto_calibration_record.json"
CONFIG = "results/accuracy_based_auto_calibration_final_config.json"
RANKING = "results/accuracy_based_auto_calibration_ranking_information.json"
LOG = "amct_log/amct_caffe.log"
LINES = """\
2021-01-06 11:24:14,809 - INFO - [AMCT]:[AMCT]: Accuracy of original model is         0.7116875
2021-01-06 11:24:14,810 - INFO - [AMCT]:[AMCT]: Accuracy of global quantized model is 0.70678125
2021-01-06 11:24:14,810 - INFO - [AMCT]:[AMCT]: Accuracy of saved model is            0.710125
2021-01-06 11:24:14,810 - INFO - [AMCT]:[AMCT]: The generated model is stored in dir: results
"""
AGAIN = "; run AMCT again, or copy the whole file"

Files = Mapping[str, str]


def step(*quantised: str, of: str = "a b c", satisfied: bool = True, loss: object = 0.5) -> str:
    """Return an object of the record file, which has the layers that are still quantised."""
    layers = {layer: layer in quantised for layer in of.split()}
    return json.dumps({"roll_back_config": layers, "metric_eval": [satisfied, loss]}, indent=4)


def config(**layers: bool) -> str:
    settings = {layer: {"quant_enable": enabled} for layer, enabled in layers.items()}
    return json.dumps({"version": 1, "batch_num": 1, "skip_fusion_layers": [], **settings})


ALL = step("a", "b", "c", satisfied=False)
GOOD: Files = {
    RECORD: ALL + step("a", of="c b a", satisfied=False) + step("a", "b", of="c b a"),
    CONFIG: config(a=True, b=True, c=False),
    RANKING: '[["c", 0.98811], ["b", 0.995], ["a", 1.0]]',
    LOG: LINES,
}
NONE_LEFT: Files = {
    RECORD: ALL + step(of="b c a", loss=0.0),
    RANKING: '[["b", 0.75], ["c", 0.875], ["a", 0.96875]]',
    LOG: "".join(LINES.splitlines(keepends=True)[:2]),
}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AmctFiles]:
    """Return a function that writes the files of a run, which may lack some."""
    monkeypatch.chdir(tmp_path)

    def write(files: Files = GOOD, *lacking: str) -> AmctFiles:
        run = AmctFiles(Path("amct_log"), Path("results"))
        run.log_dir.mkdir()
        run.result_dir.mkdir()
        for name, text in files.items():
            if name not in lacking:
                Path(name).write_text(text, encoding="utf-8")
        return run

    return write


Write = Callable[..., AmctFiles]


def refusal(files: AmctFiles) -> str:
    with pytest.raises(AccuracyError) as caught:
        read_amct(files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- runs that can be trusted -----------------------------------------------------------------


def test_the_last_step_is_the_model(write: Write) -> None:
    run = read_amct(write())
    assert run.rolled_back == ("c",)
    assert run.values() == {
        "rolled_back_share": Value(Fraction(1, 3), samples=3),
        "quantised_count": Value(Fraction(2), samples=3),
    }
    assert run.findings([]) == (
        f"{RECORD}: 2 of 3 layers quantised after 3 steps; "
        "rolled back: c (similarity 0.98811, cosine 0.9762)",
        f"{LOG}: original 0.711688, all quantised 0.706781, saved 0.710125",
    )


def test_one_step_can_be_enough(write: Write) -> None:
    files = {**GOOD, RECORD: step("a", of="a"), CONFIG: config(a=True), RANKING: '[["a", 1]]'}
    run = read_amct(write(files))
    assert run.rolled_back == ()
    assert run.values() == {
        "rolled_back_share": Value(Fraction(0), samples=1),
        "quantised_count": Value(Fraction(1), samples=1),
    }
    assert run.findings([])[0] == f"{RECORD}: 1 of 1 layer quantised after 1 step"


@pytest.mark.parametrize("satisfied", [True, False])
def test_a_run_that_rolled_everything_back_quantised_nothing(write: Write, satisfied: bool) -> None:
    record = ALL + step(of="b c a", satisfied=satisfied, loss=0.0)
    run = read_amct(write({**NONE_LEFT, RECORD: record}))
    assert run.rolled_back == ("b", "c", "a")
    assert run.values() == {
        "rolled_back_share": Value(Fraction(1), samples=3),
        "quantised_count": Value(Fraction(0), samples=3),
    }
    assert run.findings([]) == (
        f"{RECORD}: 0 of 3 layers quantised after 2 steps, and no model was saved; rolled back: "
        "b (similarity 0.75, cosine 0.5), c (similarity 0.875, cosine 0.75), "
        "a (similarity 0.96875, cosine 0.9375)",
        f"{LOG}: original 0.711688, all quantised 0.706781, saved not said",
    )


def test_the_config_of_an_earlier_run_is_not_that_of_one_without_a_model(write: Write) -> None:
    run = read_amct(write({**NONE_LEFT, CONFIG: GOOD[CONFIG]}))
    assert run.values()["quantised_count"] == Value(Fraction(0), samples=3)
    assert run.findings([])[2] == f"{CONFIG}: of an earlier search; this one saved no model"


def test_what_is_absent_is_said(write: Write) -> None:
    run = read_amct(write(GOOD, RANKING, LOG))
    assert run.findings([]) == (
        f"{RECORD}: 2 of 3 layers quantised after 3 steps; rolled back: c",
        "amct_log: no amct_*.log with accuracies, so those of the models are not known",
        "results: no accuracy_based_auto_calibration_ranking_info*.json, so how sensitive the "
        "layers are is not known",
    )


def test_five_layers_are_told_the_most_sensitive_first(write: Write) -> None:
    names = " ".join("gfedcba")
    whole = step(*names.split(), of=names, satisfied=False)
    files = {
        RECORD: whole + step("g", of=names),
        CONFIG: config(g=True, a=False),
        # A ranking of the user's own order and scale, and without b.
        "results/accuracy_based_auto_calibration_ranking_info.json": (
            '[["g", 3e0], ["f", -1], ["e", 0], ["d", 0.5], ["c", 1], ["a", 2.5]]'
        ),
    }
    run = read_amct(write(files))
    assert run.rolled_back == ("f", "e", "d", "c", "a", "b")
    assert run.findings([])[0] == (
        f"{RECORD}: 1 of 7 layers quantised after 2 steps; rolled back: f (ranked -1), "
        "e (similarity 0, cosine -1), d (similarity 0.5, cosine 0), "
        "c (similarity 1, cosine 1), a (ranked 2.5) and 1 more"
    )


def test_the_settings_of_nameless_nodes_are_no_layer(write: Write) -> None:
    settings = {**json.loads(GOOD[CONFIG]), "MatMul::common": {"quant_enable": True}, "d": {}}
    run = read_amct(write({**GOOD, CONFIG: json.dumps(settings)}))
    assert run.values()["quantised_count"] == Value(Fraction(2), samples=3)


def test_names_are_safe_to_print(write: Write) -> None:
    files = {
        RECORD: step("a\x1b", "b", of="a\x1b b", satisfied=False) + step("b", of="a\x1b b"),
        CONFIG: config(b=True),
    }
    run = read_amct(write(files))
    assert run.findings([])[0].endswith("rolled back: a\\x1b")
    assert run.rolled_back == ("a\x1b",)


@pytest.mark.parametrize("loss", ["0.0038", "-1", "1e-05", "NaN", "Infinity"])
def test_the_loss_is_whatever_the_evaluator_says(write: Write, loss: str) -> None:
    files = {**GOOD, RECORD: GOOD[RECORD].replace("0.5", loss)}
    assert len(read_amct(write(files)).steps) == 3


# --- logs -------------------------------------------------------------------------------------


def test_the_log_with_accuracies_is_meant(write: Write) -> None:
    others = {
        "amct_log/amct_onnx.log": "nothing of a search\n",
        "amct_log/amct_tensorflow.log": "",
        "amct_log/accuracies.log": LINES,
    }
    run = read_amct(write({**GOOD, **others}))
    assert run.findings([])[1].startswith(f"{LOG}: original 0.711688, ")


def test_of_two_logs_with_accuracies_none_is_chosen(write: Write) -> None:
    assert refusal(write({**GOOD, "amct_log/amct_onnx.log": LINES})) == (
        "amct_log: amct_caffe.log, amct_onnx.log may each be the amct_*.log of this search; "
        "leave the one that is"
    )


@pytest.mark.parametrize(
    ("text", "accuracies"),
    [
        (LINES, Accuracies("0.7116875", "0.70678125", "0.710125")),
        (LINES.replace("\n", "\r\n"), Accuracies("0.7116875", "0.70678125", "0.710125")),
        ("Accuracy of saved model is 71.4 %  \n", Accuracies(saved="71.4 %")),
        ("Accuracy of saved model is\nx\n", Accuracies()),
        ("Accuracy of final model is 1\n", Accuracies()),
        # The number may go on.
        ("Accuracy of original model is 0.7\nAccuracy of saved model is 0.7", Accuracies("0.7")),
        # The last of two searches, which saved no model.
        (LINES + "Accuracy of original model is 0.9\n", Accuracies("0.9")),
    ],
)
def test_accuracies_of_a_log(text: str, accuracies: Accuracies) -> None:
    assert accuracies_of(text) == accuracies


def test_accuracies_that_are_no_numbers_are_told_as_they_are(write: Write) -> None:
    log = LINES.replace("0.710125", "{'top1': \x1b0.71}").replace("0.70678125", "70.7%")
    run = read_amct(write({**GOOD, LOG: log}))
    assert run.findings([])[1] == (
        f"{LOG}: original 0.711688, all quantised 70.7%, saved {{'top1': \\x1b0.71}}"
    )


# --- contradictions ---------------------------------------------------------------------------


def test_layers_without_a_final_config_are_refused(write: Write) -> None:
    assert refusal(write(GOOD, CONFIG)) == (
        f"{CONFIG}: not there, though the last step of {RECORD} quantises 2 of 3 layers; "
        "AMCT saved no model, or the files are of two searches: run it again"
    )


@pytest.mark.parametrize(
    ("text", "count", "odd"),
    [
        (config(a=True, b=False, c=False), "1 layer", "b"),
        (config(a=True, c=True), "2 layers", "b"),
        (config(a=True, b=True, c=False, d=True), "3 layers", "d"),
        ("{}", "0 layers", "a"),
    ],
)
def test_a_final_config_of_other_layers_is_refused(
    write: Write, text: str, count: str, odd: str
) -> None:
    assert refusal(write({**GOOD, CONFIG: text})) == (
        f"{CONFIG}: quantises {count}, though the last step of {RECORD} quantises 2 of 3 layers "
        f'("{odd}" differs); one of them is cut, edited or of another search: run AMCT again'
    )


def test_a_model_that_misses_the_target_is_refused(write: Write) -> None:
    record = ALL + step("a", "b", satisfied=False, loss=0.0054)
    assert refusal(write({**GOOD, RECORD: record})) == (
        f"{RECORD}: the last step, whose model was saved, is not accurate enough (metric_eval "
        "false, 0.0054); run AMCT again, with a target that can be met"
    )


def test_a_ranking_of_other_layers_is_refused(write: Write) -> None:
    assert refusal(write({**GOOD, RANKING: '[["a", 0.9], ["d", 1]]'})) == (
        f'{RANKING}: "d" is ranked, and is no layer of the search; '
        "the file is of another search: run AMCT again"
    )


def test_of_two_rankings_none_is_chosen(write: Write) -> None:
    other = RANKING.replace("information", "info")
    assert refusal(write({**GOOD, other: "[]"})) == (
        "results: accuracy_based_auto_calibration_ranking_info.json, "
        "accuracy_based_auto_calibration_ranking_information.json may each be the "
        "accuracy_based_auto_calibration_ranking_info*.json of this search; leave the one that is"
    )


def test_folders_that_are_not_there_are_refused(write: Write) -> None:
    files = write()
    assert refusal(AmctFiles(Path("gone"), files.result_dir)) == (
        "gone/accuracy_based_auto_calibration_record.json: no such file; make it, or mend the path"
    )
    assert refusal(AmctFiles(files.log_dir, Path("gone"))) == (
        "gone: no such folder; mend the path"
    )


# --- the record file --------------------------------------------------------------------------

SHAPE = "is not an object with a roll_back_config and a metric_eval such as [true, 0.0038]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", ": the file is empty; make it again", id="empty"),
        pytest.param(" \n", ": the file is empty; make it again", id="blank"),
        pytest.param(
            ALL + ALL[:-1],
            ":21: not JSON at column 1 (Expecting ',' delimiter); "
            "the file is cut or damaged, make it again",
            id="cut at the end",
        ),
        pytest.param(
            ALL + "\n" + ALL[:20],
            ":13: not JSON at column 5 (Unterminated string starting at); "
            "the file is cut or damaged, make it again",
            id="cut in a text",
        ),
        pytest.param(ALL + "\n\n[]", f":13: step 2 {SHAPE}{AGAIN}", id="a list"),
        pytest.param('{"metric_eval": [true, 0.0]}', f":1: step 1 {SHAPE}{AGAIN}", id="no layers"),
        pytest.param(
            '{"roll_back_config": {"a": true}, "metric_eval": [true]}',
            f":1: step 1 {SHAPE}{AGAIN}",
            id="no loss",
        ),
        pytest.param(
            '{"roll_back_config": {"a": true}, "metric_eval": [1, 0.0]}',
            f":1: step 1 {SHAPE}{AGAIN}",
            id="a number as verdict",
        ),
        pytest.param(
            '{"roll_back_config": {"a": true}, "metric_eval": [true, "0.0"]}',
            f":1: step 1 {SHAPE}{AGAIN}",
            id="a text as loss",
        ),
        pytest.param(
            '{"roll_back_config": {}, "metric_eval": [true, 0.0]}',
            f":1: step 1 has no layer in its roll_back_config{AGAIN}",
            id="no layer",
        ),
        pytest.param(
            '{"roll_back_config": {"a": 1}, "metric_eval": [true, 0.0]}',
            f':1: step 1 has 1 for "a", where true or false is wanted{AGAIN}',
            id="a number for a layer",
        ),
        pytest.param(
            '{"roll_back_config": {"a": true, "a": false}, "metric_eval": [true, 0.0]}',
            ':1: an object has the key "a" twice; take one of them out',
            id="a layer twice",
        ),
        pytest.param(
            step("a", "b"),
            ':1: the first step has "c" as rolled back already, and AMCT begins with every '
            f"layer quantised{AGAIN}",
            id="begins too late",
        ),
        pytest.param(
            ALL + step("a", "b", of="a b"),
            ':11: step 2 has 2 layers and the first 3, and "c" is in one of them only' + AGAIN,
            id="a layer less",
        ),
        pytest.param(
            ALL + step("a", "b", of="a b d"),
            ':11: step 2 has 3 layers and the first 3, and "c" is in one of them only' + AGAIN,
            id="another layer",
        ),
        pytest.param(
            "[" * 200_000, ": JSON that is nested too deeply; make it again", id="nested too deep"
        ),
    ],
)
def test_a_record_file_that_cannot_be_trusted(write: Write, text: str, message: str) -> None:
    assert refusal(write({**GOOD, RECORD: text})) == f"{RECORD}{message}"


# --- the other files --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (CONFIG, "[]", f": a list where an object with layers is wanted{AGAIN}"),
        (CONFIG, "null", f": null where an object with layers is wanted{AGAIN}"),
        (CONFIG, '"a"', f': "a" where an object with layers is wanted{AGAIN}'),
        (
            CONFIG,
            '{"a": {"quant_enable": {}}}',
            f': quant_enable of "a" is an object, where true or false is wanted{AGAIN}',
        ),
        (CONFIG, "{}\n x", ':2: "x" after the end of the JSON; make the file again'),
        (RANKING, "{}", f": an object where a list of layers is wanted{AGAIN}"),
        (RANKING, "true", f": true where a list of layers is wanted{AGAIN}"),
        (RANKING, '[["a", 0.9], ["a", 1]]', f': "a" is ranked twice{AGAIN}'),
        *(
            (
                RANKING,
                f'[["a", 0.9], {entry}]',
                ': entry 2 is not a layer and its similarity, such as ["conv1", 0.995]' + AGAIN,
            )
            for entry in ('"b"', '["b"]', '["b", "0.9"]', "[2, 0.9]", '["b", NaN]', '["b", 1e999]')
        ),
    ],
)
def test_other_files_that_cannot_be_trusted(
    write: Write, name: str, text: str, message: str
) -> None:
    assert refusal(write({**GOOD, name: text})) == f"{name}{message}"
