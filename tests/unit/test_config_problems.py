from __future__ import annotations

import math
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_npuperf.config import Options, Settings, load
from pytest_npuperf.config.problems import did_you_mean, dotted
from pytest_npuperf.config.source import Source
from pytest_npuperf.config.validate import require_sound
from pytest_npuperf.errors import ConfigError

NO_BOUND = "sets no bound; write at_most, at_least, equal or max_regression"
IN_POINTS = "is in points, which are for max_regression of shares and custom numbers; write it in %"
LOST = "can never fail where higher is better: no value is less than 0; write less"
MS = 'write "1.7 ms" or "1700 us"'
OPS = "name, type, task_type, not_name, not_type"
LIMITS = (
    "total, mean, p50, p90, p95, p99, min, max, share, count, total_per_step, count_per_step, pmu"
)


def _problems(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, Options())
    return list(refused.value.problems)


# What a budget says, and what is said of it behind "budgets.b.".
BUDGET = [
    # quantities
    ('busy_time = "1,7 ms"', f'busy_time: "1,7 ms" is not a duration; {MS}'),
    (
        'busy_time = "1,75 s"',
        'busy_time: "1,75 s" is not a duration; write "1.75 s" or "1750000 us"',
    ),
    ('busy_time = "1.7 msec"', f'busy_time: "1.7 msec" is not a duration; {MS}'),
    ('busy_time = "-1 ms"', f'busy_time: "-1 ms" is not a duration; {MS}'),
    (
        'busy_time = "1e3 us"',
        'busy_time: "1e3 us" has an exponent, and exponents are not read; '
        'write the number out, as in "1.7 ms" or "1700 us"',
    ),
    (
        'busy_time = "1.5E+300 s"',
        'busy_time: "1.5E+300 s" has an exponent, and exponents are not read; '
        'write the number out, as in "1.7 ms" or "1700 us"',
    ),
    (
        'idle_share = "1e1 %"',
        'idle_share: "1e1 %" has an exponent, and exponents are not read; '
        'write the number out, as in "5 %"',
    ),
    ("busy_time = inf", f"busy_time: Infinity is not a duration; {MS}"),
    ("busy_time = nan", f"busy_time: NaN is not a duration; {MS}"),
    ("busy_time = 1e300", f"busy_time: 1e+300 is not a duration; {MS}"),
    ("busy_time = -5", f"busy_time: -5 is not a duration; {MS}"),
    ("idle_share = inf", 'idle_share: Infinity is not a share; write "5 %"'),
    ('busy_time = ""', f'busy_time: "" is not a duration; {MS}'),
    ("busy_time = true", f"busy_time: true is not a duration; {MS}"),
    ("busy_time = []", f"busy_time: [] is not a duration; {MS}"),
    ("busy_time = 1979-05-27", f'busy_time: "1979-05-27" is not a duration; {MS}'),
    ("busy_time = 5", 'busy_time: 5 has no unit; write "5 us", "5 ms" or "5 s"'),
    ("busy_time = 1.7", 'busy_time: 1.7 has no unit; write "1.7 us", "1.7 ms" or "1.7 s"'),
    ('busy_time = " 1.7 "', 'busy_time: " 1.7 " has no unit; write "1.7 us", "1.7 ms" or "1.7 s"'),
    ('busy_time = "512 MiB"', f'busy_time: "512 MiB" is a size, not a duration; {MS}'),
    ('busy_time = "5 %"', f'busy_time: "5 %" is a share, not a duration; {MS}'),
    ('busy_time.at_least = "5 %"', f'busy_time.at_least: "5 %" is a share, not a duration; {MS}'),
    ("idle_share = 5", 'idle_share: 5 has no unit; write "5 %"'),
    ('idle_share = "5 ms"', 'idle_share: "5 ms" is a duration, not a share; write "5 %"'),
    ('idle_share = "5,5 %"', 'idle_share: "5,5 %" is not a share; write "5.5 %"'),
    (
        "memory_peak = 512",
        'memory_peak: 512 has no unit; write "512 KiB", "512 MiB" or "512 GiB"',
    ),
    (
        'memory_peak = "512 MB"',
        'memory_peak: "512 MB" is not a size; write "512 MiB" or "2 GiB"',
    ),
    (
        'reserved_memory_peak = "1e3 B"',
        'reserved_memory_peak: "1e3 B" has an exponent, and exponents are not read; '
        'write the number out, as in "512 MiB" or "2 GiB"',
    ),
    (
        'memory_peak.at_most = "5 ms"',
        'memory_peak.at_most: "5 ms" is a duration, not a size; write "512 MiB" or "2 GiB"',
    ),
    ("kernel_count = -1", "kernel_count: -1 is too small; the least is 0"),
    (
        "kernel_count = 1.0",
        "kernel_count: 1.0 is not a count; write a whole number such as 140",
    ),
    (
        "kernel_count = true",
        "kernel_count: true is not a count; write a whole number such as 140",
    ),
    (
        'kernel_count = "140"',
        'kernel_count: "140" is not a count; write a whole number such as 140',
    ),
    (
        'kernel_count.equal = "1 ms"',
        'kernel_count.equal: "1 ms" is a duration, not a count; write a whole number such as 140',
    ),
    (
        'custom.x = { at_most = inf, better = "lower" }',
        "custom.x.at_most: Infinity is not a number; write a number such as 0.85",
    ),
    (
        'custom.x = { at_most = nan, better = "lower" }',
        "custom.x.at_most: NaN is not a number; write a number such as 0.85",
    ),
    (
        'custom.x = { at_most = true, better = "lower" }',
        "custom.x.at_most: true is not a number; write a number such as 0.85",
    ),
    # limits
    (
        'overlap_share = "80 %"',
        'overlap_share: a bare "80 %" would mean at most, but higher is better; '
        'write { at_least = "80 %" }',
    ),
    (
        "fused_count = 3",
        "fused_count: a bare 3 would mean at most, but higher is better; write { at_least = 3 }",
    ),
    ("busy_time = {}", f"busy_time: {NO_BOUND}"),
    ('busy_time = { why = "because" }', f"busy_time: {NO_BOUND}"),
    (
        'busy_time = { at_most = "1 ms", at_least = "1001 us" }',
        'busy_time: at_least "1001 us" is more than at_most "1 ms"; no value can be within both',
    ),
    (
        'busy_time = { equal = "1 ms", at_most = "1 ms" }',
        "busy_time: equal stands alone; leave out at_most, at_least and max_regression, or equal",
    ),
    (
        'busy_time = { equal = "1 ms", max_regression = true }',
        "busy_time: equal stands alone; leave out at_most, at_least and max_regression, or equal",
    ),
    (
        'busy_time = { max_regression = "2 points" }',
        f'busy_time.max_regression: "2 points" {IN_POINTS}',
    ),
    (
        'memory_peak = { max_regression = "1 point" }',
        f'memory_peak.max_regression: "1 point" {IN_POINTS}',
    ),
    (
        'step_time.count = { at_least = 1, max_regression = " 2points " }',
        f'step_time.count.max_regression: " 2points " {IN_POINTS}',
    ),
    (
        'ops = [{ type = "A", max = { max_regression = "2 points" } }]',
        f'ops[0].max.max_regression: "2 points" {IN_POINTS}',
    ),
    (
        'ops = [{ type = "A", pmu.x = { max_regression = "2 points", better = "lower" } }]',
        f'ops[0].pmu.x.max_regression: "2 points" {IN_POINTS}',
    ),
    (
        'ops = [{ type = "A", pmu.x = { at_least = 0.8, max_regression = true } }]',
        "ops[0].pmu.x: better is missing, and max_regression needs it; "
        'write better = "lower" or better = "higher"',
    ),
    (
        'ops = [{ type = "A", pmu.x = { at_most = 0.8, better = "higher" } }]',
        "ops[0].pmu.x: at_most 0.8 can never fail: better is higher, so no worse value breaks it; "
        "write at_least",
    ),
    (
        'custom.x = { max_regression = "5 %" }',
        'custom.x: better is missing; write better = "lower" or better = "higher"',
    ),
    (
        'overlap_share = { max_regression = "100 %" }',
        f'overlap_share.max_regression: "100 %" {LOST}',
    ),
    (
        'fused_count = { at_least = 1, max_regression = "100.1 %" }',
        f'fused_count.max_regression: "100.1 %" {LOST}',
    ),
    (
        'custom.x = { max_regression = "200 %", better = "higher" }',
        f'custom.x.max_regression: "200 %" {LOST}',
    ),
    (
        'overlap_share = { max_regression = "100 points" }',
        'overlap_share.max_regression: "100 points" can never fail: '
        "100 points are the whole; write less",
    ),
    (
        'custom.x = { max_regression = "100 points", better = "lower" }',
        'custom.x.max_regression: "100 points" can never fail: '
        "100 points are the whole; write less",
    ),
    (
        "busy_time = { max_regression = false }",
        "busy_time.max_regression: false has no meaning here; leave the key out",
    ),
    (
        "busy_time = { max_regression = 5 }",
        'busy_time.max_regression: 5 has no unit; write "5 %"',
    ),
    (
        'busy_time = { at_mots = "3 ms" }',
        'busy_time.at_mots: unknown key "at_mots"; did you mean "at_most"?',
    ),
    (
        'busy_time = { at_most = "3 ms", limit = "3 ms" }',
        'busy_time.limit: unknown key "limit"; '
        "known are at_most, at_least, equal, max_regression, on_fail, why",
    ),
    (
        'busy_time.p95 = "3 ms"',
        'busy_time.p95: one number has no statistic "p95"; write at_most, at_least or equal',
    ),
    (
        'busy_time = { at_most = "3 ms", on_fail = "ignore" }',
        'busy_time.on_fail: "ignore" is not known; write "fail" or "warn"',
    ),
    (
        'busy_time = { at_most = "3 ms", on_fail = "wran" }',
        'busy_time.on_fail: "wran" is not known; did you mean "warn"?',
    ),
    (
        'busy_time = { at_most = "3 ms", why = "" }',
        'busy_time.why: "" is empty; write something or leave the key out',
    ),
    (
        'busy_time = { at_most = "3 ms", why = true }',
        'busy_time.why: true is not a string; write "true"',
    ),
    # limits that no value breaks
    (
        'busy_time.at_least = "0 ms"',
        'busy_time: at_least "0 ms" can never fail: no value is less; write more, or another bound',
    ),
    (
        "fused_count = { at_least = 0 }",
        "fused_count: at_least 0 can never fail: no value is less; write more, or another bound",
    ),
    (
        "step_time.count = { at_least = 0 }",
        "step_time.count: at_least 0 can never fail: no value is less; "
        "write more, or another bound",
    ),
    (
        'ops = [{ type = "A", share = { at_least = "0 %" } }]',
        'ops[0].share: at_least "0 %" can never fail: no value is less; '
        "write more, or another bound",
    ),
    (
        'apis = [{ name = "a", count = { at_least = 0, on_fail = "warn" } }]',
        "apis[0].count: at_least 0 can never fail: no value is less; write more, or another bound",
    ),
    (
        'idle_share = "100 %"',
        'idle_share: at_most "100 %" can never fail: no value is more than 100 %; '
        "write less, or another bound",
    ),
    (
        'overlap_share = { at_most = "100.1 %" }',
        'overlap_share: at_most "100.1 %" can never fail: no value is more than 100 %; '
        "write less, or another bound",
    ),
    (
        'custom.x = { at_most = 4, better = "higher" }',
        "custom.x: at_most 4 can never fail: better is higher, so no worse value breaks it; "
        "write at_least",
    ),
    (
        'custom.x = { at_least = 4, better = "lower" }',
        "custom.x: at_least 4 can never fail: better is lower, so no worse value breaks it; "
        "write at_most",
    ),
    # distributions
    (
        'step_time = "3 ms"',
        'step_time: "3 ms" is not a table; a distribution takes a limit for each statistic, '
        'write { p95 = "3 ms" }',
    ),
    ("step_time = {}", "step_time: {} is empty; write something or leave the key out"),
    ('step_time.p_95 = "3 ms"', 'step_time.p_95: unknown statistic "p_95"; did you mean "p95"?'),
    (
        'step_time.total = "3 ms"',
        'step_time.total: unknown statistic "total"; '
        "known are mean, p50, p90, p95, p99, min, max, count",
    ),
    ("step_time.p95 = {}", f"step_time.p95: {NO_BOUND}"),
    (
        'step_time.count = "3 ms"',
        'step_time.count: "3 ms" is a duration, not a count; write a whole number such as 140',
    ),
    # a limit for each layer or rule type
    (
        'timeline_time = "5 ms"',
        'timeline_time: "5 ms" is not a table; '
        'write a limit for each layer, as in { CANN = "5 ms" }',
    ),
    (
        "advice_count = 0",
        "advice_count: 0 is not a table; "
        'write a limit for each rule type, as in { "Operator Schedule" = 0 }',
    ),
    ("timeline_time = {}", "timeline_time: {} is empty; write something or leave the key out"),
    (
        'timeline_time = { "" = "5 ms" }',
        'timeline_time."": "" is empty; write something or leave the key out',
    ),
    (
        'timeline_time_per_step.at_most = "5 ms"',
        'timeline_time_per_step.at_most: "at_most" belongs in the limit of one layer; '
        'write { CANN = { "at_most" = ... } }',
    ),
    (
        "advice_count.equal = 1",
        'advice_count.equal: "equal" belongs in the limit of one rule type; '
        'write { "Operator Schedule" = { "equal" = ... } }',
    ),
    (
        'timeline_time."Ascend Hardware" = 5',
        'timeline_time."Ascend Hardware": 5 has no unit; write "5 us", "5 ms" or "5 s"',
    ),
    ("timeline_time.CANN = {}", f"timeline_time.CANN: {NO_BOUND}"),
    (
        'timeline_time.CANN = { at_least = "0 ms" }',
        'timeline_time.CANN: at_least "0 ms" can never fail: no value is less; '
        "write more, or another bound",
    ),
    (
        'timeline_time.CANN = { at_least = "2 ms", at_most = "1 ms" }',
        'timeline_time.CANN: at_least "2 ms" is more than at_most "1 ms"; '
        "no value can be within both",
    ),
    (
        'advice_count."Operator Schedule" = "1 ms"',
        'advice_count."Operator Schedule": "1 ms" is a duration, not a count; '
        "write a whole number such as 140",
    ),
    (
        'timeline_tme = { CANN = "5 ms" }',
        'timeline_tme: unknown metric or key "timeline_tme"; did you mean "timeline_time"?',
    ),
    # keys
    ('busy_tme = "3 ms"', 'busy_tme: unknown metric or key "busy_tme"; did you mean "busy_time"?'),
    (
        'BUSY_TIME = "3 ms"',
        'BUSY_TIME: unknown metric or key "BUSY_TIME"; did you mean "busy_time"?',
    ),
    ('mode = "OFF"', 'mode: "OFF" is not known; did you mean "off"?'),
    ("round = 3", 'round: unknown metric or key "round"; did you mean "rounds"?'),
    ('output = "x"', 'output: unknown metric or key "output"; it belongs in [tool.npuperf]'),
    ("rounds = 0", "rounds: 0 is too small; the least is 1"),
    ("rounds = true", "rounds: true is not a whole number; write for example 1"),
    ("rounds = 1.0", "rounds: 1.0 is not a whole number; write for example 1"),
    ('steps = "5"', 'steps: "5" is not a whole number; write for example 100'),
    ("warmup_steps = -1", "warmup_steps: -1 is too small; the least is 0"),
    ("cwd = 5", 'cwd: 5 is not a string; write "5"'),
    ("cwd = []", 'cwd: [] is not a string; write for example "."'),
    ("env = { A = 1 }", 'env.A: 1 is not a string; write "1"'),
    ('env = { "A=" = "1" }', 'env."A=": "A=" cannot be the name of an environment variable'),
    ('collector = "torch"', 'collector: "torch" is not known; write "msprof" or "app"'),
    ("mode = 5", 'mode: 5 is not known; write "auto", "run", "replay" or "off"'),
    ('soc = ""', 'soc: "" is empty; write something or leave the key out'),
    ("devices = []", "devices: [] is empty; write something or leave the key out"),
    ("devices = [0, 0]", "devices: [0, 0] says the same twice"),
    ("devices = [true]", "devices[0]: true is not a whole number"),
    ("devices = 0", "devices: 0 is not a list; write for example [0, 1]"),
    ("app = 5", "app: 5 is not a string or a list of strings"),
    ("app = []", "app: [] is empty; write something or leave the key out"),
    ('app = ""', 'app: "" is empty; write something or leave the key out'),
    ('app = "  "', 'app: "  " is empty; name the program to run'),
    ('app = [""]', 'app: [""] is empty; name the program to run'),
    (
        'app = "main \'a b"',
        'app: "main \'a b" has a quote that is not closed; close it, or write a list',
    ),
    ('app = ["main", 5]', 'app[1]: 5 is not a string; write "5"'),
    ('against = { case = "b" }', 'against.case: no other budget is called "b"'),
    (
        'against = { case = "resnet5" }',
        'against.case: no other budget is called "resnet5"; did you mean "resnet50"?',
    ),
    (
        'on."A*".against.case = "resnet5"',
        'on."A*".against.case: no other budget is called "resnet5"; did you mean "resnet50"?',
    ),
    ('against = { app = "  " }', 'against.app: "  " is empty; name the program to run'),
    (
        """against.app = "main 'a b" """,
        'against.app: "main \'a b" has a quote that is not closed; close it, or write a list',
    ),
    ("against = {}", "against: {} is empty; write something or leave the key out"),
    ('against = "b"', 'against: "b" is not a table; write for example {"case": "resnet50_fp16"}'),
    (
        'against = { cas = "resnet50" }',
        'against.cas: unknown key "cas"; did you mean "case"?',
    ),
    (
        'against = { case = "b", app = "x" }',
        "against: has case and app; write only one of them",
    ),
    # msprof
    (
        'msprof.timeout = "0 s"',
        'msprof.timeout: "0 s" leaves the app no time; write more than 0',
    ),
    (
        "msprof.timeout = 600",
        'msprof.timeout: 600 has no unit; write "600 us", "600 ms" or "600 s"',
    ),
    (
        'msprof.option = "x"',
        'msprof.option: unknown key "option"; did you mean "options"?',
    ),
    (
        'msprof.options = { "--aic-metrics" = "Memory" }',
        'msprof.options.--aic-metrics: "--aic-metrics" is not an option of msprof; '
        "write it without leading dashes, such as aic-metrics",
    ),
    (
        'msprof.options.output = "x"',
        "msprof.options.output: npuperf sets this option itself; write output in [tool.npuperf]",
    ),
    (
        'msprof.options.application = "x"',
        "msprof.options.application: npuperf sets this option itself; write app in the budget",
    ),
    (
        "msprof.options.x = 1.5",
        'msprof.options.x: 1.5 is not a string or a whole number or true or false; write "1.5"',
    ),
    # rules
    ('ops = [{ max = "60 us" }]', f"ops[0]: selects nothing; write one of {OPS}"),
    ('ops = [{ type = "A" }]', f"ops[0]: limits nothing; write one of {LIMITS}"),
    (
        'ops = [{ type = "A", max = "6 us" }, { type = [], max = "6 us" }]',
        "ops[1].type: [] is empty; write something or leave the key out",
    ),
    (
        'ops = [{ type = "", max = "6 us" }]',
        'ops[0].type: "" is empty; write something or leave the key out',
    ),
    (
        'ops = [{ type = ["A", ""], max = "6 us" }]',
        'ops[0].type[1]: "" is empty; write something or leave the key out',
    ),
    (
        'ops = [{ type = 5, max = "6 us" }]',
        "ops[0].type: 5 is not a glob or a list of globs",
    ),
    (
        'ops = [{ type = "A", mx = "6 us" }]',
        'ops[0].mx: unknown statistic or key "mx"; did you mean "max"?',
    ),
    (
        'ops = [{ type = "A", max = { at_least = "2 us", at_most = "1 us" } }]',
        'ops[0].max: at_least "2 us" is more than at_most "1 us"; no value can be within both',
    ),
    (
        'ops = [{ type = "A", share = "60 us" }]',
        'ops[0].share: "60 us" is a duration, not a share; write "5 %"',
    ),
    (
        'ops = [{ type = "A", pmu = { aic_mac_ratio = 0.8 } }]',
        "ops[0].pmu.aic_mac_ratio: 0.8 is not a table; "
        "write { at_least = 0.8 } or { at_most = 0.8 }",
    ),
    (
        'ops = [{ type = "A", pmu = {} }]',
        "ops[0].pmu: {} is empty; write something or leave the key out",
    ),
    (
        'ops = { type = "A", max = "6 us" }',
        'ops: {"type": "A", "max": "6 us"} is not a list; '
        'write for example [{"type": "Conv2D", "max": "60 us"}]',
    ),
    (
        'apis = [{ name = "a", p95 = "6 us" }]',
        'apis[0].p95: unknown statistic or key "p95"; '
        "known are name, api_level, total, mean, min, max, count, total_per_step, count_per_step, "
        "on_fail, why",
    ),
    ('apis = [{ max = "6 us" }]', "apis[0]: selects nothing; write one of name, api_level"),
    (
        'apis = [{ name = "a" }]',
        "apis[0]: limits nothing; write one of total, mean, min, max, count, total_per_step, "
        "count_per_step",
    ),
    # custom
    (
        "custom.x = 5",
        "custom.x: 5 is not a table; "
        'write { at_least = 400, better = "higher" } or { at_most = 5, better = "lower" }',
    ),
    (
        "custom.x = { at_most = 5 }",
        'custom.x: better is missing; write better = "lower" or better = "higher"',
    ),
    (
        'custom.x = { at_least = 5, better = "up" }',
        'custom.x.better: "up" is not known; write "lower" or "higher"',
    ),
    (
        'custom.x = { at_most = 5, better = "up" }',
        'custom.x.better: "up" is not known; write "lower" or "higher"',
    ),
    (
        'custom."a b" = { at_most = 5, better = "lower" }',
        'custom."a b": "a b" is not a name; use letters, digits, dot, dash and underscore',
    ),
    # other budgets and other hardware
    ('extends = "b"', 'extends: no other budget is called "b"'),
    (
        'extends = "resnet5"',
        'extends: no other budget is called "resnet5"; did you mean "resnet50"?',
    ),
    ("extends = 5", 'extends: 5 is not a string; write "5"'),
    (
        'on."A*".extends = "resnet50"',
        'on."A*".extends: an on table cannot have its own extends; write it in the budget',
    ),
    ('on."A*".on = {}', 'on."A*".on: an on table cannot have its own on; write it in the budget'),
    (
        'on."A*".busy_time = { at_least = "2 us", at_most = "1 us" }',
        'on."A*".busy_time: at_least "2 us" is more than at_most "1 us"; '
        "no value can be within both",
    ),
    ('on."" = {}', 'on."": "" is empty; write something or leave the key out'),
]


