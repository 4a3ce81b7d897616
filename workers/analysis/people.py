"""Computes the ratings of people after their games."""

from __future__ import annotations

import time

from arena.store import Store
from arena.store.reports import people


def rate_people(store: Store, until: float) -> None:
    """Computes the pending ratings until `until` (`time.monotonic`). Raises Unavailable."""
    while time.monotonic() < until:
        with store.read() as conn:
            due = people.pending(conn)
        if due is None:
            return
        people.compute(store, due)
