"""Keeps the daily deals: creates those of today and tomorrow, and opens those that are over."""

from __future__ import annotations

from arena.base import instant
from arena.games.rules import GAMES
from arena.store import Store
from arena.store.engine import HURRIED
from arena.store.tournaments import daily


def keep(store: Store) -> None:
    """Creates and opens the deals that are due; usually two short reads. Raises Unavailable."""
    now = instant.now()
    with store.read() as conn:
        missing, due = daily.missing(conn, GAMES, now), daily.due(conn, now)
    if missing or due:
        with store.write(HURRIED) as conn:
            daily.add(conn, missing)
            daily.open_deals(conn, due, now)
