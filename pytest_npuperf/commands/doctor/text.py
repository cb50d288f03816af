"""What ``npuperf doctor`` prints: what is found here, and then budget by budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_npuperf.catalogue import is_told
from pytest_npuperf.commands.doctor.budgets import Checked, is_unclear
from pytest_npuperf.commands.doctor.here import Here
from pytest_npuperf.commands.doctor.trips import effects_on
from pytest_npuperf.model import Judged, Verdict
from pytest_npuperf.report.table import Column, lay_out
from pytest_npuperf.report.words import (
    change_cell,
    limit_cell,
    margin_cell,
    now_cell,
    verdict_word,
)
from pytest_npuperf.text import many, padded, printable, wrapped

_LABEL = 11
_HEADS = (
    Column("verdict"),
    Column("number", least=16),
    Column("now", right=True),
    Column("limit", right=True, drop=1),
    Column("margin", right=True, drop=2),
    Column("fails from", right=True),
    Column("line", right=True, drop=3),
)
_SOUND = "all can be measured, and can fail"
_FILES = "limits on files: the self-test changes the recording, and no file"


def as_text(here: Here, checked: Sequence[Checked], width: int, self_test: bool) -> str:
    """Return what was found for people, no line wider where that can be."""
    lines = list(_facts(here.facts, width))
    for each in checked:
        lines += ["", *_budget(each, width, self_test)]
    if checked:
        lines += ["", *wrapped(_total(checked), width)]
    return "".join(f"{line}\n" for line in lines)


def _facts(facts: Mapping[str, str], width: int) -> Iterator[str]:
    for label, text in facts.items():
        # Of an empty text there is no line.
        for index, line in enumerate(wrapped(printable(text), width - _LABEL)):
            yield padded("" if index else label, _LABEL) + line


def _budget(checked: Checked, width: int, self_test: bool) -> Iterator[str]:
    yield printable(f"{checked.name} [{checked.where}]")
    yield from _facts(checked.facts, width)
    if checked.obstacle:
        yield from _facts({"problem": checked.obstacle}, width)
    if not checked.limits:
        return
    if self_test and any(is_told(judged.limit.wanted) for judged in checked.limits):
        yield from _facts({"not tried": _FILES}, width)
    rows = [_row(checked, judged, self_test) for judged in checked.limits]
    head, *lines = lay_out(_HEADS, rows, width)
    yield head
    below = [_remark(checked, judged) for judged in checked.limits]
    for line, remark, follower in zip(lines, below, [*below[1:], ""], strict=True):
        yield line
        if remark != follower:
            yield from (f"    {part}" for part in wrapped(remark, width - 4))


def _row(checked: Checked, judged: Judged, self_test: bool) -> tuple[str, ...]:
    # All limits are of one file, which stands above them.
    file = checked.where.rpartition(":")[0] + ":"
    cells = (
        verdict_word(judged),
        judged.limit.wanted.title(),
        now_cell(judged),
        limit_cell(judged),
        # From when on it fails says more than the margin.
        "" if self_test else margin_cell(judged) or change_cell(judged),
        _trip(checked, judged) if self_test else "",
        judged.limit.where.removeprefix(file),
    )
    return tuple(map(printable, cells))


def _trip(checked: Checked, judged: Judged) -> str:
    """Return the smallest change with which a limit fails."""
    if judged.verdict is Verdict.FAILED:
        return "now"
    if judged.verdict is Verdict.NOT_MEASURED:
        return "-"
    if judged.limit not in checked.breaking:
        return "not tried"
    effect = checked.breaking[judged.limit]
    if effect is None:
        return "never" if checked.is_idle(judged) else "-"
    return effect.words(checked.trips[judged.limit])


def _remark(checked: Checked, judged: Judged) -> str:
    only = "it only warns" if judged.limit.on_fail == "warn" else ""
    tried = ""
    if checked.is_idle(judged):
        most = " and with ".join(effect.words(effect.most) for effect in effects_on(judged))
        tried = f"cannot fail: it holds even with {most}"
    return "; ".join(filter(None, [judged.remark, tried, only]))


def _total(checked: Sequence[Checked]) -> str:
    pairs = [(each, judged) for each in checked for judged in each.limits]
    said = {
        "cannot be gated here": sum(bool(each.obstacle) for each in checked),
        "cannot be told": sum(is_unclear(judged) for _, judged in pairs),
        "cannot fail": sum(each.is_idle(judged) for each, judged in pairs),
    }
    wrong = [f"{count} {words}" for words, count in said.items() if count]
    counted = f"{many(len(pairs), 'limit')} in {many(len(checked), 'budget')}"
    untried = sum(each.is_untried(judged) for each, judged in pairs)
    return f"npuperf: {counted}: {', '.join(wrong) or _sound(len(pairs), untried)}"


def _sound(limits: int, untried: int) -> str:
    """Return that nothing is wrong, and how many limits nothing was tried with."""
    if not untried:
        return _SOUND
    others = ", and the others can fail" if untried < limits else ""
    return f"all can be measured; {untried} cannot be tried{others}"