@pytest.mark.parametrize(("statement", "problem"), BUDGET)
def test_what_is_wrong_in_a_budget(tmp_path: Path, statement: str, problem: str) -> None:
    text = f"[tool.npuperf.budgets.resnet50]\n[tool.npuperf.budgets.b]\n\n{statement}\n"

    assert _problems(tmp_path, text) == [f"pyproject.toml:4: budgets.b.{problem}"]


ROOT = [
    ('mode = "atuo"', 'mode: "atuo" is not known; did you mean "auto"?'),
    ("budget = {}", 'budget: unknown key "budget"; did you mean "budgets"?'),
    (
        "rounds = 5",
        'rounds: unknown key "rounds"; it belongs in a budget, [tool.npuperf.budgets.NAME]',
    ),
    (
        'zzz = "x"',
        'zzz: unknown key "zzz"; known are mode, recordings, baselines, output, when_unavailable, '
        "inconclusive, max_regression, min_effect, session_noise, devices, msprof, budgets",
    ),
    ("recordings = 5", 'recordings: 5 is not a string; write "5"'),
    ('max_regression = "5"', 'max_regression: "5" has no unit; write "5 %"'),
    ('min_effect = "5 %"', f'min_effect: "5 %" is a share, not a duration; {MS}'),
    ("session_noise = 3", 'session_noise: 3 has no unit; write "3 %"'),
    ('max_regression = "2 points"', f'max_regression: "2 points" {IN_POINTS}'),
    ('session_noise = "1 point"', f'session_noise: "1 point" {IN_POINTS}'),
    ('max_regression = "100 %"', f'max_regression: "100 %" {LOST}'),
    ('session_noise = "300 %"', f'session_noise: "300 %" {LOST}'),
    ("max_regression = true", 'max_regression: true is not a share; write "5 %"'),
    (
        'msprof.timeout = "0 min"',
        'msprof.timeout: "0 min" leaves the app no time; write more than 0',
    ),
    ("budgets = 5", "budgets: 5 is not a table"),
    ("budgets.b = 5", "budgets.b: 5 is not a table"),
    (
        'budgets."a b" = {}',
        'budgets."a b": "a b" is not a name of a budget; use letters, digits, dot, dash and '
        "underscore, and begin with a letter or a digit",
    ),
    (
        "budgets._x = {}",
        'budgets._x: "_x" is not a name of a budget; use letters, digits, dot, dash and '
        "underscore, and begin with a letter or a digit",
    ),
    (
        'budgets = { a = { extends = "b" }, b = { extends = "c" }, c = { extends = "a" } }',
        "budgets.a.extends: goes in a circle: a -> b -> c -> a",
    ),
]


