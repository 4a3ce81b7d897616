"""Ratings with error bars, fitted on demand and cached, and the matches that they include.

A fit belongs to a *pool*: a game, and a number of seats or (0) all of them. Each process caches the
requested fits and recomputes one when the pool's sums have changed (see `arena.store.cache`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import CompoundSelect, Connection, Row, func, select, union_all, update

from arena.store.cache import DatabaseCache
from arena.store.projections import deal_luck, deal_sums
from arena.store.projections.deal_luck import Corrected
from arena.store.projections.elo import lock_game, rebuild
from arena.store.projections.elo_tables import OVERALL
from arena.store.registry import bots
from arena.store.registry.anchors import anchor, anchor_player
from arena.store.tables import luck_progress, matches, rated_games, ratings, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY, decode_spec
from arena.tournaments.formats.spec import CORRECTED
from arena.tournaments.ratings.bradley_terry import Fit, fit
from arena.tournaments.ratings.deal_sums import DealGroup
from arena.tournaments.ratings.residuals import residuals, score_errors
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

RECENT = 1000  # tournaments; luck is computed for the newest first, so older ones are done

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


# The matches that a leaderboard includes, and that are still missing


@dataclass(frozen=True, slots=True)
class Included:
    """Ratings include `deals` with their `matches`; the scores of `corrected_deals` with
    `corrected_matches` are luck-adjusted, with this average `luck_coefficient` (None without any).

    `luck_pending` are finished matches that will be luck-adjusted when their luck is computed.
    `elo_pending` are finished matches that live Elo does not include yet, because earlier matches
    of their tournaments are still in play.
    """

    deals: int
    matches: int
    corrected_deals: int
    corrected_matches: int
    luck_pending: int
    elo_pending: int
    luck_coefficient: float | None = None


def included(conn: Connection, game: str, seats: int = OVERALL) -> Included:
    """The numbers for a game's leaderboard, at tables of `seats` seats or (0) of all."""
    pool = fitted(conn, game, seats)
    unfinished = _of_pool(conn.execute(_unfinished()), game, seats)
    return Included(
        deals=pool.fit.total,
        matches=pool.matches,
        corrected_deals=pool.corrected,
        corrected_matches=pool.corrected_matches,
        luck_pending=sum(row.played - row.seen for row, corrected in unfinished if corrected),
        elo_pending=sum(_unrated(conn, row) for row, _ in unfinished if row.state in UNDER_WAY),
        luck_coefficient=pool.coefficient,
    )


@cache  # building the query takes longer than running it
def _unfinished() -> CompoundSelect[Any]:
    """Rated tournaments under way, and recent ones with matches whose luck is not computed yet."""
    row, seen = tournaments.c, func.coalesce(luck_progress.c.seen, 0)
    query = select(row.id, row.spec, row.state, row.played, row.rated, seen.label("seen"))
    query = query.outerjoin_from(tournaments, luck_progress).where(row.kind == "tournament")
    newest = select(func.max(row.id) - RECENT).correlate(None).scalar_subquery()
    recent = row.id > newest, row.played > seen, row.state.not_in(UNDER_WAY)
    # Each half uses an index; one query with OR would read all tournaments.
    return union_all(query.where(row.state.in_(UNDER_WAY)), query.where(*recent))


def _of_pool(rows: Iterable[Row[Any]], game: str, seats: int) -> list[tuple[Row[Any], bool]]:
    """The tournaments of the pool, and whether their scores are adjusted for luck."""
    found = [(row, decode_spec(row.spec)) for row in rows]
    return [
        (row, spec.luck == CORRECTED)
        for row, spec in found
        if spec.game == game and seats in (OVERALL, spec.seats)
    ]


def _unrated(conn: Connection, row: Row[Any]) -> int:
    ahead = matches.c.tournament == row.id, matches.c.position >= row.rated
    return conn.scalar(select(func.count()).where(*ahead)) or 0
