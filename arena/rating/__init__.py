"""Ratings: pure functions of points and of the ratings before."""

import arena.blas_threads  # noqa: F401  before NumPy
