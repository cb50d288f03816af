"""The text of ``npuperf show`` at several widths, piped and in a terminal with colours."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_npuperf.commands import host_areas, kernel_areas, op_areas, run_areas
from pytest_npuperf.commands.area import Area
from pytest_npuperf.commands.render import plain
from pytest_npuperf.commands.show import Scopes, Shown, look_at
from pytest_npuperf.commands.terminal import coloured
from pytest_npuperf.text import columns

LONG = "network/block_1/" + "inner/" * 20 + "conv_1"
TYPES = Area(
    op_areas.TYPES,
    (
        ("0/0", "Conv2D", "AI_CORE", 2, 8_000, Fraction(4, 5), Fraction(4_000), 5_000),
        ("1/0", None, None, 12, None, None, None, None),
    ),
    more=3,
)
OPS = Area(
    op_areas.OPS,
    (
        ("0", LONG, "Conv2D", "AI_CORE", 25, 0, 61_000),
        ("0", "卷积" * 30, "Conv2D", "AI_VECTOR_CORE", 1, 1_234_567, 5_000),
        ("0", "bad\x1b[31m\n[red]name", "[bold]x[/bold]", None, 1, None, None),
    ),
)
CORES = Area(
    kernel_areas.KERNEL_CORES,
    (
        ("0", "mat_mul/0", "cube", 1, 80_000, 80_000, 0, "0/cube0", "fixpipe", Fraction(3, 4)),
        ("0", LONG, "vector", 2, 7_500, 14_250, Fraction(9, 10), "1/vector0", "mte2", None),
    ),
)
ADVICE = Area(
    host_areas.ADVICE,
    (("0", "Computation", "AI_CPU", "use " + "fewer and fewer " * 10 + "calls", "conv_1;conv_2"),),
)
EMPTY = Area(run_areas.STEP_TIME, reason="step_trace_time has one step, whose end is not marked")
REFUSED = Area(host_areas.MEMORY, reason="memory_record has no row of PTA")
MISSING = Area(host_areas.FUSION, reason="needs fusion_op")
RUN, STEP = Scopes("run", None), Scopes("step", None)


def shown(*areas: Area, scopes: Scopes | None = None) -> Shown:
    tables = ("op_summary", "op_statistic", "step_trace", "api_statistic")
    unread = ("communication.json", "odd\x1b[2J.txt", "trace_view.json")
    return Shown(Path("recordings/resnet50"), scopes, tables, unread, (), (), areas)


def bare(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_an_area_is_a_title_and_a_table() -> None:
    assert plain(shown(TYPES), 100) == (
        "op types by total time\n"
        "lane  op type  core     count    total   share     mean      max\n"
        "0/0   Conv2D   AI_CORE      2  8.00 us  80.0 %  4.00 us  5.00 us\n"
        "1/0   -        -           12        -       -        -        -\n"
        "... and 3 more with a larger --top\n"
    )


def test_columns_go_one_by_one_where_there_is_little_room() -> None:
    assert plain(shown(TYPES), 40) == (
        "op types by total time\n"
        "lane  op type  count    total   share\n"
        "0/0   Conv2D       2  8.00 us  80.0 %\n"
        "1/0   -           12        -       -\n"
        "... and 3 more with a larger --top\n"
    )


def test_facts_stand_above_and_empty_areas_close_together() -> None:
    assert plain(shown(TYPES, EMPTY, REFUSED, TYPES, scopes=STEP), 60) == (
        "profile  recordings/resnet50\n"
        "scope    step: the op tables hold single steps of a longer\n"
        "         run, and no totals of it\n"
        "tables   op_summary, op_statistic, step_trace, api_statistic\n"
        "not read communication.json, odd\\x1b[2J.txt, trace_view.json\n"
        "\n"
        "op types by total time\n"
        "lane  op type  core     count    total   share     mean\n"
        "0/0   Conv2D   AI_CORE      2  8.00 us  80.0 %  4.00 us\n"
        "1/0   -        -           12        -       -        -\n"
        "... and 3 more with a larger --top\n"
        "\n"
        "step time, warm-up left out: step_trace_time has one step,\n"
        "whose end is not marked\n"
        "memory peaks: memory_record has no row of PTA\n"
        "\n"
        "op types by total time\n"
        "lane  op type  core     count    total   share     mean\n"
        "0/0   Conv2D   AI_CORE      2  8.00 us  80.0 %  4.00 us\n"
        "1/0   -        -           12        -       -        -\n"
        "... and 3 more with a larger --top\n"
    )


LOST = "task_time was not exported: no such table in the database of the device"
NOTE = "step_trace lacks 1 reduce duration: msprof wrote an underflow"


def test_what_is_to_be_known_stands_below_the_tables() -> None:
    found = replace(shown(EMPTY, scopes=RUN), unread=(), lost=(LOST,), notes=(NOTE, "another"))
    text = (
        "profile  recordings/resnet50\n"
        "scope    run: the tables hold the whole run\n"
        "tables   op_summary, op_statistic, step_trace, api_statistic\n"
        "lost     task_time was not exported: no such table in the\n"
        "         database of the device\n"
        "note     step_trace lacks 1 reduce duration: msprof wrote an\n"
        "         underflow\n"
        "note     another\n"
        "\n"
        "step time, warm-up left out: step_trace_time has one step,\n"
        "whose end is not marked\n"
    )
    assert plain(found, 60) == bare(coloured(found, 60)) == text


def test_what_is_to_be_known_of_a_single_area_is_told_too() -> None:
    found = replace(shown(MISSING), lost=(LOST,), notes=(NOTE,))
    text = f"lost     {LOST}\nnote     {NOTE}\n\nfusion: needs fusion_op\n"
    assert plain(found, 100) == bare(coloured(found, 100)) == text


def test_areas_without_a_table_are_told_together_at_the_end() -> None:
    found = shown(
        MISSING, TYPES, Area(run_areas.STEPS, reason=run_areas.STEPS.missing()), scopes=RUN
    )
    end = (
        "... and 3 more with a larger --top\n"
        "\n"
        "not shown for want of a table: fusion (fusion_op), steps\n"
        "(step_trace or step_trace_time)\n"
    )
    assert plain(found, 60).endswith(end)
    assert bare(coloured(found, 60)).endswith(end)
    assert "needs" not in plain(found, 60)


def test_a_single_area_says_itself_which_table_it_lacks() -> None:
    assert plain(shown(MISSING), 60) == "fusion: needs fusion_op\n"
    assert bare(coloured(shown(MISSING), 60)) == "fusion: needs fusion_op\n"


def test_the_kernel_of_a_core_is_told_at_every_width() -> None:
    for text in (plain(shown(CORES), 60), bare(coloured(shown(CORES), 60))):
        assert all(cell in text for cell in ("mat_mul/0", "cube", "80.0 us", "fixpipe", "75.0 %"))


SINGLE = "single steps of a longer run, and no totals of it"


@pytest.mark.parametrize(
    ("scopes", "line"),
    [
        (Scopes("run", None), "run: the tables hold the whole run"),
        (Scopes(None, "run"), "run: the tables hold the whole run"),
        (Scopes("step", "run"), f"step: the op tables hold {SINGLE}"),
        (Scopes("run", "step"), f"step: the timeline holds {SINGLE}"),
        (Scopes("step", "step"), f"step: the op tables and the timeline hold {SINGLE}"),
    ],
)
def test_the_scope_says_which_tables_hold_single_steps(scopes: Scopes, line: str) -> None:
    assert plain(shown(TYPES, scopes=scopes), 200).splitlines()[1] == f"scope    {line}"


def test_what_has_no_totals_has_no_scope() -> None:
    lines = plain(shown(TYPES, scopes=Scopes(None, None)), 200).splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["profile", "tables"]


def test_advice_stands_below_its_row_and_is_never_cut() -> None:
    assert plain(shown(ADVICE), 60) == (
        "advice of msprof\n"
        "rule         kind    ops\n"
        "Computation  AI_CPU  conv_1;conv_2\n"
        "  use fewer and fewer fewer and fewer fewer and fewer fewer\n"
        "  and fewer fewer and fewer fewer and fewer fewer and fewer\n"
        "  fewer and fewer fewer and fewer fewer and fewer calls\n"
    )
    words = bare(coloured(shown(ADVICE), 60)).split()
    assert words.count("fewer") == 20
    assert "calls" in words


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("area", [TYPES, OPS, CORES, ADVICE, EMPTY], ids=lambda area: area.spec.key)
def test_no_line_is_wider_than_the_terminal(area: Area, width: int) -> None:
    for text in (plain(shown(area, scopes=RUN), width), coloured(shown(area, scopes=RUN), width)):
        assert max(columns(line.rstrip()) for line in bare(text).splitlines()) <= width


@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_is_not_a_name_is_never_cut(width: int) -> None:
    for text in (plain(shown(TYPES, OPS), width), coloured(shown(TYPES, OPS), width)):
        written = bare(text)
        assert "…" not in written
        assert all(cell in written for cell in ("8.00 us", "80.0 %", "61.0 us", "duration"))


def test_at_every_width_only_whole_columns_go() -> None:
    for width in range(45, 100):
        written = bare(coloured(shown(TYPES), width))
        assert "…" not in written
        assert written.count("...") == 1  # where it says what --top leaves out
        assert max(len(line.rstrip()) for line in written.splitlines()) <= width


def test_names_cannot_speak_to_the_terminal() -> None:
    for text in (plain(shown(OPS), 100), coloured(shown(OPS), 100)):
        assert "\\x1b[31m\\n[red]name" in text
        assert "[bold]x[/bold]" in text


def test_both_forms_show_the_same(profile: Path) -> None:
    found = look_at(profile, 3, None)
    written = bare(coloured(found, 100)).splitlines()
    tables = [line for line in written if set(line) != {"─"}]
    assert [line.split() for line in tables] == [
        line.split() for line in plain(found, 100).splitlines()
    ]


def test_a_column_of_texts_without_any_is_left_out_but_not_one_of_numbers() -> None:
    steps = Area(run_areas.STEPS, (("0", "7", None, None), ("0", "8", None, None)))
    assert plain(shown(steps), 80) == "longest steps\nstep  time\n7        -\n8        -\n"
