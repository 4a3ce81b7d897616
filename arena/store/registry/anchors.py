"""The anchor of a game's ratings: the bot whose rating and live Elo are 1500 by definition."""

from sqlalchemy import Connection, bindparam, func, select

from arena.store.tables import bots, players, rated_games

ANCHOR = "five"  # the house bot that is the default anchor

NAMED = select(rated_games.c.anchor).where(rated_games.c.game == bindparam("game"))
FIRST_VERSION = (
    select(players.c.id)
    .join_from(players, bots)
    .where(bots.c.name_key == func.lower(func.coalesce(NAMED.scalar_subquery(), ANCHOR)))
    .order_by(players.c.id)
    .limit(1)
)


def anchor(conn: Connection, game: str) -> str:
    """The name of the bot whose rating is 1500; empty if the mean of all ratings is 1500."""
    name = conn.scalar(NAMED, {"game": game})
    return ANCHOR if name is None else name


def anchor_player(conn: Connection, game: str) -> int | None:
    """The first version of the anchor; later ones may be stronger, which would move the scale."""
    return conn.scalar(FIRST_VERSION, {"game": game})
