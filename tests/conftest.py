"""What all tests share."""

from __future__ import annotations

import os
import sys

from hypothesis import settings

pytest_plugins = "pytester"

# A machine that is busy with something else makes no example wrong.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# Every pytest that a test starts would rewrite the asserts of all plugins anew, for seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
