"""Tells NumPy, before it is imported, to compute in one thread.

Ratings need matrices of some hundred rows, which one thread inverts in a millisecond. Several
wait for each other: beside busy workers on two cores that took a hundred times as long. Whoever
sets OPENBLAS_NUM_THREADS is heard; programs of bots are left alone, as the SDK does not import
this.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
