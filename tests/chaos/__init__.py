"""Real processes and real faults; `python -m tests.chaos --help`."""
