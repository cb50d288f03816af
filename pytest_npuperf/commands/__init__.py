"""The ``npuperf`` command: a module for the arguments, and one for each subcommand."""
