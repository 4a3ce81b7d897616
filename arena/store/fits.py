"""Ratings with error bars, fitted when they are asked for and kept while they are true.

A fit belongs to a *pool*: a game, and a number of seats or (0) all of them. Each process keeps
the fits it was asked for, and makes one anew only when the pool's sums have changed (see `cached`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from arena.rating.bradley_terry import Fit, fit
from arena.rating.deal_sums import DealGroup
from arena.rating.residuals import residuals
from arena.rating.solve import Floats
from arena.store import bots, deals
from arena.store.cached import Cached
from arena.store.rate import OVERALL, lock_game
from arena.store.tables import bots as bots_table
from arena.store.tables import players, rated_games, ratings

ANCHOR = "five"  # the house bot that anchors a game's ratings until it is told otherwise


@dataclass(frozen=True)
class Fitted:
    """A fit, the residuals of its pairs, and the version of the sums that it was made of."""

    fit: Fit
    residuals: Floats
    version: int


_fits: Cached[Fitted] = Cached(32)


def fitted(conn: Connection, game: str, seats: int = OVERALL) -> Fitted:
    """The fit of a pool. For a pool without deals it is empty."""
    fixed = anchor_player(conn, game)
    return _fits.get(
        conn,
        (game, seats, fixed),
        lambda now: deals.version(now, game),
        # The version first: a fit may be newer than it says, but not older.
        lambda now: (deals.version(now, game), deals.groups(now, game, seats)),
        lambda found: _fit(*found, fixed),
    )


def prepare(conn: Connection, *, first: bool) -> None:
    """Makes fits before somebody asks for them: of all pools the `first` time, and later of those
    that take long and are not up to date, so that nobody ever waits for one."""
    pools = select(ratings.c.game, ratings.c.seats).distinct()
    for game, seats in conn.execute(pools.order_by(ratings.c.seats)).all():
        if first or _fits.slow(conn, (game, seats, anchor_player(conn, game))):
            fitted(conn, game, seats)


def _fit(version: int, found: Sequence[DealGroup], fixed: int | None) -> Fitted:
    made = fit(found, fixed)
    return Fitted(made, residuals(made, found), version)


def anchor(conn: Connection, game: str) -> str:
    """The name of the bot whose rating is 1500; empty where the mean of all is."""
    found = conn.scalar(select(rated_games.c.anchor).where(rated_games.c.game == game))
    return ANCHOR if found is None else found


def anchor_in(conn: Connection, game: str, seats: int = OVERALL) -> str:
    """The anchor's name if it has played in that pool; empty where the mean is 1500."""
    return anchor(conn, game) if fitted(conn, game, seats).fit.anchor is not None else ""


def set_anchor(conn: Connection, game: str, name: str) -> str:
    """Takes another bot as the anchor, or with an empty name the mean. Raises NotFound.

    Returns the name as it is registered. All ratings move by one number, differences stay.
    """
    registered = bots.get(conn, name).name if name else ""
    lock_game(conn, game)
    row = update(rated_games).where(rated_games.c.game == game)
    conn.execute(row.values(anchor=registered, deals_version=deals.new_version()))
    return registered


def anchor_player(conn: Connection, game: str) -> int | None:
    """The first version of the anchor; later ones may be stronger, and would move the scale."""
    name = anchor(conn, game)
    query = select(players.c.id).join_from(players, bots_table).order_by(players.c.id).limit(1)
    return conn.scalar(query.where(bots_table.c.name_key == name.lower()))
