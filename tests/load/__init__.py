"""Attacks on a real gateway, run manually by `python -m tests.load.attacks`."""
