"""``npuperf doctor``: what is found here, and what each budget can tell with its recording."""

from pytest_npuperf.commands.doctor.command import PROBLEM, SOUND, Wish, doctor

__all__ = ["PROBLEM", "SOUND", "Wish", "doctor"]
