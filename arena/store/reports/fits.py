"""Ratings with error bars, fitted on demand and cached.

A fit belongs to a *pool*: a game, and a number of seats or (0) all of them. Each process caches the
requested fits and recomputes one when the pool's sums have changed (see `arena.store.cache`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select, update

from arena.store.cache import DatabaseCache
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
    """A fit with the residuals of its pairs and the errors of their scores, and the version of its
    sums. `corrected` deals were adjusted for luck, with this average `coefficient` (None without
    any). The numbers of matches belong to all deals and to the adjusted ones."""

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
    """The fit of a pool; empty for a pool without deals."""
    fixed = anchor_player(conn, game)
    return _fits.get(
        conn,
        (game, seats, fixed),
        lambda now: deal_sums.version(now, game),
        # The version is read first: a fit may be newer than its version, but not older.
        lambda now: _read(now, game, seats),
        lambda inputs: _fit(*inputs, fixed),
    )


def prepare(conn: Connection, *, first: bool) -> None:
    """Computes fits in advance: of all pools the `first` time, later of slow ones that are out of
    date, so that no request has to wait for one."""
    pools = select(ratings.c.game, ratings.c.seats).distinct()
    for game, seats in conn.execute(pools.order_by(ratings.c.seats)).all():
        if first or _fits.slow(conn, (game, seats, anchor_player(conn, game))):
            fitted(conn, game, seats)


def _read(conn: Connection, game: str, seats: int) -> tuple[int, Groups, Corrected | None]:
    """The version of the sums, the sums, and the luck-adjusted sums, if there are any."""
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
    """The anchor's name if it has played in that pool; empty if the mean is 1500."""
    return anchor(conn, game) if fitted(conn, game, seats).fit.anchor is not None else ""


class Anchored(NamedTuple):
    """The new anchor's registered name, and the number of matches whose Elo was recomputed: 0 if it
    already was the anchor."""

    bot: str
    rated_again: int


def set_anchor(conn: Connection, game: str, name: str) -> Anchored:
    """Makes another bot the anchor; an empty name means the mean. Raises NotFound.

    All ratings move by the same number. Live Elo is recomputed from all matches, under the lock
    that rating a match takes before it reads the anchor.
    """
    registered = bots.get(conn, name).name if name else ""
    lock_game(conn, game)
    before = anchor_player(conn, game)
    row = update(rated_games).where(rated_games.c.game == game)
    conn.execute(row.values(anchor=registered, deals_version=deal_sums.new_version()))
    changed = anchor_player(conn, game) != before
    return Anchored(registered, rebuild(conn, game) if changed else 0)
