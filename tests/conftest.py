"""What all tests share."""

from __future__ import annotations

import os
import sys

pytest_plugins = "pytester"

# Every pytest that a test starts would rewrite the asserts of all plugins anew, for seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
