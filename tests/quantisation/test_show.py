from __future__ import annotations

from pathlib import Path

import pytest

from pytest_npuperf.commands.cli import main

KNOWN = ("note ", "outputs", "calibration", "layers of the search")


def test_every_file_is_shown_or_refused_in_one_line(
    quantisation: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = 0
    for path in sorted(each for each in quantisation.rglob("*") if each.is_file()):
        status = main(["show", str(path)])
        out, err = capsys.readouterr()
        if status == 0:
            shown += 1
            assert out.startswith(KNOWN), path
            assert err == "", path
        else:
            assert (status, out, err.count("\n")) == (1, "", 1), path
            assert err.startswith(f"npuperf: {path}"), path
            assert "fault of npuperf" not in err, path
    assert shown > 40


@pytest.mark.parametrize("name", ["satisfied", "partial", "impossible"])
def test_every_search_is_shown(
    quantisation: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = quantisation / "hicann+amct" / "generated" / f"auto_calibration_{name}"
    assert main(["show", str(folder)]) == 0
    out, err = capsys.readouterr()
    rolled_back = {"satisfied": 0, "partial": 3, "impossible": 10}[name]
    assert (err, out.count("  rolled back  ")) == ("", rolled_back)
