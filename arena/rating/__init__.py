"""Ratings: pure functions of points and of the ratings before."""

import arena.one_thread  # noqa: F401  before NumPy
