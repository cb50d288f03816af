from __future__ import annotations

import pytest

from pytest_npuperf.judge.comparable import COMPARED, differences
from pytest_npuperf.text import columns

WHOLE = {
    "soc": "Ascend910B3",
    "cann": "8.5.0",
    "driver": "24.1.0",
    "level": "Level1",
    "metrics": "ACL_AICORE_PIPE_UTILIZATION",
    "msprof.aic-metrics": "Memory",
    "app": "main",
    "app_sha256": "00",
}


def without(*keys: str) -> dict[str, str]:
    return {key: value for key, value in WHOLE.items() if key not in keys}


def test_the_same_has_no_differences() -> None:
    assert differences(WHOLE, dict(reversed(WHOLE.items()))) == ()
    assert differences({}, {}) == ()
    assert differences(without("driver"), without("driver")) == ()
    assert differences({"soc": ""}, {}) == ()


@pytest.mark.parametrize(
    ("key", "other", "phrase"),
    [
        ("soc", "Ascend310P3", "SoC Ascend310P3, the baseline has Ascend910B3"),
        ("cann", "8.0.0", "CANN 8.0.0, the baseline has 8.5.0"),
        ("driver", "24.1.rc2", "driver 24.1.rc2, the baseline has 24.1.0"),
        ("level", "Level0", "profiling level Level0, the baseline has Level1"),
        (
            "metrics",
            "ACL_AICORE_NONE",
            "AI Core metrics ACL_AICORE_NONE, the baseline has ACL_AICORE_PIPE_UTILIZATION",
        ),
        ("msprof.aic-metrics", "L2Cache", "msprof --aic-metrics L2Cache, the baseline has Memory"),
    ],
)
def test_each_compared_key(key: str, other: str, phrase: str) -> None:
    assert differences({**WHOLE, key: other}, WHOLE) == (phrase,)


def test_every_key_is_tested_above() -> None:
    assert set(COMPARED) == without("app", "app_sha256", "msprof.aic-metrics").keys()


@pytest.mark.parametrize(
    ("key", "now", "before"),
    [
        ("soc", "SoC unknown, the baseline has Ascend910B3", "SoC Ascend910B3, unknown"),
        ("cann", "CANN unknown, the baseline has 8.5.0", "CANN 8.5.0, unknown"),
        ("driver", "driver unknown, the baseline has 24.1.0", "driver 24.1.0, unknown"),
        (
            "level",
            "profiling level unknown, the baseline has Level1",
            "profiling level Level1, unknown",
        ),
        (
            "msprof.aic-metrics",
            "msprof --aic-metrics not given, the baseline has Memory",
            "msprof --aic-metrics Memory, not given",
        ),
    ],
)
@pytest.mark.parametrize("absent", [{}, {"empty": ""}])
def test_what_only_one_side_knows(key: str, now: str, before: str, absent: dict[str, str]) -> None:
    lacking = {**without(key), **({key: ""} if absent else {})}
    assert differences(lacking, WHOLE) == (now,)
    assert differences(WHOLE, lacking) == (f"{before} in the baseline",)


def test_the_app_is_what_is_meant_to_change() -> None:
    assert differences({**WHOLE, "app": "other", "app_sha256": "ff"}, WHOLE) == ()
    assert differences(without("app", "app_sha256"), WHOLE) == ()


def test_several_come_in_one_order_whatever_that_of_the_keys() -> None:
    now = {"msprof.z": "1", "msprof.a": "1", "cann": "8", "soc": "Ascend310"}
    before = {"msprof.m": "2", "driver": "24", "cann": "7", "soc": "Ascend910"}
    assert differences(now, before) == (
        "SoC Ascend310, the baseline has Ascend910",
        "CANN 8, the baseline has 7",
        "driver unknown, the baseline has 24",
        "msprof --a 1, not given in the baseline",
        "msprof --m not given, the baseline has 2",
        "msprof --z 1, not given in the baseline",
    )


def test_text_of_files_is_made_safe_and_short() -> None:
    (phrase,) = differences({"cann": "8\x1b[31m\n"}, {"cann": "昇" * 100})
    assert phrase == f"CANN 8\\x1b[31m\\n, the baseline has {'昇' * 9}...{'昇' * 9}"
    (phrase,) = differences({"msprof." + "x" * 90 + "\x07": "1" * 90}, {})
    assert phrase == (
        f"msprof --{'x' * 18}...{'x' * 15}\\x07 {'1' * 18}...{'1' * 19}, not given in the baseline"
    )
    assert columns(phrase) < 120
