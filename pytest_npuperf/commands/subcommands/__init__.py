"""The subcommands of ``npuperf``: what each takes, and how it is run.

A module here imports little, so that help and wrong usage need not wait for pandas; what does the
work is the module of the same name one level up.
"""

from pytest_npuperf.commands.subcommands.accept import ACCEPT
from pytest_npuperf.commands.subcommands.diff import DIFF
from pytest_npuperf.commands.subcommands.doctor import DOCTOR
from pytest_npuperf.commands.subcommands.init import INIT
from pytest_npuperf.commands.subcommands.schema import SCHEMA
from pytest_npuperf.commands.subcommands.show import SHOW

SUBCOMMANDS = (SHOW, INIT, DIFF, ACCEPT, DOCTOR, SCHEMA)
"""All of them, in the order of the help."""