@pytest.mark.parametrize(("statement", "problem"), ROOT)
def test_what_is_wrong_in_the_settings(tmp_path: Path, statement: str, problem: str) -> None:
    assert _problems(tmp_path, f"[tool.npuperf]\n{statement}\n") == [f"pyproject.toml:2: {problem}"]


def test_a_value_in_place_of_the_whole_table(tmp_path: Path) -> None:
    assert _problems(tmp_path, "[tool]\nnpuperf = 3\n") == [
        "pyproject.toml:2: tool.npuperf: 3 is not a table"
    ]


def test_all_problems_are_told_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = """[tool.npuperf]
mode = "atuo"

[[tool.npuperf.budgets.a.ops]]
type = "Conv2D"
max = "60 us"

[[tool.npuperf.budgets.a.ops]]
type = "Conv2D"
max = { at_most = "60 us", max_regression = "1 point" }
min = "6"

[tool.npuperf.budgets.c]
extends = "a"
busy_time = { at_most = 5, at_least = "x", on_fail = "no" }
app = "'"

[tool.npuperf.budgets.d]
extends = "wrong"
rounds = 0
[tool.npuperf.budgets]
wrong = 5
"""
    assert _problems(tmp_path, text) == [
        'pyproject.toml:2: mode: "atuo" is not known; did you mean "auto"?',
        f'pyproject.toml:10: budgets.a.ops[1].max.max_regression: "1 point" {IN_POINTS}',
        'pyproject.toml:11: budgets.a.ops[1].min: "6" has no unit; write "6 us", "6 ms" or "6 s"',
        f'pyproject.toml:15: budgets.c.busy_time.at_least: "x" is not a duration; {MS}',
        "pyproject.toml:15: budgets.c.busy_time.at_most: 5 has no unit; "
        'write "5 us", "5 ms" or "5 s"',
        'pyproject.toml:15: budgets.c.busy_time.on_fail: "no" is not known; write "fail" or "warn"',
        'pyproject.toml:16: budgets.c.app: "\'" has a quote that is not closed; '
        "close it, or write a list",
        "pyproject.toml:20: budgets.d.rounds: 0 is too small; the least is 1",
        "pyproject.toml:22: budgets.wrong: 5 is not a table",
    ]


