"""The numbers of matches that a leaderboard includes, and that are still missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, func, select, union_all

from arena.store.projections.elo_tables import OVERALL
from arena.store.reports.fits import fitted
from arena.store.tables import luck_progress, matches, tournaments
from arena.store.tournaments.tournaments import UNDER_WAY, decode_spec
from arena.tournaments.formats.luck import CORRECTED

RECENT = 1000  # tournaments; luck is computed for the newest first, so older ones are done


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
