"""What can stop a measurement; each error is told to the user in one line."""

from __future__ import annotations

from collections.abc import Iterable


class NpuperfError(Exception):
    """Something other than a slow operator went wrong; its text is one line for people."""


class ConfigError(NpuperfError):
    """The settings are wrong; ``problems`` holds one line for each fault."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class CollectError(NpuperfError):
    """No profile could be obtained: the app, msprof or the recording failed."""


class ProfileError(NpuperfError):
    """A profile is there, but it cannot be trusted or read."""


class AccuracyError(NpuperfError):
    """A file about a quantised model is there, but it cannot be trusted or read."""
