from __future__ import annotations

import pytest

from pytest_npuperf.globs import compile_globs, matches

CASES = [
    ("Conv2D", ("Conv2D",), True),
    ("Conv2DBackprop", ("Conv2D",), False),
    ("xConv2D", ("Conv2D",), False),
    ("conv2d", ("Conv2D",), False),
    ("Conv2DBackprop", ("Conv2D*",), True),
    ("Conv2D", ("Conv2D*",), True),
    ("Conv2D", ("Conv?D",), True),
    ("ConvD", ("Conv?D",), False),
    ("", ("*",), True),
    ("", ("",), True),
    ("", ("?",), False),
    ("a", ("",), False),
    ("Cast[1]", ("Cast[1]",), True),
    ("Cast1", ("Cast[1]",), False),
    ("a.b|c^$(d)\\e", ("a.b|c^$(d)\\e",), True),
    ("axb", ("a.b",), False),
    ("one\ntwo", ("one*",), True),
    ("one\ntwo", ("one?two",), True),
    ("one\n", ("one",), False),
    ("b", ("a", "b"), True),
    ("ab", ("a", "b"), False),
    ("a", (), False),
    ("", (), False),
]


@pytest.mark.parametrize(("text", "globs", "expected"), CASES)
def test_a_glob_means_the_whole_text(text: str, globs: tuple[str, ...], expected: bool) -> None:
    pattern = compile_globs(globs)

    assert matches(text, globs) is expected
    assert (pattern.match(text) is not None) is expected
    assert (pattern.fullmatch(text) is not None) is expected


def test_neighbouring_stars_are_one() -> None:
    assert compile_globs(("**a***",)) == compile_globs(("*a*",))
