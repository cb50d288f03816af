from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_npuperf import catalogue
from pytest_npuperf.config.layers import BUILT_IN, USUAL
from pytest_npuperf.config.schema import schema
from pytest_npuperf.config.wording import quantity_refusal
from pytest_npuperf.model import Case, Msprof, Selector
from pytest_npuperf.units import Dimension, parse

DOCS = Path(__file__).parents[2] / "docs" / "budgets.md"
SCHEMA = json.loads(json.dumps(schema()))
DEFS = SCHEMA["$defs"]
BUDGET = DEFS["budget"]["properties"]

NAMED = catalogue.METRICS | catalogue.SPEEDUPS
"""The metrics that are keys of a budget."""

KINDS = {
    Dimension.TIME: "duration",
    Dimension.SIZE: "size",
    Dimension.SHARE: "share",
    Dimension.COUNT: "count",
    Dimension.NUMBER: "number",
}


def _ref(name: str) -> str:
    return f"#/$defs/{name}"


# --- the schema itself --------------------------------------------------------------------------


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def _schemas(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from _schemas(value)


def test_every_key_is_described_for_editors() -> None:
    for node in _schemas(SCHEMA):
        properties = node.get("properties", {})
        for key, value in properties.items():
            if "not" not in value:
                assert "description" in value or "description" in _target(value), key


def _target(node: dict[str, Any]) -> Any:
    return DEFS[node["$ref"].removeprefix("#/$defs/")] if "$ref" in node else {}


def test_every_table_refuses_what_it_does_not_know() -> None:
    for node in _schemas(SCHEMA):
        if node.get("type") == "object" and "properties" in node:
            assert "additionalProperties" in node, node.get("title")


def test_every_example_and_default_is_right() -> None:
    for node in _schemas(SCHEMA):
        if "$ref" in node or "type" in node or "enum" in node or "if" in node:
            validator = Draft202012Validator({**node, "$defs": DEFS})
            for example in [
                *node.get("examples", []),
                *([node["default"]] if "default" in node else []),
            ]:
                validator.validate(example)


def test_every_definition_is_used() -> None:
    used = {node["$ref"] for node in _schemas(SCHEMA) if "$ref" in node}

    assert used == {_ref(name) for name in DEFS}


def test_a_message_stands_beside_a_single_keyword() -> None:
    for node in _schemas(DEFS):
        if "$comment" in node:
            assert len(node) == 2, node


# --- against the catalogue ----------------------------------------------------------------------


def test_the_metrics_of_the_schema_are_those_of_the_catalogue() -> None:
    described = {key: value["description"] for key, value in BUDGET.items() if key in NAMED}

    assert described == {name: metric.definition for name, metric in NAMED.items()}
    limits = re.compile(r"#/\$defs/(distribution|\w+_(limit|floor|by_\w+))")
    refs = {key for key, value in BUDGET.items() if limits.fullmatch(value.get("$ref", ""))}
    assert refs == set(NAMED)


@pytest.mark.parametrize("metric", catalogue.ARTEFACTS.values(), ids=lambda metric: metric.name)
def test_each_number_of_a_file_takes_the_limit_of_its_kind(metric: catalogue.Metric) -> None:
    table, key = metric.name.split()
    kind = KINDS[metric.dimension] + ("_limit" if metric.better == "lower" else "_floor")

    assert DEFS[table]["properties"][key] == {"$ref": _ref(kind), "description": metric.definition}


def test_the_tables_about_files_limit_nothing_else() -> None:
    limits = {
        f"{table} {key}"
        for table in USUAL
        for key, value in DEFS[table]["properties"].items()
        if "$ref" in value
    }

    assert limits == set(catalogue.ARTEFACTS)


@pytest.mark.parametrize("metric", NAMED.values(), ids=lambda metric: metric.name)
def test_each_metric_takes_the_limit_of_its_kind(metric: catalogue.Metric) -> None:
    kind = KINDS[metric.dimension] + ("_limit" if metric.better == "lower" else "_floor")
    if metric.keyed_by:
        kind = f"{KINDS[metric.dimension]}_by_{metric.keyed_by}"
        each = DEFS[kind]["then"]["additionalProperties"]
        assert each["$ref"] == _ref(f"{KINDS[metric.dimension]}_limit")

    assert BUDGET[metric.name]["$ref"] == _ref("distribution" if metric.distribution else kind)


def test_the_statistics_of_the_schema_are_those_of_the_catalogue() -> None:
    statistics = DEFS["statistics"]["properties"]

    assert {key: value["$ref"] for key, value in statistics.items()} == {
        name: _ref("count_limit" if name == "count" else "duration_limit")
        for name in catalogue.STATISTICS
    }


@pytest.mark.parametrize(
    ("rule", "statistics", "others"),
    [
        (
            "ops_rule",
            catalogue.OP_STATISTICS,
            {"name", "type", "task_type", "not_name", "not_type", "pmu"},
        ),
        ("apis_rule", catalogue.API_STATISTICS, {"name", "api_level"}),
    ],
)
def test_the_statistics_of_rules_are_those_of_the_catalogue(
    rule: str, statistics: dict[str, Dimension], others: set[str]
) -> None:
    properties = DEFS[rule]["properties"]

    assert set(properties) == {*statistics, *others, "on_fail", "why"}
    assert {key: properties[key]["$ref"] for key in statistics} == {
        key: _ref(f"{KINDS[dimension]}_limit") for key, dimension in statistics.items()
    }


def test_the_selectors_of_rules_are_those_of_the_model() -> None:
    globs = {
        key
        for rule in ("ops_rule", "apis_rule")
        for key, value in DEFS[rule]["properties"].items()
        if value.get("$ref") == _ref("globs")
    }

    assert globs == set(vars(Selector()))


# --- against what is built in -------------------------------------------------------------------


def test_the_defaults_of_the_schema_are_what_is_built_in() -> None:
    general = SCHEMA["properties"]
    for key, value in BUILT_IN.items():
        if key in ("strict", "record"):  # only the command line says them
            continue
        if key == "msprof":
            properties = DEFS["msprof"]["properties"]
            assert value == {k: v["default"] for k, v in properties.items() if "default" in v}
        else:
            node = general.get(key) or BUDGET[key]
            assert value == {**_target(node), **node}["default"], key


def test_what_is_built_in_is_what_the_model_has() -> None:
    case = Case("x")
    for key in (
        "mode",
        "when_unavailable",
        "inconclusive",
        "strict",
        "record",
        "collector",
        "rounds",
    ):
        assert getattr(case, key) == BUILT_IN[key], key
    timeout = parse(BUILT_IN["msprof"]["timeout"], Dimension.TIME)
    assert Msprof() == Msprof(BUILT_IN["msprof"]["command"], {}, timeout / 10**9)


PIECES = [
    "1",
    "0",
    ".",
    ",",
    "-",
    " ",
    "\t",
    "\n",
    "e",
    "ns",
    "us",
    "µs",
    "μs",
    "ms",
    "s",
    "min",
    "h",
    "%",
]


@settings(derandomize=True, max_examples=300)
@given(
    st.sampled_from([Dimension.TIME, Dimension.SIZE, Dimension.SHARE]),
    st.lists(
        st.sampled_from([*PIECES, "point", "points", "B", "KiB", "MiB", "GiB"]), max_size=4
    ).map("".join),
)
def test_the_schema_takes_the_quantities_that_units_take(dimension: Dimension, text: str) -> None:
    try:
        parse(text, dimension)
        right = True
    except ValueError:
        right = False

    assert Draft202012Validator(DEFS[KINDS[dimension]]).is_valid(text) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [("9" * 30 + " s", True), ("9" * 31 + " s", False), ("9" * 5000 + " s", False)],
)
def test_a_quantity_has_an_end(text: str, right: bool) -> None:
    assert Draft202012Validator(DEFS["duration"]).is_valid(text) is right
    assert (quantity_refusal(text, Dimension.TIME) is None) is right


