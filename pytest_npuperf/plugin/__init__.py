"""The pytest plugin: options, marker, fixtures, and what happens around each test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_npuperf.config import Settings, load
from pytest_npuperf.errors import ConfigError
from pytest_npuperf.plugin import marks
from pytest_npuperf.plugin.aggregate import Aggregator
from pytest_npuperf.plugin.explain import Explainer
from pytest_npuperf.plugin.fixtures import npu_profile, npuperf
from pytest_npuperf.plugin.header import header_line
from pytest_npuperf.plugin.hooks import (
    SESSION,
    pytest_collection_modifyitems,
    pytest_deselected,
    pytest_runtest_call,
    pytest_runtest_setup,
    pytest_runtest_teardown,
)
from pytest_npuperf.plugin.options import (
    add_options,
    check_extra,
    explains,
    forget_results,
    settings_options,
)
from pytest_npuperf.plugin.session import NpuperfSession

__all__ = [
    "npu_profile",
    "npuperf",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_deselected",
    "pytest_report_header",
    "pytest_runtest_call",
    "pytest_runtest_setup",
    "pytest_runtest_teardown",
]

_ASKS_ONLY = ("help", "version", "markers", "showfixtures", "show_fixtures_per_test", "cacheshow")
"""Options with which pytest tells about itself; a wrong budget must not get in their way."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command line options."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, once: on the controller; workers are given them."""
    config.addinivalue_line("markers", marks.SIGNATURE)
    if any(getattr(config.option, name, None) for name in _ASKS_ONLY):
        return
    worker = getattr(config, "workerinput", {})
    if "npuperf" in worker:
        config.stash[SESSION] = NpuperfSession.from_json(worker["npuperf"], worker["workerid"])
        return
    forget_results(config)
    check_extra(config)
    session = config.stash[SESSION] = NpuperfSession.begin(_settings(config))
    if explains(config):
        config.pluginmanager.register(Explainer(config, session), "npuperf-explainer")
    elif not config.option.collectonly:
        config.pluginmanager.register(Aggregator(config, session), "npuperf-aggregator")


def _settings(config: pytest.Config) -> Settings:
    options = settings_options(config)
    try:
        return load(config.rootpath, options) or Settings.empty(config.rootpath, options)
    except ConfigError as err:
        raise pytest.UsageError(str(err)) from err


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of xdist what it needs as plain data."""
    if SESSION in node.config.stash:
        node.workerinput["npuperf"] = node.config.stash[SESSION].to_json()


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say in one line what will be gated, and how."""
    if SESSION not in config.stash:
        return None
    session = config.stash[SESSION]
    return header_line(session.settings, session.dev)
