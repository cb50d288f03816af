"""A quantised model and its float one, in one test: faster, and still right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Project

# 140 us and 100 us of kernels in two steps: exactly 1.4 times as fast.
FLOAT: list[list[Any]] = [["Conv2D", "AI_CORE", [50, 50]], ["Relu", "AI_VECTOR_CORE", [20, 20]]]
INT8: list[list[Any]] = [
    ["Conv2D", "AI_CORE", [20, 20]],
    ["Relu", "AI_VECTOR_CORE", [20, 20]],
    ["AscendQuant", "AI_VECTOR_CORE", [10, 10]],
]

TESTS = """
import pytest

@pytest.mark.npuperf("int8")
def test_int8(npuperf):
    npuperf.metric("accuracy", {own}, against={other})
"""


@pytest.fixture
def pair(project: Project) -> Project:
    """Return a project with a float model and the same quantised."""
    project.record("fp16", FLOAT)
    project.record("int8", INT8)
    project.budget('compute_time_per_step = "1 ms"', name="fp16", recording="fp16")
    project.tests(TESTS.format(own=0.7101, other=0.7188))
    return project


def quantised(project: Project, at_least: float, *more: str, against: str = "fp16") -> None:
    project.budget(
        f'against = {{ case = "{against}" }}',
        f"speedup = {{ at_least = {at_least} }}",
        'custom.accuracy = { better = "higher", at_least = 0.70, max_regression = "1 points" }',
        *more,
        name="int8",
        recording="int8",
    )


def result(project: Project, name: str, accuracy: str) -> None:
    """Write an accuracy as ModelZoo does."""
    told = {"title": name, "value": [{"key": "Top1 accuracy", "value": accuracy}]}
    (project.path / name).write_text(json.dumps(told), encoding="utf-8")


def limits(document: Any) -> dict[str, tuple[str, Any]]:
    (case,) = document["cases"]
    return {each["metric"]: (each["verdict"], each["value"]) for each in case["limits"]}


def test_exactly_fast_enough_and_right_enough_passes(pair: Project) -> None:
    quantised(pair, 1.40)
    document = pair.results(status=0)

    assert limits(document) == {"speedup": ("PASSED", 1.4), "custom.accuracy": ("PASSED", 0.7101)}
    (case,) = document["cases"]
    assert case["findings"] == [
        "kernel_time 100 us, fp16 140 us",
        "gained: Conv2D 60.0 us",
        "eaten: AscendQuant 20.0 us (new)",
    ]
    assert sum(cause["total"] - cause["before_total"] for cause in case["causes"]["0"]) == -40_000


def test_a_little_too_slow_fails_and_the_accuracy_is_still_told(pair: Project) -> None:
    quantised(pair, 1.41)
    result = pair.run()

    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "FAILED *int8*speedup*1.40*>= 1.41*",
            "quantised against float: int8 against fp16",
            "  FAILED speedup 1.40, limit >= 1.41 (-0.7 %)",
            "  PASSED custom.accuracy 0.710, limit >= 0.700 (+1.4 %); "
            "-0.87 points from 0.719 (fp16)",
            "  kernel_time 100 us, fp16 140 us",
            "  gained: Conv2D 60.0 us",
            "  eaten: AscendQuant 20.0 us (new)",
        ]
    )


def test_a_pull_request_is_told_both_halves(pair: Project) -> None:
    quantised(pair, 1.30)
    pair.run("--npuperf-markdown=report.md")

    assert (pair.path / "report.md").read_text(encoding="utf-8").split("\n") == [
        "**npuperf**: 2 limits in 1 case within budget, 1 replayed (recorded 2026-07-16)",
        "",
        "#### quantised against float: `int8` against `fp16`",
        "",
        "- `PASSED custom.accuracy 0.710, limit >= 0.700 (+1.4 %); -0.87 points from 0.719 (fp16)`",
        "- `PASSED speedup 1.40, limit >= 1.30 (+7.7 %)`",
        "- `kernel_time 100 us, fp16 140 us`",
        "- `gained: Conv2D 60.0 us`",
        "- `eaten: AscendQuant 20.0 us (new)`",
        "",
    ]


def test_faster_but_wrong_fails_and_the_speed_is_still_told(pair: Project) -> None:
    quantised(pair, 1.40)
    pair.tests(TESTS.format(own=0.7001, other=0.7188))
    document = pair.results(status=1)

    assert limits(document) == {"speedup": ("PASSED", 1.4), "custom.accuracy": ("FAILED", 0.7001)}


def test_swapped_sides_say_which_is_which(pair: Project) -> None:
    pair.budget(
        'against = { case = "int8" }',
        "speedup = { at_least = 1.4 }",
        name="swapped",
        recording="fp16",
    )
    pair.budget('compute_time_per_step = "1 ms"', name="int8", recording="int8")
    pair.tests("import pytest\n@pytest.mark.npuperf('swapped')\ndef test_it():\n    pass\n")
    document = pair.results(status=1)

    (case,) = document["cases"]
    assert case["limits"][0]["value"] == pytest.approx(100 / 140)
    assert case["findings"] == [
        "kernel_time 140 us, int8 100 us",
        "gained: AscendQuant 20.0 us",
        "eaten: Conv2D 60.0 us",
        "nothing is quantised: no op has an input in INT8, UINT8 or INT4",
    ]


def test_other_steps_and_other_batches_are_refused(pair: Project) -> None:
    pair.record("int8", [[kind, core, [20] * 4] for kind, core, _ in INT8], steps=4)
    quantised(pair, 1.40, "batch_size = 16")
    (speedup, _) = pair.results(status=1)["cases"][0]["limits"]
    assert speedup["verdict"] == "NOT_MEASURED"
    assert speedup["remark"] == (
        "batch_size 16, and fp16 has none; "
        "run the same batch on both sides, and say it in both budgets"
    )

    text = (pair.path / "pyproject.toml").read_text(encoding="utf-8")
    same = text.replace('compute_time_per_step = "1 ms"', "batch_size = 16\nkernel_count = 99")
    (pair.path / "pyproject.toml").write_text(same, encoding="utf-8")
    (speedup, _) = pair.results(status=1)["cases"][0]["limits"]
    assert speedup["remark"] == "4 steps, and fp16 has 2; run as many on both sides"


def test_the_float_model_may_have_a_file_of_its_own(pair: Project) -> None:
    result(pair, "fp16.json", "71.88%")
    result(pair, "int8.json", "71.01%")
    pair.budget(
        'custom.accuracy = { better = "higher", at_least = 71, from = "fp16.json" }',
        name="float",
        recording="fp16",
    )
    pair.budget(
        'against = { case = "float" }',
        'custom.accuracy = { better = "higher", max_regression = "1 points", from = "int8.json" }',
        name="int8",
        recording="int8",
    )
    pair.tests("import pytest\n@pytest.mark.npuperf('int8')\ndef test_it():\n    pass\n")
    document = pair.results(status=0)

    ((accuracy),) = document["cases"][0]["limits"]
    assert (accuracy["value"], accuracy["unit"]) == (71.01, "%")
    assert accuracy["comparison"]["baseline"] == 71.88
    assert accuracy["comparison"]["change"] == pytest.approx(-0.87)


def test_a_file_that_is_not_there_is_named_by_its_path_in_the_project(pair: Project) -> None:
    quantised(
        pair, 1.40, 'layer_accuracy = { result = "result.csv", cosine = { at_least = 0.99 } }'
    )
    found = {each["metric"]: each for each in pair.results(status=1)["cases"][0]["limits"]}

    assert {name: each["verdict"] for name, each in found.items()} == {
        "layer_accuracy": "NOT_MEASURED",
        "speedup": "PASSED",
        "custom.accuracy": "PASSED",
    }
    assert found["layer_accuracy"]["remark"] == (
        "result.csv: no such file; make it, or mend the path"
    )


def test_the_number_of_another_side_that_the_budget_does_not_name_is_refused(
    pair: Project,
) -> None:
    pair.budget(
        'custom.accuracy = { better = "higher", max_regression = "1 points" }',
        name="int8",
        recording="int8",
    )
    (case,) = pair.results(status=1)["cases"]

    assert (case["verdict"], case["reason"]) == (
        "ERROR",
        "custom.accuracy: the test reports what it is against, and the budget is against nothing; "
        "write against = { case = NAME }, or report the number alone",
    )


def test_a_number_that_is_told_twice_is_refused(pair: Project) -> None:
    (pair.path / "result.json").write_text("{}", encoding="utf-8")
    pair.budget(
        'custom.accuracy = { better = "higher", at_least = 0.7, from = "result.json" }',
        name="int8",
        recording="int8",
    )
    (case,) = pair.results(status=1)["cases"]

    assert case["verdict"] == "ERROR"
    assert case["reason"] == (
        "custom.accuracy: the test reports it, and it is read from result.json, too; keep one"
    )


LOG = """
[AMCT]: Accuracy of original model is 0.7188
[AMCT]: Accuracy of global quantized model is 0.7004
[AMCT]: Accuracy of saved model is {}
"""


@pytest.mark.parametrize(("saved", "status"), [("0.7149", 0), ("0.7049", 1)])
def test_the_log_of_a_search_says_itself_what_the_float_model_was_like(
    project: Project, saved: str, status: int
) -> None:
    (project.path / "amct.log").write_text(LOG.format(saved), encoding="utf-8")
    project.settings(
        "[tool.npuperf.budgets.right]\n"
        'custom.accuracy = { better = "higher", max_regression = "1 points", from = "amct.log" }\n'
    )
    project.tests("import pytest\n@pytest.mark.npuperf('right')\ndef test_it():\n    pass\n")
    (case,) = project.results(status=status)["cases"]

    assert case["limits"][0]["comparison"]["source"] == "float model"


def about_a_file(project: Project, limit: str) -> None:
    """Make a project whose only budget is about an accuracy that a file tells."""
    result(project, "result.json", "71.01%")
    project.settings(
        "[tool.npuperf.budgets.right]\n"
        f'custom.accuracy = {{ better = "higher", {limit}, from = "result.json" }}\n'
    )
    project.tests("import pytest\n@pytest.mark.npuperf('right')\ndef test_it():\n    pass\n")


def test_a_file_without_a_float_model_has_nothing_to_be_compared_with(project: Project) -> None:
    about_a_file(project, "max_regression = true")
    (case,) = project.results(status=1)["cases"]

    assert (case["verdict"], case["reason"]) == (
        "ERROR",
        "max_regression has nothing to compare with, as files have no baseline; "
        "write against = { case = NAME }",
    )


def test_a_case_about_files_only_needs_neither_an_app_nor_a_recording(project: Project) -> None:
    about_a_file(project, "at_least = 71")
    (case,) = project.results(status=0)["cases"]

    assert (case["verdict"], case["mode"], case["profiles"]) == ("PASSED", "", [])
    assert (case["notes"], case["findings"]) == ([], ["result.json: Top1 accuracy 71.01%"])
    project.run().stdout.no_fnmatch_line("*quantised against float*")


@pytest.mark.parametrize(("at_least", "status"), [(71, 0), (72, 1)])
def test_the_page_has_no_ops_of_a_case_about_files_only(
    project: Project, at_least: int, status: int
) -> None:
    about_a_file(project, f"at_least = {at_least}")

    assert project.run("--npuperf-html=page.html").ret == status
    assert "custom.accuracy" in (project.path / "page.html").read_text(encoding="utf-8")
