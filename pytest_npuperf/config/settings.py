"""Load the settings of a project, and give each case its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_npuperf.config import explain
from pytest_npuperf.config.case import build_case, msprof_command, path_at, with_app
from pytest_npuperf.config.inputs import Marker, Options
from pytest_npuperf.config.layers import Layer, Merged, Setting, merge, stack
from pytest_npuperf.config.problems import did_you_mean, quoted
from pytest_npuperf.config.source import Source, no_source, read_source
from pytest_npuperf.config.validate import require_sound, sound_keywords
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.model import JSON, Case, Mode

_NO_MARKER = Marker()


def load(rootdir: Path, options: Options) -> Settings | None:
    """Return the settings of a project; None where it has no table ``[tool.npuperf]``.

    Raises ConfigError with all problems of the file at once.
    """
    source = read_source(rootdir, options.config)
    if source is None:
        return None
    require_sound(source)
    return Settings(rootdir, source, options)


@dataclass(frozen=True)
class Settings:
    """Everything that the file and the command line say, known to be right."""

    rootdir: Path
    source: Source
    options: Options
    _cases: dict[tuple[str, str | None], Case] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What budgets alone gave; many tests may share one."""

    @classmethod
    def empty(cls, rootdir: Path, options: Options) -> Settings:
        """Return the settings of a project that has none, where markers say everything."""
        return cls(rootdir, no_source(rootdir), options)

    @property
    def budgets(self) -> tuple[str, ...]:
        """Return the names of the budgets."""
        return tuple(self.source.table.get("budgets", {}))

    @property
    def bases(self) -> frozenset[str]:
        """Return the names of budgets that others extend or are compared with.

        No test need use them.
        """
        tables = list(self._tables)
        compared = (table.get("against", {}) for table in tables)
        extended = {table["extends"] for table in tables if "extends" in table}
        return frozenset(extended | {other["case"] for other in compared if "case" in other})

    @property
    def file(self) -> Path:
        """Return the file of the settings, which may not exist."""
        return self.source.file

    @property
    def shown(self) -> str:
        """Return what the file is called in messages: ``pyproject.toml``."""
        return self.source.shown

    @property
    def msprof_command(self) -> str:
        """Return the profiler of cases that do not name their own."""
        return msprof_command(self._general)

    @property
    def mode(self) -> Mode:
        """Return the mode of cases that do not say their own."""
        mode: Mode = self._general["mode",].value
        return mode

    @property
    def output(self) -> Path:
        """Return the folder for profiles and results."""
        return path_at(self._general, "output")

    @property
    def recordings(self) -> Path:
        """Return the folder of the saved profiles."""
        return path_at(self._general, "recordings")

    @property
    def baselines(self) -> Path:
        """Return the folder of what was accepted."""
        return path_at(self._general, "baselines")

    @property
    def strict(self) -> bool:
        """Return whether nothing may be skipped, replayed unasked, new or inconclusive."""
        return bool(self._general["strict",].value)

    def where(self, name: str) -> str:
        """Return the place of a budget: ``pyproject.toml:12``."""
        return self.source.where(("budgets", name))

    def case(self, name: str, marker: Marker | None = None, soc: str | None = None) -> Case:
        """Return a case with every setting resolved.

        Tables for some hardware count once ``soc`` is known. Raises ConfigError when there is no
        such budget, or a keyword of the marker is wrong.
        """
        if marker is not None and marker.keywords:
            return self._case(name, marker, soc)
        if (name, soc) not in self._cases:
            self._cases[name, soc] = self._case(name, _NO_MARKER, soc)
        return self._cases[name, soc]

    def explain(self, name: str, marker: Marker | None = None) -> list[str]:
        """Return one line for each setting and limit of a case: key, value, place."""
        return explain.explain(name, self._layers(name, marker or _NO_MARKER))

    def to_json(self) -> JSON:
        """Return plain data that :meth:`from_json` understands, for another process."""
        return {
            "rootdir": str(self.rootdir),
            "options": self.options.as_table(),
            "source": self.source.to_json(),
        }

    @classmethod
    def from_json(cls, data: JSON) -> Settings:
        """Return the settings that :meth:`to_json` gave, without a second look at the file."""
        return cls(
            Path(data["rootdir"]),
            Source.from_json(data["source"]),
            Options.from_table(data["options"]),
        )

    @property
    def _tables(self) -> Iterator[Mapping[str, JSON]]:
        """Yield every budget, and its tables for some hardware."""
        for table in self.source.table.get("budgets", {}).values():
            yield from (table, *table.get("on", {}).values())

    def _case(self, name: str, marker: Marker, soc: str | None) -> Case:
        merged = merge(self._layers(name, marker), soc)
        case = build_case(name, merged)
        against = merged.get(("against",))
        return replace(case, against=self._other_side(case, against, soc)) if against else case

    def _other_side(self, case: Case, against: Setting, soc: str | None) -> Case:
        """Return what a case is compared with, which is itself compared with nothing."""
        if "app" in against.value:
            return with_app(case, against.value["app"])
        other = str(against.value["case"])
        if other == case.name:
            where = against.layer.where(("against", "case"))
            text = f"{quoted(other)} would be compared with itself; name another budget"
            raise ConfigError([f"{where}: {case.name}: against.case: {text}"])
        return build_case(other, merge(self._layers(other, _NO_MARKER), soc))

    @property
    def _general(self) -> Merged:
        return merge(stack(self.source, self.rootdir, self.options, "", _NO_MARKER), None)

    def _layers(self, name: str, marker: Marker) -> tuple[Layer, ...]:
        sound = sound_keywords(marker, self.source.table.get("budgets", {}))
        layers = stack(self.source, self.rootdir, self.options, name, sound)
        if name not in self.budgets and not _stands_alone(name, layers):
            raise ConfigError([f"marker npuperf({quoted(name)}): {self._no_budget(name)}"])
        return layers

    def _no_budget(self, name: str) -> str:
        shown = self.source.shown
        if not self.source.found:
            return f"no budget of that name: there is no [tool.npuperf] in {shown}"
        if not self.budgets:
            return f"no budget of that name: there are no budgets in {shown}"
        near = did_you_mean(name, self.budgets, at_most=3)
        known = near or f"; known are {', '.join(self.budgets)}"
        return f"no budget of that name in {shown}{known}"


def _stands_alone(name: str, layers: tuple[Layer, ...]) -> bool:
    """Return whether keywords make a case without a budget: something to measure, or a limit."""
    case = build_case(name, merge(layers, None))
    return bool(case.app or case.recording or case.limits)
