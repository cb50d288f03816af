from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.config import Marker, Options, Settings, load
from pytest_npuperf.model import (
    Case,
    Limit,
    Msprof,
    Noise,
    Regression,
    Selector,
    StepOptions,
    Wanted,
)
from pytest_npuperf.units import Dimension

HEADER = "[tool.npuperf.budgets.b]\n"
NOISE = Noise(Fraction(5000), Fraction(3, 100))


def _case(tmp_path: Path, statements: str) -> Case:
    (tmp_path / "pyproject.toml").write_text(HEADER + statements, encoding="utf-8")
    settings = load(tmp_path, Options())
    assert settings is not None
    return settings.case("b")


def test_an_empty_budget_has_what_is_built_in(tmp_path: Path) -> None:
    assert _case(tmp_path, "") == Case(
        "b", cwd=tmp_path, noise=NOISE, baselines=tmp_path / "baselines"
    )


def test_every_key_reaches_the_case(tmp_path: Path) -> None:
    statements = """
app = "./out/main 'two words' model.om"
collector = "app"
cwd = "out"
env = { OMP_NUM_THREADS = "1" }
recording = "resnet50"
rounds = 5
warmup_steps = 2
model = 0
steps = 100
soc = "Ascend310P*"
mode = "replay"
when_unavailable = "fail"
inconclusive = "fail"
devices = [3, 1]
msprof.command = "/opt/msprof"
msprof.timeout = "1.5 s"
msprof.options = { a = "x", b = 5, c = true, d = false }
"""
    assert _case(tmp_path, statements) == Case(
        name="b",
        app=("./out/main", "two words", "model.om"),
        collector="app",
        cwd=tmp_path / "out",
        env={"OMP_NUM_THREADS": "1"},
        recording=tmp_path / "recordings" / "resnet50",
        rounds=5,
        steps=StepOptions(warmup_steps=2, model=0, steps=100),
        soc="Ascend310P*",
        msprof=Msprof("/opt/msprof", {"a": "x", "b": "5", "c": "on", "d": "off"}, Fraction(3, 2)),
        mode="replay",
        when_unavailable="fail",
        inconclusive="fail",
        devices=(3, 1),
        noise=NOISE,
        baselines=tmp_path / "baselines",
    )


def test_what_is_taken_for_noise_is_said_for_all(tmp_path: Path) -> None:
    statements = """
[tool.npuperf]
baselines = "accepted"
min_effect = "1.5 us"
session_noise = "0 %"
"""
    case = _case(tmp_path, statements)
    assert case.noise == Noise(Fraction(1500), Fraction(0))
    assert case.baselines == tmp_path / "accepted"


TIME, SHARE, COUNT, NUMBER = Dimension.TIME, Dimension.SHARE, Dimension.COUNT, Dimension.NUMBER
SIZE = Dimension.SIZE
AT = "pyproject.toml:2"
CONV = Selector(type=("Conv2D",))

