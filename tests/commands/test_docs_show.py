"""docs/show.md says what the command does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_npuperf.commands import (
    host_areas,
    kernel_areas,
    op_areas,
    quantised_areas,
    run_areas,
)
from pytest_npuperf.commands.cli import main
from pytest_npuperf.commands.show import BY, FORMAT, as_json, look_at

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "show.md").read_text(encoding="utf-8")
SPECS = (
    *(run_areas.LANES, run_areas.LAYERS, op_areas.TYPES, op_areas.OPS, op_areas.CORES),
    *(run_areas.STEP_TIME, run_areas.STEPS),
    *(host_areas.APIS, host_areas.FUSION, host_areas.MEMORY, host_areas.ADVICE),
)
KERNEL_SPECS = (kernel_areas.KERNELS, kernel_areas.KERNEL_CORES)
QUANTISED_SPECS = (quantised_areas.OUTPUTS, quantised_areas.SEARCH, quantised_areas.CALIBRATION)


def code(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_the_page_lists_every_area_with_its_tables_and_keys() -> None:
    listed = re.findall(r"^\| (\w+) \| ([^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)
    found = {name: (code(tables), code(keys)) for name, tables, keys in listed if code(keys)}
    assert found == {
        spec.key: (list(spec.needs), [field.key for field in spec.fields])
        for spec in (*SPECS, *KERNEL_SPECS, *QUANTISED_SPECS)
    }


def test_the_page_names_the_keys_of_the_document(profile: Path) -> None:
    document = as_json(look_at(profile, 10, None))
    section = PAGE.partition("## JSON")[2]
    assert list(document["areas"]) == [spec.key for spec in SPECS]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    assert listed == list(document)
    assert {*document["scope"], *document["areas"]["lanes"]} <= set(code(section))
    assert f"| `format` | {FORMAT} |" in section


def test_the_page_names_the_areas_of_by() -> None:
    (row,) = re.findall(r"^\| `--by AREA` \|(.*)$", PAGE, re.MULTILINE)
    assert code(row) == list(BY)


def test_the_page_shows_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ((arguments, shown),) = re.findall(
        r"^```console\n\$ npuperf (.*)\n((?s:.*?))^```$", PAGE, re.MULTILINE
    )
    monkeypatch.chdir(ROOT / "example_project")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(arguments.split()) == 0
    assert capsys.readouterr().out == shown