def test_rules_are_told_by_their_number_where_they_share_a_line(tmp_path: Path) -> None:
    rules = ", ".join('{ type = "A", max = "x" }' for _ in range(11))
    problems = _problems(tmp_path, f"[tool.npuperf.budgets.b]\nops = [{rules}]\n")

    assert [line.split(": ")[1] for line in problems] == [
        f"budgets.b.ops[{index}].max" for index in range(11)
    ]


def test_a_wrong_name_does_not_hide_what_is_wrong_below_it(tmp_path: Path) -> None:
    text = "[tool.npuperf.budgets.'a b']\nrounds = 0\n[[tool.npuperf.budgets.b.ops]]\nmax = 5\n"

    assert [line.split(": ", 2)[:2] for line in _problems(tmp_path, text)] == [
        ["pyproject.toml:1", 'budgets."a b"'],
        ["pyproject.toml:2", 'budgets."a b".rounds'],
        ["pyproject.toml:3", "budgets.b.ops[0]"],
        ["pyproject.toml:4", "budgets.b.ops[0].max"],
    ]


KEYS = [
    *(
        "mode",
        "devices",
        "msprof",
        "options",
        "timeout",
        "budgets",
        "a",
        "b",
        "extends",
        "on",
        "app",
    ),
    *("env", "rounds", "busy_time", "overlap_share", "step_time", "p95", "at_most", "at_least"),
    *("equal", "max_regression", "ops", "apis", "type", "name", "max", "pmu", "custom", "against"),
    *("case", "better"),
]
SCALARS = st.sampled_from(
    [
        "a",
        "b",
        "",
        "1 ms",
        "2 us",
        "5 %",
        "2 points",
        "lower",
        "'",
        0,
        1,
        -1,
        1.5,
        math.inf,
        math.nan,
        True,
        date.min,
    ]
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=5) | st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(derandomize=True, max_examples=100)
@given(st.dictionaries(st.sampled_from(KEYS), TREES, max_size=5))
def test_whatever_stands_in_a_budget_is_right_or_told(table: dict[str, object]) -> None:
    nested = {"budgets": {"a": table, "b": {"extends": "a", "on": {"*": table}}}}
    source = Source(Path("pyproject.toml"), "pyproject.toml", nested)
    problems = _told(source)

    assert all(line.startswith("pyproject.toml: budgets.") for line in problems)
    if not problems:
        Settings(Path(), source, Options()).case("b", soc="x")


