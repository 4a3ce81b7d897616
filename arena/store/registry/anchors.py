"""The anchor of a game's ratings: the bot whose rating and live Elo are 1500 by definition."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, Select, bindparam, func, select

from arena.store.tables import bots, players, rated_games

ANCHOR = "five"  # the house bot that is the default anchor


def anchor(conn: Connection, game: str) -> str:
    """The name of the bot whose rating is 1500; empty if the mean of all ratings is 1500."""
    name = conn.scalar(_named(), {"game": game})
    return ANCHOR if name is None else name


def anchor_player(conn: Connection, game: str) -> int | None:
    """The first version of the anchor; later ones may be stronger, which would move the scale."""
    return conn.scalar(_first_version(), {"game": game})


@cache
def _named() -> Select[str]:
    return select(rated_games.c.anchor).where(rated_games.c.game == bindparam("game"))


@cache
def _first_version() -> Select[int]:
    name = func.coalesce(_named().scalar_subquery(), ANCHOR)
    query = select(players.c.id).join_from(players, bots).order_by(players.c.id).limit(1)
    return query.where(bots.c.name_key == func.lower(name))
