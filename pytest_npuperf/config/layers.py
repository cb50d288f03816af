"""Put the tables that speak of a case in order, and merge them key by key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_npuperf import catalogue
from pytest_npuperf.config.inputs import Marker, Options
from pytest_npuperf.config.source import Source
from pytest_npuperf.config.where import KeyPath
from pytest_npuperf.globs import matches
from pytest_npuperf.model import JSON

BUILT_IN: Mapping[str, JSON] = {
    "mode": "auto",
    "recordings": "recordings",
    "baselines": "baselines",
    "output": ".npuperf",
    "when_unavailable": "skip",
    "inconclusive": "warn",
    "max_regression": "5 %",
    "min_effect": "5 us",
    "session_noise": "3 %",
    "strict": False,
    "record": False,
    "collector": "msprof",
    "cwd": ".",
    "rounds": 1,
    "msprof": {"command": "msprof", "timeout": "10 min"},
}

USUAL: Mapping[str, Mapping[str, JSON]] = {
    "layer_accuracy": {"broken": 0},
    "calibration": {"images": {"at_least": 10, "at_most": 50, "on_fail": "warn"}},
    "amct": {"quantised_count": {"at_least": 1}},
}
"""The limits of the tables about a quantised model, of which each has the one that is usual."""

GENERAL = (
    *("mode", "recordings", "baselines", "output", "when_unavailable", "inconclusive"),
    *("max_regression", "min_effect", "session_noise", "devices", "msprof"),
)
"""The keys of ``[tool.npuperf]`` that every case takes over."""

# Tables that merge key by key; whatever else is found at a key replaces what was there.
_MERGED: frozenset[KeyPath] = frozenset(
    [("msprof",), ("msprof", "options"), ("env",), ("custom",)]
    + [(metric.name,) for metric in catalogue.METRICS.values() if metric.takes_table]
    + [(table,) for table in USUAL]
)
_NOT_MERGED: frozenset[KeyPath] = frozenset([("extends",), ("on",), ("budgets",)])


@dataclass(frozen=True)
class Layer:
    """One table that speaks of a case."""

    name: str
    """``budget``, ``extends vision``, ``on Ascend910B*``, ``marker`` ..."""
    table: Mapping[str, JSON]
    base: Path
    """Where its relative paths start."""
    source: Source | None = None
    at: KeyPath = ()
    """Where the table stands in its source."""
    place: str = ""
    """What to say instead, where it does not come from a file."""
    only_on: str = ""
    """A glob over the hardware for which it holds; empty for any."""

    def where(self, path: KeyPath) -> str:
        """Return the place that says a key: ``pyproject.toml:12``."""
        return self.source.where(self.at + path) if self.source else self.place


@dataclass(frozen=True)
class Setting:
    """A value, and the layer that says it."""

    path: KeyPath
    value: JSON
    layer: Layer


Merged = Mapping[KeyPath, Setting]


def merge(layers: Iterable[Layer], soc: str | None) -> Merged:
    """Return the highest value of each key; ``layers`` come from low to high.

    Tables for some hardware count when ``soc`` is known and matches.
    """
    holding = (layer for layer in layers if not layer.only_on or _matches(soc, layer.only_on))
    return {setting.path: setting for layer in holding for setting in settings_of(layer)}


def settings_of(layer: Layer) -> Iterator[Setting]:
    """Yield each value of a table that another layer can replace."""
    for path, value in leaves(layer.table):
        yield Setting(path, value, layer)


def leaves(table: Mapping[str, JSON], above: KeyPath = ()) -> Iterator[tuple[KeyPath, JSON]]:
    """Yield each value that is replaced as a whole, with its path."""
    for key, value in table.items():
        path = (*above, key)
        if path in _MERGED and isinstance(value, dict):
            yield from leaves(value, path)
        elif path not in _NOT_MERGED:
            yield path, value


def stack(
    source: Source, rootdir: Path, options: Options, name: str, marker: Marker
) -> tuple[Layer, ...]:
    """Return the layers of a case from low to high; there may be no budget of its name."""
    folder = source.file.parent
    general = {key: source.table[key] for key in GENERAL if key in source.table}
    said = {key: value for key, value in options.as_table().items() if key in BUILT_IN}
    budgets = _budgets(source, name, marker)
    own = Layer("marker", marker.keywords, rootdir, place=marker.where)
    speaking = [*budgets, *(on for budget in budgets for on in _hardware(budget)), own]
    usual = {key: USUAL[key] for layer in speaking for key in layer.table if key in USUAL}
    return (
        Layer("built-in", {**BUILT_IN, **usual}, folder, place="built-in"),
        Layer("[tool.npuperf]", general, folder, source),
        *budgets,
        *(on for budget in budgets for on in _hardware(budget)),
        own,
        *_hardware(own),
        Layer("command line", said, rootdir, place="command line"),
    )


def extended(name: str | None, budgets: Mapping[str, JSON]) -> list[str]:
    """Return a name and all that it extends, nearest first; a circle ends where it closes."""
    chain: list[str] = []
    while name is not None and name in budgets and name not in chain:
        chain.append(name)
        name = budgets[name].get("extends")
    return chain


def _budgets(source: Source, name: str, marker: Marker) -> list[Layer]:
    """Return the budget of a case and those it extends, from low to high."""
    tables = source.table.get("budgets", {})
    chain = extended(name, tables)
    if "extends" in marker.keywords:
        chain = chain[:1] + extended(marker.keywords["extends"], tables)
    return [
        Layer(
            "budget" if link == name else f"extends {link}",
            tables[link],
            source.file.parent,
            source,
            ("budgets", link),
        )
        for link in reversed(chain)
    ]


def _hardware(layer: Layer) -> Iterator[Layer]:
    """Yield the tables of a layer for some hardware, on which its numbers hold too."""
    for glob, table in layer.table.get("on", {}).items():
        yield replace(
            layer,
            name=f"on {glob}",
            table={"soc": glob, **table},
            at=(*layer.at, "on", glob),
            only_on=glob,
        )


def _matches(soc: str | None, glob: str) -> bool:
    return soc is not None and matches(soc, (glob,))