def _told(source: Source) -> tuple[str, ...]:
    try:
        require_sound(source)
    except ConfigError as refused:
        return refused.problems
    return ()


def test_each_circle_is_told_once_and_not_to_those_who_lead_into_it(tmp_path: Path) -> None:
    text = """[tool.npuperf.budgets]
outside.extends = "b"
a.extends = "b"
b.extends = "a"
"""
    assert _problems(tmp_path, text) == [
        "pyproject.toml:3: budgets.a.extends: goes in a circle: a -> b -> a"
    ]


RIGHT = [
    'busy_time = "0 ns"',
    'busy_time = " 1.7ms "',
    'busy_time = "1700 µs"',
    'busy_time = "1700 μs"',
    'busy_time = { at_most = "1 ms", at_least = "1000 us" }',
    'busy_time = { equal = "1 ms", on_fail = "warn", why = "x" }',
    "kernel_count = 0",
    'busy_time.at_least = "0.001 ns"',
    "kernel_count = { at_least = 0, at_most = 0 }",
    "kernel_count.equal = 0",
    'idle_share = "99.9 %"',
    'idle_share = { at_most = "100 %", at_least = "1 %" }',
    'overlap_share = { at_least = "100 %" }',
    'ops = [{ type = "A", share = "100 %" }]',
    'ops = [{ type = "A", pmu = { x = { at_least = 0 } } }]',
    'custom.x = { at_least = 0, better = "higher" }',
    'custom.x = { at_most = 4, at_least = 1, better = "higher" }',
    'custom.x = { equal = 4, better = "higher" }',
    'idle_share = "2 points"',
    'busy_time = { max_regression = "0 %" }',
    'busy_time = { max_regression = "250 %" }',
    'idle_time = { at_least = "0 ms", max_regression = true }',
    'idle_share = { at_most = "100 %", max_regression = "99.9 points" }',
    'overlap_share = { max_regression = "99.9 %" }',
    "kernel_count = { at_most = 140, max_regression = true }",
    'timeline_time.CANN = { max_regression = "5 %", on_fail = "warn" }',
    'advice_count."Operator Schedule" = { max_regression = "5 %" }',
    'custom.x = { at_most = 4, max_regression = "1 point", better = "higher" }',
    'ops = [{ type = "A", pmu.x = { max_regression = "5 %", better = "higher" } }]',
    'ops = [{ type = "A", pmu.x = { at_most = 1, better = "lower" } }]',
    'apis = [{ name = "a", count_per_step = { max_regression = true } }]',
    "against = { app = \"old/main 'a b'\" }",
    'against.case = "resnet50"',
    'on."A*".against = { app = ["old/main", ""] }',
    'step_time = { p95 = "2 ms", count = { at_least = 20 } }',
    'ops = [{ not_type = ["A", "B[0]"], count_per_step = 0, pmu = { x = { equal = 1 } } }]',
    "ops = []",
    'apis = [{ api_level = "acl", count = 5, on_fail = "warn" }]',
    'custom.x = { at_most = -1.5, better = "lower" }',
    'on."Ascend910?" = { rounds = 3 }',
    "app = \"main 'a b' c\"",
    'app = ["main", ""]',
    'msprof.options = { a = "x", b = 1, c = true }',
    "devices = [0]",
]


