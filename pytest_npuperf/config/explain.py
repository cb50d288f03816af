"""Show each setting and limit of a case with the place it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_npuperf.config.layers import Layer, Setting, merge, settings_of
from pytest_npuperf.config.limits import Asked, asked
from pytest_npuperf.config.problems import dotted, quoted
from pytest_npuperf.config.where import KeyPath
from pytest_npuperf.model import JSON
from pytest_npuperf.units import Dimension

_BOUNDS = {"at_least": "at least", "at_most": "at most", "equal": "equal to"}

Row = tuple[str, str, str]


def explain(name: str, layers: Sequence[Layer]) -> list[str]:
    """Return one line for each setting and limit: key, value, place.

    What holds everywhere comes first, then what holds on some hardware only.
    """
    settings = [*merge(layers, None).values(), *_on_hardware(layers)]
    return _aligned([row for setting in settings for row in _rows(name, setting)])


def _on_hardware(layers: Sequence[Layer]) -> Iterator[Setting]:
    """Yield what tables for some hardware say, unless a marker or the command line overrules."""
    for index, layer in enumerate(layers):
        if layer.only_on:
            higher = [above for above in layers[index:] if not above.only_on]
            overruled: set[KeyPath] = set(merge(higher, None))
            yield from (each for each in settings_of(layer) if each.path not in overruled)


def _rows(name: str, setting: Setting) -> Iterator[Row]:
    limits = list(asked(setting.path, setting.value))
    for limit in limits:
        place = _place(setting.layer, limit.path)
        yield f"{name}.{dotted(limit.path)}", _limit(limit), place
    if not limits:
        yield (
            f"{name}.{dotted(setting.path)}",
            _value(setting.value),
            _place(setting.layer, setting.path),
        )


def _limit(limit: Asked) -> str:
    bounds = [f"{word} {limit.table[key]}" for key, word in _BOUNDS.items() if key in limit.table]
    chosen = [f"{key}={','.join(globs)}" for key, globs in limit.wanted.select.as_dict().items()]
    if "max_regression" in limit.table:
        bounds.append(f"at most {_regression(limit)} worse")
    text = " and ".join(bounds) + (f" for {' '.join(chosen)}" if chosen else "")
    on_fail = limit.table.get("on_fail", limit.rule.get("on_fail"))
    return f"{text} (warn)" if on_fail == "warn" else text


def _regression(limit: Asked) -> str:
    said = limit.table["max_regression"]
    if said is not True:
        return str(said)
    # The number that it stands for has a row of its own.
    return "0 %" if limit.dimension is Dimension.COUNT else "max_regression"


def _value(value: JSON) -> str:
    return value if isinstance(value, str) else quoted(value)


def _place(layer: Layer, path: KeyPath) -> str:
    return layer.where(path) if layer.place else f"{layer.where(path)} ({layer.name})"


def _aligned(rows: Iterable[Row]) -> list[str]:
    table = list(rows)
    keys = max(len(key) for key, _, _ in table)
    values = max(len(value) for _, value, _ in table)
    return [f"{key:<{keys}}  {value:<{values}}  {place}" for key, value, place in table]
