"""Queries for the pages of the user's own bots."""

from __future__ import annotations

from sqlalchemy import Connection, exists, select

from arena.store.tables import entrants, players
from arena.store.tables import tournaments as rows
from arena.store.tournaments import tournaments
from arena.store.tournaments.tournaments import Tournament

# Times for a move in a test match, in seconds. Hosted bots have the first.
TRIAL_MOVES_S = {2: "2 s", 30: "30 s", 120: "2 min", 600: "10 min"}


def latest(conn: Connection, owner: int, bot: int, limit: int) -> list[Tournament]:
    """Return the newest test matches of an account's bot."""
    entered = (
        exists()
        .where(entrants.c.tournament == rows.c.id)
        .where(players.c.id == entrants.c.player, players.c.bot == bot)
    )
    query = select(rows.c.id).where(rows.c.kind == "test", rows.c.owner == owner, entered)
    newest = conn.scalars(query.order_by(rows.c.id.desc()).limit(limit)).all()
    return [tournaments.get(conn, number) for number in newest]
