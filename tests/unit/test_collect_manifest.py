from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_npuperf.collect.manifest import Manifest, read_manifest, write_manifest
from pytest_npuperf.errors import CollectError
from pytest_npuperf.judge.comparable import COMPARED, OPTION
from pytest_npuperf.model import MANIFEST


@pytest.mark.parametrize(
    "manifest",
    [
        Manifest(),
        Manifest("2026-01-31", {"soc": "Ascend310P3", "msprof.aic-metrics": "Größe"}),
        Manifest(rounds=1),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, manifest: Manifest) -> None:
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_the_file_is_for_people_too(tmp_path: Path) -> None:
    write_manifest(tmp_path, Manifest("2026-01-31", {"soc": "Ascend310P3", "cann": "8.0.0"}, 3))
    assert (tmp_path / MANIFEST).read_text(encoding="utf-8") == (
        "{\n"
        '  "format": 1,\n'
        '  "recorded": "2026-01-31",\n'
        '  "rounds": 3,\n'
        '  "fingerprint": {\n'
        '    "cann": "8.0.0",\n'
        '    "soc": "Ascend310P3"\n'
        "  }\n"
        "}\n"
    )


def test_there_need_not_be_one(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    (tmp_path / "table.csv").touch()
    assert read_manifest(tmp_path / "table.csv") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "found a list, wanted an object"),
        ("3", "found 3, wanted an object"),
        ("{}", "format: found null, wanted 1"),
        ('{"format": "1"}', 'format: found "1", wanted 1'),
        ('{"format": true}', "format: found true, wanted 1"),
        ('{"format": 0}', "format: found 0, wanted 1"),
        (
            '{"format": 2, "recorded": []}',
            "format 2 is newer than 1, the newest that this version reads; upgrade pytest-npuperf",
        ),
        (
            '{"format": 1, "recorded": "31.1.2026"}',
            'recorded: found "31.1.2026", wanted a date such as "2026-01-31"',
        ),
        (
            '{"format": 1, "recorded": "2026-02-30"}',
            'recorded: found "2026-02-30", wanted a date such as "2026-01-31"',
        ),
        (
            '{"format": 1, "recorded": 20260131}',
            'recorded: found 20260131, wanted a date such as "2026-01-31"',
        ),
        *(
            (
                f'{{"format": 1, "rounds": {found}}}',
                f"rounds: found {found}, wanted a whole number, 1 or more",
            )
            for found in ("0", "-1", "1.0", "true", "null", '"3"')
        ),
        (
            '{"format": 1, "fingerprint": "910B"}',
            'fingerprint: found "910B", wanted an object of texts',
        ),
        (
            '{"format": 1, "fingerprint": {"soc": null}}',
            "fingerprint.soc: found null, wanted a text",
        ),
        (
            '{"format": 1, "fingerprint": {"soc": {}}}',
            "fingerprint.soc: found an object, wanted a text",
        ),
        (
            '{"format": 1, "fingerprint": {"soc": " "}}',
            'fingerprint.soc: found " ", wanted a text',
        ),
        (
            '{"format": 1, "fingerprint": {"msprof.aic-metrics": ""}}',
            'fingerprint.msprof.aic-metrics: found "", wanted a text',
        ),
        (
            '{"format": 1, "fingerprint": {"scoc": "Ascend910B3"}}',
            "fingerprint.scoc: is not a key of a manifest; did you mean soc?",
        ),
        (
            '{"format": 1, "fingerprint": {"SoC": "Ascend910B3"}}',
            "fingerprint.SoC: is not a key of a manifest; did you mean soc?",
        ),
        (
            '{"format": 1, "fingerprint": {"\\u001b[2J": ""}}',
            "fingerprint.\\x1b[2J: is not a key of a manifest; "
            "wanted soc, cann, driver, level, metrics, app, app_sha256",
        ),
        (
            '{"format": 1, "recored": "2026-01-31"}',
            "recored: is not a key of a manifest; did you mean recorded?",
        ),
        (
            '{"format": 1, "soc": "Ascend910B3"}',
            "soc: is not a key of a manifest; wanted format, recorded, rounds, fingerprint",
        ),
        (
            f'{{"format": 1, "recorded": "{"9" * 99}"}}',
            f'recorded: found "{"9" * 17}...{"9" * 18}", wanted a date such as "2026-01-31"',
        ),
        (
            "{",
            "is not JSON (Expecting property name enclosed in double quotes: "
            "line 1 column 2 (char 1)); write it anew with --npuperf-record",
        ),
    ],
)
def test_a_damaged_one_is_one_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / MANIFEST
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CollectError) as caught:
        read_manifest(tmp_path)
    assert str(caught.value) == f"{path}: {problem}"


def test_blanks_around_what_is_told_are_nothing(tmp_path: Path) -> None:
    text = '{"format": 1, "fingerprint": {"soc": " Ascend910B3\\n"}}'
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    assert read_manifest(tmp_path) == Manifest(fingerprint={"soc": "Ascend910B3"})


def test_whatever_is_compared_may_be_told(tmp_path: Path) -> None:
    told = {**dict.fromkeys(COMPARED, "x"), f"{OPTION}anything": "x", "app": "x", "app_sha256": "x"}
    write_manifest(tmp_path, Manifest(fingerprint=told))
    assert read_manifest(tmp_path) == Manifest(fingerprint=told)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(b"\xff")
    with pytest.raises(CollectError, match="cannot be read: 'utf-8' codec"):
        read_manifest(tmp_path)
    (tmp_path / MANIFEST).write_text("[" * 100_000)
    with pytest.raises(CollectError, match="is not JSON"):
        read_manifest(tmp_path)


def test_a_pipe_in_the_place_of_the_manifest(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    with pytest.raises(CollectError) as caught:
        read_manifest(tmp_path)
    assert str(caught.value) == f"{tmp_path / MANIFEST}: cannot be read: it is a pipe, and no file"
