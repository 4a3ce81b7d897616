"""Limits NumPy's linear algebra to one thread. Import this before NumPy.

Ratings use matrices of a few hundred rows, which one thread inverts in a millisecond. On a busy
machine, several threads mostly wait for each other. An OPENBLAS_NUM_THREADS that is already set
takes precedence. The SDK does not import this module, so bots keep NumPy's default.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
