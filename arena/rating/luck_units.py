"""The units in which luck is kept, for who needs no NumPy: an author's installation has none."""

from __future__ import annotations

HALF = 1024  # units to a half-point
GAME = 2 * HALF  # units to a score of 1
MOST = 2 * GAME  # no pair has more, since an event moves an expected score by less than 1
