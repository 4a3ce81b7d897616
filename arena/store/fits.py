"""Ratings with error bars, fitted when they are asked for and kept while they are true.

A fit belongs to a *pool*: a game, and a number of seats or (0) all of them. Each process keeps
the fits it was asked for, and makes one anew only when the pool's sums have changed. Where
that takes long, because very many deals of very many compositions are stored, it does so at
most in a tenth of the time; the table is then some seconds old while a tournament runs.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from arena.rating.bradley_terry import Fit, fit
from arena.rating.pairs import residuals
from arena.rating.solve import Floats
from arena.store import bots, deals
from arena.store.rate import OVERALL, lock_game
from arena.store.tables import bots as bots_table
from arena.store.tables import players, rated_games

ANCHOR = "five"  # the house bot that anchors a game's ratings until it is told otherwise
KEPT = 32  # fits in memory
QUICK_S = 1.0  # a fit that takes no longer is made whenever it is not up to date
REST = 9  # of longer ones: how many times its duration none is made again


@dataclass(frozen=True)
class Fitted:
    """A fit, the residuals of its pairs, and what it was made of."""

    fit: Fit
    residuals: Floats
    version: int
    seconds: float  # of CPU time it took
    made: float  # monotonic clock


_fits: OrderedDict[tuple[str, str, int, int | None], Fitted] = OrderedDict()
_lock = threading.Lock()


def fitted(conn: Connection, game: str, seats: int = OVERALL) -> Fitted:
    """The fit of a pool. For a pool without deals it is empty."""
    fixed = anchor_player(conn, game)
    key = conn.engine.url.render_as_string(hide_password=False), game, seats, fixed
    version = deals.version(conn, game)
    with _lock:
        known = _fits.get(key)
    if known and (known.version == version or not _worth_it(known)):
        return known
    made = _make(conn, game, seats, fixed, version)
    with _lock:
        _fits[key] = made
        _fits.move_to_end(key)
        while len(_fits) > KEPT:
            _fits.popitem(last=False)
    return made


def _worth_it(known: Fitted) -> bool:
    if known.seconds <= QUICK_S:
        return True
    return time.monotonic() - known.made > REST * known.seconds


def _make(conn: Connection, game: str, seats: int, fixed: int | None, version: int) -> Fitted:
    began = time.thread_time()
    found = deals.groups(conn, game, seats)
    made = fit(found, fixed)
    standard = residuals(made, found)
    return Fitted(made, standard, version, time.thread_time() - began, time.monotonic())


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
