"""Hints: the value of each legal action, given what the player knows."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final

from arena.base.errors import NotNow
from arena.games.rules import View
from arena.value.review import Option
from arena.value.review.review import both, seed_of
from arena.value.review.values import evaluate

SAMPLES: Final = 64  # states for an action in each of two halves
AT_ONCE: Final = 2  # in one dashboard process; hints use its CPU
WAIT_S: Final = 2.0
BUSY: Final = "Too many players are asking for hints. Press again in a moment."

_free = BoundedSemaphore(AT_ONCE)


def hint_for(view: View) -> list[Option]:
    """The legal actions with their values, best first, computed from the view alone.

    Raises NotNow while too many hints are being computed, and UnknownGame and Unavailable
    like `evaluate`.
    """
    if not _free.acquire(timeout=WAIT_S):
        raise NotNow(BUSY)
    try:
        every = [range(len(view.actions))]
        (halves,) = evaluate([view], every, SAMPLES, seed_of(view.match, view.number))
    finally:
        _free.release()
    return list(both(view.actions, halves))
