"""Ratings, as pure functions of results and earlier ratings."""

import arena.base.blas_threads  # noqa: F401  before NumPy
