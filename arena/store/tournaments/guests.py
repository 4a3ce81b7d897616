"""People who play: each is a bot of kind "guest", with a version per casual game.

So a person may play several games at once, and no game reveals anything about another.
"""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, func, select

from arena.base.errors import AlreadyExists
from arena.store.registry import bots, names
from arena.store.registry.bots import RegisteredBot
from arena.store.tables import bots as bot_rows
from arena.store.tables import entrants, players, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY
from arena.tournaments.formats.deals import ALPHABET

PREFIX = names.GUEST
LONGEST = 40  # of a bot's name


def of_account(conn: Connection, account: int) -> RegisteredBot | None:
    """The guest of an account, or None if it has not played."""
    query = select(bot_rows.c.name).where(bot_rows.c.owner == account, bot_rows.c.kind == "guest")
    name = conn.scalar(query.order_by(bot_rows.c.id))
    return None if name is None else bots.get(conn, name)


def nameless(conn: Connection, guest: int) -> RegisteredBot | None:
    """The guest with this number, if it has no account."""
    query = select(bot_rows.c.name).where(bot_rows.c.id == guest, bot_rows.c.kind == "guest")
    name = conn.scalar(query.where(bot_rows.c.owner.is_(None)))
    return None if name is None else bots.get(conn, name)


def arrive(conn: Connection, account: tuple[int, str] | None) -> RegisteredBot:
    """Registers a guest: of an account (number and name), or without one."""
    if account is not None:
        number, name = account
        try:
            return bots.register(conn, (PREFIX + name)[:LONGEST], owner=number, kind="guest")[0]
        except AlreadyExists:  # another bot has this name
            return bots.register(conn, _made_up(), owner=number, kind="guest")[0]
    return bots.register(conn, _made_up(), kind="guest")[0]


def _made_up() -> str:
    return PREFIX + "".join(secrets.choice(ALPHABET) for _ in range(8))


def sit(conn: Connection, guest: RegisteredBot, now: float | None = None) -> RegisteredBot:
    """The guest in a version that has not played yet."""
    query = select(func.count()).select_from(entrants).where(entrants.c.player == guest.player)
    return bots.new_version(conn, guest.name, now=now) if conn.scalar(query) else guest


def tables(conn: Connection, guests: list[int], limit: int) -> list[int]:
    """Numbers of the casual games of these guests, newest first."""
    query = (
        select(tournaments.c.id)
        .join_from(tournaments, entrants)
        .join(players)
        .where(tournaments.c.kind == "table", players.c.bot.in_(guests))
        .order_by(tournaments.c.id.desc())
        .limit(limit)
    )
    return list(conn.scalars(query))


def count_open(conn: Connection, guest: int | None = None) -> int:
    """Number of casual games under way, of one guest or of all."""
    query = select(func.count()).select_from(tournaments)
    if guest is not None:
        query = query.join(entrants).join(players).where(players.c.bot == guest)
    open_ones = query.where(tournaments.c.kind == "table", tournaments.c.state.in_(UNDER_WAY))
    return conn.scalar(open_ones) or 0
