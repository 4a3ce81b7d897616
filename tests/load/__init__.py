"""Attacks on a real gateway, to be run by hand: `python -m tests.load.attacks`."""