LIMITS = [
    (
        'busy_time = "1.75 ms"',
        [Limit(Wanted("busy_time"), TIME, at_most=Fraction(1_750_000), where=AT)],
    ),
    (
        'busy_time = { at_most = "2 us", at_least = "1 us", on_fail = "warn", why = "so" }',
        [
            Limit(
                Wanted("busy_time"),
                TIME,
                at_most=Fraction(2000),
                at_least=Fraction(1000),
                on_fail="warn",
                why="so",
                where=AT,
            )
        ],
    ),
    (
        "kernel_count = { equal = 0 }",
        [Limit(Wanted("kernel_count"), COUNT, equal=Fraction(0), where=AT)],
    ),
    (
        'overlap_share = { at_least = "80 %" }',
        [Limit(Wanted("overlap_share"), SHARE, at_least=Fraction(4, 5), where=AT, better="higher")],
    ),
    (
        'step_time = { p95 = "2 ms", count = { at_least = 20 } }',
        [
            Limit(Wanted("step_time", "p95"), TIME, at_most=Fraction(2_000_000), where=AT),
            Limit(Wanted("step_time", "count"), COUNT, at_least=Fraction(20), where=AT),
        ],
    ),
    (
        'timeline_time = { "Ascend Hardware" = "5 ms", count = { at_least = "1 ns" } }',
        [
            Limit(
                Wanted("timeline_time", "Ascend Hardware"),
                TIME,
                at_most=Fraction(5_000_000),
                where=AT,
            ),
            Limit(Wanted("timeline_time", "count"), TIME, at_least=Fraction(1), where=AT),
        ],
    ),
    (
        'advice_count."Operator Schedule" = 0',
        [Limit(Wanted("advice_count", "Operator Schedule"), COUNT, at_most=Fraction(0), where=AT)],
    ),
    (
        'memory_peak = { at_most = "1.5 GiB", at_least = "1 B" }',
        [
            Limit(
                Wanted("memory_peak"),
                SIZE,
                at_most=Fraction(3 * 2**29),
                at_least=Fraction(1),
                where=AT,
            )
        ],
    ),
    (
        'apis = [{ name = "a", total_per_step = "1 us", count_per_step = 2 }]',
        [
            Limit(
                Wanted("apis", "total_per_step", Selector(name=("a",))),
                TIME,
                at_most=Fraction(1000),
                where=AT,
            ),
            Limit(
                Wanted("apis", "count_per_step", Selector(name=("a",))),
                COUNT,
                at_most=Fraction(2),
                where=AT,
            ),
        ],
    ),
    (
        'custom."a.b" = { at_least = 0.85, better = "higher" }',
        [Limit(Wanted("custom.a.b"), NUMBER, at_least=Fraction(17, 20), where=AT, better="higher")],
    ),
    (
        'custom.x = { at_most = -1, better = "lower" }',
        [Limit(Wanted("custom.x"), NUMBER, at_most=Fraction(-1), where=AT)],
    ),
    (
        'ops = [{ type = "Conv2D", count_per_step = 0, share = "5 %" }]',
        [
            Limit(Wanted("ops", "share", CONV), SHARE, at_most=Fraction(1, 20), where=AT),
            Limit(Wanted("ops", "count_per_step", CONV), COUNT, at_most=Fraction(0), where=AT),
        ],
    ),
    (
        'ops = [{ name = "a*", type = ["b"], task_type = ["c", "d"], not_name = "e", '
        'not_type = "f", count = 1 }]',
        [
            Limit(
                Wanted("ops", "count", Selector(("a*",), ("b",), ("c", "d"), ("e",), ("f",))),
                COUNT,
                at_most=Fraction(1),
                where=AT,
            )
        ],
    ),
    (
        'apis = [{ name = "a", api_level = "acl", max = "1 ms" }]',
        [
            Limit(
                Wanted("apis", "max", Selector(name=("a",), api_level=("acl",))),
                TIME,
                at_most=Fraction(1_000_000),
                where=AT,
            )
        ],
    ),
    (
        'ops = [{ type = "Conv2D", on_fail = "warn", why = "rule", max = "1 us", '
        'min = { at_most = "1 us", on_fail = "fail", why = "limit" } }]',
        [
            Limit(
                Wanted("ops", "min", CONV),
                TIME,
                at_most=Fraction(1000),
                why="limit",
                where=AT,
            ),
            Limit(
                Wanted("ops", "max", CONV),
                TIME,
                at_most=Fraction(1000),
                on_fail="warn",
                why="rule",
                where=AT,
            ),
        ],
    ),
    (
        'ops = [{ type = "Conv2D", pmu = { x = { at_least = 0.5 }, y = { at_most = 1 }, '
        "z = { at_most = 1, at_least = 0 }, e = { equal = 1 } } }]",
        [
            Limit(
                Wanted("ops", None, CONV, "x"),
                NUMBER,
                at_least=Fraction(1, 2),
                where=AT,
                better="higher",
            ),
            Limit(Wanted("ops", None, CONV, "y"), NUMBER, at_most=Fraction(1), where=AT),
            Limit(
                Wanted("ops", None, CONV, "z"),
                NUMBER,
                at_most=Fraction(1),
                at_least=Fraction(0),
                where=AT,
            ),
            Limit(Wanted("ops", None, CONV, "e"), NUMBER, equal=Fraction(1), where=AT),
        ],
    ),
]


