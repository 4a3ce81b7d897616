"""Queries for the home page."""

from __future__ import annotations

from collections.abc import Hashable

from sqlalchemy import Connection, func, select

from arena.store.database_cache import DatabaseCache
from arena.store.matches import matches
from arena.store.matches.matches import MatchRow
from arena.store.tables import archives, rated_games, tournaments
from arena.store.tables import matches as match_rows
from arena.store.tournaments import tournaments as store
from arena.store.tournaments.tournaments import Tournament

_latest: DatabaseCache[list[MatchRow]] = DatabaseCache(4)


def latest(conn: Connection, most: int) -> list[MatchRow]:
    """Return the latest matches, newest first, cached until one is stored, rated or archived."""
    return _latest.get(
        conn,
        (most,),
        _stored,
        lambda now: matches.list_matches(now, limit=most)[0],
        lambda rows: rows,
    )


def _stored(conn: Connection) -> Hashable:
    """Return a value that changes when a match is stored, rated, archived or restored."""
    return tuple(tuple(row) for query in VERSION for row in conn.execute(query))


VERSION = (
    select(func.max(match_rows.c.number)),
    select(rated_games.c.game, rated_games.c.rated, rated_games.c.rebuilt),
    select(func.max(archives.c.id), func.count()).select_from(archives),
)


def under_way(conn: Connection, most: int) -> list[Tournament]:
    """Return running, then waiting tournaments, each oldest first."""
    row = tournaments.c
    query = select(row.id).where(row.kind == "tournament", row.state.in_(["running", "waiting"]))
    return [
        store.get(conn, number)
        for number in conn.scalars(query.order_by(row.state, row.id).limit(most)).all()
    ]