# --- against the documentation ------------------------------------------------------------------


def _documented(heading: str) -> list[str]:
    """Return the keys in the first column of the table below a heading."""
    section = DOCS.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


def _usual() -> Iterator[tuple[str, str, str]]:
    """Yield each limit that nobody has to write, as a table of TOML has it."""
    for table, limits in USUAL.items():
        for key, limit in limits.items():
            yield table, key, _toml(limit)


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("Settings", set(SCHEMA["properties"])),
        ("msprof", set(DEFS["msprof"]["properties"])),
        ("Budget", set(BUDGET) - set(NAMED)),
        ("Limit", set(DEFS["duration_bounds"]["properties"])),
        ("Rules", {*DEFS["ops_rule"]["properties"], *DEFS["apis_rule"]["properties"]}),
        ("layer_accuracy", set(DEFS["layer_accuracy"]["properties"])),
        ("calibration", set(DEFS["calibration"]["properties"])),
        ("amct", set(DEFS["amct"]["properties"])),
    ],
)
def test_every_key_is_documented_once(heading: str, keys: set[str]) -> None:
    assert sorted(_documented(heading)) == sorted(keys)


@pytest.mark.parametrize(("table", "key", "limit"), sorted(_usual()))
def test_the_usual_limits_are_documented(table: str, key: str, limit: str) -> None:
    section = DOCS.read_text(encoding="utf-8").split(f"\n## {table}\n")[1].split("\n## ")[0]
    assert f"\n| `{key}` | `{limit}` |" in section


def test_the_keys_of_a_custom_number_are_documented() -> None:
    section = DOCS.read_text(encoding="utf-8").split("\n## Limit\n")[1].split("\n## ")[0]
    more = DEFS["custom_bounds"]["properties"].keys() - DEFS["duration_bounds"]["properties"].keys()
    assert more == {"better", "from", "key"}
    assert all(re.search(rf"`{key}[ `]", section) for key in more)
