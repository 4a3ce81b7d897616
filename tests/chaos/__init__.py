"""Fault injection into real processes; see `python -m tests.chaos --help`."""
