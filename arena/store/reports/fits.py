"""Ratings with error bars, fitted when they are asked for and kept while they are true.

A fit belongs to a *pool*: a game, and a number of seats or (0) all of them. Each process keeps
the fits it was asked for, and makes one anew only when the pool's sums have changed (see `cached`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from arena.store.database_cache import DatabaseCache
from arena.store.projections import deal_luck, deal_sums
from arena.store.projections.deal_luck import Corrected
from arena.store.projections.elo import lock_game, rebuild
from arena.store.projections.elo_tables import OVERALL
from arena.store.registry import bots
from arena.store.registry.anchors import anchor, anchor_player
from arena.store.tables import rated_games, ratings
from arena.tournaments.ratings.bradley_terry import Fit, fit
from arena.tournaments.ratings.deal_sums import DealGroup
from arena.tournaments.ratings.pair_errors import score_errors
from arena.tournaments.ratings.residuals import residuals
from arena.tournaments.ratings.solve import Floats


@dataclass(frozen=True)
class Fitted:
    """A fit, the residuals of its pairs and the errors of their scores, and the version of the sums
    that it was made of; `corrected` are the deals of which luck was taken out, on average with this
    `coefficient` (None where there are none). Both with the number of their matches."""

    fit: Fit
    residuals: Floats
    score_errors: Floats
    version: int
    matches: int
    corrected: int
    corrected_matches: int
    coefficient: float | None


Groups = Sequence[DealGroup]

_fits: DatabaseCache[Fitted] = DatabaseCache(32)


def fitted(conn: Connection, game: str, seats: int = OVERALL) -> Fitted:
    """The fit of a pool. For a pool without deals it is empty."""
    fixed = anchor_player(conn, game)
    return _fits.get(
        conn,
        (game, seats, fixed),
        lambda now: deal_sums.version(now, game),
        # The version first: a fit may be newer than it says, but not older.
        lambda now: _read(now, game, seats),
        lambda inputs: _fit(*inputs, fixed),
    )


def prepare(conn: Connection, *, first: bool) -> None:
    """Makes fits before somebody asks for them: of all pools the `first` time, and later of those
    that take long and are not up to date, so that nobody ever waits for one."""
    pools = select(ratings.c.game, ratings.c.seats).distinct()
    for game, seats in conn.execute(pools.order_by(ratings.c.seats)).all():
        if first or _fits.slow(conn, (game, seats, anchor_player(conn, game))):
            fitted(conn, game, seats)


def _read(conn: Connection, game: str, seats: int) -> tuple[int, Groups, Corrected | None]:
    """The version of the sums, they, and what they are with luck taken out, if there is any."""
    version = deal_sums.version(conn, game)
    return version, deal_sums.groups(conn, game, seats), deal_luck.corrected(conn, game, seats)


def _fit(version: int, plain: Groups, corrected: Corrected | None, fixed: int | None) -> Fitted:
    groups = plain if corrected is None else corrected.groups
    table = fit(groups, fixed, None if corrected is None else plain)
    wrong, errors = residuals(table, groups), score_errors(table, groups)
    matches = sum(int((each.deals * each.matches_per_deal).sum()) for each in plain)
    found = (0, 0, None) if corrected is None else corrected[1:]
    return Fitted(table, wrong, errors, version, matches, *found)


def anchor_in(conn: Connection, game: str, seats: int = OVERALL) -> str:
    """The anchor's name if it has played in that pool; empty where the mean is 1500."""
    return anchor(conn, game) if fitted(conn, game, seats).fit.anchor is not None else ""


class Anchored(NamedTuple):
    """The anchor that was taken, as it is registered, and how many matches' Elo was counted anew
    from it: none where it was the anchor already."""

    bot: str
    rated_again: int


def set_anchor(conn: Connection, game: str, name: str) -> Anchored:
    """Takes another bot as the anchor, or with an empty name the mean. Raises NotFound.

    All ratings move by one number, differences stay. Live Elo is counted anew from all matches,
    under the lock that whoever rates a match takes before looking for the anchor.
    """
    registered = bots.get(conn, name).name if name else ""
    lock_game(conn, game)
    before = anchor_player(conn, game)
    row = update(rated_games).where(rated_games.c.game == game)
    conn.execute(row.values(anchor=registered, deals_version=deal_sums.new_version()))
    changed = anchor_player(conn, game) != before
    return Anchored(registered, rebuild(conn, game) if changed else 0)
