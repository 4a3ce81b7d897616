"""Limits NumPy's linear algebra to one thread. Import this before NumPy.

Ratings need matrices of a few hundred rows, which one thread inverts in a millisecond. Several
threads wait for each other: beside busy workers on two cores that took a hundred times as long.
An OPENBLAS_NUM_THREADS that is already set wins. The SDK does not import this, so bots keep
NumPy's default.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
