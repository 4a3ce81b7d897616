"""Which versions the arena's hosts are to connect."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from sqlalchemy import Connection, Select, func, or_, select

from arena.store.registry import bots
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import bots as bots_table
from arena.store.tables import entrants, players, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY


def wanted(conn: Connection) -> list[RegisteredBot]:
    """The hosted versions that hosts are to have connected, by name: the newest of each bot that is
    not retired, and entrants of tournaments that are not over."""
    found = bots.by_players(conn, conn.scalars(_wanted())).values()
    listed = [bot for bot in found if bot.waits_for_host]
    return sorted(listed, key=lambda bot: (bot.name.lower(), -bot.player))


@cache  # making a query takes longer than carrying it out
def _wanted() -> Select[int]:
    newest = select(func.max(players.c.id)).group_by(players.c.bot)
    playing = select(entrants.c.player).join(tournaments, tournaments.c.id == entrants.c.tournament)
    playing = playing.where(tournaments.c.state.in_(UNDER_WAY))
    query = select(players.c.id).where(players.c.hosted)
    return query.where(or_(players.c.id.in_(newest), players.c.id.in_(playing)))


def among(conn: Connection, player_ids: Collection[int]) -> set[int]:
    """Those of these players whom hosts are to connect."""
    query = select(players.c.id).join(bots_table, bots_table.c.id == players.c.bot)
    query = query.where(players.c.hosted, bots_table.c.retired.is_(None))
    return set(conn.scalars(query.where(players.c.id.in_(player_ids))))
