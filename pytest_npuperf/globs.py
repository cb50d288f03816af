"""Match names with globs in which only ``*`` and ``?`` are special, and case matters.

``fnmatch`` will not do: op names such as ``Cast[1]`` are text, not character classes.
"""

from __future__ import annotations

import re

_SPECIAL = {"*": ".*", "?": "."}


def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern that matches a whole text which any of the globs means; none: no text.

    ``match`` and ``fullmatch`` agree, and newlines are characters like any other.
    """
    choices = "|".join(_translate(glob) for glob in globs) if globs else "(?!)"
    return re.compile(rf"(?:{choices})\Z", re.DOTALL)


def matches(text: str, globs: tuple[str, ...]) -> bool:
    """Return whether any of the globs means the whole text."""
    return compile_globs(globs).match(text) is not None


def _translate(glob: str) -> str:
    # Neighbouring stars mean one, and would only make the search slow.
    characters = re.sub(r"\*+", "*", glob)
    return "".join(_SPECIAL.get(character) or re.escape(character) for character in characters)
