"""Which matches a rating table includes, and which it still waits for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, func, select, union_all

from arena.store.projections.elo_tables import OVERALL
from arena.store.reports.fits import fitted
from arena.store.tables import luck_progress, matches, tournaments
from arena.store.tournaments.tournaments import decode_spec
from arena.tournaments.formats.luck import CORRECTED

RECENT = 1000  # tournaments; luck is calculated for the newest first, so older ones are done


@dataclass(frozen=True, slots=True)
class Included:
    """Ratings include `deals` with their `matches`; luck is taken out of the scores of
    `corrected_deals` with `corrected_matches`, on average with this `luck_coefficient` (None where
    there are none).

    `luck_pending` are finished matches whose luck will be taken out, too, and is not calculated
    yet. `elo_pending` are finished matches that live Elo does not include yet: earlier matches of
    their tournaments are still in play.
    """

    deals: int
    matches: int
    corrected_deals: int
    corrected_matches: int
    luck_pending: int
    elo_pending: int
    luck_coefficient: float | None = None


def included(conn: Connection, game: str, seats: int = OVERALL) -> Included:
    """Of the rating table of a game, at tables of so many seats or (0) of any."""
    pool = fitted(conn, game, seats)
    unfinished = _of_pool(conn.execute(_unfinished()), game, seats)
    return Included(
        deals=pool.fit.total,
        matches=pool.matches,
        corrected_deals=pool.corrected,
        corrected_matches=pool.corrected_matches,
        luck_pending=sum(row.played - row.seen for row, corrected in unfinished if corrected),
        elo_pending=sum(_unrated(conn, row) for row, _ in unfinished if row.state == "running"),
        luck_coefficient=pool.coefficient,
    )


@cache  # making a query takes longer than carrying it out
def _unfinished() -> CompoundSelect[Any]:
    """Rated tournaments in play, and recent ones with matches whose luck is not calculated yet."""
    row, seen = tournaments.c, func.coalesce(luck_progress.c.seen, 0)
    query = select(row.id, row.spec, row.state, row.played, row.rated, seen.label("seen"))
    query = query.outerjoin_from(tournaments, luck_progress).where(row.kind == "tournament")
    newest = select(func.max(row.id) - RECENT).correlate(None).scalar_subquery()
    recent = row.id > newest, row.played > seen, row.state != "running"
    # Each half has its index; an OR of both would read all tournaments.
    return union_all(query.where(row.state == "running"), query.where(*recent))


def _of_pool(rows: Iterable[Row[Any]], game: str, seats: int) -> list[tuple[Row[Any], bool]]:
    """Those of the pool, and whether luck is taken out of their scores."""
    found = [(row, decode_spec(row.spec)) for row in rows]
    return [
        (row, spec.luck == CORRECTED)
        for row, spec in found
        if spec.game == game and seats in (OVERALL, spec.seats)
    ]


def _unrated(conn: Connection, row: Row[Any]) -> int:
    ahead = matches.c.tournament == row.id, matches.c.position >= row.rated
    return conn.scalar(select(func.count()).where(*ahead)) or 0