@pytest.mark.parametrize("statement", RIGHT)
def test_what_is_right_in_a_budget(tmp_path: Path, statement: str) -> None:
    text = f"[tool.npuperf.budgets.resnet50]\n[tool.npuperf.budgets.b]\n{statement}\n"
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")

    assert load(tmp_path, Options()) is not None


def test_a_path_is_written_as_in_toml() -> None:
    assert dotted(("budgets", "a.b", "on", 'x"y', "ops", 0, "max")) == (
        r'budgets."a.b".on."x\"y".ops[0].max'
    )
    assert dotted(("", 0)) == '""[0]'
    assert dotted(()) == ""


def test_near_names_are_offered_as_many_as_asked_for() -> None:
    known = ["resnet50", "resnet50_fp16", "yolov8"]

    assert did_you_mean("resnet5", known) == '; did you mean "resnet50"?'
    assert did_you_mean("resnet5", known, at_most=3) == (
        '; did you mean "resnet50" or "resnet50_fp16"?'
    )
    assert did_you_mean("x", known) == ""


def test_the_case_of_a_name_does_not_hide_it() -> None:
    assert did_you_mean("M", ["m"]) == '; did you mean "m"?'
    assert did_you_mean("RESNET5", ["ResNet50", "yolov8"]) == '; did you mean "ResNet50"?'
    assert did_you_mean("LLM", ["llm", "Llm"], at_most=3) == '; did you mean "llm" or "Llm"?'
    assert did_you_mean("LLM", ["llm", "Llm"]) == '; did you mean "llm"?'
