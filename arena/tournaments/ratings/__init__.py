"""Ratings: pure functions of points and of the ratings before."""

import arena.base.blas_threads  # noqa: F401  before NumPy
