"""The reference pages list what the code has: every metric, statistic, table and column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_npuperf.catalogue import (
    API_STATISTICS,
    ARTEFACTS,
    COMMUNICATION,
    ENOUGH_SAMPLES,
    FROM_OP_STATISTIC,
    LEFT_OUT,
    METRICS,
    OLD_RULE_TYPES,
    OP_STATISTICS,
    PER_STEP,
    SPEEDUPS,
    STATISTICS,
    Metric,
)
from pytest_npuperf.profile.tables import TABLES, Kind, Table
from pytest_npuperf.units import Dimension

DOCS = Path(__file__).parents[2] / "docs"
METRICS_PAGE = (DOCS / "metrics.md").read_text(encoding="utf-8")
TABLES_PAGE = (DOCS / "tables.md").read_text(encoding="utf-8")
UNITS = {
    Dimension.TIME: "time",
    Dimension.SIZE: "size",
    Dimension.SHARE: "share",
    Dimension.COUNT: "count",
    Dimension.NUMBER: "number",
}
HOLDS = {
    Kind.TEXT: "text",
    Kind.CORE: "task type",
    Kind.ID: "id",
    Kind.DEVICE: "device",
    Kind.HOST: "device or host",
    Kind.START: "int64 ns",
    Kind.DURATION: "us",
    Kind.NUMBER: "number",
    Kind.COUNT: "count",
    Kind.SIZE: "size",
}
ONCE = {
    "step": "all are read, as each holds a step of its own",
    "model": "one for each model is read, as each holds the whole run",
    "device": "one for each device is read, as each holds the whole run",
}


def section(page: str, title: str) -> str:
    """Return what stands between a heading and the next one."""
    _, found, rest = page.partition(f"{title}\n")
    assert found, f"there is no {title}"
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[tuple[str, ...]]:
    """Return the rows of a Markdown table below its header, without backquotes."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [line.strip("|").replace("`", "").split("|") for line in lines[2:]]
    return [tuple(cell.strip() for cell in row) for row in cells]


def yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def test_every_metric_is_documented_as_it_is() -> None:
    assert rows(section(METRICS_PAGE, "## By name")) == [
        (
            name,
            UNITS[metric.dimension],
            metric.definition,
            ", ".join(metric.needs),
            metric.better,
            yes(name + PER_STEP in METRICS),
        )
        for name, metric in METRICS.items()
        if not name.endswith(PER_STEP)
    ]


def test_every_metric_with_keys_is_documented() -> None:
    text = section(METRICS_PAGE, "## By layer or rule type")
    assert rows(text) == [
        (name, metric.keyed_by.replace("_", " "))
        for name, metric in METRICS.items()
        if metric.keyed_by and not name.endswith(PER_STEP)
    ]
    assert all(f"`{name}`" in text for names in OLD_RULE_TYPES.items() for name in names)


@pytest.mark.parametrize(
    ("heading", "metrics"),
    [
        ("## Against another case", SPEEDUPS),
        ("## From files about a quantised model", ARTEFACTS),
    ],
)
def test_every_metric_of_a_quantised_model_is_documented(
    heading: str, metrics: dict[str, Metric]
) -> None:
    assert rows(section(METRICS_PAGE, heading)) == [
        (
            name,
            UNITS[metric.dimension],
            metric.definition,
            ", ".join(metric.needs),
            metric.better,
        )
        for name, metric in metrics.items()
    ]


def test_every_statistic_of_a_rule_is_documented() -> None:
    assert rows(section(METRICS_PAGE, "## Rules over operators")) == [
        (name, UNITS[dimension], yes(name in FROM_OP_STATISTIC))
        for name, dimension in OP_STATISTICS.items()
    ]
    assert rows(section(METRICS_PAGE, "## Rules over host APIs")) == [
        (name, UNITS[dimension]) for name, dimension in API_STATISTICS.items()
    ]


def test_every_statistic_of_a_distribution_is_documented() -> None:
    text = section(METRICS_PAGE, "## Statistics of `step_time`")
    assert ", ".join(f"`{name}`" for name in STATISTICS) in text
    assert rows(text) == [(name, str(count)) for name, count in ENOUGH_SAMPLES.items()]


@pytest.mark.parametrize("names", [COMMUNICATION, LEFT_OUT])
def test_special_task_types_are_documented(names: tuple[str, ...]) -> None:
    assert " or ".join(f"`{name}`" for name in names) in METRICS_PAGE


def test_every_table_is_documented_in_order() -> None:
    assert re.findall(r"^### `(\w+)`$", TABLES_PAGE, re.MULTILINE) == [t.name for t in TABLES]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_file_and_column_is_documented(table: Table) -> None:
    text = section(TABLES_PAGE, f"### `{table.name}`")
    names = {"Files": table.files, "Timelines": table.traces}
    assert re.findall(r"^- (\w+): (`.*`)\.$", text, re.MULTILINE) == [
        (kind, ", ".join(f"`{name}`" for name in found)) for kind, found in names.items() if found
    ]
    assert rows(text) == [
        (column.name, HOLDS[column.kind], ", ".join(column.headers)) for column in table.columns
    ]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_it_is_documented_which_releases_write_a_table_and_how_often(table: Table) -> None:
    text = section(TABLES_PAGE, f"### `{table.name}`")
    assert re.search(r"^- Written: \w.*\.$", text, re.MULTILINE)
    assert f"\n- Of files for several steps {ONCE[table.once_per]}.\n" in text
