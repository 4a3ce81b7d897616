"""The commands of `python -m tests.lab`."""
