"""Computes slow ratings in advance, so that pages find them in the cache."""

from __future__ import annotations

from arena.store import Store
from arena.store.reports import fits
from dashboard.system.background import repeat

LOOK_EVERY_S = 5.0


def keep_warm(store: Store) -> None:
    """Start a daemon thread."""
    first = True

    def prepare() -> None:
        nonlocal first
        with store.read() as conn:
            fits.prepare(conn, first=first)
        first = False

    repeat(
        prepare,
        LOOK_EVERY_S,
        name="warm",
        unavailable="cannot prepare ratings",
        broke="preparing ratings broke",
    )