REGRESSIONS = [
    ('busy_time = { max_regression = "7.5 %" }', Regression(Fraction(3, 40)), "lower"),
    ('busy_time = { max_regression = "0 %" }', Regression(Fraction(0)), "lower"),
    ("busy_time = { max_regression = true }", Regression(Fraction(1, 25)), "lower"),
    ("memory_peak = { max_regression = true }", Regression(Fraction(1, 25)), "lower"),
    ("kernel_count = { max_regression = true }", Regression(Fraction(0)), "lower"),
    ('kernel_count = { max_regression = "2 %" }', Regression(Fraction(1, 50)), "lower"),
    ("step_time.count = { max_regression = true }", Regression(Fraction(0)), "lower"),
    ("overlap_share = { max_regression = true }", Regression(Fraction(1, 25)), "higher"),
    ('overlap_share.max_regression = "2points"', Regression(Fraction(1, 50), True), "higher"),
    ('timeline_time.CANN = { max_regression = "1 %" }', Regression(Fraction(1, 100)), "lower"),
    (
        'custom.x = { max_regression = "1 point", better = "higher" }',
        Regression(Fraction(1, 100), True),
        "higher",
    ),
    (
        'ops = [{ type = "A", share = { max_regression = "2 points" } }]',
        Regression(Fraction(1, 50), True),
        "lower",
    ),
    (
        'ops = [{ type = "A", pmu.x = { max_regression = true, better = "higher" } }]',
        Regression(Fraction(1, 25)),
        "higher",
    ),
    (
        'apis = [{ name = "a", count_per_step = { max_regression = true } }]',
        Regression(Fraction(0)),
        "lower",
    ),
    ('busy_time = "1 ms"', None, "lower"),
]


@pytest.mark.parametrize(("statement", "regression", "better"), REGRESSIONS)
def test_how_much_worse_a_number_may_become(
    tmp_path: Path, statement: str, regression: Regression | None, better: str
) -> None:
    case = _case(tmp_path, f'{statement}\n[tool.npuperf]\nmax_regression = "4 %"')
    (limit,) = case.limits
    assert (limit.max_regression, limit.better) == (regression, better)


def test_true_means_what_is_built_in_where_the_settings_do_not_say(tmp_path: Path) -> None:
    (limit,) = _case(tmp_path, "busy_time = { max_regression = true }").limits
    assert limit.max_regression == Regression(Fraction(1, 20))


@pytest.mark.parametrize(("statement", "limits"), LIMITS)
def test_limits(tmp_path: Path, statement: str, limits: list[Limit]) -> None:
    assert list(_case(tmp_path, statement).limits) == limits


def test_a_list_of_words_is_left_as_it_is(tmp_path: Path) -> None:
    assert _case(tmp_path, """app = ["main", "two words", "", "'"]""").app == (
        "main",
        "two words",
        "",
        "'",
    )


def test_a_marker_may_hold_what_only_python_has(tmp_path: Path) -> None:
    keywords = {
        "app": ("main", "two words"),
        "recording": Path("r"),
        "ops": ({"type": ("A", "B"), "max": "1 us"},),
        "env": {"A": "1"},
    }
    case = Settings.empty(tmp_path, Options()).case("b", Marker(keywords, "here"))

    assert case == Case(
        name="b",
        app=("main", "two words"),
        cwd=tmp_path,
        env={"A": "1"},
        recording=tmp_path / "recordings" / "r",
        limits=(
            Limit(
                Wanted("ops", "max", Selector(type=("A", "B"))),
                TIME,
                at_most=Fraction(1000),
                where="here",
            ),
        ),
        noise=NOISE,
        baselines=tmp_path / "baselines",
    )


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("msprof", "msprof"),
        ("tools/msprof", "{folder}/tools/msprof"),
        ("/opt/msprof", "/opt/msprof"),
    ],
)
def test_a_profiler_with_a_slash_is_a_path_from_the_file(
    tmp_path: Path, command: str, expected: str
) -> None:
    case = _case(tmp_path, f'msprof.command = "{command}"')
    assert case.msprof.command == expected.format(folder=tmp_path)
