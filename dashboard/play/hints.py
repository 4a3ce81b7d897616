"""Hints: what each action is worth by what the person at the table knows."""

from __future__ import annotations

from threading import BoundedSemaphore
from typing import Final

from arena.base.errors import NotNow
from arena.games.rules import View
from arena.value.review import Option
from arena.value.review.review import both, seed_of
from arena.value.review.values import SAMPLES, evaluate

AT_ONCE: Final = 2  # in one dashboard; a hint takes some hundredths of a second of its time
WAIT_S: Final = 2.0
BUSY: Final = "Many people ask for hints at the moment: press again in a moment."

_free = BoundedSemaphore(AT_ONCE)


def hint_for(view: View) -> list[Option]:
    """The legal actions with their values, the best first: by the view alone, whatever the others
    hold. Raises NotNow while too many are asked for, UnknownGame and Unavailable as `evaluate`."""
    if not _free.acquire(timeout=WAIT_S):
        raise NotNow(BUSY)
    try:
        every = [range(len(view.actions))]
        (halves,) = evaluate([view], every, SAMPLES, seed_of(view.match, view.number))
    finally:
        _free.release()
    return list(both(view.actions, halves))
